import { describe, expect, test } from 'vitest';
import type { SteerRefusal } from '../../../src/domain/turn/steer-refusal.ts';
import { noSteers, type SteerEffect, type SteerTarget, steer, steerTarget } from '../../../src/domain/turn/steering.ts';
import { TurnLab } from '../../support/turn-lab.ts';

const pending: SteerTarget = { type: 'pending' };
const none: SteerTarget = { type: 'none' };
const closing: SteerTarget = { type: 'closing' };
const turn = (turnId: string): SteerTarget => ({ type: 'turn', turnId });
const gone: SteerRefusal = { type: 'noActiveTurn' };

/** The steers of a session whose work the test names. */
class Steers {
  state = noSteers;
  target: SteerTarget;

  constructor(target: SteerTarget) {
    this.target = target;
  }

  take(steerId: string, promptRequired = false): string[] {
    return this.#step({ type: 'steer', steer: { steerId, promptRequired } });
  }

  now(target: SteerTarget): string[] {
    this.target = target;
    return this.#step({ type: 'work' });
  }

  taken(steerId: string): string[] {
    return this.#step({ type: 'taken', steerId });
  }

  refused(steerId: string, refusal: SteerRefusal): string[] {
    return this.#step({ type: 'refused', steerId, refusal });
  }

  begun(steerId: string): string[] {
    return this.#step({ type: 'begun', steerId });
  }

  cancel(): string[] {
    return this.#step({ type: 'cancel' });
  }

  #step(input: Parameters<typeof steer>[1]): string[] {
    const { state, effects } = steer(this.state, input, this.target);
    this.state = state;
    return effects.map(word);
  }
}

function word(effect: SteerEffect): string {
  switch (effect.type) {
    case 'send':
      return `send ${effect.steerId} ${effect.turnId}`;
    case 'settle':
      return [`${effect.steerId} ${effect.outcome}`, effect.turnId ?? []].flat().join(' ');
    case 'newTurn':
      return `newTurn ${effect.steerId}`;
    case 'refuse':
      return `refuse ${effect.steerId} ${effect.reason}`;
    case 'lose':
      return `lose ${effect.steerId}`;
  }
}

