import { describe, expect, test } from 'vitest';
import type { FormAnswer } from '../../../src/domain/interaction/form-ask.ts';
import type { AgentMessageItem } from '../../../src/domain/thread/thread-item.ts';
import { message } from '../../support/session-lab.ts';
import { air, RaceLab, versions } from './race-lab.ts';

const begun = ['running', 'user message-p1', 'inserted p1'];
const ended = ['ended p1 done', 'idle:done'];

describe.each(versions)('S3.171 the error of a turn against its completion, v%i', (version) => {
  const failed = ['ended p1 failed:turn', 'idle:failed'];

  test('R32 the error first: one failure, one end', async () => {
    const race = new RaceLab(version);
    const { codex } = race;
    await race.runs('turn-1');
    codex.becomes('systemError');
    codex.fails('broken', 'turn-1');
    codex.ends('turn-1', 'failed', 'broken');
    expect(race.shown().filter((word) => word !== 'threadStatus')).toEqual(
      race.visible([...begun, 'error:fatal broken', ...failed]),
    );
    await race.nextPromptCompletes();
  });

  test('R32 R33 the completion first: the error after it brings no second end', async () => {
    const race = new RaceLab(version);
    const { codex } = race;
    await race.runs('turn-1');
    codex.ends('turn-1', 'failed', 'broken');
    codex.fails('broken', 'turn-1');
    expect(race.shown()).toEqual(race.visible([...begun, 'error:fatal broken', ...failed, 'error:other broken']));
    await race.nextPromptCompletes();
  });

  test('R33 the error again while the next turn runs: that one goes on', async () => {
    const race = new RaceLab(version);
    const { codex } = race;
    await race.runs('turn-1');
    codex.fails('broken', 'turn-1');
    codex.ends('turn-1', 'failed', 'broken');
    await race.runs('turn-2');
    const from = race.place;
    codex.fails('broken', 'turn-1');
    codex.ends('turn-2');
    expect(race.shown(from)).toEqual(race.visible(['error:other broken', 'ended p2 done', 'idle:done']));
    await race.nextPromptCompletes();
  });

  test('R32 both before the answer to the start', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    const p1 = client.prompts();
    await codex.asked('startTurn');
    codex.begins('turn-1');
    codex.lands(p1, 'turn-1');
    codex.fails('broken', 'turn-1');
    codex.ends('turn-1', 'failed', 'broken');
    await codex.names('turn-1');
    expect(race.shown()).toEqual(race.visible([...begun, 'error:fatal broken', ...failed]));
    await race.nextPromptCompletes();
  });
});

describe.each(versions)('R34 S3.195 a suggestion against a newer prompt, v%i', (version) => {
  const suggestion = JSON.stringify({ suggestion: 'Run the tests' });

  /** A prompt that ended; the model is asked what could come next. */
  async function suggesting(): Promise<RaceLab> {
    const race = new RaceLab(version, air());
    race.codex.fake.manual.add('sample');
    await race.runs('turn-1');
    race.codex.ends('turn-1');
    await race.codex.asked('sample');
    return race;
  }

  function suggestions({ lab }: RaceLab): (readonly string[])[] {
    return lab.channel.shown.flatMap((shown) =>
      shown.kind === 'update' && shown.update.type === 'suggestions' ? [shown.update.texts] : [],
    );
  }

  async function suggests(race: RaceLab): Promise<void> {
    race.codex.fake.heldSamples.shift()?.resolve(suggestion);
    await race.settled();
  }

  test('R34 the suggestion first: the next prompt takes it away', async () => {
    const race = await suggesting();
    await suggests(race);
    expect(suggestions(race)).toEqual([['Run the tests']]);
    await race.runs('turn-2');
    expect(suggestions(race)).toEqual([['Run the tests'], []]);
  });

  test('R34 the prompt first: the suggestion is dropped', async () => {
    const race = await suggesting();
    await race.runs('turn-2');
    await suggests(race);
    race.codex.ends('turn-2');
    expect(suggestions(race)).toEqual([]);
  });

  test('R34 a turn of Codex itself first: the suggestion is dropped', async () => {
    const race = await suggesting();
    race.codex.begins('agent-1');
    await suggests(race);
    race.codex.ends('agent-1');
    expect(suggestions(race)).toEqual([]);
  });

  test('R34 S3.195 the close first: the suggestion is dropped', async () => {
    const race = await suggesting();
    race.client.closes();
    await race.settled();
    await suggests(race);
    expect(suggestions(race)).toEqual([]);
    expect(race.client.closed).toEqual(['closed']);
  });
});

