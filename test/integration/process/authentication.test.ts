import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { CodexHome } from '../../support/codex-home.ts';
import { errorOf, type Json, type Lab, type StartOptions, type TestAgent, test } from './lab.ts';

const none = { kind: 'none', label: 'Not logged in' };
const apiKey = { kind: 'api_key', label: 'OpenAI API key' };
const gateway = (detail: string): Json => ({ kind: 'gateway', label: 'Custom model gateway', detail });
const loginNeeded = { code: -32000, message: 'Authentication required', data: undefined };
const noKey = {
  code: -32603,
  message: 'Internal error: CODEX_API_KEY or OPENAI_API_KEY is not set',
  data: { envVars: ['CODEX_API_KEY', 'OPENAI_API_KEY'] },
};

const versions = ['plainV1', 'plainV2'] as const;

/** A Codex that needs a login and sends the key to the model server, without the web sockets of its own provider. */
function keyedHome(lab: Lab): CodexHome {
  const provider = [
    'model_provider = "keyed"',
    '[model_providers.keyed]',
    'name = "Keyed"',
    `base_url = "${lab.server.baseUrl}"`,
    'wire_api = "responses"',
    'requires_openai_auth = true',
  ];
  return lab.home({ defaultProvider: false, extraToml: provider.join('\n') });
}

function start(lab: Lab, home: CodexHome, options: StartOptions = {}): TestAgent {
  return lab.agent({ ...options, home, env: { MODEL_PROVIDER: undefined, ...options.env } });
}

/** What the last turn sent to the model server. */
async function headersOfTurn(lab: Lab, agent: TestAgent, sessionId: string): Promise<Json> {
  const before = lab.server.turnRequests.length;
  await agent.turn(sessionId, 'Hello');
  return lab.server.turnRequests[before]?.headers;
}

function offering(agent: TestAgent): Json {
  const auth = { _meta: { gateway: true } };
  return agent.version === 1
    ? { ...agent.profile, clientCapabilities: { ...agent.profile.clientCapabilities, auth } }
    : { ...agent.profile, capabilities: { ...agent.profile.capabilities, auth } };
}

describe('status (S1.185-S1.189)', () => {
  test.for(versions)('S1.188, S1.200 the first push follows the answer to initialize: %s', async (profile, { lab }) => {
    const agent = start(lab, lab.openAiHome(), { profile });
    const initialized = agent.initialize();
    await agent.client.waitFor((frame) => frame.method === '_auth/status_update');
    await initialized;
    expect(agent.frames.map((frame) => frame.method ?? `answer ${frame.id}`)).toEqual([
      'answer 1',
      '_auth/status_update',
    ]);
    expect(agent.statuses).toEqual([none]);
  });

  test('S1.189 an initialize with the id null gets the push as well', async ({ lab }) => {
    const agent = start(lab, lab.openAiHome());
    agent.client.send({ jsonrpc: '2.0', id: null, method: 'initialize', params: agent.profile });
    await agent.client.waitFor((frame) => frame.method === '_auth/status_update');
    expect(agent.frames).toMatchObject([
      { id: null, result: { protocolVersion: 1 } },
      { method: '_auth/status_update' },
    ]);
  });

  test('S1.189 a login of another client is seen without any session', async ({ lab }) => {
    const relay = await lab.relay();
    relay.onStart = (codex) => codex.relay((message) => (message.id === 'other' ? null : message));
    const agent = start(lab, lab.openAiHome(), { env: { CODEX_PATH: relay.path } });
    await agent.initialize();
    await agent.client.waitFor((frame) => frame.method === '_auth/status_update');
    const codex = await relay.process(0);
    const params = { type: 'apiKey', apiKey: 'sk-other' };
    codex.send('codex', { id: 'other', method: 'account/login/start', params });
    await agent.client.waitFor((frame) => frame.params?.authStatus?.kind === 'api_key');
    expect(agent.statuses).toEqual([none, apiKey]);
  });

  test('S1.95, S1.189 a repeated initialize pushes nothing that is known', async ({ lab }) => {
    const agent = start(lab, lab.openAiHome());
    await agent.initialize();
    await agent.client.waitFor((frame) => frame.method === '_auth/status_update');
    await agent.initialize();
    await agent.logout();
    expect(agent.statuses).toEqual([none]);
  });

  test.for([
    ['mock', gateway('mock')],
    ['WIRE', { kind: 'gateway', label: 'JetBrains Air Gateway' }],
  ] as const)('S1.187 the provider of the environment: %s', async ([provider, status], { lab }) => {
    const definition = { name: 'Wire', base_url: lab.server.baseUrl, wire_api: 'responses' };
    const agent = lab.agent({
      env: { MODEL_PROVIDER: provider, CODEX_CONFIG: JSON.stringify({ model_providers: { WIRE: definition } }) },
    });
    await agent.initialize();
    await agent.client.waitFor((frame) => frame.method === '_auth/status_update');
    expect(agent.statuses).toEqual([status]);
  });
});

