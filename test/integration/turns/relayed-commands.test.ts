import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withRelay } from '../../support/integration.ts';
import { endGoal, isGoalRequest } from '../../support/model-answers.ts';
import { failure, hold, pause, reply, text } from '../../support/model-replies.ts';
import { asked, expectNextPrompt, expectOneWork, handled, of, refuse, states, titled } from './relayed-scenes.ts';
import { messageText, openToolCalls } from './tool-view.ts';

/** Commands that run turns, with lines of Codex lost or late. */
describe.each([1, 2] as const)('v%i', (version) => {
  const options = { version, files: { 'a.txt': 'one\n' } };

  describe('/compact', () => {
    test.each([
      ['the end of its turn', ['turn/completed']],
      ['the beginning of its turn', ['turn/started']],
      ['beginning and end', ['turn/started', 'turn/completed']],
      ['everything but the status of the thread', ['turn/started', 'item/started', 'item/completed', 'turn/completed']],
    ])('S12.5 S3.110 C003 %s is lost: the prompt ends, the next one runs', (_, methods) =>
      withRelay(options, async (session, codex) => {
        await expectNextPrompt(session);
        await titled(session);
        const from = session.lab.client.received.length;
        const lost = codex.on('codex', ({ method }) => methods.includes(method)).drop();
        const end = await session.prompt('/compact').ended;
        expect(end.outcome).toBe('end_turn');
        // The status of the thread may have ended the prompt before Codex has said the last of it.
        await codex.waitFor('codex', () => methods.every((each) => lost.taken.some(({ method }) => method === each)));
        lost.end();
        expect(new Set(lost.taken.map(({ method }) => method))).toEqual(new Set(methods));
        expectOneWork(session, 'end_turn', from);
        expect(openToolCalls(session.updates())).toEqual([]);
        await expectNextPrompt(session);
      }),
    );

    test('S12.5 S3.54 C001 it is cancelled, and its end is lost: cancelled', () =>
      withRelay(options, async (session, codex) => {
        await expectNextPrompt(session);
        await titled(session);
        session.lab.server.aside('compaction', reply(pause(hold()), text('Never.')));
        const lost = codex.on('codex', 'turn/completed').once().drop();
        const begun = codex.waitFor('codex', ({ method, params }) => {
          return method === 'item/started' && params.item.type === 'contextCompaction';
        });
        const prompt = session.prompt('/compact');
        await begun;
        session.cancel();
        const end = await prompt.ended;
        expect([end.outcome, lost.taken.length]).toEqual(['cancelled', 1]);
        expect(openToolCalls(end.updates)).toEqual([]);
        await expectNextPrompt(session);
      }));

    test('S12.5 C003 C007 it fails, and its end is lost: told once', () =>
      withRelay(options, async (session, codex) => {
        await expectNextPrompt(session);
        await titled(session);
        session.lab.server.aside('compaction', failure(400, { error: { message: 'Too much' } }));
        codex.on('codex', 'turn/completed').once().drop();
        const end = await session.prompt('/compact').ended;
        expect(messageText(end.updates).trim()).toBe('Too much');
        expect(end.outcome).toBe(version === 1 ? 'end_turn' : 'error');
        expect(openToolCalls(end.updates)).toEqual([]);
        await expectNextPrompt(session);
      }));

    test('R36 S3.110 its item is complete and its turn is not: the next prompt waits', () =>
      withRelay(options, async (session, codex) => {
        await expectNextPrompt(session);
        await titled(session);
        const end = codex
          .on('codex', ({ method, params }) => method === 'thread/status/changed' && params.status.type === 'idle')
          .once()
          .delay({ withAllBehind: true });
        const compact = session.prompt('/compact');
        await end.met;
        session.modelWith(() => text('The one behind.'));
        const behind = session.prompt('Behind');
        await handled(session);
        const turns = asked(codex, 'turn/start').filter(of(session));
        expect(turns).toHaveLength(1);
        end.release();
        expect((await compact.ended).outcome).toBe('end_turn');
        const ended = await behind.ended;
        expect(ended.outcome).toBe('end_turn');
        expect(messageText(session.updates(compact.from))).toBe('The one behind.');
      }));
  });

  describe('/review', () => {
    test.each([
      ['the end of its turn', 'turn/completed'],
      ['the beginning of its reviewer', 'turn/started'],
    ])('S12.5 S3.114 S3.116 C003 %s is lost: the report comes once, the prompt ends', (_, method) =>
      withRelay(options, async (session, codex) => {
        const lost = codex.on('codex', method).once().drop();
        session.model(text('Looks fine.'));
        const end = await session.prompt('/review the tone').ended;
        expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'Looks fine.']);
        expect(lost.taken).toHaveLength(1);
        expectOneWork(session, 'end_turn');
        await expectNextPrompt(session);
      }),
    );

    test('S3.61 S3.114 R14 C006 the beginning of its reviewer is lost, and it is cancelled: Codex names the turn', () =>
      withRelay(options, async (session, codex) => {
        codex.on('codex', 'turn/started').once().drop();
        session.model(reply(pause(hold()), text('Never said.')));
        const prompt = session.prompt('/review the tone');
        await session.modelRequest(1);
        session.cancel();
        const end = await prompt.ended;
        expect([end.outcome, messageText(end.updates)]).toEqual(['cancelled', '']);
        expect(await session.requests[0]?.finished).toBe('gone');
        expectOneWork(session, 'cancelled');
        await expectNextPrompt(session);
        expect(session.requests).toHaveLength(2);
      }));

    test('S12.5 S3.54 C006 it is cancelled, and its end is lost: cancelled, without the texts of Codex', () =>
      withRelay(options, async (session, codex) => {
        codex.on('codex', 'turn/completed').once().drop();
        session.model(reply(pause(hold()), text('Never said.')));
        const prompt = session.prompt('/review the tone');
        await session.modelRequest(1);
        session.cancel();
        const end = await prompt.ended;
        expect([end.outcome, messageText(end.updates)]).toEqual(['cancelled', '']);
        await expectNextPrompt(session);
        expect(messageText(session.updates())).toBe('The next one.');
      }));

    test.each([
      ['after', false],
      ['before', true],
    ])(
      'S3.115 R15 C007 it cannot begin, told %s the answer to its start: failed once, the next prompt is fine',
      async (_, held) => {
        // Below the repository Codex would find git; so the folder is a system one.
        const cwd = mkdtempSync(join(tmpdir(), 'relayed-'));
        try {
          await withRelay({ version, params: { cwd } }, async (session, codex) => {
            const answer = held ? codex.onAnswer('codex', 'review/start').once().delay() : null;
            const error = codex.on('codex', 'error').once().watch();
            const prompt = session.prompt('/review-branch main');
            await error.met;
            answer?.release();
            const end = await prompt.ended;
            expect(messageText(end.updates).trim()).toBe(`"${cwd}" is not a git repository`);
            expect(end.outcome).toBe(version === 1 ? 'end_turn' : 'error');
            expectOneWork(session, 'error');
            await expectNextPrompt(session);
          });
        } finally {
          rmSync(cwd, { recursive: true, force: true });
        }
      },
    );

    test('S3.115 what Codex before 0.171 said of the next turn, that it failed like the review, is no failure', async () => {
      const cwd = mkdtempSync(join(tmpdir(), 'relayed-'));
      try {
        await withRelay({ version, params: { cwd } }, async (session, codex) => {
          const told = codex.on('codex', 'error').once().watch();
          await session.prompt('/review-branch main').ended;
          const { params } = await told.met;
          const failed = codex
            .on('codex', 'turn/completed')
            .once()
            .rewrite((message) => {
              const turn = { ...message['params'].turn, status: 'failed', error: params.error };
              return { ...message, params: { ...message['params'], turn } };
            });
          await expectNextPrompt(session);
          expect(failed.taken).toHaveLength(1);
        });
      } finally {
        rmSync(cwd, { recursive: true, force: true });
      }
    });
  });

  describe('/goal', () => {
    test('S3.119 the report of the goal is lost: its turn is shown, and the prompt ends', () =>
      withRelay(options, async (session, codex) => {
        const lost = codex.on('codex', 'thread/goal/updated').drop();
        const replies = [endGoal(), text('Done.')];
        session.modelWith((request) => (isGoalRequest(request) ? replies.shift() : undefined));
        const end = await session.prompt('/goal Ship it').ended;
        lost.end();
        expect(end.outcome).toBe('end_turn');
        expect(messageText(end.updates)).toBe('Done.');
        expect(lost.taken.length).toBeGreaterThan(0);
        expectOneWork(session, 'end_turn');
        await expectNextPrompt(session);
      }));

    test('S3.119 R23 the report comes and no turn begins: the prompt ends without one', () =>
      withRelay(options, async (session, codex) => {
        codex
          .on('agent', 'thread/goal/set')
          .once()
          .rewrite((request) => {
            const goal = {
              threadId: session.id,
              objective: 'Ship it',
              status: 'active',
              tokenBudget: null,
              tokensUsed: 0,
              timeUsedSeconds: 0,
              createdAt: 1,
              updatedAt: 1,
            };
            codex.inject('agent', {
              method: 'thread/goal/updated',
              params: { threadId: session.id, turnId: null, goal },
            });
            codex.inject('agent', { id: request['id'], result: { goal } });
            return [];
          });
        const end = await session.prompt('/goal Ship it').ended;
        expect(end.outcome).toBe('end_turn');
        expect(messageText(end.updates)).toBe('');
        expectOneWork(session, 'end_turn');
        await expectNextPrompt(session);
      }));

    test('S12.5 S3.120 the end of its turn is lost: the prompt ends', () =>
      withRelay(options, async (session, codex) => {
        const lost = codex.on('codex', 'turn/completed').once().drop();
        const replies = [endGoal(), text('Done.')];
        session.modelWith((request) => (isGoalRequest(request) ? replies.shift() : undefined));
        const end = await session.prompt('/goal Ship it').ended;
        expect([end.outcome, messageText(end.updates), lost.taken.length]).toEqual(['end_turn', 'Done.', 1]);
        expectOneWork(session, 'end_turn');
        await expectNextPrompt(session);
      }));

    test('S3.43 S1.210 Codex refuses the goal: an error before anything was shown', () =>
      withRelay(options, async (session, codex) => {
        refuse(codex, 'thread/goal/set', 'goals are off', 1);
        const end = await session.prompt('/goal Ship it').ended;
        expect([end.outcome, end.error?.data]).toEqual(['rejected', { details: 'goals are off' }]);
        expect(states(session)).toEqual([]);
        await expectNextPrompt(session);
      }));
  });
});
