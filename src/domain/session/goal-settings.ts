import type { CodexGoals } from '../../ports/outbound/codex-features.ts';
import type { Log } from '../../ports/outbound/system.ts';
import type { Notice } from '../conversation/conversation-update.ts';
import { CodexLostError } from '../errors/agent-error.ts';
import type { SessionContext } from '../feature/session-context.ts';
import type { Goal } from '../goal/goal.ts';
import type { SessionSettings } from '../settings/session-settings.ts';
import type { TurnPolicy } from '../settings/turn-policy.ts';
import { turnPolicy } from '../settings/turn-policy-of.ts';
import { closingError } from './closing-error.ts';
import type { SessionWork } from './session-work.ts';
import type { TurnRunner } from './turn-runner.ts';

/** A change of a client that waits until Codex has it. */
interface OpenChange {
  readonly before: SessionSettings;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export interface GoalSettingsParts {
  readonly context: SessionContext;
  readonly goals: CodexGoals;
  readonly runner: TurnRunner;
  readonly log: Log;
  readonly work: () => SessionWork;
  readonly changeSettings: (change: (settings: SessionSettings) => SessionSettings) => void;
}

/**
 * While Codex pursues a goal, it begins turns that no `turn/start` brings settings to: it is told at once what the client
 * is shown (S2.63, S12.8). Without an active goal a change of settings asks nothing of Codex.
 */
export class GoalSettings {
  readonly #parts: GoalSettingsParts;
  /** Oldest first. */
  readonly #open = new Set<OpenChange>();
  /** Updates that Codex has not answered. */
  readonly #unanswered = new Set<TurnPolicy>();
  #last: TurnPolicy | null = null;
  #active = false;
  /** What was compared last: the session's settings with those of the thread. */
  #compared: { readonly settings: SessionSettings; readonly revision: number } | null = null;

  constructor(parts: GoalSettingsParts) {
    this.#parts = parts;
  }

  updated(goal: Goal): void {
    this.#active = goal.status === 'active';
  }

  cleared(): void {
    this.#active = false;
  }

  /**
   * Changes settings for a client. They hold at once, also for a prompt that follows; resolved once the next turn of the
   * goal has them. What Codex refuses is taken back.
   */
  change(change: (settings: SessionSettings) => SessionSettings, open: Omit<OpenChange, 'before'>): void {
    const before = this.#parts.context.settings();
    this.#parts.changeSettings(change);
    this.#open.add({ ...open, before });
  }

  /** Something happened: the settings, the thread's or the goal may be others than before. */
  settle(): void {
    const { context, runner, work } = this.#parts;
    if (work().closing) return;
    // A thread that is not loaded gets them when it is (S2.97).
    if (!this.#active || !runner.loaded) return this.#succeed();
    // What is being started has settings of its own, which must not be changed any more (S12.7).
    if (work().work.phase === 'starting') return;
    const settings = context.settings();
    if (this.#compared?.settings !== settings || this.#compared.revision !== runner.revision) {
      const policy = turnPolicy(settings);
      if (!runner.has(policy)) this.#tell(policy);
      this.#leave();
    }
    if (this.#unanswered.size === 0) this.#succeed();
  }

  /** The session is being closed: answers that come now are lost. */
  abandon(): void {
    this.#unanswered.clear();
    this.#last = null;
    const { sessionId } = this.#parts.context;
    for (const { reject } of this.#takeOpen()) reject(closingError(sessionId));
  }

  #tell(policy: TurnPolicy): void {
    const { context, runner } = this.#parts;
    this.#last = policy;
    this.#unanswered.add(policy);
    context.settle(
      runner.apply(policy),
      () => this.#unanswered.delete(policy),
      (error) => {
        this.#unanswered.delete(policy);
        // A thread that is lost is loaded with what holds then; a later update has everything of this one.
        if (error instanceof CodexLostError) this.#leave();
        else if (policy === this.#last) this.#refused(error);
      },
    );
  }

  #refused(error: Error): void {
    const { context, log, changeSettings } = this.#parts;
    log.warn('Codex did not take the settings of a session', { sessionId: context.sessionId, reason: error.message });
    const [oldest, ...later] = this.#takeOpen();
    if (oldest === undefined) return this.#pause(error);
    const { mode, model, effort, fast } = oldest.before;
    changeSettings((settings) => ({ ...settings, mode, model, effort, fast }));
    for (const { reject } of [oldest, ...later]) reject(error);
  }

  /** Nobody is there whose change could be taken back: the goal must not go on with other settings than are shown. */
  #pause(cause: Error): void {
    const { context, goals } = this.#parts;
    this.#leave();
    context.settle(
      goals.set(context.sessionId, { status: 'paused' }),
      () => context.show({ type: 'notice', notice: pausedNotice(cause) }),
      (error) => context.show({ type: 'notice', notice: notPausedNotice(cause, error) }),
    );
  }

  /** The same settings are not tried again by themselves. */
  #leave(): void {
    const { context, runner } = this.#parts;
    this.#compared = { settings: context.settings(), revision: runner.revision };
  }

  #succeed(): void {
    for (const { resolve } of this.#takeOpen()) resolve();
  }

  #takeOpen(): OpenChange[] {
    const open = [...this.#open];
    this.#open.clear();
    return open;
  }
}

function pausedNotice(cause: Error): Notice {
  return warning(
    'Goal paused',
    `The goal was paused: Codex did not take the settings of the session for it (${cause.message}). ` +
      "Send '/goal resume' to go on with it.",
  );
}

function notPausedNotice(cause: Error, error: Error): Notice {
  return warning(
    'Goal has other settings',
    `Codex did not take the settings of the session (${cause.message}) and did not pause the goal (${error.message}): ` +
      "it may go on with the settings from before. Send '/goal pause' or stop it.",
  );
}

function warning(title: string, description: string): Notice {
  return { severity: 'warning', title, description, fallback: { kind: 'text', text: `Warning: ${description}\n\n` } };
}
