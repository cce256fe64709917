import { expect, test } from 'vitest';
import { endGoal, goalLoop, isGoalRequest } from '../../support/model-answers.ts';
import { failure, hold, text } from '../../support/model-replies.ts';
import { type ThreadProbe, useCodex } from './lab.ts';

const codex = useCodex({ model: 'gpt-5.5' });

const active = { objective: 'Ship it', status: 'active' };

/** Used tokens and time are told with the turn's id and the status that holds; when exactly is up to Codex. */
const usage = /^(tokens|goal active [AB]$)/;

/** Time in which a continuation would have started, measured in work of Codex: a whole turn of another thread. */
async function anotherTurn(): Promise<void> {
  const other = await codex().open();
  await other.completed(await other.start('Hi'));
}

/** A goal whose first turn waits in the middle of its message. */
async function heldGoal(): Promise<{ thread: ThreadProbe; turn: string; open: () => void }> {
  const thread = await codex().open();
  const gate = hold();
  codex().server.script(text('one two').pauseAt(gate));
  await thread.call('thread/goal/set', active);
  const turn = await thread.started();
  await thread.speaking();
  return { thread, turn, open: gate.open };
}

test('S3.11 a goal: answer, update without a turn, then turns by themselves, each with an update of its own', async () => {
  const thread = await codex().open();
  codex().server.script(...goalLoop('Dug.', 'Built.'));
  const { goal } = await thread.call('thread/goal/set', active);
  expect(goal).toMatchObject({ threadId: thread.id, ...active, tokenBudget: null, tokensUsed: 0 });
  await thread.told('thread/goal/updated', (params) => params.goal.status === 'complete');
  const [first, second] = thread.all('turn/started').map(({ turn }) => turn.id);
  await thread.completed(second);
  expect(thread.story({ A: first, B: second }, usage)).toEqual([
    'answer thread/goal/set',
    'goal active -',
    'status active',
    'turn started A',
    'item started agentMessage A',
    'delta agentMessage A',
    'item completed agentMessage A',
    'status idle',
    'turn completed A completed',
    'status active',
    'turn started B',
    'goal complete B',
    'item started agentMessage B',
    'delta agentMessage B',
    'item completed agentMessage B',
    'status idle',
    'turn completed B completed',
  ]);
  const used = thread.all('thread/goal/updated').map((params) => [params.turnId, params.goal.tokensUsed]);
  expect(used[0]).toEqual([null, 0]);
  // Input that was not cached, and output: 80 + 30 of each request.
  expect(used).toContainEqual([first, 110]);
  const asked = codex().server.requests.filter(({ threadId }) => threadId === thread.id);
  expect(asked.map((request) => isGoalRequest(request))).toEqual([true, true, true]);
});

test('S3.11 a failed goal turn blocks the goal first', async () => {
  const thread = await codex().open();
  codex().server.script(failure(400));
  await thread.call('thread/goal/set', active);
  const turn = (await thread.completed()).id;
  await anotherTurn();
  expect(thread.story({ A: turn }).filter((line) => !/^(answer thread\/start|answer turn\/start)/.test(line))).toEqual([
    'answer thread/goal/set',
    'goal active -',
    'status active',
    'turn started A',
    'goal blocked A',
    'status systemError',
    'error final A',
    'turn completed A failed',
  ]);
});

test('S3.11 S3.57 an interrupted goal turn leaves the goal active, and nothing follows until something happens', async () => {
  const { thread, turn } = await heldGoal();
  await thread.call('turn/interrupt', { turnId: turn });
  expect(await thread.completed(turn)).toMatchObject({ status: 'interrupted' });
  await anotherTurn();
  expect(thread.all('turn/started')).toHaveLength(1);
  expect((await thread.call('thread/goal/get')).goal.status).toBe('active');
  // A prompt of the user is such a thing: the goal goes on after its turn.
  codex().server.script(text('Hello.'), endGoal(), text('Done.'));
  const prompted = await thread.start('Hi');
  await thread.completed(prompted);
  const next = await thread.started((id) => id !== turn && id !== prompted);
  await thread.completed(next);
  expect((await thread.call('thread/goal/get')).goal.status).toBe('complete');
});

