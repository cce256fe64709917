import { expect, test } from 'vitest';
import { compactionSummary } from '../../support/model-answers.ts';
import { failure, hold, pause, reply, text, withUsage } from '../../support/model-replies.ts';
import { input, type ThreadProbe, useCodex } from './lab.ts';

const codex = useCodex({ model: 'gpt-5.5' });

async function withHistory(): Promise<ThreadProbe> {
  const thread = await codex().open();
  codex().server.script(text('Hello.'));
  codex().server.aside('compaction', compactionSummary('They said hello.'));
  await thread.completed(await thread.start('Hi'));
  thread.fromNow();
  return thread;
}

const compacts = (turn: string): string[] => [
  'status active',
  `turn started ${turn}`,
  `item started contextCompaction ${turn}`,
  `item completed contextCompaction ${turn}`,
  'status idle',
  `turn completed ${turn} completed`,
];

test('S3.8 a compaction is answered at once, runs as a turn with one item, and tells no `thread/compacted`', async () => {
  const thread = await withHistory();
  expect(await thread.call('thread/compact/start')).toEqual({});
  const turn = await thread.started();
  await thread.completed(turn);
  expect(thread.story({ A: turn })).toEqual(['answer thread/compact/start', ...compacts('A')]);
});

test('S3.8 a compaction interrupts the turn that runs', async () => {
  const thread = await withHistory();
  codex().server.script(text('one two').pauseAt(hold()));
  const turn = await thread.start('Go');
  await thread.speaking();
  await thread.call('thread/compact/start');
  const compaction = await thread.started((id) => id !== turn);
  await thread.completed(compaction);
  const story = thread.story({ A: turn, B: compaction });
  expect(story.slice(story.indexOf('answer thread/compact/start'))).toEqual([
    'answer thread/compact/start',
    'status idle',
    'turn completed A interrupted',
    ...compacts('B'),
  ]);
});

test('S3.8 an interrupted compaction completes no item', async () => {
  const thread = await withHistory();
  codex().server.aside('compaction', reply(pause(hold()), text('Never.')));
  await thread.call('thread/compact/start');
  const turn = await thread.started();
  await thread.item('started', 'contextCompaction');
  await thread.call('turn/interrupt', { turnId: turn });
  expect(await thread.completed(turn)).toMatchObject({ status: 'interrupted' });
  expect(thread.story({ A: turn })).not.toContain('item completed contextCompaction A');
});

test('S3.8 S3.7 a failed compaction completes no item and ends like any failed turn', async () => {
  const thread = await withHistory();
  codex().server.aside('compaction', failure(400));
  await thread.call('thread/compact/start');
  const turn = await thread.started();
  await thread.completed(turn);
  expect(thread.story({ A: turn })).toEqual([
    'answer thread/compact/start',
    'status active',
    'turn started A',
    'item started contextCompaction A',
    'status systemError',
    'error final A',
    'turn completed A failed',
  ]);
});

test('S3.13 a compaction repeats the total before its call, and tells the new context size with an unchanged total', async () => {
  const thread = await withHistory();
  await thread.call('thread/compact/start');
  const turn = await thread.started();
  await thread.completed(turn);
  const told = thread
    .all('thread/tokenUsage/updated')
    .map(({ tokenUsage: { total, last } }) => [total.totalTokens, last.totalTokens]);
  expect(told).toEqual([
    [150, 150],
    [300, 150],
    [300, expect.any(Number)],
  ]);
  const size = told.at(-1)?.[1];
  expect(size).not.toBe(150);
  expect(thread.all('thread/tokenUsage/updated').at(-1).tokenUsage.last).toEqual({
    totalTokens: size,
    inputTokens: 0,
    cachedInputTokens: 0,
    cacheWriteInputTokens: 0,
    outputTokens: 0,
    reasoningOutputTokens: 0,
  });
});

test('S3.13 an interrupted turn repeats the total that is known', async () => {
  const thread = await withHistory();
  codex().server.script(withUsage(text('one two').pauseAt(hold()), { total: 999 }));
  const turn = await thread.start('Go');
  await thread.speaking();
  await thread.call('turn/interrupt', { turnId: turn });
  await thread.completed(turn);
  const totals = thread.all('thread/tokenUsage/updated').map(({ tokenUsage }) => tokenUsage.total.totalTokens);
  expect(new Set(totals)).toEqual(new Set([150]));
});

test('S3.13 input that lands in a turn repeats the total', async () => {
  const thread = await withHistory();
  codex().server.script(text('one two').pauseAt(hold()), text('Steered.'));
  const turn = await thread.start('Go');
  await thread.speaking();
  await thread.call('turn/steer', { expectedTurnId: turn, input: input('Left') });
  await thread.completed(turn);
  const totals = thread.all('thread/tokenUsage/updated').map(({ tokenUsage }) => tokenUsage.total.totalTokens);
  expect(totals).toEqual([150, 300]);
});
