import { describe, expect, test } from 'vitest';
import { interruptDelays } from '../../../src/domain/turn/interrupt.ts';
import { mismatch, refusedOtherwise, TurnLab, unregistered } from '../../support/turn-lab.ts';

describe('S3 table 5.1: `session/cancel` by phase', () => {
  test('S3.39 waiting for readiness: ends at once, an agent turn beside it is stopped as well', () => {
    const lab = new TurnLab().agent();
    lab.prompt();
    lab.prompt();
    expect(lab.cancel()).toEqual([
      'withdrawAsks',
      'end p2 cancelled sessionCancelled',
      'end p1 cancelled sessionCancelled',
      'interrupt a1',
    ]);
    expect(lab.phase).toBe('agent');
    expect(lab.ready(1)).toEqual([]);
  });

  test('S3.111 waiting for the end of an agent turn: ends at once, nothing is started after it', () => {
    const lab = new TurnLab().agent();
    lab.prompt('compact');
    lab.ready();
    expect(lab.cancel()).toEqual(['withdrawAsks', 'end p1 cancelled sessionCancelled', 'interrupt a1']);
    expect(lab.completed('a1', 'interrupted')).toEqual(['turnOver a1 interrupted', 'idle cancelled']);
  });

  test('S3.54 a local command beside an agent turn: both are stopped', () => {
    const lab = new TurnLab().agent().local();
    expect(lab.cancel()).toEqual([
      'withdrawAsks',
      'abortLocal',
      'interrupt a1',
      'end p1 cancelled sessionCancelled inserted',
      'idle cancelled',
      'began',
    ]);
    expect(lab.completed('a1', 'interrupted')).toEqual(['turnOver a1 interrupted', 'idle cancelled']);
  });

  test('R5 the start request is sent, then refused: cancelled, not an error', () => {
    const lab = new TurnLab().starting();
    lab.cancel();
    expect(lab.refused()).toEqual(['end p1 cancelled sessionCancelled', 'idle cancelled']);
  });

  test('S3.54 the start request is sent beside an agent turn: that turn is stopped, then ours when it is named', () => {
    const lab = new TurnLab().agent().starting();
    expect(lab.cancel()).toEqual(['withdrawAsks', 'interrupt a1']);
    lab.interrupted('a1');
    expect(lab.completed('a1', 'interrupted')).toEqual(['turnOver a1 interrupted']);
    expect(lab.accepted('t1')).toEqual(['idle cancelled', 'began', 'interrupt t1']);
    expect(lab.completed('t1', 'interrupted')).toEqual([
      'turnOver t1 interrupted',
      'end p1 cancelled sessionCancelled',
      'idle cancelled',
    ]);
  });

  test('S3.54 S3.60 the prompt joins the agent turn that was told to stop: it is told once', () => {
    const lab = new TurnLab().agent().starting();
    lab.cancel();
    expect(lab.accepted('a1')).toEqual(['began']);
    lab.interrupted('a1');
    expect(lab.completed('a1', 'interrupted')).toEqual([
      'turnOver a1 interrupted',
      'end p1 cancelled sessionCancelled',
      'idle cancelled',
    ]);
  });

  test('S3.54 an unnamed turn (compaction, goal): stopped when it begins', () => {
    const compact = new TurnLab().starting('compact');
    compact.cancel();
    compact.accepted(null);
    expect(compact.started('t1')).toEqual(['began', 'began', 'interrupt t1']);
    const goal = new TurnLab().starting('goal');
    goal.accepted(null, 'g1');
    goal.goal('g1');
    goal.cancel();
    expect(goal.started('t1')).toEqual(['began', 'began', 'stopWaiting goal', 'interrupt t1']);
    expect(goal.completed('t1', 'interrupted')).toEqual([
      'turnOver t1 interrupted',
      'end p1 cancelled sessionCancelled inserted',
      'idle cancelled',
    ]);
  });

  test('S3.54 R14 a review: its child C is interrupted, its completion is for P', () => {
    const lab = new TurnLab().reviewing();
    expect(lab.cancel()).toEqual(['withdrawAsks', 'interrupt C']);
    expect(lab.completed('P', 'interrupted')).toEqual([
      'turnOver P interrupted',
      'end p1 cancelled sessionCancelled inserted',
      'idle cancelled',
    ]);
  });

  test('S3.54 a compaction: its turn is interrupted', () => {
    const lab = new TurnLab().starting('compact');
    lab.accepted(null);
    lab.started('t1');
    lab.compacts('t1');
    expect(lab.cancel()).toEqual(['withdrawAsks', 'interrupt t1']);
    expect(lab.completed('t1', 'interrupted').slice(-2)).toEqual([
      'end p1 cancelled sessionCancelled inserted',
      'idle cancelled',
    ]);
  });

  test('R6 draining: too late for the work, but what waits is rejected and a turn beside it is stopped', () => {
    const lab = new TurnLab().draining();
    lab.prompt();
    lab.started('a1');
    expect(lab.cancel()).toEqual(['withdrawAsks', 'end p2 cancelled sessionCancelled', 'interrupt a1']);
    expect(lab.send({ type: 'reported', attempt: 1 })).toEqual(['end p1 done inserted', 'idle done', 'began']);
    expect(lab.completed('a1', 'interrupted')).toEqual(['turnOver a1 interrupted', 'idle cancelled']);
  });

  test('S3.54 plan review beside an agent turn: that turn is stopped as well', () => {
    const lab = new TurnLab().planReview();
    lab.started('a1');
    expect(lab.cancel()).toEqual([
      'withdrawAsks',
      'interrupt a1',
      'end p1 cancelled sessionCancelled inserted',
      'idle cancelled',
      'began',
    ]);
  });

  test('S3.51 running beside another turn: both are stopped', () => {
    const lab = new TurnLab().running();
    lab.started('a1');
    expect(lab.cancel()).toEqual(['withdrawAsks', 'interrupt a1', 'interrupt t1']);
  });

  test('S3.58 nothing runs: what waits for the user is withdrawn all the same', () => {
    expect(new TurnLab().cancel()).toEqual(['withdrawAsks']);
  });

  test('R9 with a queue: one rejection each, one idle', () => {
    const lab = new TurnLab().running();
    for (let count = 0; count < 3; count += 1) lab.prompt();
    const effects = [...lab.cancel(), ...lab.completed('t1', 'interrupted')];
    expect(effects.filter((effect) => effect.startsWith('end'))).toHaveLength(4);
    expect(effects.filter((effect) => effect.startsWith('idle'))).toEqual(['idle cancelled']);
    expect(effects.filter((effect) => effect.startsWith('prepare'))).toEqual([]);
  });

  test('S3.53 R8 a prompt after the cancel is new work: it runs when the cancelled one has ended', () => {
    const lab = new TurnLab().running();
    lab.cancel();
    expect(lab.prompt()).toEqual([]);
    expect(lab.completed('t1', 'interrupted').at(-1)).toBe('prepare p2#2');
    lab.ready();
    expect(lab.accepted('t2')).toEqual(['began']);
    expect(lab.work).toMatchObject({ phase: 'running', cancelled: null, stop: null });
  });
});

