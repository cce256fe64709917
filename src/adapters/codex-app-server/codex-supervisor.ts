import type { CodexLostError } from '../../domain/errors/agent-error.ts';
import type { CodexClientInfo, CodexLifecycle } from '../../ports/outbound/codex-runtime.ts';
import type { Clock, Log, Scheduler } from '../../ports/outbound/system.ts';
import { AppServerProcess } from './app-server-process.ts';
import type { ChildCommand, SpawnChild } from './child-process.ts';
import { CrashWindow } from './crash-window.ts';
import { type ExitRecord, exitCause, isRuntimeMissing } from './exit-record.ts';
import {
  connectionLost,
  crashLimitReached,
  handshakeTimedOut,
  lossOf,
  runtimeMissing,
  shuttingDown,
  spawnThrew,
} from './lost-errors.ts';
import { RpcConnection, type RpcReceiver } from './rpc-connection.ts';
import { type SupervisorEffect, type SupervisorInput, type SupervisorState, supervise } from './supervisor-state.ts';
import type { TrafficTrace } from './traffic-trace.ts';

/** Everything that comes out of the app-server processes. */
export interface CodexReceiver {
  /** The receiver for one process's messages. */
  forProcess(epoch: number): RpcReceiver;
  /** A process that had been introduced is gone; all that it reported was received (S8.5). */
  onLost(cause: CodexLostError): void;
}

export interface CodexSupervisorOptions {
  /** What to start, asked before every start; throws when there is nothing to start (S8.25). */
  readonly command: () => ChildCommand;
  /** Masks what must not be repeated from stderr. */
  readonly redact: (text: string) => string;
  readonly spawn: SpawnChild;
  readonly receiver: CodexReceiver;
  readonly explain: (message: string, codexHome: string | null) => string;
  readonly crashLimit: number;
  readonly crashWindowMs: number;
  readonly trace: TrafficTrace | null;
  readonly log: Log;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
}

/** One process with the connection to it. */
interface AppServer {
  readonly process: AppServerProcess;
  readonly connection: RpcConnection;
}

/** Somebody waits until the process of this number is ready. */
interface Waiter {
  readonly epoch: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

const HANDSHAKE_LIMIT_MS = 30_000;

/**
 * Keeps one app-server running: starts it early, starts another lazily after a crash, introduces us to each process
 * (S1.63, S1.78, S1.81, S8 section 2). What happens when is decided by `supervise`; this class carries it out.
 */
export class CodexSupervisor implements CodexLifecycle {
  readonly #options: CodexSupervisorOptions;
  readonly #crashes: CrashWindow;
  #state: SupervisorState = { type: 'down' };
  #epoch = 0;
  #server: AppServer | null = null;
  #client: CodexClientInfo | null = null;
  #codexHome: string | null = null;
  /** Gives its stderr to error texts (S8.20). */
  #lastExit: ExitRecord | null = null;
  #lastLoss: CodexLostError | null = null;
  #waiters: Waiter[] = [];
  #stopped: Promise<void> | null = null;
  #cancelTimer: () => void = () => {};

