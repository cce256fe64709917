import type { RateLimit } from './rate-limit.ts';
import { mergeRateLimit, readRateLimits } from './rate-limits.ts';

/** The limits of the account as Codex told them last, for all sessions of the process (S3.165). */
export class AccountLimits {
  #known: readonly RateLimit[] = [];

  get known(): readonly RateLimit[] {
    return this.#known;
  }

  /** Codex told news of one limit. */
  update(limit: RateLimit): void {
    this.#known = mergeRateLimit(this.#known, limit);
  }

  /** Codex was asked for all of them. */
  replace(read: readonly RateLimit[]): void {
    this.#known = readRateLimits(read);
  }
}