describe('S3.59 `$/cancel_request`', () => {
  test('of a queued prompt: settled at once, the others and the holder stay', () => {
    const make: (() => TurnLab)[] = [
      () => new TurnLab().starting(),
      () => new TurnLab().running(),
      () => new TurnLab().planReview(),
      () => new TurnLab().draining(),
      () => new TurnLab().local(),
    ];
    for (const lab of make.map((create) => create())) {
      const phase = lab.phase;
      lab.prompt();
      lab.prompt();
      for (const by of ['request', 'session'] as const) {
        const [promptId] = lab.waiting;
        expect(lab.cancelPrompt(promptId ?? '', by)).toEqual([`end ${promptId} cancelled requestCancelled`]);
      }
      expect(lab.phase).toBe(phase);
      expect(lab.waiting).toEqual([]);
    }
  });

  test('of an unknown prompt or one that ended: nothing', () => {
    for (const lab of [new TurnLab(), new TurnLab().agent(), new TurnLab().running(), new TurnLab().local()]) {
      expect(lab.cancelPrompt('other', 'request')).toEqual([]);
      expect(lab.cancelPrompt('other', 'session')).toEqual([]);
    }
  });

  test('of a prompt whose readiness is awaited: the agent turn goes on', () => {
    const lab = new TurnLab().agent();
    lab.prompt('review');
    lab.ready();
    expect(lab.cancelPrompt('p1', 'request')).toEqual(['end p1 cancelled requestCancelled', 'began']);
    expect(lab.work).toEqual({ phase: 'agent', agent: { turnId: 'a1', stop: null } });
  });

  test('R10 on v2 before insertion: the turn is interrupted, and its message is not shown any more', () => {
    const lab = new TurnLab().registering();
    expect(lab.cancelPrompt('p1', 'request')).toEqual(['withdrawAsks', 'interrupt t1']);
    expect(lab.landed('p1')).toEqual([]);
    expect(lab.completed('t1', 'interrupted')).toEqual([
      'turnOver t1 interrupted',
      'end p1 cancelled requestCancelled',
      'idle cancelled',
    ]);
  });

  test('R10 on v2 after insertion: no effect', () => {
    const lab = new TurnLab().running();
    expect(lab.cancelPrompt('p1', 'request')).toEqual([]);
    const command = new TurnLab().starting('compact');
    command.accepted(null);
    expect(command.cancelPrompt('p1', 'request')).toEqual([]);
  });

  test('S3.40v1 on v1 the active prompt is stopped, and queued ones are untouched', () => {
    const lab = new TurnLab().running();
    lab.prompt();
    expect(lab.cancelPrompt('p1', 'session')).toEqual(['withdrawAsks', 'interrupt t1']);
    expect(lab.waiting).toEqual(['p2']);
    expect(lab.completed('t1', 'interrupted')).toEqual([
      'turnOver t1 interrupted',
      'end p1 cancelled sessionCancelled inserted',
      'idle cancelled',
      'prepare p2#2',
    ]);
  });

  test('a turn that the prompt only joined goes on as the agent turn (v2)', () => {
    const known = new TurnLab().agent().starting();
    known.accepted('a1');
    expect(known.cancelPrompt('p1', 'request')).toEqual([
      'withdrawAsks but a1',
      'end p1 cancelled requestCancelled',
      'began',
    ]);
    expect(known.work).toEqual({ phase: 'agent', agent: { turnId: 'a1', stop: null } });
    const unknown = new TurnLab().agent().starting();
    expect(unknown.cancelPrompt('p1', 'request')).toEqual(['withdrawAsks but a1']);
    expect(unknown.accepted('a1')).toEqual(['began', 'end p1 cancelled requestCancelled', 'began']);
    expect(unknown.phase).toBe('agent');
  });

  test('S3.58 a turn that goes on beside keeps its asks; one that is stopped does not', () => {
    const goal = new TurnLab().agent().starting('goal');
    expect(goal.cancelPrompt('p1', 'session')[0]).toBe('withdrawAsks but a1');
    const joining = new TurnLab().agent().starting();
    expect(joining.cancelPrompt('p1', 'session')).toEqual(['withdrawAsks']);
    for (const lab of [new TurnLab().local(), new TurnLab().planReview(), new TurnLab().running()]) {
      lab.started('a1');
      expect(lab.cancelPrompt('p1', 'session')[0]).toBe('withdrawAsks but a1');
    }
    const stopped = new TurnLab().agent();
    stopped.cancel();
    stopped.starting();
    expect(stopped.cancelPrompt('p1', 'request')).not.toContain('withdrawAsks but a1');
  });

  test('a second one, and one after `session/cancel`, change nothing', () => {
    for (const lab of [new TurnLab().starting(), new TurnLab().registering()]) {
      lab.cancelPrompt('p1', 'request');
      expect(lab.cancelPrompt('p1', 'request')).toEqual([]);
    }
    for (const lab of [new TurnLab().starting(), new TurnLab().registering()]) {
      lab.cancel();
      expect(lab.cancelPrompt('p1', 'request')).toEqual([]);
      expect(lab.cancelPrompt('p1', 'session')).toEqual([]);
    }
  });
});

