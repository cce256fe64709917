import { describe, expect, test } from 'vitest';
import { TurnLab } from '../../support/turn-lab.ts';

const active = { type: 'threadActive' } as const;
const idle = { type: 'threadIdle' } as const;

describe('S3 section 8.1: compaction', () => {
  test('S3.110 its turn is the first that begins after the request, before or after the answer', () => {
    const after = new TurnLab().starting('compact');
    expect(after.accepted(null)).toEqual(['began', 'inserted p1']);
    expect(after.started('t1')).toEqual(['began', 'began']);
    const before = new TurnLab().starting('compact');
    expect(before.started('t1')).toEqual(['began']);
    expect(before.accepted(null)).toEqual(['began', 'inserted p1', 'began']);
    for (const lab of [after, before]) {
      expect(lab.work).toMatchObject({ phase: 'running', turnId: 't1', registered: true });
      lab.compacts('t1');
      expect(lab.completed('t1')).toEqual(['turnOver t1 completed', 'end p1 done inserted', 'idle done']);
    }
  });

  test('S3.110 it began and ended before the answer', () => {
    const lab = new TurnLab().starting('compact');
    lab.started('t1');
    lab.compacts('t1');
    lab.completed('t1');
    expect(lab.accepted(null)).toEqual([
      'began',
      'inserted p1',
      'began',
      'turnOver t1 completed',
      'end p1 done inserted',
      'idle done',
    ]);
  });

  test('S3.110 R36 items of the compaction end nothing: the next prompt waits for the end of the turn', () => {
    const lab = new TurnLab().starting('compact');
    lab.accepted(null);
    lab.started('t1');
    expect(lab.prompt()).toEqual([]);
    expect(lab.compacts('t1')).toEqual([]);
    expect(lab.active('t1')).toEqual([]);
    expect(lab.completed('t1')).toEqual(['turnOver t1 completed', 'end p1 done inserted', 'idle done', 'prepare p2#2']);
  });

  test('S3.110 its item counts like the start of its turn', () => {
    const lab = new TurnLab().starting('compact');
    expect(lab.compacts('t1')).toEqual([]);
    lab.accepted(null);
    expect(lab.compacts('t1')).toEqual(['began']);
    expect(lab.work).toMatchObject({ phase: 'running', turnId: 't1' });
    expect(lab.started('t1')).toEqual([]);
  });

  test('S3.110 an item of a turn from before is none of its own', () => {
    const lab = new TurnLab().starting('compact');
    lab.accepted(null);
    expect(lab.active('t0')).toEqual([]);
    expect(lab.phase).toBe('starting');
  });

  test('S3.110 S12.5 the thread went active and came to rest without a turn: it is over', () => {
    const lab = new TurnLab().starting('compact');
    lab.accepted(null);
    expect(lab.send(idle)).toEqual([]);
    expect(lab.send(active)).toEqual(['began']);
    expect(lab.send(idle)).toEqual(['end p1 done inserted', 'idle done']);
  });

  test('S3.112 refused: it fails before insertion; lost while it waits: it fails', () => {
    expect(new TurnLab().starting('compact').refused()).toEqual(['end p1 failed:refused', 'idle failed:refused']);
    const lab = new TurnLab().starting('compact');
    lab.accepted(null);
    expect(lab.lost().slice(-2)).toEqual(['end p1 failed:lost inserted', 'idle failed:lost']);
  });

  test('S3.111 the app-server dies while a ready compaction waits for an agent turn: it is made ready again', () => {
    const lab = new TurnLab().agent();
    lab.prompt('compact');
    lab.ready();
    expect(lab.lost()).toEqual([
      'stopWaiting interrupt',
      'withdrawAsks',
      'turnOver all lost',
      'idle failed:lost',
      'prepare p1#2',
    ]);
    expect(lab.completed('a1')).toEqual([]);
    expect(lab.ready(1)).toEqual([]);
    expect(lab.ready(2)).toEqual(['start p1#2']);
  });

  test('S3.39 the app-server dies while a prompt is made ready: it waits on', () => {
    const lab = new TurnLab();
    lab.prompt();
    expect(lab.lost()).toEqual(['stopWaiting interrupt', 'withdrawAsks', 'turnOver all lost']);
    expect(lab.ready()).toEqual(['start p1#1']);
  });

  test('S3.111 an agent turn follows another before the compaction is ready: it waits for that as well', () => {
    const lab = new TurnLab().agent();
    lab.prompt('compact');
    expect(lab.started('a2')).toEqual(['turnOver a1 completed', 'idle done', 'began']);
    expect(lab.ready()).toEqual([]);
    expect(lab.completed('a1')).toEqual([]);
    expect(lab.completed('a2')).toEqual(['turnOver a2 completed', 'idle done', 'start p1#1']);
  });
});

