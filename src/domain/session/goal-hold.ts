import type { CodexGoals } from '../../ports/outbound/codex-features.ts';
import type { Notice } from '../conversation/conversation-update.ts';
import { AgentError, CodexLostError } from '../errors/agent-error.ts';
import type { Goal } from '../goal/goal.ts';

/**
 * What became of the goal while its thread was loaded (S12.8): nothing was done to it; it was held and is pursued again;
 * it was held and is left paused.
 */
export type GoalAfterLoad = 'continued' | 'leftPaused' | 'untouched';

/**
 * Holds the goal of a thread that is about to be loaded. Codex goes on with an active goal at once, with the access that
 * the thread was recorded with, and nobody knows that access before the thread is loaded. A goal that is paused meanwhile
 * runs no turn until its thread was told what the client is shown (S12.8).
 */
export class GoalHold {
  readonly #goals: CodexGoals;
  readonly #threadId: string;
  readonly #held: boolean;

  private constructor(goals: CodexGoals, threadId: string, held: boolean) {
    this.#goals = goals;
    this.#threadId = threadId;
    this.#held = held;
  }

  /** Fails when an active goal cannot be paused: its thread must not be loaded then. */
  static async of(goals: CodexGoals, threadId: string, goal: Goal | null): Promise<GoalHold> {
    const active = goal?.status === 'active';
    if (active) await goals.set(threadId, { status: 'paused' });
    return new GoalHold(goals, threadId, active);
  }

  get held(): boolean {
    return this.#held;
  }

  /** Lets Codex pursue the goal again; `safe` is false when its turns could do more than the client is shown. */
  async end(safe: boolean, failed: (error: unknown) => void): Promise<GoalAfterLoad> {
    if (!this.#held) return 'untouched';
    if (!safe) return 'leftPaused';
    try {
      await this.#goals.set(this.#threadId, { status: 'active' });
      return 'continued';
    } catch (error) {
      failed(error);
      return 'leftPaused';
    }
  }
}

const leftPaused = 'The goal of the session was paused while it was opened, and is still paused.';
const advice = "Send '/goal resume' to go on with it.";

/** The client learns that its goal is not pursued any more. */
export function leftPausedNotice(): Notice {
  const description = `${leftPaused} ${advice}`;
  return {
    severity: 'warning',
    title: 'Goal paused',
    description,
    fallback: { kind: 'text', text: `Warning: ${description}\n\n` },
  };
}

/** The same for a client whose session was not opened at all. */
export function withGoalLeftPaused(error: unknown): AgentError {
  const reason = error instanceof Error ? error.message : String(error);
  const message = `${reason} ${leftPaused}`;
  if (error instanceof CodexLostError) return new CodexLostError(message, error.data);
  if (error instanceof AgentError) return new AgentError(error.kind, message, error.data);
  return new AgentError('internal', message);
}
