import { describe, expect, test } from 'vitest';
import { message } from '../../support/session-lab.ts';
import { RaceLab, versions } from './race-lab.ts';

const begun = ['running', 'user message-p1', 'inserted p1'];
const cancelled = ['ended p1 cancelled', 'idle:cancelled'];
const entered = { type: 'reviewEntered', id: 'entered', text: 'current changes' } as const;
const broken = 'merge base not found';

describe.each(versions)('R14 S3.114 an interrupt against the child turn of a review, v%i', (version) => {
  test('R14 the cancel before the child begins: the retry names the child', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts('/review');
    await codex.asked('review');
    await codex.takesReview('P');
    client.cancels();
    await codex.refusesInterrupt();
    codex.startsItem(entered, 'P');
    codex.begins('C', 'P');
    await race.passes(25);
    await codex.takesInterrupt();
    codex.completesItem({ type: 'reviewExited', id: 'x', text: 'Reviewer failed to output a response.' }, 'P');
    codex.completesItem(
      message('m', 'Review was interrupted. Please re-run /review and wait for it to complete.'),
      'P',
    );
    codex.ends('P', 'interrupted');
    expect(codex.told).toEqual(['P', 'C']);
    expect(race.shown()).toEqual(race.visible([...begun, ...cancelled]));
    await race.nextPromptCompletes();
  });

  test('R14 the child begins while the refusal is on its way: the refusal names it', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts('/review');
    await codex.asked('review');
    await codex.takesReview('P');
    codex.startsItem(entered, 'P');
    client.cancels();
    await codex.refusesInterrupt('expected active turn id P but found C');
    await race.passes(25);
    codex.begins('C', 'P');
    await codex.takesInterrupt();
    codex.ends('P', 'interrupted');
    expect(codex.told).toEqual(['P', 'C']);
    expect(race.shown()).toEqual(race.visible([...begun, ...cancelled]));
    await race.nextPromptCompletes();
  });

  test('R14 the child first: the interrupt names it at once', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts('/review');
    await codex.asked('review');
    await codex.takesReview('P');
    codex.startsItem(entered, 'P');
    codex.begins('C', 'P');
    client.cancels();
    await codex.takesInterrupt();
    codex.ends('P', 'interrupted');
    expect(codex.told).toEqual(['C']);
    expect(race.shown()).toEqual(race.visible([...begun, ...cancelled]));
    await race.nextPromptCompletes();
  });

  test('R14 the cancel and the child before the answer that names P', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts('/review');
    await codex.asked('review');
    codex.startsItem(entered, 'P');
    codex.begins('C', 'P');
    client.cancels();
    await codex.takesReview('P');
    await codex.takesInterrupt();
    codex.ends('P', 'interrupted');
    expect(codex.told).toEqual(['C']);
    expect(race.shown()).toEqual(race.visible([...begun, ...cancelled]));
    await race.nextPromptCompletes();
  });

  test('R14 R11 a close before the child begins', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts('/review');
    await codex.asked('review');
    await codex.takesReview('P');
    client.closes();
    await codex.refusesInterrupt('expected active turn id P but found C');
    codex.begins('C', 'P');
    await race.passes(25);
    await codex.takesInterrupt();
    codex.ends('P', 'interrupted');
    await race.settled();
    expect(codex.told).toEqual(['P', 'C']);
    expect(race.shown()).toEqual(race.visible([...begun, ...cancelled, 'endSession']));
    expect(client.closed).toEqual(['closed']);
  });
});

