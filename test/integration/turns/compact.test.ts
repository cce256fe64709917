import { describe, expect, test } from 'vitest';
import { type Json, type LabSession, useAgent, withRelay } from '../../support/integration.ts';
import { compactionSummary } from '../../support/model-answers.ts';
import { failure, type Gate, hold, pause, reply, text } from '../../support/model-replies.ts';
import { profiles } from '../../support/profiles.ts';
import { asked, ofSession, told, useRelayedAgent } from './relayed-agent.ts';
import { messageText } from './tool-view.ts';
import {
  endGoals,
  expectCancelled,
  expectNextPrompt,
  handled,
  heldGoalTurn,
  lossTold,
  setGoal,
  states,
  userTexts,
} from './work-view.ts';

/** Failures come at once. */
const home = { requestRetries: 0, streamRetries: 0 };

/** What clients are shown of a compaction, by profile. */
const shapes = [
  { name: 'plain v1', version: 1, profile: profiles.plainV1, shape: 'toolCall', air: false },
  { name: 'plain v2', version: 2, profile: profiles.plainV2, shape: 'update', air: false },
  { name: 'AIR v1', version: 1, profile: profiles.airV1, shape: 'update', air: true },
  { name: 'AIR v2', version: 2, profile: profiles.airV2, shape: 'update', air: true },
  {
    name: 'AIR v1 that knows no compaction',
    version: 1,
    profile: airWithoutCompaction(),
    shape: 'toolCall',
    air: true,
  },
] as const;

function airWithoutCompaction(): Json {
  const { clientCapabilities } = profiles.airV1;
  const { session, ...capabilities } = clientCapabilities;
  return { ...profiles.airV1, clientCapabilities: { ...capabilities, session: { notices: session.notices } } };
}

/** Every report of the session's compactions, a word each, alike for all shapes: `in_progress`, `failed: why`. */
function compactions(updates: readonly Json[]): string[] {
  return updates.flatMap((update) => {
    if (update.sessionUpdate === 'compaction_update') {
      return [update.error === undefined ? update.status : `${update.status}: ${update.error}`];
    }
    const tool = update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update';
    return tool && update.status !== undefined ? [update.status] : [];
  });
}

/** A session that has something to compact. */
async function withHistory(agent: { open(): Promise<LabSession> }): Promise<LabSession> {
  const session = await agent.open();
  session.model(text('Hello.'));
  await session.prompt('Hi').ended;
  return session;
}

/** The model call of the next compactions waits. */
function holdCompaction(session: LabSession): Gate {
  const gate = hold();
  session.lab.server.aside('compaction', reply(pause(gate), compactionSummary('They said hello.')));
  return gate;
}

