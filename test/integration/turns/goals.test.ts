import { describe, expect, test } from 'vitest';
import { eventually, type Json, type LabSession, useAgent, withRelay } from '../../support/integration.ts';
import { endGoal, goalLoop, isGoalRequest } from '../../support/model-answers.ts';
import { failure, hold, pause, reply, text } from '../../support/model-replies.ts';
import { profiles } from '../../support/profiles.ts';
import { asked, ofSession, told, useRelayedAgent } from './relayed-agent.ts';
import { messageText } from './tool-view.ts';
import { expectCancelled, expectNextPrompt, handled, lossTold, states, userTexts } from './work-view.ts';

/** Failures come at once. */
const home = { requestRetries: 0, streamRetries: 0 };

const legacyMethod = '_codex/session/goal_control';

function control(session: LabSession, action: string, more: Json = {}, method = '_session/goal'): Promise<Json> {
  return session.lab.request(method, { sessionId: session.id, action, ...more });
}

/** The error of a request, or its result when there is none. */
function refusal(request: Promise<Json>): Promise<Json> {
  return request.catch(({ code, message }) => ({ code, message }));
}

/** Goal snapshots that AIR got, oldest first. */
function snapshots(updates: readonly Json[]): Json[] {
  return updates.flatMap((update) => {
    const air = update._meta?.jetbrains?.air;
    return update.sessionUpdate === 'session_info_update' && air?.goal !== undefined ? [air.goal] : [];
  });
}

function isIdleThread(update: Json): boolean {
  return update._meta?.codex?.threadStatus?.type === 'idle';
}

/** Everything that a model request of the session says, as JSON. */
function modelInput(session: LabSession, index: number): string {
  return JSON.stringify(session.requests[index]?.body.input);
}

/** Resolves when Codex has told this often that the thread is idle, on both versions. */
async function turnsOver(session: LabSession, count: number): Promise<void> {
  await session.lab.waitFor(`end of turn ${count}`, () => session.updates().filter(isIdleThread).length >= count);
  await session.settled();
}

/** A `/goal` prompt whose turn has said `Verse one.` and waits; let go, it reaches the goal and says `The end.` */
async function heldGoal(session: LabSession, command = '/goal Write a poem') {
  const gate = hold();
  session.model(reply(text('Verse one.'), pause(gate), endGoal()), text('The end.'));
  const prompt = session.prompt(command);
  await session.textShown('Verse one.', prompt.from);
  return { prompt, gate };
}

