import { describe, expect, it } from 'vitest';
import type { ChangedFile } from '../../../src/domain/conversation/changed-file.ts';
import { changedFile } from '../../../src/domain/conversation/changed-file.ts';
import type { GitPatch, PatchStyle } from '../../../src/domain/conversation/git-patch.ts';
import { gitPatch } from '../../../src/domain/conversation/git-patch.ts';
import { hunkBlock } from '../../../src/domain/conversation/hunk-blocks.ts';
import { hunksFit, parseHunks } from '../../../src/domain/conversation/patch-hunks.ts';

const file = (more: Partial<ChangedFile>): ChangedFile => {
  const path = more.path ?? '/w/a.ts';
  return { kind: 'update', path, target: path, moved: false, text: '@@ -1 +1 @@\n-x\n+y\n', ...more };
};
const patch = (more: Partial<ChangedFile>, style: PatchStyle = 'prefixed'): string | null => {
  const built: GitPatch = gitPatch(file(more), style);
  return built.type === 'patch' ? built.text : null;
};
const marker = '\\ No newline at end of file';

describe('hunks', () => {
  const wrong: readonly [string, string][] = [
    ['no hunk', 'a\nb\n'],
    ['empty', ''],
    ['text before the first hunk', 'hello\n@@ -1 +1 @@\n-x\n+y\n'],
    ['a header without ranges', '@@\n-x\n+y\n'],
    ['a header with words', '@@ -a +b @@\n-x\n+y\n'],
    ['too few lines', '@@ -1,2 +1 @@\n-x\n+y\n'],
    ['too many lines', '@@ -1 +1 @@\n-x\n+y\n z\n'],
    ['too many lines of one side', '@@ -1,2 +1,1 @@\n-x\n+y\n+z\n-w\n'],
    ['another mark', '@@ -1 +1 @@\n-x\n*y\n'],
    ['another marker', '@@ -1 +1 @@\n-x\n\\ no newline\n+y\n'],
    ['a file header between hunks', '@@ -1 +1 @@\n-x\n+y\n--- a\n+++ b\n@@ -5 +5 @@\n-x\n+y\n'],
    ['nothing in it', '@@ -0,0 +0,0 @@\n'],
  ];
  it.each(wrong)('S4.75 cannot be read: %s', (_name, text) => {
    expect(parseHunks(text)).toBeNull();
  });

  const right: readonly [string, string, number][] = [
    ['one', '@@ -1 +1 @@\n-x\n+y\n', 1],
    ['with file headers', 'diff --git a/x b/x\nindex 1..2\n\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n+y\n', 1],
    ['two', '@@ -1 +1,2 @@ f()\n-x\n+y\n+z\n@@ -9,2 +10 @@\n x\n-y\n', 2],
    ['an empty context line', '@@ -1,2 +1,2 @@\n\n-x\n+y\n', 1],
    ['markers', `@@ -1 +1 @@\n-x\n${marker}\n+y\n${marker}\n`, 1],
    ['without final newline', '@@ -1 +1 @@\n-x\n+y', 1],
    ['carriage returns', '@@ -1 +1 @@\n-x\r\n+y\r\n', 1],
  ];
  it.each(right)('S4.75 can be read: %s', (_name, text, count) => {
    expect(parseHunks(text)?.length).toBe(count);
  });

  const fit: readonly [string, string, boolean][] = [
    ['ascending', '@@ -1 +1,2 @@\n-x\n+y\n+z\n@@ -9 +10 @@\n-x\n+y\n', true],
    ['a wrong shift', '@@ -1 +1,2 @@\n-x\n+y\n+z\n@@ -9 +9 @@\n-x\n+y\n', false],
    ['overlapping', '@@ -1,3 +1,3 @@\n a\n-x\n+y\n b\n@@ -3 +3 @@\n-b\n+c\n', false],
    ['descending', '@@ -9 +9 @@\n-x\n+y\n@@ -1 +1 @@\n-x\n+y\n', false],
    ['insertion at the top', '@@ -0,0 +1 @@\n+x\n', true],
    ['insertion later', '@@ -3,0 +4 @@\n+x\n', true],
    ['everything removed', '@@ -1 +0,0 @@\n-x\n', true],
    ['line 0 with a line', '@@ -0 +0 @@\n-x\n+y\n', false],
  ];
  it.each(fit)('S4.75 fit: %s', (_name, text, expected) => {
    const hunks = parseHunks(text);
    expect(hunks).not.toBeNull();
    expect(hunksFit(hunks ?? [])).toBe(expected);
  });

  const blocks: readonly [string, string, string, string][] = [
    ['context and change', '@@ -1,2 +1,2 @@\n a\n-x\n+y\n', 'a\nx\n', 'a\ny\n'],
    ['no newline on the old side', `@@ -1 +1 @@\n-x\n${marker}\n+y\n`, 'x', 'y\n'],
    ['no newline on the new side', `@@ -1 +1 @@\n-x\n+y\n${marker}\n`, 'x\n', 'y'],
    ['no newline on both sides', `@@ -1,2 +1,2 @@\n-x\n+y\n a\n${marker}\n`, 'x\na', 'y\na'],
    ['carriage returns stay', '@@ -1 +1 @@\n-x\r\n+y\r\n', 'x\r\n', 'y\r\n'],
    ['an empty context line', '@@ -1,2 +1,2 @@\n\n-x\n+y\n', '\nx\n', '\ny\n'],
  ];
  it.each(blocks)('S4.62 texts: %s', (_name, text, oldText, newText) => {
    expect((parseHunks(text) ?? []).map(hunkBlock)).toEqual([{ oldText, newText }]);
  });
});

