import { describe, expect, test } from 'vitest';
import { command, compaction } from '../../support/session-lab.ts';
import { goal, RaceLab, versions } from './race-lab.ts';

const begun = ['running', 'user message-p1', 'inserted p1'];
const cancelled = ['ended p1 cancelled', 'idle:cancelled'];

describe.each(versions)('a cancel against the turn itself, v%i', (version) => {
  test('R4 S3.61 right after the start answer: it retries until the turn is registered', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts();
    await codex.asked('startTurn');
    await codex.names('turn-1');
    client.cancels();
    await codex.refusesInterrupt();
    await race.passes(25);
    await codex.refusesInterrupt();
    codex.begins('turn-1');
    expect(codex.told).toEqual(['turn-1', 'turn-1']);
    await race.passes(50);
    await codex.takesInterrupt();
    codex.ends('turn-1', 'interrupted');
    expect(codex.told).toEqual(['turn-1', 'turn-1', 'turn-1']);
    expect(race.shown()).toEqual(race.visible(['running', ...cancelled]));
    await race.nextPromptCompletes();
  });

  test('R4 S3.68 right before the start answer: the turn is told to stop when it has a name', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts();
    await codex.asked('startTurn');
    client.cancels();
    expect(codex.told).toEqual([]);
    await codex.names('turn-1');
    await codex.refusesInterrupt();
    codex.begins('turn-1');
    await race.passes(25);
    await codex.takesInterrupt();
    codex.ends('turn-1', 'interrupted');
    expect(codex.told).toEqual(['turn-1', 'turn-1']);
    expect(race.shown()).toEqual(race.visible(['running', ...cancelled]));
    await race.nextPromptCompletes();
  });

  test('R4 S3.2 the completion comes before the answer to the interrupt', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    await race.runs('turn-1');
    client.cancels();
    codex.ends('turn-1', 'interrupted');
    await codex.takesInterrupt();
    expect(race.shown()).toEqual(race.visible([...begun, ...cancelled]));
    await race.nextPromptCompletes();
  });

  test('R4 the turn ends while the retry waits: nothing is told to stop any more', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts();
    await codex.asked('startTurn');
    await codex.names('turn-1');
    client.cancels();
    await codex.refusesInterrupt();
    codex.begins('turn-1');
    codex.ends('turn-1');
    await race.passes(10_000);
    expect(codex.told).toEqual(['turn-1']);
    expect(race.shown()).toEqual(race.visible(['running', ...cancelled]));
    await race.nextPromptCompletes();
  });

  test('R5 the cancel first, then the start fails: cancelled', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts();
    await codex.asked('startTurn');
    client.cancels();
    await codex.refusesStart('no room');
    expect(race.shown()).toEqual(['ended p1 cancelled']);
    expect(codex.told).toEqual([]);
    await race.nextPromptCompletes();
  });

  test('R5 the start fails first: refused, and the cancel finds nothing', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts();
    await codex.asked('startTurn');
    await codex.refusesStart('no room');
    client.cancels();
    expect(race.shown()).toEqual(['ended p1 failed:refused']);
    expect(codex.told).toEqual([]);
    await race.nextPromptCompletes();
  });

  test('R6 the completion first: a normal end', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    await race.runs('turn-1');
    codex.ends('turn-1');
    client.cancels();
    expect(race.shown()).toEqual(race.visible([...begun, 'ended p1 done', 'idle:done']));
    expect(codex.told).toEqual([]);
    await race.nextPromptCompletes();
  });

  test.each(['completed', 'failed', 'interrupted'] as const)(
    'R6 S3.55 the cancel first: cancelled, also when the turn says %s',
    async (status) => {
      const race = new RaceLab(version);
      const { client, codex } = race;
      await race.runs('turn-1');
      client.cancels();
      codex.ends('turn-1', status, status === 'failed' ? 'too late' : undefined);
      await codex.refusesInterrupt();
      expect(race.shown()).toEqual(race.visible([...begun, ...cancelled]));
      await race.nextPromptCompletes();
    },
  );

  test('R6 S3.60 a second cancel sends no second interrupt', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    await race.runs('turn-1');
    client.cancels();
    client.cancels();
    await codex.takesInterrupt();
    client.cancels();
    codex.ends('turn-1', 'interrupted');
    client.cancels();
    expect(codex.told).toEqual(['turn-1']);
    expect(race.shown()).toEqual(race.visible([...begun, ...cancelled]));
    await race.nextPromptCompletes();
  });
});

