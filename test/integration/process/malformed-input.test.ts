import { describe, expect } from 'vitest';
import type { Frame } from '../../support/acp-client.ts';
import { errorOf, type Json, type TestAgent, test } from './lab.ts';

const parseError: Json = { code: -32700, message: 'Parse error' };
const batch: Json = { code: -32600, message: 'Invalid request: JSON-RPC batches are not supported' };
const invalid = (data: Json): Json => ({ code: -32600, message: 'Invalid request', data });
const unknownMethod = (method: string): Json => ({
  code: -32601,
  message: `"Method not found": ${method}`,
  data: { method },
});

let probes = 0;

/** What the agent answers to a line, seen by a request after it. */
async function answersTo(agent: TestAgent, line: string): Promise<Json[]> {
  const from = agent.client.received.length;
  probes += 1;
  const probe = `probe-${probes}`;
  agent.client.raw(`${line}\n{"jsonrpc":"2.0","id":"${probe}","method":"probe"}\n`);
  await agent.client.waitFor((frame) => frame.id === probe, from);
  return agent.client.received.slice(from).flatMap((frame: Frame) => {
    if (frame.method !== undefined || frame.id === probe) return [];
    return [{ id: frame.id, ...(frame.error === undefined ? { result: frame.result } : { error: frame.error }) }];
  });
}

const anyState: [line: string, error: Json | null][] = [
  ['nonsense', parseError],
  ['{"jsonrpc":"2.0","id":1,', parseError],
  ['[]', batch],
  ['[{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}]', batch],
  ['7', invalid(7)],
  ['null', invalid(null)],
  ['true', invalid(true)],
  ['"text"', invalid('text')],
  // Nothing to answer: responses to requests that were not sent, notifications, empty lines.
  ['{"jsonrpc":"2.0","id":99,"result":{}}', null],
  ['{"jsonrpc":"2.0","id":99,"error":{"code":1,"message":"x"}}', null],
  ['{"jsonrpc":"2.0","id":99}', null],
  ['{"jsonrpc":"2.0","method":"nope"}', null],
  ['{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"none"}}', null],
  ['{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":12345}}', null],
  ['', null],
  ['  \t \r', null],
];

