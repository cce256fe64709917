import type { CommandItem, FileChangeItem } from '../thread/thread-item.ts';
import type { CommandApproval, FileChangeApproval, ServerAnswer } from './approval-request.ts';

export type PermissionOptionKind = 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always';

/** One answer that the user can give; `answer` is what Codex then gets (S5.47, S5.170). */
export interface PermissionOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: PermissionOptionKind;
  readonly answer: ServerAnswer;
}

/** What a permission request is about. `item` is the tool call the client already knows, if any (S5.40, S5.43). */
export type PermissionSubject =
  | { readonly type: 'command'; readonly approval: CommandApproval; readonly item: CommandItem | null }
  | { readonly type: 'fileChange'; readonly approval: FileChangeApproval; readonly item: FileChangeItem | null };

/** A question to the user that waits for a decision. */
export interface PermissionAsk {
  /** Unique in the process; correlates answer and withdrawal, never the tool call id (S5.15). */
  readonly askId: number;
  readonly sessionId: string;
  readonly subject: PermissionSubject;
  readonly options: readonly PermissionOption[];
}

/** What the client said to an ask; everything but an offered option refuses (S5.17). */
export type AskAnswer =
  | { readonly type: 'selected'; readonly optionId: string }
  | { readonly type: 'cancelled' }
  | { readonly type: 'failed'; readonly reason: string };
