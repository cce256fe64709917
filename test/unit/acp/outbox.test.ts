import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Outbox } from '../../../src/adapters/acp/outbox.ts';
import type { TextChunk } from '../../../src/adapters/acp/text-lanes.ts';
import { settled } from './support/event-loop.ts';
import { FakeOutput, type Frame } from './support/fake-output.ts';

function open(highWaterMark?: number): { output: FakeOutput; outbox: Outbox; broken: Error[]; faults: unknown[] } {
  const output = new FakeOutput(highWaterMark);
  const broken: Error[] = [];
  const faults: unknown[] = [];
  const outbox = new Outbox(output, { broken: (error) => broken.push(error), fault: (error) => faults.push(error) });
  return { output, outbox, broken, faults };
}

const chunk = (key: string, text: string): TextChunk => ({
  kind: 'chunk',
  key,
  text,
  build: (all) => ({ key, text: all }),
});
const other = (n: number): object => ({ jsonrpc: '2.0', method: 'other', params: { n } });
const update = (sessionId: string, key: string, text: string): Frame => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { sessionId, update: { key, text } },
});

describe('Outbox', () => {
  it('S1.40 writes one message a line, and those of one tick at once', async () => {
    const { output, outbox } = open();
    outbox.enqueue(other(1), null);
    outbox.enqueueChunk('s', chunk('a', 'text\nwith ü and a line break'));
    outbox.enqueue(other(2), 's');
    expect(output.writes).toEqual([]);
    await settled();
    expect(output.writes).toHaveLength(1);
    expect(output.frames).toEqual([other(1), update('s', 'a', 'text\nwith ü and a line break'), other(2)]);
  });

  it('S4.14 sparse deltas on a fast output are not merged', async () => {
    const { output, outbox } = open();
    for (const text of ['a', 'b', 'c']) {
      outbox.enqueueChunk('s', chunk('k', text));
      await settled();
    }
    expect(output.frames).toEqual(['a', 'b', 'c'].map((text) => update('s', 'k', text)));
  });

  it('S4.14 merges adjacent text of one session and key only', async () => {
    const { output, outbox } = open();
    outbox.enqueueChunk('s', chunk('k', 'a'));
    outbox.enqueueChunk('s', chunk('k', 'b'));
    outbox.enqueueChunk('s', chunk('l', 'c'));
    outbox.enqueueChunk('s', chunk('k', 'd'));
    outbox.enqueue(other(1), 's');
    outbox.enqueueChunk('s', chunk('k', 'e'));
    outbox.enqueue(other(2), null);
    outbox.enqueueChunk('s', chunk('k', 'f'));
    outbox.enqueue(other(3), 'another session');
    outbox.enqueueChunk('s', chunk('k', 'g'));
    await settled();
    expect(output.frames).toEqual([
      update('s', 'k', 'ab'),
      update('s', 'l', 'c'),
      update('s', 'k', 'd'),
      other(1),
      update('s', 'k', 'e'),
      other(2),
      update('s', 'k', 'fg'),
      other(3),
    ]);
  });

  it('S4.15 two sessions that stream at once still merge', async () => {
    const { output, outbox } = open();
    for (let index = 0; index < 10; index += 1) {
      outbox.enqueueChunk('s', chunk('k', `${index}`));
      outbox.enqueueChunk('t', chunk('k', `${index}`));
    }
    await settled();
    expect(output.frames).toEqual([update('s', 'k', '0123456789'), update('t', 'k', '0123456789')]);
  });

  it('S4.14 a merged frame holds at most 64 KiB of text', async () => {
    const { output, outbox } = open();
    for (let index = 0; index < 30; index += 1) outbox.enqueueChunk('s', chunk('k', '€'.repeat(1000)));
    outbox.enqueueChunk('s', chunk('k', 'x'.repeat(100_000)));
    await settled();
    const texts = output.frames.map((frame) => String(frame.params?.update?.text));
    expect(texts.map((text) => Buffer.byteLength(text))).toEqual([63_000, 27_000, 100_000]);
  });

  it('S4.14 an empty text sends nothing and does not stand between others', async () => {
    const { output, outbox } = open();
    outbox.enqueueChunk('s', chunk('k', 'a'));
    outbox.enqueueChunk('s', chunk('other', ''));
    outbox.enqueueChunk('s', chunk('k', 'b'));
    await settled();
    expect(output.frames).toEqual([update('s', 'k', 'ab')]);
  });

  it('ACP-TRANSPORT-002 a surrogate pair that is split over two deltas arrives whole', async () => {
    const { output, outbox } = open();
    outbox.enqueueChunk('s', chunk('k', 'x\ud834'));
    await settled();
    outbox.enqueueChunk('s', chunk('k', '\udd1e'));
    await settled();
    outbox.enqueueChunk('s', chunk('k', '\ud83d'));
    outbox.enqueueChunk('s', chunk('k', '\ude00\ud83d'));
    outbox.enqueueChunk('s', chunk('k', '\ude00'));
    await settled();
    expect(output.frames).toEqual(['x', '𝄞', '😀😀'].map((text) => update('s', 'k', text)));
  });

  it('ACP-TRANSPORT-002 half a pair is replaced when another frame follows', async () => {
    const { output, outbox } = open();
    outbox.enqueueChunk('s', chunk('k', 'x\ud834'));
    outbox.enqueueChunk('s', chunk('l', '\ud834'));
    outbox.enqueueChunk('t', chunk('k', 'y'));
    outbox.enqueue(other(1), 's');
    outbox.enqueueChunk('s', chunk('k', '\udd1e'));
    outbox.enqueueChunk('t', chunk('k', '\ud834'));
    outbox.enqueue(other(2), null);
    outbox.enqueueChunk('t', chunk('k', 'z'));
    await settled();
    expect(output.frames).toEqual([
      update('s', 'k', 'x\ufffd'),
      update('t', 'k', 'y\ufffd'),
      update('s', 'l', '\ufffd'),
      other(1),
      update('s', 'k', '\ufffd'),
      other(2),
      update('t', 'k', 'z'),
    ]);
  });

  it('ACP-TRANSPORT-002 lone surrogates in any message are replaced, other escapes are kept', async () => {
    const { output, outbox } = open();
    outbox.enqueue({ 'key\udc00': 'a\ud834b', pair: '𝄞', path: 'C:\\udata\\ud834', quote: '\\"\n' }, null);
    await settled();
    expect(output.text).not.toMatch(/[^\\]\\ud[89a-f]/);
    expect(output.frames).toEqual([{ 'key\ufffd': 'a\ufffdb', pair: '𝄞', path: 'C:\\udata\\ud834', quote: '\\"\n' }]);
  });

  it('S4.15 a client that stops reading costs bytes, not frames, and gets everything in order', async () => {
    const { output, outbox } = open(1);
    output.stall();
    outbox.enqueue(other(0), null);
    await settled();
    for (let index = 1; index <= 1000; index += 1) {
      outbox.enqueueChunk('s', chunk('k', `${index},`));
      if (index % 250 === 0) outbox.enqueue(other(index), 's');
      await Promise.resolve();
    }
    expect(output.frames).toEqual([other(0)]);
    expect(outbox.pendingBytes).toBeGreaterThan(3000);
    output.release();
    await settled();
    const numbers = (from: number, to: number): string =>
      Array.from({ length: to - from }, (_, index) => `${from + index},`).join('');
    expect(output.frames).toEqual([
      other(0),
      update('s', 'k', numbers(1, 251)),
      other(250),
      update('s', 'k', numbers(251, 501)),
      other(500),
      update('s', 'k', numbers(501, 751)),
      other(750),
      update('s', 'k', numbers(751, 1001)),
      other(1000),
    ]);
    expect(outbox.pendingBytes).toBe(0);
  });

  it('S1.47 keeps writing in pieces behind a slow client, so that the rest can still merge', async () => {
    const { output, outbox } = open();
    output.stall();
    outbox.enqueue({ big: 'x'.repeat(400_000) }, null);
    outbox.enqueueChunk('s', chunk('k', 'a'));
    await settled();
    outbox.enqueueChunk('s', chunk('k', 'b'));
    expect(output.writes).toHaveLength(1);
    output.release();
    await settled();
    expect(output.frames.at(-1)).toEqual(update('s', 'k', 'ab'));
  });

  it('S1.200 tells when the stream accepted a line, not before', async () => {
    const { output, outbox } = open();
    const told: [number, boolean][] = [];
    output.stall();
    outbox.enqueue(other(1), null, (ok) => told.push([1, ok]));
    outbox.enqueue(other(2), null, (ok) => told.push([2, ok]));
    await settled();
    expect(output.frames).toHaveLength(2);
    expect(told).toEqual([]);
    output.release();
    await settled();
    expect(told).toEqual([
      [1, true],
      [2, true],
    ]);
  });

  it('S1.48 a broken output fails what waits and what comes, once, and nothing is kept', async () => {
    const { output, outbox, broken } = open(1);
    const told: [number, boolean][] = [];
    output.stall();
    outbox.enqueue(other(1), null, (ok) => told.push([1, ok]));
    await settled();
    outbox.enqueue(other(2), null, (ok) => told.push([2, ok]));
    outbox.enqueueChunk('s', chunk('k', 'x'));
    output.destroy(new Error('EPIPE'));
    await settled();
    outbox.enqueue(other(3), null, (ok) => told.push([3, ok]));
    outbox.enqueueChunk('s', chunk('k', 'x'));
    await settled();
    expect(told).toEqual([
      [1, false],
      [2, false],
      [3, false],
    ]);
    expect(broken.map(({ message }) => message)).toEqual(['EPIPE']);
    expect(outbox.closed).toBe(true);
    expect(output.frames).toEqual([other(1)]);
    await outbox.drained();
  });

  it('S1.50 drained waits for everything that was queued', async () => {
    const { output, outbox } = open(1);
    output.stall();
    outbox.enqueue(other(1), null);
    outbox.enqueue(other(2), null);
    let drained = false;
    const done = outbox.drained().then(() => {
      drained = true;
    });
    await settled();
    expect(drained).toBe(false);
    output.release();
    await done;
    expect(output.frames).toEqual([other(1), other(2)]);
  });

  it('S1.234 a closed outbox writes what was queued and takes nothing more', async () => {
    const { output, outbox } = open(1);
    const told: boolean[] = [];
    output.stall();
    outbox.enqueue(other(1), null);
    await settled();
    outbox.enqueueChunk('s', chunk('k', 'a'));
    outbox.close();
    outbox.enqueueChunk('s', chunk('k', 'b'));
    outbox.enqueue(other(2), null, (ok) => told.push(ok));
    output.release();
    await outbox.drained();
    expect(output.frames).toEqual([other(1), update('s', 'k', 'a')]);
    expect(told).toEqual([false]);
  });

  it('S4.8 a frame that cannot be built is left out and reported', async () => {
    const { output, outbox, faults } = open();
    const failing: TextChunk = {
      kind: 'chunk',
      key: 'k',
      text: 'x',
      build: () => {
        throw new Error('bad');
      },
    };
    outbox.enqueueChunk('s', failing);
    outbox.enqueue(other(1), null);
    await settled();
    expect(output.frames).toEqual([other(1)]);
    expect(faults).toHaveLength(1);
  });

  it('a session that ended keeps nothing, but what was held back is written', async () => {
    const { output, outbox } = open();
    outbox.enqueueChunk('s', chunk('k', 'x\ud834'));
    outbox.forgetSession('s');
    await settled();
    expect(output.frames).toEqual([update('s', 'k', 'x\ufffd')]);
  });

  it('S4.13 S4.14 property: nothing is lost, doubled or reordered within a session, whatever the client does', async () => {
    const unit = fc.constantFrom('a', 'b', 'é', '😀', '\ud83d', '\ude00');
    const text = fc.array(unit, { maxLength: 4 }).map((units) => units.join(''));
    const step = fc.oneof(
      fc.record({
        do: fc.constant('chunk' as const),
        session: fc.constantFrom('s', 't'),
        key: fc.constantFrom('k', 'l'),
        text,
      }),
      fc.record({ do: fc.constant('line' as const), session: fc.constantFrom('s', 't', null) }),
      fc.record({ do: fc.constantFrom('stall' as const, 'release' as const, 'turn' as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { output, outbox } = open(8);
        const expected: string[] = [];
        for (const [n, next] of steps.entries()) {
          if (next.do === 'chunk') {
            outbox.enqueueChunk(next.session, chunk(next.key, next.text));
            if (next.text !== '') expected.push(`${next.session}/${next.key}:${next.text}`);
          } else if (next.do === 'line') {
            const owner = next.session ?? '*';
            outbox.enqueue({ jsonrpc: '2.0', method: 'other', params: { n, owner } }, next.session);
            expected.push(`${owner}/${n}:`);
          } else if (next.do === 'stall') output.stall();
          else if (next.do === 'release') output.release();
          else await settled();
        }
        output.release();
        for (const session of ['s', 't']) outbox.forgetSession(session);
        await outbox.drained();
        const sent = output.frames.map((frame) => {
          const { sessionId, update: sentUpdate, n, owner } = frame.params ?? {};
          if (sentUpdate === undefined) return `${String(owner)}/${String(n)}:`;
          return `${sessionId}/${String(sentUpdate.key)}:${String(sentUpdate.text)}`;
        });
        for (const session of ['s', 't']) {
          expect(runs(sent, session)).toEqual(runs(expected, session));
        }
        expect(output.text.isWellFormed?.() ?? true).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

/** The frames that concern a session, with adjacent text of one key joined and halves of pairs replaced. */
function runs(frames: readonly string[], session: string): string[] {
  const joined: [string, string][] = [];
  for (const frame of frames) {
    const [, owner = '', key = '', text = ''] = /^([^/]*)\/([^:]*):([\s\S]*)$/.exec(frame) ?? [];
    if (owner !== session && owner !== '*') continue;
    const last = joined.at(-1);
    if (text !== '' && last?.[0] === key) last[1] += text;
    else joined.push([key, text]);
  }
  return joined.map(
    ([key, text]) =>
      `${key}:${text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')}`,
  );
}

declare global {
  interface String {
    isWellFormed?(): boolean;
  }
}
