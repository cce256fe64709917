import type { Clock, Log, Scheduler } from '../../ports/outbound/system.ts';
import type { Child, ChildCommand, SpawnChild } from './child-process.ts';
import { endChild } from './child-process.ts';
import type { ExitRecord } from './exit-record.ts';
import { LineFramer } from './line-framer.ts';
import { PipeWriter } from './pipe-writer.ts';
import { StderrTail } from './stderr-tail.ts';

/** Told in this order: lines, `onDead` once, the last lines, `onGone` once (S8.5). */
export interface AppServerProcessEvents {
  onLine(line: string): void;
  /** The process exited; what it wrote before is still to come. */
  onDead(): void;
  onGone(exit: ExitRecord): void;
}

export interface AppServerProcessOptions {
  readonly epoch: number;
  readonly command: ChildCommand;
  readonly spawn: SpawnChild;
  readonly events: AppServerProcessEvents;
  /** Cuts secrets out of what is kept of stderr (S1.34). */
  readonly redact: (text: string) => string;
  readonly log: Log;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
}

/** `giveUp` stops a process that has failed already: its exit stays a crash (S8.39). */
export type StopReason = 'giveUp' | 'intentional';

interface ExitFacts {
  readonly code: number | null;
  readonly signal: string | null;
  readonly error: string | null;
}

type ProcessState =
  | { readonly type: 'running' }
  /** On the ladder of S8.8: stdin ended, then SIGTERM, then SIGKILL. */
  | { readonly type: 'stopping'; readonly reason: StopReason }
  /** Exited; stdout is read to its end (S8.5, S8.6). */
  | { readonly type: 'draining'; readonly exit: ExitFacts; readonly intentional: boolean }
  | { readonly type: 'gone'; readonly exit: ExitRecord };

const DRAIN_LIMIT_MS = 1000;
/** How long the rest of stderr, or an end of stdout that was not reported, is waited for. */
const LAST_WORDS_MS = 50;
const WEDGED_AFTER_MS = 5000;
const SIGTERM_AFTER_MS = 2000;
const GIVE_UP_AFTER_MS = 5000;

/** One `codex app-server` child, from its start to its exit record (S8 section 1). */
export class AppServerProcess {
  readonly epoch: number;
  readonly #options: AppServerProcessOptions;
  readonly #child: Child;
  readonly #writer: PipeWriter;
  readonly #framer: LineFramer;
  readonly #stderr = new StderrTail();
  readonly #startedAt: number;
  #state: ProcessState = { type: 'running' };
  #stdoutEnded = false;
  #stderrEnded = false;
  /** Cancels the timer of the current state. */
  #cancelTimer: () => void = () => {};
  readonly #waitingForEnd: (() => void)[] = [];

