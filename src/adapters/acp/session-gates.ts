import type { RequestId } from './json-rpc.ts';

/** What becomes of held frames when the awaited response is an error: a failed set-up publishes nothing (S1.205). */
export type OnFailedResponse = 'drop' | 'release';

interface Marker {
  readonly kind: 'marker';
  readonly requestId: RequestId;
  readonly onFailure: OnFailedResponse;
}

interface Held {
  readonly kind: 'held';
  readonly send: () => void;
  /** Present for requests: their waiter must hear that they were never sent. */
  readonly discard: (() => void) | undefined;
}

/**
 * Holds back a session's frames until a response has been handed to the output (S1.202, S2.41). Holds of one session
 * stack: a frame waits for those that were set before it.
 */
export class SessionGates {
  readonly #gates = new Map<string, (Held | Marker)[]>();

  /** From now on the session's frames wait for the response with this id. */
  hold(sessionId: string, requestId: RequestId, onFailure: OnFailedResponse): void {
    this.#stepsOf(sessionId).push({ kind: 'marker', requestId, onFailure });
  }

  isHeld(sessionId: string): boolean {
    return this.#gates.size > 0 && this.#gates.has(sessionId);
  }

  /** Sends now, or when the gate opens. `discard` is called instead when that never happens. */
  pass(sessionId: string, send: () => void, discard?: () => void): void {
    const steps = this.#gates.get(sessionId);
    if (steps === undefined) send();
    else steps.push({ kind: 'held', send, discard });
  }

  /** The response stands in the output: what waited for it follows, in order. */
  open(requestId: RequestId, success: boolean): void {
    if (this.#gates.size === 0) return;
    for (const [sessionId, steps] of [...this.#gates]) {
      const index = steps.findIndex((step) => step.kind === 'marker' && step.requestId === requestId);
      const marker = steps[index];
      if (marker?.kind !== 'marker') continue;
      steps.splice(index, 1);
      if (!success && marker.onFailure === 'drop') this.drop(sessionId);
      else this.#release(sessionId, steps);
    }
  }

  /** Throws away what is held for the session and opens its gate (S1.205). */
  drop(sessionId: string): void {
    const steps = this.#gates.get(sessionId);
    this.#gates.delete(sessionId);
    for (const step of steps ?? []) discard(step);
  }

  /** The session closed: requests that wait are never sent (S1.205); updates made before still are. */
  dropRequests(sessionId: string): void {
    const steps = this.#gates.get(sessionId);
    if (steps === undefined) return;
    const requests = steps.filter((step) => step.kind === 'held' && step.discard !== undefined);
    const rest = steps.filter((step) => !requests.includes(step));
    steps.splice(0, steps.length, ...rest);
    for (const step of requests) discard(step);
  }

  /** The connection is over: nothing is sent. */
  close(): void {
    for (const sessionId of [...this.#gates.keys()]) this.drop(sessionId);
  }

  #stepsOf(sessionId: string): (Held | Marker)[] {
    const known = this.#gates.get(sessionId);
    if (known !== undefined) return known;
    const steps: (Held | Marker)[] = [];
    this.#gates.set(sessionId, steps);
    return steps;
  }

  #release(sessionId: string, steps: (Held | Marker)[]): void {
    for (let step = steps[0]; step?.kind === 'held'; step = steps[0]) {
      steps.shift();
      step.send();
    }
    if (steps.length === 0 && this.#gates.get(sessionId) === steps) this.#gates.delete(sessionId);
  }
}

function discard(step: Held | Marker): void {
  if (step.kind === 'held') step.discard?.();
}