describe.each(versions)('R7 a cancel against the answer to a permission request, v%i', (version) => {
  test('R7 the answer first: Codex gets it, then the turn is stopped', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    await race.runs('turn-1');
    codex.asksPermission('c1', 'turn-1');
    client.answers(1, 'allow_once');
    client.cancels();
    await codex.takesInterrupt();
    codex.completesItem(command('c1', { status: 'failed', exitCode: -1 }), 'turn-1');
    codex.ends('turn-1', 'interrupted');
    expect(race.shown(race.visible(begun).length)).toEqual(
      race.visible([
        'toolStarted c1',
        'requires_action',
        'ask 1',
        'toolResumed c1',
        'running',
        'toolEnded c1',
        ...cancelled,
      ]),
    );
    expect(codex.fake.of('answer').map(({ answer }) => answer)).toEqual([
      { type: 'commandApproval', decision: 'accept' },
    ]);
    await race.nextPromptCompletes();
  });

  test('R7 S3.95 the cancel first: the later answer counts for nothing, and no running follows', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    await race.runs('turn-1');
    codex.asksPermission('c1', 'turn-1');
    client.cancels();
    client.answers(1, 'allow_once');
    await codex.takesInterrupt();
    codex.completesItem(command('c1', { status: 'declined' }), 'turn-1');
    codex.ends('turn-1', 'interrupted');
    client.answers(1, 'allow_once');
    expect(race.shown(race.visible(begun).length)).toEqual(
      race.visible(['toolStarted c1', 'requires_action', 'ask 1', 'withdraw 1', 'toolEnded c1', ...cancelled]),
    );
    expect(codex.fake.of('answer').map(({ answer }) => answer)).toEqual([
      { type: 'commandApproval', decision: 'cancel' },
    ]);
    await race.nextPromptCompletes();
  });
});

describe.each(versions)('R7 S5.13 a cancel against a permission request that is on its way, v%i', (version) => {
  const refused = { type: 'commandApproval', decision: 'cancel' };

  function answers({ codex }: RaceLab): unknown[] {
    return codex.fake.of('answer').map(({ answer }) => answer);
  }

  test('R7 the cancel first: nobody is asked, and Codex is refused', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    await race.runs('turn-1');
    client.cancels();
    codex.asksPermission('c1', 'turn-1');
    expect(answers(race)).toEqual([refused]);
    await codex.takesInterrupt();
    codex.completesItem(command('c1', { status: 'declined' }), 'turn-1');
    codex.ends('turn-1', 'interrupted');
    expect(race.shown()).toEqual(race.visible([...begun, 'toolStarted c1', 'toolEnded c1', ...cancelled]));
    await race.nextPromptCompletes();
  });

  test('R7 the cancel before the turn has a name: nobody is asked', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts();
    await codex.asked('startTurn');
    client.cancels();
    codex.begins('turn-1');
    codex.asksPermission('c1', 'turn-1');
    expect(answers(race)).toEqual([refused]);
    await codex.names('turn-1');
    await codex.takesInterrupt();
    codex.ends('turn-1', 'interrupted');
    expect(race.shown()).toEqual(race.visible(['running', 'toolStarted c1', 'toolAborted c1', ...cancelled]));
    await race.nextPromptCompletes();
  });

  test('R7 an agent turn that was told to stop asks nobody, the next one does', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    codex.begins('agent-1');
    client.cancels();
    codex.asksPermission('c1', 'agent-1');
    await codex.takesInterrupt();
    codex.ends('agent-1', 'interrupted');
    codex.begins('agent-2');
    codex.asksPermission('c2', 'agent-2');
    expect(race.shown().filter((word) => word.startsWith('ask'))).toEqual(['ask 1']);
    expect(answers(race)).toEqual([refused]);
  });

  test('R7 the turn beside the cancelled prompt is asked about: the prompt’s request alone was cancelled', async () => {
    const race = new RaceLab(2);
    const { client, codex } = race;
    codex.begins('agent-1');
    const p1 = client.prompts();
    await codex.asked('startTurn');
    client.cancelsRequest(p1);
    codex.asksPermission('c1', 'agent-1');
    expect(race.shown().at(-1)).toBe('ask 1');
    await codex.names('agent-1');
    codex.ends('agent-1');
    await race.nextPromptCompletes();
  });

  test('S5.13 a review that was told to stop asks nobody, under either of its ids', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts('/review');
    await codex.asked('review');
    await codex.takesReview('P');
    codex.begins('C', 'P');
    client.cancels();
    codex.asksPermission('c1', 'P');
    codex.asksPermission('c2', 'C');
    expect(race.shown().filter((word) => word.startsWith('ask'))).toEqual([]);
    expect(answers(race)).toEqual([refused, refused]);
  });
});

