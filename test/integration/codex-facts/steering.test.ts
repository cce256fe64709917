import { expect, test } from 'vitest';
import { hold, pause, reply, runCommand, text } from '../../support/model-replies.ts';
import { input, useCodex } from './lab.ts';

const codex = useCodex({ model: 'gpt-5.5' });

test('S3.3 a steer is answered with the id of the turn and lands with its message id', async () => {
  const thread = await codex().open();
  codex().server.script(text('one two').pauseAt(hold()), text('Steered.'));
  const turn = await thread.start('Go', { clientUserMessageId: 'go' });
  await thread.speaking();
  const steer = { expectedTurnId: turn, input: input('Left'), clientUserMessageId: 'left' };
  expect(await thread.call('turn/steer', steer)).toEqual({ turnId: turn });
  await thread.completed(turn);
  expect(thread.story({ A: turn })).toEqual([
    'answer turn/start',
    'status active',
    'turn started A',
    'item started userMessage A',
    'item completed userMessage A',
    'item started agentMessage A',
    'delta agentMessage A',
    'answer turn/steer',
    'item started userMessage A',
    'item completed userMessage A',
    'item started agentMessage A',
    'delta agentMessage A',
    'item completed agentMessage A',
    'status idle',
    'turn completed A completed',
  ]);
  const landed = thread.all('item/started').filter(({ item }) => item.type === 'userMessage');
  expect(landed.map(({ item }) => item.clientId)).toEqual(['go', 'left']);
});

test('S3.3 R17 a steer right behind the start answer is accepted, unlike an interrupt, and lands in that turn', async () => {
  const thread = await codex().open();
  codex().server.script(text('Hello.'), text('Hello.'));
  const turn = await thread.start('Go');
  const steer = { expectedTurnId: turn, input: input('Left'), clientUserMessageId: 'left' };
  expect(await thread.call('turn/steer', steer)).toEqual({ turnId: turn });
  await thread.completed(turn);
  const landed = thread.all('item/started').filter(({ item }) => item.type === 'userMessage');
  expect(landed.map(({ item }) => item.clientId)).toEqual([null, 'left']);
});

test('S3.3 a steer while a command runs lands when the command has ended', async () => {
  const thread = await codex().open();
  codex().server.script(runCommand('until [ -e go ]; do sleep 0.05; done', { yieldMs: 10_000 }), text('Steered.'));
  const turn = await thread.start('Go');
  await thread.item('started', 'commandExecution');
  await thread.call('turn/steer', { expectedTurnId: turn, input: input('Left') });
  thread.workspace.write('go', '');
  await thread.completed(turn);
  const story = thread.story({ A: turn }, /^(tokens|delta)/);
  expect(story.slice(story.indexOf('answer turn/steer'))).toEqual([
    'answer turn/steer',
    'item completed commandExecution A',
    'item started userMessage A',
    'item completed userMessage A',
    'item started agentMessage A',
    'item completed agentMessage A',
    'status idle',
    'turn completed A completed',
  ]);
});

test('S3.3 errors: no turn, another turn (ids in backticks), empty input', async () => {
  const thread = await codex().open();
  const refused = (expectedTurnId: string, content = input('Left')): Promise<unknown> =>
    thread.refusal('turn/steer', { expectedTurnId, input: content });
  expect(await refused('other')).toEqual({ code: -32600, message: 'no active turn to steer' });
  codex().server.script(text('one two').pauseAt(hold()));
  const turn = await thread.start('Go');
  await thread.speaking();
  expect(await refused('other')).toEqual({
    code: -32600,
    message: `expected active turn id \`other\` but found \`${turn}\``,
  });
  expect(await refused(turn, [])).toEqual({ code: -32600, message: 'input must not be empty' });
  await thread.call('turn/interrupt', { turnId: turn });
  await thread.completed(turn);
  expect(await refused(turn)).toEqual({ code: -32600, message: 'no active turn to steer' });
});

test('S3.3 S3.4 compaction: a steer is refused with its kind, a start with an internal error', async () => {
  const thread = await codex().open();
  codex().server.script(text('Hello.'));
  await thread.completed(await thread.start('Hi'));
  const gate = hold();
  codex().server.aside('compaction', reply(pause(gate), text('Summary.')));
  thread.fromNow();
  await thread.call('thread/compact/start');
  const turn = await thread.started();
  expect(await thread.refusal('turn/steer', { expectedTurnId: turn, input: input('Left') })).toEqual({
    code: -32600,
    message: 'cannot steer a compact turn',
    data: {
      message: 'cannot steer a compact turn',
      codexErrorInfo: { activeTurnNotSteerable: { turnKind: 'compact' } },
      additionalDetails: null,
      misalignment: null,
    },
  });
  expect(await thread.refusal('turn/start', { input: input('Left') })).toEqual({
    code: -32603,
    message: 'failed to submit turn input: ActiveTurnNotSteerable { turn_kind: Compact }',
  });
  gate.open();
  expect(await thread.completed(turn)).toMatchObject({ status: 'completed' });
});

test('S3.3 S3.4 S3.9 review: a steer with P is refused with its kind, with C as a mismatch; a start fails', async () => {
  const thread = await codex().open();
  codex().server.script(text('Fine so far.').pauseAt(hold()));
  const { turn } = await thread.call('review/start', {
    delivery: 'inline',
    target: { type: 'custom', instructions: 'Look' },
  });
  const child = await thread.started();
  await thread.item('started', 'agentMessage');
  expect(await thread.refusal('turn/steer', { expectedTurnId: turn.id, input: input('Left') })).toEqual({
    code: -32600,
    message: 'cannot steer a review turn',
    data: {
      message: 'cannot steer a review turn',
      codexErrorInfo: { activeTurnNotSteerable: { turnKind: 'review' } },
      additionalDetails: null,
      misalignment: null,
    },
  });
  expect((await thread.refusal('turn/steer', { expectedTurnId: child, input: input('Left') })).message).toBe(
    `expected active turn id \`${child}\` but found \`${turn.id}\``,
  );
  expect(await thread.refusal('turn/start', { input: input('Left') })).toEqual({
    code: -32603,
    message: 'failed to submit turn input: ActiveTurnNotSteerable { turn_kind: Review }',
  });
  await thread.call('turn/interrupt', { turnId: child });
  await thread.completed(turn.id);
});
