import type { Goal } from '../goal/goal.ts';
import type { FileChange, ThreadItem } from './thread-item.ts';

/** Why a turn failed, as Codex tells it. `info` is an open union: any string or object (S3.14). */
export interface TurnError {
  readonly message: string;
  readonly info: unknown;
  readonly details: string | null;
}

export type TurnStatus = 'completed' | 'interrupted' | 'failed' | 'inProgress';

/** Tokens of one call or of a whole thread (S3.160). `inputTokens` includes cached and cache-write tokens. */
export interface TokenBreakdown {
  readonly totalTokens: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteInputTokens: number;
  readonly outputTokens: number;
  readonly reasoningOutputTokens: number;
}

/** Status of a thread as Codex publishes it; passed on to clients as it is (S3.85). */
export type ThreadStatus =
  | { readonly type: 'notLoaded' }
  | { readonly type: 'idle' }
  | { readonly type: 'systemError' }
  | { readonly type: 'active'; readonly activeFlags: readonly string[] };

export interface PlanStep {
  readonly step: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
}

/** One thing that happened in a thread: a Codex notification, translated once at the edge (architecture, section 2). */
export type ThreadEvent =
  /** `rootId`: the turn that led to this one, when there is one: a reviewer's turn names its review (S3.114). */
  | { readonly type: 'turnStarted'; readonly turnId: string; readonly rootId?: string }
  | {
      readonly type: 'turnCompleted';
      readonly turnId: string;
      readonly status: TurnStatus;
      readonly error: TurnError | null;
    }
  | { readonly type: 'itemStarted'; readonly turnId: string; readonly item: ThreadItem }
  | { readonly type: 'itemCompleted'; readonly turnId: string; readonly item: ThreadItem }
  | { readonly type: 'messageDelta'; readonly turnId: string; readonly itemId: string; readonly delta: string }
  | { readonly type: 'reasoningDelta'; readonly turnId: string; readonly itemId: string; readonly delta: string }
  | { readonly type: 'reasoningBreak'; readonly turnId: string; readonly itemId: string }
  | { readonly type: 'commandOutput'; readonly turnId: string; readonly itemId: string; readonly delta: string }
  | { readonly type: 'commandInput'; readonly turnId: string; readonly itemId: string; readonly stdin: string }
  | {
      readonly type: 'patchUpdated';
      readonly turnId: string;
      readonly itemId: string;
      readonly changes: readonly FileChange[];
    }
  | { readonly type: 'mcpProgress'; readonly turnId: string; readonly itemId: string; readonly message: string }
  | { readonly type: 'planUpdated'; readonly turnId: string; readonly steps: readonly PlanStep[] }
  | { readonly type: 'planDelta'; readonly turnId: string; readonly itemId: string; readonly delta: string }
  /** Unified diff of everything that the turn changed so far (S3.199). */
  | { readonly type: 'diffUpdated'; readonly turnId: string; readonly diff: string }
  /** `thread/compacted` of Codex before 0.171 (S3.168). */
  | { readonly type: 'compacted'; readonly turnId: string }
  | { readonly type: 'goalUpdated'; readonly goal: Goal }
  | { readonly type: 'goalCleared' }
  | {
      readonly type: 'tokenUsage';
      readonly turnId: string;
      readonly total: TokenBreakdown;
      readonly last: TokenBreakdown;
      readonly contextWindow: number | null;
    }
  | { readonly type: 'threadStatus'; readonly status: ThreadStatus }
  | { readonly type: 'threadArchived'; readonly archived: boolean }
  | { readonly type: 'threadClosed' }
  | { readonly type: 'threadName'; readonly name: string | null }
  | { readonly type: 'error'; readonly turnId: string; readonly error: TurnError; readonly willRetry: boolean }
  | { readonly type: 'requestResolved'; readonly requestId: string | number }
  | NoticeEvent;

/** Advice of Codex that is not part of the conversation (S3.181, S4.136). Some belong to no thread. */
export type NoticeEvent =
  | { readonly type: 'warning'; readonly message: string }
  | { readonly type: 'configWarning'; readonly summary: string; readonly details: string | null }
  | { readonly type: 'deprecation'; readonly summary: string; readonly details: string | null }
  | { readonly type: 'modelRerouted'; readonly from: string; readonly to: string; readonly reason: string };
