import { describe, expect, it } from 'vitest';
import { FailureRecords } from '../../../src/adapters/acp/failure-record.ts';
import { promptResultV1 } from '../../../src/adapters/acp-v1/prompt-result-v1.ts';
import { AgentError, CodexLostError, CodexRequestError } from '../../../src/domain/errors/agent-error.ts';
import type { TurnError } from '../../../src/domain/thread/thread-event.ts';
import type { Failure, WorkOutcome } from '../../../src/domain/turn/work-ending.ts';
import type { Event, Flow } from './flow.ts';
import { framesOf, goldenFlows, presenterOf } from './flow.ts';
import { profiles } from './profiles.ts';

const overloaded: TurnError = { message: 'Server is busy', info: 'serverOverloaded', details: 'raw' };
const reconnecting: TurnError = {
  message: 'Reconnecting... 1/5',
  info: { responseStreamDisconnected: { httpStatusCode: null } },
  details: 'stream closed',
};
const unauthorized: TurnError = { message: 'No', info: 'unauthorized', details: null };

const fatal = (error: TurnError, turnId = 't1'): Event => ({ type: 'turnError', turnId, error, scope: 'fatal' });
const retry = (turnId = 't1'): Event => ({ type: 'turnError', turnId, error: reconnecting, scope: 'retry' });
const other = (turnId = 't9'): Event => ({ type: 'turnError', turnId, error: overloaded, scope: 'other' });
const idle = (outcome: WorkOutcome, prompt = true): Event => ({
  type: 'foreground',
  state: 'idle',
  ending: { outcome, usage: prompt ? { tokens: null, model: null } : null },
});
const failed = (failure: Failure): WorkOutcome => ({ type: 'failed', failure });
const failedTurn = (error: TurnError | null, turnId = 't1'): WorkOutcome => failed({ type: 'turn', turnId, error });
const running: Event = { type: 'foreground', state: 'running' };
const text: Event = { type: 'agentText', messageId: 'm', text: 'Hi', phase: null };

const noQuota = { quota: { token_count: null, model_usage: [] } };
const record = (id: string, revision: number, more: object): object => ({
  jetbrains: { air: { version: 1, sessionFailure: { id, revision, ...more } } },
});
const busy = { category: 'service', severity: 'error', title: 'Server is busy', actions: ['retry'] };
const retrying = { category: 'connection', severity: 'warning', title: 'Reconnecting... 1/5', actions: [] };
const info = (meta: object): Record<string, unknown> => ({ sessionUpdate: 'session_info_update', _meta: meta });
const codexError = (error: TurnError, turnId: string, willRetry: boolean): object => ({
  message: error.message,
  codexErrorInfo: error.info,
  additionalDetails: error.details,
  turnId,
  willRetry,
});
const message = (shown: string, messageId?: string): Record<string, unknown> => ({
  sessionUpdate: 'agent_message_chunk',
  ...(messageId === undefined ? {} : { messageId }),
  content: { type: 'text', text: shown },
});
const state = (more: object): Record<string, unknown> => ({ sessionUpdate: 'state_update', ...more });
const idleOk = state({ state: 'idle', stopReason: 'end_turn', _meta: noQuota });
const idleBusy = { state: 'idle', stopReason: 'error', error: { code: -32603, message: 'Server is busy' } };

const v1Untyped = 'plainV1 zedV1 deltaV1 airNoneV1';

