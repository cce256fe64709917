import type { SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk/experimental/v2/unstable';
import { absolutePath, isAbsolutePath } from '../../domain/conversation/absolute-path.ts';
import {
  commandKind,
  commandLine,
  commandTitle,
  commandToolName,
  plainAction,
} from '../../domain/conversation/command-title.ts';
import { withoutShellWrapper } from '../../domain/conversation/shell-wrapper.ts';
import type { CommandItem } from '../../domain/thread/thread-item.ts';
import type { OutgoingUpdate } from '../acp/outgoing-update.ts';
import type { ToolReport } from '../acp/tool-report-filter.ts';
import { textContent } from './text-content.ts';

type Report = ToolReport<ToolCallContent>;

/*
 * Shell commands on v2 (S4 section 7, S4.110): a terminal command has a terminal of its own, which is told before the
 * tool call; a plain one shows its output as text when it ends. The terminal id is the tool call id (S4.41).
 */

/** True when the command is shown with a terminal (S4.37). */
export function hasTerminal(item: CommandItem): boolean {
  return plainAction(item.actions) === null;
}

/** Everything about a command's tool call but its status (S4.38 to S4.42). */
export function commandFacts(item: CommandItem): Report {
  const name = commandToolName(item.source);
  const action = plainAction(item.actions);
  const common: Report = {
    toolCallId: item.id,
    ...(name === null ? {} : { name }),
    kind: commandKind(item),
    title: commandTitle(item),
  };
  if (action === null) {
    const rawInput = { command: commandLine(item), cwd: item.cwd };
    return { ...common, rawInput, content: [{ type: 'terminal', terminalId: item.id }] };
  }
  const path = action.type === 'read' ? absolutePath(action.path, item.cwd) : null;
  return path === null ? common : { ...common, locations: [{ path }] };
}

/** The terminal of a command that starts. */
export function terminalStart(item: CommandItem): SessionUpdate {
  return {
    sessionUpdate: 'terminal_update',
    terminalId: item.id,
    command: withoutShellWrapper(commandLine(item)),
    ...(isAbsolutePath(item.cwd) ? { cwd: item.cwd } : {}),
  };
}

/** The end of a terminal; a whole output comes along only when nothing was streamed, because it replaces everything. */
export function terminalEnd(item: CommandItem, exitCode: number | null, output: string | null): SessionUpdate {
  return {
    sessionUpdate: 'terminal_update',
    terminalId: item.id,
    exitStatus: { exitCode, signal: null },
    ...(output === null || output === '' ? {} : { output: { data: base64(output) } }),
  };
}

/** A piece of a terminal's output; `null` without terminal. The hot path. */
export function terminalOutput(item: CommandItem, data: string): OutgoingUpdate<SessionUpdate> | null {
  if (data === '' || !hasTerminal(item)) return null;
  const terminalId = item.id;
  return {
    kind: 'chunk',
    key: `output:${terminalId}`,
    text: data,
    build: (text) => ({ sessionUpdate: 'terminal_output_chunk', terminalId, data: base64(text) }),
  };
}

/** What the end of a command adds to its tool call, but for the status (S4.140). */
export function commandEnd(item: CommandItem): Report {
  const name = commandToolName(item.source);
  const report: Report = { toolCallId: item.id, ...(name === null ? {} : { name }) };
  if (hasTerminal(item)) return report;
  const text = item.output === null || item.output === '' ? {} : { content: [textContent(item.output)] };
  return { ...report, rawOutput: { exit_code: item.exitCode }, ...text };
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
