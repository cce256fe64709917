import { isWindowsPath } from './absolute-path.ts';
import type { ChangedFile } from './changed-file.ts';
import { hunksFit, noNewline, parseHunks } from './patch-hunks.ts';
import { isLargerThan } from './utf8-size.ts';

/** A diff or patch above this many bytes is not sent (S4.60, S4.73). */
export const patchLimit = 1024 * 1024;

/** `prefixed`: names with `a/` and `b/` for v1. `absolute`: whole paths for v2 (S4.68). */
export type PatchStyle = 'absolute' | 'prefixed';

/** A Git patch of one file, or why there is none. */
export type GitPatch =
  | { readonly type: 'patch'; readonly text: string }
  | { readonly type: 'none'; readonly binary: boolean };

const none: GitPatch = { type: 'none', binary: false };

/** Builds the Git patch of one file from what Codex tells of the change; the file is never read (S4.61, S4.68 ff.). */
export function gitPatch(file: ChangedFile, style: PatchStyle): GitPatch {
  if (isLargerThan(file.text, patchLimit)) return none;
  if (file.text.slice(0, 8000).includes('\0')) return { type: 'none', binary: true };
  const lines = file.kind === 'update' ? updateLines(file, style) : wholeFileLines(file, style);
  if (lines === null) return none;
  const text = `${lines.join('\n')}\n`;
  return isLargerThan(text, patchLimit) ? none : { type: 'patch', text };
}

function updateLines(file: ChangedFile, style: PatchStyle): string[] | null {
  const oldName = bareName(file.path, style);
  const newName = bareName(file.target, style);
  const header = gitHeader(oldName, newName, style);
  const rename = [`rename from ${quoted(oldName)}`, `rename to ${quoted(newName)}`];
  if (file.text.trim() === '') {
    if (oldName === newName || style === 'prefixed') return null;
    return [header, 'similarity index 100%', ...rename];
  }
  const hunks = parseHunks(file.text);
  if (hunks === null || !hunksFit(hunks)) return null;
  return [
    header,
    ...(oldName === newName ? [] : rename),
    fileLine('---', prefixed('a', oldName, style)),
    fileLine('+++', prefixed('b', newName, style)),
    ...hunks.flatMap((hunk) => [hunk.header, ...hunk.lines]),
  ];
}

function wholeFileLines(file: ChangedFile, style: PatchStyle): string[] | null {
  const added = file.kind === 'add';
  const name = bareName(file.path, style);
  const header = [gitHeader(name, name, style), `${added ? 'new' : 'deleted'} file mode 100644`];
  if (file.text === '') return style === 'prefixed' ? null : header;
  const open = !file.text.endsWith('\n');
  const lines = (open ? file.text : file.text.slice(0, -1)).split('\n');
  const range = lines.length === 1 ? '1' : `1,${lines.length}`;
  const mark = added ? '+' : '-';
  return [
    ...header,
    added ? '--- /dev/null' : fileLine('---', prefixed('a', name, style)),
    added ? fileLine('+++', prefixed('b', name, style)) : '+++ /dev/null',
    added ? `@@ -0,0 +${range} @@` : `@@ -${range} +0,0 @@`,
    ...lines.map((line) => mark + line),
    ...(open ? [noNewline] : []),
  ];
}

function gitHeader(oldName: string, newName: string, style: PatchStyle): string {
  return `diff --git ${quoted(prefixed('a', oldName, style))} ${quoted(prefixed('b', newName, style))}`;
}

/** A name with a space is followed by a tab, so that Git sees its end (S4.74). */
function fileLine(mark: '+++' | '---', name: string): string {
  const shown = quoted(name);
  return `${mark} ${shown}${shown === name && name.includes(' ') ? '\t' : ''}`;
}

function bareName(path: string, style: PatchStyle): string {
  if (style === 'absolute') return path;
  return (isWindowsPath(path) ? path.replaceAll('\\', '/') : path).replace(/^\/+/, '');
}

function prefixed(side: 'a' | 'b', name: string, style: PatchStyle): string {
  return style === 'absolute' ? name : `${side}/${name}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what has to be quoted
const special = /["\\\u0000-\u001f\u007f]/g;
const escapes: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
};

/** Git's quoting of names; what is not ASCII stays readable (S4.74). */
function quoted(name: string): string {
  const escaped = name.replace(special, (character) => {
    const octal = character.charCodeAt(0).toString(8).padStart(3, '0');
    return escapes[character] ?? `\\${octal}`;
  });
  return escaped === name ? name : `"${escaped}"`;
}
