import { describe, expect, test } from 'vitest';
import { CodexRequestError } from '../../../src/domain/errors/agent-error.ts';
import { command, events } from '../../support/session-lab.ts';
import { runningPrompt, type SentRequest, type WireLab, wireLab } from '../../support/wire-lab.ts';

const clients = ['plainV1', 'airV1', 'plainV2', 'airV2'] as const;

/** Plays the turn of the start that was made last, from its begin to its end. */
async function playTurn(lab: WireLab, said: string, options: { readonly begun?: boolean } = {}): Promise<void> {
  const turnId = lab.lastTurn;
  if (options.begun !== true) {
    lab.emit(events.started(turnId));
    lab.land(turnId);
  }
  lab.emit(events.delta(turnId, said, `m-${turnId}`), events.completed(turnId));
  await lab.settle();
}

/** S3.233: whatever happened before, a prompt runs to its end. */
async function expectPromptWorks(lab: WireLab): Promise<void> {
  await lab.news();
  const starts = lab.codex.of('startTurn').length;
  lab.codex.manual.clear();
  const prompt = lab.prompt('and then?');
  await lab.settle();
  expect(lab.codex.of('startTurn')).toHaveLength(starts + 1);
  await playTurn(lab, 'This.');
  const ends = {
    1: ['text This.', `${prompt.name} end_turn`],
    2: ['running', 'user and then?', `${prompt.name} inserted`, 'text This.', 'idle end_turn'],
  };
  expect(await lab.words()).toEqual(ends[lab.version]);
}