describe.each(shapes)('$name', ({ version, profile, shape, air }) => {
  const agent = useAgent({ version, profile, home });

  function free(): void {
    agent().server.aside('compaction', compactionSummary('They said hello.'));
  }

  test('S3.110 S3.166 S3.167 C024 a compaction is shown once, ends with its turn and lowers the context meter', async () => {
    free();
    const session = await withHistory(agent());
    const end = await session.prompt('/compact').ended;
    expect(end.outcome).toBe('end_turn');
    expect(compactions(end.updates)).toEqual(['in_progress', 'completed']);
    expect(messageText(end.updates)).toBe('');
    const reports = end.updates.filter(({ sessionUpdate }) => /^(compaction|tool_call)/.test(sessionUpdate));
    if (shape === 'update') {
      const compactionId = reports[0].compactionId;
      expect(reports).toEqual([
        { sessionUpdate: 'compaction_update', compactionId, status: 'in_progress' },
        { sessionUpdate: 'compaction_update', compactionId, status: 'completed' },
      ]);
    } else {
      const { toolCallId } = reports[0];
      const meta = air ? { _meta: { jetbrains: { air: { version: 1, contextCompaction: { version: 1 } } } } } : {};
      const start = { title: 'Compact conversation', kind: 'think', status: 'in_progress' };
      // The end repeats nothing (S4.134).
      expect(reports).toEqual([
        { sessionUpdate: 'tool_call', toolCallId, ...start, ...meta },
        { sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' },
      ]);
    }
    if (version === 2) {
      expect(states(end.updates)).toEqual(['running', 'idle end_turn']);
      expect(userTexts(end.updates)).toEqual(['/compact']);
    }
    const meter = end.updates.filter(({ sessionUpdate }) => sessionUpdate === 'usage_update').map(({ used }) => used);
    expect(meter.at(-1)).not.toBe(150);
    // Its own model call was paid for.
    expect(end.usage.totalTokens).toBe(150);
    await expectNextPrompt(session);
    expect(compactions(session.updates(end.position))).toEqual([]);
  });

  test('S3.54 S3.166 S3.167 a cancel ends the compaction and its report; the next prompt works', async () => {
    const session = await withHistory(agent());
    holdCompaction(session);
    const prompt = session.prompt('/compact');
    await agent().waitFor('compaction', () => compactions(session.updates(prompt.from)).length > 0);
    session.cancel();
    const end = await prompt.ended;
    expectCancelled(version, end);
    expect(compactions(end.updates)).toEqual(['in_progress', shape === 'update' ? 'cancelled' : 'failed']);
    const call = agent().server.requests.find(({ kind, threadId }) => kind === 'compaction' && threadId === session.id);
    if (call !== undefined) expect(await call.finished).toBe('gone');
    free();
    await expectNextPrompt(session);
    expect((await session.prompt('/compact').ended).outcome).toBe('end_turn');
  });

  test('S3.166 S3.167 S4.135 a compaction fails before its failure is told; the next prompt works', async () => {
    const session = await withHistory(agent());
    agent().server.aside('compaction', failure(400));
    const end = await session.prompt('/compact').ended;
    expect(end.outcome).toBe(version === 1 ? 'end_turn' : 'error');
    const [started, ended, ...more] = compactions(end.updates);
    expect([started, more]).toEqual(['in_progress', []]);
    expect(ended).toMatch(shape === 'update' ? /^failed: Scripted failure 400/ : /^failed$/);
    const kinds = end.updates.map(({ sessionUpdate }) => sessionUpdate);
    if (air) {
      expect(messageText(end.updates)).toBe('');
      expect(end.meta.jetbrains.air.sessionFailure).toMatchObject({ severity: 'error' });
    } else {
      expect(messageText(end.updates)).toMatch(/Scripted failure 400/);
      expect(kinds.lastIndexOf(shape === 'update' ? 'compaction_update' : 'tool_call_update')).toBeLessThan(
        kinds.indexOf('agent_message_chunk'),
      );
    }
    if (version === 2) expect(states(end.updates)).toEqual(['running', 'idle error']);
    free();
    await expectNextPrompt(session);
  });
});

describe.each([1, 2] as const)('v%i', (version) => {
  const agent = useAgent({ version, home });

  test('S3.110 S3.36 prompts wait for the end of a compaction', async () => {
    const session = await withHistory(agent());
    const gate = holdCompaction(session);
    const [compaction, second] = agent().together(
      () => [session.prompt('/compact'), session.prompt('Second')] as const,
    );
    await agent().waitFor('compaction', () => compactions(session.updates(compaction.from)).length > 0);
    await handled(session);
    expect(session.requests).toHaveLength(1);
    session.model(text('The second.'));
    gate.open();
    const ends = [await compaction.ended, await second.ended];
    expect(ends.map(({ outcome }) => outcome)).toEqual(['end_turn', 'end_turn']);
    expect(messageText(session.updates(compaction.from))).toBe('The second.');
  });

  test('S3.111 S3.232 a compaction waits for the end of a turn that Codex started', async () => {
    agent().server.aside('compaction', compactionSummary('A poem.'));
    const session = await agent().open();
    const gate = await heldGoalTurn(session);
    const prompt = session.prompt('/compact');
    await handled(session);
    expect(compactions(session.updates(prompt.from))).toEqual([]);
    gate.open();
    const end = await prompt.ended;
    expect(end.outcome).toBe('end_turn');
    expect(compactions(session.updates())).toEqual(['in_progress', 'completed']);
    // The turn of Codex came to its own end.
    expect(messageText(session.updates())).toBe('Verse one.The end.');
    if (version === 2) {
      expect(states(session.updates())).toEqual(['running', 'idle end_turn', 'running', 'idle end_turn']);
    }
    await expectNextPrompt(session);
  });

  test('S3.111 S3.39 a cancel while it waits ends it at once, and the turn of Codex as well', async () => {
    const session = await agent().open();
    await heldGoalTurn(session);
    const prompt = session.prompt('/compact');
    await handled(session);
    session.cancel();
    const end = await prompt.ended;
    expect(end.outcome).toBe(version === 1 ? 'cancelled' : 'rejected');
    if (version === 2) {
      const message = `Request cancelled: Session ${session.id} was cancelled before the prompt was inserted`;
      expect(end.error).toMatchObject({ code: -32800, message });
      await session.settled();
      expect(states(session.updates())).toEqual(['running', 'idle cancelled']);
    }
    await expectNextPrompt(session);
    expect(compactions(session.updates())).toEqual([]);
  });

  test('S3.111 S3.59 `$/cancel_request` while it waits ends it at once, and the turn of Codex goes on', async () => {
    const session = await agent().open();
    const gate = await heldGoalTurn(session);
    const prompt = session.prompt('/compact');
    await handled(session);
    prompt.cancelRequest();
    const end = await prompt.ended;
    expect(end.outcome).toBe(version === 1 ? 'cancelled' : 'rejected');
    gate.open();
    await session.textShown('The end.');
    await session.settled();
    if (version === 2) expect(states(session.updates())).toEqual(['running', 'idle end_turn']);
    await expectNextPrompt(session);
    expect(compactions(session.updates())).toEqual([]);
  });

  test('S3.111 a goal that goes on turn after turn: it is compacted all the same, and that is told', async () => {
    agent().server.aside('compaction', compactionSummary('A poem.'));
    const session = await agent().open();
    const gate = hold();
    session.model(reply(text('Verse one.'), pause(gate)));
    session.modelWith(({ lastUserText }) => (lastUserText === 'Next' ? text('The next one.') : undefined));
    await setGoal(session);
    await session.textShown('Verse one.');
    const prompt = session.prompt('/compact');
    await handled(session);
    gate.open();
    const end = await prompt.ended;
    expect(end.outcome).toBe('end_turn');
    expect(compactions(end.updates)).toEqual(['in_progress', 'completed']);
    await endGoals(session);
  });
});

describe.each([1, 2] as const)('v%i, lines of Codex in another order', (version) => {
  const relayed = useRelayedAgent({ version, home });

  function free(): void {
    relayed().agent.server.aside('compaction', compactionSummary('They said hello.'));
  }

  test('S3.110 R36 the compaction is done and its turn still open: the next prompt waits for the turn', async () => {
    const { agent, codex } = relayed();
    free();
    const session = await withHistory(agent);
    const open = codex.on('codex', 'turn/completed').where(ofSession(session)).once().delay({ withAllBehind: true });
    const compaction = session.prompt('/compact');
    await agent.waitFor('end of the compaction', () => compactions(session.updates(compaction.from)).length === 2);
    await open.met;
    session.model(text('The second.'));
    const second = session.prompt('Second');
    await handled(session);
    expect(asked(codex, session, 'turn/start')).toHaveLength(1);
    open.release();
    const ends = [await compaction.ended, await second.ended];
    expect(ends.map(({ outcome }) => outcome)).toEqual(['end_turn', 'end_turn']);
    expect(messageText(session.updates(compaction.from))).toBe('The second.');
    if (version === 2) {
      const pair = ['running', 'idle end_turn'];
      expect(states(session.updates(compaction.from))).toEqual([...pair, ...pair]);
    }
  });

  test('S3.110 R3 all of the compaction comes before the answer to its request', async () => {
    const { agent, codex } = relayed();
    free();
    const session = await withHistory(agent);
    const answer = codex.onAnswer('codex', 'thread/compact/start').once().delay();
    const prompt = session.prompt('/compact');
    await answer.met;
    await told(codex, session, 'turn/completed', ({ turn }) => turn.id !== firstTurn(codex, session));
    await handled(session);
    answer.release();
    const end = await prompt.ended;
    expect(end.outcome).toBe('end_turn');
    expect(compactions(end.updates)).toEqual(['in_progress', 'completed']);
    if (version === 2) expect(states(end.updates)).toEqual(['running', 'idle end_turn']);
    await expectNextPrompt(session);
  });

  test('R4 S3.54 a cancel between the request and its answer stops the compaction', async () => {
    const { agent, codex } = relayed();
    const session = await withHistory(agent);
    holdCompaction(session);
    const answer = codex.onAnswer('codex', 'thread/compact/start').once().delay();
    const prompt = session.prompt('/compact');
    await answer.met;
    session.cancel();
    await handled(session);
    answer.release();
    const end = await prompt.ended;
    expectCancelled(version, end);
    free();
    await expectNextPrompt(session);
  });

  test('S12.5 C003 the end of the turn is lost: the end of the compaction tells', async () => {
    const { agent, codex } = relayed();
    free();
    const session = await withHistory(agent);
    const lost = codex.on('codex', 'turn/completed').where(ofSession(session)).once().drop();
    const end = await session.prompt('/compact').ended;
    expect([end.outcome, lost.taken.length]).toEqual(['end_turn', 1]);
    await expectNextPrompt(session);
  });

  test('S3.112 S3.43 a refused request fails the prompt, v2 before it is shown; the next one works', async () => {
    const { agent, codex } = relayed();
    free();
    const session = await withHistory(agent);
    codex
      .on('agent', 'thread/compact/start')
      .where(ofSession(session))
      .once()
      .rewrite((message) => ({ ...message, method: 'thread/unknown' }));
    const end = await session.prompt('/compact').ended;
    expect(end.outcome).toBe('rejected');
    const details = expect.stringContaining('thread/unknown');
    expect(end.error).toEqual({ code: -32603, message: 'Internal error', data: { details } });
    expect([states(end.updates), userTexts(end.updates), messageText(end.updates)]).toEqual([[], [], '']);
    await expectNextPrompt(session);
  });

  test('S3.168 the event of an older Codex beside its item tells nothing more', async () => {
    const { agent, codex } = relayed();
    free();
    const session = await withHistory(agent);
    codex
      .on('codex', 'item/completed')
      .where((message) => ofSession(session)(message) && message.params.item.type === 'contextCompaction')
      .once()
      .rewrite((message) => [message, compacted(message.params), compacted(message.params)]);
    const end = await session.prompt('/compact').ended;
    expect(compactions(end.updates)).toEqual(['in_progress', 'completed']);
    expect(messageText(end.updates)).toBe('');
    expect(end.updates.filter(({ sessionUpdate }) => sessionUpdate === 'notice')).toEqual([]);
  });

  test('S3.168 S3.110 the event alone is told, and does not end the prompt', async () => {
    const { agent, codex } = relayed();
    free();
    const session = await withHistory(agent);
    const isItem = (message: Json): boolean =>
      ofSession(session)(message) && message.params.item.type === 'contextCompaction';
    codex.on('codex', 'item/started').where(isItem).once().drop();
    codex
      .on('codex', 'item/completed')
      .where(isItem)
      .once()
      .rewrite((message) => compacted(message.params));
    const open = codex.on('codex', 'turn/completed').where(ofSession(session)).once().delay({ withAllBehind: true });
    const prompt = session.prompt('/compact');
    await open.met;
    await handled(session);
    const answered = agent.client.received.some((frame) => frame.method === undefined && frame.id === prompt.requestId);
    // v2 answers when Codex took the request.
    expect(answered).toBe(version === 2);
    open.release();
    const end = await prompt.ended;
    if (version === 1) {
      expect(messageText(end.updates)).toBe("*Context compacted to fit the model's context window.*\n\n");
    } else {
      expect(compactions(end.updates)).toEqual(['completed']);
    }
  });
});

/** `thread/compacted`, which Codex before 0.171 sends. */
function compacted({ threadId, turnId }: Json): Json {
  return { method: 'thread/compacted', params: { threadId, turnId } };
}

function firstTurn(codex: Parameters<typeof told>[0], session: LabSession): string {
  const started = codex.messages.find(
    ({ from, message }) => from === 'codex' && message.method === 'turn/started' && ofSession(session)(message),
  );
  return started?.message.params.turn.id;
}

describe.each([1, 2] as const)('v%i, Codex dies', (version) => {
  test('S3.112 R24 with the request: the prompt fails, v2 before it is shown; the next one works', () =>
    withRelay({ version, home, stderr: [/app-server/] }, async (session, codex) => {
      session.model(text('Hello.'));
      await session.prompt('Hi').ended;
      codex.on('agent', 'thread/compact/start').die();
      const prompt = session.prompt('/compact');
      const end = await prompt.ended;
      expect([end.outcome, end.error?.code]).toEqual(['rejected', 1001]);
      expect(userTexts(end.updates)).toEqual([]);
      await lossTold(session, end);
      await expectNextPrompt(session);
    }));

  test('S3.112 S3.166 during the compaction: it fails, and so does the prompt; the next one works', () =>
    withRelay({ version, home, stderr: [/app-server/] }, async (session, codex) => {
      session.model(text('Hello.'));
      await session.prompt('Hi').ended;
      holdCompaction(session);
      const prompt = session.prompt('/compact');
      await session.lab.waitFor('compaction', () => compactions(session.updates(prompt.from)).length > 0);
      codex.die();
      const end = await prompt.ended;
      expect(end.error).toMatchObject({ code: 1001 });
      const reports = compactions(end.updates);
      expect(reports).toEqual(['in_progress', version === 1 ? 'failed' : 'failed: Connection to Codex was lost.']);
      if (version === 2) expect(states(end.updates)).toEqual(['running', 'idle error']);
      await expectNextPrompt(session);
    }));
});
