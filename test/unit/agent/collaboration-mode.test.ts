import { describe, expect, test } from 'vitest';
import { CodexRequestError } from '../../../src/domain/errors/agent-error.ts';
import { events } from '../../support/session-lab.ts';
import type { SentRequest, WireLab } from '../../support/wire-lab.ts';
import { runningPrompt, wireLab } from '../../support/wire-lab.ts';

/*
 * Codex has the collaboration mode of a thread: it is asked first, and the client is shown what it has (S2.87). A prompt
 * keeps the mode of its admission (S12.7).
 */

const names = ['plainV1', 'plainV2'] as const;

function setMode(lab: WireLab, value: string, name = value): SentRequest {
  return setOption(lab, 'collaboration_mode', value, name);
}

function setOption(lab: WireLab, configId: string, value: string, name = value): SentRequest {
  const type = lab.version === 2 ? { type: 'id' } : {};
  const params = { sessionId: lab.sessionId, configId, value, ...type };
  return lab.request(name, 'session/set_config_option', params);
}

/** Calls that make a turn what it is, in order; a mode by its name. */
function order(lab: WireLab): string[] {
  return lab.codex.calls.flatMap((call) => {
    switch (call.method) {
      case 'collaborationMode':
        return [call.mode];
      case 'compact':
      case 'resumeThread':
      case 'startTurn':
        return [call.method];
      default:
        return [];
    }
  });
}

function modeIn(options: readonly Record<string, unknown>[]): unknown {
  return options.find((option) => (option['id'] ?? option['configId']) === 'collaboration_mode')?.['currentValue'];
}

/** The mode in each option list that the client was told. */
function toldModes(lab: WireLab): unknown[] {
  return lab.updatesOf('config_option_update').map(({ configOptions }) => modeIn(configOptions));
}

/** The mode that an answer shows. */
async function answered({ answer }: SentRequest): Promise<unknown> {
  const { configOptions } = await answer;
  return modeIn(configOptions);
}

/** A plan that waits for the user. */
async function proposedPlan(lab: WireLab): Promise<SentRequest> {
  await setMode(lab, 'plan').answer;
  const prompt = await runningPrompt(lab);
  lab.emit({ type: 'itemCompleted', turnId: 'turn-1', item: { type: 'plan', id: 'plan-1', text: '1. Do it' } });
  lab.emit(events.completed('turn-1'));
  await lab.words();
  return prompt;
}

/** The user approved the plan; Codex has not answered that it left plan mode. */
async function leaving(lab: WireLab): Promise<SentRequest> {
  const prompt = await proposedPlan(lab);
  lab.codex.manual.add('collaborationMode');
  lab.answer('plan-review:plan-1', 'implement_plan');
  await lab.news();
  return prompt;
}

async function answers(lab: WireLab, error?: Error): Promise<void> {
  const held = lab.codex.heldModes.shift();
  if (error === undefined) held?.resolve();
  else held?.reject(error);
  await lab.settle();
}

