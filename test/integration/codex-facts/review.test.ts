import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { renderedReview, reviewAnswer } from '../../support/model-answers.ts';
import { failure, hold, runCommand, type Scripted, text } from '../../support/model-replies.ts';
import { type Json, type ThreadProbe, useCodex } from './lab.ts';

const codex = useCodex({ model: 'gpt-5.5' });

const failed = 'Reviewer failed to output a response.';
const interrupted = 'Review was interrupted. Please re-run /review and wait for it to complete.';

/** Starts a review; `P` is the id of the answer. */
async function review(thread: ThreadProbe, target: Json, ...replies: readonly Scripted[]): Promise<string> {
  codex().server.script(...replies);
  const { turn, reviewThreadId } = await thread.call('review/start', { delivery: 'inline', target });
  expect(reviewThreadId).toBe(thread.id);
  return turn.id;
}

const custom = { type: 'custom', instructions: 'Look at it' };

/** Texts of the completed items of that type. */
function texts(thread: ThreadProbe, type: 'agentMessage' | 'exitedReviewMode'): string[] {
  const items = thread.all('item/completed').filter(({ item }) => item.type === type);
  return items.map(({ item }) => item.review ?? item.text);
}

/** All of a review is told under P, only `turn/started` has the child's id C. */
const begins = [
  'answer review/start',
  'item started enteredReviewMode P',
  'item completed enteredReviewMode P',
  'status active',
  'turn started C',
  'item started userMessage P',
  'item completed userMessage P',
];

const report = [
  'item started exitedReviewMode P',
  'item completed exitedReviewMode P',
  'item started agentMessage P',
  'item completed agentMessage P',
];

test('S3.9 S3.116 a review: items and end have P, the start has C; text twice, the second time as a message, never streamed', async () => {
  const thread = await codex().open({ 'a.txt': 'one\n' });
  thread.workspace.write('a.txt', 'two\n');
  thread.fromNow();
  const finding = { title: '[P1] Wrong', body: 'Why.', file: thread.workspace.file('a.txt'), lines: [1, 1] } as const;
  const P = await review(
    thread,
    { type: 'uncommittedChanges' },
    runCommand('git diff'),
    reviewAnswer('Needs work.', [finding]),
  );
  const C = await thread.started();
  expect(await thread.completed()).toMatchObject({ id: P, status: 'completed' });
  expect(thread.story({ P, C })).toEqual([
    ...begins,
    'item started commandExecution P',
    'item completed commandExecution P',
    // The reviewer's own message: it is begun, but neither streamed nor completed.
    'item started agentMessage P',
    ...report,
    'status idle',
    'turn completed P completed',
  ]);
  const shown = renderedReview('Needs work.', finding);
  expect(texts(thread, 'exitedReviewMode')).toEqual([shown]);
  expect(texts(thread, 'agentMessage')).toEqual([shown]);
  expect(thread.all('turn/started')[0].turn.rootTurnId).toBe(P);
  expect(thread.all('item/agentMessage/delta')).toEqual([]);
  expect(thread.all('thread/tokenUsage/updated')).toEqual([]);
});

test('S3.9 an answer that is not the asked JSON becomes the review as it is', async () => {
  const thread = await codex().open();
  const P = await review(thread, custom, text('Looks fine.'));
  await thread.completed(P);
  expect(texts(thread, 'exitedReviewMode')).toEqual(['Looks fine.']);
  expect(texts(thread, 'agentMessage')).toEqual(['Looks fine.']);
});

test('S3.9 S3.113 the answer and `enteredReviewMode` name the target; the reviewer runs on a hidden thread', async () => {
  const thread = await codex().open();
  const targets: readonly [Json, string][] = [
    [{ type: 'uncommittedChanges' }, 'current changes'],
    [{ type: 'baseBranch', branch: 'main' }, "changes against 'main'"],
    [{ type: 'commit', sha: 'abcdef1234', title: null }, 'commit abcdef1'],
    [custom, 'Look at it'],
  ];
  for (const [target, name] of targets) {
    thread.fromNow();
    codex().server.script(text('Fine.'));
    const { turn } = await thread.call('review/start', { delivery: 'inline', target });
    await thread.completed(turn.id);
    expect(turn.items[0].content[0].text).toBe(name);
    expect((await thread.item('completed', 'enteredReviewMode')).review).toBe(name);
  }
  const asked = codex().server.requests.at(-1);
  expect(asked?.threadId).not.toBe(thread.id);
  expect(asked?.ownerThreadId).toBe(thread.id);
  expect(asked?.lastUserText).toBe('Look at it');
});

test('S3.9 R14 once the child is announced an interrupt needs its id C', async () => {
  const thread = await codex().open();
  const P = await review(thread, custom, text('Never said.').pauseAt(hold()));
  const C = await thread.started();
  expect(await thread.refusal('turn/interrupt', { turnId: P })).toEqual({
    code: -32600,
    message: `expected active turn id ${P} but found ${C}`,
  });
  expect(await thread.call('turn/interrupt', { turnId: C })).toEqual({});
  expect(await thread.completed()).toMatchObject({ id: P, status: 'interrupted' });
});

