import { describe, expect, test } from 'vitest';
import type { CommandApproval } from '../../../src/domain/interaction/approval-request.ts';
import { command, events, fileChange, message, profile, SessionLab } from '../../support/session-lab.ts';

function approval(turnId: string, itemId: string, overrides: Partial<CommandApproval> = {}): CommandApproval {
  return {
    type: 'commandApproval',
    turnId,
    itemId,
    approvalId: null,
    kind: 'command',
    reason: 'may I?',
    command: `run ${itemId}`,
    cwd: '/w',
    environmentId: 'local',
    actions: [],
    network: null,
    additionalPermissions: null,
    proposedExecpolicyAmendment: null,
    proposedNetworkAmendments: [],
    availableDecisions: ['accept', 'cancel'],
    ...overrides,
  };
}

async function running(lab = new SessionLab()): Promise<{ lab: SessionLab; promptId: string; turnId: string }> {
  const promptId = lab.prompt();
  await lab.codex.called('startTurn');
  await lab.turnOver();
  lab.emit(events.started('turn-1'), events.landed('turn-1', promptId));
  return { lab, promptId, turnId: 'turn-1' };
}

describe('a prompt', () => {
  test('S3.41 S3.96 is shown when Codex recorded it, and its idle is the last frame', async () => {
    const { lab } = await running();
    lab.emit(
      events.delta('turn-1', 'Hi'),
      events.itemCompleted('turn-1', message('m1', 'Hi')),
      events.completed('turn-1'),
    );
    expect(lab.words).toEqual(['running', 'user message-p1', 'inserted p1', 'text Hi', 'ended p1 done', 'idle:done']);
  });

  test('S3.36 S3.38 R1 waits for the one before it', async () => {
    const { lab } = await running();
    const second = lab.prompt('second');
    await lab.turnOver();
    expect(lab.codex.of('startTurn')).toHaveLength(1);
    lab.emit(events.completed('turn-1'));
    await lab.codex.called('startTurn', 2);
    await lab.turnOver();
    lab.emit(events.started('turn-2'), events.landed('turn-2', second), events.completed('turn-2'));
    expect(lab.words.slice(3)).toEqual([
      'ended p1 done',
      'idle:done',
      'running',
      'user message-p2',
      'inserted p2',
      'ended p2 done',
      'idle:done',
    ]);
  });

  test('S3.77 R3 ends when the completion comes before the start answer', async () => {
    const lab = new SessionLab();
    lab.codex.manual.add('startTurn');
    lab.prompt();
    await lab.codex.called('startTurn');
    lab.emit(events.started('turn-1'), events.landed('turn-1', 'p1'), events.completed('turn-1'));
    lab.codex.heldStarts[0]?.resolve({ turnId: 'turn-1' });
    await lab.turnOver();
    expect(lab.words).toEqual(['running', 'user message-p1', 'inserted p1', 'ended p1 done', 'idle:done']);
  });

  test('S3.43 that Codex refuses is refused, and nothing else is shown', async () => {
    const lab = new SessionLab();
    lab.codex.manual.add('startTurn');
    lab.prompt();
    await lab.codex.called('startTurn');
    lab.codex.heldStarts[0]?.reject(new Error('no'));
    await lab.turnOver();
    expect(lab.words).toEqual(['ended p1 failed:refused']);
  });

  test('S3.47 R2 joins a turn that Codex already runs: one running, one idle', async () => {
    const lab = new SessionLab();
    lab.emit(events.started('agent-1'));
    lab.codex.manual.add('startTurn');
    lab.prompt();
    await lab.codex.called('startTurn');
    lab.codex.heldStarts[0]?.resolve({ turnId: 'agent-1' });
    await lab.turnOver();
    lab.emit(events.landed('agent-1', 'p1'), events.completed('agent-1'));
    expect(lab.words).toEqual(['running', 'user message-p1', 'inserted p1', 'ended p1 done', 'idle:done']);
  });

  test('S12.7 runs with the settings that were in force when it got the lane', async () => {
    const { lab } = await running();
    lab.prompt('second');
    lab.actor.changeSettings((settings) => ({ ...settings, mode: 'read-only' }));
    lab.emit(events.completed('turn-1'));
    await lab.codex.called('startTurn', 2);
    const [first, second] = lab.codex.of('startTurn');
    expect(first?.params.policy.access).toMatchObject({ sandbox: { type: 'workspaceWrite' } });
    expect(second?.params.policy.access).toMatchObject({ sandbox: { type: 'readOnly' } });
  });
});

