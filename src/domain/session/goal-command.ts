import type { CodexGoals } from '../../ports/outbound/codex-features.ts';
import type { Goal } from '../goal/goal.ts';
import type { LocalRun } from './local-run.ts';

/** Codex took the change; its notification is not waited for any longer than this. */
const echoMs = 5000;

type Wait =
  /** Codex has not answered yet; notifications that came meanwhile may be the one. */
  | { readonly type: 'answer'; readonly updates: readonly Goal[]; readonly cleared: boolean }
  | { readonly type: 'update'; readonly goal: Goal }
  | { readonly type: 'cleared' };

/**
 * `/goal pause` and `/goal clear` (S3.118, S3.121): done when the matching notification came, so that the client has
 * seen the change before the command ends. The notification may come before the answer.
 */
export class GoalCommand {
  readonly #run: LocalRun;
  readonly #goals: CodexGoals;
  readonly #threadId: string;
  #wait: Wait = { type: 'answer', updates: [], cleared: false };

  constructor(run: LocalRun, goals: CodexGoals, threadId: string) {
    this.#run = run;
    this.#goals = goals;
    this.#threadId = threadId;
  }

  pause(): void {
    this.#run.settle(this.#goals.set(this.#threadId, { status: 'paused' }), (goal) => {
      const seen = this.#wait.type === 'answer' && this.#wait.updates.some((update) => matches(update, goal));
      this.#waitFor({ type: 'update', goal }, seen);
    });
  }

  clear(): void {
    this.#run.settle(this.#goals.clear(this.#threadId), (hadGoal) => {
      const seen = this.#wait.type === 'answer' && this.#wait.cleared;
      this.#waitFor({ type: 'cleared' }, seen || !hadGoal);
    });
  }

  updated(goal: Goal): void {
    const wait = this.#wait;
    if (wait.type === 'answer') this.#wait = { ...wait, updates: [...wait.updates, goal] };
    else if (wait.type === 'update' && matches(goal, wait.goal)) this.#run.done();
  }

  cleared(): void {
    const wait = this.#wait;
    if (wait.type === 'answer') this.#wait = { ...wait, cleared: true };
    else if (wait.type === 'cleared') this.#run.done();
  }

  #waitFor(wait: Wait, seen: boolean): void {
    if (seen) return this.#run.done();
    this.#wait = wait;
    this.#run.after(echoMs, () => this.#run.done());
  }
}

/** The notification of a change names the same goal as its answer (S3.119). */
function matches(one: Goal, other: Goal): boolean {
  return (
    one.objective === other.objective &&
    one.status === other.status &&
    one.tokenBudget === other.tokenBudget &&
    one.updatedAt === other.updatedAt
  );
}
