import { describe, expect, test } from 'vitest';
import { agentWith } from '../../support/agent-with.ts';
import { profiles } from '../../support/profiles.ts';
import { command, events } from '../../support/session-lab.ts';
import { versions } from './race-lab.ts';
import { type ProfileName, WireRace } from './wire-race.ts';

const plain = ['plainV1', 'plainV2'] as const;
const air = ['airV1', 'airV2'] as const;

function title(word: string): boolean {
  return word !== 'session_info_update' && word !== 'available_commands_update';
}

describe.each(plain)('races on the wire, %s', (name: ProfileName) => {
  test('R1 two prompts in one read: the second begins after the last frame of the first', async () => {
    const race = await WireRace.open(name);
    const { client } = race.agent;
    const from = race.place;
    const lines = ['one', 'two'].map((text, index) => ({
      jsonrpc: '2.0',
      id: `p${index + 1}`,
      method: 'session/prompt',
      params: { sessionId: race.sessionId, prompt: [{ type: 'text', text }] },
    }));
    client.raw(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    for (const [index, turnId] of ['turn-1', 'turn-2'].entries()) {
      await race.asked(index + 1);
      await race.names(turnId);
      race.begins(turnId);
      race.lands(turnId);
      race.says(`text of ${turnId}`, turnId);
      race.ends(turnId);
    }
    await race.settled();
    const first = ['running', 'user one', 'answer message', 'text text of turn-1', 'idle end_turn'];
    const second = ['running', 'user two', 'answer message', 'text text of turn-2', 'idle end_turn'];
    const v1 = ['text text of turn-1', 'answer end_turn', 'text text of turn-2', 'answer end_turn'];
    expect(race.frames(from).filter(title)).toEqual(name === 'plainV2' ? [...first, ...second] : v1);
    expect(client.received.slice(from).flatMap(({ id }) => (id === undefined ? [] : [id]))).toEqual(['p1', 'p2']);
    expect(race.agent.violations).toEqual([]);
  });

  test('R6 R8 cancel and the next prompt in one read', async () => {
    const race = await WireRace.open(name);
    const { codex } = race.agent;
    const first = race.prompt('one');
    await race.asked(1);
    await race.names('turn-1');
    race.begins('turn-1');
    race.lands('turn-1');
    await race.settled();
    const from = race.place;
    race.cancel();
    const second = race.prompt('two');
    await codex.called('interrupt');
    codex.heldInterrupts.shift()?.resolve();
    race.ends('turn-1', 'interrupted');
    await race.asked(2);
    await race.names('turn-2');
    race.begins('turn-2');
    race.lands('turn-2');
    race.ends('turn-2');
    await Promise.all([first, second]);
    await race.settled();
    const v2 = ['idle cancelled', 'running', 'user two', 'answer message', 'idle end_turn'];
    expect(race.frames(from).filter(title)).toEqual(name === 'plainV2' ? v2 : ['answer cancelled', 'answer end_turn']);
    expect(codex.of('interrupt').map(({ turnId }) => turnId)).toEqual(['turn-1']);
    expect(race.agent.violations).toEqual([]);
  });

  test('R7 the answer to a permission request crosses its withdrawal', async () => {
    const race = await WireRace.open(name);
    const { client, codex } = race.agent;
    const prompt = race.prompt();
    await race.asked(1);
    await race.names('turn-1');
    race.begins('turn-1');
    race.lands('turn-1');
    codex.emit(race.sessionId, events.itemStarted('turn-1', command('c1', { processId: null })));
    codex.request(race.sessionId, {
      type: 'commandApproval',
      turnId: 'turn-1',
      itemId: 'c1',
      approvalId: null,
      kind: 'command',
      reason: null,
      command: 'x',
      cwd: '/w',
      environmentId: null,
      actions: [],
      network: null,
      additionalPermissions: null,
      proposedExecpolicyAmendment: null,
      proposedNetworkAmendments: [],
      availableDecisions: null,
    });
    const ask = await client.waitFor(({ method }) => method === 'session/request_permission');
    const from = race.place;
    race.cancel();
    await codex.called('interrupt');
    await race.settled();
    client.answer(ask.id ?? '', { outcome: { outcome: 'selected', optionId: 'allow_once' } });
    codex.heldInterrupts.shift()?.resolve();
    await race.settled();
    codex.emit(race.sessionId, events.itemCompleted('turn-1', command('c1', { status: 'declined' })));
    race.ends('turn-1', 'interrupted');
    await prompt;
    await race.settled();
    const v2 = ['$/cancel_request', 'terminal_update', 'tool_call_update', 'idle cancelled'];
    const v1 = ['$/cancel_request', 'tool_call_update', 'answer cancelled'];
    expect(race.frames(from).filter(title)).toEqual(name === 'plainV2' ? v2 : v1);
    expect(codex.of('answer').map(({ answer }) => answer)).toEqual([{ type: 'commandApproval', decision: 'cancel' }]);
    expect(race.agent.violations).toEqual([]);
  });

  test('R9 S3.52 the answers of prompts that waited', async () => {
    const race = await WireRace.open(name);
    const { codex } = race.agent;
    const first = race.prompt('one');
    await race.asked(1);
    await race.names('turn-1');
    race.begins('turn-1');
    race.lands('turn-1');
    await race.settled();
    const from = race.place;
    const waiting = [race.prompt('two'), race.prompt('three')];
    race.cancel();
    await codex.called('interrupt');
    codex.heldInterrupts.shift()?.resolve();
    race.ends('turn-1', 'interrupted');
    await first;
    const answers = await Promise.allSettled(waiting);
    await race.settled();
    if (name === 'plainV2') {
      const message = `Request cancelled: Session ${race.sessionId} was cancelled before the prompt was inserted`;
      const refused = { status: 'rejected', reason: { code: -32800, message } };
      expect(answers).toMatchObject([refused, refused]);
      expect(race.frames(from).filter(title)).toEqual(['error -32800', 'error -32800', 'idle cancelled']);
    } else {
      const cancelled = { status: 'fulfilled', value: { stopReason: 'cancelled' } };
      expect(answers).toMatchObject([cancelled, cancelled]);
      expect(race.frames(from).filter(title)).toEqual(['answer cancelled', 'answer cancelled', 'answer cancelled']);
    }
    expect(race.agent.violations).toEqual([]);
  });

  test('R11 a close while the start is on its way', async () => {
    const race = await WireRace.open(name);
    const { client, codex } = race.agent;
    const prompt = race.prompt();
    await race.asked(1);
    const from = race.place;
    const closed = client.request('session/close', { sessionId: race.sessionId });
    const answer = await prompt.then(
      (result) => result.stopReason,
      (error: { code: number }) => error.code,
    );
    expect(answer).toBe(name === 'plainV2' ? -32800 : 'cancelled');
    await race.names('turn-1');
    await codex.called('interrupt');
    race.begins('turn-1');
    race.says('unseen', 'turn-1');
    codex.heldInterrupts.shift()?.resolve();
    race.ends('turn-1', 'interrupted');
    expect(await closed).toEqual({});
    await race.settled();
    race.says('late', 'turn-1');
    await race.settled();
    expect(race.frames(from)).toEqual([name === 'plainV2' ? 'error -32800' : 'answer cancelled', 'answer']);
    expect(race.agent.violations).toEqual([]);
  });

  test('R24 S8.63 Codex dies before it has answered the start', async () => {
    const race = await WireRace.open(name);
    const { codex } = race.agent;
    const prompt = race.prompt();
    await race.asked(1);
    const from = race.place;
    codex.crash();
    await expect(prompt).rejects.toMatchObject({ code: 1001 });
    await race.settled();
    expect(race.frames(from)).toEqual(race.visible(['error 1001', 'idle error']));
    if (name === 'plainV2') {
      expect(race.agent.client.received.at(-1)?.params.update).toMatchObject({
        error: { code: 1001, message: 'Connection to Codex was lost.' },
      });
    }
    expect(codex.of('startTurn')).toHaveLength(1);
    expect(race.agent.violations).toEqual([]);
  });

  test('R37 the client goes away in the middle of a turn: nothing is written any more', async () => {
    const race = await WireRace.open(name);
    void race.prompt().catch(() => undefined);
    await race.asked(1);
    await race.names('turn-1');
    race.begins('turn-1');
    race.lands('turn-1');
    race.says('before', 'turn-1');
    await race.settled();
    const from = race.place;
    race.agent.disconnect();
    race.says('after', 'turn-1');
    race.ends('turn-1');
    await race.settled();
    expect(race.frames(from)).toEqual([]);
  });

  test('R37 the last frames before the client goes away are written', async () => {
    const race = await WireRace.open(name);
    void race.prompt().catch(() => undefined);
    await race.asked(1);
    await race.names('turn-1');
    race.begins('turn-1');
    race.lands('turn-1');
    await race.settled();
    const from = race.place;
    race.says('last', 'turn-1');
    race.ends('turn-1');
    await race.settled();
    race.agent.disconnect();
    await race.settled();
    expect(race.frames(from).filter(title)).toEqual([
      'text last',
      name === 'plainV2' ? 'idle end_turn' : 'answer end_turn',
    ]);
  });
});

describe('R10 S3.59 a cancelled prompt request on the wire, v2', () => {
  test('R10 before insertion: -32800, no chunk, the turn is interrupted, one idle', async () => {
    const race = await WireRace.open('plainV2');
    const { codex } = race.agent;
    const prompt = race.prompt();
    await race.asked(1);
    await race.names('turn-1');
    race.begins('turn-1');
    await race.settled();
    const from = race.place;
    race.cancelRequest(prompt.id);
    await codex.called('interrupt');
    race.lands('turn-1');
    codex.heldInterrupts.shift()?.resolve();
    race.ends('turn-1', 'interrupted');
    await expect(prompt).rejects.toMatchObject({
      code: -32800,
      message: 'Request cancelled: The prompt request was cancelled before it was inserted',
    });
    await race.settled();
    expect(race.frames(from)).toEqual(['error -32800', 'idle cancelled']);
    expect(race.agent.violations).toEqual([]);
  });

  test('R10 after insertion: the answer stands', async () => {
    const race = await WireRace.open('plainV2');
    const { codex } = race.agent;
    const prompt = race.prompt();
    await race.asked(1);
    await race.names('turn-1');
    race.begins('turn-1');
    race.lands('turn-1');
    race.cancelRequest(prompt.id);
    await race.settled();
    race.ends('turn-1');
    expect(await prompt).toMatchObject({ messageId: expect.any(String) });
    await race.settled();
    expect(codex.of('interrupt')).toHaveLength(0);
    expect(race.frames(race.place - 1)).toEqual(['idle end_turn']);
    expect(race.agent.violations).toEqual([]);
  });
});

describe.each(air)('S3.178 the record of a failure, %s', (name: ProfileName) => {
  /** Records of failures in the order in which the client got them, wherever they stood. */
  function records(race: WireRace, from: number): { where: string; id: string; revision: number }[] {
    return race.agent.client.received.slice(from).flatMap((frame) => {
      const update = frame.params?.update;
      const where = update === undefined ? 'answer' : update.sessionUpdate;
      const record = (update ?? frame.result)?._meta?.jetbrains?.air?.sessionFailure;
      return record === undefined || record === null ? [] : [{ where, id: record.id, revision: record.revision }];
    });
  }

  const atEnd = name === 'airV1' ? 'answer' : 'state_update';

  async function running(): Promise<{ race: WireRace; prompt: Promise<unknown>; from: number }> {
    const race = await WireRace.open(name);
    const from = race.place;
    const prompt = race.prompt();
    await race.asked(1);
    await race.names('turn-1');
    race.begins('turn-1');
    race.lands('turn-1');
    await race.settled();
    return { race, prompt, from };
  }

  test.each(['error first', 'completion first'] as const)('R32 %s: one record, one end', async (order) => {
    const { race, prompt, from } = await running();
    if (order === 'error first') race.fails('broken', 'turn-1');
    race.ends('turn-1', 'failed', 'broken');
    await prompt;
    await race.settled();
    expect(records(race, from)).toEqual([{ where: atEnd, id: 'turn-1:error', revision: 1 }]);
    const ends = race.frames(from).filter((word) => word === 'idle error' || word === 'answer end_turn');
    expect(ends).toEqual([name === 'airV1' ? 'answer end_turn' : 'idle error']);
    expect(race.agent.violations).toEqual([]);
  });

  test.each(['error first', 'completion first'] as const)(
    'R33 %s, and the error again after the end: the same id, the next revision, no new result',
    async (order) => {
      const { race, prompt, from } = await running();
      if (order === 'error first') race.fails('broken', 'turn-1');
      race.ends('turn-1', 'failed', 'broken');
      await prompt;
      await race.settled();
      race.fails('broken', 'turn-1');
      await race.settled();
      expect(records(race, from)).toEqual([
        { where: atEnd, id: 'turn-1:error', revision: 1 },
        { where: 'session_info_update', id: 'turn-1:error', revision: 2 },
      ]);
      const answers = race.agent.client.received.slice(from).filter(({ method }) => method === undefined);
      expect(answers).toHaveLength(1);
      expect(race.agent.violations).toEqual([]);
    },
  );
});

describe.each(versions)('R20 S3.76 a goal turn that begins while the session opens, v%i', (version) => {
  test('R20 its events before the session is attached come after the answer, and none is lost', async () => {
    const { client, codex, violations } = agentWith({ version });
    await client.request('initialize', version === 1 ? profiles.plainV1 : profiles.plainV2);
    codex.emit('thread-1', events.started('goal-1'));
    codex.emit('thread-1', events.delta('goal-1', 'early', 'm1'));
    const { sessionId } = await client.request('session/new', { cwd: '/w', mcpServers: [] });
    codex.emit(sessionId, events.delta('goal-1', ' and late', 'm1'));
    codex.emit(sessionId, events.completed('goal-1'));
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(sessionId).toBe('thread-1');
    const answer = client.received.findIndex(({ result }) => result?.sessionId === sessionId);
    const first = client.received.findIndex(
      ({ params }) => params?.update?.sessionUpdate === 'agent_message_chunk' || params?.update?.state === 'running',
    );
    expect(answer).toBeGreaterThan(-1);
    expect(first).toBeGreaterThan(answer);
    expect(client.text(sessionId)).toBe('early and late');
    const states = client.updates(sessionId).flatMap(({ state }) => (state === undefined ? [] : [state]));
    expect(states).toEqual(version === 2 ? ['running', 'idle'] : []);
    expect(violations).toEqual([]);
  });
});
