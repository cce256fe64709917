import { MatchersV3 } from '@pact-foundation/pact';
import { afterAll, describe, expect, test } from 'vitest';
import { howToPublish } from '../support/consumer-pact.ts';
import { air, airPact, answer, update } from './air-frames.ts';
import { readTurn } from './air-reader.ts';

const { eachLike, integer, string } = MatchersV3;
const pact = airPact('text turn');
afterAll(() => pact.dispose());

const comment =
  'The frames of the turn in order, from the prompt on. Left out: session_info_update, config_option_update, ' +
  'available_commands_update and extension notifications, which may come at any time. Chunks that follow each other ' +
  'and differ in their text alone count as one.';

/** What happened; the frames below say it again as AIR gets it. */
const turn = {
  sessionId: 'thread-1',
  prompt: 'Say hello',
  messageId: 'message-1',
  phase: 'final_answer',
  deltas: ['Hello', ' from', ' Codex.'],
};
const { messageId, phase, prompt, sessionId } = turn;

function given(protocolVersion: 1 | 2): { name: string; params: typeof turn & { protocolVersion: 1 | 2 } } {
  return { name: 'a turn answered with a streamed message has ended', params: { protocolVersion, ...turn } };
}

const message = update(sessionId, {
  sessionUpdate: 'agent_message_chunk',
  messageId,
  content: { type: 'text', text: 'Hello from Codex.' },
  _meta: air({ phase }),
});

const contextUsage = update(sessionId, { sessionUpdate: 'usage_update', used: integer(150), size: integer(258_400) });

const tokens = {
  totalTokens: integer(150),
  inputTokens: integer(100),
  cachedInputTokens: integer(20),
  cacheWriteInputTokens: integer(0),
  outputTokens: integer(30),
  reasoningOutputTokens: integer(5),
};
const quota = { token_count: tokens, model_usage: eachLike({ model: string('gpt-test'), token_count: tokens }) };

const shown = {
  message: { id: messageId, text: 'Hello from Codex.', phase },
  context: { used: 150, size: 258_400 },
  stopReason: 'end_turn',
  tokens: { total: 150, models: ['gpt-test'] },
};

describe('what AIR relies on in a text turn', () => {
  test('S11.9, S11.24 v1: the message, the context, and the answer at the end', () =>
    pact.received(
      {
        about: 'AIR on v1',
        given: given(1),
        comment,
        frames: [message, contextUsage, answer(integer(3), { stopReason: 'end_turn', _meta: { quota } })],
      },
      (frames) => expect(readTurn(frames)).toEqual({ promptId: null, ...shown }),
    ));

  test('S11.9, S11.43, S11.45, S11.52 v2: running, the echo and the answer, the message, the context, idle', () =>
    pact.received(
      {
        about: 'AIR on v2',
        given: given(2),
        comment: `${comment} The answer names the message of the echo.`,
        frames: [
          update(sessionId, { sessionUpdate: 'state_update', state: 'running' }),
          update(sessionId, {
            sessionUpdate: 'user_message_chunk',
            messageId: string('user-1'),
            content: { type: 'text', text: prompt },
          }),
          answer(integer(3), { messageId: string('user-1') }),
          message,
          contextUsage,
          update(sessionId, {
            sessionUpdate: 'state_update',
            state: 'idle',
            stopReason: 'end_turn',
            _meta: { quota },
          }),
        ],
      },
      (frames) => expect(readTurn(frames)).toEqual({ promptId: 'user-1', ...shown }),
    ));

  test('is what contracts/pacts says', () => {
    const { written, published } = pact.compare();
    expect(written, howToPublish).toEqual(published);
  });
});
