import type { AvailableCommand } from '../commands/available-command.ts';
import type { Goal } from '../goal/goal.ts';
import type { PromptBlock } from '../prompt/prompt-block.ts';
import type { FileChangeReport } from '../report/file-change-report.ts';
import type { SessionOption } from '../settings/session-option.ts';
import type { PlanStep, ThreadStatus, TurnError } from '../thread/thread-event.ts';
import type { CommandItem, FileChange, FileChangeItem, MessagePhase, ToolItem } from '../thread/thread-item.ts';
import type { WorkEnding } from '../turn/work-ending.ts';

/**
 * What a client is to be shown, in words of no protocol version. A presenter turns each into the frames of its version
 * once; v2 frames are never made from v1 frames (architecture, section 2).
 */
export type ConversationUpdate =
  /** Text of the agent. `messageId: null` is a one-off text that Codex does not know (S3.83). */
  | {
      readonly type: 'agentText';
      readonly messageId: string | null;
      readonly text: string;
      readonly phase: MessagePhase | null;
    }
  /** The finished message differs from what was streamed (S4.22): whole text, and the tail that is missing if the
   *  streamed text was a prefix. */
  | {
      readonly type: 'agentTextCorrected';
      readonly messageId: string;
      readonly text: string;
      readonly missing: string | null;
      readonly phase: MessagePhase | null;
    }
  | { readonly type: 'thought'; readonly messageId: string | null; readonly text: string }
  /** A user message was recorded by Codex; v1 shows none live (S4.31, S4.32). */
  | { readonly type: 'userMessage'; readonly messageId: string; readonly blocks: readonly PromptBlock[] }
  | { readonly type: 'toolStarted'; readonly item: ToolItem }
  /** `started` is false when the start was never shown (S4.54); `streamed` when output chunks were sent (S4.140). */
  | {
      readonly type: 'toolEnded';
      readonly item: ToolItem;
      readonly started: boolean;
      readonly streamed: boolean;
      /** Beginning of the output that came before Codex streamed it; no chunk showed it. */
      readonly missed?: string;
    }
  /** The work ended but Codex never ended the item (S4.56, S5.55b): it is closed as failed. */
  | { readonly type: 'toolAborted'; readonly item: ToolItem }
  /** The user allowed a call that the ask had shown as pending (S5.55). */
  | { readonly type: 'toolResumed'; readonly itemId: string }
  | { readonly type: 'commandOutput'; readonly item: CommandItem; readonly data: string }
  | { readonly type: 'commandInput'; readonly item: CommandItem; readonly stdin: string }
  /** The last part of the output of a running command for clients without terminals (S12.1). */
  | { readonly type: 'commandSnapshot'; readonly item: CommandItem; readonly tail: string }
  | { readonly type: 'patchChanged'; readonly item: FileChangeItem; readonly changes: readonly FileChange[] }
  | { readonly type: 'mcpProgress'; readonly itemId: string; readonly message: string }
  | { readonly type: 'plan'; readonly steps: readonly PlanStep[] }
  /**
   * The text of a proposed plan: all of it, and what is new since the last report, `null` when that is not simply more
   * text (S3.127). `completed`: no report of the item follows. Such a report is missing when the client already has all.
   */
  | {
      readonly type: 'planText';
      readonly itemId: string;
      readonly text: string;
      readonly appended: string | null;
      readonly completed: boolean;
    }
  /** The user decided about a plan, or nobody decides any more (S3.129). */
  | {
      readonly type: 'planReviewed';
      readonly itemId: string;
      readonly outcome: 'approved' | 'kept' | 'withdrawn';
    }
  /**
   * A compaction began or ended, each end once (S3.166 to S3.168). `reported` is false when no compaction item showed
   * its start. `error` is set when it failed.
   */
  | {
      readonly type: 'compaction';
      readonly compactionId: string;
      readonly status: 'in_progress' | 'completed' | 'failed' | 'cancelled';
      readonly error: string | null;
      readonly reported: boolean;
    }
  /** What clients that follow goals are told; `null` is no goal (S3.124). */
  | { readonly type: 'goal'; readonly goal: Goal | null }
  /** What the user may want to say next; an empty list takes a suggestion back (S3.195). */
  | { readonly type: 'suggestions'; readonly texts: readonly string[] }
  | { readonly type: 'fileChangeReport'; readonly report: FileChangeReport }
  /** The complete command list changed (S2.142). */
  | { readonly type: 'commands'; readonly commands: readonly AvailableCommand[] }
  | { readonly type: 'usage'; readonly used: number; readonly size: number }
  | { readonly type: 'title'; readonly title: string | null }
  | { readonly type: 'threadStatus'; readonly status: ThreadStatus }
  | { readonly type: 'threadArchived'; readonly archived: boolean }
  | { readonly type: 'threadClosed' }
  /** An error of Codex: of the running work, of another turn, or one that Codex retries (S1.219, S3.131, S3.174). */
  | {
      readonly type: 'turnError';
      readonly turnId: string;
      readonly error: TurnError;
      readonly scope: 'fatal' | 'other' | 'retry';
    }
  | { readonly type: 'notice'; readonly notice: Notice }
  /** How a session stands that a client opens: for v2, before the answer to the set-up (S2.45, S3.101). */
  | {
      readonly type: 'snapshot';
      readonly title: string | null;
      readonly state: 'idle' | 'requires_action' | 'running';
    }
  /** The complete option list changed (S2.98). */
  | { readonly type: 'optionsChanged'; readonly options: readonly SessionOption[] }
  /** v2 foreground state (S3.90); v1 has none. */
  | { readonly type: 'foreground'; readonly state: 'requires_action' | 'running' }
  | { readonly type: 'foreground'; readonly state: 'idle'; readonly ending: WorkEnding };

/** Advice that is not part of the conversation, with its forms for clients without notices (S4.136). */
export interface Notice {
  readonly severity: 'info' | 'warning';
  readonly title: string;
  readonly description: string | null;
  /** What a v1 client without notices gets instead: text, a thought, or nothing. */
  readonly fallback: { readonly kind: 'text' | 'thought'; readonly text: string } | null;
}