describe.each(clients)('the lane of %s', (name) => {
  test('T1 T13 T15 T21 S3.36 S3.38 R1 S3.231 prompts of one read run in their order, each after the last frame of the one before', async () => {
    const lab = await wireLab(name);
    lab.inOneRead(() => {
      for (const text of ['one', 'two', 'three']) lab.prompt(text);
    });
    await lab.settle();
    expect(lab.codex.of('startTurn')).toHaveLength(1);
    for (const said of ['1', '2', '3']) await playTurn(lab, said);
    expect(lab.codex.of('startTurn').map(({ params }) => params.input)).toEqual(
      ['one', 'two', 'three'].map((text) => [{ type: 'text', text }]),
    );
    const turn = (prompt: string, said: string, text: string) => ({
      1: [`text ${said}`, `${prompt} end_turn`],
      2: ['running', `user ${text}`, `${prompt} inserted`, `text ${said}`, 'idle end_turn'],
    });
    expect(await lab.words()).toEqual(
      [turn('p1', '1', 'one'), turn('p2', '2', 'two'), turn('p3', '3', 'three')].flatMap((words) => words[lab.version]),
    );
  });

  test('S3.36 has no limit, and takes commands and steers that found no turn', async () => {
    const lab = await wireLab(name);
    lab.codex.manual.add('listSkills');
    const local = lab.prompt('/skills');
    await lab.settle();
    const steer = lab.steer('steered');
    const prompts = Array.from({ length: 40 }, (_, index) => lab.prompt(`n${index}`));
    await lab.settle();
    expect(lab.codex.of('startTurn')).toEqual([]);
    lab.codex.heldSkills.at(-1)?.resolve([]);
    await lab.settle();
    for (let turn = 0; turn < 41; turn += 1) await playTurn(lab, 'ok');
    const texts = lab.codex.of('startTurn').map(({ params }) => params.input[0]);
    expect(texts).toEqual(
      ['steered', ...prompts.map((_, index) => `n${index}`)].map((text) => ({ type: 'text', text })),
    );
    expect(await steer.answer).toEqual({ outcome: 'startedNewTurn' });
    await Promise.all([local, ...prompts].map(({ answer }) => answer));
  });

  type Ending = (lab: WireLab) => Promise<unknown>;
  const endings: readonly (readonly [string, Ending])[] = [
    [
      'a failed turn',
      async (lab) => failing(await runningPrompt(lab), () => lab.emit(events.completed('turn-1', 'failed', 'no'))),
    ],
    [
      'a refused start',
      async (lab) => {
        lab.codex.manual.add('startTurn');
        const prompt = await sent(lab);
        lab.codex.heldStarts[0]?.reject(new CodexRequestError(-32600, 'no'));
        await failing(prompt);
      },
    ],
    [
      'a Codex that cannot be made ready',
      async (lab) => {
        lab.codex.manual.add('ready');
        const prompt = await sent(lab);
        lab.codex.heldReady[0]?.reject(new Error('no'));
        await failing(prompt);
      },
    ],
    [
      'a failed local command',
      async (lab) => {
        lab.codex.manual.add('listSkills');
        const prompt = await sent(lab, '/skills');
        lab.codex.heldSkills.at(-1)?.reject(new Error('no'));
        await failing(prompt);
      },
    ],
    [
      'a refused compaction',
      async (lab) => {
        lab.codex.manual.add('compact');
        const prompt = await sent(lab, '/compact');
        lab.codex.heldCompacts[0]?.reject(new CodexRequestError(-32600, 'no'));
        await failing(prompt);
      },
    ],
    [
      'a refused review',
      async (lab) => {
        lab.codex.manual.add('review');
        const prompt = await sent(lab, '/review');
        lab.codex.heldReviews[0]?.reject(new CodexRequestError(-32600, 'no'));
        await failing(prompt);
      },
    ],
    [
      'a cancelled turn',
      async (lab) => {
        await runningPrompt(lab);
        lab.cancel();
        await lab.settle();
        lab.emit(events.completed('turn-1', 'interrupted'));
      },
    ],
    [
      'a cancelled request',
      async (lab) => {
        lab.codex.manual.add('startTurn');
        const prompt = await sent(lab);
        lab.cancelRequest(prompt);
        await lab.settle();
        lab.codex.heldStarts[0]?.resolve({ turnId: 'turn-1' });
        lab.emit(events.started('turn-1'));
        await lab.settle();
        lab.emit(events.completed('turn-1', 'interrupted'));
        await failing(prompt);
      },
    ],
    ['a dead app-server', async (lab) => failing(await runningPrompt(lab), () => lab.codex.crash())],
    [
      'an update that cannot be presented',
      async (lab) => {
        const prompt = await runningPrompt(lab);
        // A command without actions breaks every presenter.
        lab.emit(events.itemStarted('turn-1', command('c1', { actions: null as never })), events.completed('turn-1'));
        await failing(prompt);
      },
    ],
  ];
  test.each(endings)('S3.37 S3.233 is free again after %s', async (_what, end) => {
    const lab = await wireLab(name);
    await end(lab);
    await expectPromptWorks(lab);
  });

  describe('while Codex is made ready', () => {
    const waits = ['a prompt', 'a local command'] as const;
    async function waiting(what: (typeof waits)[number]): Promise<{ lab: WireLab; prompt: SentRequest }> {
      const lab = await wireLab(name);
      lab.codex.manual.add('ready');
      const prompt = await sent(lab, what === 'a prompt' ? 'hi' : '/skills');
      return { lab, prompt };
    }
    const cancelled = (lab: WireLab, reason: string) =>
      lab.version === 1 ? 'p1 cancelled' : `p1 error -32800 Request cancelled: ${reason}`;

    test.each(waits)('S3.39 T5 a cancel ends %s at once, and nothing of it is started', async (what) => {
      const { lab } = await waiting(what);
      lab.cancel();
      const reason = `Session ${lab.sessionId} was cancelled before the prompt was inserted`;
      expect(await lab.words()).toEqual([cancelled(lab, reason)]);
      lab.codex.heldReady[0]?.resolve();
      await lab.settle();
      expect(lab.codex.of('startTurn')).toEqual([]);
      await expectPromptWorks(lab);
    });

    test.each(waits)('S3.39 S3.59 T5 the same for a cancelled request: %s', async (what) => {
      const { lab, prompt } = await waiting(what);
      lab.cancelRequest(prompt);
      expect(await lab.words()).toEqual([cancelled(lab, 'The prompt request was cancelled before it was inserted')]);
      lab.codex.heldReady[0]?.resolve();
      await lab.settle();
      expect(lab.codex.of('startTurn')).toEqual([]);
      await expectPromptWorks(lab);
    });

    test.each(waits)('S3.39 a close ends %s', async (what) => {
      const { lab } = await waiting(what);
      lab.close();
      const reason = `Session ${lab.sessionId} was closed before the prompt was inserted`;
      expect(await lab.words()).toEqual([cancelled(lab, reason), 'close done']);
      lab.codex.heldReady[0]?.resolve();
      await lab.settle();
      expect(lab.codex.of('startTurn')).toEqual([]);
    });
  });

  test('T2 T10 S3.39a an agent turn takes no place: the prompt starts at once and joins it', async () => {
    const lab = await wireLab(name);
    lab.codex.manual.add('startTurn');
    lab.emit(events.started('goal-1'));
    await sent(lab);
    expect(lab.codex.of('startTurn')).toHaveLength(1);
    lab.codex.heldStarts[0]?.resolve({ turnId: 'goal-1' });
    lab.land('goal-1');
    lab.emit(events.completed('goal-1'));
    const words = { 1: ['p1 end_turn'], 2: ['running', 'user hi', 'p1 inserted', 'idle end_turn'] };
    expect(await lab.words()).toEqual(words[lab.version]);
  });

  test('R9 S3.52 S3.53 S3.54 a cancel with a queue: each is answered, one idle, and what comes later runs in order', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    for (const text of ['two', 'three']) lab.prompt(text);
    await lab.settle();
    lab.cancel();
    for (const text of ['four', 'five']) lab.prompt(text);
    const reason = `Request cancelled: Session ${lab.sessionId} was cancelled before the prompt was inserted`;
    const refused = {
      1: ['p2 cancelled', 'p3 cancelled'],
      2: [`p2 error -32800 ${reason}`, `p3 error -32800 ${reason}`],
    };
    expect(await lab.news()).toEqual(refused[lab.version]);
    expect(lab.codex.of('startTurn')).toHaveLength(1);
    lab.emit(events.completed('turn-1', 'interrupted'));
    expect(await lab.news()).toEqual(lab.version === 1 ? ['p1 cancelled'] : ['idle cancelled', 'running']);
    for (const said of ['4', '5']) await playTurn(lab, said);
    const texts = lab.codex.of('startTurn').map(({ params }) => params.input[0]);
    expect(texts).toEqual(['hello', 'four', 'five'].map((text) => ({ type: 'text', text })));
    const words = {
      1: ['text 4', 'p4 end_turn', 'text 5', 'p5 end_turn'],
      2: [
        'user four',
        'p4 inserted',
        'text 4',
        'idle end_turn',
        'running',
        'user five',
        'p5 inserted',
        'text 5',
        'idle end_turn',
      ],
    };
    expect(await lab.words()).toEqual(words[lab.version]);
  });

  test('R31 S3.29 S12.7 settings that change while a prompt waits are those it runs with', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    lab.prompt('two');
    const type = lab.version === 2 ? { type: 'id' } : {};
    const change = { sessionId: lab.sessionId, configId: 'reasoning_effort', value: 'high', ...type };
    await lab.client.request('session/set_config_option', change);
    await playTurn(lab, 'ok', { begun: true });
    expect(lab.codex.of('startTurn').map(({ params }) => params.policy.effort)).toEqual(['low', 'high']);
  });
});

async function sent(lab: WireLab, text = 'hi'): Promise<SentRequest> {
  const prompt = lab.prompt(text);
  await lab.settle();
  return prompt;
}

/** Lets a prompt end that may be refused. */
async function failing({ answer }: SentRequest, end: () => void = () => undefined): Promise<void> {
  end();
  await answer.catch(() => undefined);
}
