import { expect, it } from 'vitest';
import { askToolCallId } from '../../../src/domain/interaction/permission-ask.ts';
import { approvesPlan, planReviewAsk } from '../../../src/domain/interaction/plan-review-ask.ts';
import { commandApproval, fileChangeApproval } from './approvals.ts';

it('S3.128 S5.125 the question about a plan has two answers, and Codex gets neither', () => {
  expect(planReviewAsk({ askId: 7, sessionId: 's', itemId: 'p', plan: '# A' })).toEqual({
    askId: 7,
    sessionId: 's',
    subject: { type: 'planReview', itemId: 'p', plan: '# A' },
    options: [
      { optionId: 'implement_plan', name: 'Yes, implement this plan', kind: 'allow_once', answer: null },
      {
        optionId: 'revise_plan',
        name: 'No, and tell Codex what to do differently',
        kind: 'reject_once',
        answer: null,
      },
    ],
  });
});

it.each([
  [true, { type: 'selected', optionId: 'implement_plan' }],
  [false, { type: 'selected', optionId: 'revise_plan' }],
  [false, { type: 'selected', optionId: 'IMPLEMENT_PLAN' }],
  [false, { type: 'cancelled' }],
  [false, { type: 'failed', reason: 'implement_plan' }],
] as const)('S3.129 S3.130 S5.126 S5.129 only its option approves the plan: %s for %j', (approved, answer) => {
  expect(approvesPlan(answer)).toBe(approved);
});

it('S3.128 S5.32 the tool call of a question: that of the item, or one of its own for a plan', () => {
  const command = { type: 'command', approval: commandApproval(), item: null } as const;
  const patch = { type: 'fileChange', approval: fileChangeApproval(), item: null } as const;
  expect(askToolCallId(command)).toBe(command.approval.itemId);
  expect(askToolCallId(patch)).toBe(patch.approval.itemId);
  expect(askToolCallId({ type: 'planReview', itemId: 'p', plan: '' })).toBe('plan-review:p');
});
