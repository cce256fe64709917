import { expect, test } from 'vitest';
import { Mailbox } from '../../../src/domain/session/mailbox.ts';

test('S3.75 inputs are handled one after another, also those that one of them brings', () => {
  const handled: string[] = [];
  const mailbox = new Mailbox<string>(
    (input) => {
      handled.push(`${input} begins`);
      if (input === 'first') for (const next of ['second', 'third']) mailbox.post(next);
      handled.push(`${input} ends`);
    },
    () => undefined,
  );
  mailbox.post('first');
  expect(handled).toEqual(['first', 'second', 'third'].flatMap((input) => [`${input} begins`, `${input} ends`]));
});

test('S3.75 one that fails is told, and the others are handled all the same', () => {
  const handled: string[] = [];
  const failed: unknown[] = [];
  const mailbox = new Mailbox<string>(
    (input) => {
      if (input === 'first') for (const next of ['bad', 'second']) mailbox.post(next);
      if (input === 'bad') throw new Error('broken');
      handled.push(input);
    },
    (input, error) => failed.push([input, error]),
  );
  mailbox.post('first');
  mailbox.post('bad');
  mailbox.post('third');
  expect(handled).toEqual(['first', 'second', 'third']);
  expect(failed).toEqual([
    ['bad', new Error('broken')],
    ['bad', new Error('broken')],
  ]);
});
