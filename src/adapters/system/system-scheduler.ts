import type { Scheduler } from '../../ports/outbound/system.ts';

/** Longest delay of a Node timer; a longer one would fire at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

export interface SystemSchedulerOptions {
  /**
   * `false`: a pending timer does not keep the process alive, for timers that only make sense while something else
   * does (S1.51). Default `true`.
   */
  readonly keepsProcessAlive?: boolean;
}

/** Node timers. */
export class SystemScheduler implements Scheduler {
  readonly #keepsProcessAlive: boolean;

  constructor(options: SystemSchedulerOptions = {}) {
    this.#keepsProcessAlive = options.keepsProcessAlive ?? true;
  }

  after(ms: number, action: () => void): () => void {
    let timer: NodeJS.Timeout;
    const wait = (remaining: number): void => {
      const step = Math.min(remaining, LONGEST_DELAY_MS);
      timer = setTimeout(() => (remaining > step ? wait(remaining - step) : action()), step);
      if (!this.#keepsProcessAlive) timer.unref();
    };
    wait(ms);
    return () => clearTimeout(timer);
  }
}
