import type { RateLimit } from './rate-limit.ts';

/** Id of the limit that Codex reports without one (S3.165). */
const defaultLimitId = 'codex';

/**
 * The known limits with an update (S3.165): the new snapshot of a limit wins, but what Codex leaves out of updates stays
 * as it was. A value; limits keep their order.
 */
export function mergeRateLimit(known: readonly RateLimit[], update: RateLimit): readonly RateLimit[] {
  const limitId = limitIdOf(update);
  const old = known.find((limit) => limitIdOf(limit) === limitId);
  const merged: RateLimit = {
    ...update,
    limitId,
    limitName: update.limitName ?? old?.limitName ?? limitId,
    credits: update.credits ?? old?.credits ?? null,
    individualLimit: update.individualLimit ?? old?.individualLimit ?? null,
    spendControlReached: update.spendControlReached ?? old?.spendControlReached ?? null,
    planType: update.planType ?? old?.planType ?? null,
  };
  return old === undefined ? [...known, merged] : known.map((limit) => (limit === old ? merged : limit));
}

/** The known limits after a full read, which replaces all of them (S3.165). */
export function readRateLimits(read: readonly RateLimit[]): readonly RateLimit[] {
  return read.reduce<readonly RateLimit[]>(mergeRateLimit, []);
}

/** What the user is shown as the name of a limit. */
export function rateLimitName(limit: RateLimit): string {
  return limit.limitName ?? limitIdOf(limit);
}

function limitIdOf(limit: RateLimit): string {
  return limit.limitId ?? defaultLimitId;
}
