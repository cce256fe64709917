import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isShowable, rulePrefix } from '../../../src/domain/interaction/rule-prefix.ts';

it.each<[string, readonly string[], string]>([
  ['a script of bash', ['bash', '-lc', 'echo "a" > b'], 'echo "a" > b'],
  ['a script of zsh', ['/usr/bin/zsh', '-c', 'a | b'], 'a | b'],
  ['a script of sh on Windows', ['C:\\tools\\sh.exe', '-lc', 'a && b'], 'a && b'],
  ['an empty script', ['bash', '-c', ''], ''],
  ['a command of PowerShell', ['pwsh', '-Command', 'Get-Item $x'], 'Get-Item $x'],
  [
    'a command of PowerShell with switches',
    ['C:\\W\\powershell.exe', '-NoLogo', '-NOPROFILE', '-c', 'Get-Item a'],
    'Get-Item a',
  ],
  ['bash with another flag', ['bash', '-x', 'a b'], "bash -x 'a b'"],
  ['bash with an argument more', ['bash', '-lc', 'a b', 'c'], "bash -lc 'a b' c"],
  ['bash with an argument less', ['bash', '-lc'], 'bash -lc'],
  ['another shell', ['fish', '-c', 'a b'], "fish -c 'a b'"],
  ['PowerShell with another switch', ['pwsh', '-File', '-c', 'a'], 'pwsh -File -c a'],
  ['PowerShell without a command', ['pwsh', '-NoLogo'], 'pwsh -NoLogo'],
  ['PowerShell with an empty end', ['pwsh', '-c'], 'pwsh -c'],
  ['a hidden file that is named like an extension', ['.bash', '-c', 'a b'], ".bash -c 'a b'"],
  [
    'plain words',
    ['git', 'push', '--force-with-lease=a', 'x_y:z@h/./+]'],
    "git push '--force-with-lease=a' x_y:z@h/./+]",
  ],
  ['no words', [], ''],
  ['an empty word', ['touch', ''], "touch ''"],
  ['a space', ['touch', 'a b'], "touch 'a b'"],
  ['letters beyond ASCII', ['touch', 'ä'], "touch 'ä'"],
  ['a variable', ['echo', '$HOME'], "echo '$HOME'"],
  ['a single quote', ['echo', "it's"], 'echo "it\'s"'],
  ['a backslash and a double quote', ['echo', '\\"'], 'echo "\\\\\\""'],
  ['a single quote and a variable', ['echo', "it's $a"], "echo \"it's \"'$a'"],
  ['a caret at the start', ['grep', '^a'], "grep '^a'"],
  ['a caret inside', ['grep', 'a^b'], "grep a'^b'"],
  ['a caret and a single quote', ['grep', "^'"], `grep '^'"'"`],
  ['a caret alone', ['grep', '^'], "grep '^'"],
  ['NUL', ['a b', 'c\0'], 'a b c\0'],
])('S5.48 shows %s', (_case, words, prefix) => {
  expect(rulePrefix(words)).toBe(prefix);
});

it.each([
  ['touch', true],
  ['ä 漢 🙂 `', true],
  ['a\nb', false],
  ['a\rb', false],
  ['a\tb', false],
  ['a\0b', false],
  ['a\u001bb', false],
  ['a\u007fb', false],
  ['a\u0085b', false],
  ['a\u009fb', false],
  ['a\u200eb', false],
  ['a\u200fb', false],
  ['a\u202ab', false],
  ['a\u202eb', false],
  ['a\u2066b', false],
  ['a\u2069b', false],
  ['a\u2065b', true],
  ['a\u00a0b', true],
])('S5.49 %j can be shown: %s', (prefix, showable) => {
  expect(isShowable(prefix)).toBe(showable);
});

const specialCharacters = fc.constantFrom(...`'"\\^$!\`| \t\n;&*?{}()[]<>#~=%-aZ0_ä漢🙂`);
const anyWord = fc.oneof(fc.string({ unit: specialCharacters }), fc.string({ unit: 'binary' }), fc.string());
const wordWithoutNul = anyWord.filter((word) => !word.includes('\0'));

it('S5.48 a shell reads the quoted line back as the words of the rule', () => {
  fc.assert(
    fc.property(fc.array(wordWithoutNul, { minLength: 1 }), (words) => {
      fc.pre(!['bash', 'sh', 'zsh', 'pwsh', 'powershell'].some((shell) => words[0]?.includes(shell)));
      expect(shellWords(rulePrefix(words))).toEqual(words);
    }),
    { numRuns: 2000 },
  );
});

/** A POSIX shell's reading of a line, refusing what a shell would expand or what shells disagree about. */
function shellWords(line: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let rest = line;
  while (rest !== '') {
    const bare = /^[0-9A-Za-z+\-./:@\]_]+/.exec(rest)?.[0];
    const single = /^'(\^?[^'\\^]*)'/.exec(rest);
    const double = /^"((?:[^"\\$`!^]|\\["\\])*)"/.exec(rest);
    if (rest.startsWith(' ')) {
      words.push(word ?? '');
      word = null;
      rest = rest.slice(1);
    } else if (bare !== undefined) {
      word = (word ?? '') + bare;
      rest = rest.slice(bare.length);
    } else {
      const quoted = single ?? double;
      if (quoted === null) throw new Error(`A shell would not read this as it is: ${JSON.stringify(rest)}`);
      const text = quoted[1] ?? '';
      word = (word ?? '') + (single === null ? text.replace(/\\(.)/g, '$1') : text);
      rest = rest.slice(quoted[0].length);
    }
  }
  return [...words, word ?? ''];
}
