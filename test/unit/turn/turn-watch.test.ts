import { describe, expect, test } from 'vitest';
import type { Completion } from '../../../src/domain/turn/turn-state.ts';
import {
  cancelLimitMs,
  observe,
  type Watch,
  type WatchEffect,
  type WatchInput,
  watchOff,
  witnessLimitMs,
} from '../../../src/domain/turn/turn-watch.ts';

const done: Completion = { status: 'completed', error: null };
const failed: Completion = { status: 'failed', error: { message: 'quota', info: null, details: null } };
const running: Completion = { status: 'inProgress', error: null };

class Watching {
  watch: Watch = watchOff;

  send(input: WatchInput): string[] {
    const { watch, effects } = observe(this.watch, input);
    this.watch = watch;
    return effects.map(word);
  }

  witness(turnId = 't1', outcome = done): string[] {
    return this.send({ type: 'witness', turnId, outcome });
  }

  stopping(turnId: string | null = 't1'): string[] {
    return this.send({ type: 'stopping', turnId });
  }

  timer(): string[] {
    return this.send({ type: 'timer' });
  }

  recorded(completion: Completion | null, turnId = 't1'): string[] {
    return this.send({ type: 'recorded', turnId, completion });
  }
}

function word(effect: WatchEffect): string {
  switch (effect.type) {
    case 'wait':
      return `wait ${effect.ms}`;
    case 'read':
      return `read ${effect.turnId}`;
    case 'complete':
      return `complete ${effect.turnId} ${effect.completion.status}`;
    case 'insist':
    case 'replaceCodex':
    case 'stopWaiting':
      return effect.type;
  }
}

describe('S12.5 a witness says that the turn is over', () => {
  test('after 2 s Codex is asked, and what it recorded ends the turn', () => {
    for (const record of [done, failed, { status: 'interrupted', error: null } as const]) {
      const watching = new Watching();
      expect(watching.witness()).toEqual([`wait ${witnessLimitMs}`]);
      expect(watching.timer()).toEqual(['read t1', `wait ${cancelLimitMs}`]);
      expect(watching.recorded(record)).toEqual(['stopWaiting', `complete t1 ${record.status}`]);
      expect(watching.watch).toEqual(watchOff);
    }
  });

  test('nothing recorded, or no answer: it ends as the witness says', () => {
    const nothing = new Watching();
    nothing.witness('t1', failed);
    nothing.timer();
    expect(nothing.recorded(null)).toEqual(['stopWaiting', 'complete t1 failed']);
    const silent = new Watching();
    silent.witness();
    silent.timer();
    expect(silent.timer()).toEqual(['stopWaiting', 'complete t1 completed']);
    expect(silent.recorded(done)).toEqual([]);
  });

  test('recorded as running: the witness was wrong', () => {
    const watching = new Watching();
    watching.witness();
    watching.timer();
    expect(watching.recorded(running)).toEqual(['stopWaiting']);
    expect(watching.watch).toEqual(watchOff);
  });

  test('the thread works again, or the completion came: nothing is read', () => {
    for (const input of ['active', 'over'] as const) {
      const watching = new Watching();
      watching.witness();
      expect(watching.send({ type: input })).toEqual(['stopWaiting']);
      expect(watching.timer()).toEqual([]);
    }
  });

  test('the completion came while Codex was asked: what it recorded changes nothing', () => {
    const watching = new Watching();
    watching.witness();
    watching.timer();
    expect(watching.send({ type: 'over' })).toEqual(['stopWaiting']);
    expect(watching.recorded(done)).toEqual([]);
  });

  test('the record of another turn changes nothing', () => {
    const watching = new Watching();
    watching.witness();
    watching.timer();
    expect(watching.recorded(done, 't0')).toEqual([]);
  });

  test('a second witness does not prolong the wait', () => {
    const watching = new Watching();
    watching.witness();
    expect(watching.witness()).toEqual([]);
    watching.timer();
    expect(watching.witness()).toEqual([]);
  });

  test('silence is no witness', () => {
    const watching = new Watching();
    expect(watching.timer()).toEqual([]);
    expect(watching.send({ type: 'active' })).toEqual([]);
    expect(watching.send({ type: 'over' })).toEqual([]);
    expect(watching.recorded(done)).toEqual([]);
  });
});

describe('S12.6 a cancel is bounded', () => {
  test('5 s without an end: Codex is asked, and what it recorded ends the turn', () => {
    const watching = new Watching();
    expect(watching.stopping()).toEqual([`wait ${cancelLimitMs}`]);
    expect(watching.stopping()).toEqual([]);
    expect(watching.timer()).toEqual(['read t1', `wait ${cancelLimitMs}`]);
    expect(watching.recorded(done)).toEqual(['stopWaiting', 'complete t1 completed']);
  });

  test('nothing recorded: interrupted', () => {
    const watching = new Watching();
    watching.stopping();
    watching.timer();
    expect(watching.recorded(null)).toEqual(['stopWaiting', 'complete t1 interrupted']);
  });

  test('no answer in 5 s more: Codex is replaced', () => {
    const watching = new Watching();
    watching.stopping();
    watching.timer();
    expect(watching.timer()).toEqual(['replaceCodex']);
    expect(watching.watch).toEqual(watchOff);
  });

  test('the turn goes on: interrupted again, and Codex is replaced after the third round', () => {
    const watching = new Watching();
    watching.stopping();
    for (let round = 0; round < 2; round += 1) {
      watching.timer();
      expect(watching.recorded(running)).toEqual([`wait ${cancelLimitMs}`, 'insist']);
    }
    watching.timer();
    expect(watching.recorded(running)).toEqual(['stopWaiting', 'replaceCodex']);
  });

  test('a witness shortens the wait', () => {
    const watching = new Watching();
    watching.stopping();
    expect(watching.witness()).toEqual([`wait ${witnessLimitMs}`]);
    expect(watching.send({ type: 'active' })).toEqual([]);
    expect(watching.timer()).toEqual(['read t1', `wait ${cancelLimitMs}`]);
  });

  test('a witness of another turn does not count', () => {
    const watching = new Watching();
    watching.stopping();
    expect(watching.witness('t2')).toEqual([]);
    expect(watching.timer()).toEqual(['read t1', `wait ${cancelLimitMs}`]);
  });

  test('a turn that a witness called over is stopped: it is bounded as a cancel from then on', () => {
    const waiting = new Watching();
    waiting.witness();
    expect(waiting.stopping()).toEqual([]);
    expect(waiting.send({ type: 'active' })).toEqual([]);
    expect(waiting.timer()).toEqual(['read t1', `wait ${cancelLimitMs}`]);
    expect(waiting.recorded(running)).toEqual([`wait ${cancelLimitMs}`, 'insist']);
    const reading = new Watching();
    reading.witness();
    reading.timer();
    expect(reading.stopping()).toEqual([]);
    expect(reading.timer()).toEqual(['replaceCodex']);
  });

  test('a start that Codex does not answer: nothing to read, replaced after 10 s', () => {
    const watching = new Watching();
    watching.stopping(null);
    expect(watching.timer()).toEqual([`wait ${cancelLimitMs}`]);
    expect(watching.timer()).toEqual(['replaceCodex']);
  });
});
