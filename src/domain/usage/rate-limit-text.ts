import type { RateLimit, RateLimitWindow } from './rate-limit.ts';
import { rateLimitName } from './rate-limits.ts';

/** The moment at which a text is written, and how it reads on the user's clock. */
export interface LocalClock {
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** Minutes that local time is ahead of UTC at a moment, given in milliseconds since the Unix epoch. */
  minutesAheadOfUtc(at: number): number;
}

const minutesPerHour = 60;
const minutesPerDay = 24 * minutesPerHour;
const minutesPerWeek = 7 * minutesPerDay;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The lines of `/status` about limits (S2.122). */
export function rateLimitLines(limits: readonly RateLimit[], clock: LocalClock): readonly string[] {
  const lines = limits.flatMap((limit) => linesOf(limit, clock));
  return lines.length === 0 ? ['**Limits:** data not available yet'] : lines;
}

function linesOf(limit: RateLimit, clock: LocalClock): readonly string[] {
  const prefix = `${rateLimitName(limit)} `;
  const windows = [limit.primary, limit.secondary].flatMap((window) => (window === null ? [] : [window]));
  return [
    ...windows.map((window) => windowLine(prefix, window, clock)),
    ...creditLines(prefix, limit),
    ...individualLimitLines(prefix, limit, clock),
  ];
}

function windowLine(prefix: string, window: RateLimitWindow, clock: LocalClock): string {
  const reset = window.resetsAt === null ? '' : ` (resets ${resetTime(window.resetsAt * 1000, clock)})`;
  return `**${prefix}${windowLabel(window.minutes)}:** ${percent(100 - window.usedPercent)}% left${reset}`;
}

function windowLabel(minutes: number | null): string {
  if (minutes === null) return 'Limit';
  if (minutes < minutesPerHour) return `${minutes}m limit`;
  if (minutes < minutesPerDay) return `${Math.round(minutes / minutesPerHour)}h limit`;
  if (minutes < minutesPerWeek) return `${Math.round(minutes / minutesPerDay)}d limit`;
  return 'Weekly limit';
}

function creditLines(prefix: string, { credits }: RateLimit): readonly string[] {
  const amount = credits?.unlimited === true ? 'unlimited' : credits?.balance;
  return amount === undefined || amount === null || amount === '' ? [] : [`**${prefix}Credits:** ${amount}`];
}

function individualLimitLines(prefix: string, { individualLimit }: RateLimit, clock: LocalClock): readonly string[] {
  if (individualLimit === null) return [];
  const used = creditAmount(individualLimit.used);
  const limit = creditAmount(individualLimit.limit);
  if (used === null || limit === null) return [];
  const left = percent(individualLimit.remainingPercent);
  const { day, month } = localTime(individualLimit.resetsAt * 1000, clock);
  const details = `${used} of ${limit} credits used; resets ${month} ${day}`;
  return [`**${prefix}individual spend limit:** ${left}% left (${details})`];
}

/** Codex tells amounts as texts; `null` for one that is not a non-negative number. */
function creditAmount(text: string): string | null {
  const amount = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(amount) && amount >= 0 ? Math.round(amount).toLocaleString('en-US') : null;
}

function percent(value: number): number {
  return Math.round(Math.min(100, Math.max(0, value)));
}

/** The time of day, with the date when it is not today (S2.122). */
function resetTime(at: number, clock: LocalClock): string {
  const reset = localTime(at, clock);
  const today = localTime(clock.now, clock);
  return reset.date === today.date ? reset.time : `${reset.time} on ${reset.day} ${reset.month}`;
}

function localTime(at: number, clock: LocalClock): { date: string; time: string; day: number; month: string } {
  const local = new Date(at + clock.minutesAheadOfUtc(at) * 60_000);
  const iso = local.toISOString();
  return {
    date: iso.slice(0, 10),
    time: iso.slice(11, 16),
    day: local.getUTCDate(),
    month: months[local.getUTCMonth()] ?? '',
  };
}
