import type { GoalChange } from '../goal/goal.ts';
import type { ReviewTarget } from '../review/review-target.ts';
import type { LocalCommand } from './local-command.ts';

/** What a prompt asks for: a turn with its text, or a command that was recognised in it (S3.30, S3.31). */
export type PromptTask =
  | { readonly type: 'turn' }
  | { readonly type: 'compact' }
  | { readonly type: 'review'; readonly target: ReviewTarget }
  | { readonly type: 'goal'; readonly change: Extract<GoalChange, { action: 'resume' | 'set' }> }
  /** Needs no turn of Codex. `name` is the command without slash. */
  | { readonly type: 'local'; readonly name: string; readonly command: LocalCommand };
