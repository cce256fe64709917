import { describe, expect, test } from 'vitest';
import { CodexRequestError } from '../../../src/domain/errors/agent-error.ts';
import { agentWith } from '../../support/agent-with.ts';
import { FakeCodex } from '../../support/fake-codex.ts';
import { profiles } from '../../support/profiles.ts';
import { command, events } from '../../support/session-lab.ts';

const thread = 'thread-old';

async function agent(version: 1 | 2, codex = new FakeCodex(), profile = version === 1 ? 'plainV1' : 'plainV2') {
  const lab = agentWith({ version, codex });
  await lab.client.request('initialize', profiles[profile as keyof typeof profiles]);
  const resume = (sessionId = thread, more: object = {}) =>
    lab.client.request('session/resume', { sessionId, cwd: '/w', mcpServers: [], ...more });
  const prompt = (sessionId = thread) =>
    lab.client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'hi' }] });
  /** Everything of the session since the start, a word for each frame. */
  const words = () =>
    lab.client.received.flatMap((frame) => {
      const update = frame.params?.update;
      if (update === undefined) return frame.result === undefined ? [] : ['answer'];
      return [update.state === undefined ? update.sessionUpdate : `${update.sessionUpdate} ${update.state}`];
    });
  return { ...lab, codex, resume, prompt, words };
}

