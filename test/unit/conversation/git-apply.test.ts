import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChangedFile } from '../../../src/domain/conversation/changed-file.ts';
import type { PatchStyle } from '../../../src/domain/conversation/git-patch.ts';
import { gitPatch } from '../../../src/domain/conversation/git-patch.ts';

/** S4.128: real Git applies our patches in scratch directories under the ignored `.tmp/` of the repository. */

const scratch = join(import.meta.dirname, '../../../.tmp');
let root = '';

beforeAll(() => {
  mkdirSync(scratch, { recursive: true });
  root = mkdtempSync(join(scratch, 'git-apply-'));
  git(root, ['init', '--quiet'], '');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function git(cwd: string, args: readonly string[], input: string): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd, input, encoding: 'utf8' });
  // `git diff --no-index` ends with 1 when the files differ.
  if (status !== 0 && !(args[0] === 'diff' && status === 1)) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** Applies a patch; a/ and b/ and the directory are stripped, or the paths stand as they are. */
function apply(patch: string, style: PatchStyle): void {
  const strip = style === 'prefixed' ? root.split('/').length : 0;
  git(root, ['apply', `-p${strip}`, '--unsafe-paths', '--whitespace=nowarn', '-'], patch);
}

function patchOf(file: Omit<ChangedFile, 'moved'>, style: PatchStyle): string {
  const patch = gitPatch({ ...file, moved: file.path !== file.target }, style);
  if (patch.type === 'none') throw new Error('no patch');
  return patch.text;
}

/** Hunks between two texts as Codex gives them: without file headers. */
function hunks(oldText: string, newText: string): string {
  const [before, after] = [join(root, '.before'), join(root, '.after')];
  writeFileSync(before, oldText);
  writeFileSync(after, newText);
  const diff = git(root, ['diff', '--no-index', '--no-color', before, after], '');
  return diff.slice(diff.indexOf('@@'));
}

function put(name: string, text: string): string {
  const path = join(root, name);
  writeFileSync(path, text);
  return path;
}

const names = [
  'plain.ts',
  'with space.ts',
  'quo"te.ts',
  "apo'strophe.ts",
  'tab\tname.ts',
  'back\\slash.ts',
  'é日本.ts',
  'line\nbreak.ts',
];
const styles = ['prefixed', 'absolute'] as const;
const lines = Array.from({ length: 20 }, (_, n) => `line ${n}`);
const texts: readonly [string, string, string][] = [
  ['LF', `${lines.join('\n')}\n`, `first\n${lines.slice(1, 15).join('\n')}\nlast\n`],
  ['CRLF', `${lines.join('\r\n')}\r\n`, `first\r\n${lines.slice(1).join('\r\n')}\r\n`],
  ['no final newline before', 'a\nb', 'a\nb\n'],
  ['no final newline after', 'a\nb\n', 'a\nb'],
  ['no final newline at all', 'a\nb', 'a\nc'],
  ['empty lines and spaces', '\n\n \n\t\nx\n', '\n \n\t\ny\n\n'],
];

describe.each(styles)('S4.128 real Git applies patches with %s names', (style) => {
  it.each(names)('update, move, delete and add: %j', (name) => {
    const path = put(name, 'a\nb\nc\n');
    apply(patchOf({ kind: 'update', path, target: path, text: hunks('a\nb\nc\n', 'a\nB\nc\n') }, style), style);
    expect(readFileSync(path, 'utf8')).toBe('a\nB\nc\n');

    const target = join(root, `moved ${name}`);
    apply(patchOf({ kind: 'update', path, target, text: hunks('a\nB\nc\n', 'a\nB\nC\n') }, style), style);
    expect(existsSync(path)).toBe(false);
    expect(readFileSync(target, 'utf8')).toBe('a\nB\nC\n');

    apply(patchOf({ kind: 'delete', path: target, target, text: 'a\nB\nC\n' }, style), style);
    expect(existsSync(target)).toBe(false);

    apply(patchOf({ kind: 'add', path, target: path, text: 'new\nlines' }, style), style);
    expect(readFileSync(path, 'utf8')).toBe('new\nlines');
    rmSync(path);
  });

  it.each(texts)('update: %s', (_name, before, after) => {
    const path = put('text.ts', before);
    apply(patchOf({ kind: 'update', path, target: path, text: hunks(before, after) }, style), style);
    expect(readFileSync(path, 'utf8')).toBe(after);
  });

  it.each(texts)('add and delete: %s', (_name, text) => {
    const path = join(root, 'whole.ts');
    apply(patchOf({ kind: 'add', path, target: path, text }, style), style);
    expect(readFileSync(path, 'utf8')).toBe(text);
    apply(patchOf({ kind: 'delete', path, target: path, text }, style), style);
    expect(existsSync(path)).toBe(false);
  });

  it('S4.75 any two texts', () => {
    const line = fc.constantFrom('', ' ', 'a', 'b', '-', '+', '@@ -1 +1 @@', 'c\r');
    const text = fc.tuple(fc.array(line, { maxLength: 12 }), fc.boolean()).map(([all, open]) => {
      return all.length === 0 ? '' : all.join('\n') + (open && all.at(-1) !== '' ? '' : '\n');
    });
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before !== after && before !== '' && after !== '');
        const path = put('any.ts', before);
        apply(patchOf({ kind: 'update', path, target: path, text: hunks(before, after) }, style), style);
        expect(readFileSync(path, 'utf8')).toBe(after);
      }),
      { numRuns: 40 },
    );
  });
});

describe('S4.71 S4.128 what v2 can say beyond v1', () => {
  it('a pure rename', () => {
    const path = put('old name.ts', 'x\n');
    const target = join(root, 'new name.ts');
    apply(patchOf({ kind: 'update', path, target, text: '' }, 'absolute'), 'absolute');
    expect(existsSync(path)).toBe(false);
    expect(readFileSync(target, 'utf8')).toBe('x\n');
  });

  it('an empty file', () => {
    const path = join(root, 'empty.ts');
    // Without file lines Git takes the name from the header, and only when it strips the directory.
    const stripped = (patch: string): string => git(root, ['apply', `-p${root.split('/').length}`, '-'], patch);
    stripped(patchOf({ kind: 'add', path, target: path, text: '' }, 'absolute'));
    expect(readFileSync(path, 'utf8')).toBe('');
    stripped(patchOf({ kind: 'delete', path, target: path, text: '' }, 'absolute'));
    expect(existsSync(path)).toBe(false);
  });
});