describe('api-key (S1.155)', () => {
  test.for(versions)('login needed, login, logout: %s', async (profile, { lab }) => {
    const agent = start(lab, lab.openAiHome(), { profile });
    const workspace = lab.workspace();
    await agent.initialize();
    // S1.190, S1.191.
    expect(await errorOf(agent.newSession(workspace))).toEqual(loginNeeded);
    expect(await errorOf(agent.login('api-key'))).toEqual(noKey);
    expect(await errorOf(agent.login('api-key', { 'api-key': { apiKey: ' \t ' } }))).toEqual(noKey);
    expect(await errorOf(agent.login('api-key', { 'api-key': { apiKey: 7 } }))).toMatchObject({ code: -32602 });
    expect(await errorOf(agent.login('no-such-method'))).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^Invalid params/),
    });
    expect(await errorOf(agent.newSession(workspace))).toEqual(loginNeeded);
    expect(await agent.login('api-key', { 'api-key': { apiKey: 'sk-one' } })).toEqual({});
    // S1.150: the status comes before the answer.
    expect(agent.frames.at(-2)).toMatchObject({ method: '_auth/status_update', params: { authStatus: apiKey } });
    await agent.newSession(workspace);
    // S12.9: a working login of Codex is enough.
    expect(await agent.login('api-key')).toEqual({});
    expect(await agent.logout()).toEqual({});
    expect(agent.frames.at(-2)).toMatchObject({ method: '_auth/status_update', params: { authStatus: none } });
    expect(await errorOf(agent.newSession(workspace))).toEqual(loginNeeded);
    // S1.175: once more succeeds; S1.189: and is not told again.
    expect(await agent.logout()).toEqual({});
    expect(agent.statuses).toEqual([none, apiKey, none]);
  });

  test.for(versions)('S2.125 S2.120 `/logout` in an open session: %s', async (profile, { lab }) => {
    const agent = start(lab, lab.openAiHome(), { profile });
    await agent.initialize();
    await agent.login('api-key', { 'api-key': { apiKey: 'sk-one' } });
    const sessionId = await agent.newSession(lab.workspace());
    await agent.turn(sessionId, '/status');
    expect(agent.client.text(sessionId)).toContain('**Account:** API key configured');
    const from = agent.frames.length;
    await agent.turn(sessionId, '/logout');
    expect(agent.client.text(sessionId, from)).toBe('Logged out from Codex account.');
    // The status is told before the answer.
    const told = agent.frames.slice(from).map(({ method, params }) => params?.update?.sessionUpdate ?? method);
    expect(told.indexOf('_auth/status_update')).toBeGreaterThanOrEqual(0);
    expect(told.indexOf('_auth/status_update')).toBeLessThan(told.indexOf('agent_message_chunk'));
    expect(agent.statuses.slice(-2)).toEqual([apiKey, none]);
    // The session is still open.
    const after = agent.frames.length;
    await agent.turn(sessionId, '/status');
    expect(agent.client.text(sessionId, after)).toContain('**Account:** not logged in');
  });

  test.for<[name: string, meta: Json, env: Record<string, string>, used: string]>([
    ['of the request', { 'api-key': { apiKey: '  sk-request  ' } }, { CODEX_API_KEY: 'sk-codex' }, 'sk-request'],
    ['of CODEX_API_KEY', undefined, { CODEX_API_KEY: ' sk-codex ', OPENAI_API_KEY: 'sk-openai' }, 'sk-codex'],
    [
      'of OPENAI_API_KEY when others are blank',
      { 'api-key': { apiKey: '' } },
      { CODEX_API_KEY: ' ', OPENAI_API_KEY: 'sk-openai' },
      'sk-openai',
    ],
  ])('S1.23 the key %s', async ([, meta, env, used], { lab }) => {
    const agent = start(lab, keyedHome(lab), { env });
    await agent.initialize();
    await agent.login('api-key', meta);
    const session = await agent.newSession(lab.workspace());
    expect(await headersOfTurn(lab, agent, session)).toMatchObject({ authorization: `Bearer ${used}` });
  });

  test('S1.148 a login and a logout that were sent together end as sent', async ({ lab }) => {
    const agent = start(lab, lab.openAiHome());
    await agent.initialize();
    const key = { 'api-key': { apiKey: 'sk-one' } };
    await Promise.all([agent.login('api-key', key), agent.logout(), agent.login('api-key', key)]);
    expect(agent.statuses.at(-1)).toEqual(apiKey);
    await Promise.all([agent.login('api-key', key), agent.logout()]);
    expect(agent.statuses.at(-1)).toEqual(none);
    expect(await errorOf(agent.newSession(lab.workspace()))).toEqual(loginNeeded);
  });

  test.for(['{"OPENAI_API_KEY": "sk-', ''])(
    'C058 a damaged login file (%j) asks for a login, which repairs it',
    async (content, { lab }) => {
      const home = lab.openAiHome();
      const file = join(home.path, 'auth.json');
      writeFileSync(file, content);
      const agent = start(lab, home);
      const workspace = lab.workspace();
      expect(await agent.initialize()).toMatchObject({ protocolVersion: 1 });
      expect(await errorOf(agent.newSession(workspace))).toMatchObject({ code: -32000 });
      await agent.login('api-key', { 'api-key': { apiKey: 'sk-repaired' } });
      await agent.newSession(workspace);
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ OPENAI_API_KEY: 'sk-repaired' });
    },
  );
});

