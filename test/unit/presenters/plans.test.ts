import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClientProfile } from '../../../src/domain/client/client-profile.ts';
import { planReviewAsk } from '../../../src/domain/interaction/plan-review-ask.ts';
import type { Event, Flow } from './flow.ts';
import { framesOf, goldenFlows, presenterOf, session } from './flow.ts';
import { featureProfiles } from './profiles.ts';

type Frame = Record<string, unknown>;

const report = (text: string, appended: string | null, completed = false): Event => ({
  type: 'planText',
  itemId: 'p',
  text,
  appended,
  completed,
});
const air = (payload: object): Frame => ({ _meta: { jetbrains: { air: { version: 1, ...payload } } } });
const snapshot = (content: string): Frame => ({
  sessionUpdate: 'plan_update',
  plan: { type: 'markdown', planId: 'p', content },
});
const delta = (contentDelta: string): Frame => ({ ...snapshot(''), ...air({ contentDelta }) });
const message = (text: string, messageId = 'p'): Frame => ({
  sessionUpdate: 'agent_message_chunk',
  messageId,
  content: { type: 'text', text },
});
const answer = (text: string, messageId?: string): Frame => ({
  ...message(text, messageId),
  ...air({ phase: 'final_answer' }),
});

const snapshots = 'plainV2 airV2 zedFullV1 airNoneFullV1';
const chunks = 'airV1 airNoneV1';

const texts: readonly Flow[] = [
  {
    name: 'S3.127 S4.86 S4.87 S11.22 the text of a plan grows; its end brings nothing new',
    events: [report('# A', '# A'), report('# A\nB', '\nB'), report('# A\nB', '', true)],
    frames: {
      [snapshots]: [snapshot('# A'), snapshot('# A\nB')],
      airFullV1: [snapshot('# A'), delta('\nB')],
      [chunks]: [answer('# A'), answer('\nB')],
      rest: [message('# A\nB')],
    },
  },
  {
    name: 'S3.127 S4.86 the end brings the rest',
    events: [report('# A', '# A'), report('# A\nB', '\nB', true)],
    frames: {
      [snapshots]: [snapshot('# A'), snapshot('# A\nB')],
      airFullV1: [snapshot('# A'), delta('\nB')],
      [chunks]: [answer('# A'), answer('\nB')],
      rest: [message('# A\nB')],
    },
  },
  {
    name: 'S3.127 S4.86 S4.87 another finished text is the right one',
    events: [report('# A', '# A'), report('# A!', '!'), report('# Other', null, true)],
    frames: {
      [snapshots]: [snapshot('# A'), snapshot('# A!'), snapshot('# Other')],
      airFullV1: [snapshot('# A'), delta('!'), snapshot('# Other')],
      [chunks]: [answer('# A'), answer('!'), answer('# Other', 'p:final')],
      rest: [message('# Other')],
    },
  },
  {
    name: 'S3.127 a plan that was not streamed comes whole',
    events: [report('# A', '# A', true)],
    frames: {
      [`${snapshots} airFullV1`]: [snapshot('# A')],
      [chunks]: [answer('# A')],
      rest: [message('# A')],
    },
  },
  {
    name: 'S4.86 an empty plan is not shown',
    events: [report('', ''), report('', '', true)],
    frames: { rest: [] },
  },
  {
    name: 'S3.127 two plans are told apart',
    events: [report('# A', '# A', true), { ...plan('q'), text: '# B', appended: '# B' }],
    frames: {
      [`${snapshots} airFullV1`]: [
        snapshot('# A'),
        { ...snapshot('# B'), plan: { type: 'markdown', planId: 'q', content: '# B' } },
      ],
      [chunks]: [answer('# A'), answer('# B', 'q')],
      rest: [message('# A'), message('# B', 'q')],
    },
  },
];

function plan(itemId: string): Extract<Event, { type: 'planText' }> {
  return { type: 'planText', itemId, text: '', appended: '', completed: true };
}

goldenFlows(texts, featureProfiles);

