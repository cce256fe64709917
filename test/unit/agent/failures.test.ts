import { describe, expect, test } from 'vitest';
import type { ThreadEvent, TurnError } from '../../../src/domain/thread/thread-event.ts';
import { command, events } from '../../support/session-lab.ts';
import {
  quietAirV1,
  runningPrompt,
  type SentRequest,
  type WireClient,
  type WireLab,
  wireClients,
  wireLab,
} from '../../support/wire-lab.ts';

const error = (message: string, info: unknown = null, details: string | null = null): TurnError => ({
  message,
  info,
  details,
});
const told = (failure: TurnError, turnId = 'turn-1', willRetry = false): ThreadEvent => ({
  type: 'error',
  turnId,
  error: failure,
  willRetry,
});
const ended = (failure: TurnError | null, turnId = 'turn-1'): ThreadEvent => ({
  type: 'turnCompleted',
  turnId,
  status: 'failed',
  error: failure,
});
const noQuota = { quota: { token_count: null, model_usage: [] } };
const airMeta = (sessionFailure: object) => ({ jetbrains: { air: { version: 1, sessionFailure } } });
const record = (category: string, title: string, actions: string[], id = 'turn-1:error', revision = 1) => ({
  id,
  revision,
  category,
  severity: 'error',
  title,
  actions,
});

/** Clients by the columns of S3 table 12.2. */
const untypedV1 = { plainV1: wireClients.plainV1, zedV1: wireClients.zedV1 };
const typedV1 = { airV1: wireClients.airV1, quietAirV1 };
const v2 = { plainV2: wireClients.plainV2, airV2: wireClients.airV2 };
type Row = readonly [string, WireClient];
const rows = (clients: Record<string, WireClient>): Row[] => Object.entries(clients);
const texts = (lab: WireLab) => lab.updatesOf('agent_message_chunk').map(({ content }) => content.text);

async function failedPrompt(
  client: WireClient,
  ...failure: ThreadEvent[]
): Promise<{ lab: WireLab; prompt: SentRequest }> {
  const lab = await wireLab(client);
  const prompt = await runningPrompt(lab);
  lab.emit(...failure);
  await lab.settle();
  return { lab, prompt };
}

const unauthorized = error('No', 'unauthorized');
const http401 = error('No', { responseStreamConnectionFailed: { httpStatusCode: 401 } });
const usageLimit = error('You hit your limit', 'usageLimitExceeded');
const detailedLimit = error('You hit your limit', 'usageLimitExceeded', 'Resets at noon');
const busy = error('Server is busy', 'serverOverloaded');

