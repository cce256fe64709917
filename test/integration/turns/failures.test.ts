import { describe, expect, test } from 'vitest';
import { type Json, type LabSession, type PromptEnd, useAgent } from '../../support/integration.ts';
import {
  cutStream,
  dropConnection,
  failedEvent,
  failure,
  incomplete,
  runCommand,
  type Scripted,
  text,
} from '../../support/model-replies.ts';
import { profiles } from '../../support/profiles.ts';
import { messageText, openToolCalls, toolCall } from './tool-view.ts';

interface Failing {
  readonly name: string;
  readonly replies: readonly Scripted[];
  /** What the user reads. */
  readonly says: RegExp;
}

/** A failure of the model endpoint; with one retry of a stream, as the home is configured. */
const failing: readonly Failing[] = [
  { name: '429', replies: [failure(429)], says: /429 Too Many Requests/ },
  { name: '500 again and again', replies: [failure(500), failure(500)], says: /high demand/ },
  {
    name: '400 with an error object (S3.170)',
    replies: [
      failure(400, { error: { message: 'Bad thing', type: 'invalid_request_error', code: null, param: null } }),
    ],
    says: /^Bad thing\s*$/,
  },
  {
    name: '404 of an unknown model',
    replies: [failure(404, { error: { message: 'The model x does not exist', code: 'model_not_found' } })],
    says: /model x does not exist/,
  },
  {
    name: 'a stream that is cut twice',
    replies: [cutStream(text('Half. ')), cutStream(text('Other half. '))],
    says: /^Half\. Other half\. stream disconnected/,
  },
  {
    name: 'a failed response',
    replies: [
      failedEvent({ code: 'server_error', message: 'Broken' }),
      failedEvent({ code: 'server_error', message: 'Broken' }),
    ],
    says: /Broken/,
  },
  {
    name: 'an incomplete response',
    replies: [incomplete('max_output_tokens', text('Half. '))],
    says: /^Half\. Incomplete response returned/,
  },
];

const usageLimit = failure(429, {
  error: { type: 'usage_limit_reached', message: 'The usage limit has been reached', plan_type: 'pro' },
});

const contextWindow = failedEvent({
  code: 'context_length_exceeded',
  message: 'Your input exceeds the context window',
});

/** One retry of a stream and none of a request: failures come soon. */
const home = { requestRetries: 0, streamRetries: 1 };

