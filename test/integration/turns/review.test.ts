import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Json, type LabSession, type PromptEnd, useAgent, withRelay } from '../../support/integration.ts';
import { renderedReview, reviewAnswer } from '../../support/model-answers.ts';
import { failure, hold, pause, reply, runCommand, text } from '../../support/model-replies.ts';
import { profiles } from '../../support/profiles.ts';
import { asked, ofSession, told, useRelayedAgent } from './relayed-agent.ts';
import { messageText, toolCall } from './tool-view.ts';
import {
  endGoals,
  expectCancelled,
  expectNextPrompt,
  handled,
  heldGoalTurn,
  setGoal,
  states,
  userTexts,
} from './work-view.ts';

/** Failures come at once. */
const home = { requestRetries: 0, streamRetries: 0 };

/** A folder that git knows nothing about. */
const noRepository = mkdtempSync(join(tmpdir(), 'review-'));
afterAll(() => rmSync(noRepository, { recursive: true, force: true }));

const noGit = `"${noRepository}" is not a git repository`;

/** What Codex says by itself of a review without outcome. */
const canned = /Reviewer failed|Review was interrupted/;

/** The review ended as a failed turn whose reason was told once. */
function expectFailed(version: 1 | 2, end: PromptEnd, reason: RegExp): void {
  expect(end.outcome).toBe(version === 1 ? 'end_turn' : 'error');
  if (version === 2) expect(end.error).toEqual({ code: -32603, message: expect.stringMatching(reason) });
  const said = end.updates.filter(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk');
  expect(said.map(({ content }) => content.text.trim())).toEqual([expect.stringMatching(reason)]);
}

describe.each([1, 2] as const)('v%i', (version) => {
  const agent = useAgent({ version, home });

  test('S3.113 S3.114 S3.116 a review shows its report once, and ends with its turn', async () => {
    const session = await agent().open({ files: { 'a.txt': 'one\n' } });
    session.workspace.write('a.txt', 'two\n');
    const finding = {
      title: '[P1] Wrong',
      body: 'Why.',
      file: session.workspace.file('a.txt'),
      lines: [1, 1],
    } as const;
    session.model(runCommand('git diff'), reviewAnswer('Needs work.', [finding]));
    const end = await session.prompt('/review').ended;
    expect(end.outcome).toBe('end_turn');
    expect(messageText(end.updates)).toBe(renderedReview('Needs work.', finding));
    expect(toolCall(end.updates)).toMatchObject({ kind: 'execute', status: 'completed' });
    // Codex tells no tokens of a reviewer.
    expect([end.usage, end.meta]).toEqual([null, { quota: { token_count: null, model_usage: [] } }]);
    if (version === 2) {
      expect(states(end.updates)).toEqual(['running', 'idle end_turn']);
      expect(userTexts(end.updates)).toEqual(['/review']);
    }
    expect(session.requests.map(({ threadId }) => threadId === session.id)).toEqual([false, false]);
    await expectNextPrompt(session);
  });

  test('S3.113 S3.34 what follows the command is asked of the reviewer', async () => {
    const session = await agent().open();
    session.model(text('Looks fine.'));
    const end = await session.prompt([
      { type: 'text', text: '/review Look at the names' },
      { type: 'resource', resource: { uri: 'file:///a.txt', text: 'content of a' } },
    ]).ended;
    expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'Looks fine.']);
    expect(session.requests[0]?.lastUserText).toMatch(/^Look at the names\s(.*\s)*content of a/);
  });

  test.each(['in the same write', 'when the model was asked', 'when the command runs'])(
    'C006 S3.54 S3.55 S3.56 S3.232 a cancel stops the reviewer: %s',
    async (moment) => {
      const session = await agent().open();
      const command = runCommand('touch started; sleep 600', { yieldMs: 30_000 });
      session.model(moment === 'when the command runs' ? command : reply(pause(hold()), text('Never said.')));
      const prompt = agent().together(() => {
        const sent = session.prompt('/review');
        if (moment === 'in the same write') session.cancel();
        return sent;
      });
      if (moment !== 'in the same write') {
        await session.modelRequest(1);
        if (moment === 'when the command runs') {
          const start = version === 1 ? 'tool_call' : 'tool_call_update';
          await session.update(start, ({ status }) => status === 'in_progress', prompt.from);
        }
        session.cancel();
      }
      const end = await prompt.ended;
      expectCancelled(version, end);
      expect(messageText(end.updates)).toBe('');
      if (moment === 'when the command runs') expect(toolCall(end.updates).status).toBe('failed');
      const requests = session.requests.length;
      await expectNextPrompt(session);
      // Nothing of the review follows its end, and nothing more was asked for it.
      expect(session.requests).toHaveLength(requests + 1);
      expect(messageText(session.updates())).toBe('The next one.');
      if (moment === 'when the model was asked') expect(await session.requests[0]?.finished).toBe('gone');
    },
  );

  test('S3.56 S3.171 a reviewer whose model fails: the failure is told once, and the next prompt works', async () => {
    const session = await agent().open();
    session.model(failure(400));
    const end = await session.prompt('/review').ended;
    expectFailed(version, end, /Scripted failure 400/);
    expect(JSON.stringify(session.updates())).not.toMatch(canned);
    if (version === 2) expect(states(end.updates)).toEqual(['running', 'idle error']);
    await expectNextPrompt(session);
    expect((await session.prompt('/review').ended).outcome).toBe('end_turn');
  });

  test('S3.115 S3.232 S3.233 a review that cannot begin ends as a failed turn, and the next prompt works', async () => {
    const session = await agent().open({ params: { cwd: noRepository } });
    const end = await session.prompt('/review-branch main').ended;
    expectFailed(version, end, new RegExp(noGit));
    if (version === 2) {
      expect(states(end.updates)).toEqual(['running', 'idle error']);
      expect(userTexts(end.updates)).toEqual(['/review-branch main']);
    }
    expect(session.requests).toEqual([]);
    await expectNextPrompt(session);
    // A second one is told like the first.
    expectFailed(version, await session.prompt('/review-branch main').ended, new RegExp(noGit));
    await expectNextPrompt(session);
  });

  test('S3.117 S3.36 prompts wait for the end of a review', async () => {
    const session = await agent().open();
    const gate = hold();
    session.model(reply(pause(gate), text('Looks fine.')), text('The second.'));
    const [review, second] = agent().together(() => [session.prompt('/review'), session.prompt('Second')] as const);
    await session.modelRequest(1);
    await handled(session);
    expect(session.requests).toHaveLength(1);
    gate.open();
    const ends = [await review.ended, await second.ended];
    expect(ends.map(({ outcome }) => outcome)).toEqual(['end_turn', 'end_turn']);
    expect(messageText(session.updates())).toBe('Looks fine.The second.');
  });

  test('S3.117 S3.39 a review waits for the end of a turn that Codex started', async () => {
    const session = await agent().open();
    const gate = await heldGoalTurn(session);
    const prompt = session.prompt('/review');
    await handled(session);
    session.model(text('Looks fine.'));
    gate.open();
    const end = await prompt.ended;
    expect(end.outcome).toBe('end_turn');
    expect(messageText(session.updates())).toBe('Verse one.The end.Looks fine.');
    if (version === 2) {
      expect(states(session.updates())).toEqual(['running', 'idle end_turn', 'running', 'idle end_turn']);
    }
    await expectNextPrompt(session);
  });

  test('S3.117 a goal that goes on turn after turn: the review is made all the same', async () => {
    const session = await agent().open();
    const gate = hold();
    session.model(reply(text('Verse one.'), pause(gate)));
    session.modelWith(({ lastUserText }) => (lastUserText.startsWith('Look') ? text('Looks fine.') : undefined));
    await setGoal(session);
    await session.textShown('Verse one.');
    const prompt = session.prompt('/review Look at it');
    await handled(session);
    gate.open();
    const end = await prompt.ended;
    expect(end.outcome).toBe('end_turn');
    expect(messageText(end.updates)).toContain('Looks fine.');
    await endGoals(session);
  });

  test('S3.117 S3.39 a cancel while it waits ends it at once, and the turn of Codex as well', async () => {
    const session = await agent().open();
    await heldGoalTurn(session);
    const prompt = session.prompt('/review');
    await handled(session);
    session.cancel();
    const end = await prompt.ended;
    expect(end.outcome).toBe(version === 1 ? 'cancelled' : 'rejected');
    await session.settled();
    await expectNextPrompt(session);
    expect(messageText(session.updates())).toBe('Verse one.The next one.');
  });
});

