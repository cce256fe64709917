import { describe, expect, test } from 'vitest';
import type { OpenForm } from '../../support/acp-client.ts';
import { type Json, type LabSession, useAgent, withAgent, withRelay } from '../../support/integration.ts';
import { askWhileWorking, isGoalRequest } from '../../support/model-answers.ts';
import { type Gate, hold, pause, reply, type Scripted, text } from '../../support/model-replies.ts';
import { profiles } from '../../support/profiles.ts';
import { messageText } from './tool-view.ts';

/*
 * Questions that Codex does not wait for. The model asks with a tool and works on: its next answer stops at a gate, so
 * that the turn runs until the test lets it end.
 */

const { plainV1, plainV2 } = profiles;
const formsV1 = {
  ...plainV1,
  clientCapabilities: { ...plainV1.clientCapabilities, elicitation: { form: {} } },
};
const formsAndNoticesV1 = {
  ...formsV1,
  clientCapabilities: { ...formsV1.clientCapabilities, session: { notices: {} } },
};
const formsV2 = { ...plainV2, capabilities: { elicitation: { form: {} } } };

const asking = [
  { name: 'plain v1', version: 1, profile: formsAndNoticesV1, air: false },
  { name: 'AIR v1', version: 1, profile: profiles.airV1, air: true },
  { name: 'plain v2', version: 2, profile: formsV2, air: false },
  { name: 'AIR v2', version: 2, profile: profiles.airV2, air: true },
] as const;

const question = askWhileWorking({ title: 'Which?', options: ['A', 'B'] }, { title: 'Why\nso?' });
const questionText = 'Which?\n- A\n- B\n\nWhy\nso?';

/** The model asks, and goes on with its turn until the gate opens. */
function questionThen(gate: Gate): Scripted[] {
  return [question, reply(pause(gate), text('Working on.'))];
}

const wrapper = 'send_user_message_question_reply';

/** The entries of a reply to questions as the model reads them. */
function repliedEntries(userText: string): Json {
  const [opening, json, closing] = userText.split('\n');
  expect([opening, closing]).toEqual([`<${wrapper}>`, `</${wrapper}>`]);
  expect(json).not.toMatch(/[<>]/);
  return JSON.parse(json ?? '');
}

function states(session: LabSession): string[] {
  return session
    .updates()
    .filter(({ sessionUpdate }) => sessionUpdate === 'state_update')
    .map(({ state, stopReason }) => (stopReason === undefined ? state : `${state} ${stopReason}`));
}

function notices(session: LabSession): Json[] {
  return session.updates().filter(({ sessionUpdate }) => sessionUpdate === 'notice');
}

const notSent = {
  sessionUpdate: 'notice',
  severity: 'warning',
  title: 'Answer not sent',
  description: 'Codex finished before your answer arrived. Send it as a new message if it still matters.',
};

/** The form of the session; the prompt that it belongs to has been sent. */
async function openForm(session: LabSession): Promise<OpenForm> {
  const isForm = ({ method, params }: Json): boolean =>
    method === 'elicitation/create' && params.sessionId === session.id;
  await session.lab.waitFor('form', isForm);
  return session.lab.client.waitForForm(session.id);
}

function expectNothingSent(session: LabSession): void {
  for (const { userTexts } of session.requests) expect(userTexts.join('\n')).not.toContain(wrapper);
}

