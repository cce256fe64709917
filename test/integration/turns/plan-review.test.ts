import { describe, expect, test } from 'vitest';
import {
  type Json,
  type LabSession,
  type PermissionAsk,
  useAgent,
  withAgent,
  withRelay,
} from '../../support/integration.ts';
import { proposedPlan } from '../../support/model-answers.ts';
import { failure, hold, type Scripted, text } from '../../support/model-replies.ts';
import { profiles } from '../../support/profiles.ts';
import { messageText, openToolCalls, toolCall } from './tool-view.ts';

const plan = '1. Dig\n2. Build';
/** Codex ends each line of a plan. */
const planText = `${plan}\n`;

const modes = (updates: readonly Json[]): string[] =>
  updates
    .filter(({ sessionUpdate }) => sessionUpdate === 'config_option_update')
    .map(({ configOptions }) => modeOf(configOptions));

function modeOf(configOptions: Json): string {
  const option = configOptions.find((candidate: Json) => (candidate.id ?? candidate.configId) === 'collaboration_mode');
  return option.currentValue;
}

/** v2: every state with its stop reason. */
function states(session: LabSession, from = 0): string[] {
  return session
    .updates(from)
    .filter(({ sessionUpdate }) => sessionUpdate === 'state_update')
    .map(({ state, stopReason }) => (stopReason === undefined ? state : `${state} ${stopReason}`));
}

async function inPlanMode(session: LabSession, ...replies: readonly Scripted[]): Promise<LabSession> {
  await session.setOption('collaboration_mode', 'plan');
  session.model(...replies);
  return session;
}