describe.each(versions)('a cancel against other prompts, v%i', (version) => {
  test('R8 the cancel first, the prompt after it: it runs, and the old retry never meets its turn', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts('first');
    await codex.asked('startTurn');
    await codex.names('turn-1');
    client.cancels();
    const p2 = client.prompts('second');
    await codex.refusesInterrupt();
    codex.begins('turn-1');
    codex.ends('turn-1', 'interrupted');
    await codex.asked('startTurn', 2);
    await codex.names('turn-2');
    codex.begins('turn-2');
    codex.lands(p2, 'turn-2');
    await race.passes(10_000);
    codex.ends('turn-2');
    expect(codex.told).toEqual(['turn-1']);
    expect(race.shown()).toEqual(
      race.visible([
        'running',
        ...cancelled,
        'running',
        'user message-p2',
        'inserted p2',
        'ended p2 done',
        'idle:done',
      ]),
    );
    await race.nextPromptCompletes();
  });

  test('R8 S3.62 the answer to the old interrupt comes when the new turn runs', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    await race.runs('turn-1');
    client.cancels();
    const p2 = client.prompts('second');
    codex.ends('turn-1', 'interrupted');
    await codex.asked('startTurn', 2);
    await codex.names('turn-2');
    await codex.refusesInterrupt('expected active turn id turn-1 but found turn-2');
    codex.begins('turn-2');
    codex.lands(p2, 'turn-2');
    await race.passes(10_000);
    codex.ends('turn-2');
    expect(codex.told).toEqual(['turn-1']);
    expect(race.shown().at(version === 2 ? -2 : -1)).toBe('ended p2 done');
    await race.nextPromptCompletes();
  });

  test('R8 S3.54 the cancel of an agent turn first: the prompt waits for its end instead of joining it', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    codex.begins('goal-1');
    client.cancels();
    const p1 = client.prompts('new work');
    await codex.refusesInterrupt();
    await race.passes(25);
    await codex.takesInterrupt();
    expect(codex.count('startTurn')).toBe(0);
    codex.ends('goal-1', 'interrupted');
    await codex.asked('startTurn');
    await codex.names('turn-1');
    codex.begins('turn-1');
    codex.lands(p1, 'turn-1');
    await race.passes(10_000);
    codex.ends('turn-1');
    expect(codex.told).toEqual(['goal-1', 'goal-1']);
    expect(race.shown().at(version === 2 ? -2 : -1)).toBe(`ended ${p1} done`);
  });

  test('R8 S12.5 the end of that agent turn is lost: the prompt begins with the next sign of another turn', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    codex.begins('goal-1');
    client.cancels();
    client.prompts('new work');
    await codex.takesInterrupt();
    codex.begins('goal-2');
    await codex.asked('startTurn');
    expect(codex.told).toEqual(['goal-1']);
  });

  test('R8 the prompt first, the cancel after it: both are cancelled', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    await race.runs('turn-1');
    client.prompts('second');
    client.cancels();
    await codex.takesInterrupt();
    codex.ends('turn-1', 'interrupted');
    expect(race.shown()).toEqual(race.visible([...begun, 'ended p2 cancelled', ...cancelled]));
    expect(codex.count('startTurn')).toBe(1);
    await race.nextPromptCompletes();
  });

  test('R9 S3.52 n prompts wait: n cancelled answers and one idle', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    await race.runs('turn-1');
    for (const text of ['second', 'third', 'fourth']) client.prompts(text);
    client.cancels();
    await codex.takesInterrupt();
    codex.ends('turn-1', 'interrupted');
    expect(race.shown()).toEqual(
      race.visible([...begun, 'ended p2 cancelled', 'ended p3 cancelled', 'ended p4 cancelled', ...cancelled]),
    );
    expect(codex.count('startTurn')).toBe(1);
    await race.nextPromptCompletes();
  });

  test('R9 S3.53 S3.54 prompts before the cancel are cancelled, those after it run in their order', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    await race.runs('turn-1');
    client.prompts('before');
    client.cancels();
    const p3 = client.prompts('third');
    const p4 = client.prompts('fourth');
    await codex.takesInterrupt();
    codex.ends('turn-1', 'interrupted');
    for (const [promptId, turnId] of [
      [p3, 'turn-3'],
      [p4, 'turn-4'],
    ] as const) {
      await codex.asked('startTurn', promptId === p3 ? 2 : 3);
      await codex.names(turnId);
      codex.begins(turnId);
      codex.lands(promptId, turnId);
      codex.ends(turnId);
    }
    const ran = (promptId: string): string[] => [
      'running',
      `user message-${promptId}`,
      `inserted ${promptId}`,
      `ended ${promptId} done`,
      'idle:done',
    ];
    expect(race.shown()).toEqual(race.visible([...begun, 'ended p2 cancelled', ...cancelled, ...ran(p3), ...ran(p4)]));
    await race.nextPromptCompletes();
  });

  test('R9 S3.58 a second cancel rejects what came after the first', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    await race.runs('turn-1');
    client.cancels();
    client.prompts('second');
    client.cancels();
    await codex.takesInterrupt();
    codex.ends('turn-1', 'interrupted');
    expect(race.shown()).toEqual(race.visible([...begun, 'ended p2 cancelled', ...cancelled]));
    await race.nextPromptCompletes();
  });
});