describe('S3.59 `$/cancel_request`, then `session/cancel`', () => {
  test('R10 the message of the prompt stays hidden', () => {
    const lab = new TurnLab().starting();
    lab.cancelPrompt('p1', 'request');
    expect(lab.cancel()).toEqual(['withdrawAsks']);
    expect(lab.landed('p1')).toEqual([]);
    expect(lab.accepted('t1')).toEqual(['began', 'interrupt t1']);
    expect(lab.completed('t1', 'interrupted').slice(-2)).toEqual([
      'end p1 cancelled requestCancelled',
      'idle cancelled',
    ]);
  });

  test('S3.57 an agent turn that the prompt joined is stopped by the second', () => {
    const lab = new TurnLab().agent().starting();
    lab.cancelPrompt('p1', 'request');
    expect(lab.cancel()).toEqual(['withdrawAsks', 'interrupt a1']);
    expect(lab.accepted('a1')).toEqual(['began', 'end p1 cancelled requestCancelled', 'began']);
    expect(lab.completed('a1', 'interrupted')).toEqual(['turnOver a1 interrupted', 'idle cancelled']);
  });
});

describe('S3 section 5.2: interrupt with retry', () => {
  function stopping(): TurnLab {
    const lab = new TurnLab().registering();
    lab.cancel();
    return lab;
  }

  test('S3.60 a repeated cancel sends no second interrupt, whatever became of the first', () => {
    for (const lab of [stopping(), new TurnLab().agent()]) {
      lab.cancel();
      expect(lab.cancel()).toEqual(['withdrawAsks']);
      lab.interrupted(lab.phase === 'agent' ? 'a1' : 't1');
      expect(lab.cancel()).toEqual(['withdrawAsks']);
    }
    const waiting = stopping();
    waiting.notInterrupted('t1', unregistered);
    expect(waiting.cancel()).toEqual(['withdrawAsks']);
  });

  test('S3.61 five retries, after 25, 50, 100, 200 and 400 ms', () => {
    const lab = stopping();
    for (const delay of interruptDelays) {
      expect(lab.notInterrupted('t1', unregistered)).toEqual([`wait interrupt ${delay}`]);
      expect(lab.timer('interrupt')).toEqual(['interrupt t1']);
    }
    expect(lab.notInterrupted('t1', unregistered)).toEqual([]);
    expect(lab.timer('interrupt')).toEqual([]);
  });

  test('S3.61 another error ends the attempts', () => {
    const lab = stopping();
    expect(lab.notInterrupted('t1', refusedOtherwise)).toEqual([]);
    expect(lab.timer('interrupt')).toEqual([]);
    expect(lab.started('t1')).toEqual([]);
  });

  test('S3.61 a mismatch about another id than the one we asked for ends them as well', () => {
    const lab = stopping();
    expect(lab.notInterrupted('t1', mismatch('t0', 'b'))).toEqual([]);
    expect(lab.timer('interrupt')).toEqual([]);
  });

  test('S3.61 R14 a mismatch: the id that runs is interrupted next', () => {
    const lab = new TurnLab().starting('review');
    lab.accepted('P');
    expect(lab.cancel()).toEqual(['withdrawAsks', 'interrupt P']);
    expect(lab.notInterrupted('P', mismatch('P', 'C'))).toEqual(['wait interrupt 25']);
    expect(lab.timer('interrupt')).toEqual(['interrupt C']);
    expect(lab.interrupted('C')).toEqual([]);
  });

  test('S3.61 R14 the id that began last goes before the one of a mismatch', () => {
    const lab = new TurnLab().starting('review');
    lab.accepted('P');
    lab.cancel();
    lab.notInterrupted('P', mismatch('P', 'B'));
    lab.started('C', 'P');
    expect(lab.timer('interrupt')).toEqual(['interrupt C']);
  });

  test('S3.62 results and timers of a turn that is over do not touch the next', () => {
    const lab = stopping();
    lab.notInterrupted('t1', unregistered);
    lab.prompt();
    expect(lab.completed('t1')).toContain('stopWaiting interrupt');
    lab.ready();
    lab.accepted('t2');
    expect(lab.timer('interrupt')).toEqual([]);
    expect(lab.interrupted('t1')).toEqual([]);
    expect(lab.notInterrupted('t1', unregistered)).toEqual([]);
    expect(lab.notInterrupted('t1', mismatch('t1', 't2'))).toEqual([]);
    expect(lab.work).toMatchObject({ phase: 'running', stop: null });
  });

  test('S3.63 an agent turn is told again, in every phase that it can run beside', () => {
    const make: (() => TurnLab)[] = [
      () => new TurnLab().agent(),
      () => {
        const lab = new TurnLab().agent();
        lab.cancel();
        lab.prompt();
        return lab;
      },
      () => new TurnLab().agent().starting(),
      () => {
        const lab = new TurnLab().draining();
        lab.started('a1');
        return lab;
      },
      () => {
        const lab = new TurnLab().running();
        lab.started('a1');
        return lab;
      },
    ];
    for (const lab of make.map((create) => create())) {
      lab.cancel();
      expect(lab.notInterrupted('a1', unregistered), lab.phase).toEqual(['wait interrupt 25']);
      expect(lab.timer('interrupt'), lab.phase).toEqual(['interrupt a1']);
      expect(lab.interrupted('a1'), lab.phase).toEqual([]);
    }
  });

  test('S3.64 the app-server is gone: the retry is called off', () => {
    const lab = stopping();
    lab.notInterrupted('t1', unregistered);
    expect(lab.lost()).toContain('stopWaiting interrupt');
    expect(lab.timer('interrupt')).toEqual([]);
  });

  test('S3.65 retries used up: the next `turn/started` or item tries once more', () => {
    for (const sign of ['started', 'active'] as const) {
      const lab = stopping();
      for (const _ of interruptDelays) {
        lab.notInterrupted('t1', unregistered);
        lab.timer('interrupt');
      }
      lab.notInterrupted('t1', unregistered);
      expect(lab[sign]('t1')).toEqual(['interrupt t1']);
      expect(lab[sign]('t1')).toEqual([]);
      expect(lab.notInterrupted('t1', unregistered)).toEqual([]);
      expect(lab.active('t1')).toEqual(['interrupt t1']);
    }
  });

  test('S3.65 the same for an agent turn, and a repeated cancel tries again', () => {
    const lab = new TurnLab().agent();
    lab.cancel();
    for (const _ of interruptDelays) {
      lab.notInterrupted('a1', unregistered);
      lab.timer('interrupt');
    }
    lab.notInterrupted('a1', unregistered);
    expect(lab.active('other')).toEqual([]);
    expect(lab.active('a1')).toEqual(['interrupt a1']);
    lab.notInterrupted('a1', unregistered);
    expect(lab.cancel()).toEqual(['withdrawAsks', 'interrupt a1']);
  });

  test('S12.6 a turn that goes on is told again with the id that it began with, and retried again', () => {
    const lab = new TurnLab().reviewing();
    lab.cancel();
    lab.interrupted('C');
    expect(lab.send({ type: 'insist' })).toEqual(['interrupt C']);
    expect(lab.notInterrupted('C', unregistered)).toEqual(['wait interrupt 25']);
    const agent = new TurnLab().agent();
    expect(agent.send({ type: 'insist' })).toEqual([]);
    agent.cancel();
    agent.interrupted('a1');
    expect(agent.send({ type: 'insist' })).toEqual(['interrupt a1']);
    expect(agent.phase).toBe('agent');
  });
});