const flows: readonly Flow[] = [
  {
    name: 'S1.219 S3.99 S3.175 S11.43 the failure of a prompt',
    events: [fatal(overloaded), idle(failedTurn(overloaded))],
    frames: {
      [v1Untyped]: [message('Server is busy\n\n')],
      airV1: [],
      plainV2: [message('Server is busy\n\n', 'id-1'), state({ ...idleBusy, _meta: noQuota })],
      airV2: [state({ ...idleBusy, _meta: { ...noQuota, ...record('t1:error', 1, busy) } })],
    },
  },
  {
    name: 'S3.131 the failure of a turn without prompt is told for the session',
    events: [fatal(overloaded), idle(failedTurn(overloaded), false)],
    frames: {
      [v1Untyped]: [message('Server is busy\n\n')],
      airV1: [info(record('t1:error', 1, busy))],
      plainV2: [message('Server is busy\n\n', 'id-1'), state(idleBusy)],
      airV2: [info(record('t1:error', 1, busy)), state(idleBusy)],
    },
  },
  {
    name: 'S3.144 S3.131 the failure of the turn of a steer: v1 has no answer to carry it',
    events: [
      fatal(overloaded),
      {
        type: 'foreground',
        state: 'idle',
        ending: { outcome: failedTurn(overloaded), usage: { tokens: null, model: null }, unanswered: true },
      },
    ],
    frames: {
      [v1Untyped]: [message('Server is busy\n\n')],
      airV1: [info(record('t1:error', 1, busy))],
      plainV2: [message('Server is busy\n\n', 'id-1'), state({ ...idleBusy, _meta: noQuota })],
      airV2: [state({ ...idleBusy, _meta: { ...noQuota, ...record('t1:error', 1, busy) } })],
    },
  },
  {
    name: 'S3.174 S3.177 S3.178 retries raise the revision, and so does the failure in the end',
    events: [retry(), retry(), fatal(overloaded), idle(failedTurn(overloaded))],
    frames: {
      [v1Untyped]: [
        info({ codex: { error: codexError(reconnecting, 't1', true) } }),
        info({ codex: { error: codexError(reconnecting, 't1', true) } }),
        message('Server is busy\n\n'),
      ],
      airV1: [info(record('t1:error', 1, retrying)), info(record('t1:error', 2, retrying))],
      plainV2: [
        info({ codex: { error: codexError(reconnecting, 't1', true) } }),
        info({ codex: { error: codexError(reconnecting, 't1', true) } }),
        message('Server is busy\n\n', 'id-1'),
        state({ ...idleBusy, _meta: noQuota }),
      ],
      airV2: [
        info(record('t1:error', 1, retrying)),
        info(record('t1:error', 2, retrying)),
        state({ ...idleBusy, _meta: { ...noQuota, ...record('t1:error', 3, busy) } }),
      ],
    },
  },
  {
    name: 'S3.178 S3.179 a retry that helped is over: v2 takes it back, the next one is another incident',
    events: [retry(), text, retry(), idle({ type: 'done' })],
    frames: {
      [v1Untyped]: [
        info({ codex: { error: codexError(reconnecting, 't1', true) } }),
        message('Hi', 'm'),
        info({ codex: { error: codexError(reconnecting, 't1', true) } }),
      ],
      airV1: [info(record('t1:error', 1, retrying)), message('Hi', 'm'), info(record('t1:error:id-1:1', 1, retrying))],
      plainV2: [
        info({ codex: { error: codexError(reconnecting, 't1', true) } }),
        message('Hi', 'm'),
        info({ codex: { error: codexError(reconnecting, 't1', true) } }),
        idleOk,
      ],
      airV2: [
        info(record('t1:error', 1, retrying)),
        info({ jetbrains: null }),
        message('Hi', 'm'),
        info(record('t1:error:id-1:1', 1, retrying)),
        info({ jetbrains: null }),
        idleOk,
      ],
    },
  },
  {
    name: 'S3.179 a failure that was known when a prompt began is taken back when the prompt succeeds',
    events: [
      other(),
      running,
      { type: 'foreground', state: 'requires_action' },
      running,
      idle({ type: 'done' }),
      running,
      other('t8'),
      idle({ type: 'done' }),
    ],
    frames: {
      [v1Untyped]: [
        info({ codex: { error: codexError(overloaded, 't9', false) } }),
        info({ codex: { error: codexError(overloaded, 't8', false) } }),
      ],
      airV1: [info(record('t9:error', 1, busy)), info(record('t8:error', 1, busy))],
      plainV2: [
        info({ codex: { error: codexError(overloaded, 't9', false) } }),
        state({ state: 'running' }),
        state({ state: 'requires_action' }),
        state({ state: 'running' }),
        idleOk,
        state({ state: 'running' }),
        info({ codex: { error: codexError(overloaded, 't8', false) } }),
        idleOk,
      ],
      airV2: [
        info(record('t9:error', 1, busy)),
        state({ state: 'running' }),
        state({ state: 'requires_action' }),
        state({ state: 'running' }),
        info({ jetbrains: null }),
        idleOk,
        state({ state: 'running' }),
        info(record('t8:error', 1, busy)),
        idleOk,
      ],
    },
  },
  {
    name: 'S3.131 an error while nothing runs is told typed only',
    events: [{ type: 'threadStatus', status: { type: 'idle' } }, other()],
    frames: {
      airV1: [info({ codex: { threadStatus: { type: 'idle' } } }), info(record('t9:error', 1, busy))],
      airV2: [info({ codex: { threadStatus: { type: 'idle' } } }), info(record('t9:error', 1, busy))],
      rest: [info({ codex: { threadStatus: { type: 'idle' } } })],
    },
  },
  {
    name: 'S1.193 S3.99 a missing login shows nothing and ends with its own code',
    events: [
      { type: 'turnError', turnId: 't1', error: unauthorized, scope: 'retry' },
      fatal(unauthorized),
      idle(failedTurn(unauthorized)),
    ],
    frames: {
      'plainV2 airV2': [
        state({
          state: 'idle',
          stopReason: 'error',
          error: { code: -32000, message: 'Authentication required' },
          _meta: noQuota,
        }),
      ],
      rest: [],
    },
  },
  {
    name: 'S3.98 S3.99 S1.221 the lost app-server, never with its stderr',
    events: [idle(failed({ type: 'lost', cause: lost() }))],
    frames: {
      plainV2: [state({ ...lostState(), _meta: noQuota })],
      airV2: [
        state({
          ...lostState(),
          _meta: {
            ...noQuota,
            ...record('s1:error:id-1:1', 1, {
              category: 'connection',
              severity: 'error',
              title: 'Connection to Codex was lost.',
              actions: ['retry', 'new_session'],
            }),
          },
        }),
      ],
      // On v1 the answer to the prompt tells it.
      rest: [],
    },
  },
  {
    name: 'S3.97 S3.162 S3.163 the end of a prompt with its usage; S3.98 a cancelled one',
    events: [
      {
        type: 'foreground',
        state: 'idle',
        ending: {
          outcome: { type: 'done' },
          usage: {
            tokens: {
              totalTokens: 300,
              inputTokens: 200,
              cachedInputTokens: 40,
              cacheWriteInputTokens: 5,
              outputTokens: 50,
              reasoningOutputTokens: 10,
            },
            model: 'gpt-6[high]',
          },
        },
      },
      idle({ type: 'cancelled' }, false),
    ],
    frames: {
      'plainV2 airV2': [
        state({
          state: 'idle',
          stopReason: 'end_turn',
          usage: {
            totalTokens: 300,
            inputTokens: 200,
            cachedReadTokens: 40,
            cachedWriteTokens: 5,
            outputTokens: 50,
            thoughtTokens: 10,
          },
          _meta: { quota: { token_count: tokenCount(), model_usage: [{ model: 'gpt-6', token_count: tokenCount() }] } },
        }),
        state({ state: 'idle', stopReason: 'cancelled' }),
      ],
      rest: [],
    },
  },
];

