import { describe, expect, test } from 'vitest';
import { withRelay } from '../../support/integration.ts';
import { hold, pause, reply, text } from '../../support/model-replies.ts';
import {
  asked,
  expectNextPrompt,
  expectOneWork,
  goalReached,
  goalSet,
  handled,
  refuse,
  states,
  unregistered,
} from './relayed-scenes.ts';
import { messageText } from './tool-view.ts';

/** How a turn is stopped when Codex refuses, forgets or ignores to be told. */
describe.each([1, 2] as const)('v%i', (version) => {
  /** On v2 a prompt of which nothing was shown is rejected. */
  const unseen = version === 1 ? 'cancelled' : 'rejected';

  test('S3.61 R4 C002 an interrupt is sent again until Codex knows the turn', () =>
    withRelay({ version }, async (session, codex) => {
      const refused = refuse(codex, 'turn/interrupt', unregistered, 3);
      session.model(text('Shown and never shown.').pauseAt(hold(), 1));
      const prompt = session.prompt('Go');
      await session.textShown('Shown', prompt.from);
      session.cancel();
      expect((await prompt.ended).outcome).toBe('cancelled');
      expect(refused.taken).toHaveLength(3);
      const interrupts = asked(codex, 'turn/interrupt');
      expect(interrupts.length).toBeGreaterThanOrEqual(4);
      expect(new Set(interrupts.map(({ params }) => params.turnId)).size).toBe(1);
      expectOneWork(session, 'cancelled');
      await expectNextPrompt(session);
    }));

  test('S3.60 S3.61 R4 a cancel right behind the answer to the start', () =>
    withRelay({ version }, async (session, codex) => {
      const answer = codex.onAnswer('codex', 'turn/start').once().watch();
      session.model(reply(pause(hold()), text('Never said.')));
      const prompt = session.prompt('Go');
      await answer.met;
      session.cancel();
      session.cancel();
      expect(['cancelled', unseen]).toContain((await prompt.ended).outcome);
      await expectNextPrompt(session);
      expect(messageText(session.updates())).toBe('The next one.');
    }));

  test('S3.61 a refusal that names another turn than ours is tried again with that one', () =>
    withRelay({ version }, async (session, codex) => {
      refuse(codex, 'turn/interrupt', ({ params }) => `expected active turn id ${params.turnId} but found other`, 1);
      // The beginning was lost, so Codex' word is all that tells which turn runs.
      codex.on('codex', 'turn/started').once().drop();
      const wrong = refuse(codex, 'turn/interrupt', 'expected active turn id other but found other', 1);
      session.model(text('Shown and never shown.').pauseAt(hold(), 1));
      const prompt = session.prompt('Go');
      await session.textShown('Shown', prompt.from);
      session.cancel();
      await wrong.met;
      expect(asked(codex, 'turn/interrupt').map(({ params }) => params.turnId)[1]).toBe('other');
      // The real Codex then says which turn runs.
      expect((await prompt.ended).outcome).toBe('cancelled');
      await expectNextPrompt(session);
    }));

  test('S3.62 R8 a retry never hits the prompt behind the cancel', () =>
    withRelay({ version }, async (session, codex) => {
      const refused = refuse(codex, 'turn/interrupt', unregistered);
      const gate = hold();
      const next = hold();
      session.modelWith(({ lastUserText }) =>
        lastUserText === 'Behind' ? text('Behind it.').pauseAt(next, 1) : text('Shown and more.').pauseAt(gate, 1),
      );
      const prompt = session.prompt('Go');
      await session.textShown('Shown', prompt.from);
      session.cancel();
      const behind = session.prompt('Behind');
      await refused.met;
      gate.open();
      const end = await prompt.ended;
      // Codex ended the turn by itself; the cancel was first (S3.55).
      expect(end.outcome).toBe('cancelled');
      await session.textShown('Behind', behind.from);
      refused.end();
      next.open();
      expect((await behind.ended).outcome).toBe('end_turn');
      const turns = asked(codex, 'turn/interrupt').map(({ params }) => params.turnId);
      expect(new Set(turns).size).toBe(1);
      if (version === 2) expect(states(session)).toEqual(['running', 'idle cancelled', 'running', 'idle end_turn']);
    }));

  test('S3.63 S3.57 an interrupt of a turn of Codex is sent again, too', () =>
    withRelay({ version }, async (session, codex) => {
      const refused = refuse(codex, 'turn/interrupt', unregistered, 2);
      session.model(...goalSet(text('Shown and never shown.').pauseAt(hold(), 1)));
      const prompt = session.prompt('Write a poem');
      expect((await prompt.ended).outcome).toBe('end_turn');
      await session.textShown('Shown', prompt.from);
      session.cancel();
      await codex.waitFor('codex', ({ method, params }) => {
        return method === 'turn/completed' && params.turn.status === 'interrupted';
      });
      expect(refused.taken).toHaveLength(2);
      if (version === 2) await session.settled();
      if (version === 2) expect(states(session)).toEqual(['running', 'idle end_turn', 'running', 'idle cancelled']);
      await expectNextPrompt(session, goalReached);
    }));

  test('S3.65 all retries are refused: the next sign of the turn is one more', () =>
    withRelay({ version }, async (session, codex) => {
      const gate = hold();
      const refused = refuse(codex, 'turn/interrupt', unregistered, 6);
      session.model(text('Shown and more and never shown.').pauseAt(gate, 1).pauseAt(hold(), 3));
      const prompt = session.prompt('Go');
      await session.textShown('Shown', prompt.from);
      session.cancel();
      await codex.waitFor('agent', () => refused.taken.length === 6);
      gate.open();
      expect((await prompt.ended).outcome).toBe('cancelled');
      expectOneWork(session, 'cancelled');
      await expectNextPrompt(session);
    }));

  test('R6 S3.55 the cancel is seen before the end of the turn: cancelled, though the turn completed', () =>
    withRelay({ version }, async (session, codex) => {
      const end = codex.on('codex', 'turn/completed').once().delay();
      session.model(text('All of it.'));
      const prompt = session.prompt('Go');
      await end.met;
      await session.textShown('All of it.', prompt.from);
      session.cancel();
      await codex.waitFor('agent', ({ method }) => method === 'turn/interrupt');
      end.release();
      const ended = await prompt.ended;
      expect([ended.outcome, messageText(ended.updates)]).toEqual(['cancelled', 'All of it.']);
      expectOneWork(session, 'cancelled');
      await expectNextPrompt(session);
    }));

  test('R6 the end of the turn is seen before the cancel: a normal end', () =>
    withRelay({ version }, async (session) => {
      session.model(text('All of it.'));
      const prompt = session.prompt('Go');
      expect((await prompt.ended).outcome).toBe('end_turn');
      session.cancel();
      await handled(session);
      expectOneWork(session, 'end_turn');
      await expectNextPrompt(session);
    }));

  test('R5 C002 a cancel, then Codex refuses the start: cancelled, no error', () =>
    withRelay({ version }, async (session, codex) => {
      const start = codex.on('agent', 'turn/start').once().delay();
      const prompt = session.prompt('Go');
      const { id } = await start.met;
      session.cancel();
      await handled(session);
      start.discard();
      codex.inject('agent', { id, error: { code: -32600, message: 'Boom' } });
      const end = await prompt.ended;
      expect(end.outcome).toBe(unseen);
      if (version === 2) expect(end.error?.code).toBe(-32800);
      expect(JSON.stringify(session.updates())).not.toContain('Boom');
      expect(states(session)).toEqual([]);
      await expectNextPrompt(session);
    }));

  test('S12.5 C002 a cancel before the answer to the start, which comes only after the end of the turn', () =>
    withRelay({ version }, async (session, codex) => {
      const answer = codex.onAnswer('codex', 'turn/start').once().delay();
      session.model(text('All of it.'));
      const prompt = session.prompt('Go');
      await codex.waitFor('codex', ({ method }) => method === 'turn/completed');
      // What Codex answers now comes after that end: the agent has it, too.
      await session.lab.open();
      session.cancel();
      await handled(session);
      answer.release();
      expect((await prompt.ended).outcome).toBe('cancelled');
      expectOneWork(session, 'cancelled');
      await expectNextPrompt(session);
    }));

  test('S12.6 C002 an interrupt that is lost is repeated when Codex says that the turn runs', () =>
    withRelay({ version }, async (session, codex) => {
      const lost = codex.on('agent', 'turn/interrupt').once().drop();
      session.model(text('Shown and never shown.').pauseAt(hold(), 1));
      const prompt = session.prompt('Go');
      await session.textShown('Shown', prompt.from);
      session.cancel();
      expect((await prompt.ended).outcome).toBe('cancelled');
      expect(lost.taken).toHaveLength(1);
      expect(asked(codex, 'turn/interrupt')).toHaveLength(2);
      expectOneWork(session, 'cancelled');
      await expectNextPrompt(session);
    }));

  test('S12.6 C002 C013 a Codex that answers nothing more is replaced; the other session goes on in the new process', () =>
    withRelay({ version, stderr: [/it is replaced/, /app-server is gone/] }, async (session, codex, relay) => {
      const other = await session.lab.open();
      await expectNextPrompt(other);
      session.model(text('Shown and never shown.').pauseAt(hold(), 1));
      const prompt = session.prompt('Go');
      await session.textShown('Shown', prompt.from);
      codex.on('agent', () => true).drop();
      session.cancel();
      expect((await prompt.ended).outcome).toBe('cancelled');
      expectOneWork(session, 'cancelled');
      await expectNextPrompt(session);
      await expectNextPrompt(other);
      expect(relay.processes).toHaveLength(2);
      await codex.gone;
    }));
});
