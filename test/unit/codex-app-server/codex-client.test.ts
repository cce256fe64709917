import { beforeEach, describe, expect, it } from 'vitest';
import type { TurnPolicy } from '../../../src/domain/settings/turn-policy.ts';
import { settled } from '../../support/fake-app-server.ts';
import { exchange as exchangeIn, type RuntimeLab, refusal as refusalIn, runtimeLab } from './runtime-lab.ts';

let lab: RuntimeLab;
beforeEach(async () => {
  lab = await runtimeLab();
});

const exchange = <T>(call: Promise<T>, method: string, result: unknown) => exchangeIn(lab, call, method, result);
const refusal = (call: Promise<unknown>, method: string, message: string) => refusalIn(lab, call, method, message);

const workspaceWrite = {
  type: 'workspaceWrite',
  writableRoots: ['/other'],
  networkAccess: false,
  excludeTmpdirEnvVar: false,
  excludeSlashTmp: false,
} as const;

/** A load does not take these from us. */
const otherSettings = { model: 'gpt', effort: null, summary: 'auto', serviceTier: null } as const;

const OPENED = {
  thread: { id: 't1', status: { type: 'active', activeFlags: [] } },
  model: 'gpt',
  serviceTier: 'priority',
  reasoningEffort: 'low',
  activePermissionProfile: { id: 'mine', extends: null },
};

describe('lifecycle', () => {
  it('S1.78 facts that the client does not tell come from the agent', () => {
    expect(lab.codex.received[0]?.params?.clientInfo).toEqual({
      name: 'codex-acp',
      title: 'Editor',
      version: '0.1.0',
    });
  });

  it('S1.61 starts app-server with the overrides of the routing in force at that moment', async () => {
    let headers: Readonly<Record<string, string>> = { Authorization: 'Bearer first-secret' };
    lab = await runtimeLab({
      hooks: { Stop: [] },
      gateway: () => ({ providerId: 'custom-gateway', name: 'G', baseUrl: 'http://g', headers }),
    });
    expect(lab.codex.command).toMatchObject({
      command: 'codex',
      args: [
        'app-server',
        '-c',
        'hooks={ "Stop" = [] }',
        '-c',
        'model_provider="custom-gateway"',
        '-c',
        expect.any(String),
      ],
      env: { PATH: '/bin', CODEX_ACP_PROVIDER_HEADER_0: 'Bearer first-secret' },
    });
    lab.codex.complain('cannot use first-secret\n');
    await settled();
    headers = { Authorization: 'Bearer second-secret' };
    lab.codex.exit(1);
    await settled();
    await lab.runtime.lifecycle.ready();
    expect(lab.codex.command.env).toMatchObject({ CODEX_ACP_PROVIDER_HEADER_0: 'Bearer second-secret' });
    expect(lab.log.text).not.toContain('-secret');
  });

  it('S1.69 a provider that cannot be expressed is told by the request that needs the app-server', async () => {
    const lab = runtimeLab({ providerId: 'a.b', providers: { 'a.b': {} } });
    await expect(lab).rejects.toThrow('could not be started: The model provider id "a.b" cannot be used');
  });
});