describe('cancel', () => {
  test('S3.51 S5.21 withdraws, answers Codex and interrupts, in this order', async () => {
    const { lab } = await running();
    lab.emit(events.itemStarted('turn-1', command('c1')));
    const ref = lab.codex.request(lab.threadId, approval('turn-1', 'c1'));
    lab.actor.cancel();
    expect(lab.words.slice(3)).toEqual(['toolStarted c1', 'requires_action', 'ask 1', 'withdraw 1']);
    expect(lab.codex.calls.slice(-2)).toEqual([
      { method: 'answer', ref, answer: { type: 'commandApproval', decision: 'cancel' } },
      { method: 'interrupt', threadId: 'thread-1', turnId: 'turn-1' },
    ]);
    lab.actor.answerAsk(1, { type: 'selected', optionId: 'allow_once' });
    lab.emit(events.completed('turn-1', 'interrupted'));
    expect(lab.words.slice(7)).toEqual(['toolAborted c1', 'ended p1 cancelled', 'idle:cancelled']);
    expect(lab.codex.of('answer')).toHaveLength(1);
  });

  test('S3.61 R4 retries while Codex has not registered the turn', async () => {
    const lab = new SessionLab();
    lab.codex.manual.add('interrupt');
    lab.prompt();
    await lab.codex.called('startTurn');
    await lab.turnOver();
    lab.actor.cancel();
    const { CodexRequestError } = await import('../../../src/domain/errors/agent-error.ts');
    for (const delay of [25, 50]) {
      lab.codex.heldInterrupts.shift()?.reject(new CodexRequestError(-32600, 'no active turn to interrupt'));
      await lab.turnOver();
      lab.clock.advance(delay - 1);
      const before = lab.codex.of('interrupt').length;
      lab.clock.advance(1);
      expect(lab.codex.of('interrupt')).toHaveLength(before + 1);
    }
    lab.emit(events.started('turn-1'));
    lab.codex.heldInterrupts.shift()?.resolve();
    await lab.turnOver();
    lab.emit(events.completed('turn-1', 'interrupted'));
    expect(lab.words).toEqual(['running', 'ended p1 cancelled', 'idle:cancelled']);
    expect(lab.clock.waiting).toBe(0);
  });

  test('S3.54 R8 a prompt sent right after it runs, and the old interrupt does not hit it', async () => {
    const { lab } = await running();
    lab.actor.cancel();
    const second = lab.prompt('after');
    lab.emit(events.completed('turn-1', 'interrupted'));
    await lab.codex.called('startTurn', 2);
    await lab.turnOver();
    lab.emit(events.started('turn-2'), events.landed('turn-2', second), events.completed('turn-2'));
    expect(lab.words.slice(3)).toEqual([
      'ended p1 cancelled',
      'idle:cancelled',
      'running',
      'user message-p2',
      'inserted p2',
      'ended p2 done',
      'idle:done',
    ]);
    expect(lab.codex.of('interrupt')).toHaveLength(1);
  });

  test('S3.52 R9 ends every queued prompt without a state of its own', async () => {
    const { lab } = await running();
    lab.prompt('second');
    lab.prompt('third');
    lab.actor.cancel();
    lab.emit(events.completed('turn-1', 'interrupted'));
    expect(lab.words.slice(3)).toEqual([
      'ended p2 cancelled',
      'ended p3 cancelled',
      'ended p1 cancelled',
      'idle:cancelled',
    ]);
  });

  test('C001 ACP-CANCEL-204 ends the process of a command that the turn left running', async () => {
    const { lab } = await running();
    lab.emit(events.itemStarted('turn-1', command('c1', { processId: '4711' })));
    lab.actor.cancel();
    lab.emit(events.completed('turn-1', 'interrupted'));
    lab.clock.advance(1000);
    await lab.turnOver();
    expect(lab.codex.of('terminate')).toEqual([{ method: 'terminate', threadId: 'thread-1', processId: '4711' }]);
    const before = lab.words.length;
    lab.emit(events.itemCompleted('turn-1', command('c1', { status: 'failed', exitCode: -1, output: 'late' })));
    expect(lab.words).toHaveLength(before);
  });

  test('S3.57 stops a turn that Codex started by itself', async () => {
    const lab = new SessionLab();
    lab.emit(events.started('agent-1'));
    lab.actor.cancel();
    expect(lab.codex.of('interrupt')).toEqual([{ method: 'interrupt', threadId: 'thread-1', turnId: 'agent-1' }]);
    await lab.turnOver();
    lab.emit(events.completed('agent-1', 'interrupted'));
    expect(lab.words).toEqual(['running', 'idle:cancelled']);
  });

  test('S3.59 R10 of the prompt alone leaves a turn that it only joined running', async () => {
    const lab = new SessionLab();
    lab.emit(events.started('agent-1'));
    lab.codex.manual.add('startTurn');
    lab.prompt();
    await lab.codex.called('startTurn');
    lab.codex.heldStarts[0]?.resolve({ turnId: 'agent-1' });
    await lab.turnOver();
    lab.actor.cancelPrompt('p1');
    lab.emit(events.landed('agent-1', 'p1'), events.completed('agent-1'));
    expect(lab.words).toEqual(['running', 'ended p1 cancelled', 'idle:done']);
    expect(lab.codex.of('interrupt')).toHaveLength(0);
  });

  test('S3.59 S3.58 R10 of the prompt alone leaves the questions of a turn that it only joined open', async () => {
    const lab = new SessionLab();
    lab.emit(events.started('agent-1'), events.itemStarted('agent-1', command('c1')));
    lab.codex.request(lab.threadId, approval('agent-1', 'c1'));
    lab.codex.manual.add('startTurn');
    lab.prompt();
    await lab.codex.called('startTurn');
    lab.codex.heldStarts[0]?.resolve({ turnId: 'agent-1' });
    await lab.turnOver();
    lab.actor.cancelPrompt('p1');
    expect(lab.codex.of('answer')).toEqual([]);
    lab.actor.answerAsk(1, { type: 'selected', optionId: 'allow_once' });
    expect(lab.codex.of('answer')).toMatchObject([{ answer: { decision: 'accept' } }]);
    expect(lab.words.slice(2)).toEqual(['requires_action', 'ask 1', 'ended p1 cancelled', 'toolResumed c1', 'running']);
  });

  test('S3.58 of a local command alone, on v1, leaves the questions of a turn beside it open', async () => {
    const lab = new SessionLab(profile({ protocol: 1 }));
    lab.emit(events.started('agent-1'), events.itemStarted('agent-1', command('c1')));
    lab.codex.manual.add('listSkills');
    lab.prompt('/skills');
    await lab.codex.called('listSkills');
    lab.codex.request(lab.threadId, approval('agent-1', 'c1'));
    lab.actor.cancelPrompt('p1');
    expect(lab.words).toContain('ended p1 cancelled');
    expect(lab.codex.of('answer')).toEqual([]);
  });

  test('S3.55 wins over a turn that completes or fails after it', async () => {
    for (const status of ['completed', 'failed'] as const) {
      const { lab } = await running();
      lab.actor.cancel();
      lab.emit(events.completed('turn-1', status, 'too late'));
      expect(lab.words.at(-1)).toBe('idle:cancelled');
    }
  });
});

