import { describe, expect, test } from 'vitest';
import { CodexRequestError } from '../../../src/domain/errors/agent-error.ts';
import type { Goal } from '../../../src/domain/goal/goal.ts';
import { agentWith } from '../../support/agent-with.ts';
import { FakeCodex } from '../../support/fake-codex.ts';
import { profiles } from '../../support/profiles.ts';

/*
 * Codex pursues an active goal as soon as its thread is loaded, with the access that was recorded. What the client is
 * shown may be less, and nobody knows the recording before the load: the goal is held until Codex was told (S12.8).
 */

const thread = 'thread-old';

function goal(status: string): Goal {
  return {
    objective: 'Dig',
    status,
    tokenBudget: null,
    tokensUsed: 0,
    timeUsedSeconds: 0,
    createdAt: 1,
    updatedAt: 1,
  };
}

/** A Codex with a thread that was recorded with full access. */
function codexWith(status: string | null): FakeCodex {
  const codex = new FakeCodex();
  codex.goal = status === null ? null : goal(status);
  codex.recorded = { recorded: { sandbox: 'dangerFullAccess', approvalsReviewer: 'user' } };
  return codex;
}

async function agent(version: 1 | 2, codex: FakeCodex, air = false) {
  const lab = agentWith({ version, codex });
  const plain = version === 1 ? profiles.plainV1 : profiles.plainV2;
  await lab.client.request('initialize', air ? (version === 1 ? profiles.airV1 : profiles.airV2) : plain);
  const resume = () => lab.client.request('session/resume', { sessionId: thread, cwd: '/w', mcpServers: [] });
  const told = () => JSON.stringify(lab.client.received.filter((frame) => frame.params?.sessionId === thread));
  /** Status of the goal, each time that AIR was told. */
  const goals = () =>
    lab.client.received.flatMap((frame) => {
      const known = frame.params?.update?._meta?.jetbrains?.air?.goal;
      return known === undefined ? [] : [known?.status ?? null];
    });
  return { ...lab, resume, told, goals };
}

/** What Codex was asked about the thread and its goal, in order. */
function order(codex: FakeCodex): string[] {
  return codex.calls.flatMap((call) => {
    if (call.method === 'setGoal') return [call.status];
    return ['applyPolicy', 'resumeThread'].includes(call.method) ? [call.method] : [];
  });
}

function mode(opened: { configOptions: { id?: string; configId?: string; currentValue: unknown }[] }): unknown {
  return opened.configOptions.find((option) => (option.id ?? option.configId) === 'mode')?.currentValue;
}

/** A few turns of the event loop. */
async function quiet(): Promise<void> {
  for (let index = 0; index < 5; index += 1) await new Promise(setImmediate);
}

const refused = new CodexRequestError(-32600, 'out of luck');