  constructor(options: CodexSupervisorOptions) {
    this.#options = options;
    this.#crashes = new CrashWindow(options.crashLimit, options.crashWindowMs);
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** `codexHome` as the last introduced process told it (S1.80). */
  get codexHome(): string | null {
    return this.#codexHome;
  }

  /** Starts the first process without waiting for it (S8.3). A failure is told to the first who needs it. */
  start(): void {
    this.#input({ type: 'start' });
  }

  ready(): Promise<void> {
    return new Promise((resolve, reject) => {
      const epoch = this.#state.type === 'up' ? this.#state.epoch : this.#epoch + 1;
      this.#waiters.push({ epoch, resolve, reject });
      this.#input({ type: 'need' });
    });
  }

  introduce(client: CodexClientInfo): Promise<void> {
    this.#client = client;
    return this.ready();
  }

  /**
   * Ends the running process so that the next need starts another: for new provider routing (S8.19), or because it no
   * longer answers (S12.6), which counts as a crash.
   */
  async replace(why: 'notAnswering' | 'providerChange' = 'notAnswering'): Promise<void> {
    const server = this.#server;
    this.#input({ type: 'replace', reason: why === 'notAnswering' ? 'crashed' : 'replaced' });
    await server?.process.stop('intentional');
  }

  stop(): Promise<void> {
    if (this.#stopped === null) {
      const server = this.#server;
      this.#options.log.info('[APP-SERVER SHUTDOWN] The agent is shutting down', { epoch: this.#epoch });
      this.#input({ type: 'stop' });
      this.#stopped = server === null ? Promise.resolve() : server.process.stop('intentional');
    }
    return this.#stopped;
  }

  /** Kills the running process at once (S1.53). */
  kill(): void {
    this.#server?.process.kill();
  }

  /** The connection to use now; one to a process that is gone fails every request with the cause. */
  get connection(): RpcConnection | null {
    return this.#server?.connection ?? null;
  }

  /** Why there is no connection. */
  get loss(): CodexLostError {
    if (this.#state.type === 'closed' && this.#state.reason === 'stopped') return shuttingDown();
    return this.#lastLoss ?? connectionLost();
  }

  /** The only place where the state changes. */
  #input(input: SupervisorInput): void {
    const before = this.#state;
    const { state, effects } = supervise(before, input, this.#client !== null);
    this.#state = state;
    for (const effect of effects) this.#run(effect);
  }

  #run(effect: SupervisorEffect): void {
    switch (effect) {
      case 'prepare':
        return this.#prepare();
      case 'cancelPreparation':
        return this.#cancelTimer();
      case 'spawn':
        return this.#spawn();
      case 'introduce':
        return this.#introduce();
      case 'giveUpProcess':
        return this.#endProcess('giveUp');
      case 'stopProcess':
        return this.#endProcess('intentional');
      case 'release':
        return this.#release();
      case 'refuse':
        return this.#failWaiters(Number.POSITIVE_INFINITY, this.#refusal());
    }
  }

  #prepare(): void {
    const permit = this.#crashes.permit(this.#options.clock.now());
    if (permit.type === 'refused') {
      const error = crashLimitReached(permit, this.#crashes.windowMs, this.#lastExit);
      this.#input({ type: 'notStarted' });
      this.#failWaiters(this.#epoch + 1, error);
    } else if (permit.delayMs > 0) {
      this.#setTimer(permit.delayMs, () => this.#input({ type: 'permitted' }));
    } else {
      this.#input({ type: 'permitted' });
    }
  }

  #spawn(): void {
    const epoch = this.#epoch + 1;
    this.#epoch = epoch;
    try {
      this.#server = this.#open(epoch);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const { clock, log } = this.#options;
      log.error('[APP-SERVER ERROR] The Codex app-server could not be started', { epoch, error: message });
      this.#crashes.record(clock.now(), `could not be started (${message})`);
      this.#lastExit = null;
      this.#lastLoss = spawnThrew(message, this.#crashes.permit(clock.now()));
      this.#input({ type: 'notStarted' });
      this.#failWaiters(epoch, this.#lastLoss);
      return;
    }
    this.#input({ type: 'spawned', epoch });
  }

  #open(epoch: number): AppServer {
    const { clock, explain, log, receiver, redact, scheduler, spawn, trace } = this.#options;
    const command = this.#options.command();
    const process = new AppServerProcess({
      epoch,
      command,
      spawn,
      redact,
      events: {
        onLine: (line) => connection.receive(line),
        onDead: () => this.#onDead(epoch),
        onGone: (exit) => this.#onGone(exit),
      },
      log,
      clock,
      scheduler,
    });
    const connection = new RpcConnection({
      write: (line) => process.write(line),
      receiver: receiver.forProcess(epoch),
      explain: (message) => explain(message, this.#codexHome),
      log,
      trace,
    });
    return { process, connection };
  }