describe('asks', () => {
  test('S5.23 of a turn that is over are withdrawn and refused', async () => {
    const { lab } = await running();
    lab.emit(events.itemStarted('turn-1', command('c1')));
    lab.codex.request(lab.threadId, approval('turn-1', 'c1'));
    lab.emit(events.completed('turn-1'));
    expect(lab.words).toContain('withdraw 1');
    expect(lab.codex.of('answer')).toHaveLength(1);
  });

  test('S5.9 for a turn that is over open no dialog', async () => {
    const { lab } = await running();
    lab.emit(events.completed('turn-1'));
    lab.codex.request(lab.threadId, approval('turn-1', 'c1'));
    expect(lab.words.filter((shown) => shown.startsWith('ask'))).toEqual([]);
    expect(lab.codex.of('answer')).toHaveLength(1);
  });

  test('S5.24 settled by Codex itself are withdrawn', async () => {
    const { lab } = await running();
    lab.emit(events.itemStarted('turn-1', command('c1')));
    const ref = lab.codex.request(lab.threadId, approval('turn-1', 'c1'));
    lab.emit({ type: 'requestResolved', requestId: ref.id });
    expect(lab.words.at(-1)).toBe('withdraw 1');
  });

  test('S3.93 two of them: answering one leaves requires_action, answering the last resumes', async () => {
    const { lab } = await running();
    lab.emit(events.itemStarted('turn-1', command('c1')), events.itemStarted('turn-1', command('c2')));
    lab.codex.request(lab.threadId, approval('turn-1', 'c1'));
    lab.codex.request(lab.threadId, approval('turn-1', 'c2'));
    expect(lab.words.slice(-3)).toEqual(['ask 1', 'requires_action', 'ask 2']);
    lab.actor.answerAsk(1, { type: 'selected', optionId: 'allow_once' });
    expect(lab.words.slice(-2)).toEqual(['toolResumed c1', 'running']);
    lab.emit(events.itemCompleted('turn-1', command('c1', { status: 'completed', exitCode: 0 })));
    expect(lab.words.at(-1)).toBe('requires_action');
    lab.actor.answerAsk(2, { type: 'selected', optionId: 'cancel' });
    expect(lab.words.at(-1)).toBe('running');
    expect(lab.codex.of('answer').map((call) => call.answer)).toEqual([
      { type: 'commandApproval', decision: 'accept' },
      { type: 'commandApproval', decision: 'cancel' },
    ]);
  });

  test('S5.26 of a turn that Codex started by itself reach the user before any prompt', () => {
    const lab = new SessionLab();
    lab.emit(events.started('agent-1'), events.itemStarted('agent-1', command('c1')));
    lab.codex.request(lab.threadId, approval('agent-1', 'c1'));
    expect(lab.words).toEqual(['running', 'toolStarted c1', 'requires_action', 'ask 1']);
  });

  test('S3.95 S5.150 a withdrawn one brings no running, whatever Codex still says', async () => {
    const { lab } = await running();
    lab.emit(events.itemStarted('turn-1', command('c1')), events.itemStarted('turn-1', command('c2')));
    lab.codex.request(lab.threadId, approval('turn-1', 'c1'));
    lab.codex.request(lab.threadId, approval('turn-1', 'c2'));
    lab.actor.cancel();
    const from = lab.words.length;
    lab.emit(
      events.itemCompleted('turn-1', command('c1', { status: 'declined' })),
      { type: 'threadStatus', status: { type: 'active', activeFlags: [] } },
      events.completed('turn-1', 'interrupted'),
    );
    expect(lab.words.slice(from)).not.toContain('running');
    expect(lab.words.at(-1)).toBe('idle:cancelled');
  });

  test('S5.173 malformed answers refuse', async () => {
    const { lab } = await running();
    lab.codex.request(lab.threadId, approval('turn-1', 'c1'));
    lab.actor.answerAsk(1, { type: 'selected', optionId: '__proto__' });
    expect(lab.codex.of('answer').map((call) => call.answer)).toEqual([
      { type: 'commandApproval', decision: 'cancel' },
    ]);
  });
});

