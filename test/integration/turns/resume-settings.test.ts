import { describe, expect, test } from 'vitest';
import { type Json, type LabSession, withAgent, withRelay } from '../../support/integration.ts';
import { createGoal, isGoalRequest } from '../../support/model-answers.ts';
import { hold, text } from '../../support/model-replies.ts';
import type { AppServerMessage, RelayedCodex } from '../../support/relay-codex.ts';

/** Mode, model and effort of a session that is opened in a new process. */

const modes = [
  { mode: 'read-only', sandbox: 'read-only', policy: 'readOnly', reviewer: 'user' },
  { mode: 'workspace-write', sandbox: 'workspace-write', policy: 'workspaceWrite', reviewer: 'user' },
  { mode: 'agent', sandbox: 'workspace-write', policy: 'workspaceWrite', reviewer: 'auto_review' },
] as const;

function shown(opened: Json, id: string): Json {
  return opened.configOptions.find((option: Json) => (option.id ?? option.configId) === id)?.currentValue;
}

/** Runs a prompt in this mode, so that Codex records it. */
async function promptIn(session: LabSession, mode: string): Promise<void> {
  await session.setOption('mode', mode);
  session.modelWith(() => text('Done.'));
  expect((await session.prompt('First').ended).outcome).toBe('end_turn');
}

/** Params of the last request of the agent for a method. */
function sent(codex: RelayedCodex, method: string): AppServerMessage {
  return codex.messages.findLast(({ from, message }) => from === 'agent' && message.method === method)?.message.params;
}

describe.each([1, 2] as const)('v%i', (version) => {
  test.each(modes)(
    'S12.8 C039 C028 S2.61 $mode: shown, and sent with the next turn',
    ({ mode, sandbox, policy, reviewer }) =>
      withRelay({ version }, async (session, _, relay) => {
        await promptIn(session, mode);
        await session.lab.restart();
        const { opened } = await session.resume();
        expect(shown(opened, 'mode')).toBe(mode);
        if (version === 1) expect(opened.modes.currentModeId).toBe(mode);
        expect((await session.prompt('Second').ended).outcome).toBe('end_turn');
        expect(session.requests.at(-1)?.metadata.sandbox_mode).toBe(sandbox);
        expect(sent(await relay.process(1), 'turn/start')).toMatchObject({
          approvalPolicy: 'on-request',
          approvalsReviewer: reviewer,
          sandboxPolicy: { type: policy },
        });
      }),
  );

  test('S12.8 full access is not taken from a recording: `agent` is shown, and sent with the next turn', () =>
    withAgent({ version }, async (lab, session) => {
      await promptIn(session, 'agent-full-access');
      expect(session.requests.at(-1)?.metadata.sandbox_mode).toBe('danger-full-access');
      await lab.restart();
      expect(shown((await session.resume()).opened, 'mode')).toBe('agent');
      expect((await session.prompt('Second').ended).outcome).toBe('end_turn');
      expect(session.requests.at(-1)?.metadata.sandbox_mode).toBe('workspace-write');
    }));

  test('S12.8 S2.61 a requested mode makes a recorded session narrower, never wider', () =>
    withAgent({ version }, async (lab, session) => {
      await promptIn(session, 'workspace-write');
      await lab.restart({ INITIAL_AGENT_MODE: 'agent-full-access' });
      expect(shown((await session.resume()).opened, 'mode')).toBe('workspace-write');
      await lab.restart({ INITIAL_AGENT_MODE: 'read-only' });
      expect(shown((await session.resume()).opened, 'mode')).toBe('read-only');
      expect((await session.prompt('Second').ended).outcome).toBe('end_turn');
      expect(session.requests.at(-1)?.metadata.sandbox_mode).toBe('read-only');
    }));

  test('S12.8 S2.61 S2.63 a goal that was pursued with full access is pursued in the mode that is shown from its first turn on', () =>
    withAgent({ version }, async (lab, session) => {
      session.model(createGoal('Dig'), text('Goal set.'), text('Cut off.').pauseAt(hold(), 1));
      await session.setOption('mode', 'agent-full-access');
      await session.prompt('Dig').ended;
      await session.textShown('Cut');
      await lab.restart();
      const before = session.requests.length;
      session.model(text('Dug one.'), text('Dug two.'), text('Dug three.').pauseAt(hold(), 1));
      expect(shown((await session.resume()).opened, 'mode')).toBe('agent');
      await session.textShown('Dug two.Dug');
      const requests = session.requests.slice(before).filter(isGoalRequest);
      expect(requests.map(({ metadata }) => metadata.sandbox_mode)).toEqual(Array(3).fill('workspace-write'));
    }));

  test('S2.22 C039 model and effort are kept: shown, asked for, and no provider is sent that is recorded', () =>
    withRelay({ version }, async (session, _, relay) => {
      await session.setOption('model', 'gpt-5.5');
      await session.setOption('reasoning_effort', 'high');
      await promptIn(session, 'agent');
      await session.lab.restart();
      const { opened } = await session.resume();
      expect([shown(opened, 'model'), shown(opened, 'reasoning_effort')]).toEqual(['gpt-5.5', 'high']);
      expect((await session.prompt('Second').ended).outcome).toBe('end_turn');
      expect(session.requests.at(-1)).toMatchObject({ model: 'gpt-5.5', body: { reasoning: { effort: 'high' } } });
      const codex = await relay.process(1);
      const resumed = sent(codex, 'thread/resume');
      expect(resumed).toMatchObject({ threadId: session.id, excludeTurns: true, cwd: session.workspace.path });
      for (const key of ['modelProvider', 'model', 'history', 'path']) expect(resumed).not.toHaveProperty(key);
      expect(codex.messages.filter(({ message }) => message.method === 'warning')).toEqual([]);
    }));

  test('C039 S2.88 plan mode is kept', () =>
    withAgent({ version }, async (lab, session) => {
      await session.setOption('collaboration_mode', 'plan');
      await promptIn(session, 'agent');
      await lab.restart();
      expect(shown((await session.resume()).opened, 'collaboration_mode')).toBe('plan');
    }));
});
