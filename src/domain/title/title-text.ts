import { cutText } from '../conversation/cut-text.ts';
import { sessionTitle } from '../conversation/session-title.ts';

/** Length of the user's text that a title is made from, in UTF-16 units (S3.191). */
const longestSource = 4000;

/** The pairs of marks that models put around a title. */
const quotes: readonly (readonly [string, string])[] = [
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
  ['“', '”'],
  ['‘', '’'],
  ['«', '»'],
];

/** What a title is made from: the text of a prompt, at most 4000 UTF-16 units (S3.191); `''` when it has none. */
export function titleSource(texts: readonly string[]): string {
  return cutText(texts.join('\n').trim(), longestSource).trimEnd();
}

/** A title as the model gave it: one line, without quotes around it, at most 256 units; `null` is none (S9.133). */
export function generatedTitle(answer: string | null): string | null {
  let title = (answer ?? '').trim();
  for (let inner = unquoted(title); inner !== null; inner = unquoted(title)) title = inner.trim();
  return sessionTitle(title);
}

/** The text between the quotes around it; `null` when it is not one quotation as a whole. */
function unquoted(text: string): string | null {
  for (const [open, close] of quotes) {
    if (text.length < 2 || !text.startsWith(open) || !text.endsWith(close)) continue;
    const inner = text.slice(open.length, -close.length);
    if (!inner.includes(open) && !inner.includes(close)) return inner;
  }
  return null;
}