describe('close', () => {
  test('S3.67 during a turn: cancelled, idle, then nothing', async () => {
    const { lab } = await running();
    lab.emit(events.itemStarted('turn-1', command('c1')));
    const closed = lab.actor.close();
    lab.emit(events.delta('turn-1', 'stale'));
    lab.emit(events.completed('turn-1', 'interrupted'));
    await closed;
    lab.emit(events.delta('turn-1', 'late'), events.started('turn-9'));
    expect(lab.words.slice(3)).toEqual([
      'toolStarted c1',
      'ended p1 cancelled',
      'toolAborted c1',
      'idle:cancelled',
      'endSession',
    ]);
    expect(lab.codex.of('unsubscribe')).toHaveLength(1);
    expect(lab.clock.waiting).toBe(0);
  });

  test('S3.68 R11 interrupts a turn whose id comes after the close began', async () => {
    const lab = new SessionLab();
    lab.codex.manual.add('startTurn');
    lab.prompt();
    await lab.codex.called('startTurn');
    const closed = lab.actor.close();
    lab.codex.heldStarts[0]?.resolve({ turnId: 'turn-1' });
    await lab.codex.called('interrupt');
    lab.emit(events.completed('turn-1', 'interrupted'));
    await closed;
    expect(lab.words).toEqual(['ended p1 cancelled', 'endSession']);
  });

  test('S3.66 repeated and concurrent closes all end', async () => {
    const { lab } = await running();
    const both = [lab.actor.close(), lab.actor.close()];
    lab.emit(events.completed('turn-1', 'interrupted'));
    await Promise.all(both);
    await lab.actor.close();
    expect(lab.words.filter((shown) => shown === 'endSession')).toHaveLength(1);
  });

  test('S3.70 does not wait for a turn that never ends', async () => {
    const { lab } = await running();
    const closed = lab.actor.close();
    lab.clock.advance(5000);
    await closed;
    expect(lab.words.at(-1)).toBe('endSession');
  });

  test('C063 does not wait for a Codex that never lets go of the thread', async () => {
    const lab = new SessionLab();
    lab.codex.manual.add('unsubscribe');
    const closed = lab.actor.close();
    await lab.codex.called('unsubscribe');
    lab.clock.advance(5000);
    await closed;
    expect(lab.words).toEqual(['endSession']);
  });

  test('S3.71 that Codex refuses fails and leaves the session open', async () => {
    const lab = new SessionLab();
    lab.codex.manual.add('unsubscribe');
    const closed = lab.actor.close();
    await lab.codex.called('unsubscribe');
    lab.codex.heldUnsubscribes[0]?.reject(new Error('not now'));
    await expect(closed).rejects.toThrow('not now');
    lab.prompt();
    await lab.codex.called('startTurn');
  });

  test('S3.71 S3.141 that fails leaves no steer and no goal change without an answer, and later ones go on', async () => {
    const { lab } = await running();
    for (const method of ['setGoal', 'steer', 'unsubscribe'] as const) lab.codex.manual.add(method);
    lab.steer();
    await lab.codex.called('steer');
    const changed = lab.actor.controlGoal({ action: 'set', objective: 'Ship it' });
    await lab.codex.called('setGoal');
    const closed = lab.actor.close();
    // Answers that come while the session is closing.
    lab.codex.heldSteers[0]?.reject(new Error('closing'));
    lab.codex.heldGoals[0]?.reject(new Error('closing'));
    await lab.turnOver();
    lab.emit(events.completed('turn-1', 'interrupted'));
    await lab.codex.called('unsubscribe');
    lab.codex.heldUnsubscribes[0]?.reject(new Error('not now'));
    await expect(closed).rejects.toThrow('not now');
    await expect(changed).rejects.toThrow();
    lab.codex.manual.clear();
    lab.emit(events.started('agent-1'));
    lab.steer();
    await lab.codex.called('steer', 2);
    await lab.turnOver();
    expect(lab.steered.at(-1)).toBe('s2 injected');
  });
});