describe('gateway (S1.169, S8.120-S8.125)', () => {
  test.for(versions)('login, a refused one, logout: %s', async (profile, { lab }) => {
    const home = lab.openAiHome();
    const agent = start(lab, home, { profile });
    const workspace = lab.workspace();
    await agent.initialize(offering(agent));
    await agent.client.waitFor((frame) => frame.method === '_auth/status_update');
    const headers = { 'X-Team': 'blue', Authorization: 'Bearer token-one' };
    const good = { gateway: { baseUrl: lab.server.baseUrl, headers, providerName: 'Team gateway' } };
    expect(await agent.login('gateway', good)).toEqual({});
    expect(agent.frames.at(-2)).toMatchObject({
      method: '_auth/status_update',
      params: { authStatus: gateway('Team gateway') },
    });
    const session = await agent.newSession(workspace);
    const routed = { 'x-team': 'blue', authorization: 'Bearer token-one', 'x-client-feature-id': 'codex' };
    expect(await headersOfTurn(lab, agent, session)).toMatchObject(routed);

    // S1.149: what is refused changes nothing.
    const bad: [meta: Json, code: number, message: string | RegExp][] = [
      [undefined, -32600, /^Invalid request/],
      [{}, -32600, /^Invalid request/],
      [{ gateway: {} }, -32602, 'Invalid params: baseUrl must be a non-empty string'],
      [{ gateway: { baseUrl: ' ' } }, -32602, 'Invalid params: baseUrl must be a non-empty string'],
      [{ gateway: { baseUrl: 7 } }, -32602, 'Invalid params: baseUrl must be a non-empty string'],
      [{ gateway: { baseUrl: 'ftp://gateway' } }, -32602, /^Invalid params: /],
      [{ gateway: { baseUrl: 'gateway' } }, -32602, /^Invalid params: /],
      [{ gateway: { baseUrl: lab.server.baseUrl, headers: { a: 1 } } }, -32602, /^Invalid params: /],
      [{ gateway: { baseUrl: lab.server.baseUrl, headers: ['a'] } }, -32602, /^Invalid params: /],
    ];
    for (const [meta, code, message] of bad) {
      expect(await errorOf(agent.login('gateway', meta))).toMatchObject({
        code,
        message: typeof message === 'string' ? message : expect.stringMatching(message),
      });
    }
    expect(await headersOfTurn(lab, agent, session)).toMatchObject(routed);
    expect(await headersOfTurn(lab, agent, await agent.newSession(workspace))).toMatchObject(routed);

    // S1.177, S12.9: a logout ends the gateway.
    expect(await agent.logout()).toEqual({});
    expect(await errorOf(agent.newSession(workspace))).toEqual(loginNeeded);
    expect(agent.statuses).toEqual([none, gateway('Team gateway'), none]);
    expect(existsSync(join(home.path, 'auth.json'))).toBe(false);
    expect(readFileSync(join(home.path, 'config.toml'), 'utf8')).not.toContain('token-one');
  });

  test('S1.147 v1 takes the gateway without offering it, v2 does not', async ({ lab }) => {
    const meta = { gateway: { baseUrl: lab.server.baseUrl, providerName: ' ' } };
    const v1 = start(lab, lab.openAiHome());
    await v1.initialize();
    await v1.login('gateway', meta);
    expect(v1.statuses.at(-1)).toEqual(gateway('User-provided gateway'));
    const v2 = start(lab, lab.openAiHome(), { profile: 'plainV2' });
    await v2.initialize();
    expect(await errorOf(v2.login('gateway', meta))).toEqual({
      code: -32602,
      message: 'Invalid params: Unsupported authentication method: gateway',
      data: undefined,
    });
  });

  test('S8.124 an API key ends the gateway', async ({ lab }) => {
    const agent = start(lab, keyedHome(lab));
    await agent.initialize(offering(agent));
    await agent.login('gateway', { gateway: { baseUrl: lab.server.baseUrl, headers: { 'x-team': 'blue' } } });
    await agent.login('api-key', { 'api-key': { apiKey: 'sk-after' } });
    const headers = await headersOfTurn(lab, agent, await agent.newSession(lab.workspace()));
    expect(headers).toMatchObject({ authorization: 'Bearer sk-after' });
    expect(headers).not.toHaveProperty('x-team');
  });

  // Codex pins a thread to the id of its provider (S8.106): a thread that is open needs the provider updates of part 08.
  test.todo('S1.150, S8.122 open sessions use the gateway from now on');
  test.todo('S1.177 open sessions no longer use the gateway after a logout');
});

