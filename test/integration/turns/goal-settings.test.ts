import { describe, expect, test } from 'vitest';
import {
  type AgentOptions,
  eventually,
  type Json,
  type LabSession,
  withAgent,
  withRelay,
} from '../../support/integration.ts';
import { isGoalRequest } from '../../support/model-answers.ts';
import { hold, text } from '../../support/model-replies.ts';
import { profiles } from '../../support/profiles.ts';

/*
 * Codex begins the turns of a goal by itself. They run with what the client is shown, from the next turn on when it
 * changes, and from the first turn on when the thread is loaded (S2.63, S12.8).
 */

function shown(opened: Json, id: string): Json {
  return opened.configOptions.find((option: Json) => (option.id ?? option.configId) === id)?.currentValue;
}

/** The session pursues a goal in this mode; its first turn waits until the test opens it. */
async function pursue(session: LabSession, mode: string): Promise<() => void> {
  const first = hold();
  session.model(text('Dug one.').pauseAt(first, 1));
  await session.setOption('mode', mode);
  await session.lab.request('_session/goal', { sessionId: session.id, action: 'set', objective: 'Dig' });
  await session.textShown('Dug');
  return first.open;
}

function sandboxes(session: LabSession): Json[] {
  return session.requests.filter(isGoalRequest).map(({ metadata }) => metadata.sandbox_mode);
}

/** How the request of the relayed agent for a method is refused. */
const unknown = (message: Json): Json => ({ ...message, method: 'unknown/method' });

describe.each([1, 2] as const)('v%i', (version) => {
  const air: AgentOptions = { version, profile: version === 1 ? profiles.airV1 : profiles.airV2 };

  test('S12.8 S2.63 S2.96 full access that is taken back during a goal turn is gone from the next one on', () =>
    withAgent({ version }, async (_, session) => {
      const open = await pursue(session, 'agent-full-access');
      session.model(text('Dug two.'), text('Dug three.').pauseAt(hold(), 1));
      await session.setOption('mode', 'read-only');
      open();
      await session.textShown('Dug two.Dug');
      expect(sandboxes(session)).toEqual(['danger-full-access', 'read-only', 'read-only']);
    }));

  test('S12.8 S2.96 the last of several changes holds, model and effort are among them', () =>
    withAgent({ version }, async (_, session) => {
      const open = await pursue(session, 'agent');
      session.model(text('Dug two.').pauseAt(hold(), 1));
      const changes: readonly [string, string][] = [
        ['mode', 'agent-full-access'],
        ['model', 'gpt-5.5'],
        ['reasoning_effort', 'high'],
        ['mode', 'read-only'],
      ];
      await Promise.all(changes.map(([id, value]) => session.setOption(id, value)));
      open();
      await session.textShown('Dug one.Dug');
      expect(sandboxes(session)).toEqual(['workspace-write', 'read-only']);
      expect(session.requests.at(-1)).toMatchObject({ model: 'gpt-5.5', body: { reasoning: { effort: 'high' } } });
    }));

  test('S12.7 S12.8 a prompt during a goal turn brings its own settings; the goal goes on with those that are shown', () =>
    withAgent({ version }, async (_, session) => {
      const open = await pursue(session, 'agent');
      session.model(text('Yes.'), text('Dug two.').pauseAt(hold(), 1));
      session.prompt('And this');
      const narrowed = session.setOption('mode', 'read-only');
      open();
      await narrowed;
      await session.textShown('Yes.Dug');
      const prompted = session.requests.find(({ userTexts }) => userTexts.at(-1) === 'And this');
      expect(prompted?.metadata.sandbox_mode).toBe('workspace-write');
      expect(sandboxes(session)).toEqual(['workspace-write', 'read-only']);
    }));

  test('S2.87 S12.8 what Codex refuses is an error, and not shown', () =>
    withRelay({ version }, async (session, codex) => {
      const open = await pursue(session, 'agent');
      session.model(text('Dug two.').pauseAt(hold(), 1));
      codex.on('agent', 'thread/settings/update').once().rewrite(unknown);
      await expect(session.setOption('mode', 'read-only')).rejects.toThrow();
      const changed = session.updates().filter(({ sessionUpdate }) => sessionUpdate === 'config_option_update');
      expect(changed.slice(-2).map((update) => shown(update, 'mode'))).toEqual(['read-only', 'agent']);
      open();
      await session.textShown('Dug one.Dug');
      expect(sandboxes(session)).toEqual(['workspace-write', 'workspace-write']);
    }));

  test('S12.8 S8.27 a goal goes on in a new Codex with the mode that is shown, not with that of its last turn', () =>
    withRelay({ version, stderr: [/app-server/] }, async (session, codex) => {
      await pursue(session, 'agent-full-access');
      const before = session.requests.length;
      session.model(text('Dug two.'), text('Dug three.').pauseAt(hold(), 1));
      await session.setOption('mode', 'read-only');
      codex.die();
      await eventually('the agent heard of it', () => session.lab.agent.stderr().includes('app-server'));
      // A command of ours loads the thread: Codex goes on with the goal, nothing else asks it to.
      expect((await session.prompt('/status').ended).outcome).toBe('end_turn');
      await session.textShown('Dug two.Dug');
      const after = session.requests.slice(before).map(({ metadata }) => metadata.sandbox_mode);
      expect(after).toEqual(['read-only', 'read-only']);
    }));

  test('S12.8 settings that cannot be told when the session is opened: the goal rests, and the client knows', () =>
    withRelay(air, async (session, _, relay) => {
      await pursue(session, 'agent-full-access');
      await session.lab.restart();
      const codex = await relay.process(1);
      codex.on('agent', 'thread/settings/update').once().rewrite(unknown);
      const before = session.requests.length;
      const { opened } = await session.resume();
      expect(shown(opened, 'mode')).toBe('agent');
      const told = (update: Json): boolean => JSON.stringify(update).includes('was paused while it was opened');
      await session.lab.waitFor('notice', () => session.updates().some(told));
      const goals = session.updates().flatMap(({ _meta }) => _meta?.jetbrains?.air?.goal ?? []);
      expect(new Set(goals.map(({ status }: Json) => status))).toEqual(new Set(['paused']));
      // It goes on when the user wants it to, in the mode that is shown.
      session.model(text('Dug two.').pauseAt(hold(), 1));
      await session.lab.request('_session/goal', { sessionId: session.id, action: 'resume' });
      await session.textShown('Dug');
      expect(session.requests.slice(before).map(({ metadata }) => metadata.sandbox_mode)).toEqual(['workspace-write']);
    }));

  test('S12.8 S3.125 AIR does not see that the goal is held while the session is opened', () =>
    withAgent(air, async (lab, session) => {
      await pursue(session, 'agent-full-access');
      await lab.restart();
      session.model(text('Dug two.').pauseAt(hold(), 1));
      await session.resume();
      await session.textShown('Dug');
      const goals = session.updates().flatMap(({ _meta }) => _meta?.jetbrains?.air?.goal ?? []);
      expect(new Set(goals.map(({ status }: Json) => status))).toEqual(new Set(['active']));
      expect(sandboxes(session).at(-1)).toBe('workspace-write');
    }));
});