describe.each([
  ['AIR v1', 1, profiles.airV1],
  ['AIR v2', 2, profiles.airV2],
] as const)('%s', (_, version, profile) => {
  const agent = useAgent({ version, profile, home });

  async function failed(session: LabSession, command: string): Promise<void> {
    const end = await session.prompt(command).ended;
    expect(end.outcome).toBe(version === 1 ? 'end_turn' : 'error');
    expect(end.meta.jetbrains.air.sessionFailure).toMatchObject({ severity: 'error', category: expect.any(String) });
    expect(messageText(end.updates)).toBe('');
  }

  test('S3.115 S3.180 a review that cannot begin has its failure on the end of the prompt', async () => {
    const session = await agent().open({ params: { cwd: noRepository } });
    await failed(session, '/review-branch main');
    const end = await expectNextPrompt(session);
    expect(end.meta.jetbrains?.air.sessionFailure).toBeUndefined();
  });

  test('S3.56 S3.180 so has one whose reviewer fails; Codex’ own texts are not shown', async () => {
    const session = await agent().open();
    session.model(failure(400));
    await failed(session, '/review');
    await expectNextPrompt(session);
  });

  test('S3.116 the report is shown once', async () => {
    const session = await agent().open();
    session.model(reviewAnswer('Well done.'));
    const end = await session.prompt('/review').ended;
    expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'Well done.']);
  });
});