describe('R10 S3.59 a cancelled prompt request against its insertion, v2', () => {
  test('R10 the insertion first: the answer stands and the turn goes on', async () => {
    const race = new RaceLab(2);
    const { client, codex } = race;
    const p1 = await race.runs('turn-1');
    client.cancelsRequest(p1);
    codex.ends('turn-1');
    expect(codex.told).toEqual([]);
    expect(race.shown()).toEqual([...begun, 'ended p1 done', 'idle:done']);
    await race.nextPromptCompletes();
  });

  test('R10 the cancel first: no chunk, the turn is interrupted, one idle', async () => {
    const race = new RaceLab(2);
    const { client, codex } = race;
    const p1 = client.prompts();
    await codex.asked('startTurn');
    await codex.names('turn-1');
    codex.begins('turn-1');
    client.cancelsRequest(p1);
    codex.lands(p1, 'turn-1');
    await codex.takesInterrupt();
    codex.ends('turn-1', 'interrupted');
    expect(codex.told).toEqual(['turn-1']);
    expect(race.shown()).toEqual(['running', ...cancelled]);
    await race.nextPromptCompletes();
  });

  test('R10 the cancel before the turn has a name: it is interrupted when it has one', async () => {
    const race = new RaceLab(2);
    const { client, codex } = race;
    const p1 = client.prompts();
    await codex.asked('startTurn');
    client.cancelsRequest(p1);
    codex.begins('turn-1');
    codex.lands(p1, 'turn-1');
    await codex.names('turn-1');
    await codex.takesInterrupt();
    codex.ends('turn-1', 'interrupted');
    expect(codex.told).toEqual(['turn-1']);
    expect(race.shown()).toEqual(['running', ...cancelled]);
    await race.nextPromptCompletes();
  });

  test('R10 the cancel before the answer that names an agent turn: that turn goes on', async () => {
    const race = new RaceLab(2);
    const { client, codex } = race;
    codex.begins('agent-1');
    const p1 = client.prompts();
    await codex.asked('startTurn');
    client.cancelsRequest(p1);
    await codex.names('agent-1');
    codex.lands(p1, 'agent-1');
    codex.ends('agent-1');
    expect(codex.told).toEqual([]);
    expect(race.shown()).toEqual(['running', 'ended p1 cancelled', 'idle:done']);
    await race.nextPromptCompletes();
  });

  test('R10 the request of a prompt that waits: it alone is rejected', async () => {
    const race = new RaceLab(2);
    const { client, codex } = race;
    await race.runs('turn-1');
    const p2 = client.prompts('second');
    client.cancelsRequest(p2);
    codex.ends('turn-1');
    expect(codex.told).toEqual([]);
    expect(race.shown()).toEqual([...begun, 'ended p2 cancelled', 'ended p1 done', 'idle:done']);
    await race.nextPromptCompletes();
  });
});

