import type { CodexLifecycle, CodexThreads, CodexTurns, StartThread } from '../../ports/outbound/codex-runtime.ts';
import type { Log, Scheduler } from '../../ports/outbound/system.ts';
import { AgentError, CodexLostError, CodexRequestError } from '../errors/agent-error.ts';
import type { TurnPolicy } from '../settings/turn-policy.ts';
import type { CommandItem } from '../thread/thread-item.ts';
import type { Completion, InterruptRefusal, TurnInput, TurnTimer } from '../turn/turn-state.ts';
import type { PromptWork } from './prompt-work.ts';

export interface TurnRunnerPorts {
  readonly lifecycle: CodexLifecycle;
  readonly threads: CodexThreads;
  readonly turns: CodexTurns;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

/**
 * Carries out what the turn machine decided for one thread: calls Codex and sets timers. Every result comes back as an
 * input; nothing is decided here.
 */
export class TurnRunner {
  readonly #threadId: string;
  readonly #ports: TurnRunnerPorts;
  readonly #reopen: StartThread;
  readonly #report: (input: TurnInput) => void;
  readonly #timers = new Map<TurnTimer, () => void>();
  /** Process in which the thread is loaded. */
  #epoch: number;
  #reopening: Promise<void> | null = null;

  constructor(
    thread: { readonly threadId: string; readonly epoch: number; readonly reopen: StartThread },
    ports: TurnRunnerPorts,
    report: (input: TurnInput) => void,
  ) {
    this.#threadId = thread.threadId;
    this.#epoch = thread.epoch;
    this.#reopen = thread.reopen;
    this.#ports = ports;
    this.#report = report;
  }

  /** Makes Codex and the thread ready for a turn (S3.39): a lost process is replaced and the thread loaded again. */
  prepare(attempt: number): void {
    this.#ready().then(
      () => this.#report({ type: 'ready', attempt }),
      (error: unknown) => this.#report({ type: 'notReady', attempt, error: asError(error) }),
    );
  }

  start(attempt: number, prompt: PromptWork, policy: TurnPolicy, clientMessageId: string | null): void {
    this.#ports.turns.start({ threadId: this.#threadId, input: prompt.input, clientMessageId, policy }).then(
      ({ turnId }) => this.#report({ type: 'accepted', attempt, turnId }),
      (error: unknown) => this.#report({ type: 'refused', attempt, error: asError(error) }),
    );
  }

  interrupt(turnId: string): void {
    this.#ports.turns.interrupt(this.#threadId, turnId).then(
      () => this.#report({ type: 'interrupted', turnId }),
      (error: unknown) => {
        const refusal = interruptRefusal(error);
        if (refusal.type === 'other') {
          this.#ports.log.warn('Codex did not interrupt the turn', { turnId, reason: asError(error).message });
        }
        this.#report({ type: 'notInterrupted', turnId, refusal });
      },
    );
  }

  wait(timer: TurnTimer, ms: number): void {
    this.stopWaiting(timer);
    this.#timers.set(
      timer,
      this.#ports.scheduler.after(ms, () => {
        this.#timers.delete(timer);
        this.#report({ type: 'timer', timer });
      }),
    );
  }

  stopWaiting(timer: TurnTimer): void {
    this.#timers.get(timer)?.();
    this.#timers.delete(timer);
  }

  /** Asks what Codex recorded of a turn (S12.5). A read that fails tells nothing. */
  readTurn(turnId: string, told: (record: Completion | null) => void): void {
    this.#ports.threads.readTurn(this.#threadId, turnId).then(told, (error: unknown) => {
      this.#ports.log.warn('The recorded turn could not be read', { turnId, reason: asError(error).message });
      told(null);
    });
  }

  /** Codex no longer answers: gives its process up (S12.6). */
  replaceCodex(): void {
    this.#ports.log.error('Codex did not end a cancelled turn and no longer answers; it is replaced');
    void this.#ports.lifecycle.replace();
  }

  /** Ends the processes of commands whose turn was stopped: an interrupt leaves them running (ACP-CANCEL-204). */
  terminate(commands: readonly CommandItem[]): void {
    for (const { processId, id } of commands) {
      if (processId === null) continue;
      this.#ports.threads.terminateTerminal(this.#threadId, processId).catch((error: unknown) => {
        this.#ports.log.warn('A command of a stopped turn could not be ended', {
          itemId: id,
          reason: asError(error).message,
        });
      });
    }
  }

  /** Ends what the thread still runs in the background and lets go of it (S3.67 step 7). */
  release(): void {
    this.#release().then(
      () => this.#report({ type: 'released' }),
      (error: unknown) => {
        // A dead app-server has nothing left to release (S3.70).
        if (error instanceof CodexLostError) this.#report({ type: 'released' });
        else this.#report({ type: 'notReleased', error: asError(error) });
      },
    );
  }

  async #ready(): Promise<void> {
    const { lifecycle } = this.#ports;
    await lifecycle.ready();
    if (this.#epoch === lifecycle.epoch) return;
    this.#reopening ??= this.#loadAgain().finally(() => {
      this.#reopening = null;
    });
    await this.#reopening;
  }

  async #loadAgain(): Promise<void> {
    try {
      const thread = await this.#ports.threads.resume(this.#threadId, this.#reopen);
      this.#epoch = thread.epoch;
    } catch (error) {
      throw reopenError(this.#threadId, error);
    }
  }

  async #release(): Promise<void> {
    const { lifecycle, threads } = this.#ports;
    if (this.#epoch !== lifecycle.epoch) return;
    const terminals = await threads.listTerminals(this.#threadId);
    for (const { processId } of terminals) await threads.terminateTerminal(this.#threadId, processId);
    await threads.unsubscribe(this.#threadId);
  }
}

/** What an interrupt error means (S3.2, S1.215). */
export function interruptRefusal(error: unknown): InterruptRefusal {
  if (!(error instanceof CodexRequestError)) return { type: 'other' };
  if (error.message.includes('no active turn to interrupt')) return { type: 'unregistered' };
  const mismatch = /expected active turn id `?([^\s`]+)`? but found `?([^\s`]+)`?/.exec(error.message);
  const [, expected, found] = mismatch ?? [];
  return expected === undefined || found === undefined ? { type: 'other' } : { type: 'mismatch', expected, found };
}

/** Says why an open session could not go on in a new process (S8.27, S8.29). */
function reopenError(sessionId: string, error: unknown): Error {
  if (error instanceof AgentError) return error;
  const message = asError(error).message;
  if (message.includes('no rollout found') || message.includes('not materialized')) {
    return new CodexLostError(
      `Session ${sessionId} had no messages yet and was lost when the Codex app-server restarted. Start a new session.`,
      { exitCode: null, signal: null, restartable: false },
    );
  }
  return new CodexLostError(`Could not reopen session ${sessionId} after the Codex app-server restarted: ${message}`, {
    exitCode: null,
    signal: null,
    restartable: true,
  });
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