describe('loss of the app-server', () => {
  test('C062 R24 ends the prompt with the cause, closes tool calls, and the next prompt loads the thread again', async () => {
    const { lab } = await running();
    lab.emit(events.itemStarted('turn-1', fileChange('f1')));
    lab.codex.request(lab.threadId, approval('turn-1', 'c1'));
    lab.codex.crash();
    expect(lab.words.slice(3)).toEqual([
      'toolStarted f1',
      'ask 1',
      'withdraw 1',
      'toolAborted f1',
      'text Connection to Codex was lost.',
      'ended p1 failed:lost',
      'idle:failed',
    ]);
    lab.prompt('again');
    await lab.codex.called('startTurn', 2);
    expect(lab.codex.of('resumeThread')).toMatchObject([{ method: 'resumeThread', threadId: 'thread-1' }]);
  });

  test('R26 while a cancel is pending is a cancel', async () => {
    const { lab } = await running();
    lab.actor.cancel();
    lab.codex.crash();
    expect(lab.words.at(-1)).toBe('idle:cancelled');
  });

  test('S3.64 nothing is sent to a process that is gone', async () => {
    const { lab } = await running();
    lab.codex.crash();
    const calls = lab.codex.calls.length;
    lab.actor.cancel();
    expect(lab.codex.calls).toHaveLength(calls);
    await lab.actor.close();
    expect(lab.codex.of('unsubscribe')).toHaveLength(0);
  });
});

