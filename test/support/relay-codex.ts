import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { transformSync } from 'esbuild';
import { currentSurroundings, locateCodex } from '../../src/adapters/codex-app-server/codex-executable.ts';
import { type LineMatch, otherSide, type RelayLine, RelayRules, type RuleStart } from './relay-rules.ts';

/*
 * A Codex that the test holds in its hand: an executable for `CODEX_PATH` that passes every line between the agent and
 * the real `codex app-server` through the test, or plays a broken Codex without one. POSIX only.
 *
 *     const relay = await createRelayCodex();
 *     relay.onStart = (codex) => codex.exit(3, 'out of luck');          // cannot start
 *     relay.onStart = () => undefined;                                   // never answers
 *     relay.onStart = (codex) => codex.relay((message, from) =>          // loses the end of turns
 *       from === 'codex' && message.method === 'turn/completed' ? null : message);
 *
 * Single lines of a process that works are dropped, delayed, duplicated, rewritten and injected by rules, made before or
 * while it runs; see `relay-rules.ts`:
 *
 *     const codex = await relay.process(0);
 *     const end = codex.on('codex', 'turn/completed').once().delay();
 *     await end.met; … end.release();
 *     codex.inject('agent', { method: 'turn/completed', params });
 *     codex.die();
 */

/** What the program tells the test. */
export type RelayReport =
  | { readonly type: 'started'; readonly pid: number; readonly args: readonly string[] }
  | { readonly type: 'line'; readonly from: RelaySide; readonly text: string }
  /** The agent closed the input. */
  | { readonly type: 'inputEnded' }
  | { readonly type: 'ignoring' }
  | { readonly type: 'codexStarted'; readonly pid: number }
  | { readonly type: 'codexEnded'; readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** What the test tells the program. */
export type RelayCommand =
  | { readonly type: 'start'; readonly command: string; readonly args: readonly string[] }
  | { readonly type: 'line'; readonly to: RelaySide; readonly text: string }
  | { readonly type: 'endCodex' }
  | { readonly type: 'stderr'; readonly text: string }
  | { readonly type: 'ignoreTermination' }
  | { readonly type: 'exit'; readonly code: number | null; readonly signal: NodeJS.Signals | null };

export type RelaySide = 'agent' | 'codex';

/** One message of the app-server protocol. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into messages freely
export type AppServerMessage = Record<string, any>;

/** What goes on instead of a message: itself, another, several, or nothing (`null`). */
export type RelayFilter = (
  message: AppServerMessage,
  from: RelaySide,
) => AppServerMessage | readonly AppServerMessage[] | null;

export interface RelayCodex {
  /** The value of `CODEX_PATH`. */
  readonly path: string;
  /** Every process that the agent started, oldest first. */
  readonly processes: readonly RelayedCodex[];
  /** What a process does; to be set before it starts. Default: pass everything on, unchanged. */
  onStart: (codex: RelayedCodex) => void;
  /** The n-th process, from 0, as soon as it is there. */
  process(index: number): Promise<RelayedCodex>;
  dispose(): Promise<void>;
}

/** How long `settled` waits. What needs longer has hung; it costs a start of another process. */
const settleLimitMs = 5_000;

interface Passed {
  readonly from: RelaySide;
  readonly message: AppServerMessage;
}

interface Waiter {
  readonly matches: (passed: Passed) => boolean;
  readonly resolve: (message: AppServerMessage) => void;
}

/** One process that stands in for `codex app-server`. */
export class RelayedCodex {
  /** Process id of the relay, which is the one that the agent knows. */
  readonly pid: number;
  readonly args: readonly string[];
  /** All messages as they were read, before the filter. */
  readonly messages: Passed[] = [];
  /** The agent closed the input of this process. */
  readonly inputEnded: Promise<void>;
  /** The agent ended or lost this process. */
  readonly gone: Promise<void>;
  readonly #socket: Socket;
  readonly #events = new Map<RelayReport['type'], (report: RelayReport) => void>();
  readonly #rules = new RelayRules({
    send: (to, line) => this.inject(to, line),
    die: (end, stderr) => this.exit(end, stderr),
  });
  #filter: RelayFilter | null = null;
  /** Ids of requests of the agent that reached Codex and that neither Codex nor the test has answered. */
  readonly #unanswered = new Set<unknown>();
  /** Threads that were forgotten, and the requests about them that have no answer yet. */
  readonly #forgotten = new Set<unknown>();
  readonly #forgottenRequests = new Set<string>();
  #endsWithCodex = true;
  #waiters: Waiter[] = [];

  constructor(socket: Socket, started: Extract<RelayReport, { type: 'started' }>) {
    this.#socket = socket;
    this.pid = started.pid;
    this.args = started.args;
    this.inputEnded = this.#first('inputEnded').then(() => undefined);
    this.gone = new Promise((resolve) => socket.once('close', () => resolve()));
  }

  /**
   * Starts the real Codex (or the given command in its place) and passes messages on, both ways, until either side ends.
   * A message that no rule takes goes through the filter.
   */
  relay(filter: RelayFilter = (message) => message, command?: readonly [command: string, ...args: string[]]): void {
    this.#filter = filter;
    this.#start(command);
    void this.inputEnded.then(() => this.#do({ type: 'endCodex' }));
    void this.#first('codexEnded').then((ended) => {
      if (ended.type !== 'codexEnded' || !this.#endsWithCodex) return;
      this.#do({ type: 'exit', code: ended.code, signal: ended.signal });
    });
  }

  /** A rule for requests and notifications that one side sends; in force as soon as it has an action. */
  on(from: RelaySide, match: LineMatch): RuleStart {
    return this.#rules.on(from, match);
  }

  /** A rule for one side's answers to requests of the method. */
  onAnswer(from: RelaySide, method: string): RuleStart {
    return this.#rules.onAnswer(from, method);
  }

  /** A line of the test's own, past rules and filter. */
  inject(to: RelaySide, line: RelayLine): void {
    if (typeof line === 'string') this.sendLine(to, line);
    else this.send(to, line);
  }

  #asked(line: RelayLine): void {
    if (typeof line === 'string' || line['method'] === undefined || line['id'] === undefined) return;
    this.#unanswered.add(line['id']);
  }

  #answered(message: AppServerMessage): void {
    if (message['method'] === undefined && message['id'] !== undefined) this.#unanswered.delete(message['id']);
  }

  /** The process dies as in a crash, after everything that was sent before. */
  die(stderr = ''): void {
    this.exit('SIGKILL', stderr);
  }

  /** This process goes on when the real Codex behind it ends. */
  outliveCodex(): void {
    this.#endsWithCodex = false;
  }

  /** A message of ours, past the filter. */
  send(to: RelaySide, message: AppServerMessage): void {
    if (to === 'agent') this.#answered(message);
    this.sendLine(to, JSON.stringify(message));
  }

  /** Any text as a line. */
  sendLine(to: RelaySide, text: string): void {
    this.#do({ type: 'line', to, text });
  }

  /** The first message from that side that matches, of those read or still to come. */
  waitFor(from: RelaySide, matches: (message: AppServerMessage) => boolean): Promise<AppServerMessage> {
    const fits = (passed: Passed): boolean => passed.from === from && matches(passed.message);
    const found = this.messages.find(fits);
    if (found !== undefined) return Promise.resolve(found.message);
    return this.#passes(from, matches);
  }

  /** The next message from that side that matches. */
  #passes(from: RelaySide, matches: (message: AppServerMessage) => boolean): Promise<AppServerMessage> {
    const fits = (passed: Passed): boolean => passed.from === from && matches(passed.message);
    return new Promise((resolve) => this.#waiters.push({ matches: fits, resolve }));
  }

  /** No rule takes lines any more; lines that are held are lost. */
  endRules(): void {
    this.#rules.endAll();
  }

  /**
   * Waits until nothing is under way: every turn that began has ended or its thread was let go, every request that reached
   * Codex has an answer. `false` when that does not happen, or the process is gone.
   */
  async settled(): Promise<boolean> {
    const limit = delay(settleLimitMs, 'late' as const, { ref: false });
    const gone = this.gone.then(() => 'gone' as const);
    while (this.#underWay()) {
      const next = this.#passes('codex', () => true).then(() => 'next' as const);
      if ((await Promise.race([next, limit, gone])) !== 'next') return false;
    }
    return !this.#socket.destroyed;
  }

  #underWay(): boolean {
    if (this.#unanswered.size > 0) return true;
    const turns = new Map<string, string>();
    const letGo = new Set<string>();
    for (const { from, message } of this.messages) {
      const { method, params } = message;
      if (from === 'agent' && method === 'thread/unsubscribe') letGo.add(params.threadId);
      if (from === 'codex' && method === 'turn/started') turns.set(params.turn.id, params.threadId);
      if (from === 'codex' && method === 'turn/completed') turns.delete(params.turn.id);
    }
    // Nothing is told about a thread that the agent has let go of.
    return [...turns.values()].some((threadId) => !letGo.has(threadId));
  }

  /** The messages until now are not shown any more, nor does a rule or a wait see what still comes of their threads. */
  forget(): void {
    for (const { message } of this.messages) for (const id of threadsOf(message)) this.#forgotten.add(id);
    this.messages.length = 0;
    this.#waiters = [];
  }

  #isForgotten(from: RelaySide, message: AppServerMessage): boolean {
    const { id, method } = message;
    if (method === undefined) return this.#forgottenRequests.delete(`${otherSide(from)} ${id}`);
    if (!threadsOf(message).some((thread) => this.#forgotten.has(thread))) return false;
    if (id !== undefined) this.#forgottenRequests.add(`${from} ${id}`);
    return true;
  }

  stderr(text: string): void {
    this.#do({ type: 'stderr', text });
  }

  /** Ends the process, after everything that was sent before. */
  exit(end: number | NodeJS.Signals, stderr = ''): void {
    if (stderr !== '') this.stderr(stderr);
    const byCode = typeof end === 'number';
    this.#do({ type: 'exit', code: byCode ? end : null, signal: byCode ? null : end });
  }

  /** From now on only SIGKILL ends it. */
  async ignoreTermination(): Promise<void> {
    const ignoring = this.#first('ignoring');
    this.#do({ type: 'ignoreTermination' });
    await ignoring;
  }

  /** Called for every report of the program. */
  receive(report: RelayReport): void {
    this.#events.get(report.type)?.(report);
    if (report.type !== 'line') return;
    const message = JSON.parse(report.text) as AppServerMessage;
    if (this.#isForgotten(report.from, message)) return this.inject(otherSide(report.from), message);
    const passed: Passed = { from: report.from, message };
    this.messages.push(passed);
    if (report.from === 'codex') this.#answered(message);
    if (this.#filter !== null) {
      const lines = this.#rules.apply(message, report.from) ?? [this.#filter(message, report.from) ?? []].flat();
      for (const line of lines) {
        if (report.from === 'agent') this.#asked(line);
        this.inject(otherSide(report.from), line);
      }
    }
    const waiting = this.#waiters;
    this.#waiters = waiting.filter((waiter) => !waiter.matches(passed));
    for (const waiter of waiting) if (waiter.matches(passed)) waiter.resolve(message);
  }

  #start(command: readonly [command: string, ...args: string[]] | undefined): void {
    if (command === undefined) {
      const codex = locateCodex(null, currentSurroundings(process.env));
      this.#do({ type: 'start', command: codex.command, args: codex.args });
    } else {
      const [program, ...args] = command;
      this.#do({ type: 'start', command: program, args });
    }
  }

  #first(type: RelayReport['type']): Promise<RelayReport> {
    return new Promise((resolve) => this.#events.set(type, resolve));
  }

  #do(command: RelayCommand): void {
    if (!this.#socket.destroyed) this.#socket.write(`${JSON.stringify(command)}\n`);
  }
}

