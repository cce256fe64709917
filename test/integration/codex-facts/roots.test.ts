import { expect, test } from 'vitest';
import { createGoal, endGoal } from '../../support/model-answers.ts';
import { text } from '../../support/model-replies.ts';
import { useCodex } from './lab.ts';

const codex = useCodex({ model: 'gpt-5.5' });

test('S3.114 a reviewer names its review as the root of its turn; prompts, compactions and goals have none but themselves', async () => {
  const thread = await codex().open();
  codex().server.script(text('Hello.'), text('Fine.'), text('Summary.'), text('Dug.'), endGoal(), text('Done.'));
  const prompt = await thread.start('Hi');
  await thread.completed(prompt);
  const target = { type: 'custom', instructions: 'Look at it' };
  const review = (await thread.call('review/start', { delivery: 'inline', target })).turn.id;
  await thread.completed(review);
  const seen = new Set(thread.all('turn/started').map(({ turn }) => turn.id));
  await thread.call('thread/compact/start');
  await thread.completed(await thread.started((id) => !seen.has(id)));
  await thread.call('thread/goal/set', { objective: 'Ship it', status: 'active' });
  await thread.told('thread/goal/updated', (params) => params.goal.status === 'complete');
  await thread.completed(thread.all('turn/started').at(-1).turn.id);

  const roots = thread.all('turn/started').map(({ turn }) => (turn.rootTurnId === turn.id ? 'own' : turn.rootTurnId));
  expect(roots.slice(0, 3)).toEqual(['own', review, 'own']);
  // The goal takes one turn or two.
  expect(new Set(roots.slice(3))).toEqual(new Set(['own']));
});

test('S3.114 S3.11 the turns of a goal that the model set have the turn in which it did so as their root', async () => {
  const thread = await codex().open();
  codex().server.script(createGoal('Ship it'), text('Set.'), text('Dug.'), endGoal(), text('Done.'));
  const prompt = await thread.start('Go');
  await thread.told('thread/goal/updated', (params) => params.goal.status === 'complete');
  await thread.completed(thread.all('turn/started').at(-1).turn.id);
  expect(thread.all('turn/started').map(({ turn }) => turn.rootTurnId)).toEqual([prompt, prompt, prompt]);
});
