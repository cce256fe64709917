import { expect, test } from 'vitest';
import { hold, runCommand, text } from '../../support/model-replies.ts';
import { input, useCodex } from './lab.ts';

const codex = useCodex({ model: 'gpt-5.5' });

const whole = (turn: string): string[] => [
  'answer turn/start',
  'status active',
  `turn started ${turn}`,
  `item started userMessage ${turn}`,
  `item completed userMessage ${turn}`,
  `item started agentMessage ${turn}`,
  `delta agentMessage ${turn}`,
  `item completed agentMessage ${turn}`,
  'status idle',
  `turn completed ${turn} completed`,
];

test('S3.1 a start is answered before its turn is registered, with the id and `inProgress`', async () => {
  const thread = await codex().open();
  codex().server.script(text('Hello.'));
  const { turn } = await thread.call('turn/start', { input: input('Hi') });
  expect(turn).toMatchObject({ id: expect.any(String), status: 'inProgress', startedAt: null, items: [] });
  await thread.completed(turn.id);
  expect(thread.story({ A: turn.id })).toEqual(whole('A'));
});

test('S3.2 R4 an interrupt before the turn is registered is refused, and the turn runs on to its end', async () => {
  codex().server.respondWith(() => text('Hello.'));
  // A busy machine can be too late with the interrupt; then another thread is tried.
  for (let attempt = 0; ; attempt += 1) {
    const thread = await codex().open();
    const turn = await thread.start('Hi');
    const outcome = await thread.call('turn/interrupt', { turnId: turn }).catch((error: unknown) => error);
    const end = await thread.completed(turn);
    const story = thread.story({ A: turn });
    if (story.includes('answer turn/interrupt') && attempt < 10) continue;
    expect(outcome).toMatchObject({ code: -32600, message: 'no active turn to interrupt' });
    expect(end).toMatchObject({ status: 'completed' });
    expect(story.indexOf('refusal turn/interrupt')).toBeLessThan(story.indexOf('turn started A'));
    break;
  }
  codex().server.respondWith(undefined);
});

test('S3.2 an interrupt with another id names both, without quotes; one of an idle thread is refused', async () => {
  const thread = await codex().open();
  expect((await thread.refusal('turn/interrupt', { turnId: 'other' })).message).toBe('no active turn to interrupt');
  codex().server.script(text('one two').pauseAt(hold()));
  const turn = await thread.start('Hi');
  await thread.speaking();
  expect(await thread.refusal('turn/interrupt', { turnId: 'other' })).toEqual({
    code: -32600,
    message: `expected active turn id other but found ${turn}`,
  });
  expect(await thread.call('turn/interrupt', { turnId: turn })).toEqual({});
  await thread.completed(turn);
});

test('S3.2 an accepted interrupt answers `{}`, ends the turn as interrupted and stops the model; its message stays open', async () => {
  const thread = await codex().open();
  codex().server.script(text('one two').pauseAt(hold()));
  const turn = await thread.start('Hi');
  await thread.speaking();
  expect(await thread.call('turn/interrupt', { turnId: turn })).toEqual({});
  expect(await thread.completed(turn)).toMatchObject({ status: 'interrupted', error: null });
  expect(await codex().server.requests.at(-1)?.finished).toBe('gone');
  expect(thread.story({ A: turn }).filter((line) => line.startsWith('item completed agentMessage'))).toEqual([]);
  // The answer stands before or after the end of the turn.
  expect(thread.story({ A: turn }).slice(-3).sort()).toEqual([
    'answer turn/interrupt',
    'status idle',
    'turn completed A interrupted',
  ]);
});

test('S3.4 S3.5 a start beside a running turn is answered with that turn, and its input lands there', async () => {
  const thread = await codex().open();
  codex().server.script(text('one two').pauseAt(hold()), text('Both.'));
  const turn = await thread.start('First', { clientUserMessageId: 'first-message' });
  await thread.speaking();
  expect(await thread.start('Second', { clientUserMessageId: 'second-message' })).toBe(turn);
  await thread.completed(turn);
  const users = thread.all('item/started').filter(({ item }) => item.type === 'userMessage');
  expect(users.map(({ item, turnId }) => [item.clientId, item.content[0].text, turnId])).toEqual([
    ['first-message', 'First', turn],
    ['second-message', 'Second', turn],
  ]);
  expect(thread.all('turn/started')).toHaveLength(1);
  expect(codex().server.requests.at(-1)?.userTexts.slice(-2)).toEqual(['First', 'Second']);
});

test('S3.4 S3.5 input that lands while the model speaks cuts it off: that message never completes', async () => {
  const thread = await codex().open();
  codex().server.script(text('one two').pauseAt(hold()), text('Both.'));
  const turn = await thread.start('First');
  await thread.speaking();
  const cut = (await thread.item('started', 'agentMessage')).id;
  await thread.start('Second');
  await thread.completed(turn);
  const completed = thread.all('item/completed').filter(({ item }) => item.type === 'agentMessage');
  expect(completed.map(({ item }) => item.text)).toEqual(['Both.']);
  expect(completed[0].item.id).not.toBe(cut);
  // The part that was said is lost to the model too.
  expect(JSON.stringify(codex().server.requests.at(-1)?.body.input)).not.toContain('"one');
});

test('S3.5 a user message is an item of its own with the `clientUserMessageId`, or null', async () => {
  const thread = await codex().open();
  codex().server.script(text('Hello.'), text('Hello again.'));
  const first = await thread.start('Hi', { clientUserMessageId: 'mine' });
  await thread.completed(first);
  await thread.completed(await thread.start('Hi again'));
  const [mine, other] = thread.all('item/completed').filter(({ item }) => item.type === 'userMessage');
  expect(mine.item).toMatchObject({ clientId: 'mine', content: input('Hi') });
  expect(mine.item.id).not.toBe('mine');
  expect(other.item.clientId).toBeNull();
});

test('S3.6 empty input starts a turn without a user message, and the model is asked', async () => {
  const thread = await codex().open();
  codex().server.script(text('Hello.'));
  const asked = codex().server.requests.length;
  const { turn } = await thread.call('turn/start', { input: [] });
  await thread.completed(turn.id);
  expect(thread.story({ A: turn.id })).toEqual(whole('A').filter((line) => !line.includes('userMessage')));
  expect(codex().server.requests).toHaveLength(asked + 1);
});

test('S3.12 a turn runs on when its thread is unsubscribed; only the status of the thread is still told', async () => {
  const thread = await codex().open();
  const gate = hold();
  codex().server.script(runCommand('touch made'), text('one two').pauseAt(gate));
  const turn = await thread.start('Do it', { sandboxPolicy: { type: 'dangerFullAccess' } });
  await thread.speaking();
  expect(await thread.call('thread/unsubscribe')).toEqual({ status: 'unsubscribed' });
  gate.open();
  expect(await codex().server.requests.at(-1)?.finished).toBe('sent');
  await thread.told('thread/status/changed', ({ status }) => status.type === 'idle');
  const { data } = await thread.call('thread/turns/list');
  expect(data[0]).toMatchObject({ id: turn, status: 'completed' });
  expect(thread.workspace.exists('made')).toBe(true);
  expect(thread.story({ A: turn }).slice(-3)).toEqual([
    'answer thread/unsubscribe',
    'status idle',
    'answer thread/turns/list',
  ]);
});