  /** @throws when the process cannot even be tried (S8.25) */
  constructor(options: AppServerProcessOptions) {
    this.#options = options;
    this.epoch = options.epoch;
    this.#startedAt = options.clock.now();
    this.#child = options.spawn(options.command);
    this.#writer = new PipeWriter(this.#child.stdin, options.log);
    this.#framer = new LineFramer({
      onLine: (line) => options.events.onLine(line),
      onOversizedLine: (bytes) => options.log.error('[STDOUT ERROR] A line of Codex is too long', { bytes }),
    });
    this.#listen();
    options.log.info('[APP-SERVER START] Codex app-server started', { epoch: options.epoch, pid: this.pid });
  }

  get pid(): number | null {
    return this.#child.pid ?? null;
  }

  write(text: string): void {
    if (this.#state.type === 'running') this.#writer.write(text);
  }

  /** Kills the process at once, without waiting for its end: the agent ends right afterwards (S1.53). */
  kill(): void {
    endChild(this.#child, 'SIGKILL');
  }

  /** Stops the process (S8.8) and resolves when its exit record was published. Repeated calls join the first. */
  stop(reason: StopReason): Promise<void> {
    if (this.#state.type === 'gone') return Promise.resolve();
    if (this.#state.type === 'running') this.#beginStop(reason);
    return new Promise((resolve) => this.#waitingForEnd.push(resolve));
  }

  #listen(): void {
    const { log } = this.#options;
    const child = this.#child;
    child.stdout.on('data', (chunk: Buffer) => {
      if (this.#state.type !== 'gone') this.#framer.push(chunk);
    });
    child.stdout.on('end', () => this.#onStdoutEnd());
    child.stdout.on('error', (error: Error) => log.warn('[STDOUT ERROR]', { error: error.message }));
    child.stderr.on('data', (chunk: Buffer) => {
      const text = this.#stderr.push(chunk);
      log.debug(`[ERR] ${this.#options.redact(text).trimEnd()}`, { epoch: this.epoch });
    });
    child.stderr.on('end', () => {
      this.#stderrEnded = true;
      if (this.#stdoutEnded) this.#finish();
    });
    child.stderr.on('error', (error: Error) => log.debug('[ERR] stderr failed', { error: error.message }));
    child.on('error', (error) => {
      // cross-spawn reports a missing command on Windows with the pid of the shell that looked for it.
      const notStarted = child.pid === undefined || (error.code === 'ENOENT' && error.syscall?.startsWith('spawn'));
      log.error('[APP-SERVER ERROR]', { epoch: this.epoch, error: error.message });
      if (notStarted) this.#onExit({ code: null, signal: null, error: error.message });
    });
    child.on('exit', (code, signal) => this.#onExit({ code, signal, error: null }));
    child.on('close', (code, signal) => {
      this.#onExit({ code, signal, error: null });
      if (this.#state.type === 'draining') this.#waitForDrain(LAST_WORDS_MS);
    });
  }

  #onExit(exit: ExitFacts): void {
    if (this.#state.type === 'draining' || this.#state.type === 'gone') return;
    const intentional = this.#state.type === 'stopping' && this.#state.reason === 'intentional';
    this.#become({ type: 'draining', exit, intentional });
    this.#options.events.onDead();
    // A process that never started has no output.
    if (exit.error !== null) this.#finish();
    else if (this.#stdoutEnded) this.#onStdoutDrained();
    else this.#waitForDrain(DRAIN_LIMIT_MS);
  }

  #onStdoutDrained(): void {
    if (this.#stderrEnded) this.#finish();
    else this.#waitForDrain(LAST_WORDS_MS);
  }

  #onStdoutEnd(): void {
    if (this.#stdoutEnded || this.#state.type === 'gone') return;
    this.#stdoutEnded = true;
    this.#framer.end();
    if (this.#state.type === 'draining') this.#onStdoutDrained();
    else if (this.#state.type === 'running') this.#setTimer(WEDGED_AFTER_MS, () => this.#onWedged());
  }

  #onWedged(): void {
    if (this.#state.type !== 'running') return;
    this.#options.log.error('[APP-SERVER WEDGED] The output of the Codex app-server ended but it keeps running', {
      epoch: this.epoch,
      pid: this.pid,
    });
    this.#beginStop('giveUp');
  }

  #beginStop(reason: StopReason): void {
    this.#options.log.info('[APP-SERVER STOP] Stopping the Codex app-server', { epoch: this.epoch, reason });
    this.#become({ type: 'stopping', reason });
    this.#writer.end();
    this.#setTimer(SIGTERM_AFTER_MS, () => {
      endChild(this.#child, 'SIGTERM');
      this.#setTimer(GIVE_UP_AFTER_MS, () => this.#abandon());
    });
  }

  /** The last step of the ladder: no orphan with its memory and its thread locks stays behind (S8.8). */
  #abandon(): void {
    this.#options.log.error('[APP-SERVER STOP] The Codex app-server did not stop: SIGKILL', { pid: this.pid });
    endChild(this.#child, 'SIGKILL');
    this.#child.unref();
    this.#onExit({ code: null, signal: null, error: 'it did not stop after SIGTERM' });
  }

  #waitForDrain(ms: number): void {
    this.#setTimer(ms, () => this.#finish());
  }

  #finish(): void {
    if (this.#state.type !== 'draining') return;
    const { exit, intentional } = this.#state;
    this.#framer.end();
    const now = this.#options.clock.now();
    const record: ExitRecord = {
      ...exit,
      epoch: this.epoch,
      pid: this.pid,
      intentional,
      at: now,
      uptimeMs: now - this.#startedAt,
      stderr: this.#options.redact(this.#stderr.text),
    };
    this.#become({ type: 'gone', exit: record });
    this.#writer.destroy();
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
    // A crash has to be seen without a log file, too (part 08, section 12); one with an error text was told already.
    const level = intentional || exit.error !== null ? 'info' : 'error';
    this.#options.log[level]('[APP-SERVER EXIT] The Codex app-server is gone', { ...record });
    this.#options.events.onGone(record);
    for (const resolve of this.#waitingForEnd.splice(0)) resolve();
  }

  /** The only place where the state changes. */
  #become(state: ProcessState): void {
    this.#setTimer(0, null);
    this.#state = state;
  }

  #setTimer(ms: number, action: (() => void) | null): void {
    this.#cancelTimer();
    this.#cancelTimer = action === null ? () => {} : this.#options.scheduler.after(ms, action);
  }
}