function lost(): CodexLostError {
  return new CodexLostError('The Codex app-server exited with code 1.\nsecret stderr', {
    exitCode: 1,
    signal: null,
    restartable: true,
  });
}

function lostState(): object {
  return { state: 'idle', stopReason: 'error', error: { code: 1001, message: 'Connection to Codex was lost.' } };
}

function tokenCount(): object {
  return {
    totalTokens: 300,
    inputTokens: 200,
    cachedInputTokens: 40,
    cacheWriteInputTokens: 5,
    outputTokens: 50,
    reasoningOutputTokens: 10,
  };
}

goldenFlows(flows);

describe('idle after a failed start', () => {
  const cases: readonly [string, Error, { code: number; message: string }][] = [
    ['S3.99 an error that Codex answered', new CodexRequestError(-1, 'no'), { code: -32603, message: 'no' }],
    [
      'S1.221 an error with a meaning keeps its code',
      AgentError.invalidRequest('no images'),
      { code: -32600, message: 'Invalid request: no images' },
    ],
    ['S3.99 anything else', new Error('secret'), { code: -32603, message: 'Codex encountered an internal error.' }],
    ['S3.99 an app-server that did not start', lost(), { code: 1001, message: 'Connection to Codex was lost.' }],
  ];
  it.each(cases)('%s', (_name, error, expected) => {
    const frames = framesOf(presenterOf(profiles.plainV2), [idle(failed({ type: 'refused', error }))]);
    expect(frames).toEqual([state({ state: 'idle', stopReason: 'error', error: expected, _meta: noQuota })]);
  });
});

