import type { Clock } from '../../ports/outbound/system.ts';

/** The wall clock of the machine. */
export class SystemClock implements Clock {
  now(): number {
    return Date.now();
  }

  minutesAheadOfUtc(at: number): number {
    // JavaScript counts the other way round; `-0` would not equal `0`.
    return 0 - new Date(at).getTimezoneOffset();
  }
}
