import type { Clock } from '../../ports/outbound/system.ts';
import type { ThreadEvent } from '../thread/thread-event.ts';

/** A sandbox is set up well within this time, also on a busy machine, in milliseconds. */
const settledMs = 1000;

/**
 * Commands whose sandbox may still be set up. A process that is ended in that moment leaves the command behind, and Codex
 * knows nothing of it any more (C001). A command that has shown output runs inside of its sandbox.
 */
export class YoungCommands {
  readonly #clock: Clock;
  /** When they began, by item, oldest first. */
  readonly #began = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  observe(event: ThreadEvent): void {
    if (event.type === 'itemStarted' && event.item.type === 'command') this.#add(event.item.id);
    else if (event.type === 'itemCompleted') this.#began.delete(event.item.id);
    else if (event.type === 'commandOutput' && this.#began.size > 0) this.#began.delete(event.itemId);
  }

  /** Milliseconds after which the command can be ended with all that belongs to it. */
  restMs(itemId: string): number {
    const began = this.#began.get(itemId);
    return began === undefined ? 0 : Math.max(0, began + settledMs - this.#clock.now());
  }

  #add(itemId: string): void {
    const now = this.#clock.now();
    for (const [id, began] of this.#began) {
      if (began + settledMs > now) break;
      this.#began.delete(id);
    }
    this.#began.set(itemId, now);
  }
}
