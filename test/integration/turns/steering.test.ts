import { describe, expect, test } from 'vitest';
import { eventually, type Json, type LabSession, useAgent, withRelay } from '../../support/integration.ts';
import { compactionSummary, endGoal } from '../../support/model-answers.ts';
import { failure, hold, pause, reply, runCommand, text } from '../../support/model-replies.ts';
import { profiles } from '../../support/profiles.ts';
import { asked, ofSession, useRelayedAgent } from './relayed-agent.ts';
import { messageText } from './tool-view.ts';
import { expectNextPrompt, handled, heldGoalTurn, states, userTexts } from './work-view.ts';

/** Failures come at once. */
const home = { requestRetries: 0, streamRetries: 0 };

const promptRequired = { _meta: { steering: { idleBehavior: 'promptRequired' } } };

/** `_session/steering` with a text. */
function steer(session: LabSession, content: string, more: Json = {}): Promise<Json> {
  const prompt = [{ type: 'text', text: content }];
  return session.lab.request('_session/steering', { sessionId: session.id, prompt, ...more });
}

/** The error of a request, or its result when there is none. */
function refusal(request: Promise<Json>): Promise<Json> {
  return request.catch(({ code, message, data }) => (data === undefined ? { code, message } : { code, message, data }));
}

/** What the user is told of messages that Codex dropped. */
function notSent(updates: readonly Json[]): unknown[] {
  return updates
    .filter(({ sessionUpdate }) => sessionUpdate === 'notice')
    .map(({ severity, title }) => [severity, title]);
}

/** A prompt whose model has said `Shown ` and waits. */
async function heldPrompt(session: LabSession) {
  const gate = hold();
  session.model(text('Shown and said.', { deltas: ['Shown ', 'and said.'] }).pauseAt(gate, 1));
  const prompt = session.prompt('Go');
  await session.textShown('Shown ', prompt.from);
  return { prompt, gate };
}

