import type { Log } from '../../../src/ports/outbound/system.ts';

type Level = keyof Log;

/** Keeps what was logged. */
export class RecordedLog implements Log {
  readonly entries: { readonly level: Level; readonly message: string; readonly context: unknown }[] = [];

  debug = (message: string, context?: unknown): void => this.#add('debug', message, context);
  info = (message: string, context?: unknown): void => this.#add('info', message, context);
  warn = (message: string, context?: unknown): void => this.#add('warn', message, context);
  error = (message: string, context?: unknown): void => this.#add('error', message, context);

  lines(level: Level): readonly string[] {
    return this.entries.filter((entry) => entry.level === level).map((entry) => entry.message);
  }

  /** Everything as text, to search for what must not be there. */
  get text(): string {
    return JSON.stringify(this.entries);
  }

  #add(level: Level, message: string, context: unknown): void {
    this.entries.push({ level, message, context });
  }
}