describe.each([1, 2] as const)('v%i', (version) => {
  const agent = useAgent({ version });

  async function planning(...replies: readonly Scripted[]): Promise<LabSession> {
    return inPlanMode(await agent().open(), ...replies);
  }

  /** The session still works in plan mode and asks about the next plan. */
  async function expectNextReview(session: LabSession): Promise<void> {
    session.model(proposedPlan('Another plan'));
    const next = session.prompt('Next');
    const ask = await session.ask();
    expect(ask.toolCall.rawInput).toEqual({ plan: 'Another plan\n' });
    ask.select('revise_plan');
    expect((await next.ended).outcome).toBe('end_turn');
  }

  test('S3.128 S3.94 T20 a finished plan is put to the user once, after its turn; v2 waits for the user', async () => {
    const session = await planning(proposedPlan(plan, { before: 'Here it is.' }));
    const prompt = session.prompt('Plan it');
    const ask = await session.ask();
    const options = [
      { optionId: 'implement_plan', name: 'Yes, implement this plan', kind: 'allow_once' },
      { optionId: 'revise_plan', name: 'No, and tell Codex what to do differently', kind: 'reject_once' },
    ];
    const call = {
      toolCallId: expect.stringMatching(/^plan-review:./),
      kind: 'switch_mode',
      status: 'pending',
      rawInput: { plan: planText },
    };
    const title = 'Implement this plan?';
    expect(ask.frame.params).toEqual(
      version === 1
        ? { sessionId: session.id, toolCall: { ...call, title }, options }
        : { sessionId: session.id, title, subject: { type: 'tool_call', toolCall: call }, options },
    );
    if (version === 2) expect(states(session)).toEqual(['running', 'requires_action']);
    ask.select('revise_plan');
    await prompt.ended;
    expect(session.requests).toHaveLength(1);
  });

  test('S3.129 S3.130 T22 an approved plan leaves plan mode and runs in the same work, with one end', async () => {
    const session = await planning(proposedPlan(plan), text('Dug and built.'));
    const prompt = session.prompt('Plan it');
    const ask = await session.ask();
    ask.select('implement_plan');
    const end = await prompt.ended;
    expect([end.outcome, end.error]).toEqual(['end_turn', null]);
    expect(toolCall(end.updates)).toMatchObject({
      id: ask.toolCall.toolCallId,
      status: 'completed',
      rawOutput: 'User approved the plan.',
    });
    expect(modes(end.updates)).toEqual(['default']);
    expect(messageText(end.updates).endsWith('Dug and built.')).toBe(true);
    expect(session.requests.map(({ lastUserText }) => lastUserText)).toEqual([
      'Plan it',
      'Implement the approved plan.',
    ]);
    const [first, second] = session.requests;
    expect(second?.turnId).not.toBe(first?.turnId);
    expect(second?.model).toBe(first?.model);
    expect(second?.metadata.reasoning_effort).toBe(first?.metadata.reasoning_effort);
    // Both turns are the prompt's (S3.161).
    expect(end.usage.totalTokens).toBe(300);
    if (version === 1) return;
    expect(states(session)).toEqual(['running', 'requires_action', 'running', 'idle end_turn']);
    const { messageId } = await prompt.answer;
    const echoes = end.updates.filter(({ sessionUpdate }) => sessionUpdate === 'user_message_chunk');
    expect(echoes.map(({ content }) => content.text)).toEqual(['Plan it', 'Implement the approved plan.']);
    expect(echoes[0].messageId).toBe(messageId);
    expect(echoes[1].messageId).not.toBe(messageId);
  });

  test('S3.130 the implementation is not reviewed, and the next prompt is an ordinary one', async () => {
    const session = await planning(proposedPlan(plan), proposedPlan('And more'), text('The next one.'));
    const prompt = session.prompt('Plan it');
    (await session.ask()).select('implement_plan');
    const end = await prompt.ended;
    // Outside plan mode the block is text.
    expect(messageText(end.updates).endsWith('<proposed_plan>\nAnd more\n</proposed_plan>')).toBe(true);
    const next = await session.prompt('Next').ended;
    expect([next.outcome, messageText(next.updates)]).toEqual(['end_turn', 'The next one.']);
    expect(session.frames().filter(({ method }) => method === 'session/request_permission')).toHaveLength(1);
  });

  const rejections: readonly [string, (ask: PermissionAsk) => void][] = [
    ['the other option', (ask) => ask.select('revise_plan')],
    ['an option that was not offered', (ask) => ask.select('allow_always')],
    ['`cancelled`', (ask) => ask.answerCancelled()],
  ];

  test.each(rejections)('S3.129 S3.130 S5.148 T23 a plan answered with %s stays a plan', async (_, answer) => {
    const session = await planning(proposedPlan(plan));
    const prompt = session.prompt('Plan it');
    const ask = await session.ask();
    answer(ask);
    const end = await prompt.ended;
    expect(end.outcome).toBe('end_turn');
    expect(toolCall(end.updates)).toMatchObject({
      id: ask.toolCall.toolCallId,
      status: 'completed',
      rawOutput: 'User kept the session in plan mode.',
    });
    expect(modes(end.updates)).toEqual([]);
    if (version === 2) expect(states(session)).toEqual(['running', 'requires_action', 'idle end_turn']);
    await expectNextReview(session);
    expect(session.requests).toHaveLength(2);
  });

  test('S3.129 S5.129 T23 a client that cannot ask keeps the plan', () =>
    withAgent({ version, stderr: [/./] }, async (_, session) => {
      await inPlanMode(session, proposedPlan(plan));
      const prompt = session.prompt('Plan it');
      (await session.ask()).fail();
      const end = await prompt.ended;
      expect(end.outcome).toBe('end_turn');
      expect(toolCall(end.updates).rawOutput).toBe('User kept the session in plan mode.');
    }));

  test('S3.130 S5.128 T24 a cancel during the review withdraws it; nothing claims an answer and nothing is implemented', async () => {
    const session = await planning(proposedPlan(plan));
    const prompt = session.prompt('Plan it');
    const ask = await session.ask();
    session.cancel();
    await ask.withdrawn();
    const end = await prompt.ended;
    expect([end.outcome, end.error]).toEqual(['cancelled', null]);
    expect(toolCall(end.updates)).toMatchObject({ status: 'failed', rawOutput: null });
    expect(openToolCalls(end.updates)).toEqual([]);
    ask.select('implement_plan');
    if (version === 2) expect(states(session)).toEqual(['running', 'requires_action', 'idle cancelled']);
    await expectNextReview(session);
    expect(session.requests).toHaveLength(2);
    expect(modes(session.updates(prompt.from))).toEqual([]);
  });

  test('S3.59 T24 `$/cancel_request` during the review: v1 ends the prompt, v2 has answered it already', async () => {
    const session = await planning(proposedPlan(plan), text('Dug and built.'));
    const prompt = session.prompt('Plan it');
    const ask = await session.ask();
    prompt.cancelRequest();
    if (version === 1) await ask.withdrawn();
    ask.select('implement_plan');
    const end = await prompt.ended;
    expect(end.outcome).toBe(version === 1 ? 'cancelled' : 'end_turn');
    expect(session.requests).toHaveLength(version);
  });

  test('S3.130 S3.52 a cancel during the review also ends the prompts behind it', async () => {
    const session = await planning(proposedPlan(plan));
    const prompt = session.prompt('Plan it');
    const ask = await session.ask();
    const queued = session.prompt('Queued');
    session.cancel();
    await ask.withdrawn();
    expect((await prompt.ended).outcome).toBe('cancelled');
    const end = await queued.ended;
    expect(end.outcome).toBe(version === 1 ? 'cancelled' : 'rejected');
    if (version === 2) expect(end.error?.code).toBe(-32800);
    expect(session.requests).toHaveLength(1);
  });

  test('S3.36 S3.37 T21 a prompt behind the review waits for all of the work', async () => {
    const session = await planning(proposedPlan(plan), text('Dug and built.'), text('The next one.'));
    const prompt = session.prompt('Plan it');
    const ask = await session.ask();
    const queued = session.prompt('Next');
    ask.select('implement_plan');
    const end = await prompt.ended;
    expect(messageText(end.updates).endsWith('Dug and built.')).toBe(true);
    expect((await queued.ended).outcome).toBe('end_turn');
    expect(session.requests.map(({ lastUserText }) => lastUserText)).toEqual([
      'Plan it',
      'Implement the approved plan.',
      'Next',
    ]);
  });

  test('S3.130 S3.67 a close during the review withdraws it and ends the prompt as cancelled', async () => {
    const session = await planning(proposedPlan(plan));
    const prompt = session.prompt('Plan it');
    const ask = await session.ask();
    const closed = session.close();
    await ask.withdrawn();
    expect(await closed).toEqual({});
    const end = await prompt.ended;
    expect(end.outcome).toBe('cancelled');
    expect(toolCall(end.updates)).toMatchObject({ status: 'failed', rawOutput: null });
    if (version === 2) expect(states(session)).toEqual(['running', 'requires_action', 'idle cancelled']);
    ask.select('implement_plan');
    // The answer of a request behind it: the late choice was read, and started nothing.
    await agent().open();
    expect(session.requests).toHaveLength(1);
  });

  test('S3.130 an approval after the mode was changed away still runs the implementation', async () => {
    const session = await planning(proposedPlan(plan), text('Dug and built.'));
    const prompt = session.prompt('Plan it');
    const ask = await session.ask();
    const { configOptions } = await session.setOption('collaboration_mode', 'default');
    expect(modeOf(configOptions)).toBe('default');
    ask.select('implement_plan');
    const end = await prompt.ended;
    expect(end.outcome).toBe('end_turn');
    expect(messageText(end.updates).endsWith('Dug and built.')).toBe(true);
    expect(session.requests.at(-1)?.lastUserText).toBe('Implement the approved plan.');
  });

  test('S3.130 S3.142 S3.144 a steer during the review finds no turn: it asks for a prompt, or waits for the work to end', async () => {
    const session = await planning(proposedPlan(plan), text('Dug and built.'), text('Steered.'));
    const prompt = session.prompt('Plan it');
    const ask = await session.ask();
    const steer = (content: string, more: Json = {}): Promise<Json> =>
      agent().request('_session/steering', {
        sessionId: session.id,
        prompt: [{ type: 'text', text: content }],
        ...more,
      });
    const optedIn = { _meta: { steering: { idleBehavior: 'promptRequired' } } };
    expect(await steer('Held back', optedIn)).toEqual({ outcome: 'promptRequired', reason: 'noRunningTurn' });
    const later = steer('Steered text');
    ask.select('implement_plan');
    const end = await prompt.ended;
    expect([end.outcome, messageText(end.updates).endsWith('Dug and built.')]).toEqual(['end_turn', true]);
    expect((await later).outcome).toBe('startedNewTurn');
    await session.textShown('Steered.', prompt.from);
    await session.settled();
    expect(session.requests.map(({ lastUserText }) => lastUserText)).toEqual([
      'Plan it',
      'Implement the approved plan.',
      'Steered text',
    ]);
  });

  test('R21 T33 S3.130 a turn that Codex starts during the review: the implementation joins it', async () => {
    const gate = hold();
    const session = await planning();
    session.modelWith(({ userTexts }) => {
      if (userTexts.includes('Implement the approved plan.')) return text('Dug and built.');
      // The text that runs is no wait: the session works until the implementation cuts it off (S3.93).
      return userTexts.at(-1) === 'Plan it' ? proposedPlan(plan) : text('Of the goal. It goes on.').pauseAt(gate, 1);
    });
    const prompt = session.prompt('Plan it');
    const ask = await session.ask();
    // In plan mode Codex pursues no goal.
    await session.setOption('collaboration_mode', 'default');
    await agent().request('_session/goal', { sessionId: session.id, action: 'set', objective: 'Write a poem' });
    await session.textShown('Of', prompt.from);
    await agent().request('_session/goal', { sessionId: session.id, action: 'pause' });
    ask.select('implement_plan');
    const end = await prompt.ended;
    expect([end.outcome, toolCall(end.updates).rawOutput]).toEqual(['end_turn', 'User approved the plan.']);
    expect(messageText(end.updates)).toContain('Dug and built.');
    gate.open();
    await session.settled();
    const [, goal, implementation] = session.requests;
    expect(implementation?.lastUserText).toBe('Implement the approved plan.');
    expect(implementation?.turnId).toBe(goal?.turnId);
    if (version === 2) expect(states(session)).toEqual(['running', 'requires_action', 'running', 'idle end_turn']);
  });

  test('S3.128 a plan is not put to the user when the mode was changed away before its turn ended', async () => {
    const gate = hold();
    const session = await planning(
      text('', { deltas: ['<proposed_plan>\n', '1. Dig\n', '</proposed_plan>'] }).pauseAt(gate, 2),
      text('The next one.'),
    );
    const prompt = session.prompt('Plan it');
    await gate.reached;
    await session.setOption('collaboration_mode', 'default');
    gate.open();
    expect((await prompt.ended).outcome).toBe('end_turn');
    await session.prompt('Next').ended;
    expect(session.frames().filter(({ method }) => method === 'session/request_permission')).toEqual([]);
  });

  test.each([
    ['whose turn was cancelled', 'cancelled'],
    ['whose turn failed', 'failed'],
  ])('S3.128 a plan %s is not put to the user', async (_, how) => {
    const gate = hold();
    const incomplete = text('', { deltas: ['<proposed_plan>\n', '1. Dig\n', '2. Build'] }).pauseAt(gate, 2);
    const session = await planning(how === 'failed' ? failure(400) : incomplete, text('No plan.'));
    const prompt = session.prompt('Plan it');
    if (how === 'cancelled') {
      await gate.reached;
      session.cancel();
    }
    const end = await prompt.ended;
    if (how === 'cancelled') expect(end.outcome).toBe('cancelled');
    const next = await session.prompt('Next').ended;
    expect(messageText(next.updates)).toBe('No plan.');
    expect(session.frames().filter(({ method }) => method === 'session/request_permission')).toEqual([]);
  });

  test('S3.130 a cancel after the approval ends the implementation, and the mode stays what was told', async () => {
    const session = await planning(proposedPlan(plan), text('Shown and never shown.').pauseAt(hold(), 1));
    const prompt = session.prompt('Plan it');
    (await session.ask()).select('implement_plan');
    await session.textShown('Shown', prompt.from);
    session.cancel();
    const end = await prompt.ended;
    expect([end.outcome, modes(end.updates)]).toEqual(['cancelled', ['default']]);
    session.model(proposedPlan('Text now'));
    const next = await session.prompt('Next').ended;
    expect(messageText(next.updates)).toBe('<proposed_plan>\nText now\n</proposed_plan>');
  });

  test('R27 S3.130 Codex dies during the review: the review is withdrawn and the prompt fails with 1001', () =>
    withRelay({ version, stderr: [/app-server/] }, async (session, codex) => {
      await inPlanMode(session, proposedPlan(plan));
      const prompt = session.prompt('Plan it');
      const ask = await session.ask();
      codex.die();
      await ask.withdrawn();
      const end = await prompt.ended;
      expect([end.outcome, end.error?.code]).toEqual([version === 1 ? 'rejected' : 'error', 1001]);
      expect(toolCall(end.updates)).toMatchObject({ status: 'failed', rawOutput: null });
      ask.select('implement_plan');
      if (version === 2) expect(states(session)).toEqual(['running', 'requires_action', 'idle error']);
      // The new process works in the mode that the client sees.
      await expectNextReview(session);
      expect(session.requests).toHaveLength(2);
    }));

  test('R21 T11 S3.130 the start of the implementation is refused: the work fails, the next prompt works', () =>
    withRelay({ version }, async (session, codex) => {
      await inPlanMode(session, proposedPlan(plan), text('The next one.'));
      codex
        .on('agent', 'turn/start')
        .skip(1)
        .once()
        .rewrite((message) => ({ ...message, method: 'turn/unknown' }));
      const prompt = session.prompt('Plan it');
      (await session.ask()).select('implement_plan');
      const end = await prompt.ended;
      expect([end.outcome, end.error === null]).toEqual([version === 1 ? 'rejected' : 'error', false]);
      const next = await session.prompt('Next').ended;
      expect([next.outcome, messageText(next.updates)]).toEqual(['end_turn', 'The next one.']);
    }));
});

