import { describe, expect, it } from 'vitest';
import { type ClientReply, ClientRequests } from '../../../src/adapters/acp/client-requests.ts';
import { Outbox } from '../../../src/adapters/acp/outbox.ts';
import { SessionGates } from '../../../src/adapters/acp/session-gates.ts';
import { settled } from './support/event-loop.ts';
import { FakeLog } from './support/fake-log.ts';
import { FakeOutput } from './support/fake-output.ts';

function open(): {
  requests: ClientRequests;
  gates: SessionGates;
  output: FakeOutput;
  log: FakeLog;
  replies: ClientReply[];
} {
  const output = new FakeOutput();
  const log = new FakeLog();
  const gates = new SessionGates();
  const outbox = new Outbox(output, { broken: () => {}, fault: () => {} });
  return { requests: new ClientRequests(outbox, gates, log), gates, output, log, replies: [] };
}

describe('ClientRequests', () => {
  it('S1.49 numbers requests from 0 and settles each with its own answer', async () => {
    const { requests, output, replies } = open();
    expect(requests.send('a', { x: 1 }, (reply) => replies.push(reply)).id).toBe(0);
    expect(requests.send('b', {}, (reply) => replies.push(reply)).id).toBe(1);
    await settled();
    expect(output.frames).toEqual([
      { jsonrpc: '2.0', id: 0, method: 'a', params: { x: 1 } },
      { jsonrpc: '2.0', id: 1, method: 'b', params: {} },
    ]);
    requests.receive({ jsonrpc: '2.0', id: 1, result: 'second' });
    requests.receive({ jsonrpc: '2.0', id: 0, result: null });
    expect(replies).toEqual([
      { ok: true, result: 'second' },
      { ok: true, result: null },
    ]);
  });

  it.each([
    ['an error', { error: { code: -32601, message: 'no' } }, { ok: false, code: -32601, reason: 'no' }],
    ['an error without text', { error: {} }, { ok: false, code: null, reason: 'The client answered an error' }],
    ['an error that is no object', { error: 'no' }, { ok: false, code: null, reason: 'The answer is malformed' }],
    ['neither result nor error', {}, { ok: false, code: null, reason: 'The answer is malformed' }],
    [
      'both',
      { result: {}, error: { code: 1, message: 'x' } },
      { ok: false, code: null, reason: 'The answer is malformed' },
    ],
  ])('S5.16 %s is no result', (_name, members, reply) => {
    const { requests, replies } = open();
    requests.send('a', {}, (settledWith) => replies.push(settledWith));
    requests.receive({ jsonrpc: '2.0', id: 0, ...members });
    expect(replies).toEqual([reply]);
  });

  it('S5.21 S5.22 S1.233 withdraws with one cancel and drops the late answer silently', async () => {
    const { requests, output, log, replies } = open();
    const request = requests.send('a', {}, (reply) => replies.push(reply));
    request.withdraw();
    request.withdraw();
    await settled();
    expect(output.frames.slice(1)).toEqual([{ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 0 } }]);
    requests.receive({ jsonrpc: '2.0', id: 0, result: {} });
    expect(replies).toEqual([]);
    expect(log.lines).toEqual([]);
  });

  it('S5.29 an answer before the withdrawal wins, and no cancel is sent', async () => {
    const { requests, output, replies } = open();
    const request = requests.send('a', {}, (reply) => replies.push(reply));
    requests.receive({ jsonrpc: '2.0', id: 0, result: {} });
    request.withdraw();
    await settled();
    expect(replies).toHaveLength(1);
    expect(output.frames).toHaveLength(1);
  });

  it.each([[5], ['0'], [null], [0.5], [undefined]])('S1.42 an answer to the unknown id %s is one warning', (id) => {
    const { requests, log, replies } = open();
    requests.send('a', {}, (reply) => replies.push(reply));
    requests.receive({ jsonrpc: '2.0', id, result: { secret: 'x' } });
    expect(replies).toEqual([]);
    expect(log.lines).toEqual([
      { level: 'warn', message: 'The client answered a request that was not sent', context: { id } },
    ]);
  });

  it('S1.42 a second answer is unknown', () => {
    const { requests, log, replies } = open();
    requests.send('a', {}, (reply) => replies.push(reply));
    requests.receive({ id: 0, result: 1 });
    requests.receive({ id: 0, result: 2 });
    expect(replies).toEqual([{ ok: true, result: 1 }]);
    expect(log.lines).toHaveLength(1);
  });

  it('S1.202 S1.205 a request waits at the gate of its session, and can be withdrawn or dropped there unseen', async () => {
    const { requests, gates, output, log, replies } = open();
    gates.hold('s', 9, 'release');
    const withdrawn = requests.send('a', {}, (reply) => replies.push(reply), 's');
    requests.send('b', {}, (reply) => replies.push(reply), 's');
    requests.receive({ id: 1, result: 'guessed' });
    expect(log.lines).toHaveLength(1);
    withdrawn.withdraw();
    gates.open(9, true);
    await settled();
    expect(output.frames).toEqual([{ jsonrpc: '2.0', id: 1, method: 'b', params: {} }]);

    gates.hold('t', 10, 'drop');
    requests.send('c', {}, (reply) => replies.push(reply), 't');
    gates.open(10, false);
    await settled();
    expect(output.frames).toHaveLength(1);
    expect(replies).toEqual([{ ok: false, code: -32800, reason: 'The request was dropped before it was sent' }]);
  });

  it('S1.234 S5.20 the end of the connection settles all as failed and sends nothing', async () => {
    const { requests, output, replies } = open();
    const open0 = requests.send('a', {}, (reply) => replies.push(reply));
    await settled();
    requests.close();
    open0.withdraw();
    requests.send('b', {}, (reply) => replies.push(reply));
    expect(replies).toHaveLength(1);
    await settled();
    const reply = { ok: false, code: null, reason: 'The ACP connection is closed' };
    expect(replies).toEqual([reply, reply]);
    expect(output.frames).toHaveLength(1);
  });

  it('a failing waiter is logged and does not stop others', () => {
    const { requests, log, replies } = open();
    requests.send('a', {}, () => {
      throw new Error('bad');
    });
    requests.send('b', {}, (reply) => replies.push(reply));
    requests.close();
    expect(replies).toHaveLength(1);
    expect(log.lines.map(({ level }) => level)).toEqual(['error']);
  });

  it('remembers a bounded number of withdrawn requests', () => {
    const { requests, log } = open();
    for (let index = 0; index < 1100; index += 1) requests.send('a', {}, () => {}).withdraw();
    requests.receive({ id: 0, result: {} });
    requests.receive({ id: 1099, result: {} });
    expect(log.lines).toHaveLength(1);
  });
});
