import { describe, expect, test } from 'vitest';
import { withRelay } from '../../support/integration.ts';
import { hold, text } from '../../support/model-replies.ts';
import { messageText } from './tool-view.ts';

/** The real Codex with single lines lost, late or doubled on the way. */
describe.each([1, 2] as const)('v%i', (version) => {
  test('S12.5 C003 a turn whose end is lost ends as Codex recorded it, and the next prompt runs', () =>
    withRelay({ version }, async (session, codex) => {
      const lost = codex.on('codex', 'turn/completed').once().drop();
      session.model(text('All of it.'), text('The next one.'));
      const end = await session.prompt('Go').ended;
      expect(lost.taken).toHaveLength(1);
      expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'All of it.']);
      expect((await session.prompt('Next').ended).outcome).toBe('end_turn');
    }));

  test('R3 S3.77 the end of the turn comes before the answer to its start', () =>
    withRelay({ version }, async (session, codex) => {
      const answer = codex.onAnswer('codex', 'turn/start').once().delay();
      session.model(text('All of it.'), text('The next one.'));
      const prompt = session.prompt('Go');
      await codex.waitFor('codex', ({ method }) => method === 'turn/completed');
      answer.release();
      const end = await prompt.ended;
      expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'All of it.']);
      expect((await session.prompt('Next').ended).outcome).toBe('end_turn');
    }));

  test('S3.210 an end that comes twice is one answer', () =>
    withRelay({ version }, async (session, codex) => {
      codex.on('codex', 'turn/completed').duplicate();
      session.modelWith(() => text('All of it.'));
      const first = await session.prompt('Go').ended;
      const second = await session.prompt('Next').ended;
      expect([first.outcome, second.outcome]).toEqual(['end_turn', 'end_turn']);
      if (version === 2) {
        const states = session.updates().filter(({ sessionUpdate }) => sessionUpdate === 'state_update');
        expect(states.map(({ state }) => state)).toEqual(['running', 'idle', 'running', 'idle']);
      }
    }));

  test('S3.15 notifications that nobody knows change nothing', () =>
    withRelay({ version }, async (session, codex) => {
      const params = { threadId: session.id, turnId: 'none', item: { type: 'brandNew', id: 'x' } };
      const after = [
        { method: 'thread/brandNew', params },
        { method: 'item/started', params },
      ];
      codex.on('codex', 'turn/started').inject({ after });
      session.model(text('All of it.'));
      const end = await session.prompt('Go').ended;
      expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'All of it.']);
    }));

  test('R26 Codex dies while a cancel is under way: the prompt ends cancelled', () =>
    withRelay({ version, stderr: [/app-server/] }, async (session, codex) => {
      codex.on('agent', 'turn/interrupt').die();
      session.model(text('Shown and never shown.').pauseAt(hold(), 1));
      const prompt = session.prompt('Go');
      await session.textShown('Shown', prompt.from);
      session.cancel();
      expect((await prompt.ended).outcome).toBe('cancelled');
      session.modelWith(() => text('The next one.'));
      expect((await session.prompt('Next').ended).outcome).toBe('end_turn');
    }));
});
