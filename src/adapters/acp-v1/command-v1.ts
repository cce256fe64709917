import type { SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk/unstable';
import type { ClientProfile } from '../../domain/client/client-profile.ts';
import {
  commandKind,
  commandLine,
  commandTitle,
  commandToolName,
  plainAction,
} from '../../domain/conversation/command-title.ts';
import { finalOutput } from '../../domain/conversation/final-output.ts';
import type { CommandItem } from '../../domain/thread/thread-item.ts';
import type { OutgoingUpdate } from '../acp/outgoing-update.ts';
import type { ToolReport } from '../acp/tool-report-filter.ts';
import { textContent } from './text-content.ts';

type Report = ToolReport<ToolCallContent>;
type Meta = Record<string, unknown>;

/** The end of a command: what is said of the call, and what goes into its terminal. */
export interface CommandEnd {
  readonly report: Report;
  readonly terminal: Meta;
}

/**
 * Shell commands for a v1 client (S4 section 7, S12.1). Where output goes is the client's choice: one of two `_meta`
 * channels, text snapshots for a client that cannot show our terminals, or nowhere.
 */
export class CommandReportsV1 {
  readonly #air: boolean;
  /** Key of `_meta` that carries output. */
  readonly #channel: 'terminal_output' | 'terminal_output_delta' | null;
  readonly #snapshots: boolean;

  constructor(profile: ClientProfile) {
    this.#air = profile.air !== null;
    this.#snapshots = profile.commandOutput === 'snapshots';
    this.#channel =
      profile.commandOutput === 'delta'
        ? 'terminal_output_delta'
        : profile.commandOutput === 'terminal'
          ? 'terminal_output'
          : null;
  }

  /** Everything about a command but its status (S4.38 to S4.41). */
  facts(item: CommandItem): Report {
    const name = commandToolName(item.source);
    const action = plainAction(item.actions);
    const common: Report = {
      toolCallId: item.id,
      ...(name === null ? {} : { name }),
      kind: commandKind(item),
      title: commandTitle(item),
    };
    if (action !== null) {
      return action.type === 'read' ? { ...common, locations: [{ path: action.path }] } : common;
    }
    const rawInput = { command: commandLine(item), cwd: item.cwd };
    if (this.#snapshots) return { ...common, rawInput };
    return {
      ...common,
      rawInput,
      content: [{ type: 'terminal', terminalId: item.id }],
      _meta: { terminal_info: { cwd: item.cwd, terminal_id: item.id } },
    };
  }

  /** A piece of output; `null` when it goes nowhere. The hot path. */
  output(item: CommandItem, data: string): OutgoingUpdate<SessionUpdate> | null {
    const channel = this.#channelOf(item);
    if (channel === null || data === '') return null;
    const toolCallId = item.id;
    return {
      kind: 'chunk',
      key: `output:${toolCallId}`,
      text: data,
      build: (text) => ({
        sessionUpdate: 'tool_call_update',
        toolCallId,
        _meta: { [channel]: { data: text, terminal_id: toolCallId } },
      }),
    };
  }

  /** What the agent typed into a running command (S4.140); snapshots hold it already. */
  input(item: CommandItem, stdin: string): OutgoingUpdate<SessionUpdate> | null {
    if (!this.#air) return this.output(item, `\n${stdin}\n`);
    if (plainAction(item.actions) !== null) return null;
    const meta = { terminal_input: { data: stdin, terminal_id: item.id } };
    return {
      kind: 'update',
      update: { sessionUpdate: 'tool_call_update', toolCallId: item.id, _meta: meta },
    };
  }

  /** The tail of a running command; `null` for a client that gets the output itself (S12.1). */
  snapshot(item: CommandItem, tail: string): Report | null {
    return this.#snapshots ? { toolCallId: item.id, content: [textContent(tail)] } : null;
  }

  /**
   * The end as far as output goes; nothing of the output comes twice (S4.45, S4.140, S12.1). What came before Codex began
   * to stream goes out here, because it must not be lost.
   */
  end(item: CommandItem, streamed: boolean, missed: string | undefined): CommandEnd {
    const output = item.output ?? '';
    const unsent = streamed ? (missed ?? '') : output;
    const name = commandToolName(item.source);
    const report: Report = { toolCallId: item.id, ...(name === null ? {} : { name }) };
    const channel = this.#channelOf(item);
    const action = plainAction(item.actions);
    const terminal: Meta =
      channel === null || unsent === '' ? {} : { [channel]: { data: unsent, terminal_id: item.id } };
    if (action === null && !this.#snapshots) {
      return { report, terminal: channel === null ? {} : { ...terminal, ...terminalExit(item.id, item.exitCode) } };
    }
    if (this.#air) {
      const shown = action !== null && action.type !== 'read' && output !== '';
      return { report: shown ? { ...report, rawOutput: output } : report, terminal };
    }
    const text = channel === null && output !== '' ? { content: [textContent(this.#whole(output))] } : {};
    return { report: { ...report, rawOutput: { exit_code: item.exitCode }, ...text }, terminal };
  }

  /** A forced end closes the terminal too (S4.56). */
  aborted(item: CommandItem): Meta {
    const terminal = plainAction(item.actions) === null && this.#channel !== null;
    return terminal ? terminalExit(item.id, null) : {};
  }

  #whole(output: string): string {
    return this.#snapshots ? finalOutput(output) : output;
  }

  /** Plain commands have no terminal; only a plain client with the delta channel gets their output there. */
  #channelOf(item: CommandItem): 'terminal_output' | 'terminal_output_delta' | null {
    if (plainAction(item.actions) === null) return this.#channel;
    return this.#channel === 'terminal_output_delta' && !this.#air ? this.#channel : null;
  }
}

function terminalExit(terminalId: string, exitCode: number | null): Meta {
  return { terminal_exit: { exit_code: exitCode, signal: null, terminal_id: terminalId } };
}
