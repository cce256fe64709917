/** A request that waits for its answer. */
export interface PendingRequest {
  readonly method: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Our requests to one app-server that have no answer yet, by id; ids count from 0 (S1.78). */
export class RequestTable {
  readonly #pending = new Map<number, PendingRequest>();
  #nextId = 0;

  open(request: PendingRequest): number {
    const id = this.#nextId++;
    this.#pending.set(id, request);
    return id;
  }

  /** Removes and returns the request; `undefined` for an id that is unknown or was answered before. */
  take(id: unknown): PendingRequest | undefined {
    if (typeof id !== 'number') return undefined;
    const request = this.#pending.get(id);
    this.#pending.delete(id);
    return request;
  }

  /** Every waiting request fails with the error, oldest first. */
  rejectAll(error: Error): void {
    const waiting = [...this.#pending.values()];
    this.#pending.clear();
    for (const request of waiting) request.reject(error);
  }

  get size(): number {
    return this.#pending.size;
  }
}
