import { CodexLostError, CodexRequestError } from '../errors/agent-error.ts';

/** Why Codex did not take more input for a turn (S3.3, S3.143). */
export type SteerRefusal =
  /** No turn runs any more: the input needs a turn of its own. */
  | { readonly type: 'noActiveTurn' }
  /** Another turn runs than the one that was named. */
  | { readonly type: 'mismatch'; readonly expected: string; readonly found: string }
  /** Codex is gone, perhaps with the input (S8.67). */
  | { readonly type: 'lost'; readonly cause: CodexLostError }
  /** Its image was not sent: the model of the turn takes none (S3.25). */
  | { readonly type: 'image' }
  /** A review or a compaction runs, or something else went wrong. */
  | { readonly type: 'other' };

/** What a steer error means; Codex tells them apart by their texts only. */
export function steerRefusal(error: unknown): SteerRefusal {
  if (error instanceof CodexLostError) return { type: 'lost', cause: error };
  if (!(error instanceof CodexRequestError)) return { type: 'other' };
  if (error.message.includes('no active turn to steer')) return { type: 'noActiveTurn' };
  const mismatch = /expected active turn id `?([^\s`]+)`? but found `?([^\s`]+)`?/.exec(error.message);
  const [, expected, found] = mismatch ?? [];
  return expected === undefined || found === undefined ? { type: 'other' } : { type: 'mismatch', expected, found };
}