describe.each([1, 2] as const)('v%i', (version) => {
  const agent = useAgent({ version, home });
  const pair = ['running', 'idle end_turn'];

  test('S3.118 S3.119 S3.120 S3.46 a goal prompt ends with its first turn; the next ones are turns of Codex', async () => {
    const session = await agent().open();
    session.model(...goalLoop('Dug.', 'Built.'));
    const end = await session.prompt('/goal Build a bridge').ended;
    expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'Dug.']);
    expect(userTexts(end.updates)).toEqual(version === 1 ? [] : ['/goal Build a bridge']);
    expect(end.usage.totalTokens).toBe(150);
    await session.textShown('Built.');
    await turnsOver(session, 2);
    expect(messageText(session.updates())).toBe('Dug.Built.');
    if (version === 2) {
      expect(states(session.updates())).toEqual([...pair, ...pair]);
      const [, own] = session.updates().filter(({ state }) => state === 'idle');
      expect(Object.keys(own).sort()).toEqual(['sessionUpdate', 'state', 'stopReason']);
    }
    // The adapter itself asked for no turn.
    expect(session.requests.map((request) => isGoalRequest(request))).toEqual([true, true, true]);
    await expectNextPrompt(session);
  });

  test('S3.34 text blocks behind the command belong to the objective', async () => {
    const session = await agent().open();
    session.model(endGoal(), text('Done.'));
    const end = await session.prompt([
      { type: 'text', text: '/goal Build a bridge' },
      { type: 'resource', resource: { uri: 'file:///plan.txt', text: 'of wood' } },
    ]).ended;
    expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'Done.']);
    expect(modelInput(session, 0)).toMatch(/Build a bridge.*of wood/);
  });

  test('S3.118 S3.54 S3.57 S3.232 a cancel stops the goal’s turn, the goal stays; `/goal resume` goes on with it', async () => {
    const session = await agent().open();
    const { prompt } = await heldGoal(session);
    session.cancel();
    const end = await prompt.ended;
    expectCancelled(version, end);
    expect(await session.requests[0]?.finished).toBe('gone');
    await handled(session);
    expect(session.requests).toHaveLength(1);
    session.modelWith(({ toolOutputs }) => (toolOutputs.length === 0 ? endGoal() : text('Resumed.')));
    const resumed = await session.prompt('/goal resume').ended;
    expect([resumed.outcome, messageText(resumed.updates)]).toEqual(['end_turn', 'Resumed.']);
    expect(modelInput(session, 1)).toContain('Write a poem');
    await expectNextPrompt(session);
    if (version === 2) expect(states(session.updates())).toEqual(['running', 'idle cancelled', ...pair, ...pair]);
  });

  test('C002 R4 S3.54 a cancel in the same write as `/goal` stops it, and the next prompt works', async () => {
    const session = await agent().open();
    session.model(reply(pause(hold()), text('Never said.')));
    const prompt = agent().together(() => {
      const sent = session.prompt('/goal Write a poem');
      session.cancel();
      return sent;
    });
    const end = await prompt.ended;
    expectCancelled(version, end);
    expect(messageText(end.updates)).toBe('');
    await control(session, 'clear');
    await expectNextPrompt(session);
  });

  test('S3.121 S3.33 `/goal pause` and `/goal clear` say nothing and end; no turn follows', async () => {
    const session = await agent().open();
    const { prompt } = await heldGoal(session);
    session.cancel();
    await prompt.ended;
    const from = agent().client.received.length;
    for (const command of ['/goal PAUSE', '/goal pause', '/goal Clear', '/goal clear']) {
      const end = await session.prompt(command).ended;
      expect([command, end.outcome, messageText(end.updates)]).toEqual([command, 'end_turn', '']);
      expect([end.usage, end.meta]).toEqual([null, { quota: { token_count: null, model_usage: [] } }]);
    }
    expect(session.requests).toHaveLength(1);
    if (version === 2) {
      expect(states(session.updates(from))).toEqual([...pair, ...pair, ...pair, ...pair]);
      expect(userTexts(session.updates(from))).toEqual(['/goal PAUSE', '/goal pause', '/goal Clear', '/goal clear']);
    }
    await expectNextPrompt(session);
  });

  test('S3.32 `/goal` alone and a goal that is too long tell how it is used', async () => {
    const session = await agent().open();
    const usage = await session.prompt('/goal').ended;
    expect([usage.outcome, messageText(usage.updates)]).toEqual([
      'end_turn',
      'Command "/goal" requires [<objective>|clear|pause|resume].',
    ]);
    const long = await session.prompt(`/goal ${'x'.repeat(4001)}`).ended;
    expect([long.outcome, messageText(long.updates)]).toEqual([
      'end_turn',
      'Command "/goal" requires goal text of at most 4000 characters.',
    ]);
    expect(session.requests).toEqual([]);
  });

  test('S3.43 S3.233 `/goal resume` without a goal is refused as Codex does, and the next prompt works', async () => {
    const session = await agent().open();
    const end = await session.prompt('/goal resume').ended;
    expect(end.outcome).toBe('rejected');
    const details = `cannot update goal for thread ${session.id}: no goal exists`;
    expect(end.error).toEqual({ code: -32603, message: 'Internal error', data: { details } });
    expect([states(end.updates), userTexts(end.updates), messageText(end.updates)]).toEqual([[], [], '']);
    await expectNextPrompt(session);
  });

  test('S3.45 S3.33 S3.233 so is `/goal pause`, v2 after it was accepted', async () => {
    const session = await agent().open();
    const end = await session.prompt('/goal pause').ended;
    const reason = `cannot update goal for thread ${session.id}: no goal exists`;
    if (version === 1) {
      expect([end.outcome, end.error]).toEqual([
        'rejected',
        { code: -32603, message: 'Internal error', data: { details: reason } },
      ]);
    } else {
      expect([end.outcome, end.error]).toEqual(['error', { code: -32603, message: reason }]);
      expect(messageText(end.updates)).toBe(`The '/goal' command failed: ${reason}`);
    }
    await expectNextPrompt(session);
  });

  test('S3.11 S3.232 S3.233 a goal turn that fails ends the prompt as failed; none follows', async () => {
    const session = await agent().open();
    session.model(failure(400));
    const end = await session.prompt('/goal Write a poem').ended;
    expect(end.outcome).toBe(version === 1 ? 'end_turn' : 'error');
    expect(messageText(end.updates)).toMatch(/Scripted failure 400/);
    await expectNextPrompt(session);
    expect(session.requests).toHaveLength(2);
    if (version === 2) expect(states(session.updates())).toEqual(['running', 'idle error', ...pair]);
  });

  test('S3.36 S3.38 prompts wait for the goal’s first turn only', async () => {
    const session = await agent().open();
    const { prompt, gate } = await heldGoal(session);
    const second = session.prompt('Next');
    await handled(session);
    expect(session.requests).toHaveLength(1);
    session.modelWith(({ lastUserText }) => (lastUserText === 'Next' ? text('The next one.') : undefined));
    gate.open();
    const ends = [await prompt.ended, await second.ended];
    expect(ends.map(({ outcome }) => outcome)).toEqual(['end_turn', 'end_turn']);
    expect(messageText(session.updates())).toBe('Verse one.The end.The next one.');
  });

  test('S3.122 what is malformed is refused; a session that nobody knows too', async () => {
    const session = await agent().open();
    const { id: sessionId } = session;
    const methods = version === 1 ? ['_session/goal', legacyMethod] : ['_session/goal'];
    const cases: readonly Json[] = [
      undefined,
      [],
      { action: 'clear' },
      { sessionId: 7, action: 'clear' },
      { sessionId },
      { sessionId, action: 'stop' },
      { sessionId, action: 'set' },
      { sessionId, action: 'set', objective: null },
      { sessionId, action: 'set', objective: ' \n' },
      { sessionId, action: 'set', objective: 7 },
    ];
    for (const method of methods) {
      for (const params of cases) {
        expect([method, params, await refusal(agent().request(method, params))]).toEqual([
          method,
          params,
          { code: -32602, message: expect.stringMatching(/^Invalid params: goal control /) },
        ]);
      }
      const unknown = { sessionId: 'nobody', action: 'clear' };
      expect(await refusal(agent().request(method, unknown))).toEqual({
        code: -32602,
        message: 'Invalid params: Unknown session: nobody',
      });
    }
    expect(session.requests).toEqual([]);
    await expectNextPrompt(session);
  });

  test('S3.122 the former name of the method: known on v1, unknown on v2', async () => {
    const session = await agent().open();
    const answer = await refusal(control(session, 'clear', {}, legacyMethod));
    expect(answer).toEqual(version === 1 ? {} : { code: -32601, message: expect.any(String) });
  });

  test('S3.122 S3.81 set is answered when Codex took the goal, not when its turn is over; the turn is Codex’ own', async () => {
    const session = await agent().open();
    const gate = hold();
    session.model(reply(text('Verse one.'), pause(gate), endGoal()), text('The end.'));
    expect(await control(session, 'set', { objective: '  Write a poem ' })).toEqual({});
    await session.textShown('Verse one.');
    expect(modelInput(session, 0)).toContain('Write a poem');
    gate.open();
    await session.textShown('The end.');
    await turnsOver(session, 1);
    if (version === 2) expect(states(session.updates())).toEqual(pair);
    await expectNextPrompt(session);
  });

  test('S3.122 pause, resume and clear are answered `{}`; without a goal the first two fail as Codex says', async () => {
    const session = await agent().open();
    for (const action of ['pause', 'resume']) {
      const details = `cannot update goal for thread ${session.id}: no goal exists`;
      const error = await control(session, action).catch(({ code, data }) => ({ code, data }));
      expect(error).toEqual({ code: -32603, data: { details } });
    }
    expect(await control(session, 'clear')).toEqual({});
    session.model(reply(text('Verse one.'), pause(hold())));
    await control(session, 'set', { objective: 'Write a poem' });
    await session.textShown('Verse one.');
    expect(await control(session, 'pause')).toEqual({});
    session.cancel();
    await turnsOver(session, 1);
    const answers = [reply(text('Verse two.'), endGoal()), text('The end.')];
    session.modelWith(() => answers.shift());
    expect(await control(session, 'resume')).toEqual({});
    await session.textShown('The end.');
    await turnsOver(session, 2);
    expect(await control(session, 'clear')).toEqual({});
    await expectNextPrompt(session);
    expect(messageText(session.updates())).toBe('Verse one.Verse two.The end.The next one.');
  });

  test('S3.123 S3.122 goal control needs no place in the lane: it works during a turn, and the goal begins after it', async () => {
    const session = await agent().open();
    const gate = hold();
    session.model(text('Shown and said.', { deltas: ['Shown ', 'and said.'] }).pauseAt(gate, 1));
    const prompt = session.prompt('Go');
    await session.textShown('Shown ', prompt.from);
    expect(await control(session, 'set', { objective: 'Write a poem' })).toEqual({});
    expect(await control(session, 'pause')).toEqual({});
    expect(await control(session, 'resume')).toEqual({});
    const answers = [endGoal(), text('The end.')];
    session.modelWith((request) => (isGoalRequest(request) ? answers.shift() : undefined));
    gate.open();
    const end = await prompt.ended;
    expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'Shown and said.']);
    await session.textShown('The end.');
    await turnsOver(session, 2);
    if (version === 2) expect(states(session.updates())).toEqual([...pair, ...pair]);
    await expectNextPrompt(session);
  });

  test('S3.122 S3.66 control of a session that is closed meanwhile is answered', async () => {
    const session = await agent().open();
    const [answer] = await Promise.all(
      agent().together(() => [refusal(control(session, 'pause')), session.close()] as const),
    );
    expect(answer.code).toBeLessThan(0);
  });
});

