import { describe, expect, test } from 'vitest';
import { withCollaborationMode } from '../../../src/domain/settings/session-settings.ts';
import { air, RaceLab, type Version, versions } from './race-lab.ts';

const begun = ['running', 'user message-p1', 'inserted p1'];
const cancelled = ['ended p1 cancelled', 'idle:cancelled'];
const lost = ['ended p1 failed:lost', 'idle:failed'];

/** What v2 says of a loss after it has answered the prompt (S3.45). */
function told(version: Version): string[] {
  return version === 2 ? ['text Connection to Codex was lost.'] : [];
}

describe.each(versions)('R24 the end of the app-server against the start of a turn, v%i', (version) => {
  test('R24 S3.43 S8.63 it dies before the answer: the prompt fails, one idle, nothing is sent again', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts();
    await codex.asked('startTurn');
    await codex.dies();
    expect(race.shown()).toEqual(race.visible(lost));
    expect(codex.count('startTurn')).toBe(1);
    await race.nextPromptCompletes();
    expect(codex.count('resumeThread')).toBe(1);
  });

  test('R24 it dies before the answer, when the turn was seen', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts();
    await codex.asked('startTurn');
    codex.begins('turn-1');
    await codex.dies();
    expect(race.shown()).toEqual(race.visible(['running', ...lost]));
    expect(codex.count('startTurn')).toBe(1);
    await race.nextPromptCompletes();
  });

  test('R24 it dies after the answer', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts();
    await codex.asked('startTurn');
    await codex.names('turn-1');
    await codex.dies();
    expect(race.shown()).toEqual(race.visible(['running', ...lost]));
    await race.nextPromptCompletes();
  });

  test('R24 S3.39 S3.43 S8.63 it dies while the thread is made ready: the prompt fails, one idle', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    await codex.dies();
    codex.fake.manual.add('resumeThread');
    client.prompts();
    await codex.asked('resumeThread');
    await codex.dies();
    expect(race.shown()).toEqual(race.visible(lost));
    expect(codex.count('startTurn')).toBe(0);
    codex.fake.manual.delete('resumeThread');
    await race.nextPromptCompletes();
  });

  test('R24 it dies while the prompt waits for the lane: the prompt runs in the next process', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    await race.runs('turn-1');
    const p2 = client.prompts('second');
    await codex.dies();
    await codex.asked('startTurn', 2);
    await codex.names('turn-2');
    codex.begins('turn-2');
    codex.lands(p2, 'turn-2');
    codex.ends('turn-2');
    expect(race.shown()).toEqual(
      race.visible([
        ...begun,
        ...told(version),
        ...lost,
        'running',
        'user message-p2',
        'inserted p2',
        'ended p2 done',
        'idle:done',
      ]),
    );
    await race.nextPromptCompletes();
  });

  test('R24 it dies before the answers of a compaction, a review and a goal', async () => {
    for (const [text, method] of [
      ['/compact', 'compact'],
      ['/review', 'review'],
      ['/goal Fix it', 'setGoal'],
    ] as const) {
      const race = new RaceLab(version);
      race.client.prompts(text);
      await race.codex.asked(method);
      await race.codex.dies();
      expect(race.shown()).toEqual(race.visible(lost));
      expect(race.codex.count(method)).toBe(1);
      await race.nextPromptCompletes();
    }
  });
});

describe.each(versions)('the end of the app-server against the end of a turn, v%i', (version) => {
  const diff = 'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n';

  test('R25 the completion first: a normal end', async () => {
    const race = new RaceLab(version);
    const { codex } = race;
    await race.runs('turn-1');
    codex.ends('turn-1');
    await codex.dies();
    expect(race.shown()).toEqual(race.visible([...begun, 'ended p1 done', 'idle:done']));
    await race.nextPromptCompletes();
  });

  test('R25 the completion first, its report of changed files still out: a normal end', async () => {
    const race = new RaceLab(version, air('agentFileChangeReport'));
    const { client, codex } = race;
    const p1 = client.prompts('hello', 'report-1');
    await codex.asked('startTurn');
    await codex.names('turn-1');
    codex.begins('turn-1');
    codex.lands(p1, 'turn-1');
    codex.tells({ type: 'diffUpdated', turnId: 'turn-1', diff });
    codex.ends('turn-1');
    expect(race.shown()).toEqual(race.visible(begun));
    await codex.dies();
    expect(race.shown()).toEqual(race.visible([...begun, 'fileChangeReport', 'ended p1 done', 'idle:done']));
    await race.nextPromptCompletes();
  });

  test('R25 the end of the app-server first: the prompt fails', async () => {
    const race = new RaceLab(version);
    const { codex } = race;
    await race.runs('turn-1');
    await codex.dies();
    codex.ends('turn-1');
    expect(race.shown()).toEqual(race.visible([...begun, ...told(version), ...lost]));
    await race.nextPromptCompletes();
  });

  test('R26 the cancel first: cancelled', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    await race.runs('turn-1');
    client.cancels();
    await codex.dies();
    expect(race.shown()).toEqual(race.visible([...begun, ...cancelled]));
    await race.nextPromptCompletes();
  });

  test('R26 the cancel first, between its retries', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts();
    await codex.asked('startTurn');
    await codex.names('turn-1');
    client.cancels();
    await codex.refusesInterrupt();
    await codex.dies();
    await race.passes(10_000);
    expect(codex.told).toEqual(['turn-1']);
    expect(race.shown()).toEqual(race.visible(['running', ...cancelled]));
    await race.nextPromptCompletes();
  });

  test('R26 the cancel first, before the turn has a name', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts();
    await codex.asked('startTurn');
    client.cancels();
    await codex.dies();
    expect(race.shown()).toEqual(['ended p1 cancelled']);
    await race.nextPromptCompletes();
  });

  test('R26 S3.64 the end of the app-server first: failed, and the cancel is sent to nobody', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    await race.runs('turn-1');
    await codex.dies();
    client.cancels();
    expect(codex.told).toEqual([]);
    expect(race.shown()).toEqual(race.visible([...begun, ...told(version), ...lost]));
    await race.nextPromptCompletes();
  });

  test('R26 S8.66 a cancelled agent turn is cancelled, another is lost', async () => {
    for (const [cancels, outcome] of [
      [true, 'cancelled'],
      [false, 'failed'],
    ] as const) {
      const race = new RaceLab(version);
      race.codex.begins('agent-1');
      if (cancels) race.client.cancels();
      await race.codex.dies();
      expect(race.shown()).toEqual(race.visible(['running', `idle:${outcome}`]));
      await race.nextPromptCompletes();
    }
  });
});

