import { describe, expect, it } from 'vitest';
import { accountText } from '../../../src/domain/account/account-text.ts';
import { type StatusFacts, statusText } from '../../../src/domain/commands/status-text.ts';
import type { TokenBreakdown } from '../../../src/domain/thread/thread-event.ts';
import type { RateLimit, RateLimitWindow } from '../../../src/domain/usage/rate-limit.ts';
import { FakeSessionContext } from '../../support/fake-session-context.ts';

const settings = new FakeSessionContext().current;
const now = Date.UTC(2026, 2, 9, 22, 30);

function facts(overrides: Partial<StatusFacts> = {}): StatusFacts {
  return {
    sessionId: 'thread-1',
    settings,
    account: 'not logged in',
    usage: null,
    limits: [],
    clock: { now, minutesAheadOfUtc: () => 0 },
    ...overrides,
  };
}

function tokens(overrides: Partial<TokenBreakdown> = {}): TokenBreakdown {
  return {
    totalTokens: 0,
    inputTokens: 0,
    cachedInputTokens: 0,
    cacheWriteInputTokens: 0,
    outputTokens: 0,
    reasoningOutputTokens: 0,
    ...overrides,
  };
}

function limit(overrides: Partial<RateLimit> = {}): RateLimit {
  return {
    limitId: 'codex',
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

function line(start: string, of: Partial<StatusFacts>): string | undefined {
  return statusText(facts(of))
    .split('  \n')
    .find((one) => one.startsWith(start));
}

/** The lines about limits, at 22:30 on 9 March 2026 where the user is. */
function limitLines(limits: readonly RateLimit[], minutesAhead = 0): string[] {
  const clock = { now: now - minutesAhead * 60_000, minutesAheadOfUtc: () => minutesAhead };
  return statusText(facts({ limits, clock })).split('  \n').slice(9);
}

describe('/status', () => {
  it('S2.119 shows the session, its login, tokens and limits', () => {
    const usage = {
      total: tokens({ totalTokens: 1500, inputTokens: 1200, cachedInputTokens: 200, outputTokens: 300 }),
      last: tokens({ totalTokens: 900 }),
      contextWindow: 258_400,
    };
    const limits = [limit({ primary: { usedPercent: 25, minutes: 300, resetsAt: null } })];
    expect(statusText(facts({ account: 'API key configured', usage, limits }))).toBe(
      [
        '**Model:** gpt-test[low]  ',
        '**Directory:** /w  ',
        '**Approval:** on-request  ',
        '**Sandbox:** workspace-write  ',
        '**Account:** API key configured  ',
        '**Session:** `thread-1`  ',
        '  ',
        '**Token usage:** 1.5K total  (1.0K input + 200 cached input, 300 output)  ',
        '**Context window:** 0% used (900 used / 258.4K)  ',
        '**codex 5h limit:** 75% left',
      ].join('\n'),
    );
  });

  it('S2.119, S2.121, S2.122 says what is not known yet', () => {
    const text = statusText(facts());
    expect(text).toContain('**Token usage:** data not available yet  \n**Context window:** data not available yet  \n');
    expect(text.endsWith('**Limits:** data not available yet')).toBe(true);
  });

  it.each([
    ['read-only', 'on-request', 'read-only'],
    ['workspace-write', 'on-request', 'workspace-write'],
    ['agent', 'on-request', 'workspace-write'],
    ['agent-full-access', 'never', 'danger-full-access'],
  ])('S2.119 mode %s', (mode, approval, sandbox) => {
    const of = { settings: { ...settings, mode } };
    expect(line('**Approval', of)).toBe(`**Approval:** ${approval}`);
    expect(line('**Sandbox', of)).toBe(`**Sandbox:** ${sandbox}`);
  });

  it('S2.119, S2.120 shows a permission profile, and a granular policy by name', () => {
    const of = {
      settings: { ...settings, mode: 'permission-profile:strict', approvalPolicy: { granular: { rules: true } } },
    };
    expect(line('**Permission', of)).toBe('**Permission profile:** strict');
    expect(line('**Approval', of)).toBe('**Approval:** granular');
    expect(line('**Sandbox', of)).toBeUndefined();
  });
});

describe('S2.120 the account', () => {
  it.each([
    [null, 'not logged in'],
    [{ type: 'apiKey' }, 'API key configured'],
    [{ type: 'chatgpt', plan: 'plus', email: 'a@example.com' }, 'ChatGPT plus (a@example.com)'],
    [{ type: 'chatgpt', plan: 'plus', email: null }, 'ChatGPT plus'],
    [{ type: 'chatgpt', plan: null, email: 'a@example.com' }, 'ChatGPT (a@example.com)'],
    [{ type: 'external', name: 'AWS Bedrock' }, 'Amazon Bedrock'],
    [{ type: 'external', name: 'Google Cloud' }, 'Google Cloud'],
    [{ type: 'external', name: 'somethingNew' }, 'unknown'],
  ] as const)('%j is %s', (account, text) => {
    expect(accountText(account, null)).toBe(text);
  });

  it('a gateway or custom provider stands in for a login', () => {
    expect(accountText(null, 'Company Gateway')).toBe('Gateway: Company Gateway');
    expect(accountText({ type: 'apiKey' }, 'Company Gateway')).toBe('API key configured');
  });
});

describe('S2.121 tokens', () => {
  it('input excludes cached and cache-write tokens', () => {
    const total = tokens({
      totalTokens: 2_000_000,
      inputTokens: 1_900_000,
      cachedInputTokens: 600_000,
      cacheWriteInputTokens: 50_000,
      outputTokens: 100_000,
    });
    const usage = { total, last: tokens(), contextWindow: null };
    expect(line('**Token', { usage })).toBe(
      '**Token usage:** 2.0M total  (1.3M input + 600.0K cached input + 50.0K cache write, 100.0K output)',
    );
    expect(line('**Context', { usage })).toBe('**Context window:** data not available yet');
  });

  it('C024 the context is that of the last model call', () => {
    const usage = {
      total: tokens({ totalTokens: 900_000 }),
      last: tokens({ totalTokens: 64_600 }),
      contextWindow: 258_400,
    };
    expect(line('**Context', { usage })).toBe('**Context window:** 25% used (64.6K used / 258.4K)');
  });

  it.each([
    [0, '0'],
    [999, '999'],
    [1000, '1.0K'],
    [3449, '3.4K'],
    [999_949, '999.9K'],
    [999_950, '1.0M'],
    [1_234_567, '1.2M'],
  ])('%i is %s', (count, text) => {
    const usage = { total: tokens({ totalTokens: count }), last: tokens(), contextWindow: null };
    expect(line('**Token', { usage })).toBe(`**Token usage:** ${text} total  (0 input + 0 cached input, 0 output)`);
  });
});

describe('S2.122 limits', () => {
  const at = (...time: [number, number, number, number]) => Date.UTC(2026, ...time) / 1000;
  const primary = (overrides: Partial<RateLimitWindow> = {}) =>
    limit({ primary: { usedPercent: 0, minutes: 300, resetsAt: null, ...overrides } });

  it.each([
    [null, 'Limit'],
    [15, '15m limit'],
    [59, '59m limit'],
    [60, '1h limit'],
    [300, '5h limit'],
    [1439, '24h limit'],
    [1440, '1d limit'],
    [10_079, '7d limit'],
    [10_080, 'Weekly limit'],
    [43_200, 'Weekly limit'],
  ])('a window of %s minutes is a %s', (minutes, label) => {
    expect(limitLines([primary({ minutes })])).toEqual([`**codex ${label}:** 100% left`]);
  });

  it('a reset today is a time, one on another day has the date', () => {
    expect(limitLines([primary({ resetsAt: at(2, 9, 23, 5) })])).toEqual([
      '**codex 5h limit:** 100% left (resets 23:05)',
    ]);
    expect(limitLines([primary({ resetsAt: at(2, 10, 3, 5) })])).toEqual([
      '**codex 5h limit:** 100% left (resets 03:05 on 10 Mar)',
    ]);
  });

  it('days and times are those of the user', () => {
    // 22:30 on 9 March two hours ahead of UTC; the limit ends at 00:15 of the 10th there.
    expect(limitLines([primary({ resetsAt: at(2, 9, 22, 15) })], 120)).toEqual([
      '**codex 5h limit:** 100% left (resets 00:15 on 10 Mar)',
    ]);
    expect(limitLines([primary({ resetsAt: at(2, 10, 3, 15) })], -300)).toEqual([
      '**codex 5h limit:** 100% left (resets 22:15)',
    ]);
  });

  it('the offset to UTC is that of the reset, across a change of summer time', () => {
    const change = Date.UTC(2026, 2, 29, 1);
    const clock = { now, minutesAheadOfUtc: (moment: number) => (moment < change ? 60 : 120) };
    const text = statusText(facts({ limits: [primary({ resetsAt: at(2, 29, 12, 0) })], clock }));
    expect(text).toContain('(resets 14:00 on 29 Mar)');
  });

  it('names the limit, and shows both windows and credits', () => {
    const named = limit({
      limitName: 'Codex Mini',
      primary: { usedPercent: 12.4, minutes: 300, resetsAt: null },
      secondary: { usedPercent: 99.9, minutes: 10_080, resetsAt: null },
      credits: { unlimited: false, balance: '12.5' },
    });
    expect(limitLines([named, limit({ limitId: 'other', credits: { unlimited: true, balance: null } })])).toEqual([
      '**Codex Mini 5h limit:** 88% left',
      '**Codex Mini Weekly limit:** 0% left',
      '**Codex Mini Credits:** 12.5',
      '**other Credits:** unlimited',
    ]);
  });

  it('never shows less than nothing', () => {
    expect(limitLines([primary({ usedPercent: 130 })])).toEqual(['**codex 5h limit:** 0% left']);
  });

  it('shows the spend limit of a person', () => {
    const individualLimit = { limit: '12000.4', used: '1234.6', remainingPercent: 89.7, resetsAt: at(3, 1, 0, 0) };
    expect(limitLines([limit({ individualLimit })])).toEqual([
      '**codex individual spend limit:** 90% left (1,235 of 12,000 credits used; resets Apr 1)',
    ]);
  });

  it.each(['-1', 'many', '', 'Infinity'])('skips it when an amount is %j', (amount) => {
    const individualLimit = { limit: '10', used: '1', remainingPercent: 90, resetsAt: 0 };
    expect(limitLines([limit({ individualLimit: { ...individualLimit, used: amount } })])).toEqual([
      '**Limits:** data not available yet',
    ]);
    expect(limitLines([limit({ individualLimit: { ...individualLimit, limit: amount } })])).toEqual([
      '**Limits:** data not available yet',
    ]);
  });
});