describe.each(names)('collaboration mode of %s', (name) => {
  test('S2.87 S2.98 Codex is asked, with the current model and effort; it is shown once Codex has it', async () => {
    const lab = await wireLab(name);
    await setOption(lab, 'reasoning_effort', 'high').answer;
    lab.mark();
    lab.codex.manual.add('collaborationMode');
    setMode(lab, 'plan');
    expect(await lab.news()).toEqual([]);
    expect(lab.codex.of('collaborationMode')).toMatchObject([{ mode: 'plan', model: 'gpt-test', effort: 'high' }]);
    await answers(lab);
    expect(await lab.words()).toEqual(['config_option_update', 'plan done']);
    expect(toldModes(lab)).toEqual(['plan']);
  });

  test('S2.87 what Codex refuses is not shown', async () => {
    const lab = await wireLab(name);
    lab.codex.manual.add('collaborationMode');
    const request = setMode(lab, 'plan');
    await lab.settle();
    await answers(lab, new CodexRequestError(-32600, 'no plans'));
    await expect(request.answer).rejects.toMatchObject({ data: { details: 'no plans' } });
    expect(toldModes(lab)).toEqual([]);
  });

  test('S2.64 S2.98 the mode that holds is told to nobody', async () => {
    const lab = await wireLab(name);
    expect(await answered(setMode(lab, 'default'))).toBe('default');
    expect([order(lab), toldModes(lab)]).toEqual([[], []]);
  });

  test('S2.96 changes apply in the order of their arrival, also one back to what is still shown', async () => {
    const lab = await wireLab(name);
    lab.codex.manual.add('collaborationMode');
    setMode(lab, 'plan');
    const back = setMode(lab, 'default');
    await lab.settle();
    expect(order(lab)).toEqual(['plan', 'default']);
    await answers(lab);
    await answers(lab);
    expect(await answered(back)).toBe('default');
    expect(toldModes(lab)).toEqual(['plan', 'default']);
  });

  test('S2.87 S2.97 after Codex died it is stored, and told with the thread that is loaded for the next prompt', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    lab.emit(events.completed('turn-1'));
    await lab.settle();
    const { epoch } = lab.codex;
    lab.codex.crash();
    // The number of the process changes only with the next one.
    lab.codex.epoch = epoch;
    lab.codex.calls.splice(0);
    lab.mark();
    expect(await answered(setMode(lab, 'plan'))).toBe('plan');
    expect([order(lab), toldModes(lab)]).toEqual([[], ['plan']]);
    lab.prompt();
    await lab.settle();
    expect(order(lab)).toEqual(['resumeThread', 'plan', 'startTurn']);
  });

  test('S8.52 a thread that is loaded again with another mode gets the one that is shown', async () => {
    const lab = await wireLab(name);
    await setMode(lab, 'plan').answer;
    await setMode(lab, 'default').answer;
    lab.codex.crash();
    lab.codex.recorded = { collaborationMode: 'plan' };
    lab.codex.calls.splice(0);
    lab.prompt();
    await lab.settle();
    expect(order(lab)).toEqual(['resumeThread', 'default', 'startTurn']);
  });

  test('S8.52 a thread that is loaded again in the mode that is shown is told nothing', async () => {
    const lab = await wireLab(name);
    await setMode(lab, 'plan').answer;
    lab.codex.crash();
    lab.codex.recorded = { collaborationMode: 'plan' };
    lab.codex.calls.splice(0);
    lab.prompt();
    await lab.settle();
    expect(order(lab)).toEqual(['resumeThread', 'startTurn']);
  });

  test('S8.52 a mode that is chosen while the thread is loaded for a goal wins', async () => {
    const lab = await wireLab(name);
    lab.codex.crash();
    lab.codex.manual.add('resumeThread');
    const goal = lab.request('goal', '_session/goal', { sessionId: lab.sessionId, action: 'set', objective: 'Dig' });
    await lab.codex.called('resumeThread');
    expect(await answered(setMode(lab, 'plan'))).toBe('plan');
    expect(order(lab)).toEqual(['resumeThread']);
    lab.codex.manual.add('collaborationMode');
    lab.codex.heldResumes.shift()?.resolve(lab.codex.openThread(lab.sessionId));
    await lab.settle();
    // Codex is being told the mode when the next one is chosen.
    expect(await answered(setMode(lab, 'default'))).toBe('default');
    await answers(lab);
    expect(order(lab)).toEqual(['resumeThread', 'plan', 'default']);
    expect(lab.codex.of('setGoal')).toEqual([]);
    await answers(lab);
    await goal.answer;
    expect(lab.codex.of('setGoal')).toHaveLength(1);
  });

  test('S8.52 Codex refuses the mode of a thread that it loaded: nothing runs in another mode', async () => {
    const lab = await wireLab(name);
    lab.codex.crash();
    await setMode(lab, 'plan').answer;
    lab.codex.manual.add('collaborationMode');
    const prompt = lab.prompt();
    await lab.settle();
    await answers(lab, new CodexRequestError(-32600, 'no plans'));
    await expect(prompt.answer).rejects.toMatchObject({ message: expect.stringContaining('no plans') });
    expect(order(lab)).toEqual(['resumeThread', 'plan']);
  });

  test.each(['takes', 'refuses'])(
    'S2.87 S8.52 S2.54 a mode that was stored when the thread is loaded for other instructions: Codex %s it',
    async (does) => {
      const lab = await wireLab(name);
      lab.codex.crash();
      lab.codex.recordedThread = { ...lab.codex.recordedThread, status: 'notLoaded' };
      await setMode(lab, 'plan').answer;
      lab.mark();
      lab.codex.manual.add('collaborationMode');
      const systemPrompt = { mode: 'append', content: [{ type: 'text', text: 'Be brief' }] };
      const params = { sessionId: lab.sessionId, cwd: '/w', mcpServers: [], systemPrompt };
      const { configOptions } = await lab.client.request('session/resume', params);
      expect(modeIn(configOptions)).toBe('plan');
      expect(order(lab)).toEqual(['resumeThread', 'plan']);
      await answers(lab, does === 'refuses' ? new CodexRequestError(-32600, 'no plans') : undefined);
      expect(toldModes(lab)).toEqual(does === 'refuses' ? ['default'] : []);
    },
  );

  test('S8.58 a session that was closed meanwhile loads its thread no more', async () => {
    const lab = await wireLab(name);
    lab.codex.crash();
    await setMode(lab, 'plan').answer;
    lab.codex.manual.add('ready');
    lab.prompt();
    await lab.close().answer;
    lab.codex.heldReady.shift()?.resolve();
    await lab.settle();
    expect(order(lab)).toEqual([]);
  });

  test('S8.58 nor does it tell a mode to the thread that it was loading', async () => {
    const lab = await wireLab(name);
    lab.codex.crash();
    await setMode(lab, 'plan').answer;
    lab.codex.manual.add('resumeThread');
    lab.prompt();
    await lab.codex.called('resumeThread');
    await lab.close().answer;
    lab.codex.heldResumes.shift()?.resolve(lab.codex.openThread(lab.sessionId));
    await lab.settle();
    expect(order(lab)).toEqual(['resumeThread']);
  });

  test('S2.87 S2.96 a mode that was chosen before Codex died and is chosen back after that', async () => {
    const lab = await wireLab(name);
    lab.codex.manual.add('collaborationMode');
    const first = setMode(lab, 'plan', 'first');
    await lab.settle();
    lab.codex.crash();
    await expect(first.answer).rejects.toMatchObject({ code: 1001 });
    expect(await answered(setMode(lab, 'default', 'second'))).toBe('default');
    expect(toldModes(lab)).toEqual([]);
  });

  test.each(['session', 'request'] as const)(
    'S3.130 S2.87 a cancel of the %s while Codex leaves plan mode: nothing is carried out, and the mode is told',
    async (by) => {
      const lab = await wireLab(name);
      const prompt = await leaving(lab);
      if (by === 'session') lab.cancel();
      else lab.cancelRequest(prompt);
      await lab.settle();
      await answers(lab);
      expect(lab.codex.of('startTurn').length).toBe(by === 'request' && lab.version === 2 ? 2 : 1);
      expect(toldModes(lab)).toEqual(['default']);
      lab.codex.manual.clear();
      // What is shown is what Codex has: nothing is to be told.
      expect(await answered(setMode(lab, 'default'))).toBe('default');
      expect(order(lab).filter((call) => call === 'default')).toHaveLength(1);
    },
  );

  test('S3.130 a cancel while Codex refuses to leave plan mode: it stays shown', async () => {
    const lab = await wireLab(name);
    await leaving(lab);
    lab.cancel();
    await answers(lab, new CodexRequestError(-32600, 'no'));
    expect(toldModes(lab)).toEqual([]);
    expect(lab.codex.of('startTurn')).toHaveLength(1);
  });

  test('S3.130 S3.71 the mode is told although the session was being closed, when it stays open', async () => {
    const lab = await wireLab(name);
    await leaving(lab);
    lab.codex.manual.add('unsubscribe');
    const close = lab.close();
    await lab.codex.called('unsubscribe');
    await answers(lab);
    expect(toldModes(lab)).toEqual([]);
    lab.codex.heldUnsubscribes.shift()?.reject(new CodexRequestError(-32600, 'no'));
    await expect(close.answer).rejects.toBeDefined();
    expect(toldModes(lab)).toEqual(['default']);
  });

  test('S12.7 S3.130 a change while Codex leaves plan mode is for what comes after the implementation', async () => {
    const lab = await wireLab(name);
    await leaving(lab);
    lab.codex.manual.add('startTurn');
    setMode(lab, 'plan');
    await lab.settle();
    await answers(lab);
    expect(order(lab)).toEqual(['plan', 'startTurn', 'default', 'startTurn']);
    lab.codex.heldStarts.shift()?.resolve({ turnId: 'turn-2' });
    await lab.settle();
    expect(order(lab).at(-1)).toBe('plan');
    await answers(lab);
    expect(toldModes(lab)).toEqual(['default', 'plan']);
  });

  test('S12.7 S2.96 a change while the prompt is made ready or started is for the next turn', async () => {
    const lab = await wireLab(name);
    for (const method of ['ready', 'startTurn'] as const) lab.codex.manual.add(method);
    lab.prompt();
    const change = setMode(lab, 'plan');
    await lab.settle();
    expect(order(lab)).toEqual([]);
    lab.codex.heldReady.shift()?.resolve();
    await lab.codex.called('startTurn');
    await lab.settle();
    expect([order(lab), toldModes(lab)]).toEqual([['startTurn'], []]);
    lab.codex.heldStarts.shift()?.resolve({ turnId: 'turn-1' });
    expect(await answered(change)).toBe('plan');
    expect([order(lab), toldModes(lab)]).toEqual([['startTurn', 'plan'], ['plan']]);
  });

  test('S12.7 a change while Codex is replaced for a prompt does not reach that prompt', async () => {
    const lab = await wireLab(name);
    lab.codex.crash();
    lab.codex.manual.add('resumeThread');
    lab.prompt();
    await lab.codex.called('resumeThread');
    const change = setMode(lab, 'plan');
    await lab.settle();
    lab.codex.heldResumes.shift()?.resolve(lab.codex.openThread(lab.sessionId));
    expect(await answered(change)).toBe('plan');
    expect(order(lab)).toEqual(['resumeThread', 'startTurn', 'plan']);
  });

  test('S12.7 a queued prompt takes the mode that was chosen before it got the lane', async () => {
    const lab = await wireLab(name);
    lab.codex.manual.add('startTurn');
    lab.prompt();
    await lab.codex.called('startTurn');
    lab.prompt();
    setMode(lab, 'plan');
    await lab.settle();
    lab.codex.heldStarts.shift()?.reject(new CodexRequestError(-32600, 'no'));
    await lab.codex.called('startTurn', 2);
    expect(order(lab)).toEqual(['startTurn', 'plan', 'startTurn']);
  });

  test('S12.7 S3.111 a compaction that waits for an agent turn holds no change up: it has no mode', async () => {
    const lab = await wireLab(name);
    lab.emit(events.started('agent-1'));
    lab.prompt('/compact');
    await lab.settle();
    expect(await answered(setMode(lab, 'plan'))).toBe('plan');
    expect(order(lab)).toEqual(['plan']);
  });

  test('S12.7 S2.118 `/plan` comes before a change that was sent after it', async () => {
    const lab = await wireLab(name);
    lab.codex.manual.add('ready');
    lab.prompt('/plan');
    const change = setMode(lab, 'plan');
    await lab.settle();
    lab.codex.heldReady.shift()?.resolve();
    expect(await answered(change)).toBe('plan');
    expect(toldModes(lab)).toEqual(['plan']);
  });

  test('S2.118 `/plan` turns over a change that Codex has not answered', async () => {
    const lab = await wireLab(name);
    lab.codex.manual.add('collaborationMode');
    setMode(lab, 'plan');
    lab.prompt('/plan');
    await lab.settle();
    expect(order(lab)).toEqual(['plan', 'default']);
    await answers(lab);
    await answers(lab);
    expect(toldModes(lab)).toEqual(['plan', 'default']);
  });

  test('S3.67 a session that is closed leaves no change without an answer', async () => {
    const lab = await wireLab(name);
    for (const method of ['collaborationMode', 'startTurn'] as const) lab.codex.manual.add(method);
    const sent = setMode(lab, 'plan');
    lab.prompt();
    await lab.codex.called('startTurn');
    const held = setMode(lab, 'default');
    await lab.settle();
    lab.close();
    await expect(held.answer).rejects.toMatchObject({ code: -32600 });
    lab.codex.heldStarts.shift()?.reject(new CodexRequestError(-32600, 'no'));
    await expect(sent.answer).rejects.toMatchObject({ code: -32600 });
    expect(order(lab)).toEqual(['plan', 'startTurn']);
  });

  test('S2.63 the mode brings the model along: a command after it is told its own again', async () => {
    const lab = await wireLab(name);
    lab.prompt('/compact');
    await lab.codex.called('compact');
    lab.emit(
      events.started('c-1'),
      events.itemStarted('c-1', { type: 'compaction', id: 'c' }),
      events.completed('c-1'),
    );
    await lab.settle();
    await setOption(lab, 'reasoning_effort', 'high').answer;
    await setMode(lab, 'plan').answer;
    await setOption(lab, 'reasoning_effort', 'low').answer;
    lab.prompt('/compact');
    await lab.codex.called('compact', 2);
    expect(lab.codex.of('applyPolicy').map(({ policy }) => policy.effort)).toEqual(['low', 'low']);
  });
});
