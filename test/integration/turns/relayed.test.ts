import { describe, expect, test } from 'vitest';
import { withRelay } from '../../support/integration.ts';
import { cutStream, failure, hold, runCommand, text } from '../../support/model-replies.ts';
import { profiles } from '../../support/profiles.ts';
import type { AppServerMessage } from '../../support/relay-codex.ts';
import { expectNextPrompt, expectOneWork, goalReached, goalSet, of, states } from './relayed-scenes.ts';
import { messageText, openToolCalls, toolCall } from './tool-view.ts';

/** A notification whose second copy would be another event: text is appended. */
function isDelta({ method }: AppServerMessage): boolean {
  return /delta/i.test(method);
}

/** Notifications about a thread. */
const notification = ({ method, id }: AppServerMessage): boolean => method !== undefined && id === undefined;

/** The real Codex with single lines lost, late or doubled on the way. */
describe.each([1, 2] as const)('v%i', (version) => {
  test('S12.5 C003 a turn whose end is lost ends as Codex recorded it, and the next prompt runs', () =>
    withRelay({ version }, async (session, codex) => {
      const lost = codex.on('codex', 'turn/completed').once().drop();
      session.model(text('All of it.'));
      const end = await session.prompt('Go').ended;
      expect(lost.taken).toHaveLength(1);
      expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'All of it.']);
      expectOneWork(session, 'end_turn');
      await expectNextPrompt(session);
    }));

  test('S12.5 C003 C007 a failed turn whose end is lost fails with the reason that Codex recorded', () =>
    withRelay({ version }, async (session, codex) => {
      codex.on('codex', 'turn/completed').once().drop();
      codex.on('codex', 'error').once().drop();
      session.model(failure(400, { error: { message: 'Bad thing' } }));
      const end = await session.prompt('Go').ended;
      expect(messageText(end.updates).trim()).toBe('Bad thing');
      expect(end.outcome).toBe(version === 1 ? 'end_turn' : 'error');
      if (version === 2) expect(end.error).toMatchObject({ code: -32603, message: 'Bad thing' });
      expectOneWork(session, 'error');
      await expectNextPrompt(session);
    }));

  test('S12.5 C003 C001 a cancelled turn whose end is lost ends as cancelled', () =>
    withRelay({ version }, async (session, codex) => {
      codex.on('codex', 'turn/completed').once().drop();
      session.model(text('Shown and never shown.').pauseAt(hold(), 1));
      const prompt = session.prompt('Go');
      await session.textShown('Shown', prompt.from);
      session.cancel();
      expect((await prompt.ended).outcome).toBe('cancelled');
      expectOneWork(session, 'cancelled');
      await expectNextPrompt(session);
    }));

  test('S12.5 S3.96 the end of a turn of Codex is lost: its next turn, or the rest, ends it', () =>
    withRelay({ version }, async (session, codex) => {
      codex.on('codex', 'turn/completed').where(of(session)).skip(1).times(2).drop();
      session.model(...goalSet(text('Verse one.'), text('Verse two.').pauseAt(hold(), 1)));
      expect((await session.prompt('Write a poem').ended).outcome).toBe('end_turn');
      await session.textShown('Verse one.Verse');
      // The second one is told to stop; nobody hears of its end either.
      session.cancel();
      if (version === 2) await session.settled();
      await expectNextPrompt(session, goalReached);
      expect(messageText(session.updates())).toBe('Goal set.Verse one.VerseThe next one.');
      if (version === 1) return;
      const [prompted, first, second] = ['end_turn', 'end_turn', 'cancelled'].map((end) => `idle ${end}`);
      expect(states(session).slice(0, 6)).toEqual(['running', prompted, 'running', first, 'running', second]);
    }));

  test('S3.40 S3.42 S3.65 the beginning of the turn is lost: it runs, can be cancelled, and ends', () =>
    withRelay({ version }, async (session, codex) => {
      const lost = codex.on('codex', 'turn/started').where(of(session)).times(2).drop();
      session.model(text('All of it.'), text('Shown and never shown.').pauseAt(hold(), 1));
      const first = await session.prompt('Go').ended;
      expect([first.outcome, messageText(first.updates)]).toEqual(['end_turn', 'All of it.']);
      const second = session.prompt('Go on');
      await session.textShown('Shown', second.from);
      session.cancel();
      expect((await second.ended).outcome).toBe('cancelled');
      expect(lost.taken).toHaveLength(2);
      if (version === 2) expect(states(session)).toEqual(['running', 'idle end_turn', 'running', 'idle cancelled']);
      await expectNextPrompt(session);
    }));

  test('S3.173 R3 S3.77 the end of the turn comes before the answer to its start', () =>
    withRelay({ version }, async (session, codex) => {
      const answer = codex.onAnswer('codex', 'turn/start').once().delay();
      session.model(text('All of it.'));
      const prompt = session.prompt('Go');
      await codex.waitFor('codex', ({ method }) => method === 'turn/completed');
      answer.release();
      const end = await prompt.ended;
      expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'All of it.']);
      expectOneWork(session, 'end_turn');
      await expectNextPrompt(session);
    }));

  test('S3.173 R3 R32 error and end of a failed turn come before the answer to its start: told once', () =>
    withRelay({ version }, async (session, codex) => {
      const answer = codex.onAnswer('codex', 'turn/start').once().delay();
      session.model(failure(400, { error: { message: 'Bad thing' } }));
      const prompt = session.prompt('Go');
      await codex.waitFor('codex', ({ method }) => method === 'turn/completed');
      answer.release();
      const end = await prompt.ended;
      expect(messageText(end.updates).trim()).toBe('Bad thing');
      expect(end.outcome).toBe(version === 1 ? 'end_turn' : 'error');
      expectOneWork(session, 'error');
      await expectNextPrompt(session);
    }));

  test('S3.173 C014 a retry that comes before the answer is told when the turn is known', () =>
    withRelay({ version, home: { streamRetries: 1 } }, async (session, codex) => {
      const answer = codex.onAnswer('codex', 'turn/start').once().delay();
      session.model(cutStream(text('Before. ')), text('After.'));
      const prompt = session.prompt('Go');
      await codex.waitFor('codex', ({ method }) => method === 'error');
      answer.release();
      const end = await prompt.ended;
      expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'Before. After.']);
      const errors = end.updates.map((update) => update._meta?.codex?.error).filter((error) => error != null);
      expect(errors[0]).toMatchObject({ willRetry: true });
      expectOneWork(session, 'end_turn');
    }));

  test('R32 the error comes after the end of the turn: one failure, one end', () =>
    withRelay({ version }, async (session, codex) => {
      const error = codex.on('codex', 'error').once().delay();
      const over = codex.on('codex', 'turn/completed').once().watch();
      session.model(failure(400, { error: { message: 'Bad thing' } }));
      const prompt = session.prompt('Go');
      await over.met;
      error.release();
      const end = await prompt.ended;
      expect(end.outcome).toBe(version === 1 ? 'end_turn' : 'error');
      await expectNextPrompt(session);
      expect(messageText(session.updates()).match(/Bad thing/g)).toHaveLength(1);
      if (version === 2) expect(states(session).slice(0, 2)).toEqual(['running', 'idle error']);
    }));

  test('S3.210 C010 C008 everything but text comes twice: one answer, each text and each tool call once', () =>
    withRelay({ version }, async (session, codex) => {
      codex.on('codex', (message) => notification(message) && !isDelta(message)).duplicate();
      session.model(runCommand('echo hello'), text('All of it.'));
      const first = await session.prompt('Go').ended;
      expect([first.outcome, messageText(first.updates)]).toEqual(['end_turn', 'All of it.']);
      const { statuses } = toolCall(first.updates);
      expect(statuses.filter((status) => status === 'completed')).toHaveLength(1);
      expectOneWork(session, 'end_turn');
      await expectNextPrompt(session);
    }));

  test('S3.210 C002 a cancelled turn whose lines come twice ends once', () =>
    withRelay({ version }, async (session, codex) => {
      codex.on('codex', (message) => notification(message) && !isDelta(message)).duplicate();
      session.model(runCommand('sleep 600'), text('Never said.'));
      const prompt = session.prompt('Go');
      await session.update(version === 1 ? 'tool_call' : 'tool_call_update', () => true, prompt.from);
      session.cancel();
      const end = await prompt.ended;
      expect([end.outcome, openToolCalls(end.updates)]).toEqual(['cancelled', []]);
      expectOneWork(session, 'cancelled');
      await expectNextPrompt(session);
    }));

  test('S3.80 C008 C010 the ends of items come after the end of their turn: each is shown once', () =>
    withRelay({ version }, async (session, codex) => {
      const late = codex.on('codex', ({ method, params }) => {
        return method === 'item/completed' && params.item.type !== 'userMessage';
      });
      const ends = late.delay();
      session.model(runCommand('echo hello'), text('All of it.'));
      const end = await session.prompt('Go').ended;
      expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'All of it.']);
      // As far as anybody knows the command goes on in the background.
      expect(toolCall(end.updates).statuses).toEqual(['in_progress']);
      ends.release();
      await expectNextPrompt(session);
      expect(messageText(session.updates())).toBe('All of it.The next one.');
      expect(toolCall(session.updates()).statuses).toEqual(['in_progress', 'completed']);
    }));

  test('S3.80 C008 items begin and end after the end of their turn: nothing stays open', () =>
    withRelay({ version }, async (session, codex) => {
      const isTool = ({ params }: AppServerMessage): boolean => params?.item?.type === 'commandExecution';
      const begin = codex.on('codex', 'item/started').where(isTool).delay();
      const finish = codex.on('codex', 'item/completed').where(isTool).delay();
      session.model(runCommand('echo hello'), text('All of it.'));
      const end = await session.prompt('Go').ended;
      expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'All of it.']);
      begin.release();
      finish.release();
      await expectNextPrompt(session);
      expect(toolCall(session.updates()).statuses).toEqual(['completed']);
      expect(toolCall(session.updates()).kind).toBe('execute');
    }));

  test('S3.77 S3.81 a beginning that comes after the end of its turn begins nothing', () =>
    withRelay({ version }, async (session, codex) => {
      const begin = codex.on('codex', 'turn/started').once().delay();
      session.model(text('All of it.'));
      const end = await session.prompt('Go').ended;
      expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'All of it.']);
      begin.release();
      expectOneWork(session, 'end_turn');
      await expectNextPrompt(session);
    }));

  test('S3.15 notifications and items that nobody knows change nothing', () =>
    withRelay({ version }, async (session, codex) => {
      codex
        .on('codex', (message) => notification(message) && message['params']?.turnId !== undefined)
        .rewrite((message) => {
          const { threadId, turnId } = message['params'];
          const item = { type: 'brandNew', id: 'x', deep: { er: [1, null] } };
          return [
            { method: 'thread/brandNew', params: { threadId, turnId } },
            { method: 'item/brandNew/delta', params: { threadId, turnId, itemId: 'x', delta: 'new' } },
            { method: 'item/started', params: { threadId, turnId, item } },
            message,
            { method: 'item/completed', params: { threadId, turnId, item } },
            { method: 'brandNew', params: null },
          ];
        });
      session.model(runCommand('echo hello'), text('All of it.'));
      const end = await session.prompt('Go').ended;
      expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'All of it.']);
      expect(toolCall(end.updates).status).toBe('completed');
      expect(JSON.stringify(session.updates())).not.toContain('brandNew');
      expectOneWork(session, 'end_turn');
      await expectNextPrompt(session);
    }));
});

describe.each([
  { name: 'AIR v1', version: 1, profile: profiles.airV1 },
  { name: 'AIR v2', version: 2, profile: profiles.airV2 },
] as const)('$name', ({ version, profile }) => {
  test('R33 S3.178 a final error that is told again after the end: the same record, a later revision, no new end', () =>
    withRelay({ version, profile }, async (session, codex) => {
      const error = codex.on('codex', 'error').once().watch();
      session.model(failure(400, { error: { message: 'Bad thing' } }));
      const end = await session.prompt('Go').ended;
      const record = end.meta.jetbrains.air.sessionFailure;
      expect(record).toMatchObject({ revision: 1, severity: 'error', title: 'Bad thing' });
      codex.inject('agent', await error.met);
      const isRecord = ({ _meta }: { _meta?: { jetbrains?: { air?: { sessionFailure?: unknown } } } }): boolean =>
        _meta?.jetbrains?.air?.sessionFailure !== undefined && _meta.jetbrains.air.sessionFailure !== null;
      const again = await session.update('session_info_update', isRecord, end.position);
      expect(again._meta.jetbrains.air.sessionFailure).toMatchObject({ id: record.id, revision: 2 });
      expectOneWork(session, 'error');
      await expectNextPrompt(session);
    }));
});
