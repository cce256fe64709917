import { describe, expect, it } from 'vitest';
import { RequestTable } from '../../../src/adapters/codex-app-server/request-table.ts';
import { RpcConnection } from '../../../src/adapters/codex-app-server/rpc-connection.ts';
import { trafficTrace } from '../../../src/adapters/codex-app-server/traffic-trace.ts';
import { settled } from '../../support/fake-app-server.ts';
import { RecordedLog } from './recorded-log.ts';

function connect(taken: readonly string[] = []) {
  const written: string[] = [];
  const heard: unknown[] = [];
  const log = new RecordedLog();
  const connection = new RpcConnection({
    write: (line) => written.push(line),
    receiver: {
      onNotification: (method, params) => {
        if (method === 'boom') throw new Error('listener failed');
        heard.push([method, params]);
      },
      onRequest: (id, method, params) => {
        heard.push([id, method, params]);
        return taken.includes(method);
      },
    },
    log,
    trace: null,
    explain: (message) => `explained: ${message}`,
  });
  return { connection, written, heard, log };
}

describe('rpc connection', () => {
  it('S1.75 S1.78 writes one line per message, without a jsonrpc member, with ids from 0', () => {
    const { connection, written } = connect();
    void connection.request('thread/unsubscribe', { threadId: 't' });
    void connection.request('account/logout', undefined);
    connection.notify('initialized');
    expect(written).toEqual([
      '{"id":0,"method":"thread/unsubscribe","params":{"threadId":"t"}}\n',
      '{"id":1,"method":"account/logout"}\n',
      '{"method":"initialized"}\n',
    ]);
  });

  it('S1.75 dispatches in the order of arrival and at once', () => {
    const { connection, heard } = connect(['ask']);
    connection.receive('{"method":"a","params":1}');
    connection.receive('{"jsonrpc":"2.0","id":"7","method":"ask","params":2}');
    connection.receive('{"method":"b"}');
    expect(heard).toEqual([
      ['a', 1],
      ['7', 'ask', 2],
      ['b', undefined],
    ]);
  });

  it('S1.226 settles requests by id, in any order; errors are explained and keep code and data', async () => {
    const { connection } = connect();
    const first = connection.request('model/list', {});
    const second = connection.request('account/read', {});
    connection.receive('{"id":1,"error":{"code":-32600,"message":"no","data":{"x":1}}}');
    connection.receive('{"id":0,"result":{"data":[]}}');
    await expect(second).rejects.toMatchObject({
      name: 'CodexRequestError',
      code: -32600,
      message: 'explained: no',
      data: { x: 1 },
    });
    await expect(first).resolves.toEqual({ data: [] });
  });

  it('S1.75 a caller sees its result before anybody sees what Codex wrote after it', async () => {
    const { connection, heard } = connect();
    const caller = async (): Promise<unknown> =>
      (await connection.request('thread/unsubscribe', { threadId: 't' })) ?? 0;
    const calls = ['first', 'second'].map((name) => caller().then(() => heard.push(name)));
    connection.receive('{"method":"before"}');
    connection.receive('{"id":0,"result":{}}');
    connection.receive('{"method":"between"}');
    connection.receive('{"id":1,"result":{}}');
    connection.receive('{"method":"after"}');
    await Promise.all(calls);
    await settled();
    expect(heard).toEqual([['before', undefined], 'first', ['between', undefined], 'second', ['after', undefined]]);
  });

  it('S8.5 what is held behind a result is heard before the loss', () => {
    const { connection, heard } = connect();
    void connection.request('model/list', {});
    connection.receive('{"id":0,"result":{}}');
    connection.receive('{"method":"last words"}');
    connection.flush();
    expect(heard).toEqual([['last words', undefined]]);
  });

  it('S1.82 refuses unknown requests with -32601 and keeps the type of their ids', () => {
    const { connection, written } = connect();
    connection.receive('{"id":7,"method":"attestation/generate"}');
    connection.receive('{"id":"7","method":"x"}');
    expect(written.map((line) => JSON.parse(line))).toEqual([
      { id: 7, error: { code: -32601, message: 'Unhandled method attestation/generate' } },
      { id: '7', error: { code: -32601, message: 'Unhandled method x' } },
    ]);
  });

  it('S5.6 answers a request of Codex once', () => {
    const { connection, written } = connect(['ask']);
    connection.receive('{"id":3,"method":"ask"}');
    connection.respond(3, { decision: 'accept' });
    connection.respond(3, { decision: 'cancel' });
    connection.respond(4, {});
    expect(written).toEqual(['{"id":3,"result":{"decision":"accept"}}\n']);
  });

  it('S1.75 drops lines that are no messages and logs their length only', () => {
    const { connection, heard, log } = connect();
    for (const line of ['{"secret-key', '42', 'null', '  ']) connection.receive(line);
    connection.receive('{"id":99,"result":1}');
    connection.receive('{"method":"next"}');
    expect(heard).toEqual([['next', undefined]]);
    expect(log.lines('error')).toHaveLength(3);
    expect(log.entries[0]?.context).toEqual({ length: 12 });
    expect(log.text).not.toContain('secret');
  });

  it('S1.75 a failing listener does not stop what comes after', () => {
    const { connection, heard, log } = connect();
    connection.receive('{"method":"boom"}');
    connection.receive('{"method":"next"}');
    expect(heard).toEqual([['next', undefined]]);
    expect(log.lines('error')).toHaveLength(1);
  });

  it('S8.5 a sealed connection hears but does not write; closing fails everything that waits and what comes later', async () => {
    const { connection, written, heard } = connect(['ask']);
    const before = connection.request('model/list', {});
    connection.receive('{"id":3,"method":"ask"}');
    connection.seal();
    const after = connection.request('account/read', {});
    connection.respond(3, {});
    connection.receive('{"method":"last words"}');
    expect(written).toHaveLength(1);
    expect(heard.at(-1)).toEqual(['last words', undefined]);
    connection.close(new Error('gone'));
    await expect(before).rejects.toThrow('gone');
    await expect(after).rejects.toThrow('gone');
    await expect(connection.request('model/list', {})).rejects.toThrow('gone');
  });

  it('S1.32 S1.34 traffic lines have tags and no secrets', async () => {
    const log = new RecordedLog();
    const connection = new RpcConnection({
      write: () => {},
      receiver: { onNotification: () => {}, onRequest: () => true },
      log,
      trace: trafficTrace(log, (text) => text),
      explain: (message) => message,
    });
    void connection.request('account/login/start', { type: 'apiKey', apiKey: 'sk-secret-1' });
    void connection.request('thread/start', {
      config: { mcp_servers: { a: { env: { TOKEN: 'secret-2' }, http_headers: { Authorization: 'secret-3' } } } },
    });
    connection.receive('{"id":0,"result":{"authUrl":"https://secret-4","total":12,"nextToken":null}}');
    expect(log.lines('debug').map((line) => line.slice(0, 6))).toEqual(['[IN] {', '[IN] {', '[OUT] ']);
    expect(log.text).not.toContain('secret-');
    expect(log.text).toContain('Authorization');
    expect(log.text).toContain('\\"total\\":12');
  });
});

describe('request table', () => {
  it('S1.78 counts ids from 0 and gives each request back once, by number only', () => {
    const table = new RequestTable();
    const request = { method: 'm', resolve: () => {}, reject: () => {} };
    expect([table.open(request), table.open(request)]).toEqual([0, 1]);
    expect(table.take('1')).toBeUndefined();
    expect(table.take(1)).toBe(request);
    expect(table.take(1)).toBeUndefined();
    expect(table.size).toBe(1);
  });

  it('S8.5 rejects all that wait, oldest first', () => {
    const table = new RequestTable();
    const rejected: string[] = [];
    for (const method of ['a', 'b']) table.open({ method, resolve: () => {}, reject: () => rejected.push(method) });
    table.rejectAll(new Error('gone'));
    table.rejectAll(new Error('gone'));
    expect(rejected).toEqual(['a', 'b']);
  });
});
