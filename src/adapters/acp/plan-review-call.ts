import type { ConversationUpdate } from '../../domain/conversation/conversation-update.ts';
import type { PermissionSubject } from '../../domain/interaction/permission-ask.ts';
import { askToolCallId, planReviewCallId } from '../../domain/interaction/permission-ask.ts';
import type { ToolReport } from './tool-report-filter.ts';

type PlanReview = Extract<PermissionSubject, { readonly type: 'planReview' }>;
type PlanReviewed = Extract<ConversationUpdate, { readonly type: 'planReviewed' }>;

export const planReviewTitle = 'Implement this plan?';

/** The tool call that stands for a plan review; all of it but the title, which v2 has at the request (S3.128, S5.37). */
export function planReviewCall(subject: PlanReview): ToolReport<never> {
  const toolCallId = askToolCallId(subject);
  return { toolCallId, kind: 'switch_mode', status: 'pending', rawInput: { plan: subject.plan } };
}

/** The end of that tool call. A withdrawn review claims no answer of the user (S3.129, S3.130, S5.128). */
export function planReviewEnd({ itemId, outcome }: PlanReviewed): ToolReport<never> {
  const toolCallId = planReviewCallId(itemId);
  switch (outcome) {
    case 'approved':
      return { toolCallId, status: 'completed', rawOutput: 'User approved the plan.' };
    case 'kept':
      return { toolCallId, status: 'completed', rawOutput: 'User kept the session in plan mode.' };
    case 'withdrawn':
      return { toolCallId, status: 'failed' };
  }
}
