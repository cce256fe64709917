import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { currentSurroundings, locateCodex } from '../../src/adapters/codex-app-server/codex-executable.ts';
import { AcpClient, AcpError, type Frame } from './acp-client.ts';
import type { CodexHome } from './codex-home.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into frames freely
type Json = any;

/** How long a wait lasts before it fails with a list of what came instead. */
const waitLimitMs = 20_000;

/** A JSON-RPC error as Codex answers it. */
export interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/**
 * The real `codex app-server` without the adapter: what it says by itself is what the adapter must live with.
 *
 *     const codex = await AppServerClient.start(home);
 *     const { thread } = await codex.call('thread/start', { cwd });
 *     await codex.waitFor('the end', (frame) => frame.method === 'turn/completed');
 */
export class AppServerClient {
  readonly #child: ChildProcess;
  readonly #rpc: AcpClient;
  readonly #exited: Promise<void>;
  readonly #asked = new Map<number, string>();
  #stderr = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#rpc = new AcpClient({
      write: (line) => {
        if (child.stdin?.writable) child.stdin.write(line);
      },
      end: () => child.stdin?.end(),
    });
    child.stdin?.on('error', () => undefined);
    let rest = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#rpc.receive(line);
    });
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      this.#stderr += chunk;
    });
    this.#exited = once(child, 'exit').then(([code, signal]) => {
      this.#rpc.disconnected(`Codex exited with ${String(code ?? signal)}: ${this.#stderr.slice(-1000)}`);
    });
  }

  /** Starts Codex in that home and introduces a client, with the experimental methods that the adapter asks for. */
  static async start(home: CodexHome): Promise<AppServerClient> {
    const { command, args } = locateCodex(null, currentSurroundings(process.env));
    const child = spawn(command, [...args, 'app-server'], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...home.env },
    });
    const client = new AppServerClient(child);
    await client.call('initialize', {
      clientInfo: { name: 'facts', title: 'Facts', version: '1' },
      capabilities: { experimentalApi: true },
    });
    client.#rpc.notify('initialized', {});
    return client;
  }

  /** Every frame of Codex in arrival order: answers, notifications, requests. */
  get received(): readonly Frame[] {
    return this.#rpc.received;
  }

  /** Answers requests of Codex (approvals, questions); `undefined` leaves one open. */
  set onRequest(handler: (frame: Frame) => unknown) {
    this.#rpc.onRequest = handler;
  }

  /** A request whose answer must be a success; `id` finds its answer among the frames. */
  call(method: string, params: Json): Promise<Json> & { readonly id: number } {
    const request = this.#rpc.request(method, params);
    this.#asked.set(request.id, method);
    return Object.assign(this.#inTime(`answer to ${method}`, request), { id: request.id });
  }

  /** The method of the request that this frame answers; `null` for every other frame. */
  answered(frame: Frame): string | null {
    return frame.method === undefined && typeof frame.id === 'number' ? (this.#asked.get(frame.id) ?? null) : null;
  }

  /** A request that Codex must refuse. */
  async refusal(method: string, params: Json): Promise<Refusal> {
    const result = await this.call(method, params).catch((error: unknown) => error);
    if (!(result instanceof AcpError)) throw new Error(`${method} was not refused: ${JSON.stringify(result)}`);
    const { code, message, data } = result;
    return { code, message, ...(data === undefined ? {} : { data }) };
  }

  /** The first frame from position `from` on that matches, of those received or still to come. */
  waitFor(what: string, matches: (frame: Frame) => boolean, from = 0): Promise<Frame> {
    return this.#inTime(what, this.#rpc.waitFor(matches, from));
  }

  /** Ends the input of Codex and waits for its exit. */
  async stop(): Promise<void> {
    this.#rpc.end();
    const timer = new AbortController();
    const late = delay(waitLimitMs, undefined, { signal: timer.signal }).then(() => this.#child.kill('SIGKILL'));
    late.catch(() => undefined);
    await this.#exited;
    timer.abort();
  }

  async #inTime<T>(what: string, wait: Promise<T>): Promise<T> {
    const timer = new AbortController();
    const late = delay(waitLimitMs, undefined, { signal: timer.signal }).then(() => {
      const last = this.received.slice(-15).map((frame) => `  ${JSON.stringify(frame).slice(0, 400)}`);
      throw new Error(`No ${what} within ${waitLimitMs} ms. Last frames:\n${last.join('\n')}\n${this.#stderr}`);
    });
    late.catch(() => undefined);
    try {
      return await Promise.race([wait, late]);
    } finally {
      timer.abort();
    }
  }
}
