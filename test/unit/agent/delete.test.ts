import { describe, expect, test } from 'vitest';
import { CodexRequestError } from '../../../src/domain/errors/agent-error.ts';
import { agentWith } from '../../support/agent-with.ts';
import { profiles } from '../../support/profiles.ts';
import { events } from '../../support/session-lab.ts';

async function agent(version: 1 | 2) {
  const lab = agentWith({ version });
  await lab.client.request('initialize', version === 1 ? profiles.plainV1 : profiles.plainV2);
  const { sessionId } = await lab.client.request('session/new', { cwd: '/w', mcpServers: [] });
  return { ...lab, sessionId };
}

describe.each([1, 2] as const)('v%i: session/delete', (version) => {
  test('S3.72 ends what runs like a close, then takes the thread off the lists', async () => {
    const { client, codex, sessionId, violations } = await agent(version);
    const prompt = client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'hi' }] });
    const ended = prompt.then(
      (result: { stopReason?: string }) => result.stopReason,
      (error: { code: number }) => error.code,
    );
    await codex.called('startTurn');
    codex.emit(sessionId, events.started('turn-1'));
    const deleted = client.request('session/delete', { sessionId });
    await codex.called('interrupt');
    codex.emit(sessionId, events.completed('turn-1', 'interrupted'));
    expect(await deleted).toEqual({});
    expect(await ended).toBe(version === 1 ? 'cancelled' : -32800);
    const calls = codex.calls.map(({ method }) => method);
    expect(calls.indexOf('unsubscribe')).toBeLessThan(calls.indexOf('archive'));
    expect(codex.of('archive')).toEqual([{ method: 'archive', threadId: sessionId }]);
    await expect(
      client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'late' }] }),
    ).rejects.toMatchObject({ code: -32002 });
    expect(violations).toEqual([]);
  });

  test('S3.72 a session that is not open here is only taken off the lists', async () => {
    const { client, codex } = await agent(version);
    expect(await client.request('session/delete', { sessionId: 'elsewhere' })).toEqual({});
    expect(codex.of('archive')).toEqual([{ method: 'archive', threadId: 'elsewhere' }]);
    expect(codex.of('unsubscribe')).toEqual([]);
  });

  test('S3.72 what Codex cannot do is told', async () => {
    const { client, codex, sessionId } = await agent(version);
    codex.archiveFailure = new CodexRequestError(-32000, 'disk full');
    await expect(client.request('session/delete', { sessionId })).rejects.toMatchObject({ code: -32603 });
  });
});
