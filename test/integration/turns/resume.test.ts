import { describe, expect, test } from 'vitest';
import { type Json, type LabSession, useAgent, withAgent, withRelay } from '../../support/integration.ts';
import { applyPatch, hold, runCommand, text } from '../../support/model-replies.ts';
import type { RelayedCodex } from '../../support/relay-codex.ts';
import type { RuleStart } from '../../support/relay-rules.ts';
import { messageText, toolCall } from './tool-view.ts';

const unknownId = '00000000-0000-7000-8000-000000000000';

describe.each([1, 2] as const)('v%i', (version) => {
  const agent = useAgent({ version, env: { INITIAL_AGENT_MODE: 'workspace-write' } });

  /** v2: every state since a position with its stop reason. */
  function states(session: LabSession, from = 0): string[] {
    return session
      .updates(from)
      .filter(({ sessionUpdate }) => sessionUpdate === 'state_update')
      .map(({ state, stopReason }) => (stopReason === undefined ? state : `${state} ${stopReason}`));
  }

  /** What a v2 client is told before the answer: title, metadata if there are any, then the state (S2.45). */
  function expectSnapshot(before: readonly Json[], state: string): void {
    const [title, ...rest] = before.slice(before.findIndex((update) => 'title' in update && update._meta === null));
    expect(title).toMatchObject({ sessionUpdate: 'session_info_update', _meta: null });
    expect(rest.at(-1)).toEqual({ sessionUpdate: 'state_update', state });
    expect(rest.slice(0, -1).map((update) => Object.keys(update))).toEqual(
      rest.length === 1 ? [] : [['sessionUpdate', '_meta']],
    );
  }

  /** The next prompt runs and shows nothing of an earlier turn. */
  async function expectNextPrompt(session: LabSession): Promise<void> {
    session.modelWith(() => text('The next one.'));
    const end = await session.prompt('Next').ended;
    expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'The next one.']);
  }

  describe('of a session that is open here', () => {
    test('R38 S2.30 S3.101 while the answer streams: nothing is repeated, and the prompt is answered', async () => {
      const session = await agent().open();
      const gate = hold();
      session.model(text('Before. After.', { deltas: ['Before. ', 'After.'] }).pauseAt(gate, 1));
      const prompt = session.prompt('Go');
      await session.textShown('Before. ', prompt.from);
      const { before, position } = await session.resume();
      if (version === 2) expectSnapshot(before, 'running');
      gate.open();
      const end = await prompt.ended;
      expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'Before. After.']);
      expect(messageText(session.updates(position))).toBe('After.');
      if (version === 2) expect(states(session)).toEqual(['running', 'running', 'idle end_turn']);
      await expectNextPrompt(session);
    });

    test.each([
      ['command', runCommand('touch made', { escalate: 'May I?' })],
      ['patch', applyPatch('*** Add File: made\n+x')],
    ])('R38 S3.101 C013 the permission for a %s stays open, and its answer counts', async (kind, call) => {
      const session = await agent().open();
      if (kind === 'patch') await session.setOption('mode', 'read-only');
      session.model(call, text('Made.'));
      const prompt = session.prompt('Make it');
      const ask = await session.ask();
      const { before } = await session.resume();
      if (version === 2) expectSnapshot(before, 'requires_action');
      expect(session.frames(prompt.from).filter(({ method }) => method === 'session/request_permission')).toHaveLength(
        1,
      );
      ask.select('allow_once');
      const end = await prompt.ended;
      expect([end.outcome, session.workspace.exists('made')]).toEqual(['end_turn', true]);
      expect(toolCall(end.updates).status).toBe('completed');
      const told = ['running', 'requires_action', 'requires_action', 'running', 'idle end_turn'];
      if (version === 2) expect(states(session)).toEqual(told);
    });

    test('R38 S3.54 queued prompts keep their places', async () => {
      const session = await agent().open();
      const gate = hold();
      session.model(text('One. ', { deltas: ['One', '. '] }).pauseAt(gate, 1), text('Two. '), text('Three.'));
      const prompts = agent().together(() => ['1', '2', '3'].map((content) => session.prompt(content)));
      await session.textShown('One');
      await session.resume();
      gate.open();
      for (const prompt of prompts) expect((await prompt.ended).outcome).toBe('end_turn');
      expect(messageText(session.updates())).toBe('One. Two. Three.');
    });

    test('S2.30 C039 mode and model stay what they were; the answer shows them', async () => {
      const session = await agent().open();
      await session.setOption('mode', 'read-only');
      await session.setOption('model', 'gpt-5.5');
      const { opened } = await session.resume();
      expect([current(opened, 'mode'), current(opened, 'model')]).toEqual(['read-only', 'gpt-5.5']);
      await expectNextPrompt(session);
      expect(session.requests[0]).toMatchObject({ model: 'gpt-5.5', metadata: { sandbox_mode: 'read-only' } });
    });

    test('C041 S3.101 a session that was never prompted', async () => {
      const session = await agent().open();
      const { before, opened } = await session.resume();
      expect(opened.configOptions.length).toBeGreaterThan(0);
      if (version === 2) {
        expectSnapshot(before, 'idle');
        expect(opened.availableCommands.length).toBeGreaterThan(5);
      }
      await expectNextPrompt(session);
    });

    test('S2.32 set-ups at once are all answered, and the session works', async () => {
      const session = await agent().open();
      const all = await Promise.all([session.resume(), session.resume(), session.resume()]);
      for (const { opened } of all) expect(current(opened, 'mode')).toBe('workspace-write');
      await expectNextPrompt(session);
    });
  });

  describe('after a close', () => {
    test('S3.73 S3.66 nothing of the turn that was cut off appears, and the session can be closed again', async () => {
      const session = await agent().open();
      session.model(text('Shown and never shown.').pauseAt(hold(), 1));
      const prompt = session.prompt('Tell me');
      await session.textShown('Shown', prompt.from);
      expect(await session.close()).toEqual({});
      const { before, from } = await session.resume();
      if (version === 2) expectSnapshot(before, 'idle');
      await expectNextPrompt(session);
      expect(messageText(session.updates(from))).toBe('The next one.');
      if (version === 2) expect(states(session, from)).toEqual(['idle', 'running', 'idle end_turn']);
      expect(await session.requests[0]?.finished).toBe('gone');
      expect([await session.close(), await session.close()]).toEqual([{}, {}]);
    });

    test('S3.73 S5.22 the permission that was open before is gone; a late answer does nothing', async () => {
      const session = await agent().open();
      session.model(runCommand('touch made', { escalate: 'May I?' }), text('Never said.'));
      session.prompt('Make it');
      const ask = await session.ask();
      expect(await session.close()).toEqual({});
      const { from } = await session.resume();
      ask.select('allow_once');
      await expectNextPrompt(session);
      expect(session.workspace.exists('made')).toBe(false);
      expect(session.updates(from).filter(({ toolCallId }) => toolCallId !== undefined)).toEqual([]);
    });

    test('S3.21 R12 in the write of the close: it is refused or opens the session anew, never half of it', async () => {
      const session = await agent().open();
      await expectNextPrompt(session);
      const [closed, resumed] = agent().together(
        () => [session.close(), session.resume().catch((error: unknown) => error)] as const,
      );
      expect(await closed).toEqual({});
      const outcome = await resumed;
      if (outcome instanceof Error) {
        expect(outcome).toMatchObject({ code: -32600, message: expect.stringMatching(/is closing/) });
        expect((await session.prompt('Too late').ended).error?.code).toBe(-32002);
        await session.resume();
      }
      await expectNextPrompt(session);
    });
  });

  test('R12 S2.26 while Codex lets go of the session it is refused; after that it works', () =>
    withRelay({ version }, async (session, codex) => {
      await expectNextPrompt(session);
      const released = letGo(session, codex).once().delay();
      const closed = session.close();
      await released.met;
      await expect(session.resume()).rejects.toMatchObject({
        code: -32600,
        message: `Invalid request: Session ${session.id} is closing`,
      });
      released.release();
      expect(await closed).toEqual({});
      await session.resume();
      await expectNextPrompt(session);
    }));

  test('R12 S2.26 a close while Codex loads the session wins, and its subscription is released', () =>
    withRelay({ version }, async (session, codex) => {
      await expectNextPrompt(session);
      await session.close();
      const loaded = codex.onAnswer('codex', 'thread/resume').once().delay();
      const unsubscribed = letGo(session, codex).watch();
      const resumed = session.resume();
      resumed.catch(() => undefined);
      await loaded.met;
      const { received } = session.lab.client;
      const from = received.length;
      expect(await session.close()).toEqual({});
      loaded.release();
      await expect(resumed).rejects.toMatchObject({ code: -32600, message: expect.stringMatching(/is closing/) });
      await unsubscribed.met;
      expect(session.frames(from)).toEqual([]);
      await session.resume();
      await expectNextPrompt(session);
    }));

  describe('in a new process', () => {
    test('C041 S2.20 S3.21 a recorded session works once it is opened, and can be opened again', () =>
      withAgent({ version }, async (lab, session) => {
        await expectNextPrompt(session);
        await lab.restart();
        expect((await session.prompt('Not open').ended).error?.code).toBe(-32002);
        const { before } = await session.resume();
        if (version === 2) expectSnapshot(before, 'idle');
        expect(messageText(before)).toBe('');
        await expectNextPrompt(session);
        await session.resume();
        await expectNextPrompt(session);
        // The model got what was said before.
        expect(session.requests.at(-1)?.userTexts.filter((content) => content === 'Next')).toHaveLength(3);
      }));

    test('S12.17 S2.45 S2.179 commands, usage and title of the recording come before the answer, and no text of it', () =>
      withAgent({ version }, async (lab, session) => {
        session.model(text('Hello.'));
        await session.prompt('Sing to me').ended;
        await lab.restart();
        const { before, opened } = await session.resume();
        const told = before.map(({ sessionUpdate }) => sessionUpdate);
        expect(told).toContain('usage_update');
        expect(told.filter((kind) => kind.endsWith('_chunk'))).toEqual([]);
        if (version === 1) {
          expect(told.filter((kind) => kind === 'available_commands_update')).toHaveLength(1);
        } else {
          expect(told).not.toContain('available_commands_update');
          expect(opened.availableCommands.length).toBeGreaterThan(5);
          expect(before.filter((update) => 'title' in update).map(({ title }) => title)).toEqual(['Sing to me']);
        }
        await expectNextPrompt(session);
      }));

    test.each([
      ['an id that nobody knows', unknownId],
      ['an id that is none', 'not-an-id'],
    ])('C041 S2.35 S2.29 %s is not found, and closing it succeeds', async (_, sessionId) => {
      const from = agent().client.received.length;
      const params = { sessionId, cwd: agent().workspace().path, mcpServers: [] };
      await expect(agent().request('session/resume', params)).rejects.toMatchObject({
        code: -32002,
        message: `Session not found: ${sessionId}`,
        data: { sessionId, details: expect.any(String) },
      });
      expect(await agent().request('session/close', { sessionId })).toEqual({});
      expect(
        agent()
          .client.received.slice(from)
          .filter(({ params: told }) => told?.sessionId === sessionId),
      ).toEqual([]);
    });

    test('C041 a session that was never prompted was never recorded: it is not found', () =>
      withAgent({ version }, async (lab, session) => {
        await lab.restart();
        await expect(session.resume()).rejects.toMatchObject({ code: -32002 });
      }));
  });
});

/** Rule for the request by which Codex lets go of the session's thread. */
function letGo(session: LabSession, codex: RelayedCodex): RuleStart {
  return codex.on('agent', 'thread/unsubscribe').where(({ params }) => params.threadId === session.id);
}

/** The current value of an option in an answer. */
function current(opened: Json, id: string): Json {
  return opened.configOptions.find((option: Json) => (option.id ?? option.configId) === id)?.currentValue;
}