describe('R10 S3.59 a cancelled request of a command, v2', () => {
  const commands = [
    ['/compact', 'compact'],
    ['/review', 'review'],
    ['/goal Fix the build', 'setGoal'],
  ] as const;

  /** Codex takes the request, and what it started begins. */
  async function takes({ codex }: RaceLab, method: (typeof commands)[number][1]): Promise<void> {
    switch (method) {
      case 'compact':
        return codex.takesCompact();
      case 'review':
        return codex.takesReview('turn-1');
      case 'setGoal':
        await codex.takesGoal(goal());
        return codex.reports(goal());
    }
  }

  test.each(commands)('R10 %s: the cancel first, its turn is interrupted when it begins', async (text, method) => {
    const race = new RaceLab(2);
    const { client, codex } = race;
    const p1 = client.prompts(text);
    await codex.asked(method);
    client.cancelsRequest(p1);
    await takes(race, method);
    if (method !== 'review') codex.begins('turn-1');
    if (method === 'compact') codex.startsItem(compaction, 'turn-1');
    await codex.takesInterrupt();
    codex.ends('turn-1', 'interrupted');
    expect(codex.told).toEqual(['turn-1']);
    expect(race.shown().filter((word) => word !== 'compaction')).toEqual(['running', ...cancelled]);
    await race.nextPromptCompletes();
  });

  test.each(commands)('R10 %s: the insertion first, the answer stands', async (text, method) => {
    const race = new RaceLab(2);
    const { client, codex } = race;
    const p1 = client.prompts(text);
    await codex.asked(method);
    await takes(race, method);
    client.cancelsRequest(p1);
    codex.begins('turn-1');
    if (method === 'compact') codex.startsItem(compaction, 'turn-1');
    codex.ends('turn-1');
    expect(codex.told).toEqual([]);
    expect(race.shown().filter((word) => word !== 'compaction')).toEqual([...begun, 'ended p1 done', 'idle:done']);
    await race.nextPromptCompletes();
  });

  test.each(commands)('R10 R5 %s: the cancel first, then Codex refuses', async (text, method) => {
    const race = new RaceLab(2);
    const { client, codex } = race;
    const p1 = client.prompts(text);
    await codex.asked(method);
    client.cancelsRequest(p1);
    if (method === 'compact') await codex.refusesCompact('no');
    else if (method === 'review') await codex.refusesReview('no');
    else await codex.refusesGoal('no');
    expect(race.shown()).toEqual(['ended p1 cancelled']);
    await race.nextPromptCompletes();
  });
});

describe('R10 S3.59 a cancelled prompt request, v1', () => {
  test('R10 it stops the turn of its prompt and leaves the queue alone', async () => {
    const race = new RaceLab(1);
    const { client, codex } = race;
    const p1 = await race.runs('turn-1');
    const p2 = client.prompts('second');
    client.cancelsRequest(p1);
    await codex.takesInterrupt();
    codex.ends('turn-1', 'interrupted');
    await codex.asked('startTurn', 2);
    await codex.names('turn-2');
    codex.begins('turn-2');
    codex.lands(p2, 'turn-2');
    codex.ends('turn-2');
    expect(codex.told).toEqual(['turn-1']);
    expect(race.shown()).toEqual(['ended p1 cancelled', 'ended p2 done']);
    await race.nextPromptCompletes();
  });

  test('R10 the request of a prompt that waits is settled at once', async () => {
    const race = new RaceLab(1);
    const { client, codex } = race;
    await race.runs('turn-1');
    const p2 = client.prompts('second');
    client.cancelsRequest(p2);
    expect(race.shown()).toEqual(['ended p2 cancelled']);
    codex.ends('turn-1');
    expect(race.shown()).toEqual(['ended p2 cancelled', 'ended p1 done']);
    expect(codex.told).toEqual([]);
    await race.nextPromptCompletes();
  });

  test('R10 before the turn has a name: it is interrupted when it has one', async () => {
    const race = new RaceLab(1);
    const { client, codex } = race;
    const p1 = client.prompts();
    await codex.asked('startTurn');
    client.cancelsRequest(p1);
    await codex.names('turn-1');
    codex.begins('turn-1');
    await codex.takesInterrupt();
    codex.ends('turn-1', 'interrupted');
    expect(codex.told).toEqual(['turn-1']);
    expect(race.shown()).toEqual(['ended p1 cancelled']);
    await race.nextPromptCompletes();
  });
});
