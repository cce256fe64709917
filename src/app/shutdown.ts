import { constants } from 'node:os';
import type { Log, Scheduler } from '../ports/outbound/system.ts';

/** Why the agent ends. */
export type ShutdownReason =
  | { readonly type: 'endOfInput' }
  | { readonly type: 'outputClosed' }
  | { readonly type: 'signal'; readonly signal: NodeJS.Signals };

/** How a process ended or is to end. */
export type ProcessEnd =
  | { readonly type: 'exited'; readonly code: number }
  | { readonly type: 'killed'; readonly signal: NodeJS.Signals };

/** The part of `process` that ends it. */
export interface EndingProcess {
  readonly pid: number;
  readonly platform: NodeJS.Platform;
  removeAllListeners(event: string): unknown;
  kill(pid: number, signal: NodeJS.Signals): unknown;
  exit(code: number): unknown;
}

interface Emitter {
  on(event: string, listener: (value: unknown) => void): unknown;
  removeListener(event: string, listener: (value: unknown) => void): unknown;
}

/** The stream to the client, as far as shutdown needs it. */
export interface ClientOutput extends Emitter {
  readonly writableLength: number;
  readonly destroyed: boolean;
  write(text: string, done: () => void): unknown;
}

/** The part of `process` that shutdown watches. */
export interface ShutdownProcess extends EndingProcess, Emitter {
  readonly stdin: Emitter & { readonly readableEnded: boolean; readonly destroyed: boolean };
  readonly stdout: ClientOutput;
}

export interface ShutdownOptions {
  /**
   * Ends the connection and Codex, and resolves when both are gone (S1.50-S1.52). Called once. For a signal it has
   * `SIGNAL_LIMIT_MS`, so its steps must be shorter than for the end of input.
   */
  stop(reason: ShutdownReason): Promise<void>;
  /** Kills every process that is left, at once and without waiting: the agent ends right afterwards (S1.53). */
  kill(): void;
  readonly log: Log & { flush(): Promise<void> };
  readonly scheduler: Scheduler;
  readonly process?: ShutdownProcess;
  /** The stream that the client reads, where it is not `process.stdout`. */
  readonly output?: ClientOutput;
  /** Resolves when the connection is over for a reason that no stream tells. */
  readonly closed?: Promise<void>;
}

/** The whole shutdown after a signal (S1.53). */
export const SIGNAL_LIMIT_MS = 3_000;

/** What a second signal leaves of it. */
export const SECOND_SIGNAL_MS = 300;

/** 2 s for answers (S1.52), 2 s and 5 s for Codex (S1.50), and a little for its last kill (S1.51). */
export const END_OF_INPUT_LIMIT_MS = 10_000;

/** What the log and stdout get when the limit is reached already. */
const LAST_FLUSH_MS = 200;

/** What they get otherwise, within the limit. */
const FLUSH_MS = 1_000;

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const satisfies readonly NodeJS.Signals[];

/**
 * Watches for what ends the agent: the end of its input, which is also how the death of the client shows, its output
 * breaking, or a signal (S1.48-S1.53). What nobody caught is logged and does not end it (S1.55). Returns the function
 * that stops watching.
 */
export function installShutdown(options: ShutdownOptions): () => void {
  const watched = options.process ?? process;
  const output = options.output ?? watched.stdout;
  const shutdown = new Shutdown(options, watched, output);
  const { stdin } = watched;
  const subscriptions: (readonly [Emitter, string, (value: unknown) => void])[] = [
    ...['end', 'close', 'error'].map((event) => [stdin, event, () => shutdown.begin({ type: 'endOfInput' })] as const),
    ...['close', 'error'].map((event) => [output, event, () => shutdown.begin({ type: 'outputClosed' })] as const),
    ...SIGNALS.map((signal) => [watched, signal, () => shutdown.signal(signal)] as const),
    [watched, 'uncaughtException', (exception) => options.log.error('Uncaught exception', { exception })],
    [watched, 'unhandledRejection', (exception) => options.log.error('Unhandled rejection', { exception })],
  ];
  for (const [emitter, event, listener] of subscriptions) emitter.on(event, listener);
  // Their events may be over already.
  if (stdin.readableEnded || stdin.destroyed) shutdown.begin({ type: 'endOfInput' });
  else if (output.destroyed) shutdown.begin({ type: 'outputClosed' });
  void options.closed?.then(() => shutdown.begin({ type: 'outputClosed' }));
  return () => {
    for (const [emitter, event, listener] of subscriptions) emitter.removeListener(event, listener);
  };
}

