import type { Log } from '../../ports/outbound/system.ts';
import type { RequestId } from './json-rpc.ts';
import type { AfterWrite } from './outbox.ts';
import { type OnFailedResponse, SessionGates } from './session-gates.ts';

/** Runs once after the response was accepted by stdout; `success` = it has a `result` (S1.200). */
export type AfterResponse = (success: boolean) => void;

/** What may only happen once a response is on its way to the client (S1 section 13). */
export class Delivery {
  readonly gates = new SessionGates();
  readonly #log: Log;
  readonly #actions = new Map<RequestId, AfterResponse[]>();
  #closed = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Binds an action to the response of a running request; ids match by JSON type and value (S1.200). */
  afterResponse(requestId: RequestId, action: AfterResponse): void {
    if (this.#closed) return;
    const actions = this.#actions.get(requestId);
    if (actions === undefined) this.#actions.set(requestId, [action]);
    else actions.push(action);
  }

  /**
   * Keeps the session's updates and requests back until the response with this id stands in the output. With `drop` an
   * error response throws them away: the client never learned of the session (S1.202, S1.205).
   */
  hold(sessionId: string, requestId: RequestId, onFailure: OnFailedResponse = 'release'): void {
    if (!this.#closed) this.gates.hold(sessionId, requestId, onFailure);
  }

  /** A set-up failed: nothing that was held for the session is sent. */
  drop(sessionId: string): void {
    this.gates.drop(sessionId);
  }

  /** A response is handed to the output by `enqueue`; opens what waited for it. */
  respond(requestId: RequestId, success: boolean, enqueue: (afterWrite: AfterWrite | undefined) => void): void {
    const actions = this.#actions.get(requestId);
    this.#actions.delete(requestId);
    enqueue(actions === undefined ? undefined : (ok) => this.#run(actions, success, ok));
    this.gates.open(requestId, success);
  }

  /** The connection closed: what has not run yet never will (S1.200). */
  close(): void {
    this.#closed = true;
    this.#actions.clear();
    this.gates.close();
  }

  #run(actions: readonly AfterResponse[], success: boolean, ok: boolean): void {
    if (!ok || this.#closed) return;
    for (const action of actions) {
      try {
        action(success);
      } catch (exception) {
        this.#log.error('Work after a response failed', { exception });
      }
    }
  }
}
