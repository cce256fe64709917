import type { CommandItem, FileChangeItem } from '../thread/thread-item.ts';
import type { CommandApproval, FileChangeApproval, ServerAnswer } from './approval-request.ts';

export type PermissionOptionKind = 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always';

/** One answer that the user can give; `answer` is what Codex then gets (S5.47, S5.170), `null` when it gets nothing. */
export interface PermissionOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: PermissionOptionKind;
  readonly answer: ServerAnswer | null;
}

/** An option of a question that Codex asked and waits for. */
export interface ApprovalOption extends PermissionOption {
  readonly answer: ServerAnswer;
}

/** What Codex wants to do. `item` is the tool call the client already knows, if any (S5.40, S5.43). */
export type ApprovalSubject =
  | { readonly type: 'command'; readonly approval: CommandApproval; readonly item: CommandItem | null }
  | { readonly type: 'fileChange'; readonly approval: FileChangeApproval; readonly item: FileChangeItem | null };

/** What a permission request is about: an action of Codex, or a plan that it wrote (S3.128). `itemId` is the plan item. */
export type PermissionSubject =
  | ApprovalSubject
  | { readonly type: 'planReview'; readonly itemId: string; readonly plan: string };

/** A question to the user that waits for a decision. */
export interface PermissionAsk {
  /** Unique in the process; correlates answer and withdrawal, never the tool call id (S5.15). */
  readonly askId: number;
  readonly sessionId: string;
  readonly subject: PermissionSubject;
  readonly options: readonly PermissionOption[];
}

/** A question that Codex asked: whatever the user chooses, Codex gets an answer. */
export interface ApprovalAsk extends PermissionAsk {
  readonly subject: ApprovalSubject;
  readonly options: readonly ApprovalOption[];
}

/** Tool call that a permission request shows: that of the item, or one that only the request has (S5.125). */
export function askToolCallId(subject: PermissionSubject): string {
  switch (subject.type) {
    case 'command':
    case 'fileChange':
      return subject.approval.itemId;
    case 'planReview':
      return planReviewCallId(subject.itemId);
  }
}

/** Tool call that stands for the review of a plan item (S3.128). */
export function planReviewCallId(itemId: string): string {
  return `plan-review:${itemId}`;
}

/** What the client said to an ask; everything but an offered option refuses (S5.17). */
export type AskAnswer =
  | { readonly type: 'selected'; readonly optionId: string }
  | { readonly type: 'cancelled' }
  | { readonly type: 'failed'; readonly reason: string };