describe.each([
  ['AIR v1', 1, profiles.airV1],
  ['AIR v2', 2, profiles.airV2],
] as const)('%s', (_, version, profile) => {
  const agent = useAgent({ version, profile, home });

  test('S3.124 S3.125 S3.122 each change is a snapshot before its answer; what the goal uses is none', async () => {
    const session = await agent().open();
    const gate = hold();
    session.model(text('Verse one.'), reply(text('Verse two.'), pause(gate), endGoal()), text('The end.'));
    const before = Date.now();
    const from = agent().client.received.length;
    const set = agent().client.request('_session/goal', {
      sessionId: session.id,
      action: 'set',
      objective: ' Write a poem\n',
    });
    await set;
    const answered = agent().client.received.findIndex((frame) => frame.method === undefined && frame.id === set.id);
    const [active, ...others] = snapshots(session.updates(from, answered));
    expect(others).toEqual([]);
    expect(active).toEqual({
      objective: 'Write a poem',
      status: 'active',
      tokenBudget: null,
      tokensUsed: 0,
      timeUsedSeconds: 0,
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
      controlMethod: '_session/goal',
    });
    // Milliseconds; Codex counts in seconds.
    expect(active.createdAt % 1000).toBe(0);
    expect(Math.abs(active.createdAt - before)).toBeLessThan(60_000);
    await session.textShown('Verse two.');
    // Codex has told what the first turn used.
    expect(snapshots(session.updates()).map(({ status }) => status)).toEqual(['active']);
    await control(session, 'pause');
    await control(session, 'resume');
    await control(session, 'resume');
    gate.open();
    await session.textShown('The end.');
    await turnsOver(session, 2);
    await control(session, 'clear');
    await control(session, 'clear');
    expect(snapshots(session.updates()).map((goal) => goal?.status ?? null)).toEqual([
      'active',
      'paused',
      'active',
      'complete',
      null,
    ]);
    await expectNextPrompt(session);
  });

  test('S3.121 S3.125 `/goal` commands change the snapshot like the method', async () => {
    const session = await agent().open();
    const { prompt } = await heldGoal(session);
    session.cancel();
    await prompt.ended;
    await session.prompt('/goal pause').ended;
    await session.prompt('/goal clear').ended;
    expect(snapshots(session.updates()).map((goal) => goal?.status ?? null)).toEqual(['active', 'paused', null]);
  });

  test('S3.11 S3.124 S3.180 a goal turn that fails blocks the goal; a turn of Codex tells its failure for the session', async () => {
    const session = await agent().open();
    session.model(failure(400));
    const end = await session.prompt('/goal Write a poem').ended;
    expect(end.meta.jetbrains.air.sessionFailure).toMatchObject({ severity: 'error' });
    expect(snapshots(end.updates).map(({ status }) => status)).toEqual(['active', 'blocked']);
    const from = agent().client.received.length;
    session.model(failure(400));
    await control(session, 'resume');
    const isFailure = (update: Json): boolean => update._meta?.jetbrains?.air?.sessionFailure !== undefined;
    await session.update('session_info_update', isFailure, from);
    await session.settled();
    await expectNextPrompt(session);
  });
});

