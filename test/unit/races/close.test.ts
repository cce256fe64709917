import { describe, expect, test } from 'vitest';
import { errorPaths } from './error-paths.ts';
import { air, RaceLab, versions } from './race-lab.ts';

describe.each(versions)('R11 S3.68 a close against a start that is on its way, v%i', (version) => {
  test('R11 the close first: the prompt is cancelled at once, the late turn is interrupted and not shown', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts();
    await codex.asked('startTurn');
    client.closes();
    expect(race.shown()).toEqual(['ended p1 cancelled']);
    await codex.names('turn-1');
    codex.begins('turn-1');
    codex.says('unseen', 'turn-1');
    await codex.takesInterrupt();
    codex.ends('turn-1', 'interrupted');
    await race.settled();
    expect(codex.told).toEqual(['turn-1']);
    expect(race.shown()).toEqual(['ended p1 cancelled', 'endSession']);
    expect(client.closed).toEqual(['closed']);
    expect(codex.count('unsubscribe')).toBe(1);
    expect(race.lab.clock.waiting).toBe(0);
  });

  test('R11 the close first, the turn begins before the answer', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts();
    await codex.asked('startTurn');
    client.closes();
    codex.begins('turn-1');
    await codex.names('turn-1');
    await codex.takesInterrupt();
    codex.ends('turn-1', 'interrupted');
    await race.settled();
    expect(codex.told).toEqual(['turn-1']);
    expect(race.shown()).toEqual(['ended p1 cancelled', 'endSession']);
    expect(client.closed).toEqual(['closed']);
  });

  test('R11 the close first, then the start fails', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts();
    await codex.asked('startTurn');
    client.closes();
    await codex.refusesStart();
    expect(codex.told).toEqual([]);
    expect(race.shown()).toEqual(['ended p1 cancelled', 'endSession']);
    expect(client.closed).toEqual(['closed']);
  });

  test('R11 the answer comes when the session is gone: the turn must not run on unseen', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts();
    await codex.asked('startTurn');
    client.closes();
    await race.passes(5000);
    expect(client.closed).toEqual(['closed']);
    await codex.names('turn-1');
    await codex.takesInterrupt();
    codex.begins('turn-1');
    codex.says('unseen', 'turn-1');
    codex.ends('turn-1', 'interrupted');
    expect(codex.told).toEqual(['turn-1']);
    expect(race.shown()).toEqual(['ended p1 cancelled', 'endSession']);
  });

  test('R11 S3.63 the answer first, the close right after it: the interrupt is retried', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts();
    await codex.asked('startTurn');
    await codex.names('turn-1');
    client.closes();
    await codex.refusesInterrupt();
    codex.begins('turn-1');
    await race.passes(25);
    await codex.takesInterrupt();
    codex.ends('turn-1', 'interrupted');
    await race.settled();
    expect(codex.told).toEqual(['turn-1', 'turn-1']);
    expect(race.shown()).toEqual(race.visible(['running', 'ended p1 cancelled', 'idle:cancelled', 'endSession']));
    expect(client.closed).toEqual(['closed']);
    expect(race.lab.clock.waiting).toBe(0);
  });

  test('R11 S3.60 beside an agent turn that the answer names: it is told to stop once', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    codex.begins('agent-1');
    client.prompts();
    await codex.asked('startTurn');
    client.closes();
    await codex.takesInterrupt();
    await codex.names('agent-1');
    codex.ends('agent-1', 'interrupted');
    await race.settled();
    expect(codex.told).toEqual(['agent-1']);
    expect(race.shown()).toEqual(race.visible(['running', 'ended p1 cancelled', 'idle:cancelled', 'endSession']));
    expect(client.closed).toEqual(['closed']);
    expect(race.lab.clock.waiting).toBe(0);
  });

  test('R11 beside an agent turn that is over before the answer names a new one', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    codex.begins('agent-1');
    client.prompts();
    await codex.asked('startTurn');
    client.closes();
    await codex.takesInterrupt();
    codex.ends('agent-1', 'interrupted');
    await codex.names('turn-1');
    codex.begins('turn-1');
    await codex.takesInterrupt();
    codex.ends('turn-1', 'interrupted');
    await race.settled();
    expect(codex.told).toEqual(['agent-1', 'turn-1']);
    expect(client.closed).toEqual(['closed']);
    expect(race.lab.clock.waiting).toBe(0);
  });
});

describe.each(versions)('S3.69 the turn of a session that is being closed, v%i', (version) => {
  test('S3.69 nothing of it is shown, and its requests are refused', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    await race.runs('turn-1');
    client.closes();
    const from = race.place;
    codex.says('unseen', 'turn-1');
    codex.asksPermission('c1', 'turn-1');
    codex.fails('unseen', 'turn-1');
    await codex.takesInterrupt();
    codex.ends('turn-1', 'interrupted');
    await race.settled();
    expect(race.shown(from)).toEqual(race.visible(['idle:cancelled', 'endSession']));
    expect(codex.fake.of('answer').map(({ answer }) => answer)).toEqual([
      { type: 'commandApproval', decision: 'cancel' },
    ]);
    expect(client.closed).toEqual(['closed']);
  });

  test('S3.71 T32 a close that was refused keeps the turn that Codex still runs: it ends as what it is, once', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    codex.fake.manual.add('unsubscribe');
    await race.runs('turn-1');
    client.closes();
    await race.passes(5000);
    await codex.refusesRelease('not now');
    const from = race.place;
    codex.ends('turn-1', 'interrupted');
    expect(race.shown(from)).toEqual(race.visible(['idle:cancelled']));
    await race.nextPromptCompletes();
  });
});