describe('threads', () => {
  it('S2.19 start', async () => {
    const call = lab.runtime.threads.start({
      cwd: '/w',
      modelProvider: null,
      config: { a: 1 },
      developerInstructions: null,
    });
    const { params, value } = await exchange(call, 'thread/start', OPENED);
    expect(params).toEqual({ config: { a: 1 }, modelProvider: null, cwd: '/w' });
    expect(value).toEqual({
      threadId: 't1',
      model: 'gpt',
      effort: 'low',
      serviceTier: 'priority',
      activeProfileId: 'mine',
      active: true,
      name: null,
      preview: null,
      collaborationMode: null,
      recorded: null,
      epoch: 1,
    });
  });

  it('S2.22 S12.8 what was recorded of a thread, and its model with another provider', async () => {
    const read = lab.runtime.threads.readThread('t1');
    const thread = {
      id: 't1',
      status: { type: 'idle' },
      modelProvider: 'openai',
      model: 'gpt',
      reasoningEffort: 'high',
      path: '/sessions/t1.jsonl',
    };
    const { params, value } = await exchange(read, 'thread/read', { thread });
    expect(params).toEqual({ threadId: 't1' });
    const recorded = { modelProvider: 'openai', model: 'gpt', effort: 'high' };
    expect(value).toEqual({ ...recorded, status: 'idle', persisted: true });
    const keep = { model: 'gpt', effort: 'high' };
    const options = {
      cwd: '/w',
      config: { a: 1 },
      developerInstructions: null,
      modelProvider: 'own',
      keep,
      policy: null,
    };
    const resumed = lab.runtime.threads.resume('t1', options);
    const opened = {
      ...OPENED,
      sandbox: { type: 'readOnly' },
      approvalsReviewer: 'user',
      collaborationMode: { mode: 'plan' },
    };
    const answer = await exchange(resumed, 'thread/resume', opened);
    expect(answer.params).toMatchObject({ model: 'gpt', config: { a: 1, model_reasoning_effort: 'high' } });
    expect(answer.value).toMatchObject({
      collaborationMode: 'plan',
      recorded: { sandbox: 'readOnly', approvalsReviewer: 'user' },
    });
  });

  it.each([
    [{ type: 'sandbox', sandbox: { type: 'readOnly', networkAccess: false } }, { sandbox: 'read-only' }],
    [{ type: 'sandbox', sandbox: { type: 'dangerFullAccess' } }, { sandbox: 'danger-full-access' }],
    [{ type: 'sandbox', sandbox: workspaceWrite }, { sandbox: 'workspace-write' }],
    [{ type: 'profile', profileId: 'careful', workspaceRoots: ['/w'] }, { permissions: 'careful' }],
  ] as const)('S12.8 a thread is loaded with what it may do: %j', async (access, sent) => {
    const policy = { approvalPolicy: 'on-request', approvalsReviewer: 'user', access, ...otherSettings } as const;
    const options = { cwd: '/w', config: {}, developerInstructions: null, modelProvider: null, keep: null, policy };
    const { params } = await exchange(lab.runtime.threads.resume('t1', options), 'thread/resume', OPENED);
    expect(params).toEqual({
      threadId: 't1',
      excludeTurns: true,
      config: {},
      cwd: '/w',
      approvalPolicy: 'on-request',
      approvalsReviewer: 'user',
      ...sent,
    });
  });

  it('S2.63 the settings for turns that no turn/start begins', async () => {
    const policy = {
      approvalPolicy: 'on-request',
      approvalsReviewer: 'user',
      access: { type: 'sandbox', sandbox: { type: 'dangerFullAccess' } },
      model: 'gpt',
      effort: 'low',
      summary: 'auto',
      serviceTier: null,
    } as const;
    const { params } = await exchange(lab.runtime.threads.applyPolicy('t1', policy), 'thread/settings/update', {});
    expect(params).toEqual({
      threadId: 't1',
      approvalPolicy: 'on-request',
      approvalsReviewer: 'user',
      sandboxPolicy: { type: 'dangerFullAccess' },
      model: 'gpt',
      effort: 'low',
      serviceTier: null,
    });
  });

  it.each([
    ['S3.90 the newest turn runs', [{ id: 'x', status: 'inProgress' }], 'x'],
    ['S3.90 it is over', [{ id: 'x', status: 'completed' }], null],
    ['S3.90 there is none', [], null],
  ])('%s', async (_name, data, running) => {
    const read = lab.runtime.threads.runningTurn('t1');
    const { params, value } = await exchange(read, 'thread/turns/list', { data });
    expect(params).toMatchObject({ threadId: 't1', limit: 1, sortDirection: 'desc' });
    expect(value).toBe(running);
  });

  it('S2.20 resume', async () => {
    const options = { cwd: '/w', config: {}, developerInstructions: 'be kind', policy: null, keep: null };
    const bare = lab.runtime.threads.resume('t1', { ...options, modelProvider: null });
    expect((await exchange(bare, 'thread/resume', OPENED)).params).toEqual({
      threadId: 't1',
      excludeTurns: true,
      config: {},
      cwd: '/w',
      developerInstructions: 'be kind',
    });
    const routed = lab.runtime.threads.resume('t1', { ...options, modelProvider: 'own' });
    const opened = { ...OPENED, thread: { id: 't1', status: { type: 'idle' } }, activePermissionProfile: null };
    const { params, value } = await exchange(routed, 'thread/resume', opened);
    expect(params).toMatchObject({ modelProvider: 'own' });
    expect(value).toMatchObject({ active: false, activeProfileId: null });
  });

  it('S3.71 unsubscribing a thread that Codex does not know is done', async () => {
    const unsubscribe = () => lab.runtime.threads.unsubscribe('t1');
    expect(await refusal(unsubscribe(), 'thread/unsubscribe', 'thread not loaded: t1')).toBeUndefined();
    expect(await refusal(unsubscribe(), 'thread/unsubscribe', 'thread not found: t1')).toBeUndefined();
    expect(await refusal(unsubscribe(), 'thread/unsubscribe', 'disk full')).toMatchObject({ message: 'disk full' });
  });

  it('S3.71 S3.72 a thread that Codex does not know has no terminals', async () => {
    const list = () => lab.runtime.threads.listTerminals('t1');
    expect(await refusal(list(), 'thread/backgroundTerminals/list', 'thread not found: t1')).toEqual([]);
    expect(await refusal(list(), 'thread/backgroundTerminals/list', 'disk full')).toMatchObject({
      message: 'disk full',
    });
    const terminate = () => lab.runtime.threads.terminateTerminal('t1', 'p1');
    expect(await refusal(terminate(), 'thread/backgroundTerminals/terminate', 'thread not found: t1')).toBeUndefined();
    expect(await refusal(terminate(), 'thread/backgroundTerminals/terminate', 'disk full')).toMatchObject({
      message: 'disk full',
    });
  });

  it('S8.130 lists background terminals over all pages; a repeated page is an error', async () => {
    const call = lab.runtime.threads.listTerminals('t1');
    await settled();
    lab.codex.answer('thread/backgroundTerminals/list', {
      data: [{ itemId: 'i1', processId: '1', command: 'x' }],
      nextCursor: 'c',
    });
    const last = { data: [{ itemId: 'i2', processId: '2' }], nextCursor: null };
    const { params, value } = await exchange(call, 'thread/backgroundTerminals/list', last);
    expect(params).toEqual({ threadId: 't1', cursor: 'c' });
    expect(value).toEqual([
      { itemId: 'i1', processId: '1' },
      { itemId: 'i2', processId: '2' },
    ]);
    const endless = lab.runtime.threads.listTerminals('t1').catch((error: Error) => error.message);
    for (let page = 0; page < 2; page += 1) {
      await settled();
      lab.codex.answer('thread/backgroundTerminals/list', { data: [], nextCursor: 'same' });
    }
    expect(await endless).toBe('Codex gave the same page of a list twice');
  });

  it('S2.124 names a thread', async () => {
    const named = lab.runtime.threads.setName('t1', 'A name');
    expect((await exchange(named, 'thread/name/set', {})).params).toEqual({ threadId: 't1', name: 'A name' });
  });

  it('S2.87 switches the collaboration mode; S8.130 ends a terminal', async () => {
    const switched = lab.runtime.threads.setCollaborationMode('t1', { mode: 'plan', model: 'gpt', effort: null });
    expect((await exchange(switched, 'thread/settings/update', {})).params).toEqual({
      threadId: 't1',
      collaborationMode: {
        mode: 'plan',
        settings: { model: 'gpt', reasoning_effort: null, developer_instructions: null },
      },
    });
    const ended = lab.runtime.threads.terminateTerminal('t1', '7');
    const { params } = await exchange(ended, 'thread/backgroundTerminals/terminate', { terminated: true });
    expect(params).toEqual({ threadId: 't1', processId: '7' });
  });
});

