/**
 * A goal that Codex pursues over several turns (S3.11). Times are in seconds: since the Unix epoch, or a duration.
 * `status` is one of Codex's names, or one that is new to us.
 */
export interface Goal {
  readonly objective: string;
  readonly status: string;
  readonly tokenBudget: number | null;
  readonly tokensUsed: number;
  readonly timeUsedSeconds: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A change of the goal that a client asks for (S3.118, S3.122). */
export type GoalChange =
  | { readonly action: 'set'; readonly objective: string }
  | { readonly action: 'pause' }
  | { readonly action: 'resume' }
  | { readonly action: 'clear' };

/** Tells one state of a goal from another, so that a report can be matched with the answer to a change (S3.119). */
export function goalKey({ objective, status, tokenBudget, updatedAt }: Goal): string {
  return JSON.stringify([objective, status, tokenBudget, updatedAt]);
}

/** What a change asks of Codex, when it is not a clear (S3.118). */
export function goalRequest(change: Exclude<GoalChange, { action: 'clear' }>): {
  readonly objective?: string;
  readonly status: 'active' | 'paused';
} {
  switch (change.action) {
    case 'set':
      return { objective: change.objective, status: 'active' };
    case 'pause':
      return { status: 'paused' };
    case 'resume':
      return { status: 'active' };
  }
}

/** Clients are told of another goal, not of what it used so far (S3.125). */
export function goalDiffers(before: Goal | null, after: Goal | null): boolean {
  if (before === null || after === null) return before !== after;
  return (
    before.objective.trim() !== after.objective.trim() ||
    before.status !== after.status ||
    before.tokenBudget !== after.tokenBudget ||
    before.createdAt !== after.createdAt
  );
}
