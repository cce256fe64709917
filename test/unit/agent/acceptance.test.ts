import { describe, expect, test } from 'vitest';
import { CodexRequestError } from '../../../src/domain/errors/agent-error.ts';
import { events, message } from '../../support/session-lab.ts';
import { runningPrompt, v1Names, v2Names, type WireLab, wireLab } from '../../support/wire-lab.ts';

const text = (value: string) => ({ type: 'text', text: value });
const noQuota = { quota: { token_count: null, model_usage: [] } };

describe.each(v1Names)('a prompt of %s', (name) => {
  test('S3.40v1 S3.41v1 is answered at the end, behind all updates, and is not echoed', async () => {
    const lab = await wireLab(name);
    const prompt = lab.prompt('hi');
    await lab.settle();
    lab.emit(events.started('turn-1'));
    lab.record('turn-1', null);
    lab.emit(events.delta('turn-1', 'Hel'), events.delta('turn-1', 'lo', 'm2'), events.completed('turn-1'));
    expect(await lab.words()).toEqual(['text Hel', 'text lo', 'p1 end_turn']);
    expect(await prompt.answer).toEqual({ stopReason: 'end_turn', usage: null, _meta: noQuota });
  });

  test('S3.41v1 a cancelled one has the same shape', async () => {
    const lab = await wireLab(name);
    const prompt = await runningPrompt(lab);
    lab.cancel();
    await lab.settle();
    lab.emit(events.completed('turn-1', 'interrupted'));
    expect(await prompt.answer).toEqual({ stopReason: 'cancelled', usage: null, _meta: noQuota });
  });
});

/** A prompt that was sent; nothing of its turn has come. */
async function sentPrompt(lab: WireLab, content: string | readonly unknown[] = 'hi') {
  const prompt = lab.prompt(content);
  await lab.settle();
  return prompt;
}

