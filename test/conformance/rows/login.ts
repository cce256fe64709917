import { expect } from 'vitest';
import { text } from '../../support/model-replies.ts';
import type { AgentWire } from '../agent-wire.ts';
import type { Lab } from '../lab.ts';
import type { CheckedRow } from '../row.ts';

/* Login: rows that both versions share (2.3 and 3.1). */

const methods = { 1: { login: 'authenticate', logout: 'logout' }, 2: { login: 'auth/login', logout: 'auth/logout' } };

const loginNeeded = -32000;

/** Signs in with a method that works without a network; `meta` replaces what it needs. */
export async function logIn(
  lab: Lab,
  agent: AgentWire,
  methodId: 'api-key' | 'gateway',
  meta?: object,
): Promise<unknown> {
  const { model } = await lab.base();
  const details = { gateway: { baseUrl: model.baseUrl }, 'api-key': { apiKey: 'sk-offline-key' } };
  return agent.request(methods[lab.version].login, { methodId, _meta: meta ?? { [methodId]: details[methodId] } });
}

export function logOut(lab: Lab, agent: AgentWire, params?: object): Promise<unknown> {
  return agent.request(methods[lab.version].logout, params);
}

async function openSession(lab: Lab, agent: AgentWire): Promise<number> {
  const { workspace } = await lab.base();
  return agent.refusal('session/new', { cwd: workspace.path, mcpServers: [] });
}

export const loginWorks = (id: string): CheckedRow => ({
  id,
  tier: 'capability',
  requirement: 'login with an advertised method works, and session/new does not ask for it any more (gateway, api-key)',
  async run(lab) {
    const agent = await lab.loginAgent();
    await logOut(lab, agent, {});
    for (const methodId of ['gateway', 'api-key'] as const) {
      expect(await openSession(lab, agent)).toBe(loginNeeded);
      expect(await logIn(lab, agent, methodId)).toEqual({});
      expect(await openSession(lab, agent)).toBe(0);
      if (methodId === 'gateway') {
        const session = await lab.session(agent);
        expect(await session.prompt(text('Through the gateway.')).ended()).toMatchObject({ stopReason: 'end_turn' });
      }
      await logOut(lab, agent, {});
    }
  },
});

export const logoutWorks = (id: string): CheckedRow => ({
  id,
  tier: 'capability',
  requirement: 'logout succeeds with an object: nobody logged in, with a key, with a gateway, and without params',
  async run(lab) {
    const agent = await lab.loginAgent();
    expect(await logOut(lab, agent)).toEqual({});
    expect(await logOut(lab, agent, {})).toEqual({});
    for (const methodId of ['api-key', 'gateway'] as const) {
      await logIn(lab, agent, methodId);
      expect(await logOut(lab, agent)).toEqual({});
      expect(await openSession(lab, agent)).toBe(loginNeeded);
    }
  },
});

/** ACP-AUTH-005 and -205 are about agents without login methods. */
export const alwaysHasMethods = (id: string): CheckedRow => ({
  id,
  tier: 'advisory',
  requirement:
    'without `authMethods`, session/new never answers -32000; does not apply, because there always are methods',
  async run(lab) {
    // This agent runs with `NO_BROWSER`, which takes a method away.
    const [initialized] = (await lab.loginAgent()).received;
    expect(initialized?.result.authMethods).not.toEqual([]);
  },
});