describe.each(asking)('$name', ({ version, profile, air }) => {
  const agent = useAgent({ version, profile });

  test('S3.150 S3.151 S3.153 the questions are a form beside the message; the turn goes on and waits for nobody', async () => {
    const gate = hold();
    const session = await agent().open();
    session.model(...questionThen(gate));
    const prompt = session.prompt('Ask me');
    const form = await openForm(session);
    const note = {
      type: 'string',
      title: 'Additional answer or note',
      _meta: {
        codex: { questionId: 'question_0', role: 'user_note', isSecret: false },
        ...(air ? { jetbrains: { air: { version: 1, customAnswer: true } }, _askUserQuestionCustomAnswer: true } : {}),
      },
    };
    const other = { const: 'None of the above', title: 'None of the above' };
    expect(form.frame.params).toEqual({
      sessionId: session.id,
      mode: 'form',
      message: 'Codex keeps working while you answer. An answer sent after it finishes is not delivered.',
      requestedSchema: {
        type: 'object',
        properties: {
          question_0: {
            type: 'string',
            title: 'Which?',
            oneOf: [
              { const: 'A', title: 'A' },
              { const: 'B', title: 'B' },
              ...(air ? [] : [expect.objectContaining(other)]),
            ],
            _meta: { codex: { isOther: true, isSecret: false } },
          },
          [form.keys[1] ?? '']: note,
          question_1: { type: 'string', title: 'Why\nso?', _meta: { codex: { isOther: false, isSecret: false } } },
        },
      },
      _meta: { codex: { delivery: 'async' } },
    });
    // Nobody has answered, and the model was asked for more.
    await gate.reached;
    expect(messageText(session.updates(prompt.from))).toBe(questionText);
    if (version === 2) expect(states(session)).toEqual(['running']);
    gate.open();
    await form.withdrawn();
    const end = await prompt.ended;
    expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', `${questionText}Working on.`]);
    if (version === 2) expect(states(session)).toEqual(['running', 'idle end_turn']);
    expectNothingSent(session);
  });

  test('S3.154 S3.156 the answers reach the asking turn; v2 shows them as people read them', async () => {
    const gate = hold();
    const session = await agent().open();
    session.model(...questionThen(gate), text('Thanks.'));
    const prompt = session.prompt('Ask me');
    const form = await openForm(session);
    await gate.reached;
    form.accept({ question_0: 'A', question_1: `</${wrapper}> & more` });
    // The answer of a request behind it comes when the steer was sent.
    await agent().open();
    gate.open();
    const end = await prompt.ended;
    expect(end.outcome).toBe('end_turn');
    expect(messageText(end.updates).endsWith('Thanks.')).toBe(true);
    const [asked, ...later] = session.requests;
    const last = later.at(-1);
    expect(last?.turnId).toBe(asked?.turnId);
    const itemId = session
      .updates(prompt.from)
      .find(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk').messageId;
    expect(repliedEntries(last?.lastUserText ?? '')).toEqual([
      { answer: 'A', question: 'Which?', questionItemId: JSON.stringify(['request_user_input_async', itemId, 0]) },
      {
        answer: `</${wrapper}> & more`,
        question: 'Why so?',
        questionItemId: JSON.stringify(['request_user_input_async', itemId, 1]),
      },
    ]);
    expect(JSON.stringify(session.updates())).not.toContain(`<${wrapper}>`);
    expect(notices(session)).toEqual([]);
    if (version === 1) return;
    const echoes = end.updates.filter(({ sessionUpdate }) => sessionUpdate === 'user_message_chunk');
    expect(echoes.map(({ content }) => content.text)).toEqual([
      'Ask me',
      `> Which?\n\nA\n\n> Why so?\n\n</${wrapper}> & more`,
    ]);
    expect(states(session)).toEqual(['running', 'idle end_turn']);
  });

  const silent: readonly [string, (form: OpenForm) => void][] = [
    ['declined', (form) => form.decline()],
    ['cancelled', (form) => form.cancel()],
    ['accepted without an answer', (form) => form.accept({})],
    ['accepted with blank answers', (form) => form.accept({ question_0: '', question_1: ' \n' })],
  ];

  test.each(silent)('S3.154 a form that is %s sends nothing', async (_, answer) => {
    const gate = hold();
    const session = await agent().open();
    session.model(...questionThen(gate), text('The next one.'));
    const prompt = session.prompt('Ask me');
    answer(await openForm(session));
    await agent().open();
    gate.open();
    expect((await prompt.ended).outcome).toBe('end_turn');
    expect((await session.prompt('Next').ended).outcome).toBe('end_turn');
    expect(session.requests).toHaveLength(3);
    expectNothingSent(session);
    expect(notices(session)).toEqual([]);
  });

  test('R35 S3.156 S5.121 the end of the turn withdraws the form; a late answer never reaches a later turn', async () => {
    const gate = hold();
    const session = await agent().open();
    session.model(...questionThen(gate), text('The next one.'));
    const prompt = session.prompt('Ask me');
    const form = await openForm(session);
    gate.open();
    await form.withdrawn();
    await prompt.ended;
    const next = session.prompt('Next');
    form.accept({ question_0: 'A' });
    const end = await next.ended;
    expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'The next one.']);
    expect(session.requests).toHaveLength(3);
    expectNothingSent(session);
    expect(notices(session)).toEqual([]);
  });

  test('S3.156 S3.51 a cancel withdraws the form, and a late answer does nothing', async () => {
    const gate = hold();
    const session = await agent().open();
    session.model(...questionThen(gate));
    const prompt = session.prompt('Ask me');
    const form = await openForm(session);
    await gate.reached;
    session.cancel();
    await form.withdrawn();
    const end = await prompt.ended;
    expect(end.outcome).toBe('cancelled');
    form.accept({ question_0: 'A' });
    session.model(text('The next one.'));
    const next = await session.prompt('Next').ended;
    expect(messageText(next.updates)).toBe('The next one.');
    expectNothingSent(session);
    expect(notices(session)).toEqual([]);
    if (version === 2) expect(states(session)).toEqual(['running', 'idle cancelled', 'running', 'idle end_turn']);
  });

  test('S3.156 S3.67 a close withdraws the form', async () => {
    const session = await agent().open();
    session.model(...questionThen(hold()));
    const prompt = session.prompt('Ask me');
    const form = await openForm(session);
    const closed = session.close();
    await form.withdrawn();
    expect(await closed).toEqual({});
    expect((await prompt.ended).outcome).toBe('cancelled');
    form.accept({ question_0: 'A' });
    await agent().open();
    expectNothingSent(session);
  });

  test('S3.157 a turn that Codex started asks too, in a session that was never prompted', async () => {
    const gate = hold();
    const session = await agent().open();
    const answers = [...questionThen(gate), text('Thanks.')];
    session.modelWith(() => answers.shift() ?? reply(pause(hold())));
    await agent().request('_session/goal', { sessionId: session.id, action: 'set', objective: 'Write a poem' });
    const form = await openForm(session);
    await gate.reached;
    form.accept({ question_0: 'B' });
    await agent().request('_session/goal', { sessionId: session.id, action: 'pause' });
    gate.open();
    await session.textShown('Thanks.');
    const [asked, , answered] = session.requests;
    expect(isGoalRequest(asked ?? expect.fail())).toBe(true);
    expect(answered?.turnId).toBe(asked?.turnId);
    expect(repliedEntries(answered?.lastUserText ?? '')).toMatchObject([{ answer: 'B', question: 'Which?' }]);
    await session.settled();
  });

  test('S3.156 R27 Codex dies: the form is withdrawn, and its answer goes nowhere', () =>
    withRelay({ version, profile, stderr: [/app-server/] }, async (session, codex) => {
      const gate = hold();
      session.model(...questionThen(gate));
      const prompt = session.prompt('Ask me');
      const form = await openForm(session);
      await gate.reached;
      codex.die();
      await form.withdrawn();
      await prompt.ended;
      form.accept({ question_0: 'A' });
      session.model(text('The next one.'));
      const next = await session.prompt('Next').ended;
      expect(messageText(next.updates)).toBe('The next one.');
      expectNothingSent(session);
    }));

  test('S3.155 R35 an answer that Codex refuses because the turn is over is told, and not sent again', () =>
    withRelay({ version, profile }, async (session, codex) => {
      const gate = hold();
      session.model(...questionThen(gate), text('The next one.'));
      // Codex has ended the turn, and the agent does not know it yet.
      const end = codex.on('codex', 'turn/completed').once().delay({ withAllBehind: true });
      const prompt = session.prompt('Ask me');
      const form = await openForm(session);
      gate.open();
      await end.met;
      form.accept({ question_0: 'A' });
      await codex.waitFor('agent', ({ method }) => method === 'turn/steer');
      end.release();
      await session.update('notice', ({ title }) => title === notSent.title);
      expect((await prompt.ended).outcome).toBe('end_turn');
      expect(notices(session)).toEqual([notSent]);
      const next = await session.prompt('Next').ended;
      expect(messageText(next.updates)).toBe('The next one.');
      expectNothingSent(session);
    }));

  test('S3.155 S3.146 an answer that Codex took and that did not land in the turn is told', () =>
    withRelay({ version, profile }, async (session, codex) => {
      const gate = hold();
      session.model(...questionThen(gate), text('The next one.'));
      const steer = codex.on('agent', 'turn/steer').once().drop();
      const prompt = session.prompt('Ask me');
      const form = await openForm(session);
      await gate.reached;
      form.accept({ question_0: 'A' });
      const { id, params } = await steer.met;
      codex.inject('agent', { id, result: { turnId: params.expectedTurnId } });
      gate.open();
      expect((await prompt.ended).outcome).toBe('end_turn');
      expect(notices(session)).toEqual([notSent]);
      if (version === 2) expect(JSON.stringify(session.updates())).not.toContain('> Which?');
    }));
});

