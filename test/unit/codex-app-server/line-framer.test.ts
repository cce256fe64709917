import { Buffer } from 'node:buffer';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LineFramer } from '../../../src/adapters/codex-app-server/line-framer.ts';

function frame(...chunks: readonly (Buffer | string)[]): readonly string[] {
  const lines: string[] = [];
  const framer = new LineFramer({ onLine: (line) => lines.push(line), onOversizedLine: () => lines.push('too long') });
  for (const chunk of chunks) framer.push(Buffer.from(chunk));
  framer.end();
  return lines;
}

afterEach(() => vi.restoreAllMocks());

describe('line framer', () => {
  it('S1.75 cuts at newlines, drops a trailing carriage return, skips empty lines, takes a last line without newline', () => {
    expect(frame('one\ntwo\r\n\n\r\nthree')).toEqual(['one', 'two', 'three']);
    expect(frame('')).toEqual([]);
  });

  it('S1.75 keeps characters whole wherever the chunks are cut', () => {
    const text = 'grüße 👍🏽 日本語\nzweite Zeile 𝕏\n';
    const bytes = Buffer.from(text);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      expect(frame(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(text.trimEnd().split('\n'));
    }
    expect(frame(...[...bytes].map((byte) => Buffer.from([byte])))).toEqual(text.trimEnd().split('\n'));
  });

  it('S1.75 a carriage return and its newline may come in two chunks', () => {
    expect(frame('one\r', '\ntwo')).toEqual(['one', 'two']);
  });

  it('S1.76 joins a line of 20 MB in 64 KB chunks exactly once', () => {
    const join = vi.spyOn(Buffer, 'concat');
    const chunk = Buffer.alloc(64 * 1024, 'a');
    const lines: string[] = [];
    const framer = new LineFramer({ onLine: (line) => lines.push(line), onOversizedLine: () => {} });
    for (let n = 0; n < 320; n += 1) framer.push(chunk);
    expect(lines).toEqual([]);
    framer.push(Buffer.from('b\nnext\n'));
    expect(lines.map((line) => line.length)).toEqual([320 * chunk.length + 1, 4]);
    expect(lines[0]?.endsWith('ab')).toBe(true);
    expect(join).toHaveBeenCalledTimes(1);
  });
});
