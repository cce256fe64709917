import type { GoalChange } from '../goal/goal.ts';

/** A command that holds the lane and starts no turn (S3.31, S3.33). */
export type LocalCommand =
  | { readonly type: 'goal'; readonly change: Extract<GoalChange, { action: 'clear' | 'pause' }> }
  | { readonly type: 'logout' }
  | { readonly type: 'mcp'; readonly reconnect: boolean }
  | { readonly type: 'plan' }
  | { readonly type: 'rename'; readonly title: string }
  | { readonly type: 'skills' }
  | { readonly type: 'status' }
  /** Tells how a command is used (S3.32). */
  | { readonly type: 'usage'; readonly text: string };
