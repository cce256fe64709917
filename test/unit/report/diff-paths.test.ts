import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diffPaths } from '../../../src/domain/report/diff-paths.ts';

const paths = (...lines: readonly string[]) => diffPaths(lines.join('\n'))?.paths ?? null;
const hunk = ['@@ -1 +1 @@', '-a', '+A'];

describe('S3.199 a diff of Codex 0.171, whose names are bare', () => {
  it('reads every file of a recorded diff', () => {
    const diff = [
      'diff --git a/crlf.txt b/crlf.txt',
      'index 4e349b5..749d09c',
      '--- a/crlf.txt',
      '+++ b/crlf.txt',
      '@@ -1,2 +1,2 @@',
      '-one\r',
      '+ONE\r',
      ' two\r',
      'diff --git a/empty new.txt b/empty new.txt',
      'new file mode 100644',
      'index 0000000..e69de29',
      'diff --git a/gone.txt b/gone.txt',
      'deleted file mode 100644',
      'index e69de29..0000000',
      'diff --git a/gone2.txt b/gone2.txt',
      'deleted file mode 100644',
      'index bca70f3..0000000',
      '--- a/gone2.txt',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-q',
      'diff --git a/old b/m.txt b/new b/m.txt',
      'index fbbee86..5f081be',
      '--- a/old b/m.txt',
      '+++ b/new b/m.txt',
      '@@ -1,2 +1,2 @@',
      '-alpha',
      '+ALPHA',
      ' beta',
      'diff --git a/open.txt b/open.txt',
      'index c1b0730..975fbec',
      '--- a/open.txt',
      '+++ b/open.txt',
      '@@ -1 +1 @@',
      '-x',
      '\\ No newline at end of file',
      '+y',
      'diff --git a/quo"te.txt b/quo"te.txt',
      'index 7898192..f70f10e',
      '--- a/quo"te.txt',
      '+++ b/quo"te.txt',
      ...hunk,
      'diff --git a//elsewhere/é.txt b//elsewhere/é.txt',
      'new file mode 100644',
      'index 0000000..ce01362',
      '--- /dev/null',
      '+++ b//elsewhere/é.txt',
      '@@ -0,0 +1 @@',
      '+hello',
      '',
    ];
    expect(diffPaths(diff.join('\n'))).toEqual({
      paths: [
        'crlf.txt',
        'empty new.txt',
        'gone.txt',
        'gone2.txt',
        'old b/m.txt',
        'new b/m.txt',
        'open.txt',
        'quo"te.txt',
        '/elsewhere/é.txt',
      ],
      omitted: false,
    });
  });

  it('counts a lone carriage return as the end of a line, as Codex does', () => {
    const diff = [
      'diff --git a/mac.txt b/mac.txt',
      'new file mode 100644',
      '--- /dev/null',
      '+++ b/mac.txt',
      '@@ -0,0 +1,3 @@',
      '+one\r+two\r+three',
      // The file ends with a lone carriage return, so nothing divides it from the next one.
      'diff --git a/end.txt b/end.txt',
      'new file mode 100644',
      '--- /dev/null',
      '+++ b/end.txt',
      '@@ -0,0 +1,2 @@',
      '+one\r+two\rdiff --git a/next.txt b/next.txt',
      'index 1..2',
      '--- a/next.txt',
      '+++ b/next.txt',
      ...hunk,
      '',
    ];
    expect(paths(...diff)).toEqual(['mac.txt', 'end.txt', 'next.txt']);
  });

  it('a carriage return inside of a line of a Git diff ends nothing', () => {
    expect(paths('diff --git a/x b/x', '--- a/x', '+++ b/x', '@@ -1 +1,2 @@', ' a\rb', '+c\rd')).toEqual(['x']);
  });
});