describe.each([1, 2] as const)('v%i: session/resume', (version) => {
  test('S2.20 S2.42 S3.101 opens a recorded session and prompts it', async () => {
    const codex = new FakeCodex();
    codex.recorded = { name: 'Old talk' };
    const { resume, prompt, client, words, violations } = await agent(version, codex);
    const opened = await resume();
    expect(opened.configOptions.length).toBeGreaterThan(0);
    if (version === 2) {
      expect(opened.availableCommands.length).toBeGreaterThan(5);
      expect(words().slice(-3)).toEqual(['session_info_update', 'state_update idle', 'answer']);
      expect(client.received.find((frame) => frame.params?.update?.title === 'Old talk')).toBeDefined();
    } else {
      expect(opened.modes.currentModeId).toBe('agent');
      await client.waitForUpdate('available_commands_update');
    }
    const answered = prompt();
    await codex.called('startTurn');
    const [started] = codex.of('startTurn');
    codex.emit(thread, events.started('turn-1'));
    if (version === 2) {
      const clientId = started?.params.clientMessageId ?? null;
      codex.emit(thread, { type: 'itemStarted', turnId: 'turn-1', item: { type: 'userMessage', id: 'u', clientId } });
    }
    codex.emit(thread, events.completed('turn-1'));
    await answered;
    expect(violations).toEqual([]);
  });

  test('S3.76 R20 a goal turn that begins while the thread is loaded is shown, nothing of it is lost', async () => {
    const codex = new FakeCodex();
    codex.manual.add('resumeThread');
    const { resume, client, words } = await agent(version, codex);
    const opened = resume();
    await codex.called('resumeThread');
    codex.emit(thread, events.started('goal-1'));
    codex.emit(thread, events.delta('goal-1', 'Dig', 'm'));
    codex.heldResumes[0]?.resolve(codex.openThread(thread));
    await opened;
    codex.emit(thread, events.delta('goal-1', 'ging', 'm'));
    codex.emit(thread, events.completed('goal-1'));
    if (version === 2) await client.waitForUpdate('state_update', (update) => update.stopReason === 'end_turn');
    else await client.waitForUpdate('agent_message_chunk', (update) => update.content.text.endsWith('ging'));
    expect(client.text(thread)).toBe('Digging');
    if (version === 2) {
      const states = words().filter((word) => word.startsWith('state_update'));
      expect(states).toEqual(['state_update running', 'state_update running', 'state_update idle']);
    }
  });

  test('S3.90 a thread with a running turn is opened as running and can be cancelled', async () => {
    const codex = new FakeCodex();
    codex.activeTurn = 'turn-9';
    const { resume, client, words } = await agent(version, codex);
    await resume();
    if (version === 2) expect(words().filter((word) => word.startsWith('state'))).toEqual(['state_update running']);
    client.notify('session/cancel', { sessionId: thread });
    await codex.called('interrupt');
    expect(codex.of('interrupt')[0]?.turnId).toBe('turn-9');
    codex.emit(thread, events.completed('turn-9', 'interrupted'));
    if (version === 2) await client.waitForUpdate('state_update', (update) => update.stopReason === 'cancelled');
  });

  test('R38 C001 resuming a session that runs here keeps its turn; a cancel after it still stops that turn', async () => {
    const { resume, prompt, client, codex, words } = await agent(version);
    await resume();
    const answered = prompt();
    await codex.called('startTurn');
    codex.emit(thread, events.started('turn-1'));
    if (version === 2) {
      const clientId = codex.of('startTurn')[0]?.params.clientMessageId ?? null;
      codex.emit(thread, { type: 'itemStarted', turnId: 'turn-1', item: { type: 'userMessage', id: 'u', clientId } });
    }
    codex.emit(thread, events.itemStarted('turn-1', command('x')));
    await client.waitForUpdate(version === 1 ? 'tool_call' : 'tool_call_update');
    await resume();
    expect(codex.of('resumeThread')).toHaveLength(1);
    if (version === 2) {
      const states = words().filter((word) => word.startsWith('state_update'));
      expect(states).toEqual(['state_update idle', 'state_update running', 'state_update running']);
    }
    client.notify('session/cancel', { sessionId: thread });
    await codex.called('interrupt');
    codex.emit(thread, events.completed('turn-1', 'interrupted'));
    if (version === 1) expect(await answered).toMatchObject({ stopReason: 'cancelled' });
    else await client.waitForUpdate('state_update', (update) => update.stopReason === 'cancelled');
    const next = prompt();
    await codex.called('startTurn', 2);
    codex.emit(thread, events.started('turn-2'));
    if (version === 2) {
      const clientId = codex.of('startTurn')[1]?.params.clientMessageId ?? null;
      codex.emit(thread, { type: 'itemStarted', turnId: 'turn-2', item: { type: 'userMessage', id: 'v', clientId } });
    }
    codex.emit(thread, events.completed('turn-2'));
    await next;
  });

  test('R12 S2.26 a session that is being closed is not opened', async () => {
    const { resume, client, codex } = await agent(version);
    await resume();
    codex.manual.add('unsubscribe');
    const closed = client.request('session/close', { sessionId: thread });
    await codex.called('unsubscribe');
    await expect(resume()).rejects.toMatchObject({
      code: -32600,
      message: `Invalid request: Session ${thread} is closing`,
    });
    codex.heldUnsubscribes[0]?.resolve();
    expect(await closed).toEqual({});
    codex.manual.clear();
    await resume();
  });

  test('R12 S2.26 a close while the thread is loaded wins, and what was subscribed is let go', async () => {
    const codex = new FakeCodex();
    codex.manual.add('resumeThread');
    const { resume, client } = await agent(version, codex);
    const opened = resume();
    await codex.called('resumeThread');
    expect(await client.request('session/close', { sessionId: thread })).toEqual({});
    codex.heldResumes[0]?.resolve(codex.openThread(thread));
    await expect(opened).rejects.toMatchObject({ code: -32600, message: expect.stringContaining('is closing') });
    expect(codex.of('unsubscribe')).toHaveLength(1);
    codex.emit(thread, events.started('turn-1'));
    expect(client.received.filter((frame) => frame.params?.sessionId === thread)).toEqual([]);
  });

  test('S3.73 a session that is opened again after a close shows nothing of the one before', async () => {
    const { resume, prompt, client, codex } = await agent(version);
    await resume();
    const answered = prompt();
    answered.catch(() => undefined);
    await codex.called('startTurn');
    codex.emit(thread, events.started('turn-1'));
    const closed = client.request('session/close', { sessionId: thread });
    await codex.called('interrupt');
    codex.emit(thread, events.completed('turn-1', 'interrupted'));
    await closed;
    await resume();
    const before = client.received.length;
    codex.emit(thread, events.delta('turn-1', 'late', 'm'));
    codex.emitGlobal({ type: 'warning', message: 'seen' });
    await new Promise(setImmediate);
    const frames = client.received.slice(before).map((frame) => JSON.stringify(frame));
    expect(frames.some((frame) => frame.includes('seen'))).toBe(true);
    expect(frames.some((frame) => frame.includes('idle'))).toBe(false);
  });

  test.each([
    ['C041 S2.35 an unknown thread', 'no rollout found for thread id x', -32002, `Session not found: ${thread}`],
    ['S2.36 an archived thread', `session ${thread} is archived. Run codex unarchive`, -32600, 'Session is archived'],
    [
      'S2.34 a thread that another client uses',
      `thread ${thread} already has an active writer`,
      -32600,
      'in use by another',
    ],
    ['S2.37 anything else', 'out of luck', -32603, 'Internal error'],
  ])('%s', async (_name, message, code, told) => {
    const codex = new FakeCodex();
    codex.manual.add('resumeThread');
    const { resume, client } = await agent(version, codex);
    const opened = resume();
    await codex.called('resumeThread');
    codex.heldResumes[0]?.reject(new CodexRequestError(-32600, message));
    await expect(opened).rejects.toMatchObject({ code, message: expect.stringContaining(told) });
    // Nothing is left of the attempt (S2.29).
    expect(await client.request('session/close', { sessionId: thread })).toEqual({});
    expect(codex.of('unsubscribe')).toEqual([]);
  });

  test('S2.22 the recorded provider is not sent again, another one comes with the recorded model', async () => {
    const codex = new FakeCodex();
    codex.recordedThread = { ...codex.recordedThread, modelProvider: 'mine', model: 'gpt-old', effort: 'high' };
    const { resume } = await agent(version, codex);
    await resume();
    expect(codex.of('resumeThread')[0]?.params).toMatchObject({
      modelProvider: 'openai',
      keep: { model: 'gpt-old', effort: 'high' },
    });
    const same = new FakeCodex();
    const { resume: again } = await agent(version, same);
    await again();
    expect(same.of('resumeThread')[0]?.params).toMatchObject({ modelProvider: null, keep: null });
  });

  test('S12.8 a thread recorded read-only opens read-only, one with full access as agent', async () => {
    const codex = new FakeCodex();
    codex.recorded = { recorded: { sandbox: 'readOnly', approvalsReviewer: 'user' } };
    const { resume } = await agent(version, codex);
    const mode = (opened: { configOptions: { id?: string; configId?: string; currentValue: unknown }[] }) =>
      opened.configOptions.find((option) => (option.id ?? option.configId) === 'mode')?.currentValue;
    expect(mode(await resume())).toBe('read-only');
    codex.recorded = { recorded: { sandbox: 'dangerFullAccess', approvalsReviewer: 'user' } };
    expect(mode(await resume('thread-other'))).toBe('agent');
  });

  test('S2.63 S12.8 a thread that may do less than before: turns that Codex goes on with are told at once', async () => {
    const codex = new FakeCodex();
    codex.recorded = { recorded: { sandbox: 'dangerFullAccess', approvalsReviewer: 'user' } };
    const { resume } = await agent(version, codex);
    await resume();
    expect(codex.of('applyPolicy').map(({ policy }) => policy)).toMatchObject([
      { access: { type: 'sandbox', sandbox: { type: 'workspaceWrite' } }, approvalsReviewer: 'auto_review' },
    ]);
    codex.recorded = { recorded: { sandbox: 'workspaceWrite', approvalsReviewer: 'user' } };
    await resume('thread-other');
    expect(codex.of('applyPolicy')).toHaveLength(1);
  });

  test('S3.73 what Codex told before it loads the thread belongs to an earlier generation', async () => {
    const codex = new FakeCodex();
    const { resume, client } = await agent(version, codex);
    await resume();
    await client.request('session/close', { sessionId: thread });
    const opened = resume();
    await codex.called('readThread', 2);
    expect(codex.of('resumeThread')).toHaveLength(1);
    codex.emit(thread, { type: 'threadStatus', status: { type: 'notLoaded' } });
    await opened;
    codex.emit(thread, { type: 'threadStatus', status: { type: 'idle' } });
    await client.waitForUpdate('session_info_update', (update) => update._meta?.codex !== undefined);
    expect(JSON.stringify(client.received)).not.toContain('notLoaded');
  });

  test('S12.17 S2.40 each set-up tells the commands: before the answer on v1, in it on v2', async () => {
    const { resume, words } = await agent(version);
    for (const _ of ['loaded', 'open here']) {
      const from = words().length;
      const opened = await resume();
      const told = words().slice(from);
      if (version === 1) expect(told).toEqual(['available_commands_update', 'answer']);
      else expect(told).toEqual(['session_info_update', 'state_update idle', 'answer']);
      if (version === 2) expect(opened.availableCommands.length).toBeGreaterThan(5);
    }
  });

  test('S2.30 S2.12 S3.27 each set-up names the further directories anew, also of a session that is open here', async () => {
    const { resume, prompt, codex } = await agent(version);
    const roots = (): unknown =>
      codex.of('startTurn').map(({ params: { policy } }) => policy.access.type === 'sandbox' && policy.access.sandbox);
    const skills = (): unknown => codex.of('useSkillRoots').at(-1)?.roots;
    await resume(thread, { additionalDirectories: ['/one'] });
    await resume(thread, { additionalDirectories: ['/two'] });
    void prompt();
    await codex.called('startTurn');
    expect(roots()).toMatchObject([{ writableRoots: ['/two'] }]);
    expect(skills()).toEqual(['/two/.agents/skills']);
    codex.emit(thread, events.started('turn-1'));
    codex.emit(thread, events.completed('turn-1'));
    await resume();
    void prompt();
    await codex.called('startTurn', 2);
    expect(roots()).toMatchObject([{ writableRoots: ['/two'] }, { writableRoots: [] }]);
    expect(skills()).toEqual([]);
  });

  test('S2.32 two set-ups of one session at once: the thread is loaded once', async () => {
    const { resume, codex } = await agent(version);
    const [one, two] = await Promise.all([resume(), resume()]);
    expect(one.configOptions).toEqual(two.configOptions);
    expect(codex.of('resumeThread')).toHaveLength(1);
  });
});

