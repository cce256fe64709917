import { describe, expect, it } from 'vitest';
import { FailureRecords } from '../../../src/adapters/acp/failure-record.ts';
import { promptResultV1 } from '../../../src/adapters/acp-v1/prompt-result-v1.ts';
import { promptRejectionV2 } from '../../../src/adapters/acp-v2/prompt-rejection-v2.ts';
import type { ClientProfile } from '../../../src/domain/client/client-profile.ts';
import { AgentError, CodexLostError, CodexRequestError } from '../../../src/domain/errors/agent-error.ts';
import type { TurnError } from '../../../src/domain/thread/thread-event.ts';
import type { Failure, PromptEnding, WorkOutcome } from '../../../src/domain/turn/work-ending.ts';
import { validateAgentFrame } from '../../support/acp-schema.ts';
import { profiles } from './profiles.ts';

const tokens = {
  totalTokens: 300,
  inputTokens: 200,
  cachedInputTokens: 40,
  cacheWriteInputTokens: 0,
  outputTokens: 60,
  reasoningOutputTokens: 10,
};
const noUsage = { usage: null, _meta: { quota: { token_count: null, model_usage: [] } } };
const lost = new CodexLostError('The app-server exited with code 1.\nstderr', {
  exitCode: 1,
  signal: null,
  restartable: true,
});

const ending = (outcome: WorkOutcome, more: Partial<PromptEnding> = {}): PromptEnding => ({
  outcome,
  usage: { tokens: null, model: 'gpt-6' },
  inserted: false,
  reason: null,
  ...more,
});
const failed = (failure: Failure): PromptEnding => ending({ type: 'failed', failure });
const turn = (error: TurnError | null): PromptEnding => failed({ type: 'turn', turnId: 't1', error });
const named = (info: unknown, details: string | null = null): PromptEnding =>
  turn({ message: 'Failed', info, details });
const refused = (error: Error): PromptEnding => failed({ type: 'refused', error });

function answer(profile: ClientProfile, end: PromptEnding): object {
  const result = promptResultV1(end, profile, new FailureRecords('e').of('s1'));
  if (result.type === 'error') return { error: result.error };
  const frame = { jsonrpc: '2.0', id: 1, result: result.result };
  expect(validateAgentFrame(1, frame, 'session/prompt')).toEqual([]);
  return result.result;
}

