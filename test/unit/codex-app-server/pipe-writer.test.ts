import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { PipeWriter } from '../../../src/adapters/codex-app-server/pipe-writer.ts';
import { settled } from '../../support/fake-app-server.ts';
import { RecordedLog } from './recorded-log.ts';

/** A pipe that takes one chunk and then waits. */
function slowPipe(highWaterMark: number) {
  const chunks: string[] = [];
  const waiting: (() => void)[] = [];
  const pipe = new Writable({
    highWaterMark,
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk.toString());
      waiting.push(() => done());
    },
  });
  return { pipe, chunks, take: () => waiting.shift()?.() };
}

describe('pipe writer', () => {
  it('S1.77 hands nothing more to a full pipe until it drained, then the rest as one chunk in order', async () => {
    const { pipe, chunks, take } = slowPipe(4);
    const writer = new PipeWriter(pipe, new RecordedLog());
    for (const text of ['12345\n', 'a\n', 'b\n', 'c\n']) writer.write(text);
    expect(chunks).toEqual(['12345\n']);
    expect(pipe.writableLength).toBe(6);
    take();
    await settled();
    expect(chunks).toEqual(['12345\n', 'a\nb\nc\n']);
  });

  it('S8.8 the end follows what was written before it', async () => {
    const { pipe, chunks, take } = slowPipe(4);
    const writer = new PipeWriter(pipe, new RecordedLog());
    writer.write('12345\n');
    writer.write('rest\n');
    writer.end();
    writer.write('too late\n');
    take();
    await settled();
    take();
    await settled();
    expect(chunks).toEqual(['12345\n', 'rest\n']);
    expect(pipe.writableFinished).toBe(true);
  });

  it('S1.77 a broken pipe is logged and swallows what comes later', async () => {
    const log = new RecordedLog();
    const { pipe } = slowPipe(1);
    const writer = new PipeWriter(pipe, log);
    writer.write('x\n');
    pipe.destroy(new Error('write EPIPE'));
    await settled();
    writer.write('y\n');
    writer.end();
    expect(log.lines('warn')).toEqual([expect.stringContaining('[STDIN ERROR]')]);
  });
});
