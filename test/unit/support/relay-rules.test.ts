import { describe, expect, test } from 'vitest';
import type { AppServerMessage, RelaySide } from '../../support/relay-codex.ts';
import { otherSide, type RelayLine, RelayRules } from '../../support/relay-rules.ts';

/** A pipe with rules: what each side has read. */
class Pipe {
  readonly read: Record<RelaySide, RelayLine[]> = { agent: [], codex: [] };
  readonly ends: unknown[] = [];
  readonly rules = new RelayRules({
    send: (to, line) => void this.read[to].push(line),
    die: (end, stderr) => void this.ends.push([end, stderr]),
  });

  says(from: RelaySide, ...messages: readonly AppServerMessage[]): void {
    for (const message of messages) {
      const lines = this.rules.apply(message, from) ?? [message];
      this.read[otherSide(from)].push(...lines);
    }
  }
}

const note = (method: string, params: object = {}): AppServerMessage => ({ method, params });
const methods = (lines: readonly RelayLine[]): string[] =>
  lines.map((line) => (typeof line === 'string' ? line : line.method));

describe.each(['agent', 'codex'] as const)('lines from %s', (from) => {
  const to = otherSide(from);

  test('are passed on as they are without a rule, and when the rule is about others', () => {
    const pipe = new Pipe();
    pipe.rules.on(to, 'b').drop();
    pipe.rules.on(from, 'c').drop();
    pipe.says(from, note('a'), note('b'));
    expect(methods(pipe.read[to])).toEqual(['a', 'b']);
    expect(pipe.read[from]).toEqual([]);
  });

  test('can be dropped: each, one, some, those of a kind', () => {
    const pipe = new Pipe();
    const all = pipe.rules.on(from, 'a').drop();
    pipe.rules.on(from, 'b').skip(1).once().drop();
    pipe.rules
      .on(from, 'c')
      .where(({ params }) => params.bad)
      .drop();
    pipe.says(from, note('a'), note('b', { n: 1 }), note('b', { n: 2 }), note('b', { n: 3 }));
    pipe.says(from, note('c', { bad: true }), note('c', { bad: false }), note('a'));
    expect(pipe.read[to]).toEqual([note('b', { n: 1 }), note('b', { n: 3 }), note('c', { bad: false })]);
    expect(all.taken).toHaveLength(2);
  });

  test('can be delayed until they are released, and are overtaken meanwhile', async () => {
    const pipe = new Pipe();
    const held = pipe.rules.on(from, 'a').delay();
    pipe.says(from, note('a', { n: 1 }), note('b'), note('a', { n: 2 }), note('a', { n: 3 }));
    expect(await held.met).toEqual(note('a', { n: 1 }));
    expect(methods(pipe.read[to])).toEqual(['b']);
    held.releaseOne();
    expect(pipe.read[to].slice(1)).toEqual([note('a', { n: 1 })]);
    held.release();
    pipe.says(from, note('a', { n: 4 }));
    expect(pipe.read[to].slice(2)).toEqual([note('a', { n: 2 }), note('a', { n: 3 }), note('a', { n: 4 })]);
  });

  test('can be delayed with all that is behind them', () => {
    const pipe = new Pipe();
    const held = pipe.rules.on(from, 'a').once().delay({ withAllBehind: true });
    pipe.says(from, note('b'), note('a'), note('c'), note('a'));
    pipe.says(to, note('back'));
    expect(methods(pipe.read[to])).toEqual(['b']);
    expect(methods(pipe.read[from])).toEqual(['back']);
    held.release();
    pipe.says(from, note('d'));
    expect(methods(pipe.read[to])).toEqual(['b', 'a', 'c', 'a', 'd']);
  });

  test('that are held can be lost', () => {
    const pipe = new Pipe();
    const held = pipe.rules.on(from, 'a').delay();
    pipe.says(from, note('a'));
    held.discard();
    held.release();
    pipe.says(from, note('a', { n: 2 }));
    expect(pipe.read[to]).toEqual([note('a', { n: 2 })]);
  });

  test('can be duplicated', () => {
    const pipe = new Pipe();
    pipe.rules.on(from, 'a').once().duplicate();
    pipe.rules.on(from, 'b').duplicate(3);
    pipe.says(from, note('a'), note('b'), note('a'));
    expect(methods(pipe.read[to])).toEqual(['a', 'a', 'b', 'b', 'b', 'a']);
  });

  test('can be rewritten: to another message, to several, to a text that is none', () => {
    const pipe = new Pipe();
    pipe.rules.on(from, 'a').rewrite((message) => ({ ...message, params: { changed: true } }));
    pipe.rules.on(from, 'b').rewrite(() => [note('b1'), note('b2')]);
    pipe.rules.on(from, 'c').rewrite(() => '{"broken');
    pipe.says(from, note('a'), note('b'), note('c'));
    expect(pipe.read[to]).toEqual([note('a', { changed: true }), note('b1'), note('b2'), '{"broken']);
  });

  test('can be given company before and after', () => {
    const pipe = new Pipe();
    pipe.rules
      .on(from, 'a')
      .once()
      .inject({ before: [note('x')], after: [note('y'), 'text'] });
    pipe.says(from, note('a'), note('a'));
    expect(methods(pipe.read[to])).toEqual(['x', 'a', 'y', 'text', 'a']);
  });

  test('can be the death of the process, before or after they are passed on', () => {
    const pipe = new Pipe();
    pipe.rules.on(from, 'a').die();
    pipe.rules.on(from, 'b').die(3, { stderr: 'out of luck', passOn: true });
    pipe.says(from, note('a'));
    expect(pipe.ends).toEqual([['SIGKILL', '']]);
    pipe.says(from, note('b'));
    expect(pipe.ends.at(-1)).toEqual([3, 'out of luck']);
    expect(methods(pipe.read[to])).toEqual(['b']);
  });

  test('answers are told apart by the request that they answer', () => {
    const pipe = new Pipe();
    pipe.rules.onAnswer(from, 'a').drop();
    pipe.says(to, { id: 1, method: 'a', params: {} }, { id: 2, method: 'b', params: {} });
    // The same id may be used by either side.
    pipe.says(from, { id: 1, method: 'c', params: {} });
    pipe.says(from, { id: 1, result: {} }, { id: 2, result: {} });
    pipe.says(from, { id: 1, error: { code: 1, message: 'no' } });
    expect(pipe.read[to]).toEqual([
      { id: 1, method: 'c', params: {} },
      { id: 2, result: {} },
    ]);
  });
});

test('the oldest rule that takes a line decides; a used-up or ended one leaves it to the next', () => {
  const pipe = new Pipe();
  pipe.rules
    .on('codex', 'a')
    .once()
    .rewrite(() => note('first'));
  const second = pipe.rules.on('codex', 'a').rewrite(() => note('second'));
  const watched = pipe.rules.on('codex', () => true).watch();
  pipe.says('codex', note('a'), note('a'));
  second.end();
  pipe.says('codex', note('a'));
  expect(methods(pipe.read.agent)).toEqual(['first', 'second', 'a']);
  expect(watched.taken).toHaveLength(1);
});