describe.each(versions)('R34 S3.192 a generated title against a rename, v%i', (version) => {
  /** A prompt that ended; a title is being made. */
  async function titling(): Promise<RaceLab> {
    const race = new RaceLab(version, {}, { session: { title: { origin: 'unset' } } });
    race.codex.fake.manual.add('makeTitle');
    await race.runs('turn-1', 'fix the build');
    race.codex.ends('turn-1');
    await race.codex.asked('makeTitle');
    return race;
  }

  async function renames(race: RaceLab): Promise<void> {
    race.client.prompts('/rename Mine');
    await race.codex.asked('setName', race.codex.count('setName') + 1);
    race.codex.tells({ type: 'threadName', name: 'Mine' });
    await race.settled();
  }

  async function generates(race: RaceLab): Promise<void> {
    race.codex.fake.heldTitles.shift()?.resolve('Build repaired');
    await race.settled();
  }

  function written({ codex }: RaceLab): string[] {
    return codex.fake.of('setName').map(({ name }) => name);
  }

  function titles({ lab }: RaceLab): (string | null)[] {
    return lab.channel.shown.flatMap((shown) =>
      shown.kind === 'update' && shown.update.type === 'title' ? [shown.update.title] : [],
    );
  }

  test('R34 the rename first: the title is dropped', async () => {
    const race = await titling();
    await renames(race);
    await generates(race);
    await race.passes(10_000);
    expect(written(race)).toEqual(['Mine']);
    expect(titles(race)).toEqual(['fix the build', 'Mine']);
    await race.nextPromptCompletes();
  });

  test('R34 the title first: the rename wins in the end', async () => {
    const race = await titling();
    await generates(race);
    race.codex.tells({ type: 'threadName', name: 'Build repaired' });
    await renames(race);
    expect(written(race)).toEqual(['Build repaired', 'Mine']);
    expect(titles(race)).toEqual(['fix the build', 'Build repaired', 'Mine']);
    await race.nextPromptCompletes();
  });
});

describe.each(versions)('R35 S3.155 the answer to a question against the end of its turn, v%i', (version) => {
  const asking: AgentMessageItem = {
    ...message('q1', 'Which one?'),
    questions: [{ title: 'Which one?', options: [] }],
  };
  const answer: FormAnswer = { type: 'accepted', values: new Map([['question_0', 'The first']]) };

  /** A turn that asks while it works. */
  async function asks(): Promise<RaceLab> {
    const race = new RaceLab(version, { elicitation: { form: true, url: false }, notices: true });
    await race.runs('turn-1');
    race.codex.completesItem(asking, 'turn-1');
    expect(race.shown().at(-1)).toBe('form 1');
    return race;
  }

  test('R35 the answer first, and Codex takes it: it is shown', async () => {
    const race = await asks();
    const { codex, lab } = race;
    const from = race.place;
    lab.actor.answerForm(1, answer);
    const messageId = codex.fake.of('steer')[0]?.params.clientMessageId ?? '';
    await codex.takesSteer('turn-1');
    codex.records(messageId, 'turn-1');
    codex.ends('turn-1');
    expect(race.shown(from)).toEqual(race.visible([`user ${messageId}`, ...ended]));
    await race.nextPromptCompletes();
  });

  test('R35 the answer first, the turn ends before Codex took it: told, and sent nowhere else', async () => {
    const race = await asks();
    const { codex, lab } = race;
    const from = race.place;
    lab.actor.answerForm(1, answer);
    codex.ends('turn-1');
    await codex.refusesSteer('no active turn to steer');
    await race.runs('turn-2');
    codex.ends('turn-2');
    const next = ['running', 'user message-p2', 'inserted p2', 'ended p2 done', 'idle:done'];
    expect(race.shown(from)).toEqual(race.visible([...ended, 'notice', ...next]));
    expect(codex.count('steer')).toBe(1);
    await race.nextPromptCompletes();
  });

  test('R35 Codex took the answer, and the turn ends without it: told', async () => {
    const race = await asks();
    const { codex, lab } = race;
    const from = race.place;
    lab.actor.answerForm(1, answer);
    await codex.takesSteer('turn-1');
    codex.ends('turn-1');
    expect(race.shown(from)).toEqual(race.visible(['notice', ...ended]));
    await race.nextPromptCompletes();
  });

  test('R35 the end first: the question is withdrawn, the late answer is told, never injected into the next turn', async () => {
    const race = await asks();
    const { codex, lab } = race;
    const from = race.place;
    codex.ends('turn-1');
    await race.runs('turn-2');
    lab.actor.answerForm(1, answer);
    codex.ends('turn-2');
    const next = ['running', 'user message-p2', 'inserted p2', 'notice', 'ended p2 done', 'idle:done'];
    expect(race.shown(from)).toEqual(race.visible(['withdraw 1', ...ended, ...next]));
    expect(codex.count('steer')).toBe(0);
    await race.nextPromptCompletes();
  });

  test('R35 S3.156 a cancel first: withdrawn, and the late answer goes nowhere', async () => {
    const race = await asks();
    const { client, codex, lab } = race;
    const from = race.place;
    client.cancels();
    lab.actor.answerForm(1, answer);
    await codex.takesInterrupt();
    codex.ends('turn-1', 'interrupted');
    expect(race.shown(from)).toEqual(race.visible(['withdraw 1', 'ended p1 cancelled', 'idle:cancelled']));
    expect(codex.count('steer')).toBe(0);
    await race.nextPromptCompletes();
  });
});
