import { describe, expect, test } from 'vitest';
import { TurnLab } from '../../support/turn-lab.ts';

const reload = { type: 'reload' } as const;
const reloaded = { type: 'reloaded' } as const;

describe('R30 S2.57 the thread is loaded again with other instructions', () => {
  test('an idle session shuts its lane, and opens it when that is over', () => {
    const lab = new TurnLab();
    expect([lab.send(reload), lab.phase]).toEqual([['reload'], 'reloading']);
    expect([lab.send(reloaded), lab.phase]).toEqual([[], 'idle']);
    expect(lab.prompt()).toEqual(['prepare p1#1']);
  });

  test.each([
    ['agent', new TurnLab().agent()],
    ['prep', new TurnLab()],
    ['local', new TurnLab().local()],
    ['starting', new TurnLab().starting()],
    ['running', new TurnLab().running()],
    ['running', new TurnLab().registering()],
    ['planReview', new TurnLab().planReview()],
    ['draining', new TurnLab().draining()],
  ] as const)('S2.55 %s: it is refused, and nothing else happens', (phase, lab) => {
    if (phase === 'prep') lab.prompt();
    const before = lab.state;
    expect([lab.send(reload), lab.phase]).toEqual([['refuseReload busy'], phase]);
    expect(lab.state).toEqual(before);
  });

  test('S2.55 a thread that works on something without a name is not idle', () => {
    const lab = new TurnLab();
    lab.send({ type: 'threadActive' });
    expect(lab.send(reload)).toEqual(['refuseReload busy']);
    lab.send({ type: 'threadIdle' });
    expect(lab.send(reload)).toEqual(['reload']);
  });

  test('S2.57 S2.26 a second one is refused, and one of a session that is closed', () => {
    expect(new TurnLab().reloading().send(reload)).toEqual(['refuseReload reloading']);
    expect(new TurnLab().closing().send(reload)).toEqual(['refuseReload closing']);
    expect(new TurnLab().closed().send(reload)).toEqual(['refuseReload closing']);
  });

  test('S3.22 a prompt gets no place in the lane', () => {
    const lab = new TurnLab().reloading();
    expect([lab.prompt(), lab.phase, lab.waiting]).toEqual([['end p1 failed:refused'], 'reloading', []]);
    expect(lab.send(reloaded)).toEqual([]);
  });

  test('S2.25 a turn of Codex that begins meanwhile is the work afterwards', () => {
    const lab = new TurnLab().reloading();
    expect(lab.started('a1')).toEqual(['began']);
    expect(lab.started('a1')).toEqual([]);
    expect([lab.send(reloaded), lab.phase]).toEqual([[], 'agent']);
    expect(lab.completed('a1')).toEqual(['turnOver a1 completed', 'idle done']);
  });

  test('S2.25 one that ends before that has its own idle', () => {
    const lab = new TurnLab().reloading();
    lab.started('a1');
    expect(lab.completed('a1')).toEqual(['turnOver a1 completed', 'idle done']);
    expect(lab.completed('a1')).toEqual([]);
    expect([lab.send(reloaded), lab.phase]).toEqual([[], 'idle']);
  });

  test('S12.5 a later turn ends the one before', () => {
    const lab = new TurnLab().reloading();
    lab.started('a1');
    expect(lab.started('a2')).toEqual(['turnOver a1 completed', 'idle done', 'began']);
  });

  test('S3.57 a cancel stops what Codex runs, also when it has no name yet; the lane stays shut', () => {
    const lab = new TurnLab().reloading();
    expect([lab.cancel(), lab.phase]).toEqual([['withdrawAsks'], 'reloading']);
    lab.started('a1');
    expect(lab.cancel()).toEqual(['withdrawAsks', 'interrupt a1']);
    lab.completed('a1', 'interrupted');
    lab.send({ type: 'threadActive' });
    lab.cancel();
    expect([lab.started('a2'), lab.phase]).toEqual([['began', 'interrupt a2'], 'reloading']);
  });

  test('S3.57 what was cancelled without a name is stopped also after that', () => {
    const lab = new TurnLab().reloading();
    lab.send({ type: 'threadActive' });
    lab.cancel();
    lab.send(reloaded);
    expect(lab.started('a1')).toEqual(['began', 'interrupt a1']);
  });

  test('a thread that came to rest has nothing to stop', () => {
    const lab = new TurnLab().reloading();
    lab.send({ type: 'threadActive' });
    lab.cancel();
    lab.send({ type: 'threadIdle' });
    expect(lab.started('a1')).toEqual(['began']);
  });

  test('S3.61 S3.65 an interrupt of such a turn is retried', () => {
    const lab = new TurnLab().reloading();
    lab.started('a1');
    lab.cancel();
    expect(lab.notInterrupted('a1', { type: 'unregistered' })).toEqual(['wait interrupt 25']);
    expect(lab.timer('interrupt')).toEqual(['interrupt a1']);
  });

  test('S2.58 the loss of Codex ends what runs; the reload ends by itself', () => {
    const lab = new TurnLab().reloading();
    lab.started('a1');
    expect(lab.lost()).toEqual(['stopWaiting interrupt', 'withdrawAsks', 'turnOver all lost', 'idle failed:lost']);
    expect([lab.phase, lab.send(reloaded), lab.phase]).toEqual(['reloading', [], 'idle']);
  });

  test('S2.58 R26 a turn that was being stopped is cancelled', () => {
    const lab = new TurnLab().reloading();
    lab.started('a1');
    lab.cancel();
    expect(lab.lost().slice(-2)).toEqual(['turnOver all cancelled', 'idle cancelled']);
  });

  describe('S2.26 a close', () => {
    test('waits for the end of the reload, then lets go of the thread', () => {
      const lab = new TurnLab().reloading();
      expect(lab.close()).toEqual(['withdrawAsks', 'abandonReload', 'wait close 5000']);
      expect(lab.send(reloaded)).toEqual(['release', 'wait close 5000']);
      expect(lab.send({ type: 'released' }).at(-1)).toBe('closed');
    });

    test('stops the turn that began meanwhile, and waits for both', () => {
      const lab = new TurnLab().reloading();
      lab.started('a1');
      expect(lab.close()).toEqual(['withdrawAsks', 'interrupt a1', 'abandonReload', 'wait close 5000']);
      expect(lab.send(reloaded)).toEqual([]);
      expect(lab.completed('a1', 'interrupted')).toEqual(['release', 'wait close 5000']);
    });

    test('S3.70 does not wait longer than five seconds; a thread that is loaded after that is let go of', () => {
      const lab = new TurnLab().reloading();
      lab.close();
      expect(lab.timer('close')).toEqual(['release', 'wait close 5000']);
      expect(lab.send(reloaded)).toEqual(['release']);
      lab.send({ type: 'released' });
      expect([lab.phase, lab.send(reloaded)]).toEqual(['closed', ['release']]);
    });
  });
});
