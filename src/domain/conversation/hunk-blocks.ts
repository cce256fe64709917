import type { Hunk } from './patch-hunks.ts';
import { noNewline } from './patch-hunks.ts';

/** Both sides of a hunk as text: its context and what it takes away, or puts in. */
export interface HunkBlock {
  readonly oldText: string;
  readonly newText: string;
}

/**
 * Old and new text of one hunk (S4.62). Every line ends with a newline, except one that a marker says has none: the
 * marker counts for the side of the line before it. A carriage return stays.
 */
export function hunkBlock(hunk: Hunk): HunkBlock {
  let oldText = '';
  let newText = '';
  let last = '';
  for (const line of hunk.lines) {
    if (line === noNewline) {
      if (last !== '+') oldText = withoutNewline(oldText);
      if (last !== '-') newText = withoutNewline(newText);
      continue;
    }
    last = line === '' ? ' ' : line.charAt(0);
    const text = `${line.slice(1)}\n`;
    if (last !== '+') oldText += text;
    if (last !== '-') newText += text;
  }
  return { oldText, newText };
}

function withoutNewline(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}
