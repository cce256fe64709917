import { describe, expect, test } from 'vitest';
import { withCollaborationMode } from '../../../src/domain/settings/session-settings.ts';
import { command } from '../../support/session-lab.ts';
import { air, goal, RaceLab, versions } from './race-lab.ts';

/*
 * S3 section 5.1: what a `session/cancel` does in each phase of the work. The row about native subagents has no test
 * here: they are not followed yet.
 */

const begun = ['running', 'user message-p1', 'inserted p1'];
const cancelled = ['ended p1 cancelled', 'idle:cancelled'];

describe.each(versions)('S3.230 S3.51 S3.55 a cancel in each phase, v%i', (version) => {
  test('waiting for the app-server: it ends at once, and nothing is sent to Codex', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    codex.fake.manual.add('ready');
    client.prompts();
    client.cancels();
    expect(race.shown()).toEqual(['ended p1 cancelled']);
    codex.fake.manual.delete('ready');
    await codex.isReady();
    expect(codex.count('startTurn')).toBe(0);
    expect(race.shown()).toEqual(['ended p1 cancelled']);
    await race.nextPromptCompletes();
  });

  test('waiting for the thread to be loaded again: it ends at once, and the load serves the next prompt', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    await codex.dies();
    codex.fake.manual.add('resumeThread');
    client.prompts('first');
    await codex.asked('resumeThread');
    client.cancels();
    const p2 = client.prompts('second');
    expect(race.shown()).toEqual(['ended p1 cancelled']);
    await codex.reloads();
    await codex.asked('startTurn');
    await codex.names('turn-2');
    codex.begins('turn-2');
    codex.lands(p2, 'turn-2');
    codex.ends('turn-2');
    expect(codex.count('resumeThread')).toBe(1);
    expect(codex.fake.of('startTurn').map(({ params }) => params.input)).toEqual([[{ type: 'text', text: 'second' }]]);
    expect(race.shown()).toEqual(
      race.visible(['ended p1 cancelled', 'running', 'user message-p2', 'inserted p2', 'ended p2 done', 'idle:done']),
    );
    await race.nextPromptCompletes();
  });

  test('a local command: it is given up, and shows nothing any more', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    codex.fake.manual.add('listSkills');
    client.prompts('/skills');
    await codex.asked('listSkills');
    client.cancels();
    expect(race.shown()).toEqual(race.visible(['user message-p1', 'inserted p1', 'running', ...cancelled]));
    codex.fake.heldSkills.shift()?.resolve([]);
    codex.fake.manual.delete('listSkills');
    await race.settled();
    expect(race.shown()).toEqual(race.visible(['user message-p1', 'inserted p1', 'running', ...cancelled]));
    await race.nextPromptCompletes();
  });

  test('before the start request was sent: it is not sent', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    codex.fake.manual.add('ready');
    client.prompts();
    codex.fake.heldReady.shift()?.resolve();
    client.cancels();
    await race.settled();
    expect(codex.count('startTurn')).toBe(0);
    expect(race.shown()).toEqual(['ended p1 cancelled']);
    codex.fake.manual.delete('ready');
    await race.nextPromptCompletes();
  });

  test('start request sent, no id yet: the id is waited for, then interrupted', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts();
    await codex.asked('startTurn');
    client.cancels();
    expect(codex.told).toEqual([]);
    await codex.names('turn-1');
    expect(codex.told).toEqual(['turn-1']);
    await codex.refusesInterrupt();
    await race.passes(25);
    await codex.takesInterrupt();
    codex.begins('turn-1');
    codex.ends('turn-1', 'interrupted');
    expect(race.shown()).toEqual(race.visible(['running', ...cancelled]));
    await race.nextPromptCompletes();
  });

  test('id known, not registered: interrupted with retry', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts();
    await codex.asked('startTurn');
    await codex.names('turn-1');
    client.cancels();
    for (const delay of [25, 50, 100, 200, 400]) {
      await codex.refusesInterrupt();
      await race.passes(delay);
    }
    await codex.takesInterrupt();
    codex.begins('turn-1');
    codex.ends('turn-1', 'interrupted');
    expect(codex.told).toHaveLength(6);
    expect(race.shown()).toEqual(race.visible(['running', ...cancelled]));
    await race.nextPromptCompletes();
  });

  test('S3.65 id known, retries used up: once more on the first sign of the turn', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts();
    await codex.asked('startTurn');
    await codex.names('turn-1');
    client.cancels();
    for (const delay of [25, 50, 100, 200, 400]) {
      await codex.refusesInterrupt();
      await race.passes(delay);
    }
    await codex.refusesInterrupt();
    await race.passes(1000);
    expect(codex.told).toHaveLength(6);
    codex.begins('turn-1');
    expect(codex.told).toHaveLength(7);
    await codex.takesInterrupt();
    codex.ends('turn-1', 'interrupted');
    expect(race.shown()).toEqual(race.visible(['running', ...cancelled]));
    await race.nextPromptCompletes();
  });

  test('S3.56 running: interrupted, and everything that still comes is shown before the end', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    await race.runs('turn-1');
    codex.startsItem(command('c1', { processId: null }), 'turn-1');
    client.cancels();
    codex.says('last words', 'turn-1');
    await codex.takesInterrupt();
    codex.completesItem(command('c1', { status: 'failed', exitCode: -1 }), 'turn-1');
    codex.ends('turn-1', 'interrupted');
    expect(codex.told).toEqual(['turn-1']);
    expect(race.shown()).toEqual(
      race.visible([...begun, 'toolStarted c1', 'text last words', 'toolEnded c1', ...cancelled]),
    );
    await race.nextPromptCompletes();
  });

  test('waiting on permissions: withdrawn, refused, interrupted, no running in between', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    await race.runs('turn-1');
    const refs = [codex.asksPermission('c1', 'turn-1'), codex.asksPermission('c2', 'turn-1')];
    const from = race.place;
    client.cancels();
    await codex.takesInterrupt();
    for (const id of ['c1', 'c2']) codex.completesItem(command(id, { status: 'declined' }), 'turn-1');
    codex.becomes('active');
    codex.ends('turn-1', 'interrupted');
    expect(race.shown(from).filter((word) => word !== 'threadStatus')).toEqual(
      race.visible(['withdraw 1', 'withdraw 2', 'toolEnded c1', 'toolEnded c2', ...cancelled]),
    );
    expect(codex.fake.of('answer')).toEqual(
      refs.map((ref) => ({ method: 'answer', ref, answer: { type: 'commandApproval', decision: 'cancel' } })),
    );
    await race.nextPromptCompletes();
  });

  test('S3.114 a review: its child is interrupted, its own completion ends it', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts('/review');
    await codex.asked('review');
    await codex.takesReview('P');
    codex.startsItem({ type: 'reviewEntered', id: 'e', text: 'changes' }, 'P');
    codex.begins('C', 'P');
    client.cancels();
    await codex.takesInterrupt();
    codex.ends('P', 'interrupted');
    expect(codex.told).toEqual(['C']);
    expect(race.shown()).toEqual(race.visible([...begun, ...cancelled]));
    await race.nextPromptCompletes();
  });

  test('S3.166 a compaction: its turn is interrupted, it is cancelled', async () => {
    const race = new RaceLab(version, { compaction: true });
    const { client, codex, lab } = race;
    client.prompts('/compact');
    await codex.asked('compact');
    await codex.takesCompact();
    codex.begins('turn-1');
    codex.startsItem({ type: 'compaction', id: 'c' }, 'turn-1');
    client.cancels();
    await codex.takesInterrupt();
    codex.ends('turn-1', 'interrupted');
    expect(codex.told).toEqual(['turn-1']);
    expect(race.shown()).toEqual(race.visible([...begun, 'compaction', 'compaction', ...cancelled]));
    const compactions = lab.channel.shown.flatMap((shown) =>
      shown.kind === 'update' && shown.update.type === 'compaction' ? [shown.update.status] : [],
    );
    expect(compactions).toEqual(['in_progress', 'cancelled']);
    await race.nextPromptCompletes();
  });

  test.each(['before', 'after'] as const)(
    'S3.110 a compaction whose request was sent, cancelled %s the answer: its turn is stopped when it begins',
    async (order) => {
      const race = new RaceLab(version);
      const { client, codex } = race;
      client.prompts('/compact');
      await codex.asked('compact');
      if (order === 'before') client.cancels();
      await codex.takesCompact();
      if (order === 'after') client.cancels();
      codex.begins('turn-1');
      codex.startsItem({ type: 'compaction', id: 'c' }, 'turn-1');
      await codex.takesInterrupt();
      codex.ends('turn-1', 'interrupted');
      expect(codex.told).toEqual(['turn-1']);
      expect(race.shown()).toEqual(race.visible([...begun, 'compaction', 'compaction', ...cancelled]));
      await race.nextPromptCompletes();
    },
  );

  test('S3.130 a plan review: the question is withdrawn, nothing is carried out', async () => {
    const race = new RaceLab(version, { planUpdates: true });
    const { client, codex, lab } = race;
    lab.actor.changeSettings((settings) => withCollaborationMode(settings, 'plan'));
    await race.runs('plan-turn');
    codex.completesItem({ type: 'plan', id: 'plan-1', text: '1. Fix it' }, 'plan-turn');
    codex.ends('plan-turn');
    const from = race.place;
    client.cancels();
    client.answers(1, 'implement_plan');
    await race.settled();
    expect(race.shown(from)).toEqual(race.visible(['withdraw 1', 'planReviewed', ...cancelled]));
    expect(codex.count('startTurn')).toBe(1);
    expect(codex.told).toEqual([]);
    await race.nextPromptCompletes();
  });

  test('S3.130 S2.87 an approved plan while Codex leaves plan mode: nothing is carried out, the mode is told', async () => {
    const race = new RaceLab(version, { planUpdates: true });
    const { client, codex, lab } = race;
    lab.actor.changeSettings((settings) => withCollaborationMode(settings, 'plan'));
    await race.runs('plan-turn');
    codex.completesItem({ type: 'plan', id: 'plan-1', text: '1. Fix it' }, 'plan-turn');
    codex.ends('plan-turn');
    client.answers(1, 'implement_plan');
    const from = race.place;
    client.cancels();
    await codex.leavesPlanMode();
    expect(race.shown(from)).toEqual(race.visible([...cancelled, 'optionsChanged']));
    expect(lab.actor.settings.collaborationMode).toBe('default');
    expect(codex.count('startTurn')).toBe(1);
    await race.nextPromptCompletes();
  });

  test('S3.57 a plan review beside an agent turn: both are stopped, each has its end', async () => {
    const race = new RaceLab(version, { planUpdates: true });
    const { client, codex, lab } = race;
    lab.actor.changeSettings((settings) => withCollaborationMode(settings, 'plan'));
    await race.runs('plan-turn');
    codex.completesItem({ type: 'plan', id: 'plan-1', text: '1. Fix it' }, 'plan-turn');
    codex.ends('plan-turn');
    codex.begins('goal-2');
    const from = race.place;
    client.cancels();
    await codex.takesInterrupt();
    codex.ends('goal-2', 'interrupted');
    expect(codex.told).toEqual(['goal-2']);
    expect(race.shown(from)).toEqual(
      race.visible(['withdraw 1', 'planReviewed', ...cancelled, 'running', 'idle:cancelled']),
    );
    await race.nextPromptCompletes();
  });

  test('S3.119 a goal whose turn has not begun: the turn is stopped when it begins', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.prompts('/goal Fix the build');
    await codex.asked('setGoal');
    await codex.takesGoal(goal());
    codex.reports(goal());
    client.cancels();
    await race.passes(999);
    codex.begins('goal-1');
    await codex.takesInterrupt();
    codex.ends('goal-1', 'interrupted');
    expect(codex.told).toEqual(['goal-1']);
    expect(race.shown()).toEqual(race.visible([...begun, ...cancelled]));
    await race.nextPromptCompletes();
  });

  test('after the end was processed, its report still out: too late, the outcome is the normal one', async () => {
    const race = new RaceLab(version, air('agentFileChangeReport'));
    const { client, codex } = race;
    const p1 = client.prompts('hello', 'report-1');
    await codex.asked('startTurn');
    await codex.names('turn-1');
    codex.begins('turn-1');
    codex.lands(p1, 'turn-1');
    const diff = 'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n';
    codex.tells({ type: 'diffUpdated', turnId: 'turn-1', diff });
    codex.ends('turn-1');
    client.prompts('second');
    client.cancels();
    await race.settled();
    expect(race.shown()).toEqual(
      race.visible([...begun, 'ended p2 cancelled', 'fileChangeReport', 'ended p1 done', 'idle:done']),
    );
    expect(codex.told).toEqual([]);
    await race.nextPromptCompletes();
  });

  test('S3.57 an agent turn: interrupted with retry, its own end is cancelled', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    codex.begins('agent-1');
    codex.asksPermission('c1', 'agent-1');
    const from = race.place;
    client.cancels();
    await codex.refusesInterrupt();
    await race.passes(25);
    await codex.takesInterrupt();
    codex.completesItem(command('c1', { status: 'declined' }), 'agent-1');
    codex.ends('agent-1', 'interrupted');
    expect(codex.told).toEqual(['agent-1', 'agent-1']);
    expect(race.shown(from)).toEqual(race.visible(['withdraw 1', 'toolEnded c1', 'idle:cancelled']));
    await race.nextPromptCompletes();
  });

  test('S3.58 nothing runs: nothing happens', async () => {
    const race = new RaceLab(version);
    const { client, codex } = race;
    client.cancels();
    expect(race.shown()).toEqual([]);
    expect(codex.told).toEqual([]);
    await race.nextPromptCompletes();
  });
});
