import { describe, expect, test } from 'vitest';
import { interruptDelays } from '../../../src/domain/turn/interrupt.ts';
import { mismatch, refusedOtherwise, TurnLab, unregistered } from '../../support/turn-lab.ts';

const letGo = ['stopWaiting interrupt', 'stopWaiting close', 'turnOver all cancelled', 'idle cancelled', 'closed'];

describe('S3 section 5.3: close', () => {
  test('S3.67 the running turn is interrupted, its prompt ends without waiting for it, then the thread is released', () => {
    const lab = new TurnLab().running();
    lab.prompt();
    expect(lab.close()).toEqual([
      'withdrawAsks',
      'end p2 cancelled sessionClosed',
      'end p1 cancelled sessionClosed inserted',
      'interrupt t1',
      'wait close 5000',
    ]);
    expect(lab.interrupted('t1')).toEqual([]);
    expect(lab.completed('t1', 'interrupted')).toEqual(['release', 'wait close 5000']);
    expect(lab.send({ type: 'released' })).toEqual(letGo);
  });

  test('S3.67 T30 in every phase the holder ends as cancelled, once', () => {
    const cases: readonly (readonly [TurnLab, readonly string[]])[] = [
      [new TurnLab().agent(), []],
      [new TurnLab().starting(), ['end p1 cancelled sessionClosed']],
      [new TurnLab().registering(), ['end p1 cancelled sessionClosed']],
      [new TurnLab().local(), ['abortLocal', 'end p1 cancelled sessionClosed inserted']],
      [new TurnLab().planReview(), ['end p1 cancelled sessionClosed inserted']],
      [new TurnLab().switching(), ['end p1 cancelled sessionClosed inserted']],
      [new TurnLab().draining(), ['report p1 cancelled', 'end p1 done inserted']],
      [new TurnLab().starting('goal'), ['stopWaiting goal', 'end p1 cancelled sessionClosed']],
    ];
    for (const [lab, ends] of cases) {
      const phase = lab.phase;
      const rest = lab.close().filter((effect) => !/^(withdrawAsks|interrupt|wait|release)/.test(effect));
      expect(rest, phase).toEqual(ends);
      expect(lab.phase).toBe('closing');
    }
    const prep = new TurnLab();
    prep.prompt();
    expect(prep.close()).toEqual(['withdrawAsks', 'end p1 cancelled sessionClosed', 'release', 'wait close 5000']);
    expect(prep.ready()).toEqual([]);
  });

  test('S3.197 S3.198 a prompt that wants a report gets it as cancelled', () => {
    const cases = [
      new TurnLab().running('t1', true),
      new TurnLab().starting('turn', true),
      new TurnLab().planReview(true),
      new TurnLab().local(true),
    ];
    for (const lab of cases) expect(lab.close()).toContain('report p1 cancelled');
  });

  test('R13 during the drain of a finished turn: the result stays, one end', () => {
    const lab = new TurnLab().draining();
    lab.started('a1');
    expect(lab.close()).toEqual([
      'withdrawAsks',
      'report p1 cancelled',
      'end p1 done inserted',
      'interrupt a1',
      'wait close 5000',
    ]);
    expect(lab.send({ type: 'reported', attempt: 1 })).toEqual([]);
  });

  test('S3.67 an agent turn beside the work is stopped and awaited', () => {
    for (const lab of [new TurnLab().local(), new TurnLab().planReview()]) {
      lab.started('a1');
      expect(lab.close()).toContain('interrupt a1');
      expect(lab.completed('a1', 'interrupted')).toEqual(['release', 'wait close 5000']);
    }
  });

  test('S3.67 a review is interrupted with C and over with P', () => {
    const lab = new TurnLab().reviewing();
    expect(lab.close()).toContain('interrupt C');
    expect(lab.completed('P', 'interrupted')).toEqual(['release', 'wait close 5000']);
  });

  test('S3.67 S12.5 a later turn runs, though the end of ours was not told: that one is stopped and awaited', () => {
    const lab = new TurnLab().reviewing();
    lab.started('a1');
    expect(lab.close()).toEqual([
      'withdrawAsks',
      'end p1 cancelled sessionClosed inserted',
      'interrupt a1',
      'wait close 5000',
    ]);
    expect(lab.interrupted('a1')).toEqual([]);
    expect(lab.completed('a1', 'interrupted')).toEqual(['release', 'wait close 5000']);
  });

  test('S3.67 ours did not begin yet: it is told by its own id, for it may have joined the turn that runs', () => {
    const lab = new TurnLab().registering();
    lab.started('a1');
    expect(lab.close()).toContain('interrupt t1');
  });

  test('S3.66 a repeated close changes nothing', () => {
    for (const lab of [new TurnLab().closing(), new TurnLab().releasing(), new TurnLab().closed()]) {
      expect(lab.close()).toEqual([]);
    }
  });

  test('S3.67 a closing or closed session refuses prompts', () => {
    const refusal = 'cancelled sessionClosing';
    for (const lab of [new TurnLab().closing(), new TurnLab().releasing(), new TurnLab().closed()]) {
      const phase = lab.phase;
      expect(lab.prompt()).toEqual([`end ${phase === 'closing' && lab.attempt > 0 ? 'p2' : 'p1'} ${refusal}`]);
      expect(lab.phase).toBe(phase);
    }
  });

  test('S3.68 R11 a start on its way: its turn is interrupted when the id arrives, and awaited', () => {
    const lab = new TurnLab().starting();
    expect(lab.close()).toEqual(['withdrawAsks', 'end p1 cancelled sessionClosed', 'wait close 5000']);
    expect(lab.accepted('t1')).toEqual(['interrupt t1']);
    expect(lab.completed('t1', 'interrupted')).toEqual(['release', 'wait close 5000']);
  });

  test('S3.68 a start that is refused leaves nothing to wait for', () => {
    const lab = new TurnLab().starting();
    lab.close();
    expect(lab.refused(new Error('no'), 7)).toEqual([]);
    expect(lab.refused()).toEqual(['release', 'wait close 5000']);
  });

  test('S3.68 a turn that begins before its start is answered is stale from its beginning', () => {
    const lab = new TurnLab().starting();
    lab.close();
    expect(lab.started('t1')).toEqual(['interrupt t1']);
    expect(lab.accepted('t1')).toEqual([]);
    expect(lab.completed('t1', 'interrupted')).toEqual(['release', 'wait close 5000']);
  });

  test('S3.68 a start without a turn id (compaction, goal): its turn is awaited for a second', () => {
    const begun = new TurnLab().starting('compact');
    begun.close();
    expect(begun.accepted(null)).toEqual(['wait close 1000']);
    expect(begun.started('t1')).toEqual(['interrupt t1']);
    const silent = new TurnLab().starting('goal');
    silent.close();
    silent.accepted(null, 'g1');
    expect(silent.timer('close')).toEqual(['release', 'wait close 5000']);
  });

  test('S3.68 a turn that begins while the thread is released is interrupted, too', () => {
    const lab = new TurnLab().releasing();
    expect(lab.started('t1')).toEqual(['interrupt t1']);
    expect(lab.phase).toBe('closing');
  });

  test('S3.63 the interrupt of a close is retried', () => {
    const lab = new TurnLab().registering();
    lab.close();
    for (const delay of interruptDelays) {
      expect(lab.notInterrupted('t1', unregistered)).toEqual([`wait interrupt ${delay}`]);
      expect(lab.timer('interrupt')).toEqual(['interrupt t1']);
    }
    expect(lab.notInterrupted('t1', unregistered)).toEqual(['release', 'wait close 5000']);
  });

  test('S3.70 an interrupt that fails does not fail the close', () => {
    const lab = new TurnLab().closing();
    expect(lab.notInterrupted('t1', refusedOtherwise)).toEqual(['release', 'wait close 5000']);
    const renamed = new TurnLab().closing();
    expect(renamed.notInterrupted('t1', mismatch('t1', 'b'))).toEqual(['wait interrupt 25']);
    expect(renamed.timer('interrupt')).toEqual(['interrupt b']);
  });

  test('S3.70 a turn that does not end in five seconds is left, and a Codex that does not let go as well', () => {
    const lab = new TurnLab().closing();
    lab.interrupted('t1');
    expect(lab.timer('close')).toEqual(['release', 'wait close 5000']);
    expect(lab.timer('close')).toEqual(letGo);
    expect(lab.phase).toBe('closed');
  });

  test('S3.70 a dead app-server has nothing to release', () => {
    for (const lab of [new TurnLab().closing(), new TurnLab().starting(), new TurnLab().releasing()]) {
      lab.close();
      expect(lab.lost()).toEqual(letGo);
      expect(lab.send({ type: 'released' })).toEqual([]);
    }
  });

  test('S3.69 what else happens to a closing session means nothing', () => {
    const lab = new TurnLab().closing();
    expect(lab.cancel()).toEqual([]);
    expect(lab.cancelPrompt('p1', 'session')).toEqual([]);
    expect(lab.landed('p1')).toEqual([]);
    expect(lab.active('t1')).toEqual([]);
    expect(lab.completed('other')).toEqual([]);
    expect(lab.send({ type: 'released' })).toEqual([]);
    expect(lab.send({ type: 'notReleased', error: new Error('no') })).toEqual([]);
    expect(lab.timer('goal')).toEqual([]);
  });

  test('S3.60 R11 the start that was on its way joined the turn that was told to stop: it is told once', () => {
    const lab = new TurnLab().agent().starting();
    expect(lab.close()).toContain('interrupt a1');
    expect(lab.accepted('a1')).toEqual([]);
    expect(lab.completed('a1', 'interrupted')).toEqual(['release', 'wait close 5000']);
  });

  test('S3.68 a turn that begins beside the one that is awaited is interrupted as well', () => {
    const lab = new TurnLab().closing();
    expect(lab.started('t1')).toEqual([]);
    expect(lab.started('t2')).toEqual(['interrupt t2']);
    expect(lab.interrupted('t2')).toEqual([]);
    expect(lab.completed('t1', 'interrupted')).toEqual(['release', 'wait close 5000']);
  });

  test('S3.68 S3.114 the child of a review begins after the close: it is interrupted', () => {
    const lab = new TurnLab().starting('review');
    lab.accepted('P');
    expect(lab.close()).toContain('interrupt P');
    expect(lab.started('C', 'P')).toEqual(['interrupt C']);
    expect(lab.started('C', 'P')).toEqual([]);
    expect(lab.completed('P', 'interrupted')).toEqual(['release', 'wait close 5000']);
  });

  test('S3.68 S3.2 a start that is answered while the thread is released: its turn is told until Codex knows it', () => {
    const lab = new TurnLab().starting();
    lab.close();
    expect(lab.timer('close')).toEqual(['release', 'wait close 5000']);
    expect(lab.accepted('t1')).toEqual(['interrupt t1']);
    expect(lab.notInterrupted('t1', unregistered)).toEqual(['wait interrupt 25']);
    const ends = lab.send({ type: 'released' });
    expect(ends).toContain('closed');
    expect(ends).not.toContain('stopWaiting interrupt');
    expect(lab.timer('interrupt')).toEqual(['interrupt t1']);
    expect(lab.interrupted('t1')).toEqual([]);
    expect(lab.timer('interrupt')).toEqual([]);
  });

  test('S3.68 S3.2 the same when the session is closed: nothing but interrupts follows', () => {
    const lab = new TurnLab().starting();
    lab.close();
    lab.timer('close');
    lab.send({ type: 'released' });
    expect(lab.accepted(null)).toEqual([]);
    expect(lab.accepted('t1')).toEqual(['interrupt t1']);
    for (const delay of interruptDelays) {
      expect(lab.notInterrupted('t1', unregistered)).toEqual([`wait interrupt ${delay}`]);
      expect(lab.timer('interrupt')).toEqual(['interrupt t1']);
    }
    expect(lab.notInterrupted('t1', unregistered)).toEqual([]);
    expect(lab.started('t1')).toEqual([]);
    expect(lab.completed('t1')).toEqual([]);
  });

  test('S3.64 the app-server dies after the close: nothing is told any more', () => {
    const lab = new TurnLab().starting();
    lab.close();
    lab.timer('close');
    lab.send({ type: 'released' });
    lab.accepted('t1');
    lab.notInterrupted('t1', unregistered);
    expect(lab.lost()).toEqual(['stopWaiting interrupt']);
    expect(lab.timer('interrupt')).toEqual([]);
  });
});
