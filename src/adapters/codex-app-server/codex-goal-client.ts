import type { Goal } from '../../domain/goal/goal.ts';
import type { CodexGoals } from '../../ports/outbound/codex-features.ts';
import type { CallCodex } from './protocol.ts';
import { translateGoal } from './translate-goal.ts';

/** Goals of the running app-server (S3.118). */
export class CodexGoalClient implements CodexGoals {
  readonly #call: CallCodex;

  constructor(call: CallCodex) {
    this.#call = call;
  }

  async set(
    threadId: string,
    { objective, status }: { readonly objective?: string; readonly status: 'active' | 'paused' },
  ): Promise<Goal> {
    const answer = await this.#call('thread/goal/set', {
      threadId,
      ...(objective === undefined ? {} : { objective }),
      status,
    });
    const goal = translateGoal(answer.goal);
    if (goal === null) throw new Error('Codex took the goal but did not tell how it stands');
    return goal;
  }

  async clear(threadId: string): Promise<boolean> {
    const { cleared } = await this.#call('thread/goal/clear', { threadId });
    return cleared === true;
  }

  async read(threadId: string): Promise<Goal | null> {
    const { goal } = await this.#call('thread/goal/get', { threadId });
    return translateGoal(goal);
  }
}
