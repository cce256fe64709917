import { stripVTControlCharacters } from 'node:util';
import { createTwoFilesPatch } from 'diff';
import type { Screen } from './screen.ts';

/** Any part of a frame, looked at with care: in a live run it comes from a real model. */
type Json = { readonly [key: string]: unknown };

interface Command {
  readonly command: string;
  readonly startedAt: number;
}

/** Prints what the agent tells about a turn, of ACP v1 and v2, in the order it comes. */
export class Transcript {
  readonly #screen: Screen;
  readonly #root: string;
  readonly #commands = new Map<string, Command>();
  readonly #shownDiffs = new Map<string, string>();
  readonly #ended = new Set<string>();
  readonly #streamed = new Map<string, string>();

  /** What was seen, for the end of the demo. */
  answer = '';
  edits = 0;
  exitCodes: number[] = [];
  commandOutput = '';

  constructor(screen: Screen, workspace: string) {
    this.#screen = screen;
    this.#root = workspace;
  }

  update(update: Json): void {
    switch (update.sessionUpdate) {
      case 'agent_thought_chunk':
        return this.#thought(update);
      case 'agent_message_chunk':
        return this.#message(update);
      case 'tool_call':
      case 'tool_call_update':
        return this.#tool(update);
      case 'terminal_update':
        return this.#terminal(update);
      case 'terminal_output_chunk':
        return this.#output(text(update.terminalId), decode(update.data));
      case 'notice':
        return this.#note(update);
      default:
        return;
    }
  }

  /** A path as the user knows it. */
  place(path: string): string {
    return path.startsWith(this.#root) ? path.slice(this.#root.length).replace(/^[\\/]+/, '') || '.' : path;
  }

  #thought(update: Json): void {
    const { style } = this.#screen;
    const words = text(object(update.content).text).replaceAll('**', '').replace(/\n+/g, '\n');
    this.#screen.flow(`thought ${text(update.messageId)}`, 'thinks', words, { label: style.dim, text: style.dim });
  }

  #message(update: Json): void {
    const { style } = this.#screen;
    const words = text(object(update.content).text);
    this.answer += words;
    this.#screen.flow(`message ${text(update.messageId)}`, 'Codex', words, { label: style.cyan, text: style.plain });
  }

  #note(update: Json): void {
    const { style } = this.#screen;
    const words = [text(update.title), text(update.description)].join(' ').replace(/\s+/g, ' ').trim();
    this.#screen.flow(`note ${words}`, 'note', words, { label: style.yellow, text: style.plain });
  }

  #tool(update: Json): void {
    const id = text(update.toolCallId);
    const meta = object(update._meta);
    const content = list(update.content).map(object);
    if (update.kind === 'execute') this.#command(id, text(object(update.rawInput).command) || text(update.title));
    else if (text(update.title) !== '' && update.kind !== 'edit' && !this.#commands.has(id)) this.#plain(id, update);
    for (const part of content) if (part.type === 'diff') this.#diff(id, part);
    const output = object(meta.terminal_output_delta ?? meta.terminal_output);
    this.#output(id, text(output.data));
    const exit = object(meta.terminal_exit);
    if ('exit_code' in exit) this.#exit(id, exit.exit_code);
    if (update.status === 'completed' || update.status === 'failed') this.#toolEnded(id, update, content);
  }

  #command(id: string, command: string): void {
    if (this.#commands.has(id)) return;
    this.#commands.set(id, { command, startedAt: performance.now() });
    const { style } = this.#screen;
    this.#screen.line('runs', `${style.dim('$')} ${style.bold(command)}`, style.blue);
  }

  /** Reading, searching and other things that have a title only. */
  #plain(id: string, update: Json): void {
    this.#commands.set(id, { command: text(update.title), startedAt: performance.now() });
    this.#screen.line(text(update.kind) || 'tool', text(update.title), this.#screen.style.blue);
  }

  #terminal(update: Json): void {
    const id = text(update.terminalId);
    if (text(update.command) !== '') this.#command(id, text(update.command));
    this.#wholeOutput(id, decode(object(update.output).data));
    const exit = object(update.exitStatus);
    if ('exitCode' in exit) this.#exit(id, exit.exitCode);
  }

  #output(id: string, output: string): void {
    if (output === '') return;
    this.commandOutput += output;
    this.#streamed.set(id, (this.#streamed.get(id) ?? '') + output);
    this.#screen.quote(`output ${id}`, stripVTControlCharacters(output));
  }

  /** It takes the place of what was streamed; on paper that can only be said. */
  #wholeOutput(id: string, output: string): void {
    const streamed = this.#streamed.get(id) ?? '';
    if (output === streamed) return;
    if (streamed !== '' && output !== '') this.#screen.line('', this.#screen.style.dim('│ in full:'));
    this.#output(id, output);
  }

  #exit(id: string, code: unknown): void {
    if (this.#ended.has(id)) return;
    this.#ended.add(id);
    if (typeof code === 'number') this.exitCodes.push(code);
    const { style } = this.#screen;
    const seconds = ((performance.now() - (this.#commands.get(id)?.startedAt ?? performance.now())) / 1000).toFixed(1);
    const result = code === 0 ? style.green('exit 0') : style.red(`exit ${String(code ?? 'unknown')}`);
    this.#screen.line('', `${style.dim('└')} ${result} ${style.dim(`after ${seconds} s`)}`);
  }

  #toolEnded(id: string, update: Json, content: readonly Json[]): void {
    if (this.#shownDiffs.has(id)) {
      const { style } = this.#screen;
      const done = update.status === 'completed';
      if (done) this.edits += 1;
      this.#screen.line('', `${style.dim('└')} ${done ? style.green('edited') : style.red('not edited')}`);
      return;
    }
    // A client without a channel for output gets it as text.
    for (const part of content) this.#output(id, text(object(part.content).text));
    const { exit_code: code } = object(update.rawOutput);
    if (typeof code === 'number') this.#exit(id, code);
  }

  #diff(id: string, part: Json): void {
    const patch = text(object(part.patch).text) || patchOf(part);
    const shown = this.#shownDiffs.get(id) ?? '';
    if (shown.includes(patch)) return;
    this.#shownDiffs.set(id, shown + patch);
    const paths = list(part.changes).map((change) => text(object(change).path));
    const path = text(part.path) || paths.join(', ');
    const { style } = this.#screen;
    this.#screen.line('edits', style.bold(this.place(path)), style.blue);
    for (const line of patch.slice(patch.search(/^@@/m)).split('\n')) {
      if (!/^[-+ ]/.test(line)) continue;
      const paint = line.startsWith('+') ? style.green : line.startsWith('-') ? style.red : style.dim;
      this.#screen.quote(`diff ${id}`, `${line}\n`, paint);
    }
  }
}

function patchOf(part: Json): string {
  return createTwoFilesPatch('before', 'after', text(part.oldText), text(part.newText), '', '', { context: 2 });
}

function decode(data: unknown): string {
  return Buffer.from(text(data), 'base64').toString('utf8');
}

function object(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