describe('S3 section 9: steers of one session', () => {
  test('S3.141 a running turn takes it: injected', () => {
    const steers = new Steers(turn('t1'));
    expect(steers.take('s1')).toEqual(['send s1 t1']);
    expect(steers.taken('s1')).toEqual(['s1 injected t1']);
  });

  test('S3.141 one at a time, in order', () => {
    const steers = new Steers(turn('t1'));
    steers.take('s1');
    expect(steers.take('s2')).toEqual([]);
    expect(steers.take('s3')).toEqual([]);
    expect(steers.taken('s1')).toEqual(['s1 injected t1', 'send s2 t1']);
    expect(steers.refused('s2', gone)).toEqual(['newTurn s2']);
    expect(steers.now(none)).toEqual([]);
    steers.target = turn('t2');
    expect(steers.begun('s2')).toEqual(['send s3 t2']);
  });

  test('S3.141 behind a turn of its own: the next goes into that turn, or on without it when it never began', () => {
    const steers = new Steers(none);
    expect(steers.take('s1')).toEqual(['newTurn s1']);
    expect([...steers.take('s2', true), ...steers.take('s3'), ...steers.begun('s2')]).toEqual([]);
    expect(steers.begun('s1')).toEqual(['s2 promptRequired', 'newTurn s3']);
    expect(steers.begun('s3')).toEqual([]);
    expect(steers.state).toEqual(noSteers);
  });

  test('S3.144 a cancel leaves the place in the lane to the lane, and refuses what waits behind it', () => {
    const steers = new Steers(none);
    steers.take('s1');
    steers.take('s2');
    expect(steers.cancel()).toEqual(['refuse s2 cancelled']);
    expect(steers.take('s3')).toEqual([]);
    expect(steers.begun('s1')).toEqual(['newTurn s3']);
  });

  test('S3.141 nothing runs: a turn of its own, or the client keeps it', () => {
    expect(new Steers(none).take('s1')).toEqual(['newTurn s1']);
    expect(new Steers(none).take('s1', true)).toEqual(['s1 promptRequired']);
    expect(new Steers(closing).take('s1')).toEqual(['refuse s1 closing']);
    expect(new Steers(closing).take('s1', true)).toEqual(['refuse s1 closing']);
  });

  test('S3.142 R17 a start is pending: it waits for the id, then it is sent', () => {
    const steers = new Steers(pending);
    expect(steers.take('s1')).toEqual([]);
    expect(steers.take('s2')).toEqual([]);
    expect(steers.now(pending)).toEqual([]);
    expect(steers.now(turn('t1'))).toEqual(['send s1 t1']);
    expect(steers.now(turn('t1'))).toEqual([]);
  });

  test('S3.142 R17 the start comes to nothing: what waited goes on without a turn', () => {
    const steers = new Steers(pending);
    steers.take('s1', true);
    steers.take('s2');
    expect(steers.now(none)).toEqual(['s1 promptRequired', 'newTurn s2']);
  });

  test('S3.67 the session closes while it waits: refused', () => {
    const steers = new Steers(pending);
    steers.take('s1');
    expect(steers.now(closing)).toEqual(['refuse s1 closing']);
  });

  test('S3.143 Codex refuses for another reason while the same turn is current: failed', () => {
    const steers = new Steers(turn('t1'));
    steers.take('s1');
    expect(steers.refused('s1', { type: 'other' })).toEqual(['s1 failed']);
  });

  test('S3.25 the turn takes no image: refused, also when the client would keep it, and the next is sent', () => {
    const steers = new Steers(turn('t1'));
    steers.take('s1', true);
    steers.take('s2');
    expect(steers.refused('s1', { type: 'image' })).toEqual(['refuse s1 image', 'send s2 t1']);
  });

  test('S3.143 R16 another turn is current by then: treated as idle', () => {
    for (const target of [turn('t2'), none, pending]) {
      const steers = new Steers(turn('t1'));
      steers.take('s1');
      steers.now(target);
      expect(steers.refused('s1', { type: 'other' })).toEqual(['newTurn s1']);
      const kept = new Steers(turn('t1'));
      kept.take('s1', true);
      kept.now(target);
      expect(kept.refused('s1', { type: 'other' })).toEqual(['s1 promptRequired']);
    }
  });

  test('S3.143 R16 the turn is over for Codex: a turn of its own, or the client keeps it', () => {
    const steers = new Steers(turn('t1'));
    steers.take('s1');
    expect(steers.refused('s1', gone)).toEqual(['newTurn s1']);
    const kept = new Steers(turn('t1'));
    kept.take('s1', true);
    expect(kept.refused('s1', gone)).toEqual(['s1 promptRequired']);
    const closed = new Steers(turn('t1'));
    closed.take('s1');
    closed.now(closing);
    expect(closed.refused('s1', gone)).toEqual(['refuse s1 closing']);
  });

  test('S3.143 a mismatch: sent once more with the id that runs, then treated as idle', () => {
    const steers = new Steers(turn('t1'));
    steers.take('s1');
    expect(steers.refused('s1', { type: 'mismatch', expected: 't1', found: 't2' })).toEqual(['send s1 t2']);
    expect(steers.taken('s1')).toEqual(['s1 injected t2']);
    const twice = new Steers(turn('t1'));
    twice.take('s1');
    twice.refused('s1', { type: 'mismatch', expected: 't1', found: 't2' });
    expect(twice.refused('s1', { type: 'mismatch', expected: 't2', found: 't3' })).toEqual(['newTurn s1']);
  });

  test('S3.144 a cancel refuses what waits; what was sent may still land', () => {
    const steers = new Steers(turn('t1'));
    steers.take('s1');
    steers.take('s2');
    expect(steers.cancel()).toEqual(['refuse s2 cancelled']);
    expect(steers.taken('s1')).toEqual(['s1 injected t1']);
    const waiting = new Steers(pending);
    waiting.take('s1');
    waiting.take('s2');
    expect(waiting.cancel()).toEqual(['refuse s1 cancelled', 'refuse s2 cancelled']);
    expect(waiting.now(none)).toEqual([]);
  });

  test('S3.144 C011 what was sent before a cancel starts no turn of its own', () => {
    for (const refusal of [gone, { type: 'other' }, { type: 'mismatch', expected: 't1', found: 't2' }] as const) {
      const steers = new Steers(turn('t1'));
      steers.take('s1');
      steers.cancel();
      expect(steers.refused('s1', refusal)).toEqual(['refuse s1 cancelled']);
    }
  });

  test('S3.144 a steer after the cancel is new', () => {
    const steers = new Steers(turn('t1'));
    steers.take('s1');
    steers.cancel();
    steers.take('s2');
    steers.now(none);
    expect(steers.refused('s1', gone)).toEqual(['refuse s1 cancelled', 'newTurn s2']);
  });

  test('S3.141 results of a steer that is settled change nothing', () => {
    const steers = new Steers(turn('t1'));
    steers.take('s1');
    steers.taken('s1');
    expect(steers.taken('s1')).toEqual([]);
    expect(steers.refused('s1', gone)).toEqual([]);
    steers.take('s2');
    expect(steers.refused('s1', gone)).toEqual([]);
    expect(steers.taken('s1')).toEqual([]);
  });
});

describe('S3.142 the turn that a steer goes to', () => {
  test('the running turn, once it is registered', () => {
    expect(steerTarget(new TurnLab().registering().work)).toEqual(pending);
    expect(steerTarget(new TurnLab().running().work)).toEqual(turn('t1'));
    expect(steerTarget(new TurnLab().reviewing().work)).toEqual(turn('P'));
  });

  test('an agent turn, also beside work that runs none itself', () => {
    expect(steerTarget(new TurnLab().agent().work)).toEqual(turn('a1'));
    const prep = new TurnLab().agent();
    prep.prompt();
    expect(steerTarget(prep.work)).toEqual(turn('a1'));
    for (const lab of [new TurnLab().local(), new TurnLab().planReview(), new TurnLab().draining()]) {
      expect(steerTarget(lab.work)).toEqual(none);
      lab.started('a1');
      expect(steerTarget(lab.work)).toEqual(turn('a1'));
    }
  });

  test('a start is pending, and so is the end of a turn that is being stopped', () => {
    const prep = new TurnLab();
    prep.prompt();
    expect(steerTarget(prep.work)).toEqual(pending);
    expect(steerTarget(new TurnLab().starting().work)).toEqual(pending);
    expect(steerTarget(new TurnLab().switching().work)).toEqual(pending);
    const stopping = new TurnLab().running();
    stopping.cancel();
    expect(steerTarget(stopping.work)).toEqual(pending);
    const agent = new TurnLab().agent();
    agent.cancel();
    expect(steerTarget(agent.work)).toEqual(pending);
    agent.prompt();
    expect(steerTarget(agent.work)).toEqual(pending);
  });

  test('nothing runs, or the session closes', () => {
    expect(steerTarget(new TurnLab().work)).toEqual(none);
    for (const lab of [new TurnLab().closing(), new TurnLab().releasing(), new TurnLab().closed()]) {
      expect(steerTarget(lab.work)).toEqual(closing);
    }
  });
});
