import { CodexRequestError } from '../../domain/errors/agent-error.ts';
import type { Log } from '../../ports/outbound/system.ts';
import type { ClientMethod, ClientParams, ClientResult, RequestId } from './protocol.ts';
import { RequestTable } from './request-table.ts';
import type { TrafficTrace } from './traffic-trace.ts';

/** What comes from Codex by itself, called in the order of arrival and before anything later is looked at. */
export interface RpcReceiver {
  onNotification(method: string, params: unknown): void;
  /** Returns whether the request was taken over; one that was not is refused with -32601. */
  onRequest(id: RequestId, method: string, params: unknown): boolean;
}

export interface RpcConnectionOptions {
  readonly write: (line: string) => void;
  readonly receiver: RpcReceiver;
  readonly log: Log;
  /** `null` skips all work for traffic lines. */
  readonly trace: TrafficTrace | null;
  /** Rewrites an error that Codex answered (S1.226). */
  readonly explain: (message: string) => string;
}

const METHOD_NOT_FOUND = -32601;

interface WireMessage {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown } | null;
}

/**
 * JSON messages with one app-server (S1.75). One line costs one `JSON.parse` and is handled synchronously; nothing
 * that a line holds can throw out of `receive`.
 *
 * Callers see results through promises, thus later than the line is handled. What Codex wrote after a result is held
 * until they have seen it, so that results and events keep their order for everybody (architecture, section 3.4).
 *
 * A connection is `open`, then `sealed` (its process died or is being stopped: requests are taken but not written) and
 * at last closed with the error that everything pending, and every later request, fails with.
 */
export class RpcConnection {
  readonly #options: RpcConnectionOptions;
  readonly #requests = new RequestTable();
  /** Requests of Codex that we have not answered. */
  readonly #unanswered = new Set<RequestId>();
  #state: 'open' | 'sealed' | Error = 'open';
  /** Lines behind a result that its caller has not seen yet; `null` when there is none. */
  #held: string[] | null = null;

  constructor(options: RpcConnectionOptions) {
    this.#options = options;
  }

  /** Takes one line of Codex. */
  receive(line: string): void {
    if (this.#held !== null) {
      this.#held.push(line);
    } else if (this.#handle(line)) {
      this.#held = [];
      // Runs after every promise continuation that the result set off.
      setImmediate(() => this.#release());
    }
  }

  /** Handles what is held at once: the process is gone and nothing may come after its loss. */
  flush(): void {
    const lines = this.#held ?? [];
    this.#held = null;
    for (const line of lines) this.#handle(line);
  }

  request<M extends ClientMethod>(method: M, params: ClientParams<M>): Promise<ClientResult<M>> {
    if (this.#state instanceof Error) return Promise.reject(this.#state);
    return new Promise((resolve, reject) => {
      // The result of a method has the type that the protocol gives it.
      const id = this.#requests.open({ method, resolve: (result) => resolve(result as ClientResult<M>), reject });
      this.#send({ id, method, params });
    });
  }

  notify(method: 'initialized'): void {
    this.#send({ method });
  }

  /** Answers a request of Codex; a second answer and one to a dead process are dropped (S5.6, S8.72a). */
  respond(id: RequestId, result: unknown): void {
    if (this.#unanswered.delete(id)) this.#send({ id, result });
  }

  respondError(id: RequestId, code: number, message: string): void {
    if (this.#unanswered.delete(id)) this.#send({ id, error: { code, message } });
  }

  /** Nothing more is written; what Codex still says is heard (S8.5). */
  seal(): void {
    if (this.#state === 'open') this.#state = 'sealed';
  }

  /** The end: everything that waits fails with the error. */
  close(error: Error): void {
    if (this.#state instanceof Error) return;
    this.#state = error;
    this.#unanswered.clear();
    this.#requests.rejectAll(error);
  }

  #release(): void {
    const lines = this.#held ?? [];
    this.#held = null;
    for (const line of lines) this.receive(line);
  }

  /** Returns whether the line was a result that somebody waited for. */
  #handle(line: string): boolean {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      if (line.trim() !== '') this.#logDropped(line, 'not JSON');
      return false;
    }
    if (typeof message !== 'object' || message === null) {
      this.#logDropped(line, 'not a message');
      return false;
    }
    this.#options.trace?.received(message);
    try {
      return this.#dispatch(message);
    } catch (error) {
      this.#options.log.error('[SYSTEM_ERROR] A message of Codex could not be handled', { exception: error });
      return false;
    }
  }

  #dispatch(message: WireMessage): boolean {
    const { id, method } = message;
    if (typeof method === 'string') {
      if (id === undefined || id === null) this.#options.receiver.onNotification(method, message.params);
      else if (typeof id === 'number' || typeof id === 'string') this.#dispatchRequest(id, method, message.params);
      return false;
    }
    const request = this.#requests.take(id);
    if (request === undefined) {
      this.#options.log.debug('Codex answered a request that does not wait', { id });
      return false;
    }
    if (message.error !== undefined && message.error !== null) {
      const { code, data } = message.error;
      const text =
        typeof message.error.message === 'string' ? message.error.message : `Codex refused ${request.method}`;
      request.reject(
        new CodexRequestError(typeof code === 'number' ? code : -32603, this.#options.explain(text), data),
      );
    } else {
      request.resolve(message.result);
    }
    return true;
  }

  #dispatchRequest(id: RequestId, method: string, params: unknown): void {
    this.#unanswered.add(id);
    let taken = false;
    try {
      taken = this.#options.receiver.onRequest(id, method, params);
    } finally {
      if (!taken) this.respondError(id, METHOD_NOT_FOUND, `Unhandled method ${method}`);
    }
  }

  #send(message: object): void {
    if (this.#state !== 'open') return;
    this.#options.trace?.sent(message);
    this.#options.write(`${JSON.stringify(message)}\n`);
  }

  #logDropped(line: string, why: string): void {
    this.#options.log.error(`[STDOUT ERROR] A line of Codex was dropped: ${why}`, { length: line.length });
  }
}
