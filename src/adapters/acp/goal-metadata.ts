import type { Goal } from '../../domain/goal/goal.ts';

/** `_meta.jetbrains.air.goal` (S3.124, S11.7). Times are in milliseconds since the Unix epoch, the duration in seconds. */
export interface GoalMetadata {
  readonly objective: string;
  readonly status: 'active' | 'blocked' | 'complete' | 'limited' | 'paused';
  readonly tokenBudget: number | null;
  readonly tokensUsed: number;
  readonly timeUsedSeconds: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly controlMethod: '_session/goal';
}

/** Names of Codex; two of its limits are one to the client. */
const statuses: ReadonlyMap<string, GoalMetadata['status']> = new Map<string, GoalMetadata['status']>([
  ['active', 'active'],
  ['paused', 'paused'],
  ['blocked', 'blocked'],
  ['complete', 'complete'],
  ['usageLimited', 'limited'],
  ['budgetLimited', 'limited'],
]);

/** A goal as AIR reads it; `null` is no goal. */
export function goalMetadata(goal: Goal | null): GoalMetadata | null {
  if (goal === null) return null;
  const { tokenBudget, tokensUsed, timeUsedSeconds } = goal;
  return {
    objective: goal.objective.trim(),
    // AIR knows these five only (S11.7). One that is new to us is told as blocked: not at work, and not over.
    status: statuses.get(goal.status) ?? 'blocked',
    tokenBudget,
    tokensUsed,
    timeUsedSeconds,
    createdAt: goal.createdAt * 1000,
    updatedAt: goal.updatedAt * 1000,
    controlMethod: '_session/goal',
  };
}