describe('DEFAULT_AUTH_REQUEST (S1.13, S1.190)', () => {
  test.for(versions)('an API key of the environment is used when a login is needed: %s', async (profile, { lab }) => {
    const env = { DEFAULT_AUTH_REQUEST: '{"methodId":"api-key"}', CODEX_API_KEY: 'sk-default' };
    const agent = start(lab, keyedHome(lab), { profile, env });
    await agent.initialize();
    const session = await agent.newSession(lab.workspace());
    expect(await headersOfTurn(lab, agent, session)).toMatchObject({ authorization: 'Bearer sk-default' });
  });

  test('a gateway is used when a login is needed', async ({ lab }) => {
    const request = {
      methodId: 'gateway',
      _meta: { gateway: { baseUrl: lab.server.baseUrl, headers: { 'x-team': 'blue' }, providerName: 'Default' } },
    };
    const agent = start(lab, lab.openAiHome(), { env: { DEFAULT_AUTH_REQUEST: JSON.stringify(request) } });
    await agent.initialize();
    const session = await agent.newSession(lab.workspace());
    expect(await headersOfTurn(lab, agent, session)).toMatchObject({ 'x-team': 'blue' });
    expect(agent.statuses.at(-1)).toEqual(gateway('Default'));
  });

  test('its error fails the request; one that is not usable counts as none', async ({ lab }) => {
    const withoutKey = start(lab, lab.openAiHome(), { env: { DEFAULT_AUTH_REQUEST: '{"methodId":"api-key"}' } });
    await withoutKey.initialize();
    expect(await errorOf(withoutKey.newSession(lab.workspace()))).toEqual(noKey);
    const unknown = start(lab, lab.openAiHome(), { env: { DEFAULT_AUTH_REQUEST: '{"methodId":"pigeon"}' } });
    await unknown.initialize();
    expect(await errorOf(unknown.newSession(lab.workspace()))).toEqual(loginNeeded);
  });
});
