import type { Log } from '../../ports/outbound/system.ts';
import { isJsonObject, type JsonObject } from './json-rpc.ts';
import type { Outbox } from './outbox.ts';
import type { SessionGates } from './session-gates.ts';

/** Late answers of at most this many withdrawn requests are recognised. */
const maxWithdrawn = 1024;

/** How a request to the client ended. `code` is that of a JSON-RPC error, `null` when none came. */
export type ClientReply =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly code: number | null; readonly reason: string };

/** A request on its way to the client. */
export interface ClientRequest {
  readonly id: number;
  /** Sends one `$/cancel_request` and drops a late answer; `onSettled` is not called any more (S1.233, S5.21, S5.22). */
  withdraw(): void;
}

type OnSettled = (reply: ClientReply) => void;

interface Pending {
  readonly onSettled: OnSettled;
  readonly sessionId: string | null;
  sent: boolean;
}

const closedReply: ClientReply = { ok: false, code: null, reason: 'The ACP connection is closed' };
const unsentReply: ClientReply = { ok: false, code: -32800, reason: 'The request was dropped before it was sent' };

/** Requests of the agent to the client: own integer ids from 0 (S1.49), each settled at most once. */
export class ClientRequests {
  readonly #outbox: Outbox;
  readonly #gates: SessionGates;
  readonly #log: Log;
  readonly #pending = new Map<number, Pending>();
  readonly #withdrawn = new Set<number>();
  #nextId = 0;
  #closed = false;

  constructor(outbox: Outbox, gates: SessionGates, log: Log) {
    this.#outbox = outbox;
    this.#gates = gates;
    this.#log = log;
  }

  /** Sends a request; one of a session waits at the session's gate (S1.202). */
  send(method: string, params: object, onSettled: OnSettled, sessionId: string | null = null): ClientRequest {
    const id = this.#nextId;
    this.#nextId += 1;
    const pending: Pending = { onSettled, sessionId, sent: false };
    this.#pending.set(id, pending);
    const send = (): void => {
      if (this.#pending.get(id) !== pending) return;
      pending.sent = true;
      this.#outbox.enqueue({ jsonrpc: '2.0', id, method, params }, sessionId);
    };
    if (this.#closed) queueMicrotask(() => this.#settle(id, closedReply));
    else if (sessionId === null) send();
    else this.#gates.pass(sessionId, send, () => this.#settle(id, unsentReply));
    return { id, withdraw: () => this.#withdraw(id) };
  }

  /** An answer of the client arrived. */
  receive(message: JsonObject): void {
    const { id } = message;
    if (typeof id === 'number' && this.#pending.get(id)?.sent === true) {
      this.#settle(id, replyOf(message));
    } else if (typeof id !== 'number' || !this.#withdrawn.delete(id)) {
      this.#log.warn('The client answered a request that was not sent', { id });
    }
  }

  /** The connection is over: every waiter hears it, nothing is sent (S1.234). */
  close(): void {
    this.#closed = true;
    for (const id of [...this.#pending.keys()]) this.#settle(id, closedReply);
    this.#withdrawn.clear();
  }

  #withdraw(id: number): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    if (!pending.sent || this.#closed) return;
    this.#remember(id);
    const cancel = { jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: id } };
    this.#outbox.enqueue(cancel, pending.sessionId);
  }

  #remember(id: number): void {
    this.#withdrawn.add(id);
    for (const oldest of this.#withdrawn) {
      if (this.#withdrawn.size <= maxWithdrawn) return;
      this.#withdrawn.delete(oldest);
    }
  }

  #settle(id: number, reply: ClientReply): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    try {
      pending.onSettled(reply);
    } catch (exception) {
      this.#log.error('An answer of the client could not be handled', { id, exception });
    }
  }
}

function replyOf(message: JsonObject): ClientReply {
  const hasResult = Object.hasOwn(message, 'result');
  const hasError = Object.hasOwn(message, 'error');
  if (hasResult && !hasError) return { ok: true, result: message.result };
  const { error } = message;
  if (hasResult || !isJsonObject(error)) return { ok: false, code: null, reason: 'The answer is malformed' };
  return {
    ok: false,
    code: typeof error.code === 'number' ? error.code : null,
    reason: typeof error.message === 'string' ? error.message : 'The client answered an error',
  };
}
