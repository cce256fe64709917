import type { RateLimit, RateLimitWindow } from '../../domain/usage/rate-limit.ts';
import type * as wire from './protocol.generated.ts';

/** A limit in the core's words (S3.165); `null` when Codex told none. */
export function translateRateLimit(limit: wire.RateLimitSnapshot | null | undefined): RateLimit | null {
  if (typeof limit !== 'object' || limit === null) return null;
  const { credits, individualLimit } = limit;
  return {
    limitId: limit.limitId ?? null,
    limitName: limit.limitName ?? null,
    primary: limitWindow(limit.primary),
    secondary: limitWindow(limit.secondary),
    credits: credits ? { unlimited: credits.unlimited === true, balance: credits.balance ?? null } : null,
    individualLimit: individualLimit
      ? {
          limit: individualLimit.limit,
          used: individualLimit.used,
          remainingPercent: individualLimit.remainingPercent,
          resetsAt: individualLimit.resetsAt,
        }
      : null,
    spendControlReached: limit.spendControlReached ?? null,
    planType: limit.planType ?? null,
  };
}

function limitWindow(window: wire.RateLimitWindow | null | undefined): RateLimitWindow | null {
  if (typeof window?.usedPercent !== 'number') return null;
  return {
    usedPercent: window.usedPercent,
    minutes: window.windowDurationMins ?? null,
    resetsAt: window.resetsAt ?? null,
  };
}
