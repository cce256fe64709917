import { describe, expect } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { profiles } from '../../support/profiles.ts';
import { errorOf, type Json, test } from './lab.ts';

const { name, version } = manifest;

const goal = { version: 1, controlMethod: '_session/goal', actions: ['set', 'pause', 'resume', 'clear'] };
const sessionIndex = [
  'sessionIndex',
  'sessionBatchGet',
  'sessionArchive',
  'sessionRename',
  'sessionListSubscribe',
  'sessionWorktrees',
];
const airV1 = [
  'sessionFailure',
  'diffPatch',
  'agentFileChangeReport',
  'customInstructions',
  'nativeSubagentSessions',
  'asyncTasks',
  'recommendedValue',
  'rawInputRendering',
  'planContentDelta',
  'codexHooks',
];
const airV2 = [
  'sessionFailure',
  'agentFileChangeReport',
  'customInstructions',
  'nativeSubagentSessions',
  'asyncTasks',
  'recommendedValue',
];

const methods = {
  apiKey: {
    id: 'api-key',
    name: 'API Key',
    description: 'Use an API key to authenticate',
    _meta: { 'api-key': { provider: 'openai' } },
  },
  chatGpt: { id: 'chat-gpt', name: 'ChatGPT', description: 'Use ChatGPT to authenticate' },
  deviceCode: {
    id: 'chat-gpt-device-code',
    name: 'ChatGPT (device code)',
    description: 'Sign in to ChatGPT by opening a verification page and entering a one-time code',
  },
  gateway: {
    id: 'gateway',
    name: 'Custom model gateway',
    description: 'Use a custom gateway to authenticate and access models',
    _meta: { gateway: { protocol: 'openai', restartRequired: 'false' } },
  },
};

function responseV1(authMethods: readonly Json[], air?: readonly string[]): Json {
  return {
    protocolVersion: 1,
    agentInfo: { name, title: 'Codex', version },
    agentCapabilities: {
      auth: { logout: {} },
      providers: {},
      loadSession: true,
      promptCapabilities: { embeddedContext: true, image: true },
      sessionCapabilities: {
        resume: {},
        list: {},
        close: {},
        delete: {},
        fork: {},
        title: {},
        additionalDirectories: {},
        subagents: {},
        systemPrompt: {},
      },
      mcpCapabilities: { acp: false, http: true, sse: false },
      _meta: { authStatus: {} },
    },
    authMethods,
    _meta: responseMeta(air),
  };
}

function responseV2(authMethods: readonly Json[], air?: readonly string[]): Json {
  return {
    protocolVersion: 2,
    info: { name, title: 'Codex', version },
    capabilities: {
      auth: { _meta: { authStatus: {} } },
      providers: {},
      session: {
        prompt: { embeddedContext: {}, image: {} },
        mcp: { stdio: {}, http: {} },
        delete: {},
        additionalDirectories: {},
        fork: {},
        title: {},
        systemPrompt: {},
      },
    },
    authMethods: authMethods.map(({ id, ...rest }) => ({ methodId: id, type: 'agent', ...rest })),
    _meta: responseMeta(air),
  };
}

function responseMeta(air: readonly string[] | undefined): Json {
  const steering = { steering: { supported: true } };
  return air === undefined ? steering : { ...steering, jetbrains: { air: { version: 1, goal, capabilities: air } } };
}

/** The AIR profile with other AIR contents. */
function airClient(air: Json): Json {
  return { ...profiles.airV1, clientCapabilities: { _meta: { jetbrains: { air } } } };
}

