import { describe, expect, test } from 'vitest';
import type { Goal } from '../../../src/domain/goal/goal.ts';
import { withCollaborationMode } from '../../../src/domain/settings/session-settings.ts';
import { air, goal, RaceLab, versions } from './race-lab.ts';

const begun = ['running', 'user message-p1', 'inserted p1'];
const ended = ['ended p1 done', 'idle:done'];

describe.each(versions)('R23 S3.119 a goal against the turn that may follow it, v%i', (version) => {
  test.each(['before', 'after'] as const)(
    'R23 reported %s the answer, and no turn: it ends after 1 s',
    async (order) => {
      const race = new RaceLab(version);
      const { client, codex } = race;
      client.prompts('/goal Fix the build');
      await codex.asked('setGoal');
      if (order === 'before') codex.reports(goal());
      await codex.takesGoal(goal());
      if (order === 'after') codex.reports(goal());
      await race.passes(999);
      expect(race.shown()).toEqual(race.visible(begun));
      await race.passes(1);
      expect(race.shown()).toEqual(race.visible([...begun, ...ended]));
      expect(race.lab.clock.waiting).toBe(0);
      await race.nextPromptCompletes();
    },
  );

  test('R23 the turn begins in time: the prompt ends with it', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts('/goal Fix the build');
    await codex.asked('setGoal');
    await codex.takesGoal(goal());
    codex.reports(goal());
    await race.passes(999);
    codex.begins('goal-1');
    await race.passes(10_000);
    codex.says('working', 'goal-1');
    expect(race.shown()).toEqual(race.visible([...begun, 'text working']));
    codex.ends('goal-1');
    expect(race.shown()).toEqual(race.visible([...begun, 'text working', ...ended]));
    await race.nextPromptCompletes();
  });

  test('R23 report and turn come before the answer', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts('/goal Fix the build');
    await codex.asked('setGoal');
    codex.reports(goal());
    codex.begins('goal-1');
    codex.ends('goal-1');
    await codex.takesGoal(goal());
    expect(race.shown()).toEqual(race.visible([...begun, ...ended]));
    await race.nextPromptCompletes();
  });

  test('R23 the turn begins after the limit: it is a turn of Codex itself', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts('/goal Fix the build');
    await codex.asked('setGoal');
    await codex.takesGoal(goal());
    codex.reports(goal());
    await race.passes(1000);
    codex.begins('goal-1');
    codex.ends('goal-1');
    expect(race.shown()).toEqual(race.visible([...begun, ...ended, 'running', 'idle:done']));
    await race.nextPromptCompletes();
  });

  test('R23 the thread is active: the turn may take its time', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts('/goal Fix the build');
    await codex.asked('setGoal');
    await codex.takesGoal(goal());
    codex.reports(goal());
    codex.becomes('active');
    await race.passes(60_000);
    codex.begins('goal-1');
    codex.ends('goal-1');
    expect(race.shown().filter((word) => word !== 'threadStatus')).toEqual(race.visible([...begun, ...ended]));
    await race.nextPromptCompletes();
  });

  test('R23 the thread was active and came to rest without a turn', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts('/goal Fix the build');
    await codex.asked('setGoal');
    await codex.takesGoal(goal());
    codex.reports(goal());
    codex.becomes('active');
    codex.becomes('idle');
    expect(race.shown().filter((word) => word !== 'threadStatus')).toEqual(race.visible([...begun, ...ended]));
    await race.nextPromptCompletes();
  });

  test('S3.120 continuations of the goal are turns of Codex itself', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts('/goal Fix the build');
    await codex.asked('setGoal');
    await codex.takesGoal(goal());
    codex.reports(goal());
    codex.begins('goal-1');
    codex.ends('goal-1');
    codex.begins('goal-2');
    codex.ends('goal-2');
    expect(race.shown()).toEqual(race.visible([...begun, ...ended, 'running', 'idle:done']));
    expect(codex.count('startTurn')).toBe(0);
    await race.nextPromptCompletes();
  });
});

describe.each(versions)('R22 S3.125 a read of the goal against news of it, v%i', (version) => {
  const older = goal({ objective: 'old', updatedAt: 1 });
  const newer = goal({ objective: 'new', updatedAt: 2 });

  /** A loaded session whose goal is being read. */
  async function reading(): Promise<RaceLab> {
    const race = new RaceLab(version, air(), { session: { thread: 'loaded' } });
    race.codex.fake.manual.add('readGoal');
    race.lab.actor.opened('loaded');
    await race.codex.asked('readGoal');
    return race;
  }

  function goals({ lab }: RaceLab): (Goal | null)[] {
    return lab.channel.shown.flatMap((shown) =>
      shown.kind === 'update' && shown.update.type === 'goal' ? [shown.update.goal] : [],
    );
  }

  test('R22 the news first: what was read is dropped', async () => {
    const race = await reading();
    race.codex.reports(newer);
    await race.codex.readsGoal(older);
    expect(goals(race)).toEqual([newer]);
  });

  test('R22 the read first: both are told, the newer last', async () => {
    const race = await reading();
    await race.codex.readsGoal(older);
    race.codex.reports(newer);
    expect(goals(race)).toEqual([older, newer]);
  });

  test('R22 cleared meanwhile: what was read is dropped', async () => {
    const race = await reading();
    race.codex.tells({ type: 'goalCleared' });
    await race.codex.readsGoal(older);
    expect(goals(race)).toEqual([null]);
  });

  test('R22 R11 closed meanwhile: nothing is told', async () => {
    const race = await reading();
    race.client.closes();
    await race.settled();
    await race.codex.readsGoal(older);
    expect(goals(race)).toEqual([]);
    expect(race.client.closed).toEqual(['closed']);
  });
});