describe('turns', () => {
  const policy: TurnPolicy = {
    approvalPolicy: 'on-request',
    approvalsReviewer: 'user',
    access: { type: 'sandbox', sandbox: { type: 'readOnly', networkAccess: false } },
    model: 'gpt',
    effort: 'high',
    summary: 'auto',
    serviceTier: null,
  };

  it('S3.29 start with a sandbox', async () => {
    const call = lab.runtime.turns.start({
      threadId: 't1',
      input: [
        { type: 'text', text: 'hi' },
        { type: 'image', url: 'data:image/png;base64,AA==' },
      ],
      clientMessageId: 'm1',
      policy,
    });
    const { params, value } = await exchange(call, 'turn/start', { turn: { id: 'turn', status: 'inProgress' } });
    expect(value).toEqual({ turnId: 'turn' });
    expect(params).toEqual({
      threadId: 't1',
      input: [
        { type: 'text', text: 'hi', text_elements: [] },
        { type: 'image', url: 'data:image/png;base64,AA==' },
      ],
      approvalPolicy: 'on-request',
      approvalsReviewer: 'user',
      sandboxPolicy: { type: 'readOnly', networkAccess: false },
      model: 'gpt',
      effort: 'high',
      summary: 'auto',
      serviceTier: null,
      clientUserMessageId: 'm1',
    });
  });

  it('S3.29 start with a permission profile, never together with a sandbox', async () => {
    const access = { type: 'profile', profileId: 'mine', workspaceRoots: ['/w', '/x'] } as const;
    const fast: TurnPolicy = { ...policy, access, serviceTier: 'fast' };
    const call = lab.runtime.turns.start({ threadId: 't1', input: [], clientMessageId: null, policy: fast });
    const { params } = await exchange(call, 'turn/start', { turn: { id: 'turn' } });
    expect(params).toMatchObject({ permissions: 'mine', runtimeWorkspaceRoots: ['/w', '/x'], serviceTier: 'fast' });
    expect(params).not.toHaveProperty('sandboxPolicy');
    expect(params).not.toHaveProperty('clientUserMessageId');
  });

  it('S3.2 interrupt passes on the error of Codex', async () => {
    const call = lab.runtime.turns.interrupt('t1', 'turn');
    expect(await refusal(call, 'turn/interrupt', 'no active turn to interrupt')).toMatchObject({
      name: 'CodexRequestError',
      code: -32600,
      message: 'no active turn to interrupt',
    });
    expect(lab.codex.lastRequest('turn/interrupt').params).toEqual({ threadId: 't1', turnId: 'turn' });
  });
});