describe('the record of a prompt', () => {
  it('S3.180 S3.131 that of another turn is not attached to the idle of a prompt that failed', () => {
    const events = [other(), fatal(overloaded), idle(failedTurn(overloaded))];
    expect(framesOf(presenterOf(profiles.airV2), events)).toEqual([
      info(record('t9:error', 1, busy)),
      state({ ...idleBusy, _meta: { ...noQuota, ...record('t1:error', 1, busy) } }),
    ]);
  });

  it('S3.180 S3.131 S3.175 nor to the response of a v1 prompt; without failure of its own it has none', () => {
    const failures = new FailureRecords('e').of('s');
    failures.reported('t9', overloaded);
    failures.failed('t1', overloaded);
    const answer = (outcome: WorkOutcome): unknown =>
      promptResultV1({ outcome, usage: null, inserted: true, reason: null }, profiles.airV1, failures);
    const result = { stopReason: 'end_turn', usage: null };
    expect(answer(failedTurn(overloaded))).toEqual({
      type: 'result',
      result: { ...result, _meta: { ...noQuota, ...record('t1:error', 1, busy) } },
    });
    expect(answer({ type: 'done' })).toEqual({ type: 'result', result: { ...result, _meta: noQuota } });
  });

  it('S3.175 S3.177 a record has its words only; a warning offers nothing, whatever failed', () => {
    const failures = new FailureRecords('e').of('s');
    expect(failures.retried('t1', overloaded)).toEqual({
      id: 't1:error',
      revision: 1,
      category: 'service',
      severity: 'warning',
      title: 'Server is busy',
      actions: [],
    });
    expect(failures.failed('t1', overloaded)).toMatchObject({ revision: 2, severity: 'error', actions: ['retry'] });
  });

  it('S3.176 S3.178 a failure without turn belongs to the session', () => {
    const failures = new FailureRecords('e').of('s');
    const refused = failures.ended({ type: 'refused', error: new Error('x') });
    expect([refused?.id, refused?.actions]).toEqual(['s:error:e:1', ['retry', 'new_session']]);
    expect(failures.ended({ type: 'lost', cause: lost() })?.id).toBe('s:error:e:2');
  });

  it('S3.178 S3.179 work closes the retry of its turn, not the failure of another one that came meanwhile', () => {
    const events = [retry(), other(), text, retry()];
    expect(framesOf(presenterOf(profiles.airV2), events)).toEqual([
      info(record('t1:error', 1, retrying)),
      info(record('t9:error', 1, busy)),
      message('Hi', 'm'),
      info(record('t1:error:id-1:1', 1, retrying)),
    ]);
  });
});

describe('failure records', () => {
  it('S3.178 ids never repeat, not even when a session is opened again', () => {
    const records = new FailureRecords('e');
    const ids = [1, 2].map(() => {
      const id = records.of('s').ended({ type: 'lost', cause: lost() })?.id;
      records.forgetSession('s');
      return id;
    });
    expect(ids).toEqual(['s:error:e:1', 's:error:e:2']);
  });

  it('S3.171 the end of a turn repeats the record of its error', () => {
    const failures = new FailureRecords('e').of('s');
    const first = failures.failed('t1', overloaded);
    expect(failures.ended({ type: 'turn', turnId: 't1', error: overloaded })).toBe(first);
  });

  it('S1.220 a failed turn without reason', () => {
    expect(new FailureRecords('e').of('s').ended({ type: 'turn', turnId: 't1', error: null })).toEqual({
      id: 't1:error',
      revision: 1,
      category: 'service',
      severity: 'error',
      title: 'Turn failed',
      actions: ['retry'],
    });
  });

  it('S1.210 errors that tell the client what to do need no record', () => {
    const failures = new FailureRecords('e').of('s');
    expect(failures.ended({ type: 'refused', error: AgentError.invalidRequest('no') })).toBeNull();
    expect(failures.ended({ type: 'refused', error: new Error('x') })?.title).toBe(
      'Codex encountered an internal error.',
    );
    expect(failures.ended({ type: 'refused', error: lost() })?.title).toBe('Connection to Codex was lost.');
  });
});
