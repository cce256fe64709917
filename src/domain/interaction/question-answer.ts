import type { QuestionField } from './form-ask.ts';

/** Stands for an answer that is not among the choices (S5.108). */
export const otherChoice = 'None of the above';

/** The answer to one question: choices or free text as given, and what the user wrote beside the choices. */
export interface QuestionAnswer {
  readonly values: readonly string[];
  readonly notes: readonly string[];
}

/** Reads the answer to a question out of a form; `null` when it was not answered (S5.109). */
export function questionAnswer(field: QuestionField, form: ReadonlyMap<string, unknown>): QuestionAnswer | null {
  const given = givenTexts(form.get(field.key));
  const note = field.noteKey === null ? [] : givenTexts(form.get(field.noteKey));
  if (field.choices.length === 0) return given.length === 0 ? null : { values: given, notes: [] };
  const values = given.filter((value) => isChoice(field, value));
  const typed = field.other ? given.filter((value) => !isChoice(field, value)) : [];
  const notes = [...typed, ...note].map((text) => text.trim()).filter((text) => text !== '');
  if (values.length === 0 && notes.length === 0) return null;
  // Codex must see a choice, also when the user only wrote something (S5.109).
  return { values: values.length === 0 ? [otherChoice] : values, notes };
}

/** What the user said, in plain words; empty when that is nothing (S5.118). */
export function answerText({ values, notes }: QuestionAnswer): string {
  const said = [...values.filter((value) => value !== otherChoice), ...notes];
  return said.filter((text) => text.trim() !== '').join('\n\n');
}

function isChoice(field: QuestionField, value: string): boolean {
  return field.choices.some((choice) => choice.value === value) || (field.other && value === otherChoice);
}

/** A text that is not blank, or a list of texts; anything else is no answer. */
function givenTexts(value: unknown): string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value];
  if (!Array.isArray(value)) return [];
  const texts = value.filter((entry) => typeof entry === 'string');
  return texts.length === value.length ? texts : [];
}
