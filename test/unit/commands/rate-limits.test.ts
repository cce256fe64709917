import { describe, expect, it } from 'vitest';
import type { RateLimit } from '../../../src/domain/usage/rate-limit.ts';
import { mergeRateLimit, readRateLimits } from '../../../src/domain/usage/rate-limits.ts';

function limit(overrides: Partial<RateLimit> = {}): RateLimit {
  return {
    limitId: null,
    limitName: null,
    primary: null,
    secondary: null,
    credits: null,
    individualLimit: null,
    spendControlReached: null,
    planType: null,
    ...overrides,
  };
}

const window = { usedPercent: 10, minutes: 300, resetsAt: null };
const kept = {
  credits: { unlimited: false, balance: '5' },
  individualLimit: { limit: '10', used: '1', remainingPercent: 90, resetsAt: 1 },
  spendControlReached: true,
  planType: 'plus',
};

describe('S3.165 updates of limits', () => {
  it('a new snapshot wins, but what it does not tell stays', () => {
    const known = [limit({ limitId: 'codex', limitName: 'Codex', primary: window, secondary: window, ...kept })];
    const update = limit({ limitId: 'codex', primary: { ...window, usedPercent: 50 } });
    expect(mergeRateLimit(known, update)).toEqual([
      { limitId: 'codex', limitName: 'Codex', primary: { ...window, usedPercent: 50 }, secondary: null, ...kept },
    ]);
  });

  it('what it tells replaces what was known', () => {
    const known = [limit({ limitId: 'codex', limitName: 'Codex', ...kept })];
    const update = limit({
      limitId: 'codex',
      limitName: 'New',
      credits: { unlimited: true, balance: null },
      individualLimit: { limit: '20', used: '2', remainingPercent: 80, resetsAt: 2 },
      spendControlReached: false,
      planType: 'pro',
    });
    expect(mergeRateLimit(known, update)).toEqual([update]);
  });

  it('a limit without id is `codex`', () => {
    const known = [limit({ limitId: 'codex', primary: window })];
    expect(mergeRateLimit(known, limit({ secondary: window }))).toEqual([
      limit({ limitId: 'codex', limitName: 'codex', secondary: window }),
    ]);
  });

  it('limits are told apart by id and keep their order; the name of a new one is its id', () => {
    const known = [limit({ limitId: 'a', limitName: 'A' }), limit({ limitId: 'b', limitName: 'B' })];
    const updated = mergeRateLimit(mergeRateLimit(known, limit({ limitId: 'c' })), limit({ limitId: 'a' }));
    expect(updated.map((one) => [one.limitId, one.limitName])).toEqual([
      ['a', 'A'],
      ['b', 'B'],
      ['c', 'c'],
    ]);
  });

  it('the known value is not changed', () => {
    const known = [limit({ limitId: 'codex', primary: window })];
    mergeRateLimit(known, limit({ limitId: 'codex' }));
    expect(known).toEqual([limit({ limitId: 'codex', primary: window })]);
  });

  it('a full read stands alone', () => {
    expect(readRateLimits([limit({ primary: window }), limit({ limitId: 'b', limitName: 'B' })])).toEqual([
      limit({ limitId: 'codex', limitName: 'codex', primary: window }),
      limit({ limitId: 'b', limitName: 'B' }),
    ]);
  });
});
