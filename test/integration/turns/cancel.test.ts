import { describe, expect, test } from 'vitest';
import { type LabPrompt, type LabSession, type PromptEnd, useAgent } from '../../support/integration.ts';
import { applyPatch, hold, pause, reply, runCommand, text } from '../../support/model-replies.ts';
import { models } from './cases.ts';
import { EndlessCommand } from './endless-command.ts';
import { messageText, openToolCalls, toolCall } from './tool-view.ts';

describe.each([1, 2] as const)('v%i', (version) => {
  const agent = useAgent({ version, env: { INITIAL_AGENT_MODE: 'workspace-write' } });

  /** The prompt was ended by a cancel: an answer, or on v2 a rejection when nothing of it was shown yet. */
  function expectCancelled(end: PromptEnd): void {
    if (end.outcome === 'rejected' && version === 2) {
      expect(end.error?.code).toBe(-32800);
      expect(end.updates.filter(({ sessionUpdate }) => sessionUpdate === 'user_message_chunk')).toEqual([]);
    } else {
      expect(end.outcome).toBe('cancelled');
      expect(end.error).toBeNull();
    }
    expect(openToolCalls(end.updates)).toEqual([]);
  }

  /** A prompt of the session works, and shows nothing of an earlier turn. */
  async function expectNextPrompt(session: LabSession, next?: LabPrompt): Promise<void> {
    if (next === undefined) session.modelWith(() => text('The next one.'));
    const end = await (next ?? session.prompt('Next')).ended;
    expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'The next one.']);
  }

  /** Answers the prompt `Next` at once and holds every other one. */
  function holdAllButNext(session: LabSession): void {
    session.modelWith((request) =>
      request.lastUserText === 'Next' ? text('The next one.') : reply(pause(hold()), text('Too late.')),
    );
  }

  test.each(['in the same write as the prompt', 'when the turn is announced', 'when the model was asked'])(
    'C002 S3.54 R4 a cancel %s ends it once, and a prompt right behind the cancel runs',
    async (moment) => {
      const session = await agent().open();
      holdAllButNext(session);
      let next: LabPrompt | undefined;
      const cancel = (): void => {
        session.cancel();
        next = session.prompt('Next');
      };
      let prompt: LabPrompt;
      if (moment === 'in the same write as the prompt') {
        prompt = agent().together(() => {
          const sent = session.prompt('Cancelled');
          cancel();
          return sent;
        });
      } else {
        prompt = session.prompt('Cancelled');
        if (moment === 'when the model was asked') await session.modelRequest(1);
        else await session.update('session_info_update', (update) => update._meta.codex.threadStatus.type === 'active');
        agent().together(cancel);
      }
      const end = await prompt.ended;
      expectCancelled(end);
      expect(messageText(end.updates)).toBe('');
      await expectNextPrompt(session, next);
      expect(messageText(session.updates())).toBe('The next one.');
      // No model request of the cancelled turn is left.
      for (const request of session.requests) {
        const wanted = request.lastUserText === 'Next' ? 'sent' : 'gone';
        expect([request.lastUserText, await request.finished]).toEqual([request.lastUserText, wanted]);
      }
    },
  );

  test('S3.55 S3.56 a cancel while the answer streams keeps what was shown and stops the model', async () => {
    const session = await agent().open();
    session.model(text('Shown and never shown.').pauseAt(hold(), 1));
    const prompt = session.prompt('Tell me');
    await session.textShown('Shown', prompt.from);
    session.cancel();
    const end = await prompt.ended;
    expectCancelled(end);
    expect(messageText(end.updates)).toBe('Shown');
    expect(await session.requests[0]?.finished).toBe('gone');
    await expectNextPrompt(session);
  });

  describe.each(models)('$name', ({ model }) => {
    test.each([
      ['a command', {}, 'workspace-write'],
      ['a command with a terminal', { tty: true }, 'workspace-write'],
      ['a command that ignores signals', { stubborn: true }, 'workspace-write'],
      ['a command outside the sandbox', {}, 'agent-full-access'],
    ])('C001 C008 S3.51 a cancel during %s ends its processes and its tool call', async (_, options, mode) => {
      const session = await agent().open({ model });
      await session.setOption('mode', mode);
      const command = new EndlessCommand(options);
      session.model(command.call, text('Never said.'));
      const prompt = session.prompt('Run it');
      await command.running(session, prompt.from);
      session.cancel();
      const end = await prompt.ended;
      expectCancelled(end);
      expect(toolCall(end.updates).status).toBe('failed');
      await command.gone();
      await expectNextPrompt(session);
      expect(session.requests).toHaveLength(2);
    });

    test('C001 a cancel ends a command that the model had left in the background of the turn', async () => {
      const session = await agent().open({ model });
      const command = new EndlessCommand({ yieldMs: 250 });
      session.model(command.call, reply(pause(hold()), text('Never said.')));
      const prompt = session.prompt('Run it');
      await command.running(session, prompt.from);
      // The model has its first output and thinks about it, the command goes on.
      await session.modelRequest(2);
      session.cancel();
      const end = await prompt.ended;
      expectCancelled(end);
      await command.gone();
      await expectNextPrompt(session);
    });

    test.each([
      ['command', runCommand('touch made', { escalate: 'May I?' })],
      ['patch', applyPatch('*** Add File: ../outside.txt\n+x')],
    ])(
      'C030 S5.21 S5.22 a cancel withdraws an open permission for a %s; a late answer does nothing',
      async (_, call) => {
        const session = await agent().open({ model });
        session.model(call, text('Never said.'));
        const prompt = session.prompt('Do it');
        const ask = await session.ask();
        session.cancel();
        await ask.withdrawn();
        const end = await prompt.ended;
        expectCancelled(end);
        expect(toolCall(end.updates).status).toBe('failed');
        if (version === 2) {
          const states = end.updates.filter(({ sessionUpdate }) => sessionUpdate === 'state_update');
          expect(states.map(({ state }) => state)).toEqual(['running', 'requires_action', 'idle']);
        }
        ask.select('allow_once');
        await expectNextPrompt(session);
        expect(session.workspace.exists('made')).toBe(false);
        expect(session.workspace.exists('../outside.txt')).toBe(false);
        // Between the end and the next prompt the late answer caused no frame.
        expect(JSON.stringify(session.frames(end.position)[0])).toMatch(/"running"|"threadStatus"/);
      },
    );
  });

  if (version === 1)
    test('S3.59 S5.20 `$/cancel_request` of the prompt withdraws its open permission', async () => {
      const session = await agent().open();
      session.model(runCommand('touch made', { escalate: 'May I?' }), text('Never said.'));
      const prompt = session.prompt('Do it');
      const ask = await session.ask();
      prompt.cancelRequest();
      await ask.withdrawn();
      expectCancelled(await prompt.ended);
      ask.select('allow_once');
      await expectNextPrompt(session);
      expect(session.workspace.exists('made')).toBe(false);
    });

  test('S3.60 a second and a third cancel change nothing', async () => {
    const session = await agent().open();
    session.model(text('Shown and never shown.').pauseAt(hold(), 1));
    const prompt = session.prompt('Tell me');
    await session.textShown('Shown', prompt.from);
    agent().together(() => {
      session.cancel();
      session.cancel();
    });
    const end = await prompt.ended;
    session.cancel();
    expectCancelled(end);
    await expectNextPrompt(session);
    if (version === 2) {
      const states = session.updates().filter(({ sessionUpdate }) => sessionUpdate === 'state_update');
      expect(states.map(({ state }) => state)).toEqual(['running', 'idle', 'running', 'idle']);
    }
  });

  test('S3.50 S5.25 a cancel of an idle or an unknown session shows nothing', async () => {
    const session = await agent().open();
    const from = agent().client.received.length;
    session.cancel();
    agent().client.notify('session/cancel', { sessionId: '00000000-0000-7000-8000-000000000000' });
    const other = await agent().open();
    expect(session.frames(from)).toEqual([]);
    await expectNextPrompt(session);
    await expectNextPrompt(other);
  });

  test('R6 a cancel that races with the end of the turn gives one answer, and the next prompt runs', async () => {
    const session = await agent().open();
    for (let round = 0; round < 5; round += 1) {
      session.modelWith(() => text('All of it.'));
      const prompt = session.prompt('Quick');
      await session.textShown('All of it.', prompt.from);
      session.cancel();
      const end = await prompt.ended;
      expect(['end_turn', 'cancelled']).toContain(end.outcome);
      expect(messageText(end.updates)).toBe('All of it.');
      await expectNextPrompt(session);
    }
  });

  test('C001 R38 a cancel after session/resume of the running session ends its turn and its command', async () => {
    const session = await agent().open();
    const command = new EndlessCommand();
    session.model(command.call, text('Never said.'));
    const prompt = session.prompt('Run it');
    await command.running(session, prompt.from);
    await session.resume();
    expect(command.processes).not.toEqual([]);
    session.cancel();
    const end = await prompt.ended;
    expectCancelled(end);
    expect(toolCall(end.updates).status).toBe('failed');
    await command.gone();
    await expectNextPrompt(session);
    expect(session.requests).toHaveLength(2);
  });

  // Replay is not built; session/load answers -32601 on v1, and v2 has no such method.
  if (version === 1) test.todo('C001 a cancel after session/load of the running session ends its turn (session/load)');
});
