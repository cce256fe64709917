import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Frame } from '../../support/acp-client.ts';
import type { AgentWire } from '../agent-wire.ts';
import type { Lab } from '../lab.ts';
import type { CheckedRow } from '../row.ts';

/* The handshake: rows that both versions share (2.1 and 3.1). */

/** Version of the package, which is what an agent has to name (ACP-INIT-004). */
export const packageVersion: string = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
).version;

/** The shared agent's result of `initialize`. */
export async function initialized(lab: Lab): Promise<Frame['result']> {
  const [first] = (await lab.main()).received;
  return first?.result;
}

/** An agent on which rows initialize again and again, as S1.95 allows. The first thing that it gets is an array. */
export function initializer(lab: Lab): Promise<AgentWire> {
  return lab.once('initializer', async () => {
    const agent = await lab.start();
    await agent.refusals(['[]']);
    return agent;
  });
}

/** ACP-BATCH-201 before `initialize`; the connection works afterwards. */
export async function arrayIsRefusedAtFirst(lab: Lab): Promise<void> {
  const agent = await initializer(lab);
  await agent.initialize(lab.profile);
  expect(agent.received[0]).toMatchObject({ id: null, error: { code: -32600 } });
  expect(agent.strays(0)).toHaveLength(1);
}

export const initializeSucceeds: CheckedRow = {
  id: 'ACP-INIT-001',
  tier: 'mandatory',
  requirement:
    'initialize succeeds with an integer `protocolVersion`; a Codex that cannot start gives an error, not silence',
  async run(lab) {
    expect(Number.isInteger((await initialized(lab)).protocolVersion)).toBe(true);
    const broken = await lab.start({ env: { CODEX_PATH: '/nowhere/codex' } });
    expect(await broken.refusal('initialize', lab.profile)).toBe(1001);
    await broken.stop();
  },
};

/** Login methods that the agent offers to clients with and without terminals for logins. */
export async function offeredMethods(lab: Lab, terminals: readonly unknown[]): Promise<readonly Frame['result'][]> {
  const agent = await initializer(lab);
  const offered: Frame['result'][] = [];
  for (const terminal of terminals) {
    const capabilities = { auth: { terminal }, elicitation: { form: {}, url: {} } };
    const params = lab.version === 1 ? { clientCapabilities: capabilities } : { capabilities };
    offered.push((await agent.initialize({ ...lab.profile, ...params })).authMethods);
  }
  return offered;
}
