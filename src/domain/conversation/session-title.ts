import { cutText } from './cut-text.ts';

const longest = 256;

/** A thread name as a session title (S4.91): one line, at most 256 UTF-16 units; `null` when nothing is left. */
export function sessionTitle(name: string | null): string | null {
  const title = (name ?? '').replace(/\s+/g, ' ').trim();
  if (title === '') return null;
  if (title.length <= longest) return title;
  return `${cutText(title, longest - 1).trimEnd()}…`;
}