describe('S3 section 8.2: review', () => {
  test('S3.114 P of the answer is completed, C of the last start is interrupted', () => {
    const lab = new TurnLab().starting('review');
    expect(lab.accepted('P')).toEqual(['began', 'inserted p1', 'began']);
    expect(lab.work).toMatchObject({ turnId: 'P', startedId: null, registered: false });
    expect(lab.started('C', 'P')).toEqual([]);
    expect(lab.work).toMatchObject({ turnId: 'P', startedId: 'C', registered: true, other: null });
    expect(lab.completed('P')).toEqual(['turnOver P completed', 'end p1 done inserted', 'idle done']);
  });

  test('S3.114 C began before the answer', () => {
    const lab = new TurnLab().starting('review');
    lab.started('C', 'P');
    lab.accepted('P');
    expect(lab.work).toMatchObject({ turnId: 'P', startedId: 'C', registered: true, other: null });
    expect(lab.cancel()).toEqual(['withdrawAsks', 'interrupt C']);
  });

  test('S3.114 a turn that works for no review is no reviewer: it runs beside, before and after the answer', () => {
    const before = new TurnLab().starting('review');
    before.started('a1');
    before.accepted('P');
    const after = new TurnLab().reviewing();
    after.started('a1');
    for (const lab of [before, after]) {
      expect(lab.work).toMatchObject({ turnId: 'P', other: { turnId: 'a1' } });
      expect(lab.completed('P').slice(-1)).toEqual(['began']);
      expect(lab.phase).toBe('agent');
    }
  });

  test('S3.114 a turn that an ordinary turn led to is none of its own: it follows it', () => {
    const lab = new TurnLab().running();
    lab.started('a1', 't1');
    expect(lab.work).toMatchObject({ turnId: 't1', startedId: 't1', other: { turnId: 'a1' } });
    expect(lab.completed('t1').slice(-1)).toEqual(['began']);
    expect(lab.completed('a1')).toEqual(['turnOver a1 completed', 'idle done']);
  });

  test('S3.115 an error of P before the reviewer began: the review failed, there will be no completion', () => {
    const lab = new TurnLab().starting('review');
    lab.accepted('P');
    expect(lab.failed('other')).toEqual([]);
    expect(lab.failed('P')).toEqual(['turnOver P failed', 'end p1 failed:turn inserted', 'idle failed:turn']);
    expect(lab.completed('P', 'failed')).toEqual([]);
  });

  test('S3.115 R15 the error came before the answer', () => {
    const lab = new TurnLab().starting('review');
    expect(lab.failed('P')).toEqual([]);
    expect(lab.phase).toBe('starting');
    expect(lab.accepted('P').slice(-3)).toEqual([
      'turnOver P failed',
      'end p1 failed:turn inserted',
      'idle failed:turn',
    ]);
  });

  test('S3.115 an error after the reviewer began, before or after the answer, is followed by a completion', () => {
    const after = new TurnLab().reviewing();
    expect(after.failed('P')).toEqual([]);
    const before = new TurnLab().starting('review');
    before.send({ type: 'reviewing', turnId: 'P' });
    expect(before.failed('P')).toEqual([]);
    before.accepted('P');
    expect(before.failed('P')).toEqual([]);
    for (const lab of [after, before]) {
      expect(lab.completed('P', 'failed').slice(-2)).toEqual(['end p1 failed:turn inserted', 'idle failed:turn']);
    }
  });

  test('S3.115 an error of an ordinary turn is followed by a completion as well', () => {
    expect(new TurnLab().registering().failed('t1')).toEqual([]);
    expect(new TurnLab().starting().failed('t1')).toEqual([]);
  });

  test('S3.115 a cancelled review that cannot begin is cancelled', () => {
    const lab = new TurnLab().starting('review');
    lab.cancel();
    lab.failed('P');
    expect(lab.accepted('P').slice(-3)).toEqual(
      ['turnOver P cancelled', 'end p1 cancelled sessionCancelled', 'idle cancelled'].map((effect) =>
        effect.startsWith('end') ? `${effect} inserted` : effect,
      ),
    );
  });
});

