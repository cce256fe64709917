import { expect, test } from 'vitest';
import { askWhileWorking, suggestion, tellWhileWorking } from '../../support/model-answers.ts';
import { failure, hold, pause, reply, text } from '../../support/model-replies.ts';
import { useCodex } from './lab.ts';

const codex = useCodex();

test('S3.151 `request_user_input_async` is a whole agent message with `delivery: "async"` and questions; the turn goes on', async () => {
  const thread = await codex().open();
  codex().server.script(
    askWhileWorking({ title: 'Which?', options: ['A', 'B'] }, { title: 'Why?' }),
    text('Working on.'),
  );
  const turn = await thread.start('Ask me');
  await thread.completed(turn);
  const [question, message] = thread.all('item/completed').filter(({ item }) => item.type === 'agentMessage');
  expect(question.item).toMatchObject({
    delivery: 'async',
    phase: 'final_answer',
    text: 'Which?\n- A\n- B\n\nWhy?',
    questions: [
      { title: 'Which?', options: ['A', 'B'] },
      { title: 'Why?', options: null },
    ],
  });
  expect(message.item).toMatchObject({ delivery: null, questions: null, text: 'Working on.' });
  expect(thread.story({ A: turn }).slice(5)).toEqual([
    'item started agentMessage A',
    'item completed agentMessage A',
    'item started agentMessage A',
    'delta agentMessage A',
    'item completed agentMessage A',
    'status idle',
    'turn completed A completed',
  ]);
  expect(codex().server.requests.at(-1)?.toolOutputs.at(-1)?.text).toBe('{"accepted":true}');
});

test('S3.151 `send_message_to_user_async` has `delivery: "async"` without questions', async () => {
  const thread = await codex().open();
  codex().server.script(tellWhileWorking('By the way'), text('Working on.'));
  await thread.completed(await thread.start('Tell me'));
  const [told] = thread.all('item/completed').filter(({ item }) => item.type === 'agentMessage');
  expect(told.item).toMatchObject({ delivery: 'async', questions: null, text: 'By the way', phase: 'final_answer' });
});

test('S3.194 a sample answers with the text of the model, and nothing else is told of it', async () => {
  const thread = await codex().open();
  codex().server.script(text('Hello.'));
  codex().server.aside('suggestion', suggestion('Run the tests'));
  const turn = await thread.start('Hi');
  await thread.completed(turn);
  thread.fromNow();
  const sample = { expectedTurnId: turn, prompt: 'What next?', effort: 'high' };
  expect(await thread.call('thread/sample', sample)).toMatchObject({
    sourceTurnId: turn,
    text: '{"suggestion":"Run the tests"}',
    inputTokens: 100,
  });
  expect(thread.story()).toEqual(['answer thread/sample']);
  const asked = codex().server.requests.at(-1);
  expect([asked?.kind, asked?.lastUserText]).toEqual(['suggestion', 'What next?']);
  expect([asked?.threadId === thread.id, asked?.ownerThreadId]).toEqual([false, thread.id]);
});

test('S3.195 a sample without text is null, of a failing model an error', async () => {
  const thread = await codex().open();
  codex().server.script(text('Hello.'));
  const turn = await thread.start('Hi');
  await thread.completed(turn);
  codex().server.aside('suggestion', text(''));
  expect((await thread.call('thread/sample', { expectedTurnId: turn, prompt: 'What next?' })).text).toBeNull();
  codex().server.aside('suggestion', failure(400, { error: { message: 'No' } }));
  expect(await thread.refusal('thread/sample', { expectedTurnId: turn, prompt: 'What next?' })).toEqual({
    code: -32603,
    message: '{"error":{"message":"No"}}',
  });
});

test('S3.195 a sample is refused while a turn runs and when another turn ran; one in flight survives a new turn', async () => {
  const thread = await codex().open();
  const gate = hold();
  codex().server.script(text('Hello.'), text('one two').pauseAt(gate), text('Hello again.'));
  const first = await thread.start('Hi');
  await thread.completed(first);
  const sample = (expectedTurnId: string): Promise<{ message: string }> =>
    thread.refusal('thread/sample', { expectedTurnId, prompt: 'What next?' });
  thread.fromNow();
  const second = await thread.start('Go');
  await thread.speaking();
  for (const turn of [first, second]) {
    expect(await sample(turn)).toEqual({ code: -32600, message: 'sample source must be idle' });
  }
  gate.open();
  await thread.completed(second);
  const refusal = { code: -32600, message: 'sample source turn must be the latest finished turn' };
  expect(await sample(first)).toEqual(refusal);
  expect(await sample('unknown')).toEqual(refusal);

  const answer = hold();
  codex().server.aside('suggestion', reply(pause(answer), suggestion('Late')));
  const late = thread.call('thread/sample', { expectedTurnId: second, prompt: 'What next?' });
  await answer.reached;
  await thread.completed(await thread.start('Again'));
  answer.open();
  expect(await late).toMatchObject({ sourceTurnId: second, text: '{"suggestion":"Late"}' });
});

test('S3.202 `skills/changed` names no thread; it follows new roots, at once, and changes below them', async () => {
  const thread = await codex().open();
  const skill = (description: string): void =>
    thread.workspace.write(
      '.agents/skills/hello/SKILL.md',
      `---\nname: hello\ndescription: ${description}\n---\nHello.\n`,
    );
  skill('Say hello');
  const { client } = codex();
  const changed = (from: number): Promise<{ params?: unknown }> =>
    client.waitFor('skills/changed', ({ method }) => method === 'skills/changed', from);
  const start = client.received.length;
  await client.call('skills/extraRoots/set', { extraRoots: [thread.workspace.file('.agents/skills')] });
  expect((await changed(start)).params).toEqual({});
  const methods = client.received.slice(start).map((frame) => frame.method ?? client.answered(frame));
  expect(methods.filter((method) => method?.startsWith('skills/'))).toEqual([
    'skills/changed',
    'skills/extraRoots/set',
  ]);
  const { length } = client.received;
  skill('Say it again');
  await changed(length);
  const { data } = await client.call('skills/list', { cwds: [thread.workspace.path] });
  const hello = data[0].skills.find(({ name }: { name: string }) => name === 'hello');
  expect(hello).toMatchObject({ description: 'Say it again', enabled: true });
});