describe.each(rows(untypedV1))('S3 table 12.2, no typed failures: %s', (_name, client) => {
  test.each([
    ['unauthorized', unauthorized],
    ['HTTP 401', http401],
  ])('S3.172 S1.193 %s: the prompt fails with -32000, nothing is shown', async (_what, failure) => {
    const { lab, prompt } = await failedPrompt(client, told(failure), ended(failure));
    await expect(prompt.answer).rejects.toMatchObject({ code: -32000, message: 'Authentication required' });
    expect(await lab.words()).toEqual(['p1 error -32000 Authentication required']);
  });

  test.each([
    ['without details', usageLimit, { message: 'You hit your limit', codexErrorInfo: 'usageLimitExceeded' }],
    [
      'with details',
      detailedLimit,
      { message: 'Resets at noon', codexErrorInfo: 'usageLimitExceeded', additionalDetails: 'Resets at noon' },
    ],
  ])('S3.171 S1.219 usage limit %s: the text, then -32603', async (_what, failure, data) => {
    const { lab, prompt } = await failedPrompt(client, told(failure), ended(failure));
    const rejection = await prompt.answer.catch((reason: unknown) => reason);
    expect(rejection).toMatchObject({ code: -32603, message: 'Internal error' });
    expect((rejection as { data: unknown }).data).toEqual(data);
    expect(await lab.words()).toEqual(['text You hit your limit\n\n', 'p1 error -32603 Internal error']);
  });

  test.each([
    ['the login', unauthorized, 'p1 error -32000 Authentication required'],
    ['a usage limit', usageLimit, 'p1 error -32603 Internal error'],
    ['the context', error('Too long', 'contextWindowExceeded'), 'p1 max_tokens'],
  ])('C007 S3.172 S1.219 the end says no more why it failed: %s decides, by its error', async (_what, failure, end) => {
    const { lab } = await failedPrompt(client, told(failure), ended(null));
    expect((await lab.words()).at(-1)).toBe(end);
  });

  test('S3.171 S3.172 C007 another failure: its text once, then end_turn', async () => {
    const { lab } = await failedPrompt(client, told(busy), ended(busy));
    expect(await lab.words()).toEqual(['text Server is busy\n\n', 'p1 end_turn']);
  });

  test.each([
    ['its reason', error('Too hot'), 'Too hot'],
    ['none', null, 'Turn failed'],
  ])('S3.172 C007 a failure without an error event, with %s', async (_what, failure, text) => {
    const { lab } = await failedPrompt(client, ended(failure));
    expect(await lab.words()).toEqual([`text ${text}\n\n`, 'p1 end_turn']);
  });

  test('S12.11 S3.172 the context is used up: max_tokens', async () => {
    const { lab } = await failedPrompt(client, ended(error('Too long', 'contextWindowExceeded')));
    expect(await lab.words()).toEqual(['text Too long\n\n', 'p1 max_tokens']);
  });

  test('S1.211 the app-server is gone: 1001 with its text', async () => {
    const lab = await wireLab(client);
    const prompt = await runningPrompt(lab);
    const { message, data } = lab.codex.crash('The Codex app-server exited with code 1. …\nstderr');
    await expect(prompt.answer).rejects.toMatchObject({ code: 1001, message, data });
    expect(texts(lab)).toEqual([]);
  });

  test('an unexpected error of ours is thrown as it is', async () => {
    const lab = await wireLab(client);
    lab.codex.manual.add('startTurn');
    const prompt = lab.prompt();
    await lab.settle();
    lab.codex.heldStarts[0]?.reject(new Error('broken'));
    await expect(prompt.answer).rejects.toMatchObject({ code: -32603, data: { details: 'broken' } });
    expect(texts(lab)).toEqual([]);
  });
});

describe.each(rows(typedV1))('S3 table 12.2, typed failures on v1: %s', (_name, client) => {
  test.each([
    ['unauthorized', unauthorized],
    ['HTTP 401', http401],
  ])('S3.172 S1.193 %s: the prompt fails with -32000, nothing is shown', async (_what, failure) => {
    const { lab, prompt } = await failedPrompt(client, told(failure), ended(failure));
    await expect(prompt.answer).rejects.toMatchObject({ code: -32000, message: 'Authentication required' });
    expect(await lab.words()).toEqual(['p1 error -32000 Authentication required']);
  });

  const cases: readonly (readonly [string, readonly ThreadEvent[], object])[] = [
    ['usage limit', [told(usageLimit), ended(usageLimit)], record('limit', 'You hit your limit', [])],
    ['another failure', [told(busy), ended(busy)], record('service', 'Server is busy', ['retry'])],
    [
      'a failure that only its event explains',
      [told(busy), ended(null)],
      record('service', 'Server is busy', ['retry']),
    ],
    [
      'the context is used up',
      [ended(error('Too long', 'contextWindowExceeded'))],
      record('limit', 'Too long', ['new_session']),
    ],
    ['no error event', [ended(error('Too hot'))], record('service', 'Too hot', ['retry'])],
    ['no error event and no reason', [ended(null)], record('service', 'Turn failed', ['retry'])],
  ];
  test.each(cases)(
    'S3.171 S3.172 S3.175 S3.180 %s: a record with the answer, no text',
    async (_what, failure, expected) => {
      const { lab, prompt } = await failedPrompt(client, ...failure);
      expect(await prompt.answer).toEqual({
        stopReason: 'end_turn',
        usage: null,
        _meta: { ...noQuota, ...airMeta(expected) },
      });
      expect(await lab.words()).toEqual(['p1 end_turn']);
    },
  );

  test('S3.178 S8.61 the app-server is gone: a record of the session', async () => {
    const lab = await wireLab(client);
    const prompt = await runningPrompt(lab);
    lab.codex.crash();
    const id = expect.stringMatching(/^thread-1:error:[0-9a-f-]{36}:1$/);
    const actions = ['retry', 'new_session'];
    expect((await prompt.answer)._meta).toEqual({
      ...noQuota,
      ...airMeta({ ...record('connection', 'Connection to Codex was lost.', actions), id }),
    });
    expect(texts(lab)).toEqual([]);
  });

  test('an unexpected error of ours: a record', async () => {
    const lab = await wireLab(client);
    lab.codex.manual.add('startTurn');
    const prompt = lab.prompt();
    await lab.settle();
    lab.codex.heldStarts[0]?.reject(new Error('broken'));
    expect(await prompt.answer).toMatchObject({
      stopReason: 'end_turn',
      _meta: airMeta({
        category: 'service',
        title: 'Codex encountered an internal error.',
        actions: ['retry', 'new_session'],
      }),
    });
  });

  test('S3.178 two prompts never share an id', async () => {
    const lab = await wireLab(client);
    const ids: string[] = [];
    for (let times = 0; times < 2; times += 1) {
      const prompt = await runningPrompt(lab);
      lab.codex.crash();
      ids.push((await prompt.answer)._meta.jetbrains.air.sessionFailure.id);
      await lab.settle();
    }
    expect(new Set(ids).size).toBe(2);
  });
});