describe('malformed input (S1.42)', () => {
  test('before initialize (S1.92), and the connection goes on', async ({ lab }) => {
    const agent = lab.agent();
    for (const [line, error] of anyState) {
      expect([line, await answersTo(agent, line)]).toEqual([line, error === null ? [] : [{ id: null, error }]]);
    }
    const notFirst = invalid('first ACP message must be an initialize request');
    for (const line of ['{}', '{"a":1}', '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":{},"method":"initialize"}']) {
      expect([line, await answersTo(agent, line)]).toEqual([line, [{ id: null, error: notFirst }]]);
    }
    const first = invalid('first ACP request must be initialize');
    for (const [id, method] of [
      [1, 'session/new'],
      ['a', 'nope'],
      [0, 'authenticate'],
    ]) {
      const line = JSON.stringify({ jsonrpc: '2.0', id, method, params: {} });
      expect([line, await answersTo(agent, line)]).toEqual([line, [{ id, error: first }]]);
    }
    expect(await agent.initialize()).toMatchObject({ protocolVersion: 1 });
  });

  test.for(['plainV1', 'plainV2'] as const)('after initialize: %s', async (profile, { lab }) => {
    const agent = lab.agent({ profile });
    await agent.initialize();
    for (const [line, error] of anyState) {
      expect([line, await answersTo(agent, line)]).toEqual([line, error === null ? [] : [{ id: null, error }]]);
    }
    for (const value of [{}, { a: 1 }, { jsonrpc: '2.0' }, { jsonrpc: '1.0', id: 1, method: 'logout' }]) {
      const line = JSON.stringify(value);
      expect([line, await answersTo(agent, line)]).toEqual([line, [{ id: null, error: invalid(value) }]]);
    }
    // JSON-RPC ids come back as they were (S1.49, ACP-JSONRPC-001).
    for (const id of [0, -5, 2 ** 40, '', '7', 'ünï "quoted" \u2028']) {
      const line = JSON.stringify({ jsonrpc: '2.0', id, method: 'nope' });
      expect([line, await answersTo(agent, line)]).toEqual([line, [{ id, error: unknownMethod('nope') }]]);
    }
    for (const method of ['_unknown/extension', 'session/archive', 'auth/status', 'toString', '__proto__', '']) {
      const line = JSON.stringify({ jsonrpc: '2.0', id: 8, method, params: {} });
      expect([line, await answersTo(agent, line)]).toEqual([line, [{ id: 8, error: unknownMethod(method) }]]);
    }
    for (const id of [null, 1.5]) {
      const line = JSON.stringify({ jsonrpc: '2.0', id, method: 'nope' });
      const refused = { code: -32600, message: 'Invalid request: ACP v2 request IDs must be strings or integers' };
      const answer = agent.version === 1 ? { id, error: unknownMethod('nope') } : { id: null, error: refused };
      expect([line, await answersTo(agent, line)]).toEqual([line, [answer]]);
    }
    expect(await agent.newSession(lab.workspace())).toEqual(expect.any(String));
    expect(agent.process.stderr()).toBe('');
  });

  test.for(['plainV1', 'plainV2'] as const)('wrong params (S1.44, S1.45, S1.100): %s', async (profile, { lab }) => {
    const agent = lab.agent({ profile });
    await agent.initialize();
    const missing = (type: string): Json => ({ _errors: [`Invalid input: expected ${type}, received undefined`] });
    const fields: [method: string, params: Json, data: Json][] = [
      ['session/new', {}, { cwd: missing('string') }],
      [
        'session/new',
        { cwd: 7, mcpServers: [] },
        { cwd: { _errors: ['Invalid input: expected string, received number'] } },
      ],
      ['session/prompt', { sessionId: 'x' }, { prompt: missing('array') }],
      ['session/prompt', { prompt: [] }, { sessionId: missing('string') }],
      ['session/close', {}, { sessionId: missing('string') }],
      [agent.methods.login, {}, { methodId: missing('string') }],
    ];
    for (const [method, params, data] of fields) {
      expect([method, await errorOf(agent.request(method, params))]).toMatchObject([
        method,
        { code: -32602, message: 'Invalid params', data: { _errors: [], ...data } },
      ]);
    }
    for (const params of [undefined, [], 'text', 7]) {
      expect(await errorOf(agent.request('session/prompt', params))).toMatchObject({ code: -32602 });
    }
    for (const cwd of ['', 'relative', './here', '~', 'file:///tmp', '/tmp/\0nul']) {
      expect(await errorOf(agent.request('session/new', { cwd, mcpServers: [] }))).toEqual({
        code: -32602,
        message: 'Invalid params: cwd must be an absolute path',
        data: undefined,
      });
    }
    const directories = { cwd: '/', mcpServers: [], additionalDirectories: ['relative'] };
    expect(await errorOf(agent.request('session/new', directories))).toEqual({
      code: -32602,
      message: 'Invalid params: additionalDirectories entries must be absolute paths',
      data: undefined,
    });
    // A log-out may come without params.
    await agent.request(agent.methods.logout, undefined);
    await agent.request(agent.methods.logout, null);
    expect(await errorOf(agent.prompt('no-such-session', 'Hi'))).toEqual({
      code: -32002,
      message: 'Session no-such-session not found',
      data: { sessionId: 'no-such-session' },
    });
    expect(await agent.newSession(lab.workspace(), { unknownField: { x: 1 } })).toEqual(expect.any(String));
    expect(agent.process.stderr()).toBe('');
  });

  test.for(['plainV1', 'plainV2'] as const)(
    'requests before the answer to initialize (S1.94): %s',
    async (profile, { lab }) => {
      const agent = lab.agent({ profile });
      const initialized = agent.initialize();
      const early = await errorOf(agent.request('session/new', { cwd: '/', mcpServers: [] }));
      expect(early).toEqual(
        agent.version === 1
          ? {
              code: -32600,
              message: "Invalid request: ACP connection must be initialized before 'session/new'",
              data: undefined,
            }
          : invalid("ACP v2 connection must be initialized before 'session/new'"),
      );
      await initialized;
      expect(await agent.newSession(lab.workspace())).toEqual(expect.any(String));
    },
  );
});

describe('lines (S1.41, S1.46)', () => {
  test('any chunks, CR LF and blanks around a message', async ({ lab }) => {
    const agent = lab.agent();
    const bytes = Buffer.from(
      `\r\n  ${JSON.stringify({ jsonrpc: '2.0', id: 'ünï😀', method: 'initialize', params: agent.profile })} \r\n`,
    );
    // Byte by byte, so that characters are cut as well.
    for (const byte of bytes) agent.process.child.stdin?.write(Buffer.of(byte));
    expect(await agent.client.waitFor((frame) => frame.id === 'ünï😀')).toMatchObject({
      result: { protocolVersion: 1 },
    });
    // Two messages in one write keep their order, and a last line needs no line feed.
    agent.client.raw('{"jsonrpc":"2.0","id":"a","method":"x"}\r\n{"jsonrpc":"2.0","id":"b","method":"y"}');
    await agent.client.waitFor((frame) => frame.id === 'a');
    expect(agent.client.received.at(-1)?.id).toBe('a');
    expect(await agent.end()).toEqual({ code: 0, signal: null });
    expect(agent.client.received.at(-1)?.id).toBe('b');
  });

  test('S1.46 a message above the limit is skipped and told, the next one is answered', { timeout: 30_000 }, async ({
    lab,
  }) => {
    const agent = lab.agent();
    await agent.initialize();
    const limit = 256 * 1024 * 1024;
    const { stdin } = agent.process.child;
    const megabyte = Buffer.alloc(1024 * 1024, 'x');
    stdin?.write('{"jsonrpc":"2.0","id":"big","method":"session/prompt","params":{"text":"');
    for (let sent = 0; sent <= limit; sent += megabyte.length) {
      if (stdin?.write(megabyte) === false) await new Promise((resolve) => stdin.once('drain', resolve));
    }
    stdin?.write('"}}\n');
    expect(await agent.client.waitFor((frame) => frame.id === null)).toMatchObject({
      error: { code: -32600, message: `Invalid request: the message is longer than the limit of ${limit} bytes` },
    });
    expect(await agent.newSession(lab.workspace())).toEqual(expect.any(String));
  });
});
