import { describe, expect, test } from 'vitest';
import { CodexRequestError } from '../../../src/domain/errors/agent-error.ts';
import type { AccountState } from '../../../src/ports/outbound/codex-runtime.ts';
import { agentWith } from '../../support/agent-with.ts';
import { FakeCodex } from '../../support/fake-codex.ts';
import { profiles } from '../../support/profiles.ts';

function loggedOut(): FakeCodex {
  const codex = new FakeCodex();
  codex.account = { account: null, requiresLogin: true };
  return codex;
}

const session = { cwd: '/w', mcpServers: [] };

describe('signing in', () => {
  test('S1.190 a session without a login needs one; signing in repairs it', async () => {
    const agent = agentWith({ codex: loggedOut(), version: 1 });
    await agent.client.request('initialize', profiles.plainV1);
    await expect(agent.client.request('session/new', session)).rejects.toMatchObject({ code: -32000 });
    await agent.client.request('authenticate', { methodId: 'api-key', _meta: { 'api-key': { apiKey: ' key ' } } });
    expect(agent.codex.of('login')).toEqual([{ method: 'login', apiKey: 'key' }]);
    await agent.client.request('session/new', session);
    expect(agent.violations).toEqual([]);
  });

  test('S1.155 S12.9 without a key it needs one, unless Codex has one already', async () => {
    const agent = agentWith({ codex: loggedOut(), version: 1 });
    await agent.client.request('initialize', profiles.plainV1);
    const blank = { methodId: 'api-key', _meta: { 'api-key': { apiKey: ' ' } } };
    await expect(agent.client.request('authenticate', blank)).rejects.toMatchObject({
      code: -32603,
      data: { envVars: ['CODEX_API_KEY', 'OPENAI_API_KEY'] },
    });
    agent.codex.account = { account: { type: 'apiKey' }, requiresLogin: true };
    expect(await agent.client.request('authenticate', blank)).toEqual({});
  });

  test('S1.149 a bad gateway changes nothing', async () => {
    const agent = agentWith({ codex: loggedOut(), version: 1 });
    await agent.client.request('initialize', profiles.plainV1);
    const bad = [{ baseUrl: ' ' }, { baseUrl: 'ftp://x' }, { baseUrl: 'https://x', headers: { a: 1 } }, { baseUrl: 7 }];
    for (const gateway of bad) {
      await expect(
        agent.client.request('authenticate', { methodId: 'gateway', _meta: { gateway } }),
      ).rejects.toMatchObject({ code: -32602 });
    }
    expect(agent.routing.gateway).toBeNull();
  });

  test('S1.169 S1.177 a gateway serves sessions without an account until the logout', async () => {
    const agent = agentWith({ codex: loggedOut(), version: 1 });
    await agent.client.request('initialize', profiles.plainV1);
    const gateway = { baseUrl: 'https://gw.example/v1', headers: { Authorization: 'Bearer x' }, providerName: 'GW' };
    await agent.client.request('authenticate', { methodId: 'gateway', _meta: { gateway } });
    await agent.client.request('session/new', session);
    expect(agent.codex.of('startThread')[0]?.params).toMatchObject({
      modelProvider: 'custom-gateway',
      config: { model_providers: { 'custom-gateway': { base_url: 'https://gw.example/v1', name: 'GW' } } },
    });
    await agent.client.request('logout', {});
    await expect(agent.client.request('session/new', session)).rejects.toMatchObject({ code: -32000 });
  });
});

/** Codex tells the first asker who is signed in only when the test says so. */
class LateAccount extends FakeCodex {
  tell = (_: AccountState): void => undefined;
  #asked = false;