describe.each(rows(v2))('S3 table 12.2, v2: %s', (name, client) => {
  const typed = name === 'airV2';

  /** Before the message is recorded the prompt is rejected. */
  async function beforeInsertion(...failure: ThreadEvent[]): Promise<string[]> {
    const lab = await wireLab(client);
    lab.prompt();
    await lab.settle();
    lab.emit(events.started('turn-1'));
    await lab.news();
    lab.emit(...failure);
    return lab.words();
  }

  async function expectIdle(
    lab: WireLab,
    idleError: object,
    expected: object | null,
    text: string[] = [],
  ): Promise<void> {
    const [idle] = lab.updatesOf('state_update');
    expect(idle).toMatchObject({ state: 'idle', stopReason: 'error' });
    expect(idle.error).toEqual(idleError);
    expect(idle._meta).toEqual(typed && expected !== null ? { ...noQuota, ...airMeta(expected) } : noQuota);
    expect(texts(lab)).toEqual(typed ? [] : text);
    expect(lab.updates.at(-1)).toBe(idle);
  }

  test.each([
    ['unauthorized', unauthorized],
    ['HTTP 401', http401],
  ])('S3.99 S1.193 %s: -32000, nothing is shown', async (_what, failure) => {
    const word = 'Authentication required';
    expect(await beforeInsertion(told(failure), ended(failure))).toEqual([
      `p1 error -32000 ${word}`,
      `idle error -32000 ${word}`,
    ]);
    const { lab } = await failedPrompt(client, told(failure), ended(failure));
    await expectIdle(lab, { code: -32000, message: word }, null);
  });

  const cases: readonly (readonly [string, readonly ThreadEvent[], string, object])[] = [
    [
      'usage limit',
      [told(detailedLimit), ended(detailedLimit)],
      'You hit your limit',
      record('limit', 'You hit your limit', []),
    ],
    ['another failure', [told(busy), ended(busy)], 'Server is busy', record('service', 'Server is busy', ['retry'])],
    ['no error event', [ended(error('Too hot'))], 'Too hot', record('service', 'Too hot', ['retry'])],
  ];
  test.each(cases)('S3.99 S3.171 S3.172 S3.175 %s', async (_what, failure, text, expected) => {
    const { lab } = await failedPrompt(client, ...failure);
    await expectIdle(lab, { code: -32603, message: text }, expected, [`${text}\n\n`]);
    const words = await beforeInsertion(...failure);
    const shown = typed ? [] : [`text ${text}\n\n`];
    expect(words).toEqual([...shown, `p1 error -32603 ${text}`, `idle error -32603 ${text}`]);
  });

  test('S3.99 no error event and no reason', async () => {
    const { lab } = await failedPrompt(client, ended(null));
    const expected = record('service', 'Turn failed', ['retry']);
    await expectIdle(lab, { code: -32603, message: 'Codex turn failed.' }, expected, ['Turn failed\n\n']);
  });

  test('S3.99 S8.61 the app-server is gone', async () => {
    const lab = await wireLab(client);
    await runningPrompt(lab);
    lab.codex.crash();
    await lab.settle();
    const text = 'Connection to Codex was lost.';
    const expected = record('connection', text, ['retry', 'new_session'], expect.stringMatching(/^thread-1:error:/));
    await expectIdle(lab, { code: 1001, message: text }, expected, [text]);
  });

  test('S3.99 S3.45 an unexpected error of ours, after insertion', async () => {
    const lab = await wireLab(client);
    lab.codex.manual.add('listSkills');
    lab.prompt('/skills');
    await lab.news();
    lab.codex.heldSkills.at(-1)?.reject(new Error('broken'));
    await lab.settle();
    const title = 'Codex encountered an internal error.';
    const expected = record('service', title, ['retry', 'new_session'], expect.stringMatching(/^thread-1:error:/));
    await expectIdle(lab, { code: -32603, message: title }, expected, ["The '/skills' command failed: broken"]);
  });
});

