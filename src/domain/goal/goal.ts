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
