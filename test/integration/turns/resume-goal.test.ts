import { describe, expect, test } from 'vitest';
import { type AgentLab, type Json, type LabSession, withAgent, withRelay } from '../../support/integration.ts';
import { askWhileWorking, createGoal, endGoal, isGoalRequest } from '../../support/model-answers.ts';
import { hold, pause, reply, runCommand, type Scripted, text } from '../../support/model-replies.ts';
import { profiles } from '../../support/profiles.ts';
import { EndlessCommand } from './endless-command.ts';
import { messageText, openToolCalls, toolCall } from './tool-view.ts';

/*
 * A session with an active goal in a new process: Codex goes on with the goal within milliseconds of loading the thread,
 * before anybody prompted the session.
 */

const options = (version: 1 | 2, profile?: Json) => ({
  version,
  profile,
  env: { INITIAL_AGENT_MODE: 'workspace-write' },
});

/** Gives the session a goal whose first turn is cut off by the end of the process; `steps` are answered after that. */
async function goalOf(session: LabSession, ...steps: Scripted[]): Promise<void> {
  const answers: Scripted[] = [
    createGoal('Write a poem'),
    text('Goal set.'),
    text('Cut off.').pauseAt(hold(), 1),
    ...steps,
  ];
  const prompted: Scripted[] = [endGoal(), text('The next one.')];
  session.modelWith(({ userTexts }) => {
    const next = userTexts.includes('Next') ? prompted : answers;
    return next.shift() ?? text('Nothing more.');
  });
  expect((await session.prompt('Write a poem').ended).outcome).toBe('end_turn');
  await session.textShown('Cut');
  await session.lab.restart();
}

/** v2: the states after the first one, which is that of the snapshot. */
function states(session: LabSession): string[] {
  const [snapshot, ...others] = session
    .updates()
    .filter(({ sessionUpdate }) => sessionUpdate === 'state_update')
    .map(({ state, stopReason }) => (stopReason === undefined ? state : `${state} ${stopReason}`));
  // The turn begins before or after the answer; either way the client is told once that it runs.
  return snapshot === 'running' ? [snapshot, ...others] : others;
}

/** Resolves when this many turns are over: Codex tells that the thread is idle when it was loaded, and after each. */
async function turnsOver(session: LabSession, count: number): Promise<void> {
  const isIdle = (update: Json): boolean => update._meta?.codex?.threadStatus?.type === 'idle';
  const wasActive = (update: Json): boolean => update._meta?.codex?.threadStatus?.type === 'active';
  const over = (): boolean => {
    const told = session.updates().filter((update) => isIdle(update) || wasActive(update));
    return told.filter((update, index) => isIdle(update) && wasActive(told[index - 1] ?? {})).length >= count;
  };
  await session.lab.waitFor(`end of turn ${count}`, over);
  if (session.lab.version === 2) await session.settled();
}

async function expectNextPrompt(session: LabSession): Promise<void> {
  const end = await session.prompt('Next').ended;
  expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'The next one.']);
}

