import type { Scheduler } from '../../ports/outbound/system.ts';

/** A running command is shown at most this often to a client without terminals, in milliseconds (S12.1). */
const snapshotIntervalMs = 1000;

/** One timer per command with output that was not shown yet (S12.1). */
export class SnapshotTimers {
  readonly #scheduler: Scheduler;
  readonly #fire: (itemId: string) => void;
  readonly #waiting = new Set<string>();

  constructor(scheduler: Scheduler, fire: (itemId: string) => void) {
    this.#scheduler = scheduler;
    this.#fire = fire;
  }

  due(itemId: string): void {
    if (this.#waiting.has(itemId)) return;
    this.#waiting.add(itemId);
    this.#scheduler.after(snapshotIntervalMs, () => {
      this.#waiting.delete(itemId);
      this.#fire(itemId);
    });
  }
}
