import { describe, expect, test } from 'vitest';
import { type LabSession, withRelay } from '../../support/integration.ts';
import { endGoal, isGoalRequest, reviewAnswer } from '../../support/model-answers.ts';
import { hold, text } from '../../support/model-replies.ts';
import type { AppServerMessage, RelayedCodex } from '../../support/relay-codex.ts';

/*
 * Turns that no `turn/start` begins run with the settings that the client is shown all the same (S2.63): also those of a
 * session that was never prompted.
 */

/** Modes, their sandbox policy, and how the model hears of it. */
const readOnly = ['read-only', 'readOnly', 'read-only'] as const;
const agent = ['agent', 'workspaceWrite', 'workspace-write'] as const;
const fullAccess = ['agent-full-access', 'dangerFullAccess', 'danger-full-access'] as const;

const starts = ['thread/compact/start', 'thread/goal/set', 'turn/start', 'review/start'];

/** What the agent asked of Codex that begins a turn or sets its settings, in order. */
function asked(codex: RelayedCodex): string[] {
  return codex.messages
    .filter(({ from, message }) => from === 'agent' && [...starts, 'thread/settings/update'].includes(message.method))
    .map(({ message }) => message.method as string);
}

function settingsSent(codex: RelayedCodex): AppServerMessage[] {
  const updates = codex.messages.filter(({ message }) => message.method === 'thread/settings/update');
  return updates.map(({ message }) => message.params);
}

/** Ways to begin such a turn: each resolves at the end of the turn, with the model request of it. */
const works = {
  '/goal': async (session: LabSession) => {
    session.model(endGoal(), text('Dug.'));
    expect((await session.prompt('/goal Dig').ended).outcome).toBe('end_turn');
    return session.requests.find(isGoalRequest);
  },
  '_session/goal': async (session: LabSession) => {
    session.model(endGoal(), text('Dug.'));
    const params = { sessionId: session.id, action: 'set', objective: 'Dig' };
    expect(await session.lab.request('_session/goal', params)).toEqual({});
    await session.textShown('Dug.');
    if (session.lab.version === 2) await session.settled();
    return session.requests.find(isGoalRequest);
  },
  '/review': async (session: LabSession) => {
    session.workspace.write('a.txt', 'two\n');
    session.model(reviewAnswer('Well done.'));
    expect((await session.prompt('/review').ended).outcome).toBe('end_turn');
    return session.requests.at(-1);
  },
  '/compact': async (session: LabSession) => {
    expect((await session.prompt('/compact').ended).outcome).toBe('end_turn');
    return session.lab.server.requests.find(({ kind, threadId }) => kind === 'compaction' && threadId === session.id);
  },
};

describe.each([1, 2] as const)('v%i', (version) => {
  test.each([
    ['/goal', ...readOnly],
    ['/goal', ...agent],
    ['/goal', ...fullAccess],
    ['_session/goal', ...fullAccess],
    ['/review', ...readOnly],
    ['/compact', ...readOnly],
  ] as const)(
    'S2.63 %s of a fresh session runs in the mode %s, with its model and effort',
    (name, mode, policy, sandbox) =>
      withRelay({ version, files: { 'a.txt': 'one\n' } }, async (session, codex) => {
        await session.setOption('mode', mode);
        await session.setOption('model', 'gpt-5.5');
        await session.setOption('reasoning_effort', 'high');
        const request = await works[name](session);
        const [settings, start] = asked(codex);
        expect([settings, starts.includes(start ?? '')]).toEqual(['thread/settings/update', true]);
        expect(settingsSent(codex)).toMatchObject([
          { threadId: session.id, sandboxPolicy: { type: policy }, model: 'gpt-5.5', effort: 'high' },
        ]);
        expect(request?.model).toBe('gpt-5.5');
        // Reviewers have a sandbox and an effort of their own.
        if (name !== '/review') expect(request?.metadata.sandbox_mode).toBe(sandbox);
        if (name.endsWith('goal')) expect(request?.body.reasoning).toMatchObject({ effort: 'high' });
      }),
  );

  test('S2.63 the settings are sent once, again after they changed, and not when a prompt brought them', () =>
    withRelay({ version }, async (session, codex) => {
      await works['/compact'](session);
      await works['/compact'](session);
      expect(settingsSent(codex)).toMatchObject([{ sandboxPolicy: { type: 'workspaceWrite' } }]);
      await session.setOption('mode', 'read-only');
      await works['/compact'](session);
      expect(settingsSent(codex).slice(1)).toMatchObject([{ sandboxPolicy: { type: 'readOnly' } }]);
      await session.setOption('mode', 'agent-full-access');
      session.model(text('Done.'));
      await session.prompt('Hello').ended;
      await works['/compact'](session);
      expect(settingsSent(codex)).toHaveLength(2);
    }));

  test('S2.63 S3.39 S3.122 a process that replaces a lost one gets them before the goal of the client', () =>
    withRelay({ version, stderr: [/app-server/] }, async (session, codex, relay) => {
      await session.setOption('mode', 'read-only');
      session.model(text('Cut off.').pauseAt(hold(), 1));
      const prompt = session.prompt('Hello');
      await session.textShown('Cut', prompt.from);
      codex.die();
      await prompt.ended;
      const request = await works['_session/goal'](session);
      expect(request?.metadata.sandbox_mode).toBe('read-only');
      expect(asked(await relay.process(1))).toEqual(['thread/settings/update', 'thread/goal/set']);
    }));
});