const everyone = rows({ ...wireClients, quietAirV1 });
const isTyped = (name: string) => /air/i.test(name);
const end = (lab: WireLab) => (lab.version === 1 ? 'p1 end_turn' : 'idle end_turn');

describe.each(everyone)('errors for %s', (name, client) => {
  const typed = isTyped(name);
  const failureOf = (update: { _meta?: { jetbrains?: { air?: { sessionFailure?: object } } } }) =>
    update._meta?.jetbrains?.air?.sessionFailure;

  const envelope = { type: 'error', status: 429, error: { type: 'rate_limit_error', message: 'Slow down' } };
  const bare = { error: { message: 'No such model', type: 'invalid_request_error', param: null, code: 'x' } };
  const encrypted = { error: { code: 'invalid_encrypted_content', message: 'gibberish' } };
  const routed = 'workspace routing discovery timed out';
  const readable: readonly (readonly [string, string, string | RegExp])[] = [
    ['an envelope of the service', JSON.stringify(envelope), 'Slow down'],
    ['a bare body', JSON.stringify(bare), 'No such model'],
    [
      'reasoning of another provider',
      JSON.stringify(encrypted),
      /^The current provider can't read this thread's earlier/,
    ],
    [
      'a workspace that cannot be looked up',
      routed,
      /^Codex can't reach chatgpt\.com .*\(workspace routing discovery timed out\)$/,
    ],
    ['other JSON', '{"a":1}', '{"a":1}'],
  ];
  test.each(readable)('S3.170 are told in readable words: %s', async (_what, message, shown) => {
    const { lab, prompt } = await failedPrompt(client, told(error(message)), ended(error(message)));
    await lab.settle();
    const where = typed
      ? lab.version === 1
        ? (await prompt.answer)._meta.jetbrains.air.sessionFailure.title
        : lab.updatesOf('state_update').at(-1)._meta.jetbrains.air.sessionFailure.title
      : texts(lab).join('').trimEnd();
    if (typeof shown === 'string') expect(where).toBe(shown);
    else expect(where).toMatch(shown);
  });

  test('S3.173 one before the start is refused is told by the answer alone', async () => {
    const lab = await wireLab(client);
    lab.codex.manual.add('startTurn');
    lab.prompt();
    await lab.codex.called('startTurn');
    lab.emit(told(busy));
    expect(await lab.words()).toEqual([]);
    lab.codex.heldStarts[0]?.reject(new Error('no'));
    expect((await lab.words()).filter((word) => !word.startsWith('p1'))).toEqual([]);
  });

  test('S3.173 one before the turn has an id waits for it', async () => {
    const lab = await wireLab(client);
    lab.codex.manual.add('startTurn');
    lab.prompt();
    await lab.settle();
    lab.emit(told(busy));
    expect(await lab.news()).toEqual([]);
    lab.codex.heldStarts[0]?.resolve({ turnId: 'turn-1' });
    await lab.settle();
    lab.land('turn-1');
    lab.emit(ended(busy));
    await lab.settle();
    expect(texts(lab)).toEqual(typed ? [] : ['Server is busy\n\n']);
  });

  test('S3.174 S3.177 C014 a retry is a status and ends nothing; one of the login shows nothing', async () => {
    const cut = error('Reconnecting... 1/5', { responseStreamDisconnected: { httpStatusCode: null } }, 'closed');
    const { lab } = await failedPrompt(client, told(unauthorized, 'turn-1', true), told(cut, 'turn-1', true));
    const [info, ...others] = lab.updates;
    expect(others).toEqual([]);
    const warning = {
      id: 'turn-1:error',
      revision: 1,
      category: 'connection',
      severity: 'warning',
      title: cut.message,
      actions: [],
    };
    const codexError = {
      message: cut.message,
      codexErrorInfo: cut.info,
      additionalDetails: 'closed',
      turnId: 'turn-1',
      willRetry: true,
    };
    expect(info).toEqual({
      sessionUpdate: 'session_info_update',
      _meta: typed ? airMeta(warning) : { codex: { error: codexError } },
    });
    lab.mark();
    lab.emit(events.delta('turn-1', 'Back'), events.completed('turn-1'));
    const recovered = name === 'airV2' ? ['info '] : [];
    expect(await lab.words()).toEqual([...recovered, 'text Back', end(lab)]);
  });

  test('S3.131 one of another turn is told for the session while a turn runs, and is no end', async () => {
    const { lab, prompt } = await failedPrompt(client, told(busy, 'other-1'));
    const [info, ...others] = lab.updates;
    expect(others).toEqual([]);
    if (typed) expect(failureOf(info)).toMatchObject({ id: 'other-1:error', severity: 'error' });
    else
      expect(info._meta.codex.error).toMatchObject({ message: 'Server is busy', turnId: 'other-1', willRetry: false });
    lab.mark();
    lab.emit(events.completed('turn-1'));
    expect((await lab.words()).at(-1)).toBe(end(lab));
    if (lab.version === 1) expect((await prompt.answer)._meta).toEqual(noQuota);
  });

  test('S3.131 R33 one after the end of its prompt: typed it is a new revision, else nothing; the answer stands', async () => {
    const { lab } = await failedPrompt(client, told(busy), ended(busy));
    lab.emit({ type: 'threadStatus', status: { type: 'systemError' } });
    await lab.news();
    lab.emit(told(busy));
    await lab.settle();
    expect(lab.frames).toHaveLength(typed ? 1 : 0);
    if (typed) expect(failureOf(lab.updates[0])).toMatchObject({ id: 'turn-1:error', revision: 2 });
  });

  test('S3.131 one of the login outside of its turn shows nothing', async () => {
    const lab = await wireLab(client);
    lab.emit(told(unauthorized, 'other-1'));
    expect(await lab.words()).toEqual([]);
  });

  test.each([
    ['the error first', [told(busy), ended(busy)]],
    ['the end first', [ended(busy), told(busy)]],
    ['the error twice', [told(busy), told(busy), ended(busy)]],
  ])('S3.171 R32 a failure has one text or one record of the prompt, and one end: %s', async (_what, failure) => {
    const { lab, prompt } = await failedPrompt(client, ...failure);
    await lab.settle();
    expect(texts(lab)).toEqual(typed ? [] : ['Server is busy\n\n']);
    const ends = (await lab.words()).filter((word) => /^(p1|idle)/.test(word));
    expect(ends).toEqual([lab.version === 1 ? 'p1 end_turn' : 'idle error -32603 Server is busy']);
    if (typed && lab.version === 1) {
      expect((await prompt.answer)._meta.jetbrains.air.sessionFailure.id).toBe('turn-1:error');
    }
  });

  test('S3.179 a failed turn does not taint the next one', async () => {
    const { lab } = await failedPrompt(client, told(busy), ended(busy));
    const next = await runningPrompt(lab);
    lab.emit(events.delta('turn-2', 'Fine'), events.completed('turn-2'));
    const words = await lab.words();
    expect(words.filter((word) => !word.startsWith('info'))).toEqual(['text Fine', end(lab).replace('p1', 'p2')]);
    if (lab.version === 1) expect((await next.answer)._meta).toEqual(noQuota);
    else expect(lab.updatesOf('state_update').at(-1)._meta).toEqual(noQuota);
  });

  test('S8.66 a turn of Codex that is lost with it: its calls fail, and v2 gets its idle', async () => {
    const lab = await wireLab(client);
    lab.emit(events.started('goal-1'), events.itemStarted('goal-1', command('c1')));
    await lab.news();
    lab.codex.crash();
    const closed = lab.version === 1 ? ['tool c1 failed'] : ['terminal c1 ended', 'tool c1 failed'];
    const idle = lab.version === 1 ? [] : ['idle error 1001 Connection to Codex was lost.'];
    expect(await lab.words()).toEqual([...closed, ...idle]);
  });
});