/** What the client of a profile has of the plan, and the messages that are not the plan's. */
interface PlanView {
  plan: string;
  reports: Json[];
  readonly messages: Json[];
}

function planView(updates: readonly Json[]): PlanView {
  const view: PlanView = { plan: '', reports: [], messages: [] };
  for (const update of updates) {
    if (update.sessionUpdate === 'agent_message_chunk') view.messages.push(update);
    if (update.sessionUpdate !== 'plan_update') continue;
    view.reports.push(update);
    const delta = update._meta?.jetbrains?.air.contentDelta;
    view.plan = delta === undefined ? update.plan.content : view.plan + delta;
  }
  return view;
}

const { plan: _, ...withoutPlan } = profiles.airV1.clientCapabilities;
const shown = [
  { name: 'plain v1', version: 1, profile: profiles.plainV1, form: 'one message' },
  { name: 'Zed v1', version: 1, profile: profiles.zedV1, form: 'one message' },
  { name: 'AIR v1', version: 1, profile: profiles.airV1, form: 'deltas' },
  {
    name: 'AIR v1 without plan updates',
    version: 1,
    profile: { ...profiles.airV1, clientCapabilities: withoutPlan },
    form: 'messages',
  },
  { name: 'plain v2', version: 2, profile: profiles.plainV2, form: 'snapshots' },
  { name: 'AIR v2', version: 2, profile: profiles.airV2, form: 'snapshots' },
] as const;