describe('more than a start', () => {
  it('S3.3 S3.26 steer sends the mapped input to the turn that is expected', async () => {
    const steered = lab.runtime.turns.steer({
      threadId: 't1',
      turnId: 'turn',
      input: [
        { type: 'text', text: 'and this' },
        { type: 'image', url: 'data:image/png;base64,AA==' },
      ],
      clientMessageId: 'm2',
    });
    const { params, value } = await exchange(steered, 'turn/steer', { turnId: 'turn' });
    expect(params).toEqual({
      threadId: 't1',
      expectedTurnId: 'turn',
      input: [
        { type: 'text', text: 'and this', text_elements: [] },
        { type: 'image', url: 'data:image/png;base64,AA==' },
      ],
      clientUserMessageId: 'm2',
    });
    expect(value).toEqual({ turnId: 'turn' });
  });

  it('S3.3 steer passes on why Codex refused', async () => {
    const steered = lab.runtime.turns.steer({ threadId: 't1', turnId: 'turn', input: [], clientMessageId: 'm2' });
    expect(await refusal(steered, 'turn/steer', 'no active turn to steer')).toMatchObject({
      name: 'CodexRequestError',
      message: 'no active turn to steer',
    });
  });

  it('S3.8 S3.110 compact names no turn', async () => {
    const { params, value } = await exchange(lab.runtime.turns.compact('t1'), 'thread/compact/start', {});
    expect(params).toEqual({ threadId: 't1' });
    expect(value).toBeUndefined();
  });

  it.each([
    [{ type: 'uncommittedChanges' }, { type: 'uncommittedChanges' }],
    [
      { type: 'custom', instructions: 'look closely' },
      { type: 'custom', instructions: 'look closely' },
    ],
    [
      { type: 'baseBranch', branch: 'main' },
      { type: 'baseBranch', branch: 'main' },
    ],
    [
      { type: 'commit', sha: 'abc' },
      { type: 'commit', sha: 'abc', title: null },
    ],
  ] as const)('S3.113 review of %j', async (target, wireTarget) => {
    const review = lab.runtime.turns.review('t1', target);
    const { params, value } = await exchange(review, 'review/start', {
      turn: { id: 'parent', status: 'inProgress' },
      reviewThreadId: 't1',
    });
    expect(params).toEqual({ threadId: 't1', delivery: 'inline', target: wireTarget });
    expect(value).toEqual({ turnId: 'parent' });
  });
});

