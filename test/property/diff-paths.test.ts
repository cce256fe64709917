import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffPaths } from '../../src/domain/report/diff-paths.ts';

/** Names of every kind that breaks readers of diffs: the separator, quotes, escapes, controls, bytes above ASCII. */
const character = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('a', 'b', ' ', '/', '"', '\\', '\t', '.', 'é', '日', '😀', '3', '7') },
  { weight: 1, arbitrary: fc.constantFrom(' b/', ' a/', ' "b/', '/dev/null', '\u0001', '\u007f', '\r', '\n', '\v') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
);
const name = fc
  .array(character, { minLength: 1, maxLength: 12 })
  .map((characters) => characters.join(''))
  .filter((text) => !text.includes('\0') && !/\p{Cs}/u.test(text));

/** Text of a file that does all to look like a diff. */
const line = fc.constantFrom('', 'a', '-- a/x', '++ b/x', 'diff --git a/x b/x', '@@ -1 +1 @@', 'rename from x', 'x\r');

type Change =
  | { readonly kind: 'edit' | 'add' | 'remove'; readonly name: string; readonly lines: readonly string[] }
  | { readonly kind: 'empty' | 'mode' | 'binary'; readonly name: string }
  | { readonly kind: 'move'; readonly name: string; readonly target: string; readonly lines: readonly string[] };

const lines = fc.array(line, { minLength: 1, maxLength: 4 });
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constantFrom('edit', 'add', 'remove'), name, lines }),
  fc.record({ kind: fc.constantFrom('empty', 'mode', 'binary'), name }),
  fc.record({ kind: fc.constant('move'), name, target: name, lines: fc.array(line, { maxLength: 4 }) }),
);

/** Git's quoting of names (`quote_c_style`); `octal`: with `core.quotePath`. */
function quoted(prefix: string, path: string, octal: boolean): string {
  const short: Readonly<Record<string, string>> = {
    '\u0007': 'a',
    '\b': 'b',
    '\t': 't',
    '\n': 'n',
    '\v': 'v',
    '\f': 'f',
    '\r': 'r',
    '"': '"',
    '\\': '\\',
  };
  const bytes = (text: string) =>
    [...Buffer.from(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  let isQuoted = false;
  const escaped = [...(prefix + path)].map((unit) => {
    const code = unit.codePointAt(0) ?? 0;
    const written =
      short[unit] !== undefined
        ? `\\${short[unit]}`
        : code < 32 || code === 127 || (code > 127 && octal)
          ? bytes(unit)
          : null;
    isQuoted ||= written !== null;
    return written ?? unit;
  });
  return isQuoted ? `"${escaped.join('')}"` : prefix + path;
}

type Write = (prefix: string, path: string) => string;

function write(item: Change, as: Write, spaceTab: boolean): string {
  const target = item.kind === 'move' ? item.target : item.name;
  const [before, after] = [as('a/', item.name), as('b/', target)];
  const header = `diff --git ${before} ${after}`;
  const fileLine = (mark: string, text: string) =>
    `${mark} ${text}${spaceTab && text.includes(' ') && !text.startsWith('"') ? '\t' : ''}`;
  switch (item.kind) {
    case 'empty':
      return `${header}\nnew file mode 100644\nindex 0000000..e69de29\n`;
    case 'mode':
      return `${header}\nold mode 100644\nnew mode 100755\n`;
    case 'binary':
      return `${header}\nindex 1..2 100644\nBinary files ${before} and ${after} differ\n`;
    case 'move': {
      const moved = `${header}\nsimilarity index 90%\nrename from ${as('', item.name)}\nrename to ${as('', target)}\n`;
      if (item.lines.length === 0) return moved;
      return `${moved}index 1..2\n${fileLine('---', before)}\n${fileLine('+++', after)}\n${hunk(item.lines, item.lines)}`;
    }
    case 'edit':
      return `${header}\nindex 1..2\n${fileLine('---', before)}\n${fileLine('+++', after)}\n${hunk(item.lines, ['x'])}`;
    case 'add':
      return `${header}\nnew file mode 100644\n--- /dev/null\n${fileLine('+++', after)}\n${hunk([], item.lines)}`;
    case 'remove':
      return `${header}\ndeleted file mode 100644\n${fileLine('---', before)}\n+++ /dev/null\n${hunk(item.lines, [])}`;
  }
}

function hunk(before: readonly string[], after: readonly string[]): string {
  const body = [
    ...before.map((text) => `-${text}\n`),
    ...after.map((text) => `+${text}\n`),
    '\\ No newline at end of file\n',
  ];
  return `@@ -1,${before.length} +1,${after.length} @@ diff --git a/x b/x\n${body.join('')}`;
}

const namesOf = (item: Change) => (item.kind === 'move' ? [item.name, item.target] : [item.name]);
const inOrder = (changes: readonly Change[]) => [...new Set(changes.flatMap(namesOf))];

test('S3.199 names that Git wrote are read back', () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 5 }), fc.boolean(), (changes, octal) => {
      const diff = changes.map((item) => write(item, (prefix, path) => quoted(prefix, path, octal), true)).join('');
      expect(diffPaths(diff)).toEqual({ paths: inOrder(changes), omitted: false });
    }),
    { numRuns: 2_000 },
  );
});

test('S3.199 names that Codex wrote are read back', () => {
  // Codex writes names bare, so one with a line break has no reading, and a tab at the end looks like that of Git.
  const isWritable = (item: Change) => namesOf(item).every((text) => !/[\r\n]|\t$/.test(text));
  fc.assert(
    fc.property(fc.array(change.filter(isWritable), { minLength: 1, maxLength: 5 }), (changes) => {
      const bare = changes.filter(({ kind }) => kind !== 'move');
      fc.pre(bare.length > 0);
      const diff = bare.map((item) => write(item, (prefix, path) => prefix + path, false)).join('');
      expect(diffPaths(diff)).toEqual({ paths: inOrder(bare), omitted: false });
    }),
    { numRuns: 2_000 },
  );
});

test('S3.198 any text is either a diff or none: reading it never throws', () => {
  const piece = fc.oneof(
    change.map((item) => write(item, (prefix, path) => quoted(prefix, path, true), true)),
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom('diff --git ', '"a/\\', '@@ -1,9 +1,9 @@\n', '--- ', '+++ "b/', '\r', '\n', 'rename to '),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.nat(60), (pieces, cut) => {
      const text = pieces.join('');
      const found = diffPaths(text.slice(0, Math.max(0, text.length - cut)));
      expect(found === null || found.paths.every((path) => path !== '')).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
