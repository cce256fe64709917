import { describe, expect, test } from 'vitest';
import { type Json, type LabSession, useAgent } from '../../support/integration.ts';
import { functionCall, hold, reply, runCommand, type Scripted, text } from '../../support/model-replies.ts';
import { EndlessCommand } from './endless-command.ts';
import { messageText, openToolCalls, toolCall } from './tool-view.ts';

/*
 * Turns that Codex starts by itself. The model sets a goal in a prompted turn; Codex goes on towards it in turns of its
 * own until the goal is complete or a turn is interrupted.
 */

const goalDone = functionCall('update_goal', { status: 'complete' });

describe.each([1, 2] as const)('v%i', (version) => {
  const agent = useAgent({ version, env: { INITIAL_AGENT_MODE: 'workspace-write' } });

  /**
   * Opens a session whose model sets a goal. `steps` are its answers in the turns that Codex then starts; the prompt
   * `Next` is answered in passing and completes the goal.
   */
  async function withGoal(...steps: Scripted[]): Promise<LabSession> {
    const session = await agent().open();
    const answers: Scripted[] = [
      functionCall('create_goal', { objective: 'Write a poem' }),
      text('Goal set.'),
      ...steps,
    ];
    const next: Scripted[] = [goalDone, text('The next one.')];
    session.modelWith(({ userTexts }) => {
      const prompted = userTexts.includes('Next');
      return (prompted ? next : answers).shift() ?? text('Nothing more.');
    });
    const end = await session.prompt('Write a poem').ended;
    expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'Goal set.']);
    return session;
  }

  /** v2: every state with its stop reason. */
  function states(session: LabSession): string[] {
    return session
      .updates()
      .filter(({ sessionUpdate }) => sessionUpdate === 'state_update')
      .map(({ state, stopReason }) => (stopReason === undefined ? state : `${state} ${stopReason}`));
  }

  /** Resolves when Codex has told this often that the thread is idle: after each turn, on both versions. */
  async function turnsOver(session: LabSession, count: number): Promise<void> {
    const isIdle = (update: Json): boolean => update._meta?.codex?.threadStatus?.type === 'idle';
    await agent().waitFor(`end of turn ${count}`, () => session.updates().filter(isIdle).length >= count);
    if (version === 2) await session.settled();
  }

  /** v1 does not say when such a turn is over: the end of its tool call may follow the status of the thread. */
  async function toolCallsEnded(session: LabSession): Promise<void> {
    await agent().waitFor('end of the tool calls', () => openToolCalls(session.updates()).length === 0);
  }

  test('S3.81 S3.96 turns that Codex starts show their content; v2 brackets each with running and idle', async () => {
    const session = await withGoal(
      text('Verse one.'),
      reply(runCommand('echo rhyme'), text('')),
      goalDone,
      text('The end.'),
    );
    await session.textShown('The end.');
    await turnsOver(session, 3);
    expect(messageText(session.updates())).toBe('Goal set.Verse one.The end.');
    expect(toolCall(session.updates())).toMatchObject({ kind: 'execute', status: 'completed' });
    if (version === 2) {
      const pair = ['running', 'idle end_turn'];
      expect(states(session)).toEqual([...pair, ...pair, ...pair]);
      const [, ...own] = session.updates().filter(({ state }) => state === 'idle');
      // The client did not ask for these turns: no usage and no quota of a prompt.
      for (const idle of own) expect(Object.keys(idle).sort()).toEqual(['sessionUpdate', 'state', 'stopReason']);
    }
    const end = await session.prompt('Hello again').ended;
    expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'Nothing more.']);
  });

  test('S3.57 a cancel stops a turn that Codex started, and the next prompt works', async () => {
    const session = await withGoal(text('Shown and never shown.').pauseAt(hold(), 1));
    await session.textShown('Shown');
    session.cancel();
    await turnsOver(session, 2);
    expect(messageText(session.updates())).toBe('Goal set.Shown');
    if (version === 2) expect(states(session)).toEqual(['running', 'idle end_turn', 'running', 'idle cancelled']);
    expect(await session.requests.at(-1)?.finished).toBe('gone');
    const end = await session.prompt('Next').ended;
    expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'The next one.']);
  });

  test('C001 S3.57 a cancel ends the command of a turn that Codex started', async () => {
    const command = new EndlessCommand();
    const session = await withGoal(command.call, text('Never said.'));
    await command.running(session);
    session.cancel();
    await turnsOver(session, 2);
    await command.gone();
    await toolCallsEnded(session);
    if (version === 2) expect(states(session).at(-1)).toBe('idle cancelled');
    expect((await session.prompt('Next').ended).outcome).toBe('end_turn');
  });

  test('S3.82 S5.26 a turn that Codex started asks for permission like any other', async () => {
    const session = await withGoal(runCommand('touch made', { escalate: 'May I?' }), goalDone, text('The end.'));
    (await session.ask()).select('allow_once');
    await session.textShown('The end.');
    await turnsOver(session, 2);
    expect(session.workspace.exists('made')).toBe(true);
    if (version === 2) {
      expect(states(session).slice(2)).toEqual(['running', 'requires_action', 'running', 'idle end_turn']);
    }
  });

  test('S3.57 S5.20 a cancel withdraws the permission of a turn that Codex started', async () => {
    const session = await withGoal(runCommand('touch made', { escalate: 'May I?' }), text('Never said.'));
    const ask = await session.ask();
    session.cancel();
    await ask.withdrawn();
    await turnsOver(session, 2);
    ask.select('allow_once');
    await toolCallsEnded(session);
    if (version === 2) expect(states(session).slice(2)).toEqual(['running', 'requires_action', 'idle cancelled']);
    const end = await session.prompt('Next').ended;
    expect([end.outcome, session.workspace.exists('made')]).toEqual(['end_turn', false]);
  });

  test('S3.47 S3.39a a prompt joins a turn that Codex started: one running, one idle', async () => {
    const session = await withGoal(
      text('Verse one. Verse two.', { deltas: ['Verse one. ', 'Verse two.'] }).pauseAt(hold(), 1),
    );
    await session.textShown('Verse one. ');
    const prompt = session.prompt('Next');
    // Codex gives up what the model was saying and asks it again with the prompt, in the same turn.
    const end = await prompt.ended;
    expect(end.outcome).toBe('end_turn');
    expect(messageText(session.updates())).toBe('Goal set.Verse one. The next one.');
    expect(new Set(session.requests.map(({ turnId }) => turnId)).size).toBe(2);
    if (version === 2) expect(states(session)).toEqual(['running', 'idle end_turn', 'running', 'idle end_turn']);
  });

  test('S3.67 S3.63 a close during a turn that Codex started ends its command', async () => {
    const command = new EndlessCommand();
    const session = await withGoal(command.call, text('Never said.'));
    await command.running(session);
    expect(await session.close()).toEqual({});
    await command.gone();
    if (version === 2) expect(states(session)).toEqual(['running', 'idle end_turn', 'running', 'idle cancelled']);
  });
});