describe.each([1, 2] as const)('v%i, lines of Codex in another order', (version) => {
  const relayed = useRelayedAgent({ version, home });

  test('S3.118 what the commands and the method ask for', async () => {
    const { agent, codex } = relayed();
    const session = await agent.open();
    const threadId = session.id;
    const { prompt, gate } = await heldGoal(session);
    gate.open();
    await prompt.ended;
    await session.prompt('/goal pause').ended;
    session.modelWith(({ lastUserText }) => (lastUserText === 'Next' ? undefined : failure(400)));
    await session.prompt('/goal resume').ended;
    await session.prompt('/goal clear').ended;
    await control(session, 'set', { objective: ' Dig ' });
    await turnsFailed(session, 2);
    await control(session, 'pause');
    await control(session, 'resume');
    await turnsFailed(session, 3);
    await control(session, 'clear');
    expect(asked(codex, session, 'thread/goal/set')).toEqual([
      { threadId, objective: 'Write a poem', status: 'active' },
      { threadId, status: 'paused' },
      { threadId, status: 'active' },
      { threadId, objective: 'Dig', status: 'active' },
      { threadId, status: 'paused' },
      { threadId, status: 'active' },
    ]);
    expect(asked(codex, session, 'thread/goal/clear')).toEqual([{ threadId }, { threadId }]);
    expect(asked(codex, session, 'turn/start')).toEqual([]);
    await expectNextPrompt(session);
  });

  /** Resolves when so many turns of the session have failed. */
  async function turnsFailed(session: LabSession, count: number): Promise<void> {
    const { agent } = relayed();
    const isFailed = (update: Json): boolean => update._meta?.codex?.threadStatus?.type === 'systemError';
    await agent.waitFor(`failure ${count}`, () => session.updates().filter(isFailed).length >= count);
    await session.settled();
    await handled(session);
  }

  test('R23 S3.119 a goal that starts no turn ends its prompt', async () => {
    const { agent, codex } = relayed();
    const session = await agent.open();
    // Codex takes the goal as paused: it reports it so, and begins nothing.
    codex
      .on('agent', 'thread/goal/set')
      .where(ofSession(session))
      .once()
      .rewrite((message) => ({ ...message, params: { ...message.params, status: 'paused' } }));
    const end = await session.prompt('/goal Write a poem').ended;
    expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', '']);
    if (version === 2) expect(states(end.updates)).toEqual(['running', 'idle end_turn']);
    expect(session.requests).toEqual([]);
    await expectNextPrompt(session);
  });

  test('S3.119 R3 all of the goal’s turn comes before the answer to its request', async () => {
    const { agent, codex } = relayed();
    const session = await agent.open();
    session.model(endGoal(), text('Done.'));
    const answer = codex.onAnswer('codex', 'thread/goal/set').once().delay();
    const prompt = session.prompt('/goal Write a poem');
    await told(codex, session, 'turn/completed');
    await handled(session);
    answer.release();
    const end = await prompt.ended;
    expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'Done.']);
    if (version === 2) expect(states(end.updates)).toEqual(['running', 'idle end_turn']);
    await expectNextPrompt(session);
  });

  test('R4 S3.54 a cancel between the request and its answer stops the goal’s turn', async () => {
    const { agent, codex } = relayed();
    const session = await agent.open();
    session.model(reply(pause(hold()), text('Never said.')));
    const answer = codex.onAnswer('codex', 'thread/goal/set').once().delay();
    const prompt = session.prompt('/goal Write a poem');
    await session.modelRequest(1);
    session.cancel();
    await handled(session);
    answer.release();
    const end = await prompt.ended;
    expectCancelled(version, end);
    expect(await session.requests[0]?.finished).toBe('gone');
    await control(session, 'clear');
    await expectNextPrompt(session);
  });

  test('S3.119 a goal beside a running goal’s turn: its turn is one that begins after its report', async () => {
    const { agent } = relayed();
    const session = await agent.open();
    const gate = hold();
    session.model(reply(text('Verse one.'), pause(gate)));
    await control(session, 'set', { objective: 'Write a poem' });
    await session.textShown('Verse one.');
    const prompt = session.prompt('/goal Write a song');
    await handled(session);
    const answers = [reply(text('Sung.'), endGoal()), text('The end.')];
    session.modelWith(() => answers.shift());
    gate.open();
    const end = await prompt.ended;
    expect(end.outcome).toBe('end_turn');
    await session.textShown('The end.');
    await session.settled();
    await expectNextPrompt(session);
  });

  test('S12.5 C003 the end of the goal’s turn is lost: it ends as Codex recorded it', async () => {
    const { agent, codex } = relayed();
    const session = await agent.open();
    const lost = codex.on('codex', 'turn/completed').where(ofSession(session)).once().drop();
    session.model(endGoal(), text('Done.'));
    const end = await session.prompt('/goal Write a poem').ended;
    expect([end.outcome, messageText(end.updates), lost.taken.length]).toEqual(['end_turn', 'Done.', 1]);
    await expectNextPrompt(session);
  });

  test('R20 S3.76 a goal’s turn right behind the answer to the method: nothing of it is lost', async () => {
    const { agent, codex } = relayed();
    const session = await agent.open();
    session.model(endGoal(), text('Done.'));
    // The answer comes with everything behind it.
    const answer = codex.onAnswer('codex', 'thread/goal/set').once().delay({ withAllBehind: true });
    const set = control(session, 'set', { objective: 'Write a poem' });
    await told(codex, session, 'turn/completed');
    answer.release();
    expect(await set).toEqual({});
    await session.textShown('Done.');
    await turnsOver(session, 1);
    if (version === 2) expect(states(session.updates())).toEqual(['running', 'idle end_turn']);
    await expectNextPrompt(session);
  });
});