describe.each(versions)('R15 S3.115 the error of a review that cannot begin, v%i', (version) => {
  const failed = [`error:fatal ${broken}`, 'ended p1 failed:turn', 'idle:failed'];

  test('R15 the error before the answer: the prompt ends with it', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts('/review-branch main');
    await codex.asked('review');
    codex.becomes('systemError');
    codex.fails(broken, 'P');
    await codex.takesReview('P');
    expect(race.shown().filter((word) => word !== 'threadStatus')).toEqual(race.visible([...begun, ...failed]));
    await race.nextPromptCompletes();
  });

  test('R15 the answer first, then the error', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts('/review-branch main');
    await codex.asked('review');
    await codex.takesReview('P');
    codex.becomes('systemError');
    codex.fails(broken, 'P');
    expect(race.shown().filter((word) => word !== 'threadStatus')).toEqual(race.visible([...begun, ...failed]));
    await race.nextPromptCompletes();
  });

  test('R15 the request itself is refused: nothing is shown', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts('/review-branch main');
    await codex.asked('review');
    await codex.refusesReview('no git');
    expect(race.shown()).toEqual(['ended p1 failed:refused']);
    await race.nextPromptCompletes();
  });

  test('R15 an error after the reviewer began waits for the completion', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts('/review');
    await codex.asked('review');
    await codex.takesReview('P');
    codex.startsItem(entered, 'P');
    codex.begins('C', 'P');
    codex.fails('quota', 'P');
    expect(race.shown()).toEqual(race.visible([...begun, 'error:fatal quota']));
    codex.ends('P', 'failed', 'quota');
    expect(race.shown()).toEqual(race.visible([...begun, 'error:fatal quota', 'ended p1 failed:turn', 'idle:failed']));
    await race.nextPromptCompletes();
  });

  test.each(['before', 'after'] as const)(
    'R15 the error came %s the answer: its repetition at the end of the next turn is none',
    async (order) => {
      const race = new RaceLab(version);
      const { client, codex } = race;
      client.prompts('/review-branch main');
      await codex.asked('review');
      if (order === 'before') codex.fails(broken, 'P');
      await codex.takesReview('P');
      if (order === 'after') codex.fails(broken, 'P');
      const from = race.place;
      const p2 = await race.runs('turn-2');
      codex.ends('turn-2', 'failed', broken);
      expect(race.shown(from)).toEqual(
        race.visible(['running', `user message-${p2}`, `inserted ${p2}`, `ended ${p2} done`, 'idle:done']),
      );
      await race.nextPromptCompletes();
    },
  );

  test('R15 the error before the answer is that of an agent turn: its failure is told, the review goes on', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts('/review');
    await codex.asked('review');
    codex.begins('agent-1');
    codex.fails('quota', 'agent-1');
    codex.ends('agent-1', 'failed', 'quota');
    await codex.takesReview('P');
    codex.startsItem(entered, 'P');
    codex.begins('C', 'P');
    codex.ends('P');
    const [running = '', ...inserted] = begun;
    expect(race.shown()).toEqual(
      race.visible([running, 'error:other quota', ...inserted, 'ended p1 done', 'idle:done']),
    );
    await race.nextPromptCompletes();
  });
});

describe.each(versions)('R36 S3.110 a compaction whose item is complete and whose turn is not, v%i', (version) => {
  const compaction = { type: 'compaction', id: 'c' } as const;
  const shown = [...begun, 'compaction', 'compaction', 'ended p1 done', 'idle:done'];

  test.each(['before', 'after'] as const)('R36 the next prompt %s the item completes: it waits', async (order) => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts('/compact');
    await codex.asked('compact');
    await codex.takesCompact();
    codex.begins('turn-1');
    codex.startsItem(compaction, 'turn-1');
    if (order === 'before') client.prompts('next');
    codex.completesItem(compaction, 'turn-1');
    if (order === 'after') client.prompts('next');
    await race.settled();
    expect(codex.count('startTurn')).toBe(0);
    codex.ends('turn-1');
    await codex.asked('startTurn');
    expect(race.shown()).toEqual(race.visible(shown));
  });

  test('R36 the turn begins before the answer to the request', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts('/compact');
    await codex.asked('compact');
    codex.begins('turn-1');
    codex.startsItem(compaction, 'turn-1');
    await codex.takesCompact();
    codex.completesItem(compaction, 'turn-1');
    client.prompts('next');
    codex.ends('turn-1');
    await codex.asked('startTurn');
    expect(race.shown().at(-1)).toBe(version === 2 ? 'idle:done' : 'ended p1 done');
  });

  test('S3.112 the request is refused: nothing is shown', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts('/compact');
    await codex.asked('compact');
    await codex.refusesCompact('no');
    expect(race.shown()).toEqual(['ended p1 failed:refused']);
    await race.nextPromptCompletes();
  });

  test('S3.112 Codex dies while it is waited for', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts('/compact');
    await codex.asked('compact');
    await codex.takesCompact();
    codex.begins('turn-1');
    codex.startsItem(compaction, 'turn-1');
    await codex.dies();
    const text = version === 2 ? ['text Connection to Codex was lost.'] : [];
    const lost = ['compaction', 'compaction', ...text, 'ended p1 failed:lost', 'idle:failed'];
    expect(race.shown()).toEqual(race.visible([...begun, ...lost]));
    await race.nextPromptCompletes();
  });

  test('S3.111 a compaction waits for the agent turn that it would interrupt; a cancel until then sends nothing', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    codex.begins('agent-1');
    client.prompts('/compact');
    await race.settled();
    expect(codex.count('compact')).toBe(0);
    client.cancels();
    await codex.takesInterrupt();
    codex.ends('agent-1', 'interrupted');
    await race.settled();
    expect(codex.count('compact')).toBe(0);
    expect(race.shown()).toEqual(race.visible(['running', 'ended p1 cancelled', 'idle:cancelled']));
    await race.nextPromptCompletes();
  });

  test('S3.111 the agent turn ends first: then the compaction is asked for', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    codex.begins('agent-1');
    client.prompts('/compact');
    await race.settled();
    codex.ends('agent-1');
    await codex.asked('compact');
    await codex.takesCompact();
    codex.begins('turn-1');
    codex.startsItem({ type: 'compaction', id: 'c' }, 'turn-1');
    codex.ends('turn-1');
    expect(race.shown()).toEqual(
      race.visible(['running', 'idle:done', ...begun, 'compaction', 'compaction', 'ended p1 done', 'idle:done']),
    );
    await race.nextPromptCompletes();
  });
});