describe('changed files', () => {
  const change = { path: 'a.ts', kind: 'update', movePath: null, diff: '' } as const;

  it('S4.59 the repeated target of a move is taken off', () => {
    const moved = { ...change, movePath: 'b.ts', diff: '@@ -1 +1 @@\n-x\n+y\n\n\nMoved to: b.ts' };
    expect(changedFile(moved, '/w')).toEqual({
      kind: 'update',
      path: '/w/a.ts',
      target: '/w/b.ts',
      moved: true,
      text: '@@ -1 +1 @@\n-x\n+y\n',
    });
    expect(changedFile({ ...change, diff: '\n\nMoved to: b.ts' }, '/w')?.text).toBe('');
    expect(changedFile({ ...change, kind: 'add', diff: 'x\n\nMoved to: b.ts' }, '/w')?.text).toBe(
      'x\n\nMoved to: b.ts',
    );
  });

  it('S4.67 a path that cannot be made absolute is left out', () => {
    expect(changedFile(change, 'relative')).toBeNull();
    expect(changedFile({ ...change, path: '/a', movePath: 'b' }, 'relative')).toBeNull();
  });
});

describe('Git patches', () => {
  it('S4.68 names: a/ and b/ on v1, the path as it is on v2', () => {
    expect(patch({})).toContain('diff --git a/w/a.ts b/w/a.ts\n--- a/w/a.ts\n+++ b/w/a.ts\n');
    expect(patch({}, 'absolute')).toContain('diff --git /w/a.ts /w/a.ts\n--- /w/a.ts\n+++ /w/a.ts\n');
    expect(patch({ path: 'C:\\w\\a.ts' })).toContain('--- a/C:/w/a.ts\n');
    expect(patch({ path: 'C:\\w\\a.ts' }, 'absolute')).toContain('--- "C:\\\\w\\\\a.ts"\n');
  });

  it('S4.69 headers of Codex are replaced', () => {
    expect(patch({ text: 'diff --git x y\n--- x\n+++ y\n@@ -1 +1 @@\n-x\n+y' })).toBe(
      'diff --git a/w/a.ts b/w/a.ts\n--- a/w/a.ts\n+++ b/w/a.ts\n@@ -1 +1 @@\n-x\n+y\n',
    );
  });

  it('S4.71 empty files and pure renames have a patch on v2 only', () => {
    expect(patch({ kind: 'add', text: '' })).toBeNull();
    expect(patch({ kind: 'add', text: '' }, 'absolute')).toBe('diff --git /w/a.ts /w/a.ts\nnew file mode 100644\n');
    expect(patch({ kind: 'delete', text: '' }, 'absolute')).toContain('deleted file mode 100644\n');
    const renamed = { target: '/w/b.ts', moved: true, text: ' \n' };
    expect(patch(renamed)).toBeNull();
    expect(patch(renamed, 'absolute')).toContain('similarity index 100%\nrename from /w/a.ts\nrename to /w/b.ts\n');
    expect(patch({ moved: true, text: '' }, 'absolute')).toBeNull();
  });

  it('S4.72 a NUL early in the text makes it binary', () => {
    expect(gitPatch(file({ kind: 'add', text: 'a\0' }), 'absolute')).toEqual({ type: 'none', binary: true });
    expect(patch({ kind: 'add', text: `${'a'.repeat(8000)}\0` })).not.toBeNull();
  });

  it('S4.60 S4.73 neither the diff nor the patch may be larger than 1 MiB', () => {
    expect(patch({ kind: 'add', text: 'x'.repeat(1024 * 1024 + 1) })).toBeNull();
    expect(patch({ kind: 'add', text: 'x\n'.repeat(500_000) })).toBeNull();
    expect(patch({ kind: 'add', text: 'x'.repeat(1_000_000) })).not.toBeNull();
  });

  it('S4.74 names are quoted as Git does', () => {
    expect(patch({ path: '/w/a b.ts' })).toContain('diff --git a/w/a b.ts b/w/a b.ts\n--- a/w/a b.ts\t\n');
    expect(patch({ path: '/w/a"b.ts' })).toContain('--- "a/w/a\\"b.ts"\n');
    expect(patch({ path: '/w/a\tb c.ts' })).toContain('--- "a/w/a\\tb c.ts"\n');
    expect(patch({ path: '/w/a\u0001\u007f.ts' })).toContain('"a/w/a\\001\\177.ts"');
    expect(patch({ path: '/w/é日.ts' })).toContain('--- a/w/é日.ts\n');
  });
});