describe('AIR v2, lines of Codex in another order', () => {
  const relayed = useRelayedAgent({ version: 2, profile: profiles.airV2, home });

  test('R22 S3.125 an answer that is older than what was told meanwhile changes nothing', async () => {
    const { agent, codex } = relayed();
    const session = await agent.open();
    session.model(endGoal(), text('Done.'));
    const answer = codex.onAnswer('codex', 'thread/goal/set').once().delay();
    const set = control(session, 'set', { objective: 'Write a poem' });
    await session.textShown('Done.');
    await turnsOver(session, 1);
    answer.release();
    await set;
    expect(snapshots(session.updates()).map(({ status }) => status)).toEqual(['active', 'complete']);
  });

  test('S3.121 S3.122 a clear is answered when the client was told', async () => {
    const { agent, codex } = relayed();
    const session = await agent.open();
    session.model(endGoal(), text('Done.'));
    await control(session, 'set', { objective: 'Write a poem' });
    await session.textShown('Done.');
    await turnsOver(session, 1);
    const cleared = codex.on('codex', 'thread/goal/cleared').where(ofSession(session)).once().delay();
    const answer = agent.client.request('_session/goal', { sessionId: session.id, action: 'clear' });
    await cleared.met;
    cleared.release();
    expect(await answer).toEqual({});
    const position = agent.client.received.findIndex((frame) => frame.method === undefined && frame.id === answer.id);
    expect(snapshots(session.updates(0, position)).at(-1)).toBeNull();
  });
});

describe.each([1, 2] as const)('v%i, Codex dies', (version) => {
  test('S3.122 S3.233 goal control behind the death of Codex works in a new process', () =>
    withRelay({ version, home, stderr: [/app-server/] }, async (session, codex) => {
      session.model(text('Hello.'));
      await session.prompt('Hi').ended;
      codex.die();
      await eventually('the agent heard of it', () => session.lab.agent.stderr().includes('app-server'));
      session.model(endGoal(), text('Done.'));
      expect(await control(session, 'set', { objective: 'Write a poem' })).toEqual({});
      await session.textShown('Done.');
      await session.settled();
      await expectNextPrompt(session);
    }));

  test('R24 S3.233 Codex dies with the request of a goal: the prompt fails, the next one works', () =>
    withRelay({ version, home, stderr: [/app-server/] }, async (session, codex) => {
      session.model(text('Hello.'));
      await session.prompt('Hi').ended;
      codex.on('agent', 'thread/goal/set').die();
      const end = await session.prompt('/goal Write a poem').ended;
      expect([end.outcome, end.error?.code]).toEqual(['rejected', 1001]);
      await lossTold(session, end);
      await expectNextPrompt(session);
    }));
});