/** S3 table of kinds, seen in the record that comes with the answer or with `idle`. */
const http = (status: number) => ({ httpStatusCode: status });
const kinds: readonly (readonly [string, unknown, string, readonly string[]])[] = [
  ['httpConnectionFailed', { httpConnectionFailed: http(502) }, 'connection', ['retry', 'new_session']],
  ['responseStreamConnectionFailed', { responseStreamConnectionFailed: {} }, 'connection', ['retry', 'new_session']],
  ['responseStreamDisconnected', { responseStreamDisconnected: http(500) }, 'connection', ['retry', 'new_session']],
  ['responseTooManyFailedAttempts', { responseTooManyFailedAttempts: {} }, 'connection', ['retry', 'new_session']],
  ['HTTP 429', { httpConnectionFailed: http(429) }, 'limit', ['retry']],
  ['HTTP 429 in a form that is not known', { somethingNew: http(429) }, 'limit', ['retry']],
  ['rateLimitExceeded', 'rateLimitExceeded', 'limit', ['retry']],
  ['usageLimitExceeded', 'usageLimitExceeded', 'limit', []],
  ['contextWindowExceeded', 'contextWindowExceeded', 'limit', ['new_session']],
  ['sessionBudgetExceeded', 'sessionBudgetExceeded', 'limit', ['new_session']],
  ...[
    'cyberPolicy',
    'misalignmentPolicyViolation',
    'badRequest',
    'bioPolicy',
    'inferenceHookDenied',
    'modelNotFound',
  ].map((name) => [name, name, 'request', []] as const),
  ['serverOverloaded', 'serverOverloaded', 'service', ['retry']],
  ['policyCapacityUnavailable', 'policyCapacityUnavailable', 'service', ['retry']],
  ['internalServerError', 'internalServerError', 'service', ['retry', 'new_session']],
  ...['threadRollbackFailed', 'sandboxError', 'flexUnavailable', 'tooManyDenials', 'other', 'newName'].map(
    (name) => [name, name, 'service', ['retry']] as const,
  ),
  ['activeTurnNotSteerable', { activeTurnNotSteerable: { turnKind: 'review' } }, 'service', ['retry']],
  ['null', null, 'service', ['retry']],
];