describe('S3.199 names', () => {
  it.each([
    ['octal bytes of UTF-8', '"a/\\303\\251.txt" "b/\\346\\227\\245.txt"', ['é.txt', '日.txt']],
    ['escapes', '"a/\\a\\b\\t\\n\\v\\f\\r\\"\\\\" b/x', ['\u0007\b\t\n\v\f\r"\\', 'x']],
    ['characters that are not ASCII in quotes', '"a/é\\"日" "b/é\\"日"', ['é"日']],
    ['only the second one in quotes', 'a/one two "b/\\t b/x"', ['one two', '\t b/x']],
    ['spaces', 'a/one two.txt b/one two.txt', ['one two.txt']],
    ['the separator in it', 'a/x b/y b/x b/y', ['x b/y']],
    ['a quote of its own', 'a/say "b/hi" b/say "b/hi"', ['say "b/hi"']],
    ['two different names', 'a/one b/two', ['one', 'two']],
    ['a prefix of its own', 'a/a/b/x b/a/b/x', ['a/b/x']],
  ])('in a header with %s', (_name, header, expected) => {
    expect(paths(`diff --git ${header}`, 'old mode 100644', 'new mode 100755')).toEqual(expected);
  });

  it('the lines of the file decide where the header is unclear', () => {
    const header = 'diff --git a/x b/y b/z b/w';
    expect(paths(header, '--- a/x b/y', '+++ b/z b/w', ...hunk)).toEqual(['x b/y', 'z b/w']);
    expect(paths(header, 'similarity index 100%', 'rename from x', 'rename to y b/z b/w')).toEqual(['x', 'y b/z b/w']);
    expect(paths(header, 'index 1..2')).toBeNull();
  });

  it('a tab ends a name that has a space; a tab in the name is part of it', () => {
    expect(paths('diff --git a/x y b/x y', '--- a/x y\t', '+++ b/x y\t', ...hunk)).toEqual(['x y']);
    expect(paths('diff --git a/x\ty b/x\ty', '--- a/x\ty', '+++ b/x\ty', ...hunk)).toEqual(['x\ty']);
  });

  it('/dev/null is no file, dev/null is one', () => {
    expect(paths('diff --git a/x b/x', '--- /dev/null', '+++ b/x', '@@ -0,0 +1 @@', '+a')).toEqual(['x']);
    expect(paths('diff --git a/dev/null b/dev/null', 'new file mode 100644')).toEqual(['dev/null']);
  });

  it('renames and copies carry no prefix', () => {
    const renamed = ['similarity index 90%', 'rename from a/x', 'rename to "b/\\303\\251"'];
    expect(paths('diff --git a/a/x "b/b/\\303\\251"', ...renamed)).toEqual(['a/x', 'b/é']);
    expect(paths('diff --git a/x b/y b/z b/w', 'copy from x', 'copy to y b/z b/w')).toEqual(['x', 'y b/z b/w']);
    expect(paths('diff --git a/x "b/\\357"', 'rename from x', 'rename to "\\357\\273\\277y"')).toEqual([
      'x',
      '\ufeffy',
    ]);
  });

  it('binary files, of Git and of Codex', () => {
    const literal = ['GIT binary patch', 'literal 3', 'KcmXxV7~zX1', '', 'literal 0', 'HcmV?d00001', ''];
    expect(paths('diff --git a/x b/x', 'index 1..2 100644', ...literal, 'diff --git a/y b/y', '')).toEqual(['x', 'y']);
    expect(paths('diff --git a/x b/x', 'Binary files a/x and b/x differ')).toEqual(['x']);
    expect(paths('diff --git a/x b/x', '--- a/x', '+++ b/x', 'Binary files differ')).toEqual(['x']);
  });

  it('a diff whose own lines end with CRLF', () => {
    expect(diffPaths(['diff --git a/x b/y', '--- a/x', '+++ b/y', ...hunk, ''].join('\r\n'))?.paths).toEqual([
      'x',
      'y',
    ]);
  });

  it('changed text that looks like headers is text', () => {
    const lines = [
      '--- a/not',
      '+++ b/not',
      ' diff --git a/not b/not',
      '-rename from not',
      '+@@ -1 +1 @@',
      '\\ No newline',
    ];
    expect(paths('diff --git a/x b/x', '--- a/x', '+++ b/x', '@@ -5,3 +5,3 @@ f()', ...lines)).toEqual(['x']);
  });

  it('a name that is no UTF-8 is left out, and it is said', () => {
    const diff = 'diff --git "a/\\377" "b/\\377"\nnew file mode 100644\ndiff --git a/x b/x\nnew file mode 100644\n';
    expect(diffPaths(diff)).toEqual({ paths: ['x'], omitted: true });
  });
});

