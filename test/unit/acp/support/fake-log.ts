import type { Log } from '../../../../src/ports/outbound/system.ts';

export interface LogLine {
  readonly level: 'debug' | 'error' | 'info' | 'warn';
  readonly message: string;
  readonly context: Readonly<Record<string, unknown>> | undefined;
}

/** A log that keeps its lines. */
export class FakeLog implements Log {
  readonly lines: LogLine[] = [];

  debug(message: string, context?: Readonly<Record<string, unknown>>): void {
    this.lines.push({ level: 'debug', message, context });
  }

  info(message: string, context?: Readonly<Record<string, unknown>>): void {
    this.lines.push({ level: 'info', message, context });
  }

  warn(message: string, context?: Readonly<Record<string, unknown>>): void {
    this.lines.push({ level: 'warn', message, context });
  }

  error(message: string, context?: Readonly<Record<string, unknown>>): void {
    this.lines.push({ level: 'error', message, context });
  }
}
