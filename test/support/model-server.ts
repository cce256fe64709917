import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  failure,
  type HttpFailure,
  type Reply,
  type ReplyItem,
  type Scripted,
  text,
  toReply,
} from './model-replies.ts';
import { isObject, type ModelRequest, parseObject, readModelRequest, type SideKind } from './model-request.ts';
import { type DeltaMark, playReply, ReaderGone } from './model-stream.ts';

/**
 * A scripted OpenAI Responses server on 127.0.0.1: what the real Codex talks to in tests, demo and bench.
 *
 * Each ordinary model request takes the next scripted reply. A retry of Codex is a request like any other. Helper
 * requests (titles, suggestions, compaction, approval reviews) are answered aside.
 */

export interface RecordedRequest extends ModelRequest {
  /** Position among all requests of the server. */
  readonly index: number;
  /** `performance.now()` when the request had arrived. */
  readonly receivedAt: number;
  /** When each text delta of the answer was written. */
  readonly deltas: readonly DeltaMark[];
  /** How the answer ended: `sent` to the end of its body, or the connection was `gone` before (an interrupted turn). */
  readonly finished: Promise<'sent' | 'gone'>;
}

export type Responder = (request: RecordedRequest) => Scripted | undefined | Promise<Scripted | undefined>;

export interface ModelServerOptions {
  /** What `GET {base}/models` lists. */
  readonly models?: readonly string[];
  /** The answer when nothing is scripted. */
  readonly defaultText?: string;
  /** Models used by helper turns only (default `gpt-5.6-luna`): requests for them are answered aside as titles. */
  readonly sideModels?: readonly string[];
}

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

export interface ModelServer {
  /** For `base_url`: `http://127.0.0.1:<port>/v1`. */
  readonly baseUrl: string;
  /** Model requests, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** Those that are not answered aside. */
  readonly turnRequests: readonly RecordedRequest[];
  /** Every HTTP request, also `GET /models`. */
  readonly http: readonly HttpRequest[];
  /** Scripted replies not used yet. */
  readonly pending: number;
  /** Mistakes of the script, e.g. a tool that the request does not offer; the turn got an HTTP 400 with the text. */
  readonly scriptErrors: readonly Error[];
  /** Adds replies to the queue. */
  enqueue(...replies: readonly Scripted[]): void;
  /** Starts a new script: drops what is queued and the responder, then adds the replies. */
  script(...replies: readonly Scripted[]): void;
  /** Asked before the queue, for every ordinary request; `undefined` leaves the request to the queue. */
  respondWith(responder: Responder | undefined): void;
  /** The answer to helper requests of a kind; `undefined` makes them ordinary requests. */
  aside(kind: SideKind, answer: Scripted | undefined): void;
  /** What `GET {base}/models` answers from now on. */
  listModels(answer: readonly string[] | HttpFailure): void;
  /** The first request, of those recorded and those to come, that matches. */
  waitForRequest(predicate?: (request: RecordedRequest) => boolean, timeoutMs?: number): Promise<RecordedRequest>;
  /** As it was at its start: nothing recorded, nothing scripted. */
  reset(): void;
  close(): Promise<void>;
}

const SIDE_ANSWERS: Readonly<Record<SideKind, string>> = {
  title: JSON.stringify({ title: 'Scripted title' }),
  suggestion: JSON.stringify({ suggestion: 'Run the tests' }),
  compaction: 'Summary of the work so far.',
  guardian: JSON.stringify({ risk_level: 'low', user_authorization: 'high', outcome: 'allow', rationale: 'Scripted.' }),
};

export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const server = new ScriptedServer(options);
  await server.listen();
  return server;
}

interface Waiter {
  readonly matches: (request: RecordedRequest) => boolean;
  readonly resolve: (request: RecordedRequest) => void;
}

class ScriptedServer implements ModelServer {
  readonly requests: RecordedRequest[] = [];
  readonly http: HttpRequest[] = [];
  readonly scriptErrors: Error[] = [];
  baseUrl = '';
  private queue: Scripted[] = [];
  private responder: Responder | undefined;
  private readonly sideAnswers = new Map<SideKind, Scripted>();
  private readonly waiters = new Set<Waiter>();
  private models: readonly string[] | HttpFailure;
  private readonly modelsAtStart: readonly string[];
  private readonly sideModels: readonly string[];
  private readonly defaultReply: ReplyItem;
  /** Makes ids unique between servers: a thread can meet several of them. */
  private readonly tag = randomBytes(3).toString('hex');
  private answered = 0;
  private readonly server = createServer((request, response) => {
    this.handle(request, response).catch((error: unknown) => this.fail(response, error));
  });

  constructor(options: ModelServerOptions) {
    this.modelsAtStart = options.models ?? ['gpt-5.5'];
    this.models = this.modelsAtStart;
    this.sideModels = options.sideModels ?? ['gpt-5.6-luna'];
    this.defaultReply = text(options.defaultText ?? 'Done.');
    this.reset();
  }

  reset(): void {
    for (const record of [this.requests, this.http, this.scriptErrors]) record.length = 0;
    this.script();
    this.models = this.modelsAtStart;
    for (const kind of ['title', 'suggestion', 'compaction', 'guardian'] as const) {
      this.sideAnswers.set(kind, text(SIDE_ANSWERS[kind]));
    }
  }

