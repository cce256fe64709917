import type { Clock } from '../../ports/outbound/system.ts';

/** The wall clock of the machine. */
export class SystemClock implements Clock {
  now(): number {
    return Date.now();
  }
}
