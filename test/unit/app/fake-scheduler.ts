import type { Scheduler } from '../../../src/ports/outbound/system.ts';

/** Timers that run when the test says so. */
export class FakeScheduler implements Scheduler {
  #now = 0;
  readonly #timers = new Set<{ readonly at: number; readonly action: () => void }>();

  after(ms: number, action: () => void): () => void {
    const timer = { at: this.#now + ms, action };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#timers.delete(next);
      this.#now = next.at;
      next.action();
    }
    this.#now = end;
  }

  #next(end: number) {
    return [...this.#timers].filter(({ at }) => at <= end).sort((left, right) => left.at - right.at)[0];
  }
}