test('S3.11 S3.119 setting `active` again tells an update though nothing changed, and starts a turn', async () => {
  const { thread, turn } = await heldGoal();
  await thread.call('turn/interrupt', { turnId: turn });
  await thread.completed(turn);
  thread.fromNow();
  codex().server.script(endGoal(), text('Done.'));
  await thread.call('thread/goal/set', { status: 'active' });
  const next = await thread.started();
  await thread.completed(next);
  expect(thread.story({ B: next }).slice(0, 4)).toEqual([
    'answer thread/goal/set',
    'goal active -',
    'status active',
    'turn started B',
  ]);
});

test('S3.11 S3.121 pausing twice tells two updates, in the running turn too, and does not stop it', async () => {
  const { thread, turn, open } = await heldGoal();
  thread.fromNow();
  await thread.call('thread/goal/set', { status: 'paused' });
  await thread.call('thread/goal/set', { status: 'paused' });
  open();
  expect(await thread.completed(turn)).toMatchObject({ status: 'completed' });
  await anotherTurn();
  const goals = thread.story({ A: turn }, usage).filter((line) => line.includes('goal'));
  expect(goals).toEqual(['answer thread/goal/set', 'goal paused -', 'answer thread/goal/set', 'goal paused -']);
  expect(thread.all('turn/started')).toEqual([]);
});

test('S3.11 clear: `cleared` tells whether there was a goal; only then a notification follows', async () => {
  const thread = await codex().open();
  expect(await thread.call('thread/goal/clear')).toEqual({ cleared: false });
  await thread.call('thread/goal/set', { objective: 'Ship it', status: 'paused' });
  expect(await thread.call('thread/goal/clear')).toEqual({ cleared: true });
  expect(await thread.call('thread/goal/clear')).toEqual({ cleared: false });
  expect(await thread.call('thread/goal/get')).toEqual({ goal: null });
  expect(thread.story()).toEqual([
    'answer thread/goal/clear',
    'answer thread/goal/set',
    'goal paused -',
    'answer thread/goal/clear',
    'goal cleared',
    'answer thread/goal/clear',
    'answer thread/goal/get',
  ]);
});

test('S3.11 clear during a goal turn: the turn runs to its end, none follows', async () => {
  const { thread, turn, open } = await heldGoal();
  expect(await thread.call('thread/goal/clear')).toEqual({ cleared: true });
  open();
  expect(await thread.completed(turn)).toMatchObject({ status: 'completed' });
  await anotherTurn();
  expect(thread.all('turn/started')).toHaveLength(1);
  expect(thread.all('thread/goal/cleared')).toEqual([{ threadId: thread.id }]);
});

test('S3.11 a status without a goal is refused', async () => {
  const thread = await codex().open();
  for (const status of ['active', 'paused']) {
    expect(await thread.refusal('thread/goal/set', { status })).toEqual({
      code: -32600,
      message: `cannot update goal for thread ${thread.id}: no goal exists`,
    });
  }
});

test('S3.11 S3.123 a goal that is set during a prompt leaves that turn alone and begins after it', async () => {
  const thread = await codex().open();
  const gate = hold();
  codex().server.script(text('one two').pauseAt(gate), endGoal(), text('Done.'));
  const turn = await thread.start('Go');
  await thread.speaking();
  await thread.call('thread/goal/set', active);
  gate.open();
  expect(await thread.completed(turn)).toMatchObject({ status: 'completed' });
  const goalTurn = await thread.started((id) => id !== turn);
  await thread.completed(goalTurn);
  expect(thread.story({ A: turn, B: goalTurn }, usage).filter((line) => /goal|turn /.test(line))).toEqual([
    'turn started A',
    'answer thread/goal/set',
    'goal active -',
    'turn completed A completed',
    'turn started B',
    'goal complete B',
    'turn completed B completed',
  ]);
});

test('S3.11 a changed objective reaches the running goal turn: it speaks once more', async () => {
  const { thread, turn, open } = await heldGoal();
  codex().server.enqueue(endGoal(), text('Other thing done.'));
  await thread.call('thread/goal/set', { objective: 'Ship the other', status: 'active' });
  open();
  await thread.told('thread/goal/updated', (params) => params.goal.status === 'complete');
  expect(await thread.completed(turn)).toMatchObject({ status: 'completed' });
  expect(thread.all('turn/started')).toHaveLength(1);
});