describe.each(shown)('$name', ({ version, profile, form }) => {
  const agent = useAgent({ version, profile });

  test('S3.127 S4.86 the text of a plan while it grows and in the end', async () => {
    const gate = hold();
    const deltas = ['<proposed_plan>\n', '1. Dig\n', '2. Build\n', '</proposed_plan>'];
    const session = await inPlanMode(await agent().open(), text('', { deltas }).pauseAt(gate, 2));
    const prompt = session.prompt('Plan it');
    await gate.reached;
    const first = '1. Dig\n';
    switch (form) {
      case 'deltas':
      case 'snapshots':
        await agent().waitFor('plan so far', () => planView(session.updates(prompt.from)).plan === first, prompt.from);
        break;
      case 'messages':
        await session.textShown(first, prompt.from);
        break;
      case 'one message':
        break;
    }
    gate.open();
    const ask = await session.ask();
    const { plan: told, reports, messages } = planView(session.updates(prompt.from, ask.position));
    const id = ask.toolCall.toolCallId.slice('plan-review:'.length);
    for (const { plan } of reports) expect(plan).toMatchObject({ type: 'markdown', planId: id });
    switch (form) {
      case 'one message':
        expect(reports).toEqual([]);
        expect(messages).toEqual([
          { sessionUpdate: 'agent_message_chunk', messageId: id, content: { type: 'text', text: planText } },
        ]);
        break;
      case 'messages':
        expect(reports).toEqual([]);
        expect(messages.map(({ content }) => content.text).join('')).toBe(planText);
        for (const message of messages) {
          expect(message).toMatchObject({ messageId: id, _meta: { jetbrains: { air: { phase: 'final_answer' } } } });
        }
        break;
      case 'deltas':
        expect([told, messages]).toEqual([planText, []]);
        // The first report is whole, the others are what is new; how many there are is a matter of time.
        expect(reports.map(({ plan, _meta }) => [plan.content === '', _meta !== undefined])).toEqual(
          reports.map((_, index) => [index > 0, index > 0]),
        );
        expect(reports.length).toBeGreaterThan(1);
        break;
      case 'snapshots':
        expect([told, messages]).toEqual([planText, []]);
        for (const report of reports) expect(report._meta).toBeUndefined();
        for (const { plan } of reports) expect(planText.startsWith(plan.content)).toBe(true);
        expect(reports.length).toBeGreaterThan(1);
        break;
    }
    // The question holds the whole plan, for every profile, and no metadata (S3.128).
    expect(ask.toolCall.rawInput).toEqual({ plan: planText });
    expect(JSON.stringify(ask.frame)).not.toContain('_meta');
    session.model(text('Dug and built.'));
    ask.select('implement_plan');
    expect((await prompt.ended).outcome).toBe('end_turn');
  });

  test('S3.127 the text streamed before a cancel is shown once', async () => {
    const gate = hold();
    const deltas = ['<proposed_plan>\n', '1. Dig\n', '2. Build'];
    const session = await inPlanMode(await agent().open(), text('', { deltas }).pauseAt(gate, 2));
    const prompt = session.prompt('Plan it');
    await gate.reached;
    if (form === 'deltas' || form === 'snapshots') await session.update('plan_update', undefined, prompt.from);
    else if (form === 'messages') await session.textShown('1. Dig\n', prompt.from);
    session.cancel();
    const end = await prompt.ended;
    expect(end.outcome).toBe('cancelled');
    const { plan: told, messages } = planView(end.updates);
    const text_ = told + messages.map(({ content }) => content.text).join('');
    // Without plan updates nothing need be read from Codex before the cancel.
    if (form === 'one message') expect(['', '1. Dig\n']).toContain(text_);
    else expect(text_).toBe('1. Dig\n');
  });
});
