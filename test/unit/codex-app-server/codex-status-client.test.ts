import { beforeEach, describe, expect, it } from 'vitest';
import { settled } from '../../support/fake-app-server.ts';
import { exchange, type RuntimeLab, refusal, runtimeLab } from './runtime-lab.ts';

let lab: RuntimeLab;
beforeEach(async () => {
  lab = await runtimeLab();
});

describe('rate limits', () => {
  const limit = (limitId: string | null, usedPercent: number) => ({
    limitId,
    limitName: null,
    normalModelSlug: null,
    primary: { usedPercent, windowDurationMins: 300, resetsAt: 99 },
    secondary: null,
    credits: null,
    individualLimit: null,
    spendControlReached: null,
    planType: null,
    rateLimitReachedType: null,
  });
  const read = async (answer: object) => {
    const { params, value } = await exchange(lab, lab.runtime.status.rateLimits(), 'account/rateLimits/read', answer);
    return { params, limits: value.map(({ limitId, primary }) => [limitId, primary?.usedPercent]) };
  };

  it('S3.165 all limits, each once', async () => {
    const byId = { codex: limit('codex', 2), luna: limit(null, 3) };
    expect(await read({ rateLimits: limit('codex', 1), rateLimitsByLimitId: byId })).toEqual({
      params: undefined,
      limits: [
        ['codex', 2],
        ['luna', 3],
      ],
    });
  });

  it('S3.165 the one limit of a Codex that knows no others; one without a name is `codex`', async () => {
    expect((await read({ rateLimits: limit(null, 1), rateLimitsByLimitId: null })).limits).toEqual([[null, 1]]);
    const byId = { codex: limit('codex', 2) };
    expect((await read({ rateLimits: limit(null, 1), rateLimitsByLimitId: byId })).limits).toEqual([['codex', 2]]);
    expect((await read({})).limits).toEqual([]);
  });

  it('S2.119 without an account Codex refuses', async () => {
    const text = 'codex account authentication required to read rate limits';
    expect(await refusal(lab, lab.runtime.status.rateLimits(), 'account/rateLimits/read', text)).toMatchObject({
      message: text,
    });
  });
});

describe('MCP servers', () => {
  const METHOD = 'mcpServerStatus/list';
  const server = (name: string, runtimeStatus: string | null, fields: object = {}) => ({
    name,
    runtimeStatus,
    tools: {},
    toolsError: null,
    authStatus: 'unsupported',
    resources: [],
    ...fields,
  });

  it('S2.166 all pages of the thread', async () => {
    const list = lab.runtime.status.mcpServers('t1');
    await settled();
    expect(lab.codex.lastRequest(METHOD).params).toEqual({
      cursor: null,
      detail: 'toolsAndAuthOnly',
      threadId: 't1',
    });
    lab.codex.answer(METHOD, {
      data: [server('docs', 'connected', { tools: { a: {}, b: {} }, authStatus: 'oAuth' })],
      nextCursor: 'more',
    });
    const { params, value } = await exchange(lab, list, METHOD, {
      data: [
        server('web', 'authenticationRequired', { authStatus: 'notLoggedIn' }),
        server('bad', 'failed', { toolsError: 'connection closed' }),
        server('new', 'aFutureState'),
        { name: 'bare' },
      ],
      nextCursor: null,
    });
    expect(params).toEqual({ cursor: 'more', detail: 'toolsAndAuthOnly', threadId: 't1' });
    expect(value).toEqual([
      { name: 'docs', connection: 'connected', tools: 2, signedIn: true, error: null },
      { name: 'web', connection: 'authenticationRequired', tools: 0, signedIn: false, error: null },
      { name: 'bad', connection: 'failed', tools: 0, signedIn: true, error: 'connection closed' },
      { name: 'new', connection: 'unknown', tools: 0, signedIn: true, error: null },
      { name: 'bare', connection: 'unknown', tools: 0, signedIn: true, error: null },
    ]);
  });

  it('S2.166 a repeated cursor ends the list', async () => {
    const list = lab.runtime.status.mcpServers('t1');
    for (const name of ['a', 'b']) {
      await settled();
      lab.codex.answer(METHOD, { data: [server(name, 'connected')], nextCursor: 'same' });
    }
    expect((await list).map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it.each(['thread not found: t1', 'thread not loaded: t1'])(
    'S2.166 without the thread (%s) the configured servers are listed, and no state is known',
    async (text) => {
      const list = lab.runtime.status.mcpServers('t1');
      await settled();
      lab.codex.refuse(METHOD, text);
      const { params, value } = await exchange(lab, list, METHOD, {
        data: [server('docs', null), server('web', 'connected')],
        nextCursor: null,
      });
      expect(params).toEqual({ cursor: null, detail: 'toolsAndAuthOnly' });
      expect(value.map(({ name, connection }) => [name, connection])).toEqual([
        ['docs', 'unknown'],
        ['web', 'unknown'],
      ]);
    },
  );

  it('S2.166 any other error is one', async () => {
    expect(await refusal(lab, lab.runtime.status.mcpServers('t1'), METHOD, 'disk full')).toMatchObject({
      message: 'disk full',
    });
  });

  it('C036 a secret that an MCP server says again is masked', async () => {
    const start = lab.runtime.threads.start({
      cwd: '/w',
      modelProvider: null,
      config: { mcp_servers: { docs: { url: 'http://d', http_headers: { 'X-Key': 'hush-hush' } } } },
      developerInstructions: null,
    });
    await exchange(lab, start, 'thread/start', { thread: { id: 't1', status: { type: 'idle' } }, model: 'gpt' });
    const { value } = await exchange(lab, lab.runtime.status.mcpServers('t1'), METHOD, {
      data: [server('docs', 'failed', { toolsError: 'header hush-hush was refused' })],
      nextCursor: null,
    });
    expect(value[0]?.error).toBe('header [redacted] was refused');
  });

  it('S2.169 reconnecting reloads the configuration', async () => {
    const reload = lab.runtime.status.reconnectMcpServers();
    const { params, value } = await exchange(lab, reload, 'config/mcpServer/reload', {});
    expect(params).toBeUndefined();
    expect(value).toBeUndefined();
  });
});
