import { describe, expect, test } from 'vitest';
import { goalAsked, goalMatched, goalReported, goalTaken, goalTurn } from '../../../src/domain/turn/goal-start.ts';

describe('S3.119 the turn of a goal', () => {
  test('nothing is known before the answer', () => {
    const reported = goalReported(goalAsked, 'g1', 0);
    expect(goalMatched(reported)).toBe(false);
    expect(goalTurn(reported, ['t1'])).toBeNull();
  });

  test('it is the first that begins after the report of that goal', () => {
    const start = goalReported(goalTaken(goalAsked, 'g1'), 'g1', 1);
    expect(goalMatched(start)).toBe(true);
    expect(goalTurn(start, ['a1'])).toBeNull();
    expect(goalTurn(start, ['a1', 't1', 't2'])).toBe('t1');
  });

  test('a report of another goal does not count', () => {
    const start = goalReported(goalTaken(goalAsked, 'g1'), 'other', 0);
    expect(goalMatched(start)).toBe(false);
    expect(goalTurn(start, ['t1'])).toBeNull();
  });

  test('the report may come before the answer, and a repeated one changes nothing', () => {
    const once = goalReported(goalAsked, 'g1', 0);
    expect(goalReported(once, 'g1', 1)).toBe(once);
    expect(goalTurn(goalTaken(once, 'g1'), ['t1'])).toBe('t1');
  });
});
