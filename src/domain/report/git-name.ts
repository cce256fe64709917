/** A file name in the headers of a Git diff. */
export type GitName =
  | { readonly type: 'path'; readonly path: string }
  /** `/dev/null`: the file is not there on this side. */
  | { readonly type: 'absent' }
  /** Bytes that are no UTF-8: there is such a file, but no text names it. */
  | { readonly type: 'undecodable' };

export type NameSide = 'a' | 'b';

const escapes: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  '"': 34,
  '\\': 92,
};
const octal = /[0-3][0-7]{2}/y;

/**
 * The name after `--- ` (side `a`) or `+++ ` (side `b`), without its prefix; `null` when the line is damaged. Git ends a
 * bare name that has a space with a tab; Codex writes every name bare and without the tab.
 */
export function fileLineName(text: string, side: NameSide): GitName | null {
  const name = text.endsWith('\t') ? text.slice(0, -1) : text;
  if (name === '/dev/null') return { type: 'absent' };
  const whole = wholeName(name);
  return whole === null ? null : withoutPrefix(whole, side);
}

/** A name that has no prefix, as after `rename from `; `null` when it is damaged. */
export function wholeName(text: string): GitName | null {
  if (text === '') return null;
  if (!text.startsWith('"')) return { type: 'path', path: text };
  const quoted = quotedName(text, 0);
  return quoted?.end === text.length ? quoted.name : null;
}

/**
 * Both names of a `diff --git` line. Bare names may contain ` b/`, so the line is only clear when both are the same, or
 * when it can be cut in one way; otherwise `null`. Git writes such names a second time, in lines of their own.
 */
export function headerNames(text: string): readonly [GitName, GitName] | null {
  if (text.startsWith('"')) {
    const first = quotedName(text, 0);
    return first === null || text[first.end] !== ' ' ? null : pair(first.name, text.slice(first.end + 1));
  }
  const middle = (text.length - 1) / 2;
  const same = text.slice(2, middle);
  if (text === `a/${same} b/${same}`) return pair({ type: 'path', path: `a/${same}` }, `b/${same}`);
  const quoted = cuts(text, ' "b/').filter((cut) => quotedName(text, cut + 1)?.end === text.length);
  const [cut, ...others] = quoted.length > 0 ? quoted : cuts(text, ' b/');
  if (cut === undefined || others.length > 0 || !text.startsWith('a/')) return null;
  return pair({ type: 'path', path: text.slice(0, cut) }, text.slice(cut + 1));
}

function pair(first: GitName, secondText: string): readonly [GitName, GitName] | null {
  const second = wholeName(secondText);
  const before = withoutPrefix(first, 'a');
  const after = second === null ? null : withoutPrefix(second, 'b');
  return before === null || after === null ? null : [before, after];
}

function cuts(text: string, separator: string): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(separator); at !== -1 && found.length < 2; at = text.indexOf(separator, at + 1)) {
    found.push(at);
  }
  return found;
}

function withoutPrefix(name: GitName, side: NameSide): GitName | null {
  if (name.type !== 'path' || !name.path.startsWith(`${side}/`)) return name;
  const path = name.path.slice(2);
  return path === '' ? null : { type: 'path', path };
}

/** A name in Git's quotes: escapes as in C, bytes outside of ASCII in octal or as they are. `end` is behind the quote. */
function quotedName(text: string, start: number): { readonly name: GitName; readonly end: number } | null {
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  let at = start + 1;
  while (at < text.length) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (character === '"') return { name: decoded(bytes), end: at + 1 };
    if (character === '\\') {
      const escaped = escapedByte(text, at + 1);
      if (escaped === null) return null;
      bytes.push(escaped.byte);
      at = escaped.end;
    } else {
      for (const byte of encoder.encode(character)) bytes.push(byte);
      at += character.length;
    }
  }
  return null;
}

function escapedByte(text: string, at: number): { readonly byte: number; readonly end: number } | null {
  const byte = escapes[text[at] ?? ''];
  if (byte !== undefined) return { byte, end: at + 1 };
  octal.lastIndex = at;
  const digits = octal.exec(text)?.[0];
  return digits === undefined ? null : { byte: Number.parseInt(digits, 8), end: at + digits.length };
}

function decoded(bytes: readonly number[]): GitName {
  try {
    const path = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
    return { type: 'path', path };
  } catch {
    return { type: 'undecodable' };
  }
}
