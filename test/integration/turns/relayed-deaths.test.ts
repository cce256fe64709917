import { describe, expect, test } from 'vitest';
import { eventually, withRelay } from '../../support/integration.ts';
import { hold, text } from '../../support/model-replies.ts';
import { asked, expectNextPrompt, expectOneWork, of, states, titled } from './relayed-scenes.ts';
import { messageText } from './tool-view.ts';

/** Codex dies at the moments that decide about the answer. */
describe.each([1, 2] as const)('v%i', (version) => {
  const options = { version, stderr: [/app-server/] };

  /** A session whose thread is recorded: an unused one is lost with its process. */
  const used = (body: Parameters<typeof withRelay>[1]): Promise<void> =>
    withRelay(options, async (session, codex, relay) => {
      await expectNextPrompt(session);
      await titled(session);
      await body(session, codex, relay);
    });

  test.each([
    ['asked for the turn', false],
    ['has started the turn and not said so', true],
  ])('R24 S3.64 C062 Codex dies when it %s: the prompt fails and is not sent again', async (_, taken) =>
    used(async (session, codex, relay) => {
      const { length: from } = session.lab.client.received;
      if (taken) codex.onAnswer('codex', 'turn/start').once().die();
      else codex.on('agent', 'turn/start').once().die();
      session.model(text('Lost.'));
      const end = await session.prompt('Lost').ended;
      expect([end.outcome, end.error?.code]).toEqual(['rejected', 1001]);
      if (version === 2) {
        await session.settled();
        // Whether anything of the prompt was visible depends on what Codex had said of it.
        expect([['idle error'], ['running', 'idle error']]).toContainEqual(states(session, from));
      }
      await expectNextPrompt(session);
      const starts = asked(await relay.process(1), 'turn/start').filter(of(session));
      expect(starts.map(({ params }) => params.input[0].text)).toEqual(['Next']);
    }),
  );

  test('R25 S3.78 Codex dies when its turn is complete: a normal end', () =>
    used(async (session, codex, relay) => {
      const { length: from } = session.lab.client.received;
      codex.on('codex', 'turn/completed').once().die('SIGKILL', { passOn: true });
      session.modelWith(() => text('All of it.'));
      const end = await session.prompt('Go').ended;
      expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'All of it.']);
      expectOneWork(session, 'end_turn', from);
      // A prompt that comes before the agent knows would fail (R24).
      await eventually('the agent knows', () => session.lab.agent.stderr().includes('app-server is gone'));
      await expectNextPrompt(session);
      expect(relay.processes).toHaveLength(2);
    }));

  test('R26 S3.64 Codex dies while a cancel is under way: the prompt ends cancelled', () =>
    used(async (session, codex) => {
      codex.on('agent', 'turn/interrupt').die();
      session.modelWith(() => text('Shown and never shown.').pauseAt(hold(), 1));
      const prompt = session.prompt('Go');
      await session.textShown('Shown', prompt.from);
      session.cancel();
      expect((await prompt.ended).outcome).toBe('cancelled');
      expectOneWork(session, 'cancelled', prompt.from);
      await expectNextPrompt(session);
    }));

  test('R28 R24 what the dead process had still said comes before the next prompt, which waits for the new one', () =>
    used(async (session, codex, relay) => {
      const gate = hold();
      session.modelWith(({ lastUserText }) =>
        lastUserText === 'Behind' ? text('Behind it.') : text('Shown and never shown.').pauseAt(gate, 1),
      );
      const prompt = session.prompt('Go');
      await session.textShown('Shown', prompt.from);
      const delta = await codex.waitFor('codex', ({ method, params }) => {
        return method === 'item/agentMessage/delta' && params.delta === 'Shown';
      });
      const behind = session.prompt('Behind');
      const late = Array.from({ length: 300 }, (_, index) => `[${index}]`);
      for (const part of late) {
        codex.inject('agent', { ...delta, params: { ...delta['params'], delta: part } });
      }
      codex.die();
      const end = await prompt.ended;
      expect(end.error?.code).toBe(1001);
      expect((await behind.ended).outcome).toBe('end_turn');
      const shown = messageText(end.updates);
      expect(shown.startsWith(`Shown${late.join('')}`)).toBe(true);
      expect(messageText(session.updates(end.position))).toBe('Behind it.');
      if (version === 2) {
        expect(states(session, prompt.from)).toEqual(['running', 'idle error', 'running', 'idle end_turn']);
      }
      expect(relay.processes).toHaveLength(2);
    }));

  test('R8 S3.62 S3.64 Codex dies while an interrupt waits for its retry: the next process hears of none', () =>
    used(async (session, codex, relay) => {
      codex
        .on('agent', 'turn/interrupt')
        .once()
        .rewrite(({ id }) => {
          codex.inject('agent', { id, error: { code: -32600, message: 'no active turn to interrupt' } });
          codex.die();
          return [];
        });
      session.modelWith(() => text('Shown and never shown.').pauseAt(hold(), 1));
      const prompt = session.prompt('Go');
      await session.textShown('Shown', prompt.from);
      session.cancel();
      expect((await prompt.ended).outcome).toBe('cancelled');
      await expectNextPrompt(session);
      expect(asked(await relay.process(1), 'turn/interrupt')).toEqual([]);
    }));
});