describe('v2: session/resume', () => {
  test.each([
    ['its name', { name: 'Old talk', preview: 'Sing to me' }, 'Old talk'],
    ['how it begins', { name: null, preview: ' Sing\nto me ' }, 'Sing to me'],
    ['nothing', { name: null, preview: '' }, null],
  ])('S2.45 S2.179 the title of a recorded session is %s', async (_, recorded, title) => {
    const codex = new FakeCodex();
    codex.recorded = recorded;
    const { resume, client } = await agent(2, codex);
    await resume();
    const told = client.updates(thread).filter((update) => 'title' in update);
    expect(told).toEqual([{ sessionUpdate: 'session_info_update', title, _meta: null }]);
  });

  test.each([['start'], ['somewhere']])('S2.44 replayFrom %s is refused before anything is opened', async (type) => {
    const { resume, codex } = await agent(2);
    await expect(resume(thread, { replayFrom: { type } })).rejects.toMatchObject({ code: -32602 });
    expect(codex.of('resumeThread')).toEqual([]);
  });

  test('S3.125 S2.40 AIR is told the goal after the answer', async () => {
    const codex = new FakeCodex();
    codex.goal = {
      objective: 'Dig',
      status: 'paused',
      tokenBudget: null,
      tokensUsed: 1,
      timeUsedSeconds: 2,
      createdAt: 3,
      updatedAt: 4,
    };
    const { resume, client } = await agent(2, codex, 'airV2');
    await resume();
    const tellsGoal = (update: { _meta?: { jetbrains?: { air?: { goal?: unknown } } } }): boolean =>
      update._meta?.jetbrains?.air?.goal !== undefined;
    const told = await client.waitForUpdate('session_info_update', tellsGoal);
    expect(told._meta.jetbrains.air.goal).toMatchObject({ objective: 'Dig', status: 'paused', createdAt: 3000 });
  });

  test('S3.125 S2.40 AIR is told the goal again when it opens a session that is open here, also a new one', async () => {
    const codex = new FakeCodex();
    const { resume, client } = await agent(2, codex, 'airV2');
    const { sessionId } = await client.request('session/new', { cwd: '/w', mcpServers: [] });
    await resume(sessionId);
    await codex.called('readGoal');
    await client.waitForUpdate('session_info_update', (update) => update._meta?.jetbrains?.air?.goal === null);
  });
});