  /** The handshake of S1.78, with a time limit (S8.35). */
  #introduce(): void {
    const connection = this.#server?.connection;
    const epoch = this.#epoch;
    if (connection === undefined || this.#client === null) return;
    this.#setTimer(HANDSHAKE_LIMIT_MS, () =>
      this.#introductionFailed(epoch, handshakeTimedOut(epoch > 1), 'did not answer initialize within 30 s'),
    );
    connection
      .request('initialize', {
        clientInfo: { name: this.#client.name, title: this.#client.title, version: this.#client.version },
        capabilities: { experimentalApi: true, requestAttestation: false },
      })
      .then(
        (answer) => {
          if (this.#server?.connection !== connection) return;
          this.#setTimer(0, null);
          this.#codexHome = answer?.codexHome ?? null;
          connection.notify('initialized');
          if (epoch > 1) this.#options.log.info('[APP-SERVER RESTARTED] A new Codex app-server is ready', { epoch });
          this.#input({ type: 'introduced', epoch });
        },
        (error: Error) => this.#introductionFailed(epoch, error, `refused initialize: ${error.message}`),
      );
  }

  /** Of a process that died meanwhile nothing is left to do here: its exit tells everything. */
  #introductionFailed(epoch: number, error: Error, cause: string): void {
    if (this.#state.type !== 'up' || this.#state.epoch !== epoch || this.#state.phase !== 'introducing') return;
    const { clock, log } = this.#options;
    log.error('[APP-SERVER ERROR] The handshake with the Codex app-server failed', { epoch, cause });
    this.#crashes.record(clock.now(), cause);
    const permit = this.#crashes.permit(clock.now());
    this.#input({ type: 'introductionFailed', epoch });
    this.#failWaiters(
      epoch,
      permit.type === 'refused' ? crashLimitReached(permit, this.#crashes.windowMs, null) : error,
    );
  }

  #onDead(epoch: number): void {
    this.#server?.connection.seal();
    this.#input({ type: 'dead', epoch });
  }

  /** Publishes the exit: listeners first, then everything that waits (S8.5). */
  #onGone(exit: ExitRecord): void {
    const left = this.#state;
    if (left.type !== 'leaving' || left.epoch !== exit.epoch) return;
    this.#server?.connection.flush();
    const now = this.#options.clock.now();
    if (left.reason === 'crashed' && !exit.intentional) this.#crashes.record(now, exitCause(exit));
    const loss = lossOf(exit, {
      shuttingDown: left.reason === 'shutdown',
      forProviderChange: left.reason === 'replaced' && exit.intentional,
      introduced: left.introduced,
      permit: this.#crashes.permit(now),
      windowMs: this.#crashes.windowMs,
    });
    const server = this.#server;
    this.#server = null;
    this.#lastExit = exit;
    this.#lastLoss = loss;
    this.#setTimer(0, null);
    if (left.introduced) this.#options.receiver.onLost(loss);
    server?.connection.close(loss);
    this.#failWaiters(exit.epoch, loss);
    this.#input({
      type: 'gone',
      epoch: exit.epoch,
      wanted: this.#waiters.length > 0,
      runtimeMissing: isRuntimeMissing(exit),
    });
  }

  #endProcess(reason: 'giveUp' | 'intentional'): void {
    const server = this.#server;
    server?.connection.seal();
    this.#setTimer(0, null);
    void server?.process.stop(reason);
  }

  #refusal(): Error {
    const missing = this.#state.type === 'closed' && this.#state.reason === 'runtimeMissing' ? this.#lastExit : null;
    return missing === null ? shuttingDown() : runtimeMissing(missing);
  }

  #release(): void {
    const ready = this.#waiters.filter((waiter) => waiter.epoch <= this.#epoch);
    this.#waiters = this.#waiters.filter((waiter) => waiter.epoch > this.#epoch);
    for (const waiter of ready) waiter.resolve();
  }

  #failWaiters(upTo: number, error: Error): void {
    const failed = this.#waiters.filter((waiter) => waiter.epoch <= upTo);
    this.#waiters = this.#waiters.filter((waiter) => waiter.epoch > upTo);
    for (const waiter of failed) waiter.reject(error);
  }

  /** One timer at a time: back-off or handshake limit. */
  #setTimer(ms: number, action: (() => void) | null): void {
    this.#cancelTimer();
    this.#cancelTimer = action === null ? () => {} : this.#options.scheduler.after(ms, action);
  }
}