describe('accounts', () => {
  it.each([
    [null, null],
    [{ type: 'apiKey' }, { type: 'apiKey' }],
    [
      { type: 'chatgpt', email: 'a@b', planType: 'pro', workspaceName: null },
      { type: 'chatgpt', email: 'a@b', plan: 'pro' },
    ],
    [
      { type: 'amazonBedrock', usesCodexManagedCredentials: true },
      { type: 'external', name: 'AWS Bedrock' },
    ],
    [{ type: 'gcp' }, { type: 'external', name: 'Google Cloud' }],
  ])('S1.185 reads the account %j', async (account, expected) => {
    const { params, value } = await exchange(lab.runtime.accounts.read(), 'account/read', {
      account,
      requiresOpenaiAuth: true,
    });
    expect(params).toEqual({ refreshToken: false });
    expect(value).toEqual({ account: expected, requiresLogin: true });
  });

  it('S1.173 reads again when the account changed meanwhile, but not for ever', async () => {
    const changed = 'account changed during workspace routing discovery';
    const call = lab.runtime.accounts.read();
    await settled();
    lab.codex.refuse('account/read', changed);
    expect(
      (await exchange(call, 'account/read', { account: null, requiresOpenaiAuth: false })).value.account,
    ).toBeNull();
    const hopeless = lab.runtime.accounts.read().catch((error: Error) => error.message);
    for (let read = 0; read < 3; read += 1) {
      await settled();
      lab.codex.refuse('account/read', changed);
    }
    expect(await hopeless).toBe(changed);
  });

  it.each([
    ['before', true],
    ['after', false],
  ])('S1.156 an API key login whose completion comes %s the response', async (when, success) => {
    const call = lab.runtime.accounts.loginWithApiKey('sk-key');
    await settled();
    const complete = (loginId: string | null) =>
      lab.codex.say({ method: 'account/login/completed', params: { loginId, success, error: null } });
    expect(lab.codex.lastRequest('account/login/start').params).toEqual({ type: 'apiKey', apiKey: 'sk-key' });
    complete('of another login');
    if (when === 'before') complete(null);
    await settled();
    lab.codex.answer('account/login/start', { type: 'apiKey' });
    await settled();
    if (when === 'after') complete(null);
    expect(await call).toEqual({ success });
  });

  it('S1.84 a login ends when the connection is lost', async () => {
    const call = lab.runtime.accounts.loginWithApiKey('sk-key').catch((error: Error) => error.name);
    await settled();
    lab.codex.answer('account/login/start', { type: 'apiKey' });
    await settled();
    lab.codex.exit(1);
    expect(await call).toBe('CodexLostError');
  });

  it('S1.175 S1.176 a logout waits for account/updated, but at most 2 s', async () => {
    let done = false;
    const confirmed = lab.runtime.accounts.logout();
    await settled();
    lab.codex.answer('account/logout', {});
    lab.codex.say({ method: 'account/updated', params: { authMode: null, planType: null, reason: null } });
    await confirmed;
    expect(lab.clock.waiting).toBe(0);
    const silent = lab.runtime.accounts.logout().then(() => {
      done = true;
    });
    await settled();
    lab.codex.answer('account/logout', {});
    await settled();
    lab.clock.advance(1999);
    await settled();
    expect(done).toBe(false);
    lab.clock.advance(1);
    await silent;
  });
});

