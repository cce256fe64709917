import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import spawn from 'cross-spawn';

/** A line with text of the model, and when it arrived. */
export interface TextLine {
  readonly at: number;
  readonly line: Buffer;
}

export interface RpcMessage {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message?: unknown };
}

export interface LineClientOptions {
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** A line with these bytes carries text of the model: it is kept and not parsed, so that reading costs little. */
  readonly textMark: string;
  readonly onNotification: (message: RpcMessage) => void;
}

const NEWLINE = 0x0a;
const METHOD_NOT_FOUND = -32601;
/** For a request; the longest turn has a limit of its own. */
const ANSWER_LIMIT_MS = 60_000;
const STDERR_KEPT = 4000;

/** JSON-RPC with a child process, one message a line, made to disturb what it measures as little as possible. */
export class LineClient {
  readonly startedAt = performance.now();
  readonly child: ChildProcess;
  readonly #options: LineClientOptions;
  readonly #pending = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  readonly #exited: Promise<unknown>;
  #textLines: TextLine[] = [];
  #rest: Buffer[] = [];
  #stderr = '';
  #nextId = 1;

  constructor(options: LineClientOptions) {
    this.#options = options;
    const [command = '', ...args] = options.command;
    this.child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: options.env, cwd: options.cwd });
    this.#exited = once(this.child, 'exit').catch(() => undefined);
    this.child.on('error', (error) => this.#gone(error.message));
    this.child.on('exit', (code, signal) => this.#gone(`it ended with ${String(code ?? signal)}`));
    this.child.stdin?.on('error', () => undefined);
    this.child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_KEPT);
    });
  }

  async request(method: string, params: unknown, limitMs = ANSWER_LIMIT_MS): Promise<unknown> {
    const id = this.#nextId;
    this.#nextId += 1;
    const { promise, settle } = limited(limitMs, () => this.problem(`no answer to ${method} within ${limitMs} ms`));
    this.#pending.set(id, settle);
    this.#send({ jsonrpc: '2.0', id, method, params });
    return promise;
  }

  notify(method: string): void {
    this.#send({ jsonrpc: '2.0', method });
  }

  /** The lines with text that came since the last call. */
  takeText(): readonly TextLine[] {
    const lines = this.#textLines;
    this.#textLines = [];
    return lines;
  }

  problem(what: string): Error {
    return new Error(`${this.#options.command.join(' ')}: ${what}\n${this.#stderr}`.trimEnd());
  }

  /** Ends its input and waits for its exit; it is killed when it does not end. */
  async end(limitMs: number): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null || this.child.pid === undefined) return;
    this.child.stdin?.end();
    const timer = setTimeout(() => this.child.kill('SIGKILL'), limitMs);
    await this.#exited;
    clearTimeout(timer);
  }

  #send(message: object): void {
    this.child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  #read(chunk: Buffer): void {
    const at = performance.now();
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#rest.push(chunk.subarray(start, end));
      this.#line(this.#rest.length === 1 ? chunk.subarray(start, end) : Buffer.concat(this.#rest), at);
      this.#rest = [];
      start = end + 1;
    }
    if (start < chunk.length) this.#rest.push(chunk.subarray(start));
  }

  #line(line: Buffer, at: number): void {
    if (line.includes(this.#options.textMark)) this.#textLines.push({ at, line });
    else if (line.length > 0) this.#message(JSON.parse(line.toString('utf8')) as RpcMessage);
  }

  #message(message: RpcMessage): void {
    const { id } = message;
    if (message.method === undefined) {
      const pending = typeof id === 'number' ? this.#pending.get(id) : undefined;
      if (pending === undefined || typeof id !== 'number') return;
      this.#pending.delete(id);
      if (message.error === undefined) pending.resolve(message.result);
      else pending.reject(this.problem(`it answered with an error: ${JSON.stringify(message.error)}`));
    } else if (id === undefined) {
      this.#options.onNotification(message);
    } else {
      this.#send({ jsonrpc: '2.0', id, error: { code: METHOD_NOT_FOUND, message: 'The bench offers nothing' } });
    }
  }

  #gone(why: string): void {
    for (const { reject } of this.#pending.values()) reject(this.problem(why));
    this.#pending.clear();
  }
}

/** A promise that fails when it is not settled in time. */
export function limited(ms: number, problem: () => Error) {
  let settle = { resolve: (_: unknown): void => undefined, reject: (_: Error): void => undefined };
  const promise = new Promise<unknown>((resolve, reject) => {
    const timer = setTimeout(() => reject(problem()), ms);
    settle = {
      resolve: (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      reject: (error) => {
        clearTimeout(timer);
        reject(error);
      },
    };
  });
  return { promise, settle };
}