describe.each(versions)('R27 the end of the app-server against a plan review, v%i', (version) => {
  const plan = { type: 'plan', id: 'plan-1', text: '1. Fix it' } as const;

  /** A prompt whose turn proposed a plan; what is shown from the question on. */
  async function proposes(): Promise<{ race: RaceLab; from: number }> {
    const race = new RaceLab(version, { planUpdates: true });
    race.lab.actor.changeSettings((settings) => withCollaborationMode(settings, 'plan'));
    race.codex.fake.recorded = { collaborationMode: 'plan' };
    await race.runs('plan-turn');
    race.codex.completesItem(plan, 'plan-turn');
    race.codex.ends('plan-turn');
    return { race, from: race.place };
  }

  test('R27 it dies first: the question is withdrawn, and its late answer starts nothing', async () => {
    const { race, from } = await proposes();
    const { client, codex } = race;
    await codex.dies();
    client.answers(1, 'implement_plan');
    await race.settled();
    expect(race.shown(from)).toEqual(race.visible(['withdraw 1', 'planReviewed', ...told(version), ...lost]));
    expect(codex.count('collaborationMode')).toBe(0);
    expect(codex.count('startTurn')).toBe(1);
    await race.nextPromptCompletes();
  });

  test('R27 the approval first: the second turn is not started in a process that is gone', async () => {
    const { race, from } = await proposes();
    const { client, codex } = race;
    client.answers(1, 'implement_plan');
    await codex.dies();
    expect(race.shown(from)).toEqual(race.visible(['planReviewed', ...told(version), ...lost]));
    expect(codex.count('startTurn')).toBe(1);
    await race.nextPromptCompletes();
  });

  test('R27 the refusal first: a normal end', async () => {
    const { race, from } = await proposes();
    const { client, codex } = race;
    client.answers(1, 'revise_plan');
    await codex.dies();
    expect(race.shown(from)).toEqual(race.visible(['planReviewed', 'ended p1 done', 'idle:done']));
    await race.nextPromptCompletes();
  });

  test('R27 it dies while the second turn is being started', async () => {
    const { race } = await proposes();
    const { client, codex } = race;
    client.answers(1, 'implement_plan');
    await codex.leavesPlanMode();
    await codex.asked('startTurn', 2);
    codex.fake.recorded = { collaborationMode: 'default' };
    const from = race.place;
    await codex.dies();
    expect(race.shown(from)).toEqual(race.visible([...told(version), ...lost]));
    expect(codex.count('startTurn')).toBe(2);
    await race.nextPromptCompletes();
  });
});

describe.each(versions)('R28 late frames of the process that died, v%i', (version) => {
  test('R28 they end and show nothing of the new turn', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    await race.runs('turn-1');
    await codex.dies();
    const p2 = client.prompts('second');
    await codex.asked('startTurn', 2);
    codex.ends('turn-1');
    await codex.names('turn-2');
    codex.begins('turn-2');
    codex.lands(p2, 'turn-2');
    codex.ends('turn-1', 'failed', 'old');
    const from = race.place;
    codex.says('new', 'turn-2');
    codex.ends('turn-2');
    expect(race.shown(from)).toEqual(race.visible(['text new', 'ended p2 done', 'idle:done']));
    expect(race.shown()).toEqual(
      race.visible([
        ...begun,
        ...told(version),
        ...lost,
        'running',
        'user message-p2',
        'inserted p2',
        'text new',
        'ended p2 done',
        'idle:done',
      ]),
    );
    await race.nextPromptCompletes();
  });

  test('R28 the answer to a start of the old process is not that of the new one', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts();
    await codex.asked('startTurn');
    const late = codex.fake.heldStarts.splice(0);
    await codex.dies();
    const p2 = client.prompts('second');
    await codex.asked('startTurn', 2);
    for (const answer of late) answer.resolve({ turnId: 'turn-1' });
    await race.settled();
    codex.ends('turn-1');
    await codex.names('turn-2');
    codex.begins('turn-2');
    codex.lands(p2, 'turn-2');
    codex.ends('turn-2');
    const second = ['running', 'user message-p2', 'inserted p2', 'ended p2 done', 'idle:done'];
    expect(race.shown()).toEqual(race.visible([...lost, ...second]));
    expect(codex.told).toEqual([]);
    await race.nextPromptCompletes();
  });
});
