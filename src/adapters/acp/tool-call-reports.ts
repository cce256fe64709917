import type { ClientProfile } from '../../domain/client/client-profile.ts';
import { absolutePaths } from '../../domain/conversation/absolute-path.ts';
import { endStatus, startStatus } from '../../domain/conversation/tool-status.ts';
import { webSearchTitle } from '../../domain/conversation/web-search-title.ts';
import type { FileChange, ToolItem } from '../../domain/thread/thread-item.ts';
import type { ToolReport } from './tool-report-filter.ts';

type Item<Type extends ToolItem['type']> = Extract<ToolItem, { readonly type: Type }>;

/** What a protocol version says in its own way. */
export interface ToolCallShapes<Content> {
  diffBlocks(changes: readonly FileChange[], profile: ClientProfile, cwd: string): Content[];
  /** The image that was looked at (S4 section 9). */
  image(item: Item<'imageView'>, cwd: string): Pick<ToolReport<Content>, 'content' | 'locations'>;
  webSearchInput(item: Item<'webSearch'>, profile: ClientProfile): unknown;
}

/** What a client is told of tool calls, but for commands: all of it at the start, what the end adds (S4 sections 8, 9, 11). */
export class ToolCallReports<Content> {
  readonly #shapes: ToolCallShapes<Content>;

  constructor(shapes: ToolCallShapes<Content>) {
    this.#shapes = shapes;
  }

  start(item: Exclude<ToolItem, Item<'command'>>, profile: ClientProfile, cwd: string): ToolReport<Content> {
    const toolCallId = item.id;
    switch (item.type) {
      case 'fileChange':
        return {
          toolCallId,
          kind: 'edit',
          title: 'Editing files',
          status: startStatus(item.status),
          ...this.fileChanges(item.changes, profile, cwd),
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
        return { toolCallId, kind: 'search', status: 'in_progress', ...this.#webSearchValues(item, profile) };
      case 'imageView':
        return {
          toolCallId,
          name: 'view_image',
          kind: 'read',
          title: `View Image ${item.path}`,
          status: 'completed',
          ...this.#shapes.image(item, cwd),
          rawInput: { path: item.path },
        };
    }
  }

  /** Fields that did not change are left out later (S4.57, S4.76, S4.81). */
  end(item: Exclude<ToolItem, Item<'command'>>, profile: ClientProfile, cwd: string): ToolReport<Content> {
    const toolCallId = item.id;
    switch (item.type) {
      case 'fileChange':
        return { toolCallId, status: endStatus(item.status), ...this.fileChanges(item.changes, profile, cwd) };
      case 'mcpTool':
        return { toolCallId, status: endStatus(item.status), ...mcpValues(item) };
      case 'webSearch':
        return { toolCallId, status: 'completed', ...this.#webSearchValues(item, profile) };
      case 'imageView':
        return { toolCallId, status: 'completed' };
    }
  }

  /** Diff of a patch, and where it is for clients that are not AIR (S4.57, S4.65, S12.10). */
  fileChanges(
    changes: readonly FileChange[],
    profile: ClientProfile,
    cwd: string,
  ): Pick<ToolReport<Content>, 'content' | 'locations'> {
    const content = this.#shapes.diffBlocks(changes, profile, cwd);
    if (profile.air !== null) return { content };
    const paths = absolutePaths(
      changes.map((change) => change.movePath ?? change.path),
      cwd,
    );
    return paths.length === 0 ? { content } : { content, locations: paths.map((path) => ({ path })) };
  }

  #webSearchValues(item: Item<'webSearch'>, profile: ClientProfile): Pick<ToolReport<Content>, 'rawInput' | 'title'> {
    return { title: webSearchTitle(item), rawInput: this.#shapes.webSearchInput(item, profile) };
  }
}

function mcpValues(item: Item<'mcpTool'>): Pick<ToolReport<never>, 'rawInput' | 'rawOutput'> {
  const { server, tool, result, error } = item;
  const rawInput = { server, tool, arguments: item.arguments };
  return (result ?? error ?? null) === null ? { rawInput } : { rawInput, rawOutput: { result, error } };
}