  override read(): Promise<AccountState> {
    if (this.#asked) return super.read();
    this.#asked = true;
    return new Promise((resolve) => {
      this.tell = resolve;
    });
  }
}

test('S1.185 S1.189 an account that was asked for before a gateway login does not replace the gateway', async () => {
  const codex = new LateAccount();
  const agent = agentWith({ codex, version: 1 });
  await agent.client.request('initialize', profiles.plainV1);
  const gateway = { baseUrl: 'https://gw.example/v1', headers: {}, providerName: 'GW' };
  await agent.client.request('authenticate', { methodId: 'gateway', _meta: { gateway } });
  codex.tell({ account: null, requiresLogin: true });
  await agent.client.request('session/new', session);
  const statuses = agent.client.received.filter((frame) => frame.method === '_auth/status_update');
  expect(statuses.map(({ params }) => params.authStatus)).toMatchObject([{ kind: 'gateway' }]);
});

describe('ChatGPT in the browser', () => {
  test('S1.161 opens the page and waits for Codex', async () => {
    const agent = agentWith({ codex: loggedOut(), version: 1 });
    await agent.client.request('initialize', profiles.plainV1);
    const login = agent.client.request('authenticate', { methodId: 'chat-gpt' });
    await agent.codex.called('startLogin');
    await new Promise(setImmediate);
    expect(agent.opened).toEqual(['https://auth.example/login-1']);
    agent.codex.account = { account: { type: 'chatgpt', email: 'a@b.c', plan: 'plus' }, requiresLogin: true };
    agent.codex.pendingLogins[0]?.resolve({ success: true });
    expect(await login).toEqual({});
    expect(agent.client.received.filter((frame) => frame.method === '_auth/status_update').at(-1)?.params).toEqual({
      authStatus: { kind: 'account', label: 'ChatGPT Plus', account: { email: 'a@b.c', plan: 'plus' } },
    });
  });

  test('S1.160 a login that works needs no browser', async () => {
    const codex = loggedOut();
    codex.account = { account: { type: 'chatgpt', email: null, plan: null }, requiresLogin: true };
    const agent = agentWith({ codex, version: 1 });
    await agent.client.request('initialize', profiles.plainV1);
    expect(await agent.client.request('authenticate', { methodId: 'chat-gpt' })).toEqual({});
    expect(agent.opened).toEqual([]);
  });

  test('S1.163 C056 without a browser the terminal names the address, and the login goes on', async () => {
    const agent = agentWith({ codex: loggedOut(), version: 1, noBrowser: true });
    await agent.client.request('initialize', profiles.plainV1);
    const login = agent.client.request('authenticate', { methodId: 'chat-gpt' });
    await agent.codex.called('startLogin');
    await new Promise(setImmediate);
    expect(agent.told.join('')).toContain('https://auth.example/login-1');
    agent.codex.pendingLogins[0]?.resolve({ success: false });
    await expect(login).rejects.toMatchObject({ code: -32000, data: { methodId: 'chat-gpt' } });
  });

  test('S1.162 S1.231 a cancel ends it at once and in Codex', async () => {
    const agent = agentWith({ codex: loggedOut(), version: 1 });
    await agent.client.request('initialize', profiles.plainV1);
    const login = agent.client.request('authenticate', { methodId: 'chat-gpt' });
    await agent.codex.called('startLogin');
    await new Promise(setImmediate);
    agent.client.notify('$/cancel_request', { requestId: login.id });
    await expect(login).rejects.toMatchObject({ code: -32800 });
    await agent.codex.called('cancelLogin');
  });

  test('S12.9 a second login ends the waiting one', async () => {
    const agent = agentWith({ codex: loggedOut(), version: 1 });
    await agent.client.request('initialize', profiles.plainV1);
    const first = agent.client.request('authenticate', { methodId: 'chat-gpt' });
    await agent.codex.called('startLogin');
    const second = agent.client.request('authenticate', { methodId: 'api-key', _meta: { 'api-key': { apiKey: 'k' } } });
    await expect(first).rejects.toMatchObject({ code: -32800 });
    expect(await second).toEqual({});
  });
});

describe('ChatGPT with a one-time code', () => {
  test('S1.167 Codex reports success before the client answered', async () => {
    const agent = agentWith({ codex: loggedOut() });
    await agent.client.request('initialize', profiles.airV2);
    const login = agent.client.request('auth/login', { methodId: 'chat-gpt-device-code' });
    const ask = await agent.client.waitFor((frame) => frame.method === 'elicitation/create');
    expect(ask.params).toEqual({
      mode: 'url',
      requestId: login.id,
      url: 'https://auth.example/login-1',
      elicitationId: 'login-1',
      message: 'Sign in to ChatGPT and enter this code: ABCD-1234',
    });
    agent.codex.account = { account: { type: 'chatgpt', email: null, plan: 'pro' }, requiresLogin: true };
    agent.codex.pendingLogins[0]?.resolve({ success: true });
    await login;
    const from = agent.client.received.indexOf(ask);
    expect(agent.client.received.slice(from + 1).map((frame) => frame.method ?? 'response')).toEqual([
      '$/cancel_request',
      'elicitation/complete',
      '_auth/status_update',
      'response',
    ]);
    expect(agent.violations).toEqual([]);
  });

  test('S1.167 the client declines', async () => {
    const agent = agentWith({ codex: loggedOut() });
    agent.client.onRequest = () => ({ action: 'decline' });
    await agent.client.request('initialize', profiles.airV2);
    const login = agent.client.request('auth/login', { methodId: 'chat-gpt-device-code' });
    await expect(login).rejects.toMatchObject({ code: -32000 });
    expect(agent.codex.of('cancelLogin')).toHaveLength(1);
    expect(agent.client.received.some((frame) => frame.method === 'elicitation/complete')).toBe(false);
  });

  test('S1.165 S1.147 needs a client that shows pages', async () => {
    const v1 = agentWith({ codex: loggedOut(), version: 1 });
    await v1.client.request('initialize', profiles.plainV1);
    await expect(v1.client.request('authenticate', { methodId: 'chat-gpt-device-code' })).rejects.toMatchObject({
      code: -32600,
      message: 'Invalid request: Device code authentication requires URL elicitation support',
    });
    const v2 = agentWith({ codex: loggedOut() });
    await v2.client.request('initialize', profiles.plainV2);
    await expect(v2.client.request('auth/login', { methodId: 'chat-gpt-device-code' })).rejects.toMatchObject({
      code: -32602,
    });
  });

  test('S1.84 the loss of Codex ends it', async () => {
    const agent = agentWith({ codex: loggedOut() });
    agent.client.onRequest = () => ({ action: 'accept' });
    await agent.client.request('initialize', profiles.airV2);
    const login = agent.client.request('auth/login', { methodId: 'chat-gpt-device-code' });
    await agent.codex.called('startLogin');
    await new Promise(setImmediate);
    agent.codex.pendingLogins[0]?.reject(new CodexRequestError(-32603, 'gone'));
    await expect(login).rejects.toMatchObject({ code: -32603 });
    expect(agent.client.received.filter((frame) => frame.method === 'elicitation/complete')).toHaveLength(1);
  });
});