test('S3.9 R14 before the child is announced P is refused or accepted; accepted, it ends the review without a child', async () => {
  const thread = await codex().open();
  const P = await review(thread, custom, text('Never said.').pauseAt(hold()));
  const outcomes: string[] = [];
  while (outcomes.at(-1) !== 'accepted') {
    const turnId = thread.all('turn/started')[0]?.turn.id ?? P;
    const outcome: string = await thread.call('turn/interrupt', { turnId }).then(
      () => 'accepted',
      (error: Error) => error.message.replaceAll(P, 'P').replace(/found .*/, 'found C'),
    );
    outcomes.push(outcome);
  }
  expect(await thread.completed()).toMatchObject({ id: P, status: 'interrupted' });
  const refusals = outcomes.slice(0, -1);
  for (const refusal of refusals) {
    expect(['no active turn to interrupt', 'expected active turn id P but found C']).toContain(refusal);
  }
  const [child] = thread.all('turn/started');
  const story = thread.story({ P, C: child?.turn.id ?? '' }).filter((line) => !line.includes('turn/interrupt'));
  if (child === undefined) {
    // The usual outcome: no child, and the thread was never told to be active.
    expect(story).toEqual([...begins.slice(0, 3), ...report, 'turn completed P interrupted']);
  } else {
    expect(story.slice(-2)).toEqual(['status idle', 'turn completed P interrupted']);
  }
});

test('S3.9 S3.56 an interrupted review tells two canned texts before its end', async () => {
  const thread = await codex().open();
  const P = await review(thread, custom, text('Never said.').pauseAt(hold()));
  const C = await thread.started();
  await thread.item('started', 'agentMessage');
  await thread.call('turn/interrupt', { turnId: C });
  await thread.completed(P);
  expect(texts(thread, 'exitedReviewMode')).toEqual([failed]);
  expect(texts(thread, 'agentMessage')).toEqual([interrupted]);
  const story = thread.story({ P, C }).filter((line) => !line.startsWith('answer turn/interrupt'));
  expect(story).toEqual([
    ...begins,
    'item started agentMessage P',
    ...report,
    'status idle',
    'turn completed P interrupted',
  ]);
});

test('S3.9 S3.7 a reviewer whose model fails: the error of P, then the same canned texts, then a failed end', async () => {
  const thread = await codex().open();
  const P = await review(thread, custom, failure(400));
  const C = await thread.started();
  await thread.completed(P);
  expect(thread.story({ P, C })).toEqual([
    ...begins,
    'status systemError',
    'error final P',
    ...report,
    'turn completed P failed',
  ]);
  expect(texts(thread, 'exitedReviewMode')).toEqual([failed]);
  expect(texts(thread, 'agentMessage')).toEqual([interrupted]);
});

test('S3.117 a review interrupts the turn that runs, as a compaction does', async () => {
  const thread = await codex().open();
  codex().server.script(text('one two').pauseAt(hold()));
  const turn = await thread.start('Go');
  await thread.speaking();
  const P = await review(thread, custom, text('Fine.'));
  const C = await thread.started((id) => id !== turn);
  await thread.completed(P);
  const story = thread.story({ A: turn, P, C });
  expect(story.slice(story.indexOf('answer review/start'))).toEqual([
    'answer review/start',
    'status idle',
    'turn completed A interrupted',
    ...begins.slice(1),
    'item started agentMessage P',
    ...report,
    'status idle',
    'turn completed P completed',
  ]);
});

test('S3.10 S3.115 a review against a branch outside a git repository: an error of P, never an end; the next turn is fine', async () => {
  // Below the repository Codex would find git; so the folder is a system one.
  const folder = mkdtempSync(join(tmpdir(), 'codex-facts-'));
  try {
    const thread = await codex().openIn(folder);
    const P = await review(thread, { type: 'baseBranch', branch: 'main' });
    await thread.told('error');
    codex().server.script(text('Hello.'));
    const next = await thread.start('Hi');
    expect(await thread.completed()).toMatchObject({ id: next, status: 'completed', error: null });
    expect(thread.story({ P, A: next }).slice(0, 4)).toEqual([
      'answer review/start',
      'status systemError',
      'error final P',
      'answer turn/start',
    ]);
    expect(thread.all('error')[0]).toMatchObject({
      willRetry: false,
      error: { message: `"${folder}" is not a git repository`, codexErrorInfo: 'other' },
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('S3.10 an unknown branch of a repository is reviewed: the reviewer is told to find out', async () => {
  const thread = await codex().open();
  const P = await review(thread, { type: 'baseBranch', branch: 'no-such-branch' }, text('There is none.'));
  expect(await thread.completed()).toMatchObject({ id: P, status: 'completed' });
  expect(thread.all('error')).toEqual([]);
});
