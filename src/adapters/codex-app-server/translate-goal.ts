import type { Goal } from '../../domain/goal/goal.ts';
import type * as wire from './protocol.generated.ts';

/** A goal in the core's words; `null` when there is none (S3.11). */
export function translateGoal(goal: wire.ThreadGoal | null | undefined): Goal | null {
  if (typeof goal?.objective !== 'string') return null;
  return {
    objective: goal.objective,
    status: goal.status ?? '',
    tokenBudget: goal.tokenBudget ?? null,
    tokensUsed: goal.tokensUsed ?? 0,
    timeUsedSeconds: goal.timeUsedSeconds ?? 0,
    createdAt: goal.createdAt ?? 0,
    updatedAt: goal.updatedAt ?? 0,
  };
}