describe.each([1, 2] as const)('v%i', (version) => {
  const agent = useAgent({ version, home });

  test('S3.126 `initialize` offers steering, to every client', () => {
    const { initialized } = agent();
    expect(initialized._meta.steering).toEqual({ supported: true });
  });

  test('S3.140 what is malformed is refused; nothing starts', async () => {
    const session = await agent().open();
    const { id: sessionId } = session;
    const prompt = [{ type: 'text', text: 'Left' }];
    const cases: readonly (readonly [Json, string | RegExp])[] = [
      [undefined, /^Invalid params: steering takes/],
      [[], /^Invalid params: steering takes/],
      [{ prompt }, /^Invalid params: steering takes/],
      [{ sessionId: 7, prompt }, /^Invalid params: steering takes/],
      [{ sessionId }, /^Invalid params: steering takes/],
      [{ sessionId, prompt: 'Left' }, /^Invalid params: steering takes/],
      [{ sessionId, prompt, _meta: 'x' }, 'Invalid params: steering _meta must be an object'],
      [{ sessionId, prompt, _meta: { steering: [] } }, 'Invalid params: steering _meta.steering must be an object'],
      [
        { sessionId, prompt, _meta: { steering: { idleBehavior: 'wait' } } },
        'Invalid params: unsupported steering idleBehavior',
      ],
      [
        { sessionId, prompt: [{ type: 'audio', data: '', mimeType: 'audio/wav' }] },
        'Invalid params: Unsupported content block type: audio',
      ],
      [{ sessionId, prompt: [{ text: 'no type' }] }, /^Invalid params: /],
    ];
    for (const [params, message] of cases) {
      const expected = typeof message === 'string' ? message : expect.stringMatching(message);
      expect([params, await refusal(agent().request('_session/steering', params))]).toEqual([
        params,
        expect.objectContaining({ code: -32602, message: expected }),
      ]);
    }
    const unknown = '00000000-0000-7000-8000-000000000000';
    expect(await refusal(agent().request('_session/steering', { sessionId: unknown, prompt }))).toEqual({
      code: -32002,
      message: `Session ${unknown} not found`,
      data: { sessionId: unknown },
    });
    expect(session.requests).toEqual([]);
    expect(states(session.updates())).toEqual([]);
    await expectNextPrompt(session);
  });

  test('S3.141 S3.145 C011 a steer goes into the running turn, and is shown when it lands: on v2 only', async () => {
    const session = await agent().open();
    const { prompt } = await heldPrompt(session);
    session.model(text('Left, then.'));
    expect(await steer(session, 'Turn left')).toEqual({ outcome: 'injected' });
    const end = await prompt.ended;
    expect(end.outcome).toBe('end_turn');
    expect(messageText(end.updates)).toBe('Shown Left, then.');
    expect(session.requests.map(({ turnId }) => turnId === session.requests[0]?.turnId)).toEqual([true, true]);
    expect(session.requests[1]?.userTexts.slice(-2)).toEqual(['Go', 'Turn left']);
    expect(userTexts(end.updates)).toEqual(version === 1 ? [] : ['Go', 'Turn left']);
    if (version === 2) {
      const chunks = end.updates.filter(({ sessionUpdate }) => sessionUpdate === 'user_message_chunk');
      const { messageId } = await prompt.answer;
      expect(chunks[0].messageId).toBe(messageId);
      expect(chunks[1].messageId).not.toBe(messageId);
      expect(states(end.updates)).toEqual(['running', 'idle end_turn']);
    }
  });

  test('S3.145 S3.3 a steer during a command lands when it has ended, never earlier', async () => {
    const session = await agent().open();
    await session.setOption('mode', 'agent-full-access');
    const wait = runCommand('touch started; until [ -e go ]; do sleep 0.05; done', { yieldMs: 30_000 });
    session.model(wait, text('Left, then.'));
    const prompt = session.prompt('Go');
    await session.update(
      version === 1 ? 'tool_call' : 'tool_call_update',
      ({ status }) => status === 'in_progress',
      prompt.from,
    );
    expect(await steer(session, 'Turn left')).toEqual({ outcome: 'injected' });
    expect(userTexts(session.updates(prompt.from))).not.toContain('Turn left');
    session.workspace.write('go', '');
    const end = await prompt.ended;
    const kinds = end.updates.map((update) =>
      update.sessionUpdate === 'user_message_chunk' ? update.content.text : (update.status ?? ''),
    );
    if (version === 2) expect(kinds.indexOf('Turn left')).toBeGreaterThan(kinds.indexOf('in_progress'));
    expect(session.requests.at(-1)?.lastUserText).toBe('Turn left');
    expect(messageText(end.updates)).toBe('Left, then.');
  });

  test('S3.141 S3.26 several steers at once go in, in their order, with all their blocks', async () => {
    const session = await agent().open();
    const { prompt } = await heldPrompt(session);
    session.modelWith(() => text('Understood.'));
    const resource = { uri: 'file:///a.txt', text: 'content of a' };
    const outcomes = await Promise.all(
      agent().together(() => [
        steer(session, 'One'),
        agent().request('_session/steering', {
          sessionId: session.id,
          prompt: [
            { type: 'text', text: 'Two' },
            { type: 'resource', resource },
          ],
        }),
        steer(session, 'Three'),
      ]),
    );
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['injected', 'injected', 'injected']);
    const end = await prompt.ended;
    expect(end.outcome).toBe('end_turn');
    const texts = session.requests.at(-1)?.userTexts.slice(-3) ?? [];
    expect(texts[0]).toBe('One');
    expect(texts[1]).toMatch(/^Two\s(.*\s)*content of a/);
    expect(texts[2]).toBe('Three');
  });

  test('S3.141 S3.142 nothing runs and the client keeps the text: nothing is started', async () => {
    const session = await agent().open();
    const answer = await steer(session, 'Turn left', promptRequired);
    expect(answer).toEqual({ outcome: 'promptRequired', reason: 'noRunningTurn' });
    await handled(session);
    expect(session.requests).toEqual([]);
    expect(states(session.updates())).toEqual([]);
    await expectNextPrompt(session);
    expect(await steer(session, 'Turn left', promptRequired)).toEqual(answer);
  });

  test('S3.141 S3.144 nothing runs: a new turn is started, shown and ended like a prompt', async () => {
    const session = await agent().open();
    session.model(text('Left, then.'));
    const from = agent().client.received.length;
    expect(await steer(session, 'Turn left')).toEqual({ outcome: 'startedNewTurn' });
    await session.textShown('Left, then.', from);
    await session.settled();
    if (version === 2) {
      expect(states(session.updates(from))).toEqual(['running', 'idle end_turn']);
      expect(userTexts(session.updates(from))).toEqual(['Turn left']);
      const idle = session.updates(from).find(({ state }) => state === 'idle');
      expect(idle.usage.totalTokens).toBe(150);
    }
    await expectNextPrompt(session);
    expect(session.requests[0]?.lastUserText).toBe('Turn left');
  });

  test('S3.144 C011 the new turn can be cancelled', async () => {
    const session = await agent().open();
    session.model(text('Shown and never shown.').pauseAt(hold(), 1));
    expect(await steer(session, 'Turn left')).toEqual({ outcome: 'startedNewTurn' });
    await session.textShown('Shown');
    session.cancel();
    expect(await session.requests[0]?.finished).toBe('gone');
    await session.settled();
    if (version === 2) expect(states(session.updates())).toEqual(['running', 'idle cancelled']);
    await expectNextPrompt(session);
  });

  test('S3.144 the new turn fails: that is shown, and the next prompt works', async () => {
    const session = await agent().open();
    session.model(failure(400));
    expect(await steer(session, 'Turn left')).toEqual({ outcome: 'startedNewTurn' });
    await agent().waitFor('failure', () => /Scripted failure 400/.test(messageText(session.updates())));
    await session.settled();
    if (version === 2) expect(states(session.updates())).toEqual(['running', 'idle error']);
    await expectNextPrompt(session);
  });

  test('S3.26 C020 an image of a steer reaches the model', async () => {
    const session = await agent().open();
    const image = { type: 'image', mimeType: 'image/png', data: onePixel };
    session.model(text('A pixel.'));
    const params = { sessionId: session.id, prompt: [image] };
    expect(await agent().request('_session/steering', params)).toEqual({ outcome: 'startedNewTurn' });
    await session.textShown('A pixel.');
    await session.settled();
    expect(JSON.stringify(session.requests[0]?.body.input)).toContain(onePixel);
  });

  test('S3.142 a turn that Codex started takes a steer', async () => {
    const session = await agent().open();
    await heldGoalTurn(session);
    // Asked once more with the text, the model reaches the goal; `The end.` follows.
    const answers = [reply(text('Left, then.'), endGoal())];
    session.modelWith(() => answers.shift());
    expect(await steer(session, 'Turn left')).toEqual({ outcome: 'injected' });
    await session.textShown('The end.');
    await session.settled();
    expect(messageText(session.updates())).toBe('Verse one.Left, then.The end.');
    expect(userTexts(session.updates())).toEqual(version === 1 ? [] : ['Turn left']);
    expect(new Set(session.requests.map(({ turnId }) => turnId)).size).toBe(1);
    await expectNextPrompt(session);
  });

  test('S3.143 S3.141 a review takes none: failed, and the review goes on', async () => {
    const session = await agent().open();
    const gate = hold();
    session.model(reply(pause(gate), text('Looks fine.')));
    const prompt = session.prompt('/review');
    await session.modelRequest(1);
    expect(await steer(session, 'Turn left')).toEqual({ outcome: 'failed' });
    expect(await steer(session, 'Turn left', promptRequired)).toEqual({ outcome: 'failed' });
    gate.open();
    const end = await prompt.ended;
    expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'Looks fine.']);
    expect(userTexts(end.updates)).not.toContain('Turn left');
    await expectNextPrompt(session);
  });

  test('S3.143 S3.141 S3.232 a compaction takes none: failed, and the compaction goes on', async () => {
    const session = await agent().open();
    session.model(text('Hello.'));
    await session.prompt('Hi').ended;
    const gate = hold();
    agent().server.aside('compaction', reply(pause(gate), compactionSummary('They said hello.')));
    const prompt = session.prompt('/compact');
    await agent().server.waitForRequest(({ kind, threadId }) => kind === 'compaction' && threadId === session.id);
    expect(await steer(session, 'Turn left')).toEqual({ outcome: 'failed' });
    gate.open();
    expect((await prompt.ended).outcome).toBe('end_turn');
    await expectNextPrompt(session);
  });

  test('S3.148 a steer neither cancels nor overtakes prompts that wait', async () => {
    const session = await agent().open();
    const { prompt } = await heldPrompt(session);
    const second = session.prompt('Second');
    session.model(text('Left, then.'), text('The second.'));
    expect(await steer(session, 'Turn left')).toEqual({ outcome: 'injected' });
    const ends = [await prompt.ended, await second.ended];
    expect(ends.map(({ outcome }) => outcome)).toEqual(['end_turn', 'end_turn']);
    expect(messageText(session.updates(prompt.from))).toBe('Shown Left, then.The second.');
    expect(session.requests.map(({ lastUserText }) => lastUserText)).toEqual(['Go', 'Turn left', 'Second']);
  });

  test('S3.146 S3.145 C011 a steer right before a cancel: Codex reads it, or the user is told that it did not', async () => {
    const session = await agent().open();
    session.model(runCommand('touch started; sleep 600', { yieldMs: 30_000 }), text('Never said.'));
    const prompt = session.prompt('Go');
    await session.update(
      version === 1 ? 'tool_call' : 'tool_call_update',
      ({ status }) => status === 'in_progress',
      prompt.from,
    );
    expect(await steer(session, 'Turn left')).toEqual({ outcome: 'injected' });
    session.cancel();
    const end = await prompt.ended;
    expect(end.outcome).toBe('cancelled');
    await expectNextPrompt(session);
    // The stopping turn of Codex may take it or drop it.
    const read = session.requests.at(-1)?.userTexts.includes('Turn left') === true;
    expect(userTexts(end.updates).filter((content) => content === 'Turn left')).toHaveLength(
      read && version === 2 ? 1 : 0,
    );
    expect(notSent(end.updates)).toEqual(read || version === 1 ? [] : [['warning', 'Message not sent']]);
  });

  test('S3.144 S3.51 a steer that waits for a stopping turn is refused by the next cancel', async () => {
    const session = await agent().open();
    const { prompt } = await heldPrompt(session);
    const [outcome] = await Promise.all([
      agent().together(() => {
        session.cancel();
        const waiting = refusal(steer(session, 'Turn left'));
        session.cancel();
        return waiting;
      }),
      prompt.ended,
    ]);
    const message = `Invalid request: Session ${session.id} was cancelled before the steering turn started`;
    expect(outcome).toMatchObject({ code: -32600, message });
    await expectNextPrompt(session);
    expect(session.requests.some(({ userTexts: said }) => said.includes('Turn left'))).toBe(false);
  });

  test('S3.142 S3.144 a steer behind a cancel starts a turn of its own when the stopped one is over', async () => {
    const session = await agent().open();
    const { prompt } = await heldPrompt(session);
    session.model(text('Left, then.'));
    const outcome = await agent().together(() => {
      session.cancel();
      return steer(session, 'Turn left');
    });
    expect(outcome).toEqual({ outcome: 'startedNewTurn' });
    expect((await prompt.ended).outcome).toBe('cancelled');
    await session.textShown('Left, then.', prompt.from);
    await session.settled();
    if (version === 2) {
      expect(states(session.updates(prompt.from))).toEqual(['running', 'idle cancelled', 'running', 'idle end_turn']);
    }
    await expectNextPrompt(session);
  });

  test('S3.142 S3.144 a session that is being closed takes none', async () => {
    const session = await agent().open();
    await heldPrompt(session);
    const [outcome] = await Promise.all(
      agent().together(() => [session.close(), refusal(steer(session, 'Turn left'))].reverse() as [Promise<Json>]),
    );
    expect(outcome).toMatchObject({
      code: -32600,
      message: `Invalid request: Session ${session.id} is closing`,
    });
  });
});