/** Ends this process in the same way; a signal that does not kill it, as for the first process of a container, exits. */
export function endProcess(ending: EndingProcess, end: ProcessEnd): void {
  if (end.type === 'exited') {
    ending.exit(end.code);
    return;
  }
  if (ending.platform !== 'win32') {
    ending.removeAllListeners(end.signal);
    ending.kill(ending.pid, end.signal);
  }
  ending.exit(128 + constants.signals[end.signal]);
}

class Shutdown {
  readonly #options: ShutdownOptions;
  readonly #process: ShutdownProcess;
  readonly #output: ClientOutput;
  #state: 'ending' | 'over' | 'serving' | 'stopping' = 'serving';
  #outputClosed = false;
  #signals = 0;
  #end: ProcessEnd = { type: 'exited', code: 0 };

  constructor(options: ShutdownOptions, ending: ShutdownProcess, output: ClientOutput) {
    this.#options = options;
    this.#process = ending;
    this.#output = output;
  }

  /** Starts the shutdown; only the first reason counts. */
  begin(reason: ShutdownReason): void {
    if (reason.type === 'outputClosed') this.#outputClosed = true;
    if (this.#state !== 'serving') return;
    this.#state = 'stopping';
    if (reason.type !== 'signal') this.#limit(END_OF_INPUT_LIMIT_MS);
    this.#options.log.info('Shutdown', { reason });
    void this.#stop(reason).then(() => this.#finish(FLUSH_MS));
  }

  /**
   * The first signal shuts down, or shortens a shutdown under way; the second leaves it a moment, because only Codex itself
   * can end the commands that it runs; any more end at once (S1.53).
   */
  signal(signal: NodeJS.Signals): void {
    this.#signals += 1;
    this.#end = { type: 'killed', signal };
    if (this.#signals > 2) {
      this.#options.kill();
      this.#over();
      return;
    }
    this.#limit(this.#signals === 1 ? SIGNAL_LIMIT_MS - LAST_FLUSH_MS : SECOND_SIGNAL_MS);
    this.begin({ type: 'signal', signal });
  }

  async #stop(reason: ShutdownReason): Promise<void> {
    try {
      await this.#options.stop(reason);
    } catch (exception) {
      this.#fail('The shutdown failed', { exception });
    }
  }

  #limit(ms: number): void {
    this.#options.scheduler.after(ms, () => {
      if (this.#state === 'over') return;
      this.#fail('The shutdown took too long', { ms });
      this.#finish(LAST_FLUSH_MS);
    });
  }

  #fail(message: string, context: Readonly<Record<string, unknown>>): void {
    this.#options.log.error(message, context);
    this.#options.kill();
    if (this.#end.type === 'exited') this.#end = { type: 'exited', code: 1 };
  }

  /** Ends the process when stdout and the log took everything, at the latest after this time. */
  #finish(ms: number): void {
    this.#state = 'ending';
    this.#options.scheduler.after(ms, () => this.#over());
    void Promise.allSettled([this.#options.log.flush(), this.#written()]).then(() => this.#over());
  }

  #written(): Promise<void> {
    const output = this.#output;
    if (this.#outputClosed || output.destroyed || output.writableLength === 0) return Promise.resolve();
    return new Promise((resolve) => output.write('', () => resolve()));
  }

  #over(): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    endProcess(this.#process, this.#end);
  }
}