describe('catalog', () => {
  it('S2.24 S2.83 models of all pages', async () => {
    const model = (id: string, speed: object) => ({
      id,
      model: id,
      displayName: id.toUpperCase(),
      description: 'd',
      supportedReasoningEfforts: [{ reasoningEffort: 'low', description: 'quick' }],
      defaultReasoningEffort: 'low',
      inputModalities: ['text'],
      additionalSpeedTiers: [],
      serviceTiers: [],
      isDefault: false,
      hidden: false,
      ...speed,
    });
    const call = lab.runtime.catalog.models();
    await settled();
    expect(lab.codex.lastRequest('model/list').params).toEqual({ cursor: null, limit: null });
    lab.codex.answer('model/list', {
      data: [model('a', { additionalSpeedTiers: ['fast'] }), model('b', { serviceTiers: [{ id: 'priority' }] })],
      nextCursor: '2',
    });
    const { params, value } = await exchange(call, 'model/list', { data: [model('c', {})], nextCursor: null });
    expect(params).toEqual({ cursor: '2', limit: null });
    expect(value.map(({ id, supportsFast }) => [id, supportsFast])).toEqual([
      ['a', true],
      ['b', true],
      ['c', false],
    ]);
    expect(value[2]).toEqual({
      id: 'c',
      model: 'c',
      displayName: 'C',
      description: 'd',
      efforts: [{ effort: 'low', description: 'quick' }],
      defaultEffort: 'low',
      inputModalities: ['text'],
      supportsFast: false,
      isDefault: false,
    });
  });

  it('S2.60 permission profiles that the user may choose', async () => {
    const { params, value } = await exchange(lab.runtime.catalog.permissionProfiles('/w'), 'permissionProfile/list', {
      data: [
        { id: ':workspace', description: null, allowed: true },
        { id: 'mine', description: 'd', allowed: true },
        { id: 'denied', description: null, allowed: false },
      ],
      nextCursor: null,
    });
    expect(params).toEqual({ cwd: '/w', cursor: null });
    expect(value).toEqual([{ id: 'mine', description: 'd' }]);
  });

  it('S2.155 C035 C059 the effective configuration with the MCP servers of every layer', async () => {
    const { params, value } = await exchange(lab.runtime.catalog.config('/w'), 'config/read', {
      config: {
        model_provider: 'own',
        approval_policy: 'never',
        approvals_reviewer: 'user',
        developer_instructions: 'x',
        default_permissions: 'mine',
        mcp_servers: { a: {}, b: {} },
        sandbox_workspace_write: { writable_roots: ['/cache', 5], network_access: true },
        projects: { '/bad': { trust_level: 'untrusted' }, '/good': { trust_level: 'trusted' } },
      },
      origins: {},
      layers: [{ config: { mcp_servers: { b: {}, c: { enabled: false } } } }, { config: null }, { config: [] }],
    });
    expect(params).toEqual({ cwd: '/w', includeLayers: true });
    expect(value).toEqual({
      modelProvider: 'own',
      approvalPolicy: 'never',
      approvalsReviewer: 'user',
      developerInstructions: 'x',
      defaultPermissions: 'mine',
      mcpServerNames: ['a', 'b', 'c'],
      writeAccess: {
        writableRoots: ['/cache'],
        networkAccess: true,
        excludeTmpdirEnvVar: false,
        excludeSlashTmp: false,
      },
      untrustedRoots: ['/bad'],
    });
  });

  it('S1.188 the configuration without a directory has no layers; S1.226 its errors are explained', async () => {
    const call = lab.runtime.catalog.config(null);
    expect((await exchange(call, 'config/read', { config: {}, layers: null })).value).toEqual({
      modelProvider: null,
      approvalPolicy: null,
      approvalsReviewer: null,
      developerInstructions: null,
      defaultPermissions: null,
      mcpServerNames: [],
      writeAccess: null,
      untrustedRoots: [],
    });
    expect(lab.codex.lastRequest('config/read').params).toEqual({ cwd: null, includeLayers: false });
    const failure = await refusal(lab.runtime.catalog.config('/w'), 'config/read', 'failed to load configuration: x');
    expect(failure).toMatchObject({ message: expect.stringContaining('Check /home/.codex and project .codex') });
  });

  it('S8.21 S8.16 calls without a process fail with the loss', async () => {
    lab.codex.exit(null, 'SIGSEGV');
    await settled();
    await expect(lab.runtime.catalog.models()).rejects.toThrow('was killed by SIGSEGV');
  });
});
