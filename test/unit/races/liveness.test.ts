import { describe, expect, test } from 'vitest';
import { errorPaths } from './error-paths.ts';
import { RaceLab, versions } from './race-lab.ts';

/** What a prompt's turn does once Codex was asked for it. */
async function completes(race: RaceLab, promptId: string): Promise<void> {
  const turnId = `turn-of-${promptId}`;
  await race.codex.names(turnId);
  race.codex.begins(turnId);
  race.codex.lands(promptId, turnId);
  race.codex.ends(turnId);
}

describe.each(versions)('S3.233 S3.37 the lane is free again, v%i', (version) => {
  const profile = { planUpdates: true, compaction: true };

  test.each(errorPaths)('$what: a prompt that is sent after it completes', async ({ holds, breaks, outcome }) => {
    const race = new RaceLab(version, profile);
    await holds(race);
    await breaks(race);
    await race.settled();
    expect(race.shown()).toContain(`ended p1 ${outcome}`);
    expect(race.lab.clock.waiting).toBe(0);
    await race.nextPromptCompletes();
  });

  test.each(errorPaths.filter(({ sparesQueue }) => sparesQueue))(
    '$what: a prompt that waited completes',
    async ({ holds, breaks, outcome }) => {
      const race = new RaceLab(version, profile);
      const { client, codex } = race;
      await holds(race);
      const waiting = client.prompts('waiting');
      const starts = codex.count('startTurn');
      await breaks(race);
      await codex.asked('startTurn', starts + 1);
      await completes(race, waiting);
      const ends = race.shown().filter((word) => word.startsWith('ended'));
      expect(ends).toEqual([`ended p1 ${outcome}`, `ended ${waiting} done`]);
      await race.settled();
      expect(race.lab.clock.waiting).toBe(0);
      await race.nextPromptCompletes();
    },
  );

  test.each(errorPaths.filter(({ sparesQueue }) => !sparesQueue))(
    '$what: a prompt that waited is cancelled, the one after it completes',
    async ({ holds, breaks, outcome }) => {
      const race = new RaceLab(version, profile);
      await holds(race);
      const waiting = race.client.prompts('waiting');
      await breaks(race);
      await race.settled();
      const ends = race.shown().filter((word) => word.startsWith('ended'));
      expect(ends).toEqual([`ended ${waiting} cancelled`, `ended p1 ${outcome}`]);
      await race.nextPromptCompletes();
    },
  );

  test('T32 a close that Codex refused', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    codex.fake.manual.add('unsubscribe');
    await race.runs();
    client.closes();
    await codex.takesInterrupt();
    codex.ends('turn-1', 'interrupted');
    await codex.asked('unsubscribe');
    await codex.refusesRelease('not now');
    expect(client.closed).toEqual(['not now']);
    expect(race.shown().slice(-2)).toEqual(
      version === 2 ? ['ended p1 cancelled', 'idle:cancelled'] : ['ended p1 cancelled'],
    );
    await race.nextPromptCompletes();
    codex.fake.manual.delete('unsubscribe');
    client.closes();
    await race.settled();
    expect(client.closed).toEqual(['not now', 'closed']);
  });

  test('S3.71 prompts while a close that Codex refuses is under way are refused, not kept', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    codex.fake.manual.add('unsubscribe');
    client.closes();
    await codex.asked('unsubscribe');
    client.prompts();
    await codex.refusesRelease('not now');
    expect(race.shown()).toEqual(['ended p1 cancelled']);
    await race.nextPromptCompletes();
  });

  test('S3.57 an agent turn that fails, is cancelled or is lost', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    codex.begins('agent-1');
    codex.ends('agent-1', 'failed', 'broken');
    await race.nextPromptCompletes();
    codex.begins('agent-2');
    client.cancels();
    await codex.takesInterrupt();
    codex.ends('agent-2', 'interrupted');
    await race.nextPromptCompletes();
    codex.begins('agent-3');
    await codex.dies();
    await race.nextPromptCompletes();
  });
});