describe('answer to a v1 prompt', () => {
  const untyped: readonly [string, PromptEnding, object][] = [
    ['S3.41v1 a prompt that ended well', ending({ type: 'done' }), { stopReason: 'end_turn', ...noUsage }],
    ['S3.41v1 a cancelled one', ending({ type: 'cancelled' }), { stopReason: 'cancelled', ...noUsage }],
    [
      'S3.41v1 one that never ran',
      ending({ type: 'cancelled' }, { usage: null }),
      { stopReason: 'cancelled', ...noUsage },
    ],
    [
      'S3.162 S3.163 with usage, the model without its effort',
      ending({ type: 'done' }, { usage: { tokens, model: 'gpt-6[high]' } }),
      {
        stopReason: 'end_turn',
        usage: {
          totalTokens: 300,
          inputTokens: 200,
          cachedReadTokens: 40,
          cachedWriteTokens: 0,
          outputTokens: 60,
          thoughtTokens: 10,
        },
        _meta: { quota: { token_count: tokens, model_usage: [{ model: 'gpt-6', token_count: tokens }] } },
      },
    ],
    ['S1.219 a failure was shown as text', named('serverOverloaded'), { stopReason: 'end_turn', ...noUsage }],
    ['S3.172 a failure without reason', turn(null), { stopReason: 'end_turn', ...noUsage }],
    ['S12.11 context used up', named('contextWindowExceeded'), { stopReason: 'max_tokens', ...noUsage }],
    ['S12.11 budget used up', named('sessionBudgetExceeded'), { stopReason: 'max_tokens', ...noUsage }],
    ['S12.11 refused by policy', named('cyberPolicy'), { stopReason: 'refusal', ...noUsage }],
    [
      'S1.219 usage limit',
      named('usageLimitExceeded', 'Resets at noon'),
      {
        error: {
          code: -32603,
          message: 'Internal error',
          data: {
            message: 'Resets at noon',
            codexErrorInfo: 'usageLimitExceeded',
            additionalDetails: 'Resets at noon',
          },
        },
      },
    ],
    [
      'S1.219 usage limit without details',
      named('usageLimitExceeded'),
      {
        error: {
          code: -32603,
          message: 'Internal error',
          data: { message: 'Failed', codexErrorInfo: 'usageLimitExceeded' },
        },
      },
    ],
    ['S1.193 no login', named('unauthorized'), { error: { code: -32000, message: 'Authentication required' } }],
    [
      'S1.193 no login by HTTP status',
      named({ httpConnectionFailed: { httpStatusCode: 401 } }),
      { error: { code: -32000, message: 'Authentication required' } },
    ],
    [
      'S1.211 the app-server is gone',
      failed({ type: 'lost', cause: lost }),
      { error: { code: 1001, message: lost.message, data: lost.data } },
    ],
    [
      'S1.210 Codex refused the start; its code is not forwarded',
      refused(new CodexRequestError(-7, 'no')),
      { error: { code: -32603, message: 'Internal error', data: { details: 'no' } } },
    ],
    [
      'S1.210 S3.25 an error of ours',
      refused(AgentError.invalidRequest('no images', 'no images')),
      { error: { code: -32600, message: 'Invalid request: no images', data: 'no images' } },
    ],
  ];
  it.each(untyped)('%s', (_name, end, expected) => {
    expect(answer(profiles.plainV1, end)).toEqual(expected);
    expect(answer(profiles.airNoneV1, end)).toEqual(expected);
  });

  const record = (id: string, category: string, title: string, actions: string[]): object => ({
    stopReason: 'end_turn',
    usage: null,
    _meta: {
      quota: { token_count: null, model_usage: [] },
      jetbrains: {
        air: { version: 1, sessionFailure: { id, revision: 1, category, severity: 'error', title, actions } },
      },
    },
  });
  const typed: readonly [string, PromptEnding, object][] = [
    ['S3.41v1 a prompt that ended well', ending({ type: 'done' }), { stopReason: 'end_turn', ...noUsage }],
    [
      'S12.11 AIR keeps end_turn',
      named('contextWindowExceeded'),
      record('t1:error', 'limit', 'Failed', ['new_session']),
    ],
    ['S3.176 usage limit', named('usageLimitExceeded'), record('t1:error', 'limit', 'Failed', [])],
    ['S3.176 policy', named('bioPolicy'), record('t1:error', 'request', 'Failed', [])],
    ['S1.220 without reason', turn(null), record('t1:error', 'service', 'Turn failed', ['retry'])],
    ['S1.193 no login', named('unauthorized'), { error: { code: -32000, message: 'Authentication required' } }],
    [
      'S1.220 the app-server is gone',
      failed({ type: 'lost', cause: lost }),
      record('s1:error:e:1', 'connection', 'Connection to Codex was lost.', ['retry', 'new_session']),
    ],
    [
      'S1.220 an unexpected failure',
      refused(new Error('x')),
      record('s1:error:e:1', 'service', 'Codex encountered an internal error.', ['retry', 'new_session']),
    ],
    [
      'S1.210 an error of ours stays one',
      refused(AgentError.invalidRequest('no images')),
      { error: { code: -32600, message: 'Invalid request: no images' } },
    ],
  ];
  it.each(typed)('typed failures: %s', (_name, end, expected) => {
    expect(answer(profiles.airV1, end)).toEqual(expected);
  });
});

describe('rejection of a v2 prompt', () => {
  const cases: readonly [string, PromptEnding, object | null][] = [
    ['S3.44 an inserted prompt was answered', ending({ type: 'cancelled' }, { inserted: true }), null],
    ['S3.43 cancelled', ending({ type: 'cancelled' }), { code: -32800, message: 'Request cancelled' }],
    [
      'S3.52 cancelled in the queue',
      ending({ type: 'cancelled' }, { reason: 'sessionCancelled' }),
      { code: -32800, message: 'Request cancelled: Session s1 was cancelled before the prompt was inserted' },
    ],
    [
      'S3.59 cancelled by its request',
      ending({ type: 'cancelled' }, { reason: 'requestCancelled' }),
      { code: -32800, message: 'Request cancelled: The prompt request was cancelled before it was inserted' },
    ],
    [
      'S3.23 the session is closing',
      ending({ type: 'cancelled' }, { reason: 'sessionClosing' }),
      { code: -32600, message: 'Invalid request: Session s1 is closing', data: 'Session s1 is closing' },
    ],
    [
      'S3.43 ended without being recorded',
      ending({ type: 'done' }),
      { code: -32603, message: 'Internal error: The prompt ended before Codex recorded the user message' },
    ],
    ['S1.221 a failed turn', named('serverOverloaded'), { code: -32603, message: 'Failed' }],
    ['S3.99 a failed turn without reason', turn(null), { code: -32603, message: 'Codex turn failed.' }],
    ['S1.193 no login', named('unauthorized'), { code: -32000, message: 'Authentication required' }],
    [
      'S1.212 the app-server is gone, with all that is known',
      failed({ type: 'lost', cause: lost }),
      { code: 1001, message: lost.message, data: lost.data },
    ],
    [
      'S1.210 Codex refused the start',
      refused(new CodexRequestError(-7, '{"a":1}')),
      { code: -32603, message: 'Internal error', data: { a: 1 } },
    ],
  ];
  it.each(cases)('%s', (_name, end, expected) => {
    expect(promptRejectionV2('s1', end)).toEqual(expected);
  });
});
