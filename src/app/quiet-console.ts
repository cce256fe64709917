import { format } from 'node:util';
import type { Log } from '../ports/outbound/system.ts';

const methods = ['debug', 'error', 'info', 'log', 'trace', 'warn'] as const;

/**
 * Sends what dependencies print to the log: stdout carries ACP frames only, and stderr only what a person has to read
 * (S1.35, S1.38, S1.40). The SDK, for one, prints notifications that it cannot use.
 */
export function quietConsole(log: Log, target: Pick<Console, (typeof methods)[number]> = console): void {
  for (const method of methods) {
    target[method] = (...values: readonly unknown[]) => log.warn(format(...values), { console: method });
  }
}