describe.each(v2Names)('a prompt of %s', (name) => {
  test('S3.40 S3.41 is recorded when its item begins: one chunk per block as it was sent, then the answer', async () => {
    const lab = await wireLab(name);
    const blocks = [
      text('one'),
      { type: 'resource_link', name: 'a', uri: 'file:///w/a' },
      { type: 'resource', resource: { uri: 'file:///w/b', text: 'B' } },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    ];
    const prompt = await sentPrompt(lab, blocks);
    lab.emit(events.started('turn-1'));
    lab.land('turn-1');
    await lab.settle();
    const messageId = lab.codex.of('startTurn')[0]?.params.clientMessageId;
    expect(lab.updatesOf('user_message_chunk')).toEqual(
      blocks.map((content) => ({ sessionUpdate: 'user_message_chunk', messageId, content })),
    );
    expect(await prompt.answer).toEqual({ messageId });
    expect(await lab.words()).toEqual([
      'running',
      'user one',
      'user resource_link',
      'user resource',
      'user image',
      'p1 inserted',
    ]);
  });

  test('S3.40 the end of the item counts as well, and only once', async () => {
    const lab = await wireLab(name);
    await sentPrompt(lab);
    const clientId = lab.codex.of('startTurn')[0]?.params.clientMessageId ?? null;
    const item = { type: 'userMessage', id: 'u1', clientId } as const;
    lab.emit(events.started('turn-1'), { type: 'itemCompleted', turnId: 'turn-1', item });
    expect(await lab.news()).toEqual(['running', 'user hi', 'p1 inserted']);
    lab.emit({ type: 'itemStarted', turnId: 'turn-1', item }, { type: 'itemCompleted', turnId: 'turn-1', item });
    expect(await lab.news()).toEqual([]);
  });

  test('S3.40 a message of another client, or without id, records nothing', async () => {
    const lab = await wireLab(name);
    await sentPrompt(lab);
    lab.emit(events.started('turn-1'));
    lab.record('turn-1', 'of-someone-else');
    lab.record('turn-1', null);
    expect(await lab.news()).toEqual(['running']);
    lab.land('turn-1');
    expect(await lab.news()).toEqual(['user hi', 'p1 inserted']);
  });

  test.each([
    ['/compact', 'compact'],
    ['/review', 'review'],
    ['/goal Ship it', 'setGoal'],
  ] as const)('S3.40 S3.46 %s is recorded when Codex took its request', async (typed, method) => {
    const lab = await wireLab(name);
    lab.codex.manual.add(method);
    await sentPrompt(lab, typed);
    expect(await lab.news()).toEqual([]);
    const { heldCompacts, heldReviews, heldGoals, goal } = lab.codex;
    heldCompacts[0]?.resolve();
    heldReviews[0]?.resolve({ turnId: 'turn-1' });
    if (goal !== null) heldGoals[0]?.resolve(goal);
    const words = await lab.news();
    expect(words).toContain(`user ${typed}`);
    expect(words.indexOf('p1 inserted')).toBe(words.indexOf(`user ${typed}`) + 1);
    expect(words.filter((word) => word === 'running')).toHaveLength(1);
  });

  test('T9 S3.42 S3.231 running comes with the answer to the start', async () => {
    const lab = await wireLab(name);
    await sentPrompt(lab);
    expect(await lab.news()).toEqual(['running']);
    lab.land('turn-1');
    lab.emit(events.started('turn-1'));
    expect(await lab.news()).toEqual(['user hi', 'p1 inserted']);
  });

  test.each([
    ['turn/started', events.started('turn-1'), ['running']],
    [
      'an active thread',
      { type: 'threadStatus', status: { type: 'active', activeFlags: [] } },
      ['running', 'info threadStatus'],
    ],
    [
      'a thread that waits for the user',
      { type: 'threadStatus', status: { type: 'active', activeFlags: ['x'] } },
      ['info threadStatus'],
    ],
  ] as const)('S3.42 before that: %s', async (_what, event, words) => {
    const lab = await wireLab(name);
    lab.codex.manual.add('startTurn');
    await sentPrompt(lab);
    expect(await lab.news()).toEqual([]);
    lab.emit(event);
    expect(await lab.news()).toEqual(words);
    lab.codex.heldStarts[0]?.resolve({ turnId: 'turn-1' });
    expect(await lab.news()).toEqual(words.includes('running' as never) ? [] : ['running']);
  });

  test('S3.42 S3.231 running comes with insertion when nothing else told it', async () => {
    const lab = await wireLab(name);
    lab.codex.manual.add('startTurn');
    await sentPrompt(lab);
    lab.land('turn-1');
    expect(await lab.news()).toEqual(['running', 'user hi', 'p1 inserted']);
    lab.emit(events.started('turn-1'));
    lab.codex.heldStarts[0]?.resolve({ turnId: 'turn-1' });
    expect(await lab.news()).toEqual([]);
  });

  describe('that Codex never recorded', () => {
    test('S3.43 S3.48 a turn that went well without it', async () => {
      const lab = await wireLab(name);
      await sentPrompt(lab);
      lab.emit(events.started('turn-1'), events.delta('turn-1', 'Hm'), events.completed('turn-1'));
      const text = 'Internal error: The prompt ended before Codex recorded the user message';
      expect(await lab.words()).toEqual(['running', 'text Hm', `p1 error -32603 ${text}`, 'idle end_turn']);
    });

    test('S3.43 S1.221 a turn that failed', async () => {
      const lab = await wireLab(name);
      await sentPrompt(lab);
      lab.emit(events.started('turn-1'), events.completed('turn-1', 'failed', 'Too hot'));
      const told = name === 'plainV2' ? ['text Too hot\n\n'] : [];
      const ends = ['p1 error -32603 Too hot', 'idle error -32603 Too hot'];
      expect(await lab.words()).toEqual(['running', ...told, ...ends]);
    });

    test('S3.43 a turn that was cancelled', async () => {
      const lab = await wireLab(name);
      await sentPrompt(lab);
      lab.emit(events.started('turn-1'));
      lab.cancel();
      await lab.settle();
      lab.emit(events.completed('turn-1', 'interrupted'));
      const reason = `Request cancelled: Session ${lab.sessionId} was cancelled before the prompt was inserted`;
      expect(await lab.words()).toEqual(['running', `p1 error -32800 ${reason}`, 'idle cancelled']);
    });

    test('S3.43 a turn that Codex interrupted by itself', async () => {
      const lab = await wireLab(name);
      await sentPrompt(lab);
      lab.emit(events.started('turn-1'), events.completed('turn-1', 'interrupted'));
      expect(await lab.words()).toEqual(['running', 'p1 error -32800 Request cancelled', 'idle cancelled']);
    });

    test('S3.43 R24 the app-server died', async () => {
      const lab = await wireLab(name);
      lab.codex.manual.add('startTurn');
      await sentPrompt(lab);
      lab.emit({ type: 'threadStatus', status: { type: 'active', activeFlags: [] } });
      await lab.settle();
      lab.mark();
      const { message: cause } = lab.codex.crash();
      expect(await lab.words()).toEqual([`p1 error 1001 ${cause}`, 'idle error 1001 Connection to Codex was lost.']);
    });

    test.each([
      [
        'the start is refused',
        new CodexRequestError(-32600, 'no such model'),
        '-32603 Internal error',
        { details: 'no such model' },
      ],
      ['another one with JSON', new CodexRequestError(-1, '{"a":1}'), '-32603 Internal error', { a: 1 }],
    ])('S3.43 T11 nothing became visible: %s', async (_what, error, word, data) => {
      const lab = await wireLab(name);
      lab.codex.manual.add('startTurn');
      const prompt = await sentPrompt(lab);
      lab.codex.heldStarts[0]?.reject(error);
      await expect(prompt.answer).rejects.toMatchObject({ data });
      expect(await lab.words()).toEqual([`p1 error ${word}`]);
    });

    test('S3.43 T6 nothing became visible: Codex cannot be made ready', async () => {
      const lab = await wireLab(name);
      lab.codex.manual.add('ready');
      await sentPrompt(lab);
      lab.codex.heldReady[0]?.reject(new Error('gone'));
      expect(await lab.words()).toEqual(['p1 error -32603 Internal error']);
    });
  });

  test.each([
    ['fails', 'idle error -32603 Too hot'],
    ['is cancelled', 'idle cancelled'],
    ['loses Codex', 'idle error 1001 Connection to Codex was lost.'],
  ])('S3.44 that %s after insertion keeps its answer', async (what, end) => {
    const lab = await wireLab(name);
    const prompt = await runningPrompt(lab);
    if (what === 'fails') lab.emit(events.completed('turn-1', 'failed', 'Too hot'));
    else if (what === 'loses Codex') lab.codex.crash();
    else {
      lab.cancel();
      await lab.settle();
      lab.emit(events.completed('turn-1', 'interrupted'));
    }
    const words = await lab.words();
    expect(words.at(-1)).toBe(end);
    expect(words.filter((word) => word.startsWith('p1'))).toEqual([]);
    expect(await prompt.answer).toEqual({ messageId: expect.any(String) });
  });

  describe('S3.45 that failed after insertion without a message of Codex', () => {
    const shown = (words: string[]) => words.filter((word) => word.startsWith('text'));
    // AIR gets a record instead (S3 table 12.2).
    const told = (value: string) => (name === 'plainV2' ? [`text ${value}`] : []);

    test('a local command, with its name', async () => {
      const lab = await wireLab(name);
      lab.codex.manual.add('listSkills');
      await sentPrompt(lab, '/skills');
      lab.codex.heldSkills.at(-1)?.reject(new CodexRequestError(-1, 'no disk\nmore'));
      const words = await lab.words();
      expect(shown(words)).toEqual(told("The '/skills' command failed: no disk"));
      expect(words.at(-1)).toBe('idle error -32603 no disk\nmore');
    });

    test('a local command without a reason', async () => {
      const lab = await wireLab(name);
      lab.codex.manual.add('listSkills');
      await sentPrompt(lab, '/skills');
      lab.codex.heldSkills.at(-1)?.reject(new Error(''));
      const words = await lab.words();
      expect(shown(words)).toEqual(told("The '/skills' command failed."));
      expect(words.at(-1)).toBe('idle error -32603 Codex encountered an internal error.');
    });

    test.each([
      [
        'with its reason, readable (S3.170)',
        '{"error":{"message":"Bad plan","type":"x","code":null,"param":null}}',
        'Bad plan',
      ],
      ['without one', '', 'The prompt failed.'],
    ])('another one %s', async (_what, reason, expected) => {
      const lab = await wireLab(name);
      await approvedPlan(lab);
      lab.mark();
      lab.codex.heldStarts.at(-1)?.reject(new CodexRequestError(-1, reason));
      const words = await lab.words();
      expect(shown(words)).toEqual(told(expected));
      expect(words.at(-1)).toBe(
        `idle error -32603 ${reason === '' ? 'Codex encountered an internal error.' : expected}`,
      );
    });
  });

  test('T20 T22 S3.46 S3.130 the plan is carried out with a message of its own, in the same work', async () => {
    const lab = await wireLab(name);
    await approvedPlan(lab);
    const [first, second] = lab.codex.of('startTurn');
    expect(second?.params).toMatchObject({
      input: [{ type: 'text', text: 'Implement the approved plan.' }],
      policy: first?.params.policy,
    });
    expect(second?.params.clientMessageId).not.toBe(first?.params.clientMessageId);
    lab.mark();
    lab.codex.heldStarts.at(-1)?.resolve({ turnId: 'turn-2' });
    lab.emit(events.started('turn-2'));
    lab.land('turn-2');
    lab.emit(events.delta('turn-2', 'Done', 'm2'), events.completed('turn-2'));
    expect(await lab.words()).toEqual(['running', 'user Implement the approved plan.', 'text Done', 'idle end_turn']);
  });

  test('T10 S3.47 S3.39a that joins a turn of Codex: one running, and its end is the end of the prompt', async () => {
    const lab = await wireLab(name);
    lab.codex.manual.add('startTurn');
    lab.emit(events.started('goal-1'));
    await sentPrompt(lab);
    expect(await lab.news()).toEqual(['running']);
    lab.codex.heldStarts[0]?.resolve({ turnId: 'goal-1' });
    lab.land('goal-1');
    expect(await lab.news()).toEqual(['user hi', 'p1 inserted']);
    lab.emit(events.delta('goal-1', 'Both'), events.completed('goal-1'));
    expect(await lab.words()).toEqual(['text Both', 'idle end_turn']);
    expect(lab.updatesOf('state_update')[0]?._meta).toEqual(noQuota);
  });

  test('S3.48 a user message that nobody here sent is not echoed', async () => {
    const lab = await wireLab(name);
    lab.emit(events.started('goal-1'));
    lab.record('goal-1', 'of-someone-else');
    lab.emit(events.completed('goal-1'));
    expect(await lab.words()).toEqual(['running', 'idle end_turn']);
  });
});

/** A plan that the user approved; the second start waits. */
async function approvedPlan(lab: WireLab): Promise<void> {
  const type = lab.version === 2 ? { type: 'id' } : {};
  const change = { sessionId: lab.sessionId, configId: 'collaboration_mode', value: 'plan', ...type };
  await lab.client.request('session/set_config_option', change);
  await runningPrompt(lab);
  lab.emit(events.itemCompleted('turn-1', message('m1', 'Look:')));
  lab.emit({ type: 'itemCompleted', turnId: 'turn-1', item: { type: 'plan', id: 'plan-1', text: '1. Do it' } });
  lab.emit(events.completed('turn-1'));
  await lab.words();
  lab.codex.manual.add('startTurn');
  lab.answer('plan-review:plan-1', 'implement_plan');
  await lab.settle();
}
