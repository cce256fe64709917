import { describe, expect, test } from 'vitest';
import { type Json, type LabSession, useAgent, withRelay } from '../../support/integration.ts';
import { endGoal, proposedPlan } from '../../support/model-answers.ts';
import { type Gate, hold, pause, reply, text } from '../../support/model-replies.ts';
import { profiles } from '../../support/profiles.ts';
import { ofSession, told, useRelayedAgent } from './relayed-agent.ts';
import { messageText } from './tool-view.ts';
import { expectNextPrompt, handled, heldGoalTurn, setGoal, states, userTexts } from './work-view.ts';

/*
 * Prompts beside turns that Codex started by itself. Codex answers a start with the turn that runs, and the prompt joins it
 * (S3.4): the model is cut off and asked once more, with the prompt.
 */

/** Failures come at once. */
const home = { requestRetries: 0, streamRetries: 0 };

/** The prompt `Joined` is answered by the model with this, and the goal is reached; then it says `The end.` */
function answerJoined(session: LabSession, answer = 'Together.'): void {
  const answers = [reply(text(answer), endGoal())];
  session.modelWith(({ userTexts: said }) => (said.includes('Joined') ? answers.shift() : undefined));
}

describe.each([
  ['plain v1', 1, profiles.plainV1],
  ['plain v2', 2, profiles.plainV2],
  ['AIR v1', 1, profiles.airV1],
  ['AIR v2', 2, profiles.airV2],
] as const)('%s', (_, version, profile) => {
  const agent = useAgent({ version, profile, home });

  test('S3.47 S3.41 S3.232 a prompt joins the turn: one running, one idle, which is the prompt’s', async () => {
    const session = await agent().open();
    await heldGoalTurn(session);
    answerJoined(session);
    const prompt = session.prompt('Joined');
    const end = await prompt.ended;
    expect(end.outcome).toBe('end_turn');
    expect(messageText(session.updates())).toBe('Verse one.Together.The end.');
    expect(new Set(session.requests.map(({ turnId }) => turnId)).size).toBe(1);
    // Two calls of the model were finished for it; the one before was cut off.
    expect(end.usage.totalTokens).toBe(300);
    expect(end.meta.quota.token_count.totalTokens).toBe(300);
    if (version === 2) {
      expect(states(session.updates())).toEqual(['running', 'idle end_turn']);
      const chunk = end.updates.find(({ sessionUpdate }) => sessionUpdate === 'user_message_chunk');
      expect([chunk.content.text, chunk.messageId]).toEqual(['Joined', (await prompt.answer).messageId]);
    }
    await expectNextPrompt(session);
  });
});

describe.each([1, 2] as const)('v%i', (version) => {
  const agent = useAgent({ version, home });

  test('S3.51 S3.57 S3.59 a cancel of a prompt that joined stops the turn', async () => {
    const session = await agent().open();
    await heldGoalTurn(session);
    session.modelWith(({ userTexts: said }) => (said.includes('Joined') ? heldText() : undefined));
    const prompt = session.prompt('Joined');
    await session.textShown('Together', prompt.from);
    session.cancel();
    const end = await prompt.ended;
    expect([end.outcome, messageText(session.updates())]).toEqual(['cancelled', 'Verse one.Together']);
    if (version === 2) expect(states(session.updates())).toEqual(['running', 'idle cancelled']);
    expect(await session.requests.at(-1)?.finished).toBe('gone');
    await agent().request('_session/goal', { sessionId: session.id, action: 'clear' });
    await expectNextPrompt(session);
  });

  test('R8 S3.54 a prompt right behind a cancel of the turn runs on its own', async () => {
    const session = await agent().open();
    await heldGoalTurn(session);
    session.modelWith(({ lastUserText }) => (lastUserText === 'Next' ? text('The next one.') : undefined));
    const next = agent().together(() => {
      session.cancel();
      return session.prompt('Next');
    });
    const end = await next.ended;
    expect([end.outcome, messageText(session.updates())]).toEqual(['end_turn', 'Verse one.The next one.']);
    if (version === 2) {
      expect(states(session.updates())).toEqual(['running', 'idle cancelled', 'running', 'idle end_turn']);
    }
  });

  test('S3.36 S3.39a the first of several prompts joins, the others wait for its end', async () => {
    const session = await agent().open();
    await heldGoalTurn(session);
    answerJoined(session);
    const [first, second] = agent().together(() => [session.prompt('Joined'), session.prompt('Second')] as const);
    const joined = await first.ended;
    session.model(text('The second.'));
    const ends = [joined, await second.ended];
    expect(ends.map(({ outcome }) => outcome)).toEqual(['end_turn', 'end_turn']);
    expect(session.requests.at(-1)?.lastUserText).toBe('Second');
    if (version === 2) {
      const pair = ['running', 'idle end_turn'];
      expect(states(session.updates())).toEqual([...pair, ...pair]);
      expect(userTexts(session.updates())).toEqual(['Joined', 'Second']);
    }
  });

  test('S3.39a S3.33 a local command works beside the turn, which goes on', async () => {
    const session = await agent().open();
    const gate = await heldGoalTurn(session);
    const end = await session.prompt('/status').ended;
    expect(end.outcome).toBe('end_turn');
    expect(messageText(end.updates)).toContain(session.id);
    expect(end.usage).toBeNull();
    gate.open();
    await session.textShown('The end.');
    await session.settled();
    if (version === 2) expect(states(session.updates()).at(-1)).toBe('idle end_turn');
    await expectNextPrompt(session);
  });
});