describe('failures', () => {
  test('S3.171 R32 a failure is told once, whatever the order of its events', async () => {
    const { lab } = await running();
    const error = { message: 'broken', info: null, details: null };
    lab.emit(
      { type: 'error', turnId: 'turn-1', error, willRetry: false },
      events.completed('turn-1', 'failed', 'broken'),
    );
    expect(lab.words.slice(3)).toEqual(['error:fatal broken', 'ended p1 failed:turn', 'idle:failed']);
  });

  test('S3 table 12.2 a failed turn without an error event is told too', async () => {
    const { lab } = await running();
    lab.emit(events.completed('turn-1', 'failed', 'broken'));
    expect(lab.words.slice(3)).toEqual(['error:fatal broken', 'ended p1 failed:turn', 'idle:failed']);
  });

  test('S3.173 an error before the turn has an id waits for it', async () => {
    const lab = new SessionLab();
    lab.codex.manual.add('startTurn');
    lab.prompt();
    await lab.codex.called('startTurn');
    const error = { message: 'early', info: null, details: null };
    lab.emit({ type: 'error', turnId: 'turn-1', error, willRetry: false });
    expect(lab.words).toEqual([]);
    lab.codex.heldStarts[0]?.resolve({ turnId: 'turn-1' });
    await lab.turnOver();
    expect(lab.words).toEqual(['error:fatal early', 'running']);
  });

  test('C014 a retry ends nothing', async () => {
    const { lab } = await running();
    const error = { message: 'Reconnecting', info: null, details: null };
    lab.emit({ type: 'error', turnId: 'turn-1', error, willRetry: true });
    expect(lab.words.at(-1)).toBe('error:retry Reconnecting');
  });
});

describe('turns of Codex itself', () => {
  test('S3.81 S3.96 have their own running and idle, also back to back', () => {
    const lab = new SessionLab();
    lab.emit(
      events.started('a1'),
      events.delta('a1', 'x'),
      events.completed('a1'),
      events.started('a2'),
      events.completed('a2'),
    );
    expect(lab.words).toEqual(['running', 'text x', 'idle:done', 'running', 'idle:done']);
  });

  test('T33 one that begins beside a prompt becomes the work when the prompt ends', async () => {
    const { lab } = await running();
    lab.emit(events.started('a1'), events.completed('turn-1'), events.completed('a1'));
    expect(lab.words.slice(3)).toEqual(['ended p1 done', 'idle:done', 'running', 'idle:done']);
  });
});

describe('tool calls at the end of a turn', () => {
  test('C008 S5.55b what Codex did not end is closed, a background command goes on', async () => {
    const { lab } = await running();
    lab.emit(
      events.itemStarted('turn-1', fileChange('f1')),
      events.itemStarted('turn-1', command('c1', { processId: '7' })),
      events.completed('turn-1'),
    );
    expect(lab.words.slice(5)).toEqual(['toolAborted f1', 'ended p1 done', 'idle:done']);
    lab.emit({ type: 'commandOutput', turnId: 'turn-1', itemId: 'c1', delta: 'later' });
    lab.emit(events.itemCompleted('turn-1', command('c1', { status: 'completed', exitCode: 0 })));
    expect(lab.words.slice(8)).toEqual(['output later', 'toolEnded c1']);
  });
});

describe('output of commands', () => {
  const output = (delta: string) => ({ type: 'commandOutput', turnId: 'turn-1', itemId: 'c1', delta }) as const;
  const end = (text: string) =>
    events.itemCompleted('turn-1', command('c1', { status: 'completed', exitCode: 0, output: text }));

  test.each([
    ['all of it streamed', ['a\n', 'b\n'], 'a\nb\n', undefined],
    ['the beginning came before the stream', ['b\n'], 'a\nb\n', 'a\n'],
    ['the record was cut', ['a\n', 'b\n'], 'b\n', undefined],
    ['the record has something else', ['x\n'], 'a\nb\n', undefined],
  ])('C010 S4.45 %s', async (_what, deltas, whole, missed) => {
    const { lab } = await running();
    lab.emit(events.itemStarted('turn-1', command('c1')), ...deltas.map(output), end(whole));
    const shown = lab.channel.shown.at(-1);
    const update = shown?.kind === 'update' && shown.update.type === 'toolEnded' ? shown.update : null;
    expect(update?.streamed).toBe(true);
    expect(update?.missed).toBe(missed);
  });
});

describe('output of commands for a client without terminals', () => {
  test('S12.1 at most one snapshot a second, only when it changed', async () => {
    const { lab } = await running(new SessionLab(profile({ protocol: 1, commandOutput: 'snapshots' })));
    lab.emit(events.itemStarted('turn-1', command('c1')));
    for (let index = 0; index < 50; index += 1) {
      lab.emit({ type: 'commandOutput', turnId: 'turn-1', itemId: 'c1', delta: `${index}\n` });
    }
    lab.clock.advance(999);
    expect(lab.words.filter((shown) => shown === 'commandSnapshot')).toHaveLength(0);
    lab.clock.advance(5000);
    expect(lab.words.filter((shown) => shown === 'commandSnapshot')).toHaveLength(1);
  });
});