describe.each(versions)('R13 a close against the end of a turn, v%i', (version) => {
  const reporting = air('agentFileChangeReport');
  const begun = ['running', 'user message-p1', 'inserted p1'];
  const diff = 'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n';

  /** A prompt that asked for a report of changed files, whose turn has changed one. */
  async function reports(race: RaceLab): Promise<void> {
    const { client, codex } = race;
    const p1 = client.prompts('hello', 'report-1');
    await codex.asked('startTurn');
    await codex.names('turn-1');
    codex.begins('turn-1');
    codex.lands(p1, 'turn-1');
    codex.tells({ type: 'diffUpdated', turnId: 'turn-1', diff });
  }

  test('R13 the close while the end is drained: the answer is the one that the turn had, once', async () => {
    const race = new RaceLab(version, reporting);
    const { client, codex } = race;
    await reports(race);
    codex.ends('turn-1');
    client.closes();
    await race.settled();
    expect(race.shown()).toEqual(
      race.visible([...begun, 'fileChangeReport', 'ended p1 done', 'idle:cancelled', 'endSession']),
    );
    expect(client.closed).toEqual(['closed']);
    expect(race.lab.clock.waiting).toBe(0);
  });

  test('R13 the end drained first: a normal end, then the close', async () => {
    const race = new RaceLab(version, reporting);
    const { client, codex } = race;
    await reports(race);
    codex.ends('turn-1');
    await race.settled();
    client.closes();
    await race.settled();
    expect(race.shown()).toEqual(
      race.visible([...begun, 'fileChangeReport', 'ended p1 done', 'idle:done', 'endSession']),
    );
    expect(client.closed).toEqual(['closed']);
    expect(codex.told).toEqual([]);
  });

  test('R13 the close before the completion: cancelled, once', async () => {
    const race = new RaceLab(version, reporting);
    const { client, codex } = race;
    await reports(race);
    client.closes();
    codex.ends('turn-1');
    await codex.takesInterrupt();
    expect(race.shown()).toEqual(
      race.visible([...begun, 'fileChangeReport', 'ended p1 cancelled', 'idle:cancelled', 'endSession']),
    );
    expect(client.closed).toEqual(['closed']);
    expect(race.lab.clock.waiting).toBe(0);
  });
});

describe.each(versions)('T32 what a refused close leaves, v%i', (version) => {
  test('S3.71 S3.233 the session stays open, and prompts run', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    codex.fake.manual.add('unsubscribe');
    client.closes();
    await codex.asked('unsubscribe');
    await codex.refusesRelease('not now');
    expect(client.closed).toEqual(['not now']);
    await race.nextPromptCompletes();
  });
});

describe.each(versions)('T30 T31 S3.67 a close in each phase of the work, v%i', (version) => {
  const profile = { planUpdates: true, compaction: true };

  test.each(errorPaths)('before this: $what', async ({ holds }) => {
    const race = new RaceLab(version, profile);
    const { client, codex } = race;
    await holds(race);
    client.prompts('waiting');
    client.closes();
    const atOnce = race.shown().filter((word) => word.startsWith('ended'));
    expect(atOnce).toEqual(['ended p2 cancelled', 'ended p1 cancelled']);
    await race.passes(5000);
    expect(client.closed).toEqual(['closed']);
    const { length } = race.shown();
    expect(race.shown().at(-1)).toBe('endSession');
    codex.begins('late');
    codex.says('late', 'late');
    codex.ends('late');
    codex.asksPermission('late', 'late');
    client.cancels();
    expect(race.shown()).toHaveLength(length);
    expect(codex.count('unsubscribe')).toBe(1);
    const states = race.shown().filter((word) => word === 'running' || word.startsWith('idle'));
    expect(states.filter((word) => word === 'running')).toHaveLength(states.length / 2);
    await race.passes(60_000);
    expect(race.lab.clock.waiting).toBe(0);
  });

  test.each(errorPaths)('after this: $what', async ({ holds, breaks }) => {
    const race = new RaceLab(version, profile);
    const { client } = race;
    await holds(race);
    await breaks(race);
    await race.settled();
    client.closes();
    await race.passes(0);
    expect(client.closed).toEqual(['closed']);
    expect(race.shown().at(-1)).toBe('endSession');
    expect(race.shown().filter((word) => word.startsWith('ended'))).toHaveLength(1);
    expect(race.lab.clock.waiting).toBe(0);
  });
});
