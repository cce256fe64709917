import type { PromptTask } from '../commands/prompt-task.ts';
import type { CodexInput, PromptBlock } from '../prompt/prompt-block.ts';

/** A prompt while it waits and runs. */
export interface PromptWork {
  /** Unique in the process. */
  readonly promptId: string;
  /** A request of the client waits for its answer; none does for the turn of a steer (S3.144). */
  readonly requested: boolean;
  /** Id of the user message, minted by us and recorded by Codex (S3.40). */
  readonly messageId: string;
  readonly blocks: readonly PromptBlock[];
  readonly input: readonly CodexInput[];
  readonly hasImage: boolean;
  readonly task: PromptTask;
  /** Blocks behind a command that are left out; the user is told (C020). */
  readonly ignoredBlocks: number;
  /** Id under which the client wants to hear which files changed (S3.196); `null` when it does not. */
  readonly reportId: string | null;
}
