import { describe, expect, test } from 'vitest';
import { cutStream, failure, text } from '../../support/model-replies.ts';
import { useCodex } from './lab.ts';

const codex = useCodex({ model: 'gpt-5.5', streamRetries: 1 });

test('S3.7 a failed turn: status, error without retry, end with the same error', async () => {
  const thread = await codex().open();
  codex().server.script(failure(400, { error: { message: 'Bad thing', type: 'invalid_request_error' } }));
  const turn = await thread.start('Hi');
  const end = await thread.completed(turn);
  expect(thread.story({ A: turn })).toEqual([
    'answer turn/start',
    'status active',
    'turn started A',
    'item started userMessage A',
    'item completed userMessage A',
    'status systemError',
    'error final A',
    'turn completed A failed',
  ]);
  expect(thread.all('error')).toEqual([{ threadId: thread.id, turnId: turn, willRetry: false, error: end.error }]);
  expect(end.error).toMatchObject({
    message: '{"error":{"message":"Bad thing","type":"invalid_request_error"}}',
    codexErrorInfo: 'other',
  });
});

test('S3.7 a retry: an error that says so, and the turn goes on; what was said before the cut is a message of its own', async () => {
  const thread = await codex().open();
  codex().server.script(cutStream(text('Half. ')), text('Whole.'));
  const turn = await thread.start('Hi');
  expect(await thread.completed(turn)).toMatchObject({ status: 'completed', error: null });
  expect(thread.story({ A: turn })).toEqual([
    'answer turn/start',
    'status active',
    'turn started A',
    'item started userMessage A',
    'item completed userMessage A',
    'item started agentMessage A',
    'delta agentMessage A',
    'item completed agentMessage A',
    'error retried A',
    'item started agentMessage A',
    'delta agentMessage A',
    'item completed agentMessage A',
    'status idle',
    'turn completed A completed',
  ]);
  expect(thread.all('error')[0]).toMatchObject({
    willRetry: true,
    turnId: turn,
    error: {
      message: 'Reconnecting... 1/1',
      codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: null } },
      additionalDetails: 'stream disconnected before completion: stream closed before response.completed',
    },
  });
});

test('S3.7 the turn after a failed one is ordinary', async () => {
  const thread = await codex().open();
  codex().server.script(failure(400), text('Hello.'));
  await thread.completed(await thread.start('Hi'));
  thread.fromNow();
  const turn = await thread.start('Again');
  expect(await thread.completed(turn)).toMatchObject({ status: 'completed', error: null });
  expect(thread.all('error')).toEqual([]);
  expect(thread.story({ A: turn })[1]).toBe('status active');
});

describe('S3.14 what 0.171 changed', () => {
  test('S3.14 an error has `misalignment`; an agent message has `moderation`, `delivery` and `questions`', async () => {
    const thread = await codex().open();
    codex().server.script(text('Hello.'), failure(400));
    await thread.completed(await thread.start('Hi'));
    expect(await thread.item('completed', 'agentMessage')).toMatchObject({
      moderation: null,
      delivery: null,
      questions: null,
    });
    await thread.completed(await thread.start('Again'));
    expect(thread.all('error')[0].error.misalignment).toBeNull();
  });

  test('S3.14 S3.113 a review runs inline only, and needs instructions', async () => {
    const thread = await codex().open();
    const target = { type: 'custom', instructions: 'Look' };
    expect(await thread.refusal('review/start', { delivery: 'detached', target })).toEqual({
      code: -32600,
      message: 'Invalid request: unknown variant `detached`, expected `inline`',
    });
    const blank = { delivery: 'inline', target: { type: 'custom', instructions: '  ' } };
    expect((await thread.refusal('review/start', blank)).message).toBe('instructions must not be empty');
  });

  test('S3.14 user input `audio` has a `url` or a `fileId`', async () => {
    const thread = await codex().open();
    const { message } = await thread.refusal('turn/start', { input: [{ type: 'audio' }] });
    expect(message).toMatch(/^Invalid request: /);
    codex().server.script(text('Heard.'));
    const input = [{ type: 'audio', url: 'data:audio/wav;base64,UklGRg==' }];
    const { turn } = await thread.call('turn/start', { input });
    await thread.completed(turn.id);
  });
});

test('S3.15 Codex tells things that no turn is about', async () => {
  const thread = await codex().open();
  codex().server.script(text('Hello.'));
  await thread.completed(await thread.start('Hi'));
  const methods = new Set(codex().client.received.flatMap(({ method }) => method ?? []));
  // `thread/readState/changed` is one that no part of the spec names.
  expect(methods).toContain('thread/readState/changed');
});
