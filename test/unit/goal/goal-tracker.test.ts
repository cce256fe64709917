import { describe, expect, test } from 'vitest';
import { CodexRequestError } from '../../../src/domain/errors/agent-error.ts';
import { profile } from '../../support/session-lab.ts';
import { GoalLab, goal } from './goal-lab.ts';

describe('the goal of a session that was opened', () => {
  test.each([
    ['the goal', goal()],
    ['that there is none', null],
  ])('S3.125 %s is always told', async (_, known) => {
    const lab = new GoalLab();
    lab.codex.goal = known;
    lab.tracker.opened();
    await lab.settled();
    lab.tracker.opened();
    await lab.settled();
    expect(lab.shown).toEqual([known, known]);
  });

  test('S3.125 R22 a read that began before a newer event is dropped', async () => {
    const lab = new GoalLab();
    lab.codex.manual.add('readGoal');
    lab.tracker.opened();
    lab.tracker.updated(goal({ objective: 'Newer' }));
    lab.codex.heldGoalReads[0]?.resolve(goal({ objective: 'Older' }));
    await lab.settled();
    expect(lab.shown.map((shown) => shown?.objective)).toEqual(['Newer']);
    lab.tracker.opened();
    lab.tracker.cleared();
    lab.codex.heldGoalReads[1]?.resolve(goal({ objective: 'Newer' }));
    await lab.settled();
    expect(lab.shown.map((shown) => shown?.objective)).toEqual(['Newer', undefined]);
  });

  test('S3.125 a Codex without goals: logged, nothing told', async () => {
    const refused = (): Promise<never> => Promise.reject(new CodexRequestError(-32601, 'goals are disabled'));
    const lab = new GoalLab(undefined, { read: refused, set: refused, clear: refused });
    lab.tracker.opened();
    await lab.settled();
    expect([lab.shown, lab.logged]).toEqual([[], ['The goal could not be read']]);
  });

  test('S3.124 clients that are not AIR are told nothing and nothing is read for them', async () => {
    const lab = new GoalLab(profile());
    lab.tracker.opened();
    lab.tracker.updated(goal());
    lab.tracker.cleared();
    await lab.settled();
    expect([lab.shown, lab.codex.calls]).toEqual([[], []]);
  });
});

describe('a goal that changes', () => {
  test.each([
    ['objective', { objective: 'Other' }],
    ['status', { status: 'blocked' }],
    ['token budget', { tokenBudget: 1000 }],
    ['creation', { createdAt: 2 }],
  ])('S3.125 another %s is told', (_, change) => {
    const lab = new GoalLab();
    lab.tracker.updated(goal());
    lab.tracker.updated(goal({ ...change, updatedAt: 2 }));
    expect(lab.shown).toEqual([goal(), goal({ ...change, updatedAt: 2 })]);
  });

  test('S3.125 usage alone is not told', () => {
    const lab = new GoalLab();
    lab.tracker.updated(goal());
    lab.tracker.updated(goal({ objective: ' Fix the build\n', tokensUsed: 9, timeUsedSeconds: 3, updatedAt: 5 }));
    expect(lab.shown).toEqual([goal()]);
  });

  test('S3.124 S3.125 a cleared goal is told once, and a new one again', () => {
    const lab = new GoalLab();
    lab.tracker.updated(goal());
    lab.tracker.cleared();
    lab.tracker.cleared();
    lab.tracker.updated(goal());
    expect(lab.shown).toEqual([goal(), null, goal()]);
  });
});

