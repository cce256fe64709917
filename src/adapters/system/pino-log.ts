import type { Clock, Log } from '../../ports/outbound/system.ts';
import { createErrorOutput, type ErrorOutput } from './error-output.ts';
import { errorLine, logEntry } from './log-entry.ts';
import { type LogTarget, openLogFile } from './log-file.ts';
import { SystemClock } from './system-clock.ts';
import { WaitingEntries } from './waiting-entries.ts';

type Context = Readonly<Record<string, unknown>>;

export interface LogOptions {
  /** `APP_SERVER_LOGS`; `null`: no file, errors go to stderr (S1.35). */
  readonly directory: string | null;
  /** Texts that are secret wherever they appear, for example the keys of the environment. */
  readonly secrets?: readonly string[];
  readonly errorOutput?: ErrorOutput;
  readonly clock?: Clock;
  readonly pid?: number;
}

export interface ProcessLog extends Log {
  /** Whether entries other than errors are kept; costly context need not be built otherwise (S1.36). */
  readonly enabled: boolean;
  /** Ends when everything logged so far is in the file or lost; a hung disk makes it hang, so bound the wait. */
  flush(): Promise<void>;
}

/** A shorter text could be part of any word, and masking it would spoil the log. */
const SHORTEST_SECRET = 6;

/**
 * The log of the process (S1 section 3). It returns at once: entries wait in memory while the directory is made, and
 * when that fails one line on stderr says so and the process goes on without a file (S1.18, S1.37). Nothing is ever
 * written to stdout (S1.38), and no method throws.
 */
export function createLog(options: LogOptions): ProcessLog {
  return new PinoLog(options);
}

class PinoLog implements ProcessLog {
  readonly #secrets: readonly string[];
  readonly #errorOutput: ErrorOutput;
  readonly #clock: Clock;
  readonly #opening: Promise<void>;
  #target: LogTarget | null = null;
  #writeErrorShown = false;

  constructor(options: LogOptions) {
    this.#secrets = (options.secrets ?? []).filter((secret) => secret.length >= SHORTEST_SECRET);
    this.#errorOutput = options.errorOutput ?? createErrorOutput();
    this.#clock = options.clock ?? new SystemClock();
    const { directory, pid = process.pid } = options;
    this.#opening = directory === null ? Promise.resolve() : this.#open(directory, pid);
  }

  get enabled(): boolean {
    return this.#target !== null;
  }

  debug(message: string, context?: Context): void {
    if (this.#target !== null) this.#write(this.#target, message, context, false);
  }

  info(message: string, context?: Context): void {
    if (this.#target !== null) this.#write(this.#target, message, context, false);
  }

  warn(message: string, context?: Context): void {
    if (this.#target !== null) this.#write(this.#target, message, context, false);
  }

  error(message: string, context?: Context): void {
    if (this.#target !== null) this.#write(this.#target, message, context, true);
    else this.#show(message, context);
  }

  async flush(): Promise<void> {
    await this.#opening;
    await this.#target?.flush();
  }

  async #open(directory: string, pid: number): Promise<void> {
    const waiting = new WaitingEntries();
    this.#target = waiting;
    this.info('Logger initialized');
    try {
      const file = await openLogFile({
        directory,
        pid,
        onWriteError: (error) => this.#showWriteError(error),
        onDropped: (count) => this.warn('Log entries were dropped', { count }),
      });
      for (const entry of waiting.entries) file.write(entry);
      this.#target = file;
      if (waiting.dropped > 0) this.warn('Log entries were dropped', { count: waiting.dropped });
    } catch (error) {
      this.#target = null;
      this.#show('APP_SERVER_LOGS: the log file cannot be opened, logging is off', { error });
      for (const entry of waiting.entries) if (entry.isError) this.#errorOutput(errorLine(entry));
    }
  }

  #write(target: LogTarget, message: string, context: Context | undefined, isError: boolean): void {
    try {
      target.write(logEntry({ time: this.#clock.now(), isError, message, context }, this.#secrets));
    } catch (error) {
      this.#showWriteError(error);
    }
  }

  #show(message: string, context: Context | undefined): void {
    this.#errorOutput(errorLine(logEntry({ time: 0, isError: true, message, context }, this.#secrets)));
  }

  #showWriteError(error: unknown): void {
    if (this.#writeErrorShown) return;
    this.#writeErrorShown = true;
    this.#show('The log file cannot be written', { error });
  }
}