describe.each([1, 2] as const)('v%i', (version) => {
  const agent = useAgent({ version, home });

  async function ending(...replies: readonly Scripted[]): Promise<[LabSession, PromptEnd]> {
    const session = await agent().open();
    session.model(...replies);
    const end = await session.prompt('Hello').ended;
    if (version === 2) expectIdle(end);
    return [session, end];
  }

  async function expectNextPrompt(session: LabSession): Promise<void> {
    session.modelWith(() => text('Works again.'));
    const end = await session.prompt('And now?').ended;
    expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'Works again.']);
  }

  test.each(failing)(
    'C007 S3 12.2 $name: said once, the turn ends, the next prompt works',
    async ({ replies, says }) => {
      const [session, end] = await ending(...replies);
      expect(messageText(end.updates)).toMatch(says);
      if (version === 1) {
        expect([end.outcome, end.error]).toEqual(['end_turn', null]);
      } else {
        expect(end.outcome).toBe('error');
        expect(end.error).toMatchObject({ code: -32603, message: expect.any(String) });
        // The text and the error say the same.
        expect(messageText(end.updates)).toContain(end.error?.message);
      }
      await expectNextPrompt(session);
    },
  );

  test('C055 S3.99 a 401 is an authentication error without text', async () => {
    const [session, end] = await ending(failure(401), failure(401));
    expect(end.error).toMatchObject({ code: -32000, message: 'Authentication required' });
    expect(end.outcome).toBe(version === 1 ? 'rejected' : 'error');
    expect(messageText(end.updates)).toBe('');
    await expectNextPrompt(session);
  });

  test('C007 S3 12.2 a used-up quota is said with what to do, and is an error', async () => {
    const [session, end] = await ending(usageLimit, usageLimit);
    expect(messageText(end.updates)).toMatch(/usage limit/);
    expect(end.error?.code).toBe(-32603);
    if (version === 1) {
      expect(end.outcome).toBe('rejected');
      expect(end.error?.data).toMatchObject({ codexErrorInfo: 'usageLimitExceeded', message: expect.any(String) });
    } else {
      expect(end.outcome).toBe('error');
      expect(end.error?.message).toMatch(/usage limit/);
      expect(end.error).not.toHaveProperty('data');
    }
    await expectNextPrompt(session);
  });

  test('S12.11 a full context window ends with max_tokens on v1, as an error on v2', async () => {
    const [, end] = await ending(contextWindow);
    expect(end.outcome).toBe(version === 1 ? 'max_tokens' : 'error');
    expect(messageText(end.updates)).toMatch(/context window/);
  });

  test.each([
    ['ends without its last event', cutStream(text('Before the cut. '))],
    ['breaks', dropConnection(text('Before the cut. '))],
  ])('C014 S3.100 S3.174 a stream that %s is retried: a status, no text, nothing twice', async (_, broken) => {
    const [session, end] = await ending(broken, text('After it.'));
    expect([end.outcome, end.error]).toEqual(['end_turn', null]);
    expect(messageText(end.updates)).toBe('Before the cut. After it.');
    const errors = end.updates.map((update) => update._meta?.codex?.error).filter((error) => error !== undefined);
    expect(errors[0]).toMatchObject({ willRetry: true, message: 'Reconnecting... 1/1' });
    if (version === 1) expect(errors).toHaveLength(1);
    await expectNextPrompt(session);
  });

  test('C008 a failure after a command leaves no tool call open', async () => {
    const [session, end] = await ending(runCommand('echo done'), failure(400, { error: { message: 'Bad thing' } }));
    expect(openToolCalls(end.updates)).toEqual([]);
    expect(toolCall(end.updates).status).toBe('completed');
    expect(messageText(end.updates)).toMatch(/^Bad thing\s*$/);
    await expectNextPrompt(session);
  });

  test('S3.55 a cancel while Codex waits for its retry ends as cancelled, not as a failure', async () => {
    const session = await agent().open();
    session.modelWith(() => failure(500));
    const prompt = session.prompt('Hello');
    await session.update(
      'session_info_update',
      (update) => update._meta?.codex?.error?.willRetry === true,
      prompt.from,
    );
    session.cancel();
    const end = await prompt.ended;
    expect(end.outcome).toBe('cancelled');
    expect(messageText(end.updates)).toBe('');
    await expectNextPrompt(session);
  });
});

describe.each([
  { name: 'AIR v1', version: 1, profile: profiles.airV1 },
  { name: 'AIR v2', version: 2, profile: profiles.airV2 },
] as const)('$name', ({ version, profile }) => {
  const agent = useAgent({ version, profile, home });

  test.each([
    ['a used-up quota', [usageLimit], 'limit'],
    ['a server failure', [failure(500), failure(500)], 'service'],
  ] as const)('C007 S3.175 S3.176 %s is a typed failure without text', async (_, replies, category) => {
    const session = await agent().open();
    session.model(...replies);
    const end = await session.prompt('Hello').ended;
    expect(messageText(end.updates)).toBe('');
    expect(end.outcome).toBe(version === 1 ? 'end_turn' : 'error');
    const record = end.meta.jetbrains.air.sessionFailure;
    expect(record).toMatchObject({
      category,
      severity: 'error',
      title: expect.stringMatching(/usage limit|high demand/),
    });
  });
});

/** v2: one `running`, one `idle`, which is the last frame. */
function expectIdle(end: PromptEnd): void {
  const states = end.updates.filter(({ sessionUpdate }: Json) => sessionUpdate === 'state_update');
  expect(states.map(({ state }: Json) => state)).toEqual(['running', 'idle']);
  expect(end.updates.at(-1)).toBe(states.at(-1));
}
