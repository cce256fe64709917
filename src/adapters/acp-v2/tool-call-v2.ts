import type { ToolCallContent } from '@agentclientprotocol/sdk/experimental/v2/unstable';
import { absolutePath } from '../../domain/conversation/absolute-path.ts';
import { ToolCallReports } from '../acp/tool-call-reports.ts';
import { diffBlocks } from './file-change-v2.ts';

/** Tool calls as v2 tells them, but for commands. Its locations are absolute paths (S4.65). */
export const toolCallsV2 = new ToolCallReports<ToolCallContent>({
  diffBlocks: (changes, _profile, cwd) => diffBlocks(changes, cwd),
  image: ({ path }, cwd) => {
    const location = absolutePath(path, cwd);
    return {
      content: [{ type: 'content', content: { type: 'resource_link', name: path, uri: path } }],
      ...(location === null ? {} : { locations: [{ path: location }] }),
    };
  },
  webSearchInput: ({ id, query, action }) => ({ type: 'webSearch', id, query, action }),
});