  get turnRequests(): readonly RecordedRequest[] {
    return this.requests.filter((request) => !this.sideAnswerOf(request));
  }

  get pending(): number {
    return this.queue.length;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(0, '127.0.0.1', resolve);
    });
    const { port } = this.server.address() as AddressInfo;
    this.baseUrl = `http://127.0.0.1:${port}/v1`;
  }

  enqueue(...replies: readonly Scripted[]): void {
    this.queue.push(...replies);
  }

  script(...replies: readonly Scripted[]): void {
    this.queue = [...replies];
    this.responder = undefined;
  }

  respondWith(responder: Responder | undefined): void {
    this.responder = responder;
  }

  aside(kind: SideKind, answer: Scripted | undefined): void {
    if (answer === undefined) this.sideAnswers.delete(kind);
    else this.sideAnswers.set(kind, answer);
  }

  listModels(answer: readonly string[] | HttpFailure): void {
    this.models = answer;
  }

  async waitForRequest(matches: Waiter['matches'] = () => true, timeoutMs = 20_000): Promise<RecordedRequest> {
    const found = this.requests.find(matches);
    if (found !== undefined) return found;
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        matches,
        resolve: (request) => {
          clearTimeout(timer);
          resolve(request);
        },
      };
      const timer = setTimeout(() => {
        this.waiters.delete(waiter);
        const seen = this.requests.map(
          (request) => `${request.kind} ${JSON.stringify(request.lastUserText.slice(0, 80))}`,
        );
        reject(new Error(`No matching model request within ${timeoutMs} ms; seen: ${seen.join('; ') || 'none'}`));
      }, timeoutMs);
      this.waiters.add(waiter);
    });
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    await closed;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    this.http.push({ method: request.method ?? '', path, headers: request.headers });
    if (request.method === 'GET' && path === '/v1/models') return this.sendModels(response);
    if (request.method === 'POST' && path === '/v1/responses') return this.respond(request, response);
    request.resume();
    sendFailure(response, failure(404, { error: { message: `No such endpoint: ${request.method} ${path}` } }));
  }

  private async respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = parseObject(await readText(incoming));
    const gone = new AbortController();
    const finished = new Promise<'sent' | 'gone'>((resolve) => {
      response.once('finish', () => resolve('sent'));
      response.once('close', () => {
        resolve('gone');
        gone.abort();
      });
    });
    const deltas: DeltaMark[] = [];
    const request: RecordedRequest = {
      ...readModelRequest(body, incoming.headers, { sideModels: this.sideModels }),
      index: this.requests.length,
      receivedAt: performance.now(),
      deltas,
      finished,
    };
    this.record(request);
    const answer = await this.choose(request);
    if (answer.kind === 'failure') return sendFailure(response, answer);
    await this.stream(toReply(answer), request, response, deltas, gone.signal);
  }

  private record(request: RecordedRequest): void {
    this.requests.push(request);
    for (const waiter of this.waiters) {
      if (!waiter.matches(request)) continue;
      this.waiters.delete(waiter);
      waiter.resolve(request);
    }
  }

  private async choose(request: RecordedRequest): Promise<Scripted> {
    const side = this.sideAnswerOf(request);
    if (side !== undefined) return side;
    const chosen = await this.responder?.(request);
    return chosen ?? this.queue.shift() ?? this.defaultReply;
  }

  private sideAnswerOf(request: RecordedRequest): Scripted | undefined {
    return request.kind === 'turn' ? undefined : this.sideAnswers.get(request.kind);
  }

  private async stream(
    reply: Reply,
    request: RecordedRequest,
    response: ServerResponse,
    deltas: DeltaMark[],
    signal: AbortSignal,
  ): Promise<void> {
    response.socket?.setNoDelay(true);
    const begin = (): void => {
      if (response.headersSent) return;
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...reply.headers });
    };
    try {
      this.answered += 1;
      await playReply(reply, request, `${this.tag}${this.answered}`, {
        signal,
        mark: (mark) => deltas.push(mark),
        write: (type, event) => {
          begin();
          if (response.write(`event: ${type}\ndata: ${JSON.stringify(event)}\n\n`) || signal.aborted) return;
          return drained(response);
        },
      });
    } catch (error) {
      if (error instanceof ReaderGone) return;
      throw error;
    }
    // Closing the socket sends what was written, but not the end of the body.
    if (reply.ending.kind === 'cut' && reply.ending.abrupt) response.socket?.end();
    else response.end();
  }

  private sendModels(response: ServerResponse): void {
    if ('kind' in this.models) {
      sendFailure(response, this.models);
      return;
    }
    const data = this.models.map((id) => ({ id, object: 'model', owned_by: 'scripted' }));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ object: 'list', data }));
  }

  private fail(response: ServerResponse, error: unknown): void {
    const cause = error instanceof Error ? error : new Error(String(error));
    this.scriptErrors.push(cause);
    if (response.headersSent) response.destroy();
    else sendFailure(response, failure(400, { error: { message: cause.message, type: 'script_error' } }));
  }
}

function sendFailure(response: ServerResponse, answer: HttpFailure): void {
  const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
  const type = isObject(answer.body) ? 'application/json' : 'text/plain';
  response.writeHead(answer.status, { 'content-type': type, ...answer.headers }).end(body);
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.once('drain', done).once('close', done);
  });
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