describe.each([1, 2] as const)('v%i', (version) => {
  const withGoal = (steps: Scripted[], body: (session: LabSession, lab: AgentLab) => Promise<void>, profile?: Json) =>
    withAgent(options(version, profile), async (lab, session) => {
      await goalOf(session, ...steps);
      await body(session, lab);
    });

  test('R20 S3.76 S3.81 S3.96 the turns of the goal are shown completely', () =>
    withGoal(
      [text('Verse one.'), reply(runCommand('echo rhyme'), text('')), endGoal(), text('The end.')],
      async (session) => {
        await session.resume();
        await session.textShown('The end.');
        await turnsOver(session, 2);
        expect(messageText(session.updates())).toBe('Verse one.The end.');
        expect(toolCall(session.updates())).toMatchObject({ kind: 'execute', status: 'completed' });
        const pair = ['running', 'idle end_turn'];
        if (version === 2) expect(states(session)).toEqual([...pair, ...pair]);
        // They ran in the mode that is shown.
        const goal = session.requests.filter(isGoalRequest).map(({ metadata }) => metadata.sandbox_mode);
        expect(new Set(goal)).toEqual(new Set(['workspace-write']));
        await expectNextPrompt(session);
      },
    ));

  test('R20 S3.76 S3.90 a turn that began and spoke before the session was open loses nothing', () =>
    withRelay(options(version), async (session, _, relay) => {
      const rest = hold();
      await goalOf(
        session,
        text('Verse one. Verse two.', { deltas: ['Verse one. ', 'Verse two.'] }).pauseAt(rest, 1),
        endGoal(),
        text('The end.'),
      );
      const codex = await relay.process(1);
      // The first one holds the goal, the second one lets it go on.
      const loaded = codex.onAnswer('codex', 'thread/goal/set').skip(1).once().delay();
      const resuming = session.resume();
      await codex.waitFor('codex', ({ method, params }) => method === 'turn/started' && params.threadId === session.id);
      await codex.waitFor('codex', ({ method }) => method === 'item/agentMessage/delta');
      loaded.release();
      const { before } = await resuming;
      rest.open();
      await session.textShown('The end.');
      await turnsOver(session, 2);
      expect(messageText(session.updates())).toBe('Verse one. Verse two.The end.');
      if (version === 2) {
        // Every state that was told fits the one before; the snapshot repeats the one that holds.
        expect(before.filter(({ state }) => state === 'running').length).toBeGreaterThan(0);
        const told = states(session).filter((state, index, all) => state !== all[index - 1]);
        expect(told).toEqual(['running', 'idle end_turn', 'running', 'idle end_turn']);
      }
    }));

  test('S3.82 S5.26 it asks for permission though nobody prompted the session', () =>
    withGoal([runCommand('touch made', { escalate: 'May I?' }), endGoal(), text('The end.')], async (session) => {
      await session.resume();
      (await session.ask()).select('allow_once');
      await session.textShown('The end.');
      await turnsOver(session, 1);
      expect(session.workspace.exists('made')).toBe(true);
      if (version === 2) {
        expect(states(session)).toEqual(['running', 'requires_action', 'running', 'idle end_turn']);
      }
    }));

  test('S3.157 it asks a question while it works, and gets the answer', () =>
    withGoal(
      [
        askWhileWorking({ title: 'Which colour?' }),
        text('Waiting. Still.').pauseAt(hold(), 1),
        endGoal(),
        text('The end.'),
      ],
      async (session, lab) => {
        await session.resume();
        const form = await lab.client.waitForForm(session.id);
        await session.textShown('Waiting.');
        form.accept({ [form.keys[0] ?? '']: 'Green' });
        await session.textShown('The end.');
        expect(session.requests.at(-1)?.userTexts.at(-1)).toContain('Green');
        expect(new Set(session.requests.slice(-3).map(({ turnId }) => turnId)).size).toBe(1);
        await turnsOver(session, 1);
        if (version === 2) expect(states(session)).toEqual(['running', 'idle end_turn']);
      },
      version === 1 ? profiles.airV1 : profiles.airV2,
    ));

  test('S3.57 S3.63 a cancel stops it, and the next prompt works', () =>
    withGoal([text('Shown and never shown.').pauseAt(hold(), 1)], async (session) => {
      await session.resume();
      await session.textShown('Shown');
      const asked = session.requests.at(-1);
      session.cancel();
      await turnsOver(session, 1);
      expect(messageText(session.updates())).toBe('Shown');
      if (version === 2) expect(states(session)).toEqual(['running', 'idle cancelled']);
      expect(await asked?.finished).toBe('gone');
      await expectNextPrompt(session);
    }));

  test('S3.57 S3.63 R4 a cancel in the moment in which it begins stops it', () =>
    withGoal([reply(pause(hold()), text('Never said.'))], async (session) => {
      const cutOff = session.requests.length;
      await session.resume();
      if (version === 2) await session.update('state_update', ({ state }) => state === 'running');
      else await session.modelRequest(cutOff + 1);
      session.cancel();
      await turnsOver(session, 1);
      expect(messageText(session.updates())).toBe('');
      if (version === 2) expect(states(session)).toEqual(['running', 'idle cancelled']);
      await expectNextPrompt(session);
    }));

  test('C001 S3.57 a cancel ends its command', () => {
    const command = new EndlessCommand();
    return withGoal([command.call, text('Never said.')], async (session) => {
      await session.resume();
      await command.running(session);
      session.cancel();
      await turnsOver(session, 1);
      await command.gone();
      await session.lab.waitFor('end of the tool call', () => openToolCalls(session.updates()).length === 0);
      expect(toolCall(session.updates()).status).toBe('failed');
    });
  });

  test('R38 C001 S3.57 opened once more while it runs: told once, and a cancel still stops it', () =>
    withGoal([text('Shown and never shown.').pauseAt(hold(), 1)], async (session) => {
      await session.resume();
      await session.textShown('Shown');
      const { before, position } = await session.resume();
      if (version === 2) expect(before.at(-1)).toEqual({ sessionUpdate: 'state_update', state: 'running' });
      session.cancel();
      await turnsOver(session, 1);
      expect(messageText(session.updates(position))).toBe('');
      await expectNextPrompt(session);
    }));

  test('S3.67 S3.73 a close stops it; opened again, the session shows nothing of it and works', () =>
    withGoal([text('Shown and never shown.').pauseAt(hold(), 1), endGoal(), text('The end.')], async (session) => {
      await session.resume();
      await session.textShown('Shown');
      expect(await session.close()).toEqual({});
      const { from } = await session.resume();
      // The goal is still active: Codex goes on with it.
      await session.textShown('The end.', from);
      await turnsOver(session, 1);
      expect(messageText(session.updates(from))).toBe('The end.');
      await expectNextPrompt(session);
    }));

  test('S3.125 S2.40 AIR is told the goal after the answer, and that it was reached', () =>
    withGoal(
      [endGoal(), text('The end.')],
      async (session) => {
        const { before, position } = await session.resume();
        await session.textShown('The end.');
        await turnsOver(session, 1);
        const goals = (updates: readonly Json[]): Json[] =>
          updates.flatMap(({ _meta }) => _meta?.jetbrains?.air?.goal ?? []).map(({ status }) => status);
        expect(new Set(goals(session.updates(position)))).toEqual(new Set(['active', 'complete']));
        for (const status of goals(before)) expect(status).toBe('active');
      },
      version === 1 ? profiles.airV1 : profiles.airV2,
    ));
});
