import type { CodexLostError } from '../errors/agent-error.ts';
import type { TokenBreakdown, TurnError } from '../thread/thread-event.ts';

/** Why work failed (S3 table 12.2). */
export type Failure =
  /** Codex reported a failed turn; `error` is `null` when it gave no reason. */
  | { readonly type: 'turn'; readonly turnId: string; readonly error: TurnError | null }
  /** The app-server died while the work ran. */
  | { readonly type: 'lost'; readonly cause: CodexLostError }
  /** Starting failed: Codex refused or a precondition did not hold. `code` and `data` as for a JSON-RPC error. */
  | { readonly type: 'refused'; readonly error: Error };

/** How a prompt's work, or a turn that Codex started itself, came to its end (S3.98). */
export type WorkOutcome =
  | { readonly type: 'done' }
  | { readonly type: 'cancelled' }
  | { readonly type: 'failed'; readonly failure: Failure };

/** Tokens that the work used, for the answer, counted as S3.160 says (S3.161 to S3.163). `null` when unknown. */
export interface WorkUsage {
  readonly tokens: TokenBreakdown | null;
  readonly model: string | null;
}

/** End of work as the client is told it; `usage` is absent for a turn without prompt (S3.98). */
export interface WorkEnding {
  readonly outcome: WorkOutcome;
  readonly usage: WorkUsage | null;
  /** Nobody waits for an answer that could tell how it ended: the turn of a steer (S3.144). */
  readonly unanswered?: true;
}

/** Why a prompt was cancelled before Codex recorded it (S3.23, S3.52, S3.59, S3.67). */
export type CancelReason = 'requestCancelled' | 'sessionCancelled' | 'sessionClosed' | 'sessionClosing';

/** The answer that a prompt still waits for (S3.40v1, S3.43). */
export interface PromptEnding extends WorkEnding {
  /** v2: the prompt was answered at insertion, so only the state update tells the end. */
  readonly inserted: boolean;
  /** Set when the prompt was cancelled; a cancel that Codex itself decided has none. */
  readonly reason: CancelReason | null;
}
