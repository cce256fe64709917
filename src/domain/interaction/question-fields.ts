import type { QuestionField } from './form-ask.ts';

/** A question before it has its place in a form. */
export type FormQuestion = Omit<QuestionField, 'noteKey' | 'type'>;

/** Fields for questions with unique keys: one that takes other answers than its choices gets a note (S5.107, S5.108). */
export function questionFields(questions: readonly FormQuestion[]): QuestionField[] {
  const taken = new Set(questions.map(({ key }) => key));
  return questions.map((question) => {
    const hasNote = question.other && question.choices.length > 0;
    return { ...question, type: 'question', noteKey: hasNote ? freeNoteKey(question.key, taken) : null };
  });
}

function freeNoteKey(key: string, taken: Set<string>): string {
  let noteKey = `${key}_note`;
  for (let number = 1; taken.has(noteKey); number += 1) noteKey = `${key}_note${number}`;
  taken.add(noteKey);
  return noteKey;
}
