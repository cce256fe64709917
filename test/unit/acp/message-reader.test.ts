import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { malformedReply } from '../../../src/adapters/acp/json-rpc.ts';
import { LineSplitter } from '../../../src/adapters/acp/line-splitter.ts';
import { MessageReader } from '../../../src/adapters/acp/message-reader.ts';
import { settled, until } from './support/event-loop.ts';

interface Reading {
  readonly input: PassThrough;
  readonly reader: MessageReader;
  /** Everything in the order in which it was handed out. */
  readonly log: unknown[];
}

function read(limit?: number): Reading {
  const input = new PassThrough();
  const log: unknown[] = [];
  const reader = new MessageReader(
    input,
    {
      call: (message) => message,
      answer: (message) => log.push({ answer: message }),
      malformed: (problem) => log.push(malformedReply(problem, true)),
      ended: () => log.push('ended'),
      cancelled: (reason) => log.push({ cancelled: reason }),
    },
    limit,
  );
  return { input, reader, log };
}

async function drain({ reader, log }: Reading): Promise<void> {
  for await (const message of reader.readable) log.push(message);
  log.push('closed');
}

const call = (method: string, id?: number): object => ({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), method });
const line = (message: object): string => `${JSON.stringify(message)}\n`;

describe('MessageReader', () => {
  it('S1.41 splits lines over chunks, trims them, skips empty ones and takes a last line without line feed', async () => {
    const reading = read();
    const done = drain(reading);
    const text = `  ${JSON.stringify(call('a'))} \r\n\n \t\r\n${JSON.stringify(call('b'))}\n${JSON.stringify(call('ü€𝄞'))}`;
    for (const byte of Buffer.from(text)) reading.input.write(Buffer.of(byte));
    reading.input.end();
    await until(() => reading.log.includes('ended'));
    expect(reading.log).toEqual([call('a'), call('b'), call('ü€𝄞'), 'ended']);
    reading.reader.close();
    await done;
    expect(reading.log.at(-1)).toBe('closed');
  });

  it.each([
    ['not JSON', '{"id":1,', { code: -32700, message: 'Parse error' }],
    [
      'a batch',
      '[{"jsonrpc":"2.0","id":1,"method":"x"}]',
      { code: -32600, message: 'Invalid request: JSON-RPC batches are not supported' },
    ],
    ['an empty batch', '[]', { code: -32600, message: 'Invalid request: JSON-RPC batches are not supported' }],
    ['a text', '"hello"', { code: -32600, message: 'Invalid request', data: 'hello' }],
    ['a number', '17', { code: -32600, message: 'Invalid request', data: 17 }],
    ['null', 'null', { code: -32600, message: 'Invalid request', data: null }],
    ['an object without members', '{}', { code: -32600, message: 'Invalid request', data: {} }],
    [
      'another JSON-RPC version',
      '{"jsonrpc":"1.0","id":1,"method":"x"}',
      { code: -32600, message: 'Invalid request', data: { jsonrpc: '1.0', id: 1, method: 'x' } },
    ],
    [
      'an id that is none',
      '{"jsonrpc":"2.0","id":{},"method":"x"}',
      { code: -32600, message: 'Invalid request', data: { jsonrpc: '2.0', id: {}, method: 'x' } },
    ],
    [
      'a method that is no text',
      '{"jsonrpc":"2.0","id":1,"method":2}',
      { code: -32600, message: 'Invalid request', data: { jsonrpc: '2.0', id: 1, method: 2 } },
    ],
  ])('S1.42 answers %s with id null and goes on', async (_name, text, error) => {
    const reading = read();
    const done = drain(reading);
    reading.input.write(`${text}\n${line(call('next'))}`);
    await until(() => reading.log.length === 2);
    expect(reading.log).toEqual([{ jsonrpc: '2.0', id: null, error }, call('next')]);
    reading.reader.close();
    await done;
  });

  it('S1.42 names the missing initialize when an object without meaning comes first', () => {
    expect(malformedReply({ type: 'object', value: {} }, false)).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32600, message: 'Invalid request', data: 'first ACP message must be an initialize request' },
    });
  });

  it('S1.42 hands answers, also malformed ones, to the owner of our requests in arrival order', async () => {
    const reading = read();
    const done = drain(reading);
    const answer = { jsonrpc: '2.0', id: 0, result: {} };
    reading.input.write(line(call('a')) + line(answer) + line(call('b')) + line({ id: 'x' }) + line({ result: 1 }));
    await until(() => reading.log.length === 5);
    expect(reading.log).toEqual([call('a'), { answer }, call('b'), { answer: { id: 'x' } }, { answer: { result: 1 } }]);
    reading.reader.close();
    await done;
  });

  it('S1.46 skips a line over the limit with one answer that names it, and goes on', async () => {
    const reading = read(64);
    const done = drain(reading);
    reading.input.write('x'.repeat(60));
    reading.input.write('x'.repeat(60));
    await settled();
    reading.input.write(`${'x'.repeat(60)}\n${line(call('next'))}`);
    await until(() => reading.log.length === 2);
    expect(reading.log).toEqual([
      {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32600, message: 'Invalid request: the message is longer than the limit of 64 bytes' },
      },
      call('next'),
    ]);
    reading.reader.close();
    await done;
  });

  it('S1.46 accepts a line of exactly the limit', () => {
    const lines: string[] = [];
    const splitter = new LineSplitter(
      8,
      (text) => lines.push(text),
      () => lines.push('too long'),
    );
    splitter.push(Buffer.from('12345678\n123456789\n1234'));
    splitter.push(Buffer.from('5678'));
    splitter.end();
    expect(lines).toEqual(['12345678', 'too long', '12345678']);
  });

  it('hands out one message per event-loop turn', async () => {
    const reading = read();
    const done = drain(reading);
    reading.input.write(Array.from({ length: 20 }, (_, index) => line(call(`m${index}`))).join(''));
    await until(() => reading.log.length > 0);
    for (let count = 1; count < 20; count += 1) {
      expect(reading.log).toHaveLength(count);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(reading.log).toHaveLength(20);
    reading.reader.close();
    await done;
  });

  it('stops reading while too many messages wait', async () => {
    const reading = read();
    reading.input.write(Array.from({ length: 400 }, (_, index) => line(call('m', index))).join(''));
    await settled();
    expect(reading.input.isPaused()).toBe(true);
    const done = drain(reading);
    await until(() => reading.log.length === 400);
    expect(reading.log).toEqual(Array.from({ length: 400 }, (_, index) => call('m', index)));
    expect(reading.input.isPaused()).toBe(false);
    reading.reader.close();
    await done;
  });

  it('S1.50 a failing input ends it, and what came before is handed out', async () => {
    const reading = read();
    const done = drain(reading);
    reading.input.write(line(call('a')));
    await settled();
    reading.input.destroy(new Error('gone'));
    await until(() => reading.log.includes('ended'));
    expect(reading.log).toEqual([call('a'), 'ended']);
    reading.reader.close();
    await done;
  });

  it('tells when the reader of the messages gives up', async () => {
    const reading = read();
    await reading.reader.readable.cancel('bye');
    reading.input.write(line(call('late')));
    await settled();
    expect(reading.log).toEqual([{ cancelled: 'bye' }]);
  });
});