describe.each([1, 2] as const)('v%i, lines of Codex in another order', (version) => {
  const relayed = useRelayedAgent({ version, home });

  test('S3.113 what the four commands ask for', async () => {
    const { agent, codex } = relayed();
    const session = await agent.open();
    for (const command of ['/review', '/review Look here', '/review-branch main', '/review-commit abcdef1']) {
      session.model(text('Fine.'));
      expect((await session.prompt(command).ended).outcome).toBe('end_turn');
    }
    const inline = { threadId: session.id, delivery: 'inline' };
    expect(asked(codex, session, 'review/start')).toEqual([
      { ...inline, target: { type: 'uncommittedChanges' } },
      { ...inline, target: { type: 'custom', instructions: 'Look here' } },
      { ...inline, target: { type: 'baseBranch', branch: 'main' } },
      { ...inline, target: { type: 'commit', sha: 'abcdef1', title: null } },
    ]);
  });

  test('R14 S3.114 S3.61 a cancel before the reviewer is announced: P is tried, then C', async () => {
    const { agent, codex } = relayed();
    const session = await agent.open();
    session.model(reply(pause(hold()), text('Never said.')));
    const announced = codex.on('codex', 'turn/started').where(ofSession(session)).once().delay();
    const prompt = session.prompt('/review');
    const child = (await announced.met).params.turn.id;
    session.cancel();
    const end = await prompt.ended;
    announced.release();
    expect([end.outcome, messageText(end.updates)]).toEqual(['cancelled', '']);
    const targets = asked(codex, session, 'turn/interrupt').map(({ turnId }) => turnId);
    expect(targets).toHaveLength(2);
    expect(targets[0]).not.toBe(child);
    expect(targets[1]).toBe(child);
    if (version === 2) expect(states(end.updates)).toEqual(['running', 'idle cancelled']);
    await handled(session);
    await expectNextPrompt(session);
  });

  test('R4 C006 a cancel between the request and its answer stops the reviewer when the id arrives', async () => {
    const { agent, codex } = relayed();
    const session = await agent.open();
    session.model(reply(pause(hold()), text('Never said.')));
    const answer = codex.onAnswer('codex', 'review/start').once().delay();
    const prompt = session.prompt('/review');
    await session.modelRequest(1);
    session.cancel();
    await handled(session);
    expect(asked(codex, session, 'turn/interrupt')).toEqual([]);
    answer.release();
    const end = await prompt.ended;
    expect([end.outcome, messageText(end.updates)]).toEqual(['cancelled', '']);
    expect(await session.requests[0]?.finished).toBe('gone');
    await expectNextPrompt(session);
  });

  test('R15 S3.115 the error comes before the answer to the request: a failed turn, no hang', async () => {
    const { agent, codex } = relayed();
    const session = await agent.open({ params: { cwd: noRepository } });
    const answer = codex.onAnswer('codex', 'review/start').once().delay();
    const prompt = session.prompt('/review-branch main');
    await told(codex, session, 'error');
    await handled(session);
    answer.release();
    expectFailed(version, await prompt.ended, new RegExp(noGit));
    await expectNextPrompt(session);
  });

  test('S3.115 the same failure told again by the next turn, as Codex before 0.171 does, is none', async () => {
    const { agent, codex } = relayed();
    const session = await agent.open({ params: { cwd: noRepository } });
    const prompt = session.prompt('/review-branch main');
    const { error } = await told(codex, session, 'error');
    await prompt.ended;
    const repeated = codex
      .on('codex', 'turn/completed')
      .where(ofSession(session))
      .once()
      .rewrite((message) => ({
        ...message,
        params: { ...message.params, turn: { ...message.params.turn, status: 'failed', error } },
      }));
    await expectNextPrompt(session);
    expect(repeated.taken).toHaveLength(1);
  });

  test('S3.43 S3.112 a refused request fails the prompt, and the next one works', async () => {
    const { agent, codex } = relayed();
    const session = await agent.open();
    codex
      .on('agent', 'review/start')
      .where(ofSession(session))
      .once()
      .rewrite((message) => ({ ...message, method: 'review/unknown' }));
    const end = await session.prompt('/review').ended;
    expect(end.outcome).toBe('rejected');
    const details = expect.stringContaining('review/unknown');
    expect(end.error).toEqual({ code: -32603, message: 'Internal error', data: { details } });
    // Nothing became visible.
    expect(end.updates.filter(isVisible)).toEqual([]);
    await expectNextPrompt(session);
  });

  test('S12.5 C003 the end of a review is lost: it ends as Codex recorded it', async () => {
    const { agent, codex } = relayed();
    const session = await agent.open();
    const lost = codex.on('codex', 'turn/completed').where(ofSession(session)).once().drop();
    session.model(text('Looks fine.'));
    const end = await session.prompt('/review').ended;
    expect(lost.taken).toHaveLength(1);
    expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'Looks fine.']);
    await expectNextPrompt(session);
  });
});

describe.each([1, 2] as const)('v%i, Codex dies', (version) => {
  test('R24 S3.233 during a review: the prompt fails, and the next one runs in a new process', () =>
    withRelay({ version, home, stderr: [/app-server/] }, async (session, codex) => {
      session.model(text('Hello.'));
      await session.prompt('Hi').ended;
      session.model(reply(pause(hold()), text('Never said.')));
      const prompt = session.prompt('/review');
      await session.modelRequest(2);
      await session.update('session_info_update', isActive, prompt.from);
      codex.die();
      const end = await prompt.ended;
      expect(end.error).toMatchObject({ code: 1001 });
      if (version === 2) expect(states(end.updates)).toEqual(['running', 'idle error']);
      await expectNextPrompt(session);
    }));
});

function isVisible({ sessionUpdate }: Json): boolean {
  return ['agent_message_chunk', 'state_update', 'user_message_chunk'].includes(sessionUpdate);
}

function isActive(update: Json): boolean {
  return update._meta?.codex?.threadStatus?.type === 'active';
}
