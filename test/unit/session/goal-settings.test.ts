import { describe, expect, test } from 'vitest';
import { CodexRequestError } from '../../../src/domain/errors/agent-error.ts';
import type { Goal } from '../../../src/domain/goal/goal.ts';
import { changeMode, changeOption } from '../../../src/domain/settings/change-option.ts';
import type { TurnPolicy } from '../../../src/domain/settings/turn-policy.ts';
import { events, SessionLab } from '../../support/session-lab.ts';

/*
 * While Codex pursues a goal it begins turns by itself: a change of the settings is told at once, so that the next turn
 * runs with what is shown (S2.63, S12.8). What a prompt was admitted with stays (S12.7).
 */

const refused = new CodexRequestError(-32600, 'out of luck');

function goal(status = 'active'): Goal {
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

/** A session that has the thread's settings; Codex pursues a goal and runs a turn of it. */
async function pursuing(): Promise<SessionLab> {
  const lab = new SessionLab();
  await lab.actor.controlGoal({ action: 'set', objective: 'Dig' });
  lab.emit({ type: 'goalUpdated', goal: goal() }, events.started('goal-1'));
  lab.codex.calls.splice(0);
  lab.channel.shown.splice(0);
  return lab;
}

/** Changes the mode as a client does; the word is how the request stands. */
function setMode(lab: SessionLab, mode: string): { word: string } {
  return follow(lab.actor.changeOption((settings) => changeMode(settings, mode)));
}

function follow(work: Promise<void>): { word: string } {
  const state = { word: 'waiting' };
  work.then(
    () => {
      state.word = 'done';
    },
    (error: unknown) => {
      state.word = error instanceof Error ? error.message : String(error);
    },
  );
  return state;
}

function sandboxOf({ access }: TurnPolicy): string {
  return access.type === 'sandbox' ? access.sandbox.type : access.profileId;
}

/** What Codex was told and asked, in order; settings by their sandbox. */
function order(lab: SessionLab): string[] {
  return lab.codex.calls.flatMap((call) => {
    switch (call.method) {
      case 'applyPolicy':
        return [sandboxOf(call.policy)];
      case 'startTurn':
        return [`startTurn ${sandboxOf(call.params.policy)}`];
      case 'resumeThread':
        return [`resumeThread ${call.params.policy === null ? 'as recorded' : sandboxOf(call.params.policy)}`];
      case 'setGoal':
        return [`goal ${call.status}`];
      case 'compact':
        return ['compact'];
      default:
        return [];
    }
  });
}

/** Modes that the client was shown. */
function shownModes(lab: SessionLab): unknown[] {
  return lab.channel.shown.flatMap((shown) => {
    if (shown.kind !== 'update' || shown.update.type !== 'optionsChanged') return [];
    return [shown.update.options.find(({ id }) => id === 'mode')?.current];
  });
}

function notices(lab: SessionLab): string[] {
  return lab.channel.shown.flatMap((shown) =>
    shown.kind === 'update' && shown.update.type === 'notice' ? [shown.update.notice.title] : [],
  );
}

describe('S2.63 S12.8 a change of settings while Codex pursues a goal', () => {
  test('S2.63 S2.96 S12.8 it is told at once, and the client is answered when Codex has it', async () => {
    const lab = await pursuing();
    lab.codex.manual.add('applyPolicy');
    const request = setMode(lab, 'read-only');
    // The update of the options goes out before the answer (S2.98).
    expect([order(lab), shownModes(lab), request.word]).toEqual([['readOnly'], ['read-only'], 'waiting']);
    await lab.turnOver();
    expect(request.word).toBe('waiting');
    lab.codex.heldPolicies[0]?.resolve();
    await lab.turnOver();
    expect(request.word).toBe('done');
    lab.emit(events.completed('goal-1'), events.started('goal-2'), events.completed('goal-2'));
    expect(order(lab)).toEqual(['readOnly']);
  });

  test('S2.63 model and effort are told as well', async () => {
    const lab = await pursuing();
    await lab.actor.changeOption((settings) => changeOption(settings, 'reasoning_effort', 'high').settings);
    expect(lab.codex.of('applyPolicy')[0]?.policy).toMatchObject({ model: 'gpt-test', effort: 'high' });
  });

  test('S2.64 the mode that holds is told to nobody', async () => {
    const lab = await pursuing();
    await lab.actor.changeOption((settings) => changeMode(settings, 'agent'));
    expect([order(lab), shownModes(lab)]).toEqual([[], []]);
  });

  test.each(['paused', 'blocked', 'complete', null])('S2.63 with a goal that is %s nothing is told', async (status) => {
    const lab = await pursuing();
    lab.emit(status === null ? { type: 'goalCleared' } : { type: 'goalUpdated', goal: goal(status) });
    await lab.actor.changeOption((settings) => changeMode(settings, 'read-only'));
    expect([order(lab), shownModes(lab)]).toEqual([[], ['read-only']]);
  });

  test('S12.8 a goal that becomes active: what changed before is told then', async () => {
    const lab = await pursuing();
    lab.emit({ type: 'goalUpdated', goal: goal('paused') });
    setMode(lab, 'read-only');
    expect(order(lab)).toEqual([]);
    lab.emit({ type: 'goalUpdated', goal: goal() });
    expect(order(lab)).toEqual(['readOnly']);
  });

  test('S2.96 several changes are told in order, the last one wins; each is answered', async () => {
    const lab = await pursuing();
    lab.codex.manual.add('applyPolicy');
    const requests = ['read-only', 'agent-full-access', 'workspace-write'].map((mode) => setMode(lab, mode));
    expect(order(lab)).toEqual(['readOnly', 'dangerFullAccess', 'workspaceWrite']);
    for (const held of lab.codex.heldPolicies.slice(0, 2)) held.resolve();
    await lab.turnOver();
    expect(requests.map(({ word }) => word)).toEqual(['waiting', 'waiting', 'waiting']);
    lab.codex.heldPolicies[2]?.resolve();
    await lab.turnOver();
    expect(requests.map(({ word }) => word)).toEqual(['done', 'done', 'done']);
    expect(lab.actor.settings.mode).toBe('workspace-write');
  });

  test('S2.96 one that Codex refuses does not matter when a later one has all of it', async () => {
    const lab = await pursuing();
    lab.codex.manual.add('applyPolicy');
    const narrowed = setMode(lab, 'read-only');
    const effort = follow(
      lab.actor.changeOption((settings) => changeOption(settings, 'reasoning_effort', 'high').settings),
    );
    lab.codex.heldPolicies[0]?.reject(refused);
    await lab.turnOver();
    lab.codex.heldPolicies[1]?.resolve();
    await lab.turnOver();
    // The failure left it open what the thread has: the settings that hold are told once more.
    lab.codex.heldPolicies[2]?.resolve();
    await lab.turnOver();
    expect([narrowed.word, effort.word, lab.actor.settings.mode]).toEqual(['done', 'done', 'read-only']);
    expect(order(lab).at(-1)).toBe('readOnly');
  });

  test('S2.87 S12.8 what Codex refuses is taken back: what is shown is what runs', async () => {
    const lab = await pursuing();
    lab.codex.manual.add('applyPolicy');
    const request = setMode(lab, 'read-only');
    lab.codex.heldPolicies[0]?.reject(refused);
    await lab.turnOver();
    expect([request.word, shownModes(lab), lab.actor.settings.mode]).toEqual([
      'out of luck',
      ['read-only', 'agent'],
      'agent',
    ]);
    expect(order(lab)).toEqual(['readOnly', 'workspaceWrite']);
    lab.codex.heldPolicies[1]?.resolve();
    await lab.turnOver();
    expect([order(lab).length, notices(lab)]).toEqual([2, []]);
  });

  test('S12.8 refused and nobody waits: the goal is paused rather than pursued with other settings', async () => {
    const lab = await pursuing();
    lab.emit({ type: 'goalUpdated', goal: goal('paused') });
    setMode(lab, 'read-only');
    await lab.turnOver();
    lab.codex.manual.add('applyPolicy');
    lab.emit({ type: 'goalUpdated', goal: goal() });
    lab.codex.heldPolicies[0]?.reject(refused);
    await lab.turnOver();
    expect([order(lab), notices(lab)]).toEqual([['readOnly', 'goal paused'], ['Goal paused']]);
    // It is not tried again and again.
    lab.emit(events.completed('goal-1'), events.started('goal-2'));
    expect(order(lab)).toHaveLength(2);
  });

  test('S12.8 … and when that fails, too, the client is told so', async () => {
    const lab = await pursuing();
    lab.emit({ type: 'goalUpdated', goal: goal('paused') });
    setMode(lab, 'read-only');
    lab.codex.manual.add('applyPolicy').add('setGoal');
    lab.emit({ type: 'goalUpdated', goal: goal() });
    lab.codex.heldPolicies[0]?.reject(refused);
    await lab.turnOver();
    lab.codex.heldGoals[0]?.reject(refused);
    await lab.turnOver();
    expect(notices(lab)).toEqual(['Goal has other settings']);
  });
});

describe('S12.7 S12.8 a prompt keeps the settings of its admission, the goal goes on with those that are shown', () => {
  test('S12.7 changed while the start of a prompt is under way: told after its answer', async () => {
    const lab = await pursuing();
    lab.codex.manual.add('startTurn');
    lab.prompt('hello');
    await lab.codex.called('startTurn');
    const request = setMode(lab, 'read-only');
    await lab.turnOver();
    expect([order(lab), request.word]).toEqual([['startTurn workspaceWrite'], 'waiting']);
    lab.codex.heldStarts[0]?.resolve({ turnId: 'turn-1' });
    await lab.turnOver();
    expect([order(lab), request.word]).toEqual([['startTurn workspaceWrite', 'readOnly'], 'done']);
  });

  test('S12.7 the start is refused: told then', async () => {
    const lab = await pursuing();
    lab.codex.manual.add('startTurn');
    lab.prompt('hello');
    await lab.codex.called('startTurn');
    setMode(lab, 'read-only');
    lab.codex.heldStarts[0]?.reject(refused);
    await lab.turnOver();
    expect(order(lab)).toEqual(['startTurn workspaceWrite', 'readOnly']);
  });

  test('S12.7 changed before the start is sent: told at once, and again after the start brought the older ones', async () => {
    const lab = await pursuing();
    lab.codex.manual.add('ready');
    lab.prompt('hello');
    setMode(lab, 'read-only');
    expect(order(lab)).toEqual(['readOnly']);
    lab.codex.heldReady[0]?.resolve();
    await lab.turnOver();
    expect(order(lab)).toEqual(['readOnly', 'startTurn workspaceWrite', 'readOnly']);
  });

  test('S12.7 S3.111 a compaction that waits for the goal turn runs with its own settings, the goal with the new ones', async () => {
    const lab = await pursuing();
    lab.prompt('/compact');
    await lab.turnOver();
    setMode(lab, 'read-only');
    await lab.turnOver();
    // The goal turn that runs may be followed by another one before the compaction: it must not be wider than is shown.
    expect(order(lab)).toEqual(['readOnly']);
    lab.emit(events.completed('goal-1'));
    await lab.turnOver();
    expect(order(lab)).toEqual(['readOnly', 'workspaceWrite', 'compact']);
    lab.emit(events.started('compact-1'), events.completed('compact-1'));
    await lab.turnOver();
    expect(order(lab)).toEqual(['readOnly', 'workspaceWrite', 'compact', 'readOnly']);
  });

  test.each(['/compact', '/review'])(
    'S3.51 S12.7 %s is cancelled while its settings are told once more: nothing of it is sent',
    async (text) => {
      const lab = await pursuing();
      lab.prompt(text);
      await lab.turnOver();
      setMode(lab, 'read-only');
      await lab.turnOver();
      const before = lab.codex.calls.length;
      lab.codex.manual.add('applyPolicy');
      lab.emit(events.completed('goal-1'));
      await lab.turnOver();
      lab.actor.cancel();
      lab.codex.heldPolicies.shift()?.resolve();
      await lab.turnOver();
      const since = lab.codex.calls.slice(before).map(({ method }) => method);
      expect(since.filter((method) => ['compact', 'review', 'setGoal'].includes(method))).toEqual([]);
      expect(since).toContain('applyPolicy');
      expect(lab.words.filter((word) => word.startsWith('ended'))).toEqual(['ended p1 cancelled']);
    },
  );

  test('S12.8 the model sets itself a goal in a turn: what changed during the turn is told', async () => {
    const lab = new SessionLab();
    const promptId = lab.prompt('hello');
    await lab.codex.called('startTurn');
    await lab.turnOver();
    lab.emit(events.started('turn-1'), events.landed('turn-1', promptId));
    await lab.actor.changeOption((settings) => changeMode(settings, 'read-only'));
    expect(order(lab)).toEqual(['startTurn workspaceWrite']);
    lab.emit({ type: 'goalUpdated', goal: goal() });
    expect(order(lab)).toEqual(['startTurn workspaceWrite', 'readOnly']);
  });
});

describe('S8.27 S12.8 Codex is lost', () => {
  test('S2.97 S12.8 a change needs no Codex; the thread is loaded with it, and told the rest', async () => {
    const lab = await pursuing();
    lab.codex.crash();
    await lab.actor.changeOption((settings) => changeMode(settings, 'read-only'));
    expect(order(lab)).toEqual([]);
    lab.codex.manual.add('startTurn');
    lab.prompt('hello');
    await lab.codex.called('startTurn');
    await lab.turnOver();
    expect(order(lab)).toEqual(['resumeThread readOnly', 'startTurn readOnly']);
  });

  test('S2.97 a change right after the loss, before another process is there: it holds, and is told to nobody', async () => {
    const lab = await pursuing();
    lab.codex.crash();
    // The number of the process changes only with the next one.
    lab.codex.epoch = 1;
    const request = setMode(lab, 'read-only');
    await lab.turnOver();
    expect([request.word, order(lab), notices(lab)]).toEqual(['done', [], []]);
  });

  test('S2.97 lost before it answered: the change holds', async () => {
    const lab = await pursuing();
    lab.codex.manual.add('applyPolicy');
    const request = setMode(lab, 'read-only');
    lab.codex.crash();
    await lab.turnOver();
    expect([request.word, lab.actor.settings.mode]).toEqual(['done', 'read-only']);
    expect(notices(lab)).toEqual([]);
  });
});

test('S3.67 a close answers whoever waits for a change', async () => {
  const lab = await pursuing();
  lab.codex.manual.add('applyPolicy');
  const request = setMode(lab, 'read-only');
  const closed = lab.actor.close();
  lab.emit(events.completed('goal-1', 'interrupted'));
  await closed;
  expect(request.word).toBe('Session thread-1 is closing');
  expect(setMode(lab, 'agent').word).toBe('waiting');
});