function heldText(): Json {
  return text('Together and apart.', { deltas: ['Together', ' and apart.'] }).pauseAt(hold(), 1);
}

describe.each([1, 2] as const)('v%i, lines of Codex in another order', (version) => {
  const relayed = useRelayedAgent({ version, home });

  /** A turn of Codex that has begun, while the agent has not heard of it. */
  async function unheardTurn(): Promise<{ session: LabSession; gate: Gate; announce: () => void }> {
    const { agent, codex } = relayed();
    const session = await agent.open();
    const gate = hold();
    session.model(reply(pause(gate), endGoal()), text('The end.'));
    const started = codex.on('codex', 'turn/started').where(ofSession(session)).once().delay();
    const active = codex
      .on('codex', 'thread/status/changed')
      .where((message) => ofSession(session)(message) && message.params.status.type === 'active')
      .once()
      .delay();
    await setGoal(session);
    await started.met;
    await session.modelRequest(1);
    return {
      session,
      gate,
      announce: () => {
        active.release();
        started.release();
      },
    };
  }

  test.each(['before', 'after'])(
    'R2 S3.47 a turn of Codex begins between check and start, and is announced %s the answer: one running, one idle',
    async (when) => {
      const { codex } = relayed();
      const { session, announce } = await unheardTurn();
      answerJoined(session);
      const answer = codex.onAnswer('codex', 'turn/start').once().delay();
      const prompt = session.prompt('Joined');
      await answer.met;
      if (when === 'before') announce();
      answer.release();
      await session.textShown('Together.', prompt.from);
      if (when === 'after') announce();
      const end = await prompt.ended;
      expect([end.outcome, messageText(session.updates())]).toEqual(['end_turn', 'Together.The end.']);
      expect(userTexts(session.updates())).toEqual(version === 1 ? [] : ['Joined']);
      if (version === 2) expect(states(session.updates())).toEqual(['running', 'idle end_turn']);
      await expectNextPrompt(session);
    },
  );

  test.each(['before', 'after'])(
    'R2 S3.47 a turn of Codex ends between check and start, and that is told %s the answer: the prompt has its own',
    async (when) => {
      const { agent, codex } = relayed();
      const session = await agent.open();
      const gate = await heldGoalTurn(session);
      const ended = codex.on('codex', 'turn/completed').where(ofSession(session)).once().delay();
      gate.open();
      await ended.met;
      session.modelWith(({ lastUserText }) => (lastUserText === 'Own' ? text('On its own.') : undefined));
      const answer = codex.onAnswer('codex', 'turn/start').once().delay();
      const prompt = session.prompt('Own');
      await answer.met;
      if (when === 'before') ended.release();
      answer.release();
      await session.textShown('On its own.', prompt.from);
      if (when === 'after') ended.release();
      const end = await prompt.ended;
      expect([end.outcome, messageText(session.updates())]).toEqual(['end_turn', 'Verse one.The end.On its own.']);
      expect(end.usage.totalTokens).toBe(150);
      await session.settled();
      if (version === 2) {
        const told = states(session.updates());
        expect([told[0], told.at(-1)]).toEqual(['running', 'idle end_turn']);
      }
      await expectNextPrompt(session);
    },
  );

  test('S3.59 R10 `$/cancel_request` before it was recorded leaves the turn that it joined running (v1: stops it)', async () => {
    const { agent, codex } = relayed();
    const session = await agent.open();
    await heldGoalTurn(session);
    answerJoined(session);
    const isRecord = (message: Json): boolean =>
      ofSession(session)(message) && message.params.item.type === 'userMessage';
    const records = ['item/started', 'item/completed'].map((method) =>
      codex.on('codex', method).where(isRecord).once().delay(),
    );
    const model = codex.on('codex', 'item/agentMessage/delta').where(ofSession(session)).once().delay({
      withAllBehind: true,
    });
    const prompt = session.prompt('Joined');
    await records[0]?.met;
    prompt.cancelRequest();
    await handled(session);
    for (const record of records) record.release();
    model.release();
    const end = await prompt.ended;
    if (version === 1) {
      expect(end.outcome).toBe('cancelled');
    } else {
      const message = 'Request cancelled: The prompt request was cancelled before it was inserted';
      expect([end.outcome, end.error]).toMatchObject(['rejected', { code: -32800, message }]);
      await session.textShown('The end.');
      await session.settled();
      expect(states(session.updates())).toEqual(['running', 'idle end_turn']);
      expect(userTexts(session.updates())).toEqual([]);
    }
    await agent.request('_session/goal', { sessionId: session.id, action: 'clear' });
    await expectNextPrompt(session);
  });

  test('S3.43 a start that is refused beside the turn: the prompt fails, the turn and its state go on', async () => {
    const { agent, codex } = relayed();
    const session = await agent.open();
    const gate = await heldGoalTurn(session);
    codex
      .on('agent', 'turn/start')
      .where(ofSession(session))
      .once()
      .rewrite((message) => ({ ...message, method: 'turn/unknown' }));
    const end = await session.prompt('Joined').ended;
    expect(end.outcome).toBe('rejected');
    expect(states(end.updates)).toEqual([]);
    gate.open();
    await session.textShown('The end.');
    await told(codex, session, 'turn/completed');
    await session.settled();
    if (version === 2) expect(states(session.updates())).toEqual(['running', 'idle end_turn']);
    await expectNextPrompt(session);
  });

  test('R21 S3.130 a turn of Codex begins between a plan and its implementation, which joins it: one idle', async () => {
    const { agent, codex } = relayed();
    const session = await agent.open();
    await session.setOption('collaboration_mode', 'plan');
    session.model(proposedPlan('1. Dig'));
    const prompt = session.prompt('Plan it');
    const ask = await session.ask();
    const implementation = [reply(text('Dug.'), endGoal()), text('The end.')];
    session.modelWith(({ userTexts: said }) =>
      said.includes('Implement the approved plan.') ? implementation.shift() : reply(text('Verse one.'), pause(hold())),
    );
    // In plan mode Codex starts nothing for a goal; as soon as the mode is left it may.
    const left = codex.onAnswer('codex', 'thread/settings/update').once().delay();
    ask.select('implement_plan');
    await left.met;
    await setGoal(session);
    await session.textShown('Verse one.');
    left.release();
    const end = await prompt.ended;
    expect(end.outcome).toBe('end_turn');
    // v1 is told the plan as a text before.
    expect(messageText(end.updates)).toMatch(/^(1\. Dig\n)?Verse one\.Dug\.The end\.$/);
    // The plan is one turn, everything else the other.
    expect(new Set(session.requests.map(({ turnId }) => turnId)).size).toBe(2);
    if (version === 2) {
      expect(states(session.updates())).toEqual(['running', 'requires_action', 'running', 'idle end_turn']);
      expect(userTexts(session.updates())).toEqual(['Plan it', 'Implement the approved plan.']);
    }
    await expectNextPrompt(session);
  });

  test('S12.5 C003 the end of the joined turn is lost: the prompt ends as Codex recorded it', async () => {
    const { agent, codex } = relayed();
    const session = await agent.open();
    await heldGoalTurn(session);
    answerJoined(session);
    const lost = codex.on('codex', 'turn/completed').where(ofSession(session)).once().drop();
    const end = await session.prompt('Joined').ended;
    expect([end.outcome, lost.taken.length]).toEqual(['end_turn', 1]);
    if (version === 2) expect(states(session.updates())).toEqual(['running', 'idle end_turn']);
    await expectNextPrompt(session);
  });
});

describe.each([1, 2] as const)('v%i, Codex dies', (version) => {
  test('S3.233 in a turn that a prompt joined: the prompt fails, and the next one runs in a new process', () =>
    withRelay({ version, home, stderr: [/app-server/] }, async (session, codex) => {
      session.model(text('Hello.'));
      await session.prompt('Hi').ended;
      await heldGoalTurn(session);
      session.modelWith(({ userTexts: said }) => (said.includes('Joined') ? heldText() : undefined));
      const prompt = session.prompt('Joined');
      await session.textShown('Together', prompt.from);
      codex.die();
      const end = await prompt.ended;
      expect(end.error).toMatchObject({ code: 1001 });
      if (version === 2) expect(states(session.updates()).slice(2)).toEqual(['running', 'idle error']);
      session.modelWith(({ lastUserText }) => (lastUserText === 'Next' ? text('The next one.') : endGoal()));
      expect((await session.prompt('Next').ended).outcome).toBe('end_turn');
    }));
});
