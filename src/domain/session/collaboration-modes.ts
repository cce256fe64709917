import type { Log } from '../../ports/outbound/system.ts';
import type { SessionContext } from '../feature/session-context.ts';
import type { CollaborationMode, SessionSettings } from '../settings/session-settings.ts';
import { collaborationModeOf, withCollaborationMode } from '../settings/session-settings.ts';
import type { TurnPolicy } from '../settings/turn-policy.ts';
import type { Work } from '../turn/turn-state.ts';
import { closingError } from './closing-error.ts';
import type { SessionWork } from './session-work.ts';
import type { TurnRunner } from './turn-runner.ts';

/** Who waits to hear that a change holds, or why it does not. */
interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** A change that waits for a prompt whose mode is fixed (S12.7). */
interface HeldChange {
  readonly mode: CollaborationMode;
  readonly waiter: Waiter;
  readonly promptId: string | null;
}

export interface CollaborationModesParts {
  readonly context: SessionContext;
  readonly runner: TurnRunner;
  readonly log: Log;
  readonly work: () => SessionWork;
  /** Brings the answer of Codex back through the mailbox, also while the session is being closed. */
  readonly post: (apply: () => void) => void;
  readonly changeSettings: (change: (settings: SessionSettings) => SessionSettings) => void;
}

/**
 * The collaboration mode is Codex's: every change is asked of it, and what it took is shown, whatever became of the work
 * meanwhile (S2.87). No start brings it along, so a change waits while a prompt is being started with the one before
 * (S12.7). A thread that is not loaded gets the mode that is shown when it is (S8.52).
 */
export class CollaborationModes {
  readonly #parts: CollaborationModesParts;
  /** Oldest first. */
  #held: HeldChange[] = [];
  /** Modes that Codex was asked for and has not answered, in order. */
  readonly #asked: { readonly mode: CollaborationMode }[] = [];
  readonly #waiters = new Set<Waiter>();
  /** Codex took it while the session was being closed, so that nobody was told. */
  #untold: CollaborationMode | null = null;

  constructor(parts: CollaborationModesParts) {
    this.#parts = parts;
  }

  /** A client's change. Later ones wait behind one that waits (S2.96). */
  change(mode: CollaborationMode, waiter: Waiter): void {
    const { context, work } = this.#parts;
    if (work().closing) return waiter.reject(closingError(context.sessionId));
    this.#held.push({ mode, waiter, promptId: startingPrompt(work().work) });
    this.settle();
  }

  /** `/plan` is the prompt that has the lane: it is not held up, and changes that are waiting came after it (S2.118). */
  toggle(waiter: Waiter): void {
    this.#change(this.#latest === 'plan' ? 'default' : 'plan', waiter);
  }

  /** An approved plan is carried out in the default mode (S2.89, S3.130). */
  leavePlanMode(attempt: number, policy: TurnPolicy): void {
    const { work } = this.#parts;
    this.#ask(
      'default',
      policy,
      () => work().step({ type: 'modeSwitched', attempt }),
      (error) => work().step({ type: 'modeNotSwitched', attempt, error }),
    );
  }

  /** The work may have changed: changes that waited for it are made. */
  settle(): void {
    const { work } = this.#parts;
    if (work().closing) return this.#dropHeld();
    for (let [next] = this.#held; next !== undefined; [next] = this.#held) {
      if (next.promptId !== null && next.promptId === startingPrompt(work().work)) return;
      this.#held.shift();
      this.#change(next.mode, next.waiter);
    }
  }

  /** The thread was loaded by other means than the next use of it: it gets the mode that was chosen meanwhile (S8.52). */
  threadLoaded(told: string | null): void {
    const { context, runner, log } = this.#parts;
    const loaded = collaborationModeOf(told);
    if (loaded === context.settings().collaborationMode) return;
    this.#ask(
      context.settings().collaborationMode,
      runner.settings,
      () => undefined,
      ({ message }) => {
        log.warn('Codex did not take the collaboration mode', { sessionId: context.sessionId, reason: message });
        this.#became(loaded);
      },
    );
  }

  /** The session is gone: nobody is left without an answer. */
  abandon(): void {
    this.#dropHeld();
    const error = closingError(this.#parts.context.sessionId);
    for (const { reject } of this.#waiters) reject(error);
    this.#waiters.clear();
  }

  /** The session stays open. */
  closeFailed(): void {
    this.abandon();
    if (this.#untold !== null) this.#became(this.#untold);
  }

  #dropHeld(): void {
    const { sessionId } = this.#parts.context;
    for (const { waiter } of this.#held.splice(0)) waiter.reject(closingError(sessionId));
  }

  /** The mode that the thread will have once Codex answered everything. */
  get #latest(): CollaborationMode {
    return this.#asked.at(-1)?.mode ?? this.#parts.context.settings().collaborationMode;
  }

  #change(mode: CollaborationMode, waiter: Waiter): void {
    const { context, runner } = this.#parts;
    if (this.#asked.length === 0 && mode === context.settings().collaborationMode) return waiter.resolve();
    if (!runner.loaded) {
      this.#became(mode);
      return waiter.resolve();
    }
    this.#waiters.add(waiter);
    const settled = (settle: () => void): void => {
      if (this.#waiters.delete(waiter)) settle();
    };
    this.#ask(
      mode,
      runner.settings,
      () => settled(waiter.resolve),
      (error) => settled(() => waiter.reject(error)),
    );
  }

  #ask(mode: CollaborationMode, policy: TurnPolicy, taken: () => void, refused: (error: Error) => void): void {
    const { runner, post } = this.#parts;
    const asked = { mode };
    this.#asked.push(asked);
    const answered = (then: () => void): void =>
      post(() => {
        this.#asked.splice(this.#asked.indexOf(asked), 1);
        then();
      });
    runner.switchMode(mode, policy).then(
      () =>
        answered(() => {
          this.#became(mode);
          taken();
        }),
      (error: unknown) => answered(() => refused(error instanceof Error ? error : new Error(String(error)))),
    );
  }

  #became(mode: CollaborationMode): void {
    const { work, changeSettings } = this.#parts;
    this.#untold = work().closing ? mode : null;
    if (this.#untold === null) changeSettings((settings) => withCollaborationMode(settings, mode));
  }
}

/**
 * The prompt that has been admitted and whose turn Codex has not begun: a mode that Codex is told now would be that
 * turn's. Compactions and reviews have none, and may wait long for the end of an agent turn (S3.111).
 */
function startingPrompt(work: Work): string | null {
  switch (work.phase) {
    case 'prep':
      return work.kind === 'compact' || work.kind === 'review' ? null : work.promptId;
    case 'starting':
      return work.promptId;
    case 'planReview':
      return work.step === 'switching' ? work.promptId : null;
    case 'agent':
    case 'closed':
    case 'closing':
    case 'draining':
    case 'idle':
    case 'local':
    case 'reloading':
    case 'running':
      return null;
  }
}