describe.each([
  ['plain v1', 1, profiles.plainV1],
  ['AIR v1', 1, profiles.airV1],
  ['plain v2', 2, profiles.plainV2],
  ['AIR v2', 2, profiles.airV2],
] as const)('%s', (name, version, profile) => {
  test('S3.146 C011 a steer that Codex took and did not read is told as not sent, to clients with notices', () =>
    withRelay({ version, profile, home }, async (session, codex) => {
      const unread = codex.on('agent', 'turn/steer').once().drop();
      const { prompt } = await heldPrompt(session);
      const steered = steer(session, 'Turn left');
      const { id, params } = await unread.met;
      codex.inject('agent', { id, result: { turnId: params.expectedTurnId } });
      expect(await steered).toEqual({ outcome: 'injected' });
      session.cancel();
      const end = await prompt.ended;
      expect(end.outcome).toBe('cancelled');
      expect(notSent(end.updates)).toEqual(name === 'plain v1' ? [] : [['warning', 'Message not sent']]);
      expect(userTexts(end.updates)).not.toContain('Turn left');
    }));
});

/** A PNG of one pixel. */
const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe.each([
  ['AIR v1', 1, profiles.airV1],
  ['AIR v2', 2, profiles.airV2],
] as const)('%s', (_, version, profile) => {
  const agent = useAgent({ version, profile, home });

  test('S3.126 `initialize` offers steering and goal control', () => {
    const meta = agent().initialized._meta;
    expect(meta.steering).toEqual({ supported: true });
    expect(meta.jetbrains.air.goal).toEqual({
      version: 1,
      controlMethod: '_session/goal',
      actions: ['set', 'pause', 'resume', 'clear'],
    });
  });

  test('S3.141 S3.145 C011 a steer goes into the running turn', async () => {
    const session = await agent().open();
    const { prompt } = await heldPrompt(session);
    session.model(text('Left, then.'));
    expect(await steer(session, 'Turn left')).toEqual({ outcome: 'injected' });
    const end = await prompt.ended;
    expect(messageText(end.updates)).toBe('Shown Left, then.');
    expect(userTexts(end.updates)).toEqual(version === 1 ? [] : ['Go', 'Turn left']);
  });

  test('S3.144 the failure of a new turn is told', async () => {
    const session = await agent().open();
    session.model(failure(400));
    expect(await steer(session, 'Turn left')).toEqual({ outcome: 'startedNewTurn' });
    await agent().waitFor('failure', () => JSON.stringify(session.updates()).includes('"sessionFailure"'));
    await session.settled();
    await expectNextPrompt(session);
  });
});

