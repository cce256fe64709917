import { describe, expect, it } from 'vitest';
import { ToolReportFilter } from '../../../src/adapters/acp/tool-report-filter.ts';

type Filter = ToolReportFilter<unknown>;
const filter = (comparesMeta = false): Filter => new ToolReportFilter({ comparesMeta });
const started = (comparesMeta = false): Filter => {
  const calls = filter(comparesMeta);
  calls.started('s', { toolCallId: 'c', title: 'T', kind: 'read', status: 'in_progress', content: [{ a: 1 }] });
  return calls;
};

describe('changed-field filter', () => {
  it('S4.103 keeps what changed, and nothing when nothing did', () => {
    const calls = started();
    expect(calls.changed('s', { toolCallId: 'c', title: 'T', status: 'in_progress' })).toBeNull();
    expect(calls.changed('s', { toolCallId: 'c', title: 'U', kind: 'read', rawInput: { x: 1 } })).toEqual({
      toolCallId: 'c',
      title: 'U',
      rawInput: { x: 1 },
    });
    expect(calls.changed('s', { toolCallId: 'c', title: 'U', rawInput: { x: 1 } })).toBeNull();
  });

  it('S4.101 compares as JSON: key order counts, absent members do not, later changes of the object neither', () => {
    const calls = filter();
    const rawInput: Record<string, unknown> = { a: 1, b: undefined };
    calls.started('s', { toolCallId: 'c', rawInput });
    rawInput.a = 2;
    expect(calls.changed('s', { toolCallId: 'c', rawInput: { a: 1 } })).toBeNull();
    expect(calls.changed('s', { toolCallId: 'c', rawInput: { c: 0, a: 1 } })).not.toBeNull();
    expect(calls.changed('s', { toolCallId: 'c', rawInput: { a: 1, c: 0 } })).not.toBeNull();
  });

  it('S4.101 keeps calls and sessions apart', () => {
    const calls = started();
    expect(calls.changed('s', { toolCallId: 'd', title: 'T' })).not.toBeNull();
    expect(calls.changed('r', { toolCallId: 'c', title: 'T' })).not.toBeNull();
  });

  it('S4.102 a start replaces everything that was known', () => {
    const calls = started();
    calls.started('s', { toolCallId: 'c', title: 'T' });
    expect(calls.changed('s', { toolCallId: 'c', title: 'T', kind: 'read' })).toEqual({
      toolCallId: 'c',
      kind: 'read',
    });
  });

  it('S4.104 compares metadata for AIR on v1 only, and output never', () => {
    const meta = { a: { b: 1 }, terminal_output: 'x' };
    const air = started(true);
    expect(air.changed('s', { toolCallId: 'c', _meta: meta })).toEqual({ toolCallId: 'c', _meta: meta });
    expect(air.changed('s', { toolCallId: 'c', _meta: meta })).toEqual({
      toolCallId: 'c',
      _meta: { terminal_output: 'x' },
    });
    expect(air.changed('s', { toolCallId: 'c', _meta: { a: { b: 1 } } })).toBeNull();
    const plain = started();
    expect(plain.changed('s', { toolCallId: 'c', _meta: meta })).toEqual({ toolCallId: 'c', _meta: meta });
    expect(plain.changed('s', { toolCallId: 'c', _meta: meta })).toEqual({ toolCallId: 'c', _meta: meta });
  });

  it('S4.105 an ask counts as a report until it is forgotten', () => {
    const calls = started();
    calls.asked('s', { toolCallId: 'c', status: 'pending', title: 'T' });
    expect(calls.changed('s', { toolCallId: 'c', status: 'pending', title: 'T' })).toBeNull();
    calls.forget('s', 'c');
    expect(calls.changed('s', { toolCallId: 'c', status: 'pending', title: 'T' })).toEqual({
      toolCallId: 'c',
      status: 'pending',
      title: 'T',
    });
    expect(calls.isOpen('s', 'c')).toBe(true);
  });

  it('S4.106 S4.107 a finished call keeps four fields; the others always pass', () => {
    const calls = started();
    calls.changed('s', { toolCallId: 'c', status: 'completed', rawOutput: 1 });
    expect(calls.isFinished('s', 'c')).toBe(true);
    expect(
      calls.changed('s', { toolCallId: 'c', status: 'completed', title: 'T', content: [{ a: 1 }], rawOutput: 1 }),
    ).toEqual({ toolCallId: 'c', content: [{ a: 1 }], rawOutput: 1 });
  });

  it('S4.108 a finished call gets no output and no second exit, with or without status', () => {
    const calls = started();
    calls.changed('s', { toolCallId: 'c', status: 'failed' });
    const late = { terminal_output: 1, terminal_output_delta: 1, terminal_input: 1, mcp_output_delta: 1 };
    expect(calls.changed('s', { toolCallId: 'c', _meta: { ...late, terminal_exit: 1 } })).toBeNull();
    expect(calls.changed('s', { toolCallId: 'c', status: 'completed', _meta: { ...late, other: 1 } })).toEqual({
      toolCallId: 'c',
      status: 'completed',
      _meta: { other: 1 },
    });
  });

  it('S4.106 a call that starts finished is finished at once, and 1,024 of them are remembered', () => {
    const calls = filter();
    for (let n = 0; n <= 1024; n += 1) calls.started('s', { toolCallId: `c${n}`, status: 'completed' });
    expect(calls.isFinished('s', 'c0')).toBe(false);
    expect(calls.isFinished('s', 'c1')).toBe(true);
    expect(calls.isFinished('s', 'c1024')).toBe(true);
  });

  it('S4.109 the end of a turn forgets what was said, not that the call runs', () => {
    const calls = started();
    calls.asked('s', { toolCallId: 'asked', status: 'pending' });
    calls.endTurn('s');
    expect(calls.isOpen('s', 'c')).toBe(true);
    expect(calls.isOpen('s', 'asked')).toBe(false);
    expect(calls.changed('s', { toolCallId: 'c', title: 'T' })).toEqual({ toolCallId: 'c', title: 'T' });
  });

  it('S4.120 remembers large values by their hash', () => {
    const calls = filter();
    const large = [{ text: 'x'.repeat(200_000) }];
    calls.started('s', { toolCallId: 'c', content: large });
    expect(calls.changed('s', { toolCallId: 'c', content: large })).toBeNull();
    expect(calls.changed('s', { toolCallId: 'c', content: [{ text: `y${'x'.repeat(199_999)}` }] })).not.toBeNull();
    expect(calls.content('s', 'c')).toEqual([]);
  });

  it('S5.34b tells what content a call shows', () => {
    expect(started().content('s', 'c')).toEqual([{ a: 1 }]);
    expect(filter().content('s', 'c')).toEqual([]);
  });

  it('forgets a session', () => {
    const calls = started();
    calls.started('s', { toolCallId: 'done', status: 'completed' });
    calls.started('s2', { toolCallId: 'done', status: 'completed' });
    calls.forgetSession('s');
    expect(calls.isOpen('s', 'c')).toBe(false);
    expect(calls.isFinished('s', 'done')).toBe(false);
    expect(calls.isFinished('s2', 'done')).toBe(true);
  });
});
