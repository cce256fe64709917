const longest = 256;

/** A thread name as a session title (S4.91): one line, at most 256 UTF-16 units; `null` when nothing is left. */
export function sessionTitle(name: string | null): string | null {
  const title = (name ?? '').replace(/\s+/g, ' ').trim();
  if (title === '') return null;
  if (title.length <= longest) return title;
  const last = title.charCodeAt(longest - 2);
  const end = last >= 0xd800 && last <= 0xdbff ? longest - 2 : longest - 1;
  return `${title.slice(0, end).trimEnd()}…`;
}