describe('initialize responses', () => {
  test('S1.130-S1.134, S1.140-S1.145, S1.95 v1: plain, Zed-like and AIR on one connection', async ({ lab }) => {
    const agent = lab.agent({ profile: 'plainV1' });
    const plain = responseV1([methods.apiKey, methods.chatGpt]);
    expect(await agent.initialize(profiles.plainV1)).toEqual(plain);
    expect(await agent.initialize(profiles.zedV1)).toEqual(plain);
    const airMethods = [methods.apiKey, methods.chatGpt, methods.deviceCode];
    expect(await agent.initialize(profiles.airV1)).toEqual(responseV1(airMethods, [...airV1, ...sessionIndex]));
    // S1.132: the list does not depend on what the client declared, but for the session index.
    const bare = [methods.apiKey, methods.chatGpt];
    expect(await agent.initialize(airClient({ version: 1, capabilities: [] }))).toEqual(responseV1(bare, airV1));
    // S1.123: malformed members make an AIR client without capabilities, another value none.
    const malformed = { version: '1', capabilities: 'sessionIndex' };
    expect(await agent.initialize(airClient(malformed))).toEqual(responseV1(bare, airV1));
    expect(await agent.initialize(airClient(['sessionIndex']))).toEqual(plain);
    expect(await agent.initialize(airClient(null))).toEqual(plain);
    // S1.111, S1.112: gateway and terminal logins.
    const auth = { terminal: true, _meta: { gateway: true } };
    expect(await agent.initialize({ protocolVersion: 1, clientCapabilities: { auth } })).toEqual(
      responseV1([...bare, methods.gateway]),
    );
    const notTrue = { auth: { _meta: { gateway: 'true' } } };
    expect(await agent.initialize({ protocolVersion: 1, clientCapabilities: notTrue })).toEqual(plain);
  });

  test('S1.135, S1.136, S1.144, S1.95 v2: plain and AIR on one connection', async ({ lab }) => {
    const agent = lab.agent({ profile: 'plainV2' });
    const plain = responseV2([methods.apiKey, methods.chatGpt]);
    // While the first one waits for Codex there is no second one.
    const first = agent.initialize(profiles.plainV2);
    const second = await errorOf(agent.initialize(profiles.airV2));
    expect(second).toMatchObject({ code: -32600, data: 'ACP v2 initialize is already in progress' });
    expect(await first).toEqual(plain);
    const airMethods = [methods.apiKey, methods.chatGpt, methods.deviceCode];
    expect(await agent.initialize(profiles.airV2)).toEqual(responseV2(airMethods, [...airV2, ...sessionIndex]));
    const gateway = { ...profiles.plainV2, capabilities: { auth: { _meta: { gateway: true } } } };
    expect(await agent.initialize(gateway)).toEqual(responseV2([methods.apiKey, methods.chatGpt, methods.gateway]));
    const older = await errorOf(agent.initialize(profiles.plainV1));
    expect(older).toEqual({
      code: -32600,
      message: 'Invalid request: a repeated initialize must request protocol version 2 or later',
      data: undefined,
    });
    await agent.request('session/close', { sessionId: 'none' });
    expect(await errorOf(agent.initialize())).toEqual({
      code: -32600,
      message: 'Invalid request',
      data: 'ACP v2 initialize must not be repeated after other requests',
    });
  });

  test.for([
    [' ', false],
    ['', true],
  ] as const)('S1.16 NO_BROWSER=%j', async ([NO_BROWSER, offered], { lab }) => {
    const agent = lab.agent({ env: { NO_BROWSER } });
    const { authMethods } = await agent.initialize();
    expect(authMethods).toEqual(offered ? [methods.apiKey, methods.chatGpt] : [methods.apiKey]);
  });

  test('S1.81, S1.78 Codex is introduced once, with the facts of the client', async ({ lab }) => {
    const relay = await lab.relay();
    const agent = lab.agent({ env: { CODEX_PATH: relay.path } });
    await agent.initialize(profiles.airV1);
    await agent.initialize(profiles.zedV1);
    await agent.newSession(lab.workspace());
    const codex = await relay.process(0);
    const sent = codex.messages.filter(({ from }) => from === 'agent').map(({ message }) => message);
    expect(sent.slice(0, 2)).toEqual([
      {
        id: expect.any(Number),
        method: 'initialize',
        params: {
          clientInfo: { name: 'JetBrains AIR', title: 'JetBrains AIR', version: '1.0.0' },
          capabilities: { experimentalApi: true, requestAttestation: false },
        },
      },
      { method: 'initialized' },
    ]);
    expect(sent.filter(({ method }) => method === 'initialize' || method === 'initialized')).toHaveLength(2);
    expect(codex.args.slice(0, 3)).toEqual(['app-server', '-c', 'model_provider="mock"']);
  });

  test('S1.107 a refusal of Codex is told, and the next initialize gets another process', async ({ lab }) => {
    const relay = await lab.relay();
    relay.onStart = (codex) => {
      void codex
        .waitFor('agent', ({ method }) => method === 'initialize')
        .then(({ id }) => codex.send('agent', { id, error: { code: -32600, message: 'no room for you' } }));
      void codex.inputEnded.then(() => codex.exit(0));
    };
    const agent = lab.agent({ env: { CODEX_PATH: relay.path } });
    const refused = await errorOf(agent.initialize());
    expect(refused).toEqual({ code: -32603, message: 'Internal error', data: { details: 'no room for you' } });
    relay.onStart = (codex) => codex.relay();
    expect(await agent.initialize()).toMatchObject({ protocolVersion: 1 });
    await relay.processes[0]?.gone;
    expect(relay.processes).toHaveLength(2);
  });
});

describe('version negotiation (S1.90-S1.93)', () => {
  const v2Info = { info: { name: 'client', version: '1' }, capabilities: {} };

  test.for<[params: Json, answered: 1 | 2]>([
    [{ protocolVersion: 1, ...v2Info }, 1],
    [{ protocolVersion: 1, clientCapabilities: 'bad' }, 1],
    [{ protocolVersion: 2, info: v2Info.info, capabilities: 'bad' }, 2],
    [{ protocolVersion: 3 }, 2],
    [{ protocolVersion: 65535, info: 7, clientCapabilities: { fs: {} } }, 2],
  ])('%j is answered', async ([params, answered], { lab }) => {
    const agent = lab.agent({ profile: answered === 1 ? 'plainV1' : 'plainV2' });
    expect(await agent.initialize(params)).toMatchObject({ protocolVersion: answered });
    // The version is fixed for the life of the connection.
    const other = answered === 1 ? 'auth/logout' : 'logout';
    expect(await errorOf(agent.request(other, {}))).toMatchObject({ code: -32601, data: { method: other } });
  });

  test('refused versions leave the connection open for another initialize', async ({ lab }) => {
    const agent = lab.agent();
    const invalid = {
      code: -32602,
      message: 'Invalid params',
      data: 'initialize.protocolVersion must be a valid ACP protocol version',
    };
    for (const protocolVersion of ['1', -1, 65536, 1.5, null, true, undefined]) {
      expect(await errorOf(agent.initialize({ protocolVersion }))).toEqual(invalid);
    }
    for (const params of [[], 'x', undefined, null])
      expect(await errorOf(agent.initialize(params ?? null))).toEqual(invalid);
    expect(await errorOf(agent.initialize({ protocolVersion: 0 }))).toEqual({
      code: -32022,
      message: 'Unsupported protocol version',
      data: { requested: 0, supported: [1, 2] },
    });
    const withoutInfo = await errorOf(agent.initialize({ protocolVersion: 2, capabilities: {} }));
    expect(withoutInfo).toMatchObject({ code: -32602, message: 'Invalid params' });
    expect(withoutInfo.data).toMatch(/^invalid initialize params: /);
    expect(await agent.initialize()).toMatchObject({ protocolVersion: 1 });
    expect(agent.process.stderr()).toBe('');
  });
});