describe.each(rows({ airV1: wireClients.airV1, airV2: wireClients.airV2 }))(
  'S3.176 kinds of failures for %s',
  (_name, client) => {
    test.each(kinds)('S3.176 %s', async (_what, info, category, actions) => {
      const failure = error('It failed', info);
      const { lab, prompt } = await failedPrompt(client, told(failure), ended(failure));
      const meta = lab.version === 1 ? (await prompt.answer)._meta : lab.updatesOf('state_update').at(-1)._meta;
      expect(meta.jetbrains.air).toEqual({ version: 1, sessionFailure: record(category, 'It failed', [...actions]) });
    });

    test('S3.178 S3.179 S3.177 retries raise the revision; after a recovery a failure is another incident', async () => {
      const lab = await wireLab(client);
      const prompt = await runningPrompt(lab);
      lab.emit(told(busy, 'turn-1', true), told(busy, 'turn-1', true));
      await lab.settle();
      const records = () =>
        lab.updatesOf('session_info_update').map(({ _meta }) => _meta.jetbrains?.air?.sessionFailure);
      expect(records()).toMatchObject([
        { id: 'turn-1:error', revision: 1, severity: 'warning', actions: [] },
        { id: 'turn-1:error', revision: 2, severity: 'warning', actions: [] },
      ]);
      lab.mark();
      lab.emit(events.delta('turn-1', 'Back'));
      await lab.settle();
      // v1 sends nothing that takes a warning back.
      expect(records()).toEqual(lab.version === 1 ? [] : [undefined]);
      lab.mark();
      lab.emit(told(busy), ended(busy));
      await lab.settle();
      const meta = lab.version === 1 ? (await prompt.answer)._meta : lab.updatesOf('state_update').at(-1)._meta;
      expect(meta.jetbrains.air.sessionFailure).toMatchObject({
        id: expect.stringMatching(/^turn-1:error:[0-9a-f-]{36}:1$/),
        revision: 1,
        severity: 'error',
      });
    });

    test('S3.178 a retry that ends in failure keeps its id', async () => {
      const { lab, prompt } = await failedPrompt(client, told(busy, 'turn-1', true), told(busy), ended(busy));
      const meta = lab.version === 1 ? (await prompt.answer)._meta : lab.updatesOf('state_update').at(-1)._meta;
      expect(meta.jetbrains.air.sessionFailure).toEqual(
        record('service', 'Server is busy', ['retry'], 'turn-1:error', 2),
      );
    });
  },
);
