/** Whether and when the next process may be started (S8.36, S8.37). */
export type StartPermit =
  | { readonly type: 'allowed'; readonly delayMs: number }
  | { readonly type: 'refused'; readonly crashes: number; readonly lastCause: string; readonly retryAfterMs: number };

const BACK_OFF_MS: readonly number[] = [0, 0, 1000, 2000];
const LONGEST_BACK_OFF_MS = 4000;

/** Counts crashes in a sliding window; a crash that is older than the window no longer counts (S8.37). */
export class CrashWindow {
  readonly limit: number;
  readonly windowMs: number;
  #crashes: number[] = [];
  #lastCause = '';

  constructor(limit: number, windowMs: number) {
    this.limit = limit;
    this.windowMs = windowMs;
  }

  record(now: number, cause: string): void {
    this.#forgetOld(now);
    this.#crashes.push(now);
    this.#lastCause = cause;
  }

  permit(now: number): StartPermit {
    this.#forgetOld(now);
    const crashes = this.#crashes.length;
    // The crash whose leaving brings the number below the limit.
    const blocking = this.#crashes[crashes - this.limit];
    if (blocking !== undefined) {
      const retryAfterMs = Math.max(1, blocking + this.windowMs - now);
      return { type: 'refused', crashes, lastCause: this.#lastCause, retryAfterMs };
    }
    const last = this.#crashes[crashes - 1];
    if (last === undefined) return { type: 'allowed', delayMs: 0 };
    const backOff = BACK_OFF_MS[crashes] ?? LONGEST_BACK_OFF_MS;
    return { type: 'allowed', delayMs: Math.max(0, last + backOff - now) };
  }

  #forgetOld(now: number): void {
    this.#crashes = this.#crashes.filter((at) => now - at < this.windowMs);
  }
}
