import type { ToolCallContent } from '@agentclientprotocol/sdk/experimental/v2/unstable';
import type { ClientProfile } from '../../domain/client/client-profile.ts';
import { absolutePath, absolutePaths } from '../../domain/conversation/absolute-path.ts';
import { endStatus, startStatus } from '../../domain/conversation/tool-status.ts';
import { webSearchTitle } from '../../domain/conversation/web-search-title.ts';
import type { FileChange, ToolItem } from '../../domain/thread/thread-item.ts';
import type { ToolReport } from '../acp/tool-report-filter.ts';
import { diffBlocks } from './file-change-v2.ts';

type Report = ToolReport<ToolCallContent>;
type OtherItem = Exclude<ToolItem, { readonly type: 'command' }>;

/** Everything that a v2 client is told of a tool call when it starts, but for commands (S4 sections 8, 9 and 11). */
export function startReport(item: OtherItem, profile: ClientProfile, cwd: string): Report {
  const toolCallId = item.id;
  switch (item.type) {
    case 'fileChange':
      return {
        toolCallId,
        kind: 'edit',
        title: 'Editing files',
        status: startStatus(item.status),
        ...fileChanges(item.changes, profile, cwd),
      };
    case 'mcpTool':
      return {
        toolCallId,
        kind: 'execute',
        title: `mcp.${item.server}.${item.tool}`,
        status: startStatus(item.status),
        ...mcpValues(item),
        _meta: { is_mcp_tool_call: true },
      };
    case 'webSearch':
      return { toolCallId, kind: 'search', status: 'in_progress', ...webSearchValues(item) };
    case 'imageView': {
      const path = absolutePath(item.path, cwd);
      return {
        toolCallId,
        name: 'view_image',
        kind: 'read',
        title: `View Image ${item.path}`,
        status: 'completed',
        content: [{ type: 'content', content: { type: 'resource_link', name: item.path, uri: item.path } }],
        ...(path === null ? {} : { locations: [{ path }] }),
        rawInput: { path: item.path },
      };
    }
  }
}

/** What the end of a tool call adds; fields that did not change are left out later (S4.57, S4.76, S4.81). */
export function endReport(item: OtherItem, profile: ClientProfile, cwd: string): Report {
  const toolCallId = item.id;
  switch (item.type) {
    case 'fileChange':
      return { toolCallId, status: endStatus(item.status), ...fileChanges(item.changes, profile, cwd) };
    case 'mcpTool':
      return { toolCallId, status: endStatus(item.status), ...mcpValues(item) };
    case 'webSearch':
      return { toolCallId, status: 'completed', ...webSearchValues(item) };
    case 'imageView':
      return { toolCallId, status: 'completed' };
  }
}

/** Diff of a patch, and where it is for clients that are not AIR (S4.65, S12.10). */
export function fileChanges(
  changes: readonly FileChange[],
  profile: ClientProfile,
  cwd: string,
): Pick<Report, 'content' | 'locations'> {
  const content = diffBlocks(changes, cwd);
  if (profile.air !== null) return { content };
  const paths = absolutePaths(
    changes.map((change) => change.movePath ?? change.path),
    cwd,
  );
  return paths.length === 0 ? { content } : { content, locations: paths.map((path) => ({ path })) };
}

function mcpValues(item: Extract<ToolItem, { type: 'mcpTool' }>): Pick<Report, 'rawInput' | 'rawOutput'> {
  const { server, tool, result, error } = item;
  const rawInput = { server, tool, arguments: item.arguments };
  return (result ?? error ?? null) === null ? { rawInput } : { rawInput, rawOutput: { result, error } };
}

function webSearchValues(item: Extract<ToolItem, { type: 'webSearch' }>): Pick<Report, 'rawInput' | 'title'> {
  const { id, query, action } = item;
  return { title: webSearchTitle(item), rawInput: { type: 'webSearch', id, query, action } };
}