describe('a goal that the client changes', () => {
  test('S3.118 S3.122 what Codex is asked', async () => {
    const lab = new GoalLab();
    const changes = [
      lab.control({ action: 'set', objective: 'Fix the build' }),
      lab.control({ action: 'pause' }),
      lab.control({ action: 'resume' }),
    ];
    await lab.settled();
    expect(changes.map(({ word }) => word)).toEqual(['done', 'done', 'done']);
    expect(lab.codex.calls).toEqual([
      { method: 'setGoal', objective: 'Fix the build', status: 'active' },
      { method: 'setGoal', objective: null, status: 'paused' },
      { method: 'setGoal', objective: null, status: 'active' },
    ]);
  });

  test('S3.122 done once Codex accepted it and the snapshot was told, no turn is waited for', async () => {
    const lab = new GoalLab();
    lab.codex.manual.add('setGoal');
    const control = lab.control({ action: 'set', objective: 'Fix the build' });
    await lab.settled();
    expect([control.word, lab.shown]).toEqual(['waiting', []]);
    lab.codex.heldGoals[0]?.resolve(goal());
    await lab.settled();
    lab.tracker.updated(goal({ updatedAt: 2 }));
    expect([control.word, lab.shown]).toEqual(['done', [goal()]]);
  });

  test('S3.122 R22 an event before the answer tells it; the answer is not told after a newer one', async () => {
    const lab = new GoalLab();
    lab.codex.manual.add('setGoal');
    const control = lab.control({ action: 'set', objective: 'Fix the build' });
    lab.codex.heldGoals[0]?.resolve(goal());
    lab.tracker.updated(goal());
    lab.tracker.updated(goal({ status: 'blocked' }));
    await lab.settled();
    expect([control.word, lab.shown]).toEqual(['done', [goal(), goal({ status: 'blocked' })]]);
  });

  test('S3.122 an event of before the change does not keep the answer from being told', async () => {
    const lab = new GoalLab();
    lab.tracker.updated(goal());
    lab.codex.manual.add('setGoal');
    const control = lab.control({ action: 'pause' });
    lab.tracker.updated(goal({ tokensUsed: 7, updatedAt: 2 }));
    lab.codex.heldGoals[0]?.resolve(goal({ status: 'paused', updatedAt: 2 }));
    await lab.settled();
    expect([control.word, lab.shown]).toEqual(['done', [goal(), goal({ status: 'paused', updatedAt: 2 })]]);
  });

  test('S3.122 fails as Codex refuses', async () => {
    const lab = new GoalLab();
    lab.codex.manual.add('setGoal');
    const control = lab.control({ action: 'pause' });
    lab.codex.heldGoals[0]?.reject(new CodexRequestError(-32600, 'cannot update goal for thread: no goal exists'));
    await lab.settled();
    expect([control.word, lab.shown]).toEqual(['cannot update goal for thread: no goal exists', []]);
  });

  test('S3.122 S3.11 a clear is done with its event; the last usage before it does not bring the goal back', async () => {
    const lab = new GoalLab();
    lab.codex.goal = goal();
    lab.tracker.updated(goal());
    const control = lab.control({ action: 'clear' });
    await lab.settled();
    lab.tracker.updated(goal({ tokensUsed: 7 }));
    expect([control.word, lab.shown]).toEqual(['waiting', [goal()]]);
    lab.tracker.cleared();
    await lab.settled();
    expect([control.word, lab.shown, lab.clock.waiting]).toEqual(['done', [goal(), null], 0]);
  });

  test('S3.122 the event of a clear may come before its answer', async () => {
    const lab = new GoalLab();
    lab.codex.goal = goal();
    const control = lab.control({ action: 'clear' });
    lab.tracker.cleared();
    await lab.settled();
    expect([control.word, lab.shown, lab.clock.waiting]).toEqual(['done', [null], 0]);
  });

  test('S3.122 a clear whose event never comes is done after a second', async () => {
    const lab = new GoalLab();
    lab.codex.goal = goal();
    lab.tracker.updated(goal());
    const control = lab.control({ action: 'clear' });
    await lab.settled();
    lab.clock.advance(999);
    await lab.settled();
    expect(control.word).toBe('waiting');
    lab.clock.advance(1);
    await lab.settled();
    expect([control.word, lab.shown]).toEqual(['done', [goal(), null]]);
  });

  test('S3.122 R22 a goal that was set while a clear waits stays', async () => {
    const lab = new GoalLab();
    lab.codex.goal = goal();
    const control = lab.control({ action: 'clear' });
    await lab.settled();
    lab.tracker.updated(goal({ createdAt: 2 }));
    lab.clock.advance(1000);
    await lab.settled();
    expect([control.word, lab.shown]).toEqual(['done', [goal({ createdAt: 2 })]]);
  });

  test('S3.121 S3.122 nothing to clear: no wait', async () => {
    const lab = new GoalLab();
    const control = lab.control({ action: 'clear' });
    await lab.settled();
    expect([control.word, lab.shown]).toEqual(['done', []]);
  });

  test('S3.122 S3.124 clients that are not AIR change it too and are told nothing', async () => {
    const lab = new GoalLab(profile());
    const set = lab.control({ action: 'set', objective: 'Fix the build' });
    const clear = lab.control({ action: 'clear' });
    await lab.settled();
    lab.tracker.cleared();
    await lab.settled();
    expect([set.word, clear.word, lab.shown]).toEqual(['done', 'done', []]);
  });

  test('S3.122 S3.73 the session is closed: whoever waits is told, and what comes later is dropped', async () => {
    const lab = new GoalLab();
    lab.codex.manual.add('setGoal');
    lab.codex.goal = goal();
    const clear = lab.control({ action: 'clear' });
    await lab.settled();
    const set = lab.control({ action: 'set', objective: 'Fix the build' });
    lab.close();
    lab.codex.heldGoals[0]?.resolve(goal());
    const late = lab.control({ action: 'pause' });
    await lab.settled();
    const closed = 'The session was closed before its goal was changed.';
    expect([clear.word, set.word, late.word]).toEqual([closed, closed, closed]);
    expect([lab.shown, lab.codex.of('setGoal')]).toEqual([[], [expect.anything()]]);
  });
});