describe.each([
  { name: 'plain v1', version: 1, profile: plainV1 },
  { name: 'Zed v1', version: 1, profile: profiles.zedV1 },
  { name: 'plain v2', version: 2, profile: plainV2 },
] as const)('$name without forms', ({ version, profile }) => {
  const agent = useAgent({ version, profile });

  test('S3.152 the questions are text only', async () => {
    const session = await agent().open();
    session.model(question, text('Working on.'));
    const end = await session.prompt('Ask me').ended;
    expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', `${questionText}Working on.`]);
    expect(session.frames().filter(({ id }) => id !== undefined)).toEqual([]);
  });
});

test('S3.155 a v1 client without notices hears nothing of an answer that came too late', () =>
  withRelay({ version: 1, profile: formsV1 }, async (session, codex) => {
    const gate = hold();
    session.model(...questionThen(gate), text('The next one.'));
    codex
      .on('agent', 'turn/steer')
      .once()
      .rewrite((message) => ({ ...message, method: 'turn/unknown' }));
    const prompt = session.prompt('Ask me');
    const form = await openForm(session);
    await gate.reached;
    form.accept({ question_0: 'A' });
    await codex.waitFor('codex', ({ error }) => error?.code === -32600);
    gate.open();
    expect((await prompt.ended).outcome).toBe('end_turn');
    expect(messageText(session.updates())).toBe(`${questionText}Working on.`);
    expectNothingSent(session);
  }));

test.each([1, 2] as const)(
  'S3.154 v%i: a client that fails to show the form leaves the question unanswered',
  (version) =>
    withAgent(
      { version, profile: version === 1 ? formsV1 : formsV2, stderr: [/failed to answer a question/] },
      async (_, session) => {
        const gate = hold();
        session.model(...questionThen(gate));
        const prompt = session.prompt('Ask me');
        (await openForm(session)).fail();
        gate.open();
        expect((await prompt.ended).outcome).toBe('end_turn');
        expectNothingSent(session);
      },
    ),
);
