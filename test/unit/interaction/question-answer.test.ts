import { describe, expect, it } from 'vitest';
import type { QuestionField } from '../../../src/domain/interaction/form-ask.ts';
import { questionAnswer } from '../../../src/domain/interaction/question-answer.ts';
import type { FormQuestion } from '../../../src/domain/interaction/question-fields.ts';
import { questionFields } from '../../../src/domain/interaction/question-fields.ts';

const question = (key: string, overrides: Partial<FormQuestion> = {}): FormQuestion => ({
  key,
  title: `Question ${key}`,
  description: '',
  choices: [
    { value: 'A', description: 'first' },
    { value: 'B', description: '' },
  ],
  other: true,
  secret: false,
  required: true,
  ...overrides,
});

function field(overrides: Partial<FormQuestion> = {}): QuestionField {
  const [only] = questionFields([question('q', overrides)]);
  if (only === undefined) throw new Error('A field was expected');
  return only;
}

const read = (of: QuestionField, values: Readonly<Record<string, unknown>>): string[] | null => {
  const answer = questionAnswer(of, new Map(Object.entries(values)));
  return answer === null ? null : [...answer.values, ...answer.notes.map((note) => `user_note: ${note}`)];
};

describe('questionFields', () => {
  it('S5.108 a note where other answers than the choices are taken, and nowhere else', () => {
    const fields = questionFields([question('a'), question('b', { other: false }), question('c', { choices: [] })]);
    expect(fields.map(({ key, noteKey }) => [key, noteKey])).toEqual([
      ['a', 'a_note'],
      ['b', null],
      ['c', null],
    ]);
  });

  it('S5.108 the key of a note is never that of another question', () => {
    const keys = ['a', 'a_note', 'a_note1'];
    const fields = questionFields(keys.map((key) => question(key)));
    expect(fields.map(({ noteKey }) => noteKey)).toEqual(['a_note2', 'a_note_note', 'a_note1_note']);
  });
});

describe('questionAnswer', () => {
  it.each([
    ['a choice', { q: 'A' }, ['A']],
    ['a choice and a note', { q: 'A', q_note: ' more ' }, ['A', 'user_note: more']],
    ['the choice for other answers', { q: 'None of the above' }, ['None of the above']],
    ['a typed answer', { q: ' mine ' }, ['None of the above', 'user_note: mine']],
    [
      'a typed answer and a note',
      { q: 'mine', q_note: 'too' },
      ['None of the above', 'user_note: mine', 'user_note: too'],
    ],
    ['a note alone', { q_note: 'mine' }, ['None of the above', 'user_note: mine']],
    ['several choices', { q: ['A', 'B'] }, ['A', 'B']],
    ['nothing', {}, null],
    ['blanks', { q: ' ', q_note: '\t' }, null],
    ['an empty list', { q: [] }, null],
    ['a list that holds no text', { q: ['A', 1] }, null],
    ['another type', { q: true, q_note: null }, null],
  ])('S5.109 reads %s', (_name, values, answer) => {
    expect(read(field(), values)).toEqual(answer);
  });

  it.each([
    ['a choice', { q: 'B' }, ['B']],
    ['another text', { q: 'mine' }, null],
    ['the choice for other answers, which was not offered', { q: 'None of the above' }, null],
    ['a note that the form does not have', { q: 'A', q_note: 'more' }, ['A']],
    ['choices among other texts', { q: ['A', 'mine'] }, ['A']],
    ['a text of Codex that is no choice', { q: '__codex_mcp_decline__' }, null],
  ])('S5.109 S5.114 where only choices are taken, reads %s', (_name, values, answer) => {
    expect(read(field({ other: false }), values)).toEqual(answer);
  });

  it('S5.109 without choices the text is taken as it is', () => {
    expect(read(field({ choices: [] }), { q: ' mine\n' })).toEqual([' mine\n']);
    expect(read(field({ choices: [], other: false }), { q: 'None of the above' })).toEqual(['None of the above']);
    expect(read(field({ choices: [] }), { q: ' ' })).toBeNull();
  });
});
