import type { Json } from '../../support/integration.ts';

/** A tool call as the client of a profile has it after some updates. */
export interface ToolView {
  readonly id: string;
  kind: string;
  title: string;
  status: string;
  /** Every status that was told, in order. */
  readonly statuses: string[];
  content: Json[];
  locations: Json[];
  rawInput: Json;
  rawOutput: Json;
  /** What the terminal of the call shows. */
  terminal: string;
  /** The exit code of the terminal; `undefined` while it runs, `null` when there is none. */
  exit: number | null | undefined;
}

/** Applies updates as a client does: fields replace, terminal output appends, a terminal snapshot replaces. */
export function toolCalls(updates: readonly Json[]): ToolView[] {
  const tools = new Map<string, ToolView>();
  const bytes = new Map<string, Buffer>();
  const tool = (id: string): ToolView => {
    const known = tools.get(id);
    if (known !== undefined) return known;
    const created: ToolView = {
      id,
      kind: '',
      title: '',
      status: '',
      statuses: [],
      content: [],
      locations: [],
      rawInput: null,
      rawOutput: null,
      terminal: '',
      exit: undefined,
    };
    tools.set(id, created);
    return created;
  };
  const write = (id: string, data: Buffer): void => {
    bytes.set(id, data);
    tool(id).terminal = data.toString('utf8');
  };
  for (const update of updates) {
    switch (update.sessionUpdate) {
      case 'tool_call':
      case 'tool_call_update': {
        const view = tool(update.toolCallId);
        if (update.status !== undefined) view.statuses.push(update.status);
        for (const field of ['kind', 'title', 'status', 'content', 'locations', 'rawInput', 'rawOutput'] as const) {
          if (update[field] !== undefined) view[field] = update[field];
        }
        const { terminal_output, terminal_output_delta, terminal_exit } = update._meta ?? {};
        for (const output of [terminal_output, terminal_output_delta]) {
          if (output !== undefined) view.terminal += output.data;
        }
        if (terminal_exit !== undefined) view.exit = terminal_exit.exit_code;
        break;
      }
      case 'terminal_output_chunk':
        write(
          update.terminalId,
          Buffer.concat([bytes.get(update.terminalId) ?? Buffer.alloc(0), Buffer.from(update.data, 'base64')]),
        );
        break;
      case 'terminal_update':
        if (update.output !== undefined) write(update.terminalId, Buffer.from(update.output.data, 'base64'));
        if (update.exitStatus !== undefined) tool(update.terminalId).exit = update.exitStatus.exitCode;
        break;
    }
  }
  return [...tools.values()];
}

/** The only tool call of these updates. */
export function toolCall(updates: readonly Json[]): ToolView {
  const [view, ...others] = toolCalls(updates);
  if (view === undefined || others.length > 0) {
    throw new Error(`Not exactly one tool call: ${JSON.stringify([view, ...others], null, 1)}`);
  }
  return view;
}

/** Tool calls that have no final status. */
export function openToolCalls(updates: readonly Json[]): ToolView[] {
  return toolCalls(updates).filter((view) => view.status !== 'completed' && view.status !== 'failed');
}

/** The text in the content of a tool call. */
export function contentText(view: ToolView): string {
  return view.content
    .filter((block) => block.type === 'content')
    .map((block) => block.content.text)
    .join('');
}

/** Everything of a command's output that the client shows, wherever it was put. */
export function shownOutput(view: ToolView): string {
  const raw = typeof view.rawOutput === 'string' ? view.rawOutput : '';
  return view.terminal + contentText(view) + raw;
}

export function messageText(updates: readonly Json[]): string {
  return textOf(updates, 'agent_message_chunk');
}

export function thoughtText(updates: readonly Json[]): string {
  return textOf(updates, 'agent_thought_chunk');
}

function textOf(updates: readonly Json[], kind: string): string {
  return updates
    .filter((update) => update.sessionUpdate === kind)
    .map((update) => update.content.text)
    .join('');
}