describe.each(versions)('R21 a continuation of a goal between a plan and its implementation, v%i', (version) => {
  const plan = { type: 'plan', id: 'plan-1', text: '1. Fix it' } as const;

  /** A prompt whose turn proposed a plan; the user is asked. */
  async function proposes(): Promise<RaceLab> {
    const race = new RaceLab(version, { planUpdates: true });
    race.lab.actor.changeSettings((settings) => withCollaborationMode(settings, 'plan'));
    await race.runs('plan-turn');
    race.codex.completesItem(plan, 'plan-turn');
    race.codex.ends('plan-turn');
    expect(race.shown().at(-1)).toBe('ask 1');
    return race;
  }

  function noise(word: string): boolean {
    return word !== 'optionsChanged';
  }

  test('R21 it runs when the plan is carried out: the second turn joins it', async () => {
    const race = await proposes();
    const { client, codex } = race;
    const from = race.place;
    codex.begins('goal-2');
    client.answers(1, 'implement_plan');
    await codex.leavesPlanMode();
    await codex.asked('startTurn', 2);
    await codex.names('goal-2');
    codex.says('both', 'goal-2');
    codex.ends('goal-2');
    expect(race.shown(from).filter(noise)).toEqual(race.visible(['planReviewed', 'running', 'text both', ...ended]));
    await race.nextPromptCompletes();
  });

  test('R21 it ends before: the second turn is one of its own', async () => {
    const race = await proposes();
    const { client, codex } = race;
    const from = race.place;
    codex.begins('goal-2');
    client.answers(1, 'implement_plan');
    codex.ends('goal-2');
    await codex.leavesPlanMode();
    await codex.asked('startTurn', 2);
    await codex.names('turn-2');
    codex.begins('turn-2');
    codex.says('done', 'turn-2');
    expect(race.shown(from).filter(noise)).toEqual(race.visible(['planReviewed', 'running', 'text done']));
    codex.ends('turn-2');
    expect(race.shown(from).filter(noise)).toEqual(race.visible(['planReviewed', 'running', 'text done', ...ended]));
    await race.nextPromptCompletes();
  });

  test('R21 it ends while the start is on its way: the workflow follows the id of the answer', async () => {
    const race = await proposes();
    const { client, codex } = race;
    const from = race.place;
    client.answers(1, 'implement_plan');
    await codex.leavesPlanMode();
    await codex.asked('startTurn', 2);
    codex.begins('goal-2');
    codex.ends('goal-2');
    await codex.names('turn-2');
    codex.begins('turn-2');
    expect(race.shown(from).filter(noise)).toEqual(race.visible(['planReviewed', 'running']));
    codex.ends('turn-2');
    expect(race.shown(from).filter(noise)).toEqual(race.visible(['planReviewed', 'running', ...ended]));
    await race.nextPromptCompletes();
  });

  test('R21 it began before and ends while the start is on its way: still one idle', async () => {
    const race = await proposes();
    const { client, codex } = race;
    const from = race.place;
    codex.begins('goal-2');
    client.answers(1, 'implement_plan');
    await codex.leavesPlanMode();
    await codex.asked('startTurn', 2);
    codex.ends('goal-2');
    await codex.names('turn-2');
    codex.begins('turn-2');
    codex.ends('turn-2');
    expect(race.shown(from).filter(noise)).toEqual(race.visible(['planReviewed', 'running', ...ended]));
    await race.nextPromptCompletes();
  });

  test('R3 R21 both propose plans before the start of the prompt is answered: that of the prompt is reviewed', async () => {
    const race = new RaceLab(version, { planUpdates: true });
    const { client, codex, lab } = race;
    lab.actor.changeSettings((settings) => withCollaborationMode(settings, 'plan'));
    client.prompts();
    await codex.asked('startTurn');
    for (const [turnId, id] of [
      ['plan-turn', 'plan-1'],
      ['goal-2', 'plan-2'],
    ] as const) {
      codex.begins(turnId);
      codex.completesItem({ ...plan, id }, turnId);
      codex.ends(turnId);
    }
    await codex.names('plan-turn');
    const asked = lab.channel.shown.flatMap((shown) => (shown.kind === 'ask' ? [shown.ask.subject] : []));
    expect(asked).toMatchObject([{ type: 'planReview', itemId: 'plan-1' }]);
    client.answers(1, 'revise_plan');
    await race.nextPromptCompletes();
  });

  test('R21 T33 the plan is kept while it runs: the prompt ends, and it goes on as Codex’s own', async () => {
    const race = await proposes();
    const { client, codex } = race;
    const from = race.place;
    codex.begins('goal-2');
    client.answers(1, 'revise_plan');
    codex.says('on', 'goal-2');
    codex.ends('goal-2');
    expect(race.shown(from)).toEqual(race.visible(['planReviewed', ...ended, 'running', 'text on', 'idle:done']));
    await race.nextPromptCompletes();
  });

  test('R21 the user is asked still when it ends: nothing of it ends the review', async () => {
    const race = await proposes();
    const { client, codex } = race;
    const from = race.place;
    codex.begins('goal-2');
    codex.ends('goal-2');
    client.answers(1, 'revise_plan');
    expect(race.shown(from)).toEqual(race.visible(['planReviewed', ...ended]));
    await race.nextPromptCompletes();
  });
});
