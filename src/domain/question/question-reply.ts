import { jsonObject } from '../json/json-object.ts';

/** An answered question in the shape that Codex reads (S3.154). */
export interface AnsweredQuestion {
  readonly answer: string;
  readonly question: string;
  readonly questionItemId: string;
}

/** The reply to questions: `text` for Codex, `readable` for people (S3.154, S3.156). */
export interface QuestionReply {
  readonly text: string;
  readonly readable: string;
}

const opening = '<send_user_message_question_reply>';
const closing = '</send_user_message_question_reply>';

/** Code points that a reply repeats of a question. */
const maxQuestion = 512;
/** Codex takes no longer ids, in UTF-16 units. */
const maxId = 512;

/** The answer to the question with this index of a message, as an entry of a reply. */
export function answeredQuestion(itemId: string, index: number, question: string, answer: string): AnsweredQuestion {
  return {
    answer,
    question: Array.from(question)
      .slice(0, maxQuestion)
      .join('')
      .replace(/\r\n|[\r\n]/g, ' '),
    questionItemId: JSON.stringify(['request_user_input_async', itemId, index]),
  };
}

/** The reply to at least one question; with an id that Codex would refuse it is the readable text alone (S3.154). */
export function questionReply(answered: readonly AnsweredQuestion[]): QuestionReply {
  const readable = readableForm(answered);
  if (answered.some(({ questionItemId }) => questionItemId.length > maxId)) return { text: readable, readable };
  // No answer may end the wrapper early.
  const json = JSON.stringify(answered).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e');
  return { text: `${opening}\n${json}\n${closing}`, readable };
}

/** The readable form of a user message that is a reply to questions; `null` for every other text (S3.156, S6.49). */
export function readableReply(text: string): string | null {
  const trimmed = text.trim();
  if (!trimmed.startsWith(opening) || !trimmed.endsWith(closing)) return null;
  const answered = parseAnswered(trimmed.slice(opening.length, -closing.length));
  return answered === null ? null : readableForm(answered);
}

function readableForm(answered: readonly AnsweredQuestion[]): string {
  return answered.map(({ question, answer }) => `> ${question}\n\n${answer}`).join('\n\n');
}

/** One entry or a non-empty list of entries. */
function parseAnswered(json: string): readonly AnsweredQuestion[] | null {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return null;
  }
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  const answered = entries.flatMap((entry) => parseEntry(entry) ?? []);
  return answered.length > 0 && answered.length === entries.length ? answered : null;
}

function parseEntry(entry: unknown): AnsweredQuestion | null {
  const { answer, question, questionItemId } = jsonObject(entry) ?? {};
  if (typeof answer !== 'string' || typeof question !== 'string' || typeof questionItemId !== 'string') return null;
  return { answer, question, questionItemId };
}
