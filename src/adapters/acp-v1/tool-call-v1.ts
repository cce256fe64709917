import type { ToolCallContent } from '@agentclientprotocol/sdk/unstable';
import { hasAir } from '../../domain/client/client-profile.ts';
import { ToolCallReports } from '../acp/tool-call-reports.ts';
import { diffBlocks } from './file-change-v1.ts';

/** Tool calls as v1 tells them, but for commands. */
export const toolCallsV1 = new ToolCallReports<ToolCallContent>({
  diffBlocks: (changes, profile, cwd) => diffBlocks(changes, cwd, hasAir(profile, 'diffPatch')),
  image: ({ path }) => ({
    content: [{ type: 'content', content: { type: 'resource_link', name: path, uri: path } }],
    locations: [{ path }],
  }),
  webSearchInput: ({ id, query, action }, profile) =>
    profile.air === null ? { type: 'webSearch', id, query, action } : { query, action },
});
