import { expect, test } from 'vitest';
import { proposedPlan } from '../../support/model-answers.ts';
import { hold, reply, type Scripted, text } from '../../support/model-replies.ts';
import { type ThreadProbe, useCodex } from './lab.ts';

const codex = useCodex();

async function planning(...replies: readonly Scripted[]): Promise<{ thread: ThreadProbe; turn: string }> {
  const thread = await codex().open();
  const settings = { model: 'gpt-5.5', reasoning_effort: null, developer_instructions: null };
  await thread.call('thread/settings/update', { collaborationMode: { mode: 'plan', settings } });
  thread.fromNow();
  codex().server.script(...replies);
  return { thread, turn: await thread.start('Plan it') };
}

function completed(thread: ThreadProbe): [string, string][] {
  const items = thread.all('item/completed').filter(({ item }) => item.type !== 'userMessage');
  return items.map(({ item }) => [item.type, item.text]);
}

test('S3.127 a `<proposed_plan>` block becomes a plan item with deltas, the text around it a message that ends later', async () => {
  const { thread, turn } = await planning(
    proposedPlan('1. Dig\n2. Build', { before: 'Here it is.', after: 'That was it.', deltas: 12 }),
  );
  await thread.completed(turn);
  expect(thread.story({ A: turn }).slice(5)).toEqual([
    'item started agentMessage A',
    'delta agentMessage A',
    'item started plan A',
    'delta plan A',
    'delta agentMessage A',
    'item completed plan A',
    'item completed agentMessage A',
    'status idle',
    'turn completed A completed',
  ]);
  expect(completed(thread)).toEqual([
    ['plan', '1. Dig\n2. Build\n'],
    ['agentMessage', 'Here it is.\nThat was it.'],
  ]);
  const deltas = thread.all('item/plan/delta').map(({ delta }) => delta);
  expect(deltas.join('')).toBe('1. Dig\n2. Build\n');
});

test('S3.127 a plan alone has no message', async () => {
  const { thread, turn } = await planning(proposedPlan('1. Dig'));
  await thread.completed(turn);
  expect(thread.story({ A: turn }).slice(5)).toEqual([
    'item started plan A',
    'delta plan A',
    'item completed plan A',
    'status idle',
    'turn completed A completed',
  ]);
});

test('S3.127 only the first plan of a turn is told', async () => {
  const { thread, turn } = await planning(reply(proposedPlan('One'), proposedPlan('Two')));
  await thread.completed(turn);
  expect(completed(thread)).toEqual([['plan', 'One\n']]);
});

test('S3.127 tags inside of a line are text; a block without an end is a plan', async () => {
  const inline = await planning(text('See <proposed_plan>A</proposed_plan> here'));
  await inline.thread.completed(inline.turn);
  expect(completed(inline.thread)).toEqual([['agentMessage', 'See <proposed_plan>A</proposed_plan> here']]);
  const open = await planning(text('<proposed_plan>\nOpen end'));
  await open.thread.completed(open.turn);
  expect(completed(open.thread)).toEqual([['plan', 'Open end']]);
});

test('S3.127 an interrupted plan does not complete', async () => {
  const plan = text('', { deltas: ['<proposed_plan>\n', '1. Dig\n', '2. Build'] });
  const { thread, turn } = await planning(plan.pauseAt(hold(), 2));
  await thread.told('item/plan/delta');
  await thread.call('turn/interrupt', { turnId: turn });
  expect(await thread.completed(turn)).toMatchObject({ status: 'interrupted' });
  expect(completed(thread)).toEqual([]);
});

test('S3.127 outside plan mode the block is text', async () => {
  const thread = await codex().open();
  codex().server.script(proposedPlan('1. Dig'));
  await thread.completed(await thread.start('Plan it'));
  expect(completed(thread)).toEqual([['agentMessage', '<proposed_plan>\n1. Dig\n</proposed_plan>']]);
});
