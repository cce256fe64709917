import { expect, test } from 'vitest';
import { endGoal } from '../../support/model-answers.ts';
import { text } from '../../support/model-replies.ts';
import { useCodex } from './lab.ts';

const codex = useCodex({ model: 'gpt-5.5' });

test('S3.114 a started turn names the review that it works for; every other turn is its own root', async () => {
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
  expect(roots).toEqual(['own', review, 'own', 'own', 'own']);
});