describe.each([1, 2] as const)('v%i, lines of Codex in another order', (version) => {
  const relayed = useRelayedAgent({ version, home });

  /** A prompt whose turn is over for Codex, while the agent has not heard of it. */
  async function overForCodex() {
    const { agent, codex } = relayed();
    const session = await agent.open();
    const end = codex.on('codex', 'turn/completed').where(ofSession(session)).once().delay();
    codex
      .on('codex', 'thread/status/changed')
      .where((message) => ofSession(session)(message) && message.params.status.type === 'idle')
      .once()
      .drop();
    session.model(text('All of it.'));
    const prompt = session.prompt('Go');
    await end.met;
    await session.textShown('All of it.', prompt.from);
    return { agent, codex, session, prompt, end };
  }

  test('R16 S3.143 the turn ended just before: the client keeps the text', async () => {
    const { session, codex, prompt, end } = await overForCodex();
    const answer = await steer(session, 'Turn left', promptRequired);
    expect(answer).toEqual({ outcome: 'promptRequired', reason: 'noRunningTurn' });
    end.release();
    expect((await prompt.ended).outcome).toBe('end_turn');
    await expectNextPrompt(session);
    expect(asked(codex, session, 'turn/steer')).toHaveLength(1);
    expect(session.requests.some(({ userTexts: said }) => said.includes('Turn left'))).toBe(false);
  });

  test('R16 S3.143 S3.144 the turn ended just before: a new one takes the text, once', async () => {
    const { session, codex, prompt, end } = await overForCodex();
    session.model(text('Left, then.'));
    const steered = steer(session, 'Turn left');
    await codex.waitFor('agent', (message) => message.method === 'turn/steer' && ofSession(session)(message));
    end.release();
    expect(await steered).toEqual({ outcome: 'startedNewTurn' });
    expect((await prompt.ended).outcome).toBe('end_turn');
    await session.textShown('Left, then.', prompt.from);
    await session.settled();
    if (version === 2) {
      const pair = ['running', 'idle end_turn'];
      expect(states(session.updates(prompt.from))).toEqual([...pair, ...pair]);
      expect(userTexts(session.updates(prompt.from))).toEqual(['Go', 'Turn left']);
    }
    const said = session.requests.at(-1)?.userTexts ?? [];
    expect(said.filter((content) => content === 'Turn left')).toHaveLength(1);
    await expectNextPrompt(session);
  });

  test('R19 S3.144 S3.148 its new turn waits behind prompts that came before, and later ones behind it', async () => {
    const { agent, session, codex, prompt, end } = await overForCodex();
    session.modelWith(({ lastUserText }) => text(`<${lastUserText}>`));
    const before = session.prompt('Before');
    const steered = steer(session, 'Turn left');
    await codex.waitFor('agent', (message) => message.method === 'turn/steer' && ofSession(session)(message));
    // Codex has refused it by the time that it answers something else.
    await agent.request('session/new', { cwd: session.workspace.path, mcpServers: [] });
    const after = session.prompt('After');
    await handled(session);
    end.release();
    const ends = [await prompt.ended, await before.ended, await after.ended];
    expect(ends.map(({ outcome }) => outcome)).toEqual(['end_turn', 'end_turn', 'end_turn']);
    expect(await steered).toEqual({ outcome: 'startedNewTurn' });
    expect(messageText(session.updates(prompt.from))).toBe('All of it.<Before><Turn left><After>');
    if (version === 2) {
      const pair = ['running', 'idle end_turn'];
      expect(states(session.updates(prompt.from))).toEqual([...pair, ...pair, ...pair, ...pair]);
    }
  });

  test('S3.144 S3.52 a cancel ends a steer that waits for the lane', async () => {
    const { agent, session, codex, prompt, end } = await overForCodex();
    const steered = refusal(steer(session, 'Turn left'));
    await codex.waitFor('agent', (message) => message.method === 'turn/steer' && ofSession(session)(message));
    await agent.request('session/new', { cwd: session.workspace.path, mcpServers: [] });
    session.cancel();
    const message = `Invalid request: Session ${session.id} was cancelled before the steering turn started`;
    expect(await steered).toMatchObject({ code: -32600, message });
    end.release();
    expect((await prompt.ended).outcome).toBe('cancelled');
    await expectNextPrompt(session);
    expect(session.requests.some(({ userTexts: said }) => said.includes('Turn left'))).toBe(false);
  });

  test('R17 S3.142 a steer while the start is under way waits for the id, then goes in', async () => {
    const { agent, codex } = relayed();
    const session = await agent.open();
    const gate = hold();
    session.model(reply(pause(gate), text('Hello.')), text('Left, then.'));
    const start = codex.onAnswer('codex', 'turn/start').once().delay();
    const prompt = session.prompt('Go');
    await start.met;
    const steered = steer(session, 'Turn left');
    await handled(session);
    expect(asked(codex, session, 'turn/steer')).toEqual([]);
    start.release();
    expect(await steered).toEqual({ outcome: 'injected' });
    gate.open();
    const end = await prompt.ended;
    expect(end.outcome).toBe('end_turn');
    expect(session.requests.at(-1)?.userTexts.slice(-2)).toEqual(['Go', 'Turn left']);
    expect(userTexts(end.updates)).toEqual(version === 1 ? [] : ['Go', 'Turn left']);
  });

  test('R17 R5 the start that it waits for is refused: the client keeps the text', async () => {
    const { agent, codex } = relayed();
    const session = await agent.open();
    codex
      .on('agent', 'turn/start')
      .where(ofSession(session))
      .once()
      .rewrite((message) => ({ ...message, method: 'turn/unknown' }));
    const answer = codex.onAnswer('codex', 'turn/start').once().delay();
    const prompt = session.prompt('Go');
    await answer.met;
    const steered = steer(session, 'Turn left', promptRequired);
    await handled(session);
    answer.release();
    expect(await steered).toEqual({ outcome: 'promptRequired', reason: 'noRunningTurn' });
    expect((await prompt.ended).outcome).toBe('rejected');
    await expectNextPrompt(session);
  });

  test('S3.143 Codex names another running turn: it is asked once more, with that one', async () => {
    const { agent, codex } = relayed();
    const session = await agent.open();
    const { prompt } = await heldPrompt(session);
    codex
      .on('agent', 'turn/steer')
      .where(ofSession(session))
      .once()
      .rewrite((message) => ({ ...message, params: { ...message.params, expectedTurnId: 'another' } }));
    session.model(text('Left, then.'));
    expect(await steer(session, 'Turn left')).toEqual({ outcome: 'injected' });
    expect(asked(codex, session, 'turn/steer')).toHaveLength(2);
    const end = await prompt.ended;
    expect(messageText(end.updates)).toBe('Shown Left, then.');
    expect(userTexts(end.updates)).toEqual(version === 1 ? [] : ['Go', 'Turn left']);
  });

  test('S3.143 any other refusal while the turn goes on: failed', async () => {
    const { agent, codex } = relayed();
    const session = await agent.open();
    const { prompt, gate } = await heldPrompt(session);
    codex
      .on('agent', 'turn/steer')
      .where(ofSession(session))
      .once()
      .rewrite((message) => ({ ...message, method: 'turn/unknown' }));
    expect(await steer(session, 'Turn left', promptRequired)).toEqual({ outcome: 'failed' });
    gate.open();
    const end = await prompt.ended;
    expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'Shown and said.']);
    expect(userTexts(end.updates)).not.toContain('Turn left');
  });

  test('R18 S3.146 C011 accepted, and the turn ends before the answer, without it: the client keeps the text', async () => {
    const { agent, codex } = relayed();
    const session = await agent.open();
    const { prompt } = await heldPrompt(session);
    // A turn that is being stopped may still read it.
    const unread = codex.on('agent', 'turn/steer').once().drop();
    const steered = steer(session, 'Turn left', promptRequired);
    const { id, params } = await unread.met;
    // Somebody else stops the turn.
    const turnId = params.expectedTurnId;
    codex.send('codex', { id: 'test', method: 'turn/interrupt', params: { threadId: session.id, turnId } });
    const end = await prompt.ended;
    expect(end.outcome).toBe('cancelled');
    codex.inject('agent', { id, result: { turnId } });
    expect(await steered).toEqual({ outcome: 'promptRequired', reason: 'noRunningTurn' });
    await expectNextPrompt(session);
    expect(session.requests.some(({ userTexts: said }) => said.includes('Turn left'))).toBe(false);
  });

  test('S3.145 it lands before its answer: shown once, and injected', async () => {
    const { agent, codex } = relayed();
    const session = await agent.open();
    const { prompt } = await heldPrompt(session);
    const answer = codex.onAnswer('codex', 'turn/steer').once().delay();
    session.model(text('Left, then.'));
    const steered = steer(session, 'Turn left');
    await answer.met;
    const end = await prompt.ended;
    answer.release();
    expect(await steered).toEqual({ outcome: 'injected' });
    expect(userTexts(end.updates)).toEqual(version === 1 ? [] : ['Go', 'Turn left']);
    await expectNextPrompt(session);
  });
});

