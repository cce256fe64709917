import { describe, expect, test } from 'vitest';
import { isUpdate, type Json, type LabSession, useAgent } from '../../support/integration.ts';
import { hold, reasoning, reply, text, withUsage } from '../../support/model-replies.ts';
import { messageText, thoughtText } from './tool-view.ts';

/** A red pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';

describe.each([1, 2] as const)('v%i', (version) => {
  const agent = useAgent({ version });

  test('S4.18 S3.41 C010 the answer streams while the model speaks and every text comes once', async () => {
    const session = await agent().open();
    const gate = hold();
    session.model(text('Two files are here.').pauseAt(gate, 2));
    const prompt = session.prompt('How many files?');
    await session.textShown('Two files', prompt.from);
    gate.open();
    const end = await prompt.ended;

    expect(end.outcome).toBe('end_turn');
    expect(messageText(end.updates)).toBe('Two files are here.');
    const ids = end.updates
      .filter((update) => update.sessionUpdate === 'agent_message_chunk')
      .map((update) => update.messageId);
    expect(new Set(ids).size).toBe(1);
    expect(session.requests).toHaveLength(1);
    expect(userParts(session)).toEqual([{ type: 'input_text', text: 'How many files?' }]);
  });

  test('S3.162 S3.163 S4.90 usage is told as updates and as the sum of the turn', async () => {
    const session = await agent().open();
    session.model(
      withUsage(reply(reasoning(['Thinking.']), text('One.', { phase: 'commentary' })), { total: 150 }),
      withUsage(text('Again.'), { input: 300, cached: 100, output: 50, reasoning: 7, total: 350 }),
    );
    const first = await session.prompt('One').ended;
    const second = await session.prompt('Two').ended;

    expect(first.usage).toEqual({
      totalTokens: 150,
      inputTokens: 80,
      cachedReadTokens: 20,
      cachedWriteTokens: 0,
      outputTokens: 30,
      thoughtTokens: 5,
    });
    expect(second.usage).toMatchObject({ totalTokens: 350, inputTokens: 200, cachedReadTokens: 100, outputTokens: 50 });
    const { token_count, model_usage } = second.meta.quota;
    expect(token_count).toMatchObject({ totalTokens: 350, inputTokens: 200, cachedInputTokens: 100 });
    expect(model_usage).toEqual([{ model: 'gpt-6.2-sol', token_count }]);
    const meter = second.updates.filter((update) => update.sessionUpdate === 'usage_update');
    expect(meter.at(-1)).toMatchObject({ used: 350, size: expect.any(Number) });
  });

  test('S4.27 S4.28 C018 thoughts come as thoughts, without blank lines at their start', async () => {
    const session = await agent().open();
    session.model(
      reply(
        reasoning(['Looking around.', 'And once more.']),
        text('A word first.', { phase: 'commentary' }),
        reasoning(['Now the end.']),
        text('The answer.', { phase: 'final_answer' }),
      ),
    );
    const end = await session.prompt('Think').ended;

    expect(textById(end.updates, 'agent_thought_chunk')).toEqual(['Looking around.\n\nAnd once more.', 'Now the end.']);
    expect(textById(end.updates, 'agent_message_chunk')).toEqual(['A word first.', 'The answer.']);
    const order = end.updates
      .filter((update) => update.sessionUpdate.endsWith('_chunk') && update.sessionUpdate !== 'user_message_chunk')
      .map((update) => update.sessionUpdate);
    expect(order.filter((kind, index) => kind !== order[index - 1])).toEqual([
      'agent_thought_chunk',
      'agent_message_chunk',
      'agent_thought_chunk',
      'agent_message_chunk',
    ]);
    expect(thoughtText(end.updates)).not.toMatch(/^\s/);
  });

  test(
    version === 1
      ? 'S4.31 S3.40v1 the prompt is not echoed and its answer is the last frame of the turn'
      : 'S3.40 S3.41 S3.96 S4.32 the prompt is echoed and answered when it landed, and idle is the last frame',
    async () => {
      const session = await agent().open();
      session.model(text('Hello.'));
      const blocks = [
        { type: 'text', text: 'Hi' },
        { type: 'text', text: 'there' },
      ];
      const prompt = session.prompt(blocks);
      const end = await prompt.ended;
      await session.prompt('And so on').ended;

      const echo = end.updates.filter((update) => update.sessionUpdate === 'user_message_chunk');
      const states = end.updates.filter((update) => update.sessionUpdate === 'state_update');
      if (version === 1) {
        expect(echo).toEqual([]);
        expect(states).toEqual([]);
        return;
      }
      const { messageId } = await prompt.answer;
      expect(echo.map(({ content }) => content)).toEqual(blocks);
      expect(echo.map((update) => update.messageId)).toEqual([messageId, messageId]);
      expect(states.map(({ state, stopReason }) => [state, stopReason])).toEqual([
        ['running', undefined],
        ['idle', 'end_turn'],
      ]);
      // The answer stands between the echo and what the model says.
      const frames = agent().client.received;
      const answer = frames.findIndex((frame) => frame.id === prompt.requestId && frame.method === undefined);
      const kinds = (part: typeof frames): string[] =>
        part.filter((frame) => isUpdate(frame, session.id)).map((frame) => frame.params.update.sessionUpdate);
      expect(kinds(frames.slice(prompt.from, answer))).toContain('user_message_chunk');
      expect(kinds(frames.slice(prompt.from, answer))).not.toContain('agent_message_chunk');
      expect(kinds(frames.slice(answer, end.position)).at(-1)).toBe('state_update');
    },
  );

  test('C020 S3 2.2 everything attached reaches the model, in order', async () => {
    const session = await agent().open();
    session.model(text('Seen.'));
    const end = await session.prompt([
      { type: 'text', text: 'Before' },
      { type: 'resource_link', name: 'a.ts', uri: 'file:///project/a.ts' },
      { type: 'image', data: png, mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'file:///project/b.ts', mimeType: 'text/plain', text: 'let b = 1;\n' } },
      { type: 'resource', resource: { uri: 'file:///project/c.png', mimeType: 'image/png', blob: png } },
      { type: 'resource', resource: { uri: 'file:///project/d.bin', mimeType: 'application/x-d', blob: 'AAEC' } },
      { type: 'text', text: 'After' },
    ]).ended;

    expect(end.outcome).toBe('end_turn');
    const parts = userParts(session);
    expect(parts.map(({ type }) => type).filter((type) => type === 'input_image')).toHaveLength(2);
    const shown = parts.map(({ type, text: content, image_url }) => (type === 'input_image' ? image_url : content));
    const whole = shown.join('\n');
    const marks = [
      'Before',
      '[@a.ts](file:///project/a.ts)',
      'data:image/png;base64,',
      '<context ref="file:///project/b.ts">\nlet b = 1;\n\n</context>',
      'data:image/png;base64,',
      '<context ref="file:///project/d.bin" mimeType="application/x-d" encoding="base64">\nAAEC\n</context>',
      'After',
    ];
    let position = 0;
    for (const mark of marks) {
      const found = whole.indexOf(mark, position);
      expect(found, `${mark} in ${whole}`).toBeGreaterThanOrEqual(0);
      position = found + mark.length;
    }
  });

  test('S12.2 an image that only has an address becomes a link, and the turn goes on', async () => {
    const session = await agent().open();
    session.model(text('Seen.'));
    const end = await session.prompt([
      { type: 'image', data: '', mimeType: 'image/png', uri: 'https://example.invalid/a.png' },
      { type: 'text', text: 'What is it?' },
    ]).ended;
    expect(end.outcome).toBe('end_turn');
    expect(userParts(session).map((part) => part.text)).toEqual([
      '[@image](https://example.invalid/a.png)',
      'What is it?',
    ]);
  });

  test('S3.20 S3.24 content that is not supported is refused before anything starts', async () => {
    const session = await agent().open();
    const audio = await session.prompt([{ type: 'audio', data: 'AAEC', mimeType: 'audio/wav' }]).ended;
    expect(audio.error?.code).toBe(-32602);
    expect(audio.updates).toEqual([]);
    if (version === 2) {
      const empty = await session.prompt([]).ended;
      expect(empty.error?.code).toBe(-32602);
    }
    session.model(text('Still here.'));
    expect((await session.prompt('Go on').ended).outcome).toBe('end_turn');
  });

  if (version === 1)
    test('S3.24 S3.6 an empty prompt of v1 runs a turn without a user message', async () => {
      const session = await agent().open();
      session.model(text('You said nothing.'));
      const end = await session.prompt([]).ended;
      expect(end.outcome).toBe('end_turn');
      expect(messageText(end.updates)).toBe('You said nothing.');
    });
});

/** The parts of the last user message that the model got. */
function userParts(session: LabSession): Json[] {
  const input = session.requests.at(-1)?.body['input'] as Json[];
  return input.findLast((item) => item.type === 'message' && item.role === 'user').content;
}

/** Texts of the messages of a kind, one per message id, in order. */
function textById(updates: readonly Json[], kind: string): string[] {
  const texts = new Map<string, string>();
  for (const update of updates) {
    if (update.sessionUpdate !== kind) continue;
    texts.set(update.messageId, (texts.get(update.messageId) ?? '') + update.content.text);
  }
  return [...texts.values()];
}
