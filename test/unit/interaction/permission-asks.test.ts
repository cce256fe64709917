import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ApprovalAsk } from '../../../src/domain/interaction/permission-ask.ts';
import { buildAsk, decide } from '../../../src/domain/interaction/permission-asks.ts';
import { commandApproval, commandItem, execpolicy, fileChangeApproval, fileChangeItem } from './approvals.ts';

const context = { askId: 7, sessionId: 'th1', item: null };

function commandAsk(): ApprovalAsk {
  const ask = buildAsk(commandApproval({ proposedExecpolicyAmendment: ['touch'] }), context);
  if (ask === null) throw new Error('An ask was expected');
  return ask;
}

it('S5.15 an ask carries its own id, its session, the request and the tool call that is known', () => {
  const approval = commandApproval();
  expect(buildAsk(approval, { ...context, item: commandItem })).toMatchObject({
    askId: 7,
    sessionId: 'th1',
    subject: { type: 'command', approval, item: commandItem },
  });
  const patch = fileChangeApproval();
  expect(buildAsk(patch, { ...context, item: fileChangeItem })?.subject).toEqual({
    type: 'fileChange',
    approval: patch,
    item: fileChangeItem,
  });
});

it('S5.40 S5.91 an item of another kind counts as unknown', () => {
  expect(buildAsk(commandApproval(), { ...context, item: fileChangeItem })?.subject.item).toBeNull();
  const ask = buildAsk(fileChangeApproval(), { ...context, item: commandItem });
  expect(ask?.subject.item).toBeNull();
  expect(ask?.options.map(({ optionId }) => optionId)).toEqual(['allow_once', 'cancel']);
});

it('S5.45 S5.51 what cannot be asked honestly is not asked', () => {
  expect(buildAsk(commandApproval({ availableDecisions: [] }), context)).toBeNull();
  expect(buildAsk(commandApproval({ availableDecisions: ['accept'] }), context)).toBeNull();
});

it.each([
  ['allow_once', 'accept', true],
  ['allow_for_session', 'acceptForSession', true],
  ['accept_execpolicy_amendment', execpolicy(['touch']), true],
  ['decline', 'decline', false],
  ['cancel', 'cancel', false],
])('S5.17 S5.52 C027 option %s answers %j', (optionId, decision, allowed) => {
  const answer = { type: 'commandApproval', decision };
  expect(decide(commandAsk(), { type: 'selected', optionId })).toEqual({ answer, allowed });
});

it.each([
  ['allow_once', 'accept', true],
  ['allow_for_session', 'acceptForSession', true],
  ['cancel', 'cancel', false],
])('S5 section 7 option %s of a patch answers %j', (optionId, decision, allowed) => {
  const ask = buildAsk(fileChangeApproval(), { ...context, item: fileChangeItem });
  const answer = { type: 'fileChangeApproval', decision };
  expect(ask && decide(ask, { type: 'selected', optionId })).toEqual({ answer, allowed });
});

it.each([
  ['a cancelled outcome', { type: 'cancelled' }],
  ['an error of the client (C030: the spec says cancel)', { type: 'failed', reason: '-32601' }],
  ['an id that was not offered', { type: 'selected', optionId: 'apply_network_policy_amendment:0' }],
  ['an id in another case', { type: 'selected', optionId: 'ALLOW_ONCE' }],
  ['a kind instead of an id', { type: 'selected', optionId: 'allow_always' }],
  ['the name of an object member', { type: 'selected', optionId: '__proto__' }],
  ['an empty id', { type: 'selected', optionId: '' }],
] as const)('S5.16 S5.17 refuses on %s', (_case, answer) => {
  expect(decide(commandAsk(), answer)).toEqual({
    answer: { type: 'commandApproval', decision: 'cancel' },
    allowed: false,
  });
  const patchAsk = buildAsk(fileChangeApproval(), context);
  expect(patchAsk && decide(patchAsk, answer)).toEqual({
    answer: { type: 'fileChangeApproval', decision: 'cancel' },
    allowed: false,
  });
});

it('S5.91 a lasting grant that was not offered is not taken', () => {
  const ask = buildAsk(fileChangeApproval(), context);
  expect(ask && decide(ask, { type: 'selected', optionId: 'allow_for_session' }).allowed).toBe(false);
});

it('S5.164 no answer but an offered allowing id ever allows', () => {
  const ask = commandAsk();
  const allowing = ['allow_once', 'allow_for_session', 'accept_execpolicy_amendment'];
  fc.assert(
    fc.property(fc.string(), (optionId) => {
      expect(decide(ask, { type: 'selected', optionId }).allowed).toBe(allowing.includes(optionId));
    }),
  );
});

it('S5.171 later changes of the request do not reach the answer', () => {
  const proposed = ['touch'];
  const ask = buildAsk(commandApproval({ proposedExecpolicyAmendment: proposed }), context);
  proposed[0] = 'rm';
  expect(ask && decide(ask, { type: 'selected', optionId: 'accept_execpolicy_amendment' }).answer).toEqual({
    type: 'commandApproval',
    decision: execpolicy(['touch']),
  });
});