describe.each([1, 2] as const)('v%i, Codex dies', (version) => {
  test('S3.147 S3.144 a steer behind the death of Codex runs in a new process', () =>
    withRelay({ version, home, stderr: [/app-server/] }, async (session, codex) => {
      session.model(text('Hello.'));
      await session.prompt('Hi').ended;
      codex.die();
      await eventually('the agent heard of it', () => session.lab.agent.stderr().includes('app-server'));
      session.model(text('Left, then.'));
      expect(await steer(session, 'Turn left')).toEqual({ outcome: 'startedNewTurn' });
      await session.textShown('Left, then.');
      await session.settled();
      await expectNextPrompt(session);
    }));

  test('S8.67 C011 Codex dies with the steer: the client is told and keeps the text, nothing runs unseen', () =>
    withRelay({ version, home, stderr: [/app-server/] }, async (session, codex) => {
      session.model(text('Hello.'));
      await session.prompt('Hi').ended;
      const { prompt } = await heldPrompt(session);
      codex.on('agent', 'turn/steer').die();
      const steered = steer(session, 'Turn left');
      const refused = expect(steered).rejects.toMatchObject({ code: 1001 });
      expect((await prompt.ended).error).toMatchObject({ code: 1001 });
      await refused;
      await session.settled();
      await expectNextPrompt(session);
      expect(session.requests.some(({ lastUserText }) => lastUserText === 'Turn left')).toBe(false);
    }));
});
