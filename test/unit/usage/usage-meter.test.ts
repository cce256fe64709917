import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ThreadEvent, TokenBreakdown } from '../../../src/domain/thread/thread-event.ts';
import type { UsageMeter } from '../../../src/domain/usage/usage-meter.ts';
import {
  beginUsage,
  contextUsage,
  endUsage,
  observeUsage,
  tokenCount,
  usageMeter,
  workTokens,
} from '../../../src/domain/usage/usage-meter.ts';

/** The nth multiple of a call of 150 tokens: 120 in (20 cached), 30 out (5 reasoning). */
function calls(n: number): TokenBreakdown {
  return {
    totalTokens: 150 * n,
    inputTokens: 120 * n,
    cachedInputTokens: 20 * n,
    cacheWriteInputTokens: 0,
    outputTokens: 30 * n,
    reasoningOutputTokens: 5 * n,
  };
}

/** What a client is told about n such calls. */
function counted(n: number): TokenBreakdown {
  return { ...calls(n), inputTokens: 100 * n };
}

function usage(total: number, last = 1) {
  return { type: 'tokenUsage', turnId: 't1', total: calls(total), last: calls(last), contextWindow: 258400 } as const;
}

const output: ThreadEvent = { type: 'messageDelta', turnId: 't1', itemId: 'm1', delta: 'hi' };
const userMessage: ThreadEvent = {
  type: 'itemCompleted',
  turnId: 't1',
  item: { type: 'userMessage', id: 'u1', clientId: null },
};

function after(meter: UsageMeter, ...events: readonly ThreadEvent[]): UsageMeter {
  return events.reduce(observeUsage, meter);
}

it('S3.160 S4.95 takes cached and cache-write tokens out of the input, not below zero', () => {
  const tokens = { ...calls(1), cacheWriteInputTokens: 30 };
  expect(tokenCount(tokens)).toEqual({ ...tokens, inputTokens: 70 });
  expect(tokenCount({ ...tokens, cachedInputTokens: 500 }).inputTokens).toBe(0);
});

it('S3.161 counts a new thread from zero, over all turns of the work', () => {
  const meter = after(beginUsage(usageMeter('new')), userMessage, output, usage(1), usage(2), usage(4, 2));
  expect(workTokens(meter)).toEqual(counted(4));
});

it('S3.161 a second prompt counts only its own tokens', () => {
  const first = endUsage(after(beginUsage(usageMeter('new')), output, usage(2)));
  expect(workTokens(first)).toBeNull();
  expect(workTokens(after(beginUsage(first), output, usage(3)))).toEqual(counted(1));
});

it('S3.161 what a turn without prompt used in between is not the prompt’s', () => {
  const between = after(endUsage(after(beginUsage(usageMeter('new')), output, usage(1))), output, usage(5, 4));
  expect(workTokens(after(beginUsage(between), output, usage(6)))).toEqual(counted(1));
});

it('S3.161 S3.163 without an update the usage is unknown', () => {
  expect(workTokens(usageMeter('new'))).toBeNull();
  expect(workTokens(beginUsage(usageMeter('new')))).toBeNull();
  expect(workTokens(after(beginUsage(usageMeter('loaded')), userMessage, output))).toBeNull();
});

it('S3.161 S3.13 an update with the same total counts for nothing', () => {
  const known = after(usageMeter('loaded'), usage(3));
  const begun = beginUsage(known);
  expect(observeUsage(begun, usage(3, 9))).toBe(begun);
  expect(workTokens(after(begun, usage(3), output, usage(4), usage(4, 9)))).toEqual(counted(1));
});

it('S3.161 a total that was reported when the thread was loaded is the start', () => {
  const meter = beginUsage(after(usageMeter('loaded'), usage(7)));
  expect(workTokens(after(meter, output, usage(9)))).toEqual(counted(2));
});

it('S3.161 with an unknown start the first update before any output sets the baseline', () => {
  const based = after(beginUsage(usageMeter('loaded')), userMessage, usage(7, 3));
  expect(workTokens(based)).toBeNull();
  expect(workTokens(after(based, output, usage(9, 1)))).toEqual(counted(2));
  expect(workTokens(after(based, usage(8), output))).toEqual(counted(1));
});

it('S3.161 with an unknown start and output seen, the calls are summed', () => {
  const meter = after(beginUsage(usageMeter('loaded')), userMessage, output, usage(7), usage(9, 2));
  expect(workTokens(meter)).toEqual(counted(3));
});

it('S3.161 a total that goes down makes the calls count, also those before', () => {
  const meter = after(beginUsage(usageMeter('new')), output, usage(5, 5), usage(1, 1), usage(9, 2));
  expect(workTokens(meter)).toEqual(counted(8));
  const known = after(usageMeter('loaded'), usage(9));
  expect(workTokens(after(beginUsage(known), output, usage(1, 1)))).toEqual(counted(1));
});

it('S3.161 a decrease in an earlier prompt does not touch the next', () => {
  const first = after(beginUsage(usageMeter('new')), output, usage(5, 5), usage(1, 1));
  expect(workTokens(after(beginUsage(endUsage(first)), output, usage(3, 1)))).toEqual(counted(2));
});

it.each<[string, ThreadEvent, boolean]>([
  ['the user message', userMessage, false],
  ['the start of the turn', { type: 'turnStarted', turnId: 't1' }, false],
  ['a status', { type: 'threadStatus', status: { type: 'idle' } }, false],
  ['a warning', { type: 'warning', message: 'x' }, false],
  ['a text delta', output, true],
  ['a reasoning delta', { type: 'reasoningDelta', turnId: 't1', itemId: 'r', delta: 'x' }, true],
  ['a plan', { type: 'planUpdated', turnId: 't1', steps: [] }, true],
  ['a tool call', { type: 'itemStarted', turnId: 't1', item: { type: 'imageView', id: 'i', path: '/w/a.png' } }, true],
])('S3.161 %s counts as model output: %s', (_case, event, isOutput) => {
  const meter = after(beginUsage(usageMeter('loaded')), event, usage(7, 1));
  expect(workTokens(meter)).toEqual(isOutput ? counted(1) : null);
});

it('S3.161 a delta after the first changes nothing at all', () => {
  const meter = after(beginUsage(usageMeter('new')), output);
  expect(observeUsage(meter, output)).toBe(meter);
  const idle = usageMeter('new');
  expect(observeUsage(idle, output)).toBe(idle);
});

it('S3.161 however a thread grows, prompts of a known start use what the totals grew by', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.nat(5), { minLength: 1 })), (prompts) => {
      let meter = usageMeter('new');
      let total = 0;
      for (const growths of prompts) {
        meter = after(beginUsage(meter), output);
        const start = total;
        for (const growth of growths) {
          total += growth;
          meter = observeUsage(meter, usage(total, growth));
        }
        expect(workTokens(meter)).toEqual(total === start ? null : counted(total - start));
        meter = endUsage(meter);
      }
    }),
  );
});

it.each([
  [258400, { type: 'usage', used: 450, size: 258400 }],
  [0, null],
  [-1, null],
  [null, null],
])('S3.164 S4.90 C024 shows the last call against a window of %s', (contextWindow, expected) => {
  expect(contextUsage({ ...usage(9, 3), contextWindow })).toEqual(expected);
});