/** The threads that a message names. */
function threadsOf({ params, result }: AppServerMessage): string[] {
  return [params?.threadId, params?.thread?.id, result?.thread?.id].filter((id) => typeof id === 'string');
}

export async function createRelayCodex(): Promise<RelayCodex> {
  const relay = new Relay();
  await relay.listen();
  return relay;
}

class Relay implements RelayCodex {
  readonly processes: RelayedCodex[] = [];
  path = '';
  onStart: (codex: RelayedCodex) => void = (codex) => codex.relay();
  readonly #folder = mkdtempSync(join(tmpdir(), 'relay-codex-'));
  readonly #server: Server = createServer((socket) => this.#accept(socket));
  readonly #sockets = new Set<Socket>();
  #waiters: { readonly index: number; readonly resolve: (codex: RelayedCodex) => void }[] = [];

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const { port } = this.#server.address() as AddressInfo;
    this.path = join(this.#folder, 'codex.cjs');
    writeFileSync(this.path, program(port), { mode: 0o755 });
  }

  process(index: number): Promise<RelayedCodex> {
    const started = this.processes[index];
    if (started !== undefined) return Promise.resolve(started);
    return new Promise((resolve) => this.#waiters.push({ index, resolve }));
  }

  async dispose(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    let codex: RelayedCodex | null = null;
    let rest = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const report = JSON.parse(line) as RelayReport;
        if (report.type === 'started') codex = this.#started(socket, report);
        else codex?.receive(report);
      }
    });
  }

  #started(socket: Socket, report: Extract<RelayReport, { type: 'started' }>): RelayedCodex {
    const codex = new RelayedCodex(socket, report);
    const index = this.processes.push(codex) - 1;
    this.onStart(codex);
    const waiting = this.#waiters;
    this.#waiters = waiting.filter((waiter) => waiter.index !== index);
    for (const waiter of waiting) if (waiter.index === index) waiter.resolve(codex);
    return codex;
  }
}

/** The program as one script that the system can start. */
function program(port: number): string {
  const source = readFileSync(new URL('relay-codex-program.ts', import.meta.url), 'utf8');
  const { code } = transformSync(source, {
    loader: 'ts',
    format: 'cjs',
    target: 'node20',
    define: { RELAY_PORT: String(port) },
  });
  return `#!${process.execPath}\n${code}`;
}