describe('the text of a plan', () => {
  const pieces = fc.array(fc.string({ minLength: 1, maxLength: 5 }), { maxLength: 8 });

  it.each(Object.entries(featureProfiles))(
    'S3.127 S4.86 S4.87 whatever its pieces and its end: %s shows the finished text',
    (_name, profile) => {
      fc.assert(
        fc.property(pieces, fc.option(fc.string({ minLength: 1 })), (streamed, other) => {
          expect(shownPlan(profile, planEvents(streamed, other))).toBe(other ?? streamed.join(''));
        }),
      );
    },
  );

  it('S3.179 more of a plan shows that a retry helped', () => {
    const error = { message: 'Reconnecting', info: 'other', details: null };
    const retry: Event = { type: 'turnError', turnId: 't1', error, scope: 'retry' };
    expect(framesOf(presenterOf(featureProfiles.airV2), [retry, report('# A', '# A')]).slice(1)).toEqual([
      { sessionUpdate: 'session_info_update', _meta: { jetbrains: null } },
      snapshot('# A'),
    ]);
  });
});

/** What Codex streams of a plan, and its end: the streamed text, or another one. */
function planEvents(streamed: readonly string[], other: string | null): Event[] {
  const text = streamed.join('');
  const reports = streamed.map((piece, index) => report(streamed.slice(0, index + 1).join(''), piece));
  if (other === null) return [...reports, report(text, '', true)];
  return [...reports, report(other, other.startsWith(text) ? other.slice(text.length) : null, true)];
}

/** The plan as a client shows it: the last message, or the plan with everything that was added to it. */
function shownPlan(profile: ClientProfile, events: readonly Event[]): string {
  const messages = new Map<string, string>();
  let shown = '';
  for (const frame of framesOf(presenterOf(profile), events) as Frame[]) {
    if (frame.sessionUpdate === 'plan_update') {
      const { content } = frame.plan as { content: string };
      const added = (frame._meta as { jetbrains: { air: { contentDelta: string } } } | undefined)?.jetbrains.air;
      shown = added === undefined ? content : shown + added.contentDelta;
    } else {
      const id = String(frame.messageId);
      const text = (messages.get(id) ?? '') + (frame.content as { text: string }).text;
      messages.set(id, text);
      shown = text;
    }
  }
  return shown;
}

const ask = planReviewAsk({ askId: 1, sessionId: session, itemId: 'p', plan: '# A' });
const options = [
  { optionId: 'implement_plan', name: 'Yes, implement this plan', kind: 'allow_once' },
  { optionId: 'revise_plan', name: 'No, and tell Codex what to do differently', kind: 'reject_once' },
];
const call = { toolCallId: 'plan-review:p', kind: 'switch_mode', status: 'pending', rawInput: { plan: '# A' } };
const title = 'Implement this plan?';
const requestV1 = { request: { sessionId: session, toolCall: { ...call, title }, options } };
const requestV2 = {
  request: { sessionId: session, title, subject: { type: 'tool_call', toolCall: call }, options },
};
const over = (more: object): Frame => ({
  sessionUpdate: 'tool_call_update',
  toolCallId: 'plan-review:p',
  ...more,
});
const reviewed = (outcome: 'approved' | 'kept' | 'withdrawn'): Event => ({
  type: 'planReviewed',
  itemId: 'p',
  outcome,
});
const review = (end: object): Flow['frames'] => ({
  'plainV2 airV2': [requestV2, over(end)],
  rest: [requestV1, over(end)],
});

const reviews: readonly Flow[] = [
  {
    name: 'S3.128 S3.129 S5.125 S5.37 the user approves a plan',
    events: [{ ask }, reviewed('approved')],
    frames: review({ status: 'completed', rawOutput: 'User approved the plan.' }),
  },
  {
    name: 'S3.128 S3.129 S5.126 the user does not; a second decision is not shown',
    events: [{ ask }, { refused: ask }, reviewed('kept'), reviewed('kept'), reviewed('withdrawn')],
    frames: review({ status: 'completed', rawOutput: 'User kept the session in plan mode.' }),
  },
  {
    name: 'S3.130 S5.31 S5.128 a withdrawn review fails and claims no answer',
    events: [{ ask }, { refused: ask }, reviewed('withdrawn'), reviewed('approved')],
    frames: review({ status: 'failed' }),
  },
];

goldenFlows(reviews, featureProfiles);