it.each(['', '\n', ' \r\n'])('S3.200 an empty diff names no file: %j', (diff) => {
  expect(diffPaths(diff)).toEqual({ paths: [], omitted: false });
});

const file = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n';
it.each([
  ['a text', 'hello'],
  ['a text before the first file', `hello\n${file}@@ -1 +1 @@\n-a\n+b\n`],
  ['a diff that is not of Git', '--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n'],
  ['a merge diff', 'diff --cc x\nindex 1,2..3\n'],
  ['a merge diff after a file', `${file}@@ -1 +1 @@\n-a\n+b\ndiff --cc x\n`],
  ['a hunk with a line too few', `${file}@@ -1,2 +1,2 @@\n-a\n+b\n`],
  ['a hunk with a line too many', `${file}@@ -1 +1 @@\n-a\n+b\n+c\n`],
  ['a hunk with more lines of one side than it says', `${file}@@ -1,2 +1 @@\n-a\n+b\n+c\n-d\n`],
  ['a hunk that is cut off by a file', `${file}@@ -1,2 +1,2 @@\n-a\n+b\n${file}`],
  ['a hunk without its range', `${file}@@ @@\n-a\n+b\n`],
  ['a file line without its counterpart', 'diff --git a/x b/x\n--- a/x\n@@ -1 +1 @@\n-a\n+b\n'],
  ['an open quote', 'diff --git "a/x b/x\n'],
  ['an escape that is none', 'diff --git "a/\\x41" b/x\n'],
  ['an octal number that is no byte', 'diff --git "a/\\400" b/x\n'],
  ['text behind a quoted name', 'diff --git a/x b/x\n--- "a/x"y\n+++ b/x\n'],
  ['an empty name', 'diff --git a/ b/\nnew file mode 100644\n'],
])('S3.198 %s is no diff', (_name, diff) => {
  expect(diffPaths(diff)).toBeNull();
});

/** Real Git writes diffs in a scratch directory under the ignored `.tmp/` of the repository. */
describe('S3.199 a diff of real Git', () => {
  const scratch = join(import.meta.dirname, '../../../.tmp');
  let root = '';

  beforeAll(() => {
    mkdirSync(scratch, { recursive: true });
    root = mkdtempSync(join(scratch, 'diff-paths-'));
    git('init', '--quiet');
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  function git(...args: readonly string[]): string {
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', '-c', 'core.autocrlf=false'];
    const { status, stdout, stderr } = spawnSync('git', [...identity, ...args], { cwd: root, encoding: 'utf8' });
    if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
    return stdout;
  }

  const write = (name: string, content: string): void => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  };

  it('of every kind of change and name', () => {
    const body = 'one\ntwo\nthree\nfour\nfive\n';
    const names = [
      'plain',
      'with space',
      'x b/y',
      'quo"te',
      'tab\there',
      'back\\slash',
      'é日本',
      'line\nbreak',
      ' b',
      'a/b',
    ];
    for (const name of names)
      for (const kind of ['edit', 'mode', 'move', 'gone']) write(`${kind} ${name}`, `${name}\n${body}`);
    write('binary', 'a\0b');
    git('add', '--all');
    git('commit', '--quiet', '--no-verify', '--message=Start');
    for (const name of names) {
      write(`edit ${name}`, `${name}\none\r\n-- a/two\nthree\n`);
      chmodSync(join(root, `mode ${name}`), 0o755);
      mkdirSync(dirname(join(root, `moved ${name}`)), { recursive: true });
      renameSync(join(root, `move ${name}`), join(root, `moved ${name}`));
      rmSync(join(root, `gone ${name}`));
      write(`new ${name}`, 'no end of line');
      write(`empty ${name}`, '');
    }
    write('binary', 'a\0c');
    git('add', '--all');
    const all = ['edit', 'mode', 'move', 'moved', 'gone', 'new', 'empty'];
    const expected = ['binary', ...names.flatMap((name) => all.map((kind) => `${kind} ${name}`))].sort();

    for (const quotes of ['true', 'false']) {
      for (const options of [[], ['--binary']]) {
        const diff = git('-c', `core.quotePath=${quotes}`, 'diff', '--cached', '--find-renames', ...options);
        expect([...(diffPaths(diff)?.paths ?? [])].sort()).toEqual(expected);
      }
    }
  });
});
