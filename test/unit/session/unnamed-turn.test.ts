import { describe, expect, test } from 'vitest';
import { events, profile, SessionLab } from '../../support/session-lab.ts';

const active = { type: 'threadStatus', status: { type: 'active', activeFlags: [] } } as const;
const idle = { type: 'threadStatus', status: { type: 'idle' } } as const;

describe.each([1, 2] as const)('a turn of Codex that has no name yet, v%i', (protocol) => {
  test('S3.57 C002 a cancel between the first sign of it and its start stops it when it begins', async () => {
    const lab = new SessionLab(profile({ protocol }));
    lab.emit(active);
    lab.actor.cancel();
    lab.emit(events.started('goal-1'));
    expect(lab.codex.of('interrupt')).toMatchObject([{ turnId: 'goal-1' }]);
    lab.emit(events.completed('goal-1', 'interrupted'));
    if (protocol === 2) expect(lab.words.at(-1)).toBe('idle:cancelled');
  });

  test('S3.54 one that never begins takes the cancel with it, and a prompt after it runs', async () => {
    const lab = new SessionLab(profile({ protocol }));
    lab.emit(active);
    lab.actor.cancel();
    lab.emit(idle, events.started('goal-1'));
    expect(lab.codex.of('interrupt')).toEqual([]);
    lab.emit(events.completed('goal-1'), active);
    lab.actor.cancel();
    lab.prompt();
    lab.emit(idle);
    await lab.codex.called('startTurn');
    await lab.turnOver();
    lab.emit(events.started('turn-1'), events.completed('turn-1'));
    expect(lab.codex.of('interrupt')).toEqual([]);
    expect(lab.words).toContain('ended p1 done');
  });

  test('S3.57 S3.54 a prompt comes before that turn begins: the turn is stopped, then the prompt runs', async () => {
    const lab = new SessionLab(profile({ protocol }));
    lab.emit(active);
    lab.actor.cancel();
    lab.prompt();
    lab.emit(events.started('goal-1'));
    expect(lab.codex.of('interrupt')).toMatchObject([{ turnId: 'goal-1' }]);
    await lab.turnOver();
    expect(lab.codex.of('startTurn')).toEqual([]);
    lab.emit(events.completed('goal-1', 'interrupted'));
    await lab.codex.called('startTurn');
    await lab.turnOver();
    lab.emit(events.started('turn-1'), events.completed('turn-1'));
    expect(lab.codex.of('interrupt')).toHaveLength(1);
    expect(lab.words).toContain('ended p1 done');
  });

  test('S3.54 R8 a prompt is ready before that turn begins: it waits for its end and does not join it', async () => {
    const lab = new SessionLab(profile({ protocol }));
    lab.emit(active);
    lab.actor.cancel();
    lab.prompt();
    await lab.turnOver();
    expect(lab.codex.of('startTurn')).toEqual([]);
    lab.emit(events.started('goal-1'));
    expect(lab.codex.of('interrupt')).toMatchObject([{ turnId: 'goal-1' }]);
    lab.emit(events.completed('goal-1', 'interrupted'));
    await lab.codex.called('startTurn');
    await lab.turnOver();
    lab.emit(events.started('turn-1'), events.completed('turn-1'));
    expect(lab.codex.of('interrupt')).toHaveLength(1);
    expect(lab.words).toContain('ended p1 done');
  });

  test('S3.54 a prompt is ready and that turn never begins: the prompt runs', async () => {
    const lab = new SessionLab(profile({ protocol }));
    lab.emit(active);
    lab.actor.cancel();
    lab.prompt();
    await lab.turnOver();
    expect(lab.codex.of('startTurn')).toEqual([]);
    lab.emit(idle);
    await lab.codex.called('startTurn');
  });

  test.each([
    ['S3.111', '/compact', 'compact'],
    ['S3.117', '/review', 'review'],
  ] as const)('%s %s waits for it, begun or not', async (_, text, method) => {
    const begun = new SessionLab(profile({ protocol }));
    begun.emit(active);
    begun.prompt(text);
    await begun.turnOver();
    expect(begun.codex.of(method)).toEqual([]);
    begun.emit(events.started('goal-1'));
    await begun.turnOver();
    expect(begun.codex.of(method)).toEqual([]);
    begun.emit(events.completed('goal-1'));
    await begun.codex.called(method);
    const rested = new SessionLab(profile({ protocol }));
    rested.emit(active);
    rested.prompt(text);
    await rested.turnOver();
    expect(rested.codex.of(method)).toEqual([]);
    rested.emit(idle);
    await rested.codex.called(method);
  });

  test('S3.57 a prompt is being made ready: the cancel ends it, and stops that turn when it begins', () => {
    const lab = new SessionLab(profile({ protocol }));
    lab.prompt();
    lab.emit(active);
    lab.actor.cancel();
    expect(lab.words).toContain('ended p1 cancelled');
    lab.emit(events.started('goal-1'));
    expect(lab.codex.of('interrupt')).toMatchObject([{ turnId: 'goal-1' }]);
  });

  test('S3.54 it never begins beside a prompt: nothing is stopped', async () => {
    const lab = new SessionLab(profile({ protocol }));
    lab.emit(active);
    lab.actor.cancel();
    lab.prompt();
    lab.emit(idle, events.started('goal-1'));
    await lab.turnOver();
    expect(lab.codex.of('interrupt')).toEqual([]);
    expect(lab.codex.of('startTurn')).toHaveLength(1);
  });
});
