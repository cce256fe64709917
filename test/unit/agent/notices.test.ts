import { describe, expect, test } from 'vitest';
import { agentWith } from '../../support/agent-with.ts';
import { profiles } from '../../support/profiles.ts';

const titles = (
  frames: readonly { method?: string; params?: { update?: { sessionUpdate?: string; title?: string } } }[],
) =>
  frames
    .filter((frame) => frame.params?.update?.sessionUpdate === 'notice')
    .map((frame) => frame.params?.update?.title);

describe('notices without a thread', () => {
  test('S4.9 before any session: the first one shows them, after its response, once', async () => {
    const { client, codex } = agentWith();
    await client.request('initialize', profiles.plainV2);
    for (let index = 0; index < 40; index += 1) codex.emitGlobal({ type: 'warning', message: `w${index}` });
    const { sessionId } = await client.request('session/new', { cwd: '/w', mcpServers: [] });
    await client.waitForUpdate('notice', (update) => update.title === 'w39');
    expect(titles(client.received)).toHaveLength(32);
    const response = client.received.findIndex((frame) => frame.result?.sessionId === sessionId);
    expect(client.received.findIndex((frame) => frame.params?.update !== undefined)).toBeGreaterThan(response);
    await client.request('session/new', { cwd: '/w', mcpServers: [] });
    expect(titles(client.received)).toHaveLength(32);
  });

  test('S3.183 while sessions are open: each shows them', async () => {
    const { client, codex } = agentWith();
    await client.request('initialize', profiles.plainV2);
    for (let index = 0; index < 2; index += 1) await client.request('session/new', { cwd: '/w', mcpServers: [] });
    codex.emitGlobal({ type: 'configWarning', summary: 'odd', details: 'line 3' });
    await client.waitFor((frame) => frame.params?.sessionId === 'thread-2' && frame.params?.update?.title === 'odd');
    expect(titles(client.received)).toEqual(['odd', 'odd']);
  });
});
