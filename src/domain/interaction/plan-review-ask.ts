import type { AskAnswer, PermissionAsk, PermissionOption } from './permission-ask.ts';

const implementPlan = 'implement_plan';

/** Codex does not ask, so it gets no answer: a choice only decides what the session does next. */
const options: readonly PermissionOption[] = [
  { optionId: implementPlan, name: 'Yes, implement this plan', kind: 'allow_once', answer: null },
  {
    optionId: 'revise_plan',
    name: 'No, and tell Codex what to do differently',
    kind: 'reject_once',
    answer: null,
  },
];

/** Which plan is reviewed; `askId` is unique in the process, `plan` is the whole text. */
export interface PlanToReview {
  readonly askId: number;
  readonly sessionId: string;
  readonly itemId: string;
  readonly plan: string;
}

/** The question whether a finished plan is to be carried out (S3.128, S5.125). */
export function planReviewAsk({ askId, sessionId, itemId, plan }: PlanToReview): PermissionAsk {
  return { askId, sessionId, subject: { type: 'planReview', itemId, plan }, options };
}

/** Only the one option approves; an error, a cancel or an unknown option does not (S3.129, S3.130). */
export function approvesPlan(answer: AskAnswer): boolean {
  return answer.type === 'selected' && answer.optionId === implementPlan;
}
