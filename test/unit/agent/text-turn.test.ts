import { describe, expect, test } from 'vitest';
import { agentWith } from '../../support/agent-with.ts';
import { profiles } from '../../support/profiles.ts';
import { events, message } from '../../support/session-lab.ts';

describe('a text turn through the whole agent in memory', () => {
  test('S3.40v1 v1: updates, then the answer at the end', async () => {
    const { client, codex, violations } = agentWith({ version: 1 });
    await client.request('initialize', profiles.plainV1);
    const { sessionId } = await client.request('session/new', { cwd: '/w', mcpServers: [] });
    const answer = client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'hi' }] });
    await codex.called('startTurn');
    codex.emit(sessionId, events.started('turn-1'));
    codex.emit(sessionId, events.delta('turn-1', 'Hello'));
    codex.emit(sessionId, events.itemCompleted('turn-1', message('m1', 'Hello')));
    await new Promise(setImmediate);
    codex.emit(sessionId, events.completed('turn-1'));
    expect(await answer).toMatchObject({ stopReason: 'end_turn', usage: null });
    expect(client.text(sessionId)).toBe('Hello');
    expect(client.received.at(-1)).toMatchObject({ result: { stopReason: 'end_turn' } });
    expect(violations).toEqual([]);
  });

  test('S3.41 v2: the answer at insertion, the end as state', async () => {
    const { client, codex, violations } = agentWith({ version: 2 });
    await client.request('initialize', profiles.plainV2);
    const { sessionId } = await client.request('session/new', { cwd: '/w', mcpServers: [] });
    const answer = client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'hi' }] });
    await codex.called('startTurn');
    const messageId = codex.of('startTurn')[0]?.params.clientMessageId;
    codex.emit(sessionId, events.started('turn-1'));
    codex.emit(sessionId, {
      type: 'itemStarted',
      turnId: 'turn-1',
      item: { type: 'userMessage', id: 'u1', clientId: messageId ?? null },
    });
    codex.emit(sessionId, events.delta('turn-1', 'Hello'));
    codex.emit(sessionId, events.completed('turn-1'));
    expect(await answer).toEqual({ messageId });
    await client.waitForUpdate('state_update', (update) => update.state === 'idle');
    const order = client.received
      .filter((frame) => frame.method === 'session/update' || frame.result?.messageId !== undefined)
      .map((frame) => frame.params?.update.sessionUpdate ?? 'answer');
    // The title is the text of the prompt, until Codex gives a better one (S3.190).
    const title = 'session_info_update';
    expect(order).toEqual([
      'state_update',
      'user_message_chunk',
      'answer',
      'agent_message_chunk',
      title,
      'state_update',
    ]);
    expect(violations).toEqual([]);
  });
});

describe('a prompt to a session that is being closed', () => {
  test.each([1, 2] as const)('S3.23 S3.67 v%i', async (version) => {
    const { client, codex } = agentWith({ version });
    codex.manual.add('unsubscribe');
    await client.request('initialize', version === 1 ? profiles.plainV1 : profiles.plainV2);
    const { sessionId } = await client.request('session/new', { cwd: '/w', mcpServers: [] });
    const closed = client.request('session/close', { sessionId });
    const prompt = client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'late' }] });
    if (version === 1) expect(await prompt).toMatchObject({ stopReason: 'cancelled' });
    else {
      const message = `Invalid request: Session ${sessionId} is closing`;
      await expect(prompt).rejects.toMatchObject({ code: -32600, message });
    }
    codex.heldUnsubscribes[0]?.resolve();
    expect(await closed).toEqual({});
  });
});
