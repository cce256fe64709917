import type { Clock, Scheduler } from '../../src/ports/outbound/system.ts';

/** Clock and timers that only move when a test says so. */
export class FakeClock implements Clock, Scheduler {
  #now = 1_000_000;
  #sequence = 0;
  readonly #timers = new Map<number, { readonly at: number; readonly action: () => void }>();

  now(): number {
    return this.#now;
  }

  minutesAheadOfUtc(): number {
    return 0;
  }

  after(ms: number, action: () => void): () => void {
    this.#sequence += 1;
    const id = this.#sequence;
    this.#timers.set(id, { at: this.#now + ms, action });
    return () => this.#timers.delete(id);
  }

  /** Timers that wait. */
  get waiting(): number {
    return this.#timers.size;
  }

  /** Milliseconds until the next timer fires; `null` when none waits. */
  get untilNext(): number | null {
    const due = [...this.#timers.values()].map(({ at }) => at - this.#now);
    return due.length === 0 ? null : Math.max(0, Math.min(...due));
  }

  /** Moves time on; timers fire in order, also those that are set on the way. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      let nextId: number | null = null;
      let nextAt = Number.POSITIVE_INFINITY;
      for (const [id, timer] of this.#timers) {
        if (timer.at <= end && timer.at < nextAt) {
          nextId = id;
          nextAt = timer.at;
        }
      }
      const next = nextId === null ? undefined : this.#timers.get(nextId);
      if (nextId === null || next === undefined) break;
      this.#timers.delete(nextId);
      this.#now = Math.max(this.#now, next.at);
      next.action();
    }
    this.#now = end;
  }
}