describe.each([1, 2] as const)('v%i: session/resume with a goal', (version) => {
  test('S12.8 S2.61 an active goal is held until Codex has the settings that are shown', async () => {
    const codex = codexWith('active');
    const { resume } = await agent(version, codex);
    expect(mode(await resume())).toBe('agent');
    expect(order(codex)).toEqual(['paused', 'resumeThread', 'applyPolicy', 'active']);
    expect(codex.of('applyPolicy')[0]?.policy).toMatchObject({
      approvalPolicy: 'on-request',
      approvalsReviewer: 'auto_review',
      access: { type: 'sandbox', sandbox: { type: 'workspaceWrite' } },
    });
    // What the thread was told is not told again with the events of the load.
    codex.emit(thread, { type: 'goalUpdated', goal: goal('active') });
    await quiet();
    expect(codex.of('applyPolicy')).toHaveLength(1);
  });

  test('S12.8 each step waits for the one before', async () => {
    const codex = codexWith('active');
    for (const method of ['setGoal', 'resumeThread', 'applyPolicy'] as const) codex.manual.add(method);
    const { resume } = await agent(version, codex);
    const opened = resume();
    await codex.called('setGoal');
    await quiet();
    expect(order(codex)).toEqual(['paused']);
    codex.heldGoals[0]?.resolve(goal('paused'));
    await codex.called('resumeThread');
    await quiet();
    expect(order(codex)).toEqual(['paused', 'resumeThread']);
    codex.heldResumes[0]?.resolve(codex.openThread(thread));
    await codex.called('applyPolicy');
    await quiet();
    expect(order(codex)).toEqual(['paused', 'resumeThread', 'applyPolicy']);
    codex.heldPolicies[0]?.resolve();
    await codex.called('setGoal', 2);
    codex.heldGoals[1]?.resolve(goal('active'));
    await opened;
  });

  test.each([null, 'paused', 'blocked', 'complete'])('S12.8 a goal that is %s is left alone', async (status) => {
    const codex = codexWith(status);
    const { resume } = await agent(version, codex);
    await resume();
    expect(order(codex)).toEqual(['resumeThread', 'applyPolicy']);
  });

  test('S12.8 S3.125 AIR does not see that the goal was held', async () => {
    const codex = codexWith('active');
    codex.manual.add('resumeThread');
    const { resume, goals } = await agent(version, codex, true);
    const opened = resume();
    await codex.called('resumeThread');
    codex.emit(thread, { type: 'goalUpdated', goal: goal('paused') });
    codex.emit(thread, { type: 'goalUpdated', goal: goal('paused') });
    codex.heldResumes[0]?.resolve(codex.openThread(thread));
    await opened;
    codex.emit(thread, { type: 'goalUpdated', goal: goal('active') });
    await quiet();
    expect(new Set(goals())).toEqual(new Set(['active']));
    // What comes after that is news again.
    codex.emit(thread, { type: 'goalUpdated', goal: goal('paused') });
    await quiet();
    expect(goals().at(-1)).toBe('paused');
  });

  test('S12.8 a goal that cannot be paused: the thread is not loaded', async () => {
    const codex = codexWith('active');
    codex.manual.add('setGoal');
    const { resume } = await agent(version, codex);
    const opened = resume();
    await codex.called('setGoal');
    codex.heldGoals[0]?.reject(refused);
    await expect(opened).rejects.toMatchObject({ code: -32603 });
    expect(order(codex)).toEqual(['paused']);
  });

  test('S12.8 S2.35 a thread that cannot be loaded: its goal is active again, and the error says why', async () => {
    const codex = codexWith('active');
    codex.manual.add('resumeThread');
    const { resume } = await agent(version, codex);
    const opened = resume();
    await codex.called('resumeThread');
    codex.heldResumes[0]?.reject(new CodexRequestError(-32600, 'no rollout found for thread id x'));
    await expect(opened).rejects.toMatchObject({ code: -32002, message: `Session not found: ${thread}` });
    expect(order(codex)).toEqual(['paused', 'resumeThread', 'active']);
  });

  test('S12.8 … and when it cannot be set active again, the error says that it is paused', async () => {
    const codex = codexWith('active');
    codex.manual.add('resumeThread');
    const { resume } = await agent(version, codex);
    const opened = resume();
    await codex.called('resumeThread');
    codex.manual.add('setGoal');
    codex.heldResumes[0]?.reject(new CodexRequestError(-32600, `thread ${thread} already has an active writer`));
    await codex.called('setGoal', 2);
    codex.heldGoals[0]?.reject(refused);
    await expect(opened).rejects.toMatchObject({
      code: -32600,
      message: expect.stringMatching(/in use by another.*The goal of the session was paused/),
      data: expect.objectContaining({ reason: 'thread_active_writer' }),
    });
  });

  test('S12.8 settings that Codex refuses: the goal stays paused, and the client is told', async () => {
    const codex = codexWith('active');
    codex.manual.add('applyPolicy');
    const { resume, told, goals } = await agent(version, codex, true);
    const opened = resume();
    await codex.called('applyPolicy');
    codex.emit(thread, { type: 'goalUpdated', goal: goal('paused') });
    codex.heldPolicies[0]?.reject(refused);
    expect(mode(await opened)).toBe('agent');
    await quiet();
    expect(order(codex)).toEqual(['paused', 'resumeThread', 'applyPolicy']);
    expect(told()).toContain('The goal of the session was paused while it was opened, and is still paused.');
    expect(new Set(goals())).toEqual(new Set(['paused']));
  });

  test('S12.8 a goal that cannot be set active again: the client is told, once, after the answer', async () => {
    const codex = codexWith('active');
    codex.manual.add('applyPolicy');
    const { resume, told } = await agent(version, codex);
    const opened = resume();
    await codex.called('applyPolicy');
    codex.manual.add('setGoal');
    codex.heldPolicies[0]?.resolve();
    await codex.called('setGoal', 2);
    codex.heldGoals[0]?.reject(refused);
    await opened;
    await quiet();
    expect(told().split('is still paused').length - 1).toBe(1);
  });
});
