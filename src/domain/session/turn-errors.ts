import { RecentIds } from '../conversation/recent-ids.ts';
import type { ThreadEvent } from '../thread/thread-event.ts';

type ErrorEvent = Extract<ThreadEvent, { type: 'error' }>;

/** Turns that ended are remembered up to this number, for late requests (S5.9). */
const rememberedTurns = 64;

/** Which errors were told, so that a failure is shown once (S3.171), and which turns are over. */
export class TurnErrors {
  readonly #shown = new RecentIds(rememberedTurns);
  readonly #over = new RecentIds(rememberedTurns);
  #held: ErrorEvent[] = [];

  /** True the first time for a turn. */
  showFatal(turnId: string): boolean {
    if (this.#shown.has(turnId)) return false;
    this.#shown.add(turnId);
    return true;
  }

  /** Keeps an error that came before anybody knows whose it is (S3.173). */
  hold(event: ErrorEvent): void {
    this.#held.push(event);
  }

  release(): ErrorEvent[] {
    const held = this.#held;
    this.#held = [];
    return held;
  }

  /** The work is over; errors that found no turn are not shown. */
  drop(): void {
    this.#held = [];
  }

  completed(turnId: string): void {
    this.#over.add(turnId);
  }

  isOver(turnId: string): boolean {
    return this.#over.has(turnId);
  }
}
