import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { StderrTail } from '../../../src/adapters/codex-app-server/stderr-tail.ts';

describe('stderr tail', () => {
  it('S8.4 keeps the last 2048 characters', () => {
    const tail = new StderrTail();
    tail.push(Buffer.from('x'.repeat(5000)));
    tail.push(Buffer.from('the end\n'));
    expect(tail.text).toBe(`${'x'.repeat(2040)}the end`);
  });

  it('S8.4 keeps characters whole over chunks and at the cut', () => {
    const tail = new StderrTail();
    const bytes = Buffer.from('é👍');
    for (const byte of bytes) tail.push(Buffer.from([byte]));
    expect(tail.text).toBe('é👍');
    tail.push(Buffer.from(`${'y'.repeat(2047)}`));
    expect(tail.text).toBe('y'.repeat(2047));
  });

  it('S1.64 is empty for white space and has no colours', () => {
    const tail = new StderrTail();
    tail.push(Buffer.from(' \n'));
    expect(tail.text).toBe('');
    tail.push(Buffer.from('\u001b[31mERROR\u001b[0m broken\n'));
    expect(tail.text).toBe('ERROR broken');
  });
});
