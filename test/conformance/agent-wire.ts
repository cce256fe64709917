import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { AcpClient, AcpError, type Frame } from '../support/acp-client.ts';
import { type AcpVersion, validateAgentFrame } from '../support/acp-schema.ts';
import { agentEntry } from '../support/build-agent.ts';
import { unknownKeys } from './unknown-keys.ts';

/** What a row may wait for one thing; the agent answers in a fraction of it, also on a loaded machine. */
const LIMIT_MS = 15_000;

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** From the end of its input to its exit. */
  readonly afterMs: number;
}

export interface WireOptions {
  readonly version: AcpVersion;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * The agent as a process under judgement. `startAgent` of the integration tests takes for granted that the output is UTF-8
 * and JSON; here these are requirements, so bytes are decoded strictly and what does not fit is kept instead of thrown.
 */
export class AgentWire {
  readonly client: AcpClient;
  readonly child: ChildProcessWithoutNullStreams;
  /** Lines of stdout without their `\n`. */
  readonly lines: string[] = [];
  /** Output that is no line with one JSON-RPC 2.0 object in UTF-8. */
  readonly faults: string[] = [];
  /** Messages that do not fit the schema of the version. */
  readonly violations: string[] = [];
  /** Keys that the schema does not have, with their place (ACP-SCHEMA-002). */
  readonly foreignKeys = new Set<string>();
  readonly exited: Promise<Exit>;
  /** Answers a request of the agent; `undefined` leaves it open. */
  onRequest: (frame: Frame) => unknown = () => undefined;
  stderr = '';
  readonly version: AcpVersion;
  /** Methods of the requests that were sent, by id, and those without a response. */
  readonly #methods = new Map<string, string>();
  readonly #open = new Set<string>();
  readonly #strays: { readonly at: number; readonly frame: Frame }[] = [];
  #rest: Buffer[] = [];
  #inputEndedAt = 0;

