import type { LocalCommand } from '../commands/local-command.ts';
import type { GoalChange } from '../goal/goal.ts';
import type { CodexInput, PromptBlock } from '../prompt/prompt-block.ts';
import type { ReviewTarget } from '../review/review-target.ts';

/** What a prompt asks for: a turn with its text, or a command that was recognised in it (S3.30, S3.31). */
export type PromptTask =
  | { readonly type: 'turn' }
  | { readonly type: 'compact' }
  | { readonly type: 'review'; readonly target: ReviewTarget }
  | { readonly type: 'goal'; readonly change: Extract<GoalChange, { action: 'resume' | 'set' }> }
  /** Needs no turn of Codex. `name` is the command without slash. */
  | { readonly type: 'local'; readonly name: string; readonly command: LocalCommand };

/** A prompt while it waits and runs. */
export interface PromptWork {
  /** Names the client's request; unique in the process. */
  readonly promptId: string;
  /** Id of the user message, minted by us and recorded by Codex (S3.40). */
  readonly messageId: string;
  readonly blocks: readonly PromptBlock[];
  readonly input: readonly CodexInput[];
  readonly hasImage: boolean;
  readonly task: PromptTask;
  /** Id under which the client wants to hear which files changed (S3.196); `null` when it does not. */
  readonly reportId: string | null;
}