describe('S3 section 8.3: goals that run turns', () => {
  test('S3.119 the turn after the matching report is the goal’s', () => {
    const lab = new TurnLab().starting('goal');
    expect(lab.accepted(null, 'g1')).toEqual(['began', 'inserted p1', 'wait goal 1000']);
    expect(lab.goal('other')).toEqual(['wait goal 1000']);
    expect(lab.goal('g1')).toEqual(['wait goal 1000']);
    expect(lab.started('t1')).toEqual(['began', 'began', 'stopWaiting goal']);
    expect(lab.work).toMatchObject({ phase: 'running', turnId: 't1' });
  });

  test('S3.119 the report, and even the turn, came before the answer', () => {
    const report = new TurnLab().starting('goal');
    expect(report.goal('g1')).toEqual([]);
    expect(report.accepted(null, 'g1')).toEqual(['began', 'inserted p1', 'wait goal 1000']);
    expect(report.started('t1')).toContain('stopWaiting goal');
    const turn = new TurnLab().starting('goal');
    turn.goal('g1');
    turn.started('t1');
    turn.completed('t1');
    expect(turn.accepted(null, 'g1').slice(-2)).toEqual(['end p1 done inserted', 'idle done']);
  });

  test('S3.119 a turn that began before the report is not the goal’s', () => {
    const lab = new TurnLab().starting('goal');
    lab.accepted(null, 'g1');
    lab.started('a1');
    expect(lab.phase).toBe('starting');
    lab.goal('g1');
    lab.completed('a1');
    lab.started('t1');
    expect(lab.work).toMatchObject({ phase: 'running', turnId: 't1' });
  });

  test('S3.119 R23 no turn within a second: the prompt is done without one', () => {
    const lab = new TurnLab().starting('goal');
    lab.accepted(null, 'g1');
    lab.goal('g1');
    expect(lab.timer('goal')).toEqual(['stopWaiting goal', 'end p1 done inserted', 'idle done']);
    expect(lab.phase).toBe('idle');
  });

  test('S3.119 while the thread is active there is no limit; active and idle again without a turn: done', () => {
    const lab = new TurnLab().starting('goal');
    lab.accepted(null, 'g1');
    lab.goal('g1');
    expect(lab.send(active)).toEqual(['began', 'stopWaiting goal']);
    expect(lab.send(idle)).toEqual(['stopWaiting goal', 'end p1 done inserted', 'idle done']);
  });

  test('S3.119 cancelled while no turn begins: cancelled', () => {
    const lab = new TurnLab().starting('goal');
    lab.accepted(null, 'g1');
    lab.cancel();
    expect(lab.timer('goal')).toEqual([
      'stopWaiting goal',
      'end p1 cancelled sessionCancelled inserted',
      'idle cancelled',
    ]);
  });

  test('S3.120 the prompt ends with its first turn; the continuation is an agent turn', () => {
    const lab = new TurnLab().starting('goal');
    lab.accepted(null, 'g1');
    lab.goal('g1');
    lab.started('t1');
    expect(lab.completed('t1')).toEqual(['turnOver t1 completed', 'end p1 done inserted', 'idle done']);
    expect(lab.started('a1')).toEqual(['began']);
    expect(lab.phase).toBe('agent');
  });

  /** A goal that is set while a turn of Codex runs. */
  function besideAgent(): TurnLab {
    const lab = new TurnLab().agent().starting('goal');
    expect(lab.accepted(null, 'g1')).toEqual(['began', 'inserted p1']);
    lab.goal('g1');
    return lab;
  }

  test('S3.119 set while an agent turn runs: the thread is active, so there is no limit until that turn ends', () => {
    const lab = besideAgent();
    expect(lab.send(idle)).toEqual(['wait goal 1000']);
    expect(lab.completed('a1')).toEqual(['turnOver a1 completed', 'wait goal 1000']);
    expect(lab.send(active)).toEqual(['began', 'stopWaiting goal']);
    lab.started('t1');
    expect(lab.work).toMatchObject({ phase: 'running', turnId: 't1', other: null });
    expect(lab.completed('t1').slice(-2)).toEqual(['end p1 done inserted', 'idle done']);
    expect(lab.phase).toBe('idle');
  });

  test('S3.119 no turn follows that turn: done a second later, with one idle', () => {
    const lab = besideAgent();
    lab.completed('a1');
    expect(lab.timer('goal')).toEqual(['stopWaiting goal', 'end p1 done inserted', 'idle done']);
    expect(lab.phase).toBe('idle');
  });

  test('S3.119 that turn ends before the goal is taken: the limit begins with the answer', () => {
    const lab = new TurnLab().agent().starting('goal');
    expect(lab.send(idle)).toEqual([]);
    expect(lab.completed('a1')).toEqual(['turnOver a1 completed']);
    expect(lab.accepted(null, 'g1')).toEqual(['began', 'inserted p1', 'wait goal 1000']);
  });

  test('S3.59 S3.57 its request is cancelled while the agent turn runs (v1): over at once, the agent turn goes on', () => {
    const lab = besideAgent();
    expect(lab.cancelPrompt('p1', 'request')).toEqual([]);
    expect(lab.cancelPrompt('p1', 'session')).toEqual([
      'withdrawAsks but a1',
      'stopWaiting goal',
      'end p1 cancelled sessionCancelled inserted',
      'idle cancelled',
      'began',
    ]);
    expect(lab.work).toEqual({ phase: 'agent', agent: { turnId: 'a1', stop: null } });
  });

  test('S3.51 `session/cancel` while the agent turn runs stops that turn, and then the prompt', () => {
    const lab = besideAgent();
    expect(lab.cancel()).toEqual(['withdrawAsks', 'interrupt a1']);
    expect(lab.completed('a1', 'interrupted')).toEqual(['turnOver a1 interrupted', 'wait goal 1000']);
    expect(lab.timer('goal')).toEqual([
      'stopWaiting goal',
      'end p1 cancelled sessionCancelled inserted',
      'idle cancelled',
    ]);
  });
});