  constructor(options: WireOptions) {
    this.version = options.version;
    this.child = spawn(process.execPath, [agentEntry], { env: { ...process.env, ...options.env } });
    this.client = new AcpClient({
      write: (text) => this.write(text),
      end: () => this.child.stdin.end(),
    });
    this.client.onFrame = (frame) => this.#judge(frame);
    this.client.onRequest = (frame) => this.onRequest(frame);
    this.child.stdin.on('error', () => undefined);
    this.child.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    // `close` comes after the last byte of stdout, `exit` may come before it.
    this.exited = once(this.child, 'close').then(([code, signal]) => {
      if (this.#rest.length > 0) this.faults.push(`output without line end: ${Buffer.concat(this.#rest).toString()}`);
      this.client.disconnected(`The agent is gone: ${String(code ?? signal)} ${this.stderr.slice(-500)}`);
      return { code, signal, afterMs: performance.now() - this.#inputEndedAt };
    });
  }

  get received(): readonly Frame[] {
    return this.client.received;
  }

  /** The position behind the last message: what comes later has at least this index. */
  get now(): number {
    return this.client.received.length;
  }

  initialize(params: unknown): Promise<Frame['result']> {
    return this.within(this.client.request('initialize', params), 'the answer to initialize');
  }

  /** A request whose result is wanted. */
  request(method: string, params?: unknown): Promise<Frame['result']> {
    return this.within(this.client.request(method, params), `the answer to ${method}`);
  }

  /** The code of the error that a request gets; 0 when it succeeds. */
  refusal(method: string, params?: unknown): Promise<number> {
    return this.request(method, params).then(
      () => 0,
      (error: unknown) => {
        if (error instanceof AcpError) return error.code;
        throw error;
      },
    );
  }

  /** A request with an id of any shape; resolves with the whole response. */
  async ask(id: number | string | null, method: string, params?: unknown): Promise<Frame> {
    const from = this.now;
    this.client.send({ jsonrpc: '2.0', id, method, params });
    return this.until((frame) => frame.method === undefined && frame.id === id, `a response with the id ${id}`, from);
  }

  notify(method: string, params?: unknown): void {
    this.client.notify(method, params);
  }

  /** Sends lines as they are, and waits for as many messages that answer no request (`id: null`). */
  async refusals(lines: readonly string[], count = lines.length): Promise<readonly Frame[]> {
    const from = this.now;
    for (const line of lines) this.write(`${line}\n`);
    const replies = (): readonly Frame[] => this.responses(from).filter(({ id }) => id === null);
    await this.until(() => replies().length >= count, `${count} responses without id`, from);
    return replies();
  }

  /** The first message that matches, of those from a position on. */
  until(matches: (frame: Frame) => boolean, what: string, from = 0): Promise<Frame> {
    return this.within(this.client.waitFor(matches, from), what);
  }

  /** The result, or an error that tells what was awaited, when the agent ends or stays silent. */
  async within<T>(promise: Promise<T>, what: string, limitMs = LIMIT_MS): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const fail = (reason: string): void => {
        const last = this.lines.slice(-6).map((line) => line.slice(0, 400));
        reject(new Error(`${reason} before ${what}; last messages:\n${last.join('\n')}`));
      };
      timer = setTimeout(() => fail(`${limitMs} ms passed`), limitMs);
      this.exited.then(({ code, signal }) => fail(`The agent ended (${code ?? signal})`)).catch(reject);
    });
    late.catch(() => undefined);
    try {
      return await Promise.race([promise, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Responses from a position on. */
  responses(from = 0): readonly Frame[] {
    return this.received.slice(from).filter(({ method }) => method === undefined);
  }

  /** Responses from a position on that belong to no open request. */
  strays(from: number): readonly Frame[] {
    return this.#strays.filter(({ at }) => at >= from).map(({ frame }) => frame);
  }

  /** Updates of sessions that the client does not know, and those without a session. */
  foreignUpdates(): readonly Frame[] {
    const known = new Set(this.responses().map(({ result }) => result?.sessionId));
    return this.received.filter(
      ({ method, params }) =>
        method === 'session/update' && (params?.sessionId === undefined || !known.has(params.sessionId)),
    );
  }

  /** Updates of a session from a position on. */
  updates(sessionId: string, from = 0): readonly Frame['params'][] {
    return this.client.updates(sessionId, from);
  }

  /** Everything about a session from a position on: updates and requests. */
  about(sessionId: string, from = 0): readonly Frame[] {
    return this.received.slice(from).filter(({ params }) => params?.sessionId === sessionId);
  }

  write(data: string | Buffer): void {
    for (const line of String(data).split('\n')) this.#note(line);
    if (this.child.stdin.writable) this.child.stdin.write(data);
  }

  /** Ends the agent's input and waits for its exit. */
  stop(): Promise<Exit> {
    this.#inputEndedAt = performance.now();
    this.client.end();
    return this.exited;
  }

  /** Kills the app-server, which is a process below the agent. */
  killCodex(): void {
    const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
    const below = rows
      .map((row) => row.trim().split(/\s+/).map(Number))
      .filter(([, parent]) => parent === this.child.pid);
    for (const [pid] of below) if (pid !== undefined) process.kill(pid, 'SIGKILL');
  }

  /** Notes which method a response with that id belongs to. */
  #note(line: string): void {
    if (!line.includes('"method"')) return;
    const message = parse(line);
    if (typeof message?.method !== 'string' || message.id === undefined) return;
    const id = JSON.stringify(message.id);
    this.#methods.set(id, message.method);
    this.#open.add(id);
  }

  #receive(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      this.#line(Buffer.concat([...this.#rest, chunk.subarray(start, end)]));
      this.#rest = [];
      start = end + 1;
    }
    if (start < chunk.length) this.#rest.push(chunk.subarray(start));
  }

  #line(bytes: Buffer): void {
    const text = bytes.toString('utf8');
    this.lines.push(text);
    if (!Buffer.from(text).equals(bytes)) this.faults.push(`not UTF-8: ${bytes.toString('latin1')}`);
    const message = parse(text);
    if (message?.jsonrpc !== '2.0') this.faults.push(`no JSON-RPC object: ${text}`);
    else this.client.receive(text);
  }

  #judge(frame: Frame): void {
    const id = JSON.stringify(frame.id);
    const method = frame.method ?? this.#methods.get(id);
    if (frame.method === undefined && !this.#open.delete(id)) this.#strays.push({ at: this.now - 1, frame });
    for (const violation of validateAgentFrame(this.version, frame, method)) {
      this.violations.push(`${violation} in ${JSON.stringify(frame).slice(0, 600)}`);
    }
    for (const key of unknownKeys(this.version, frame, method)) this.foreignKeys.add(key);
  }
}

interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
}

/** The line as a JSON object; `undefined` for anything else. */
function parse(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
