import { describe, expect, it } from 'vitest';
import { absolutePath, absolutePaths, isAbsolutePath } from '../../../src/domain/conversation/absolute-path.ts';
import { finalOutput } from '../../../src/domain/conversation/final-output.ts';
import { firstBytes, isLargerThan, lastBytes, utf8Size } from '../../../src/domain/conversation/utf8-size.ts';

describe('UTF-8 sizes', () => {
  it.each(['', 'abc', 'é', '€', '😀', 'a😀é€\n'])('of %j', (text) => {
    const size = Buffer.byteLength(text);
    expect(utf8Size(text)).toBe(size);
    expect(isLargerThan(text, size)).toBe(false);
    expect(isLargerThan(text, size - 1)).toBe(true);
  });

  it('cuts at whole characters', () => {
    expect(firstBytes('a😀b', 1)).toBe('a');
    expect(firstBytes('a😀b', 4)).toBe('a');
    expect(firstBytes('a😀b', 5)).toBe('a😀');
    expect(lastBytes('a😀b', 4)).toBe('b');
    expect(lastBytes('a😀b', 5)).toBe('😀b');
    expect(lastBytes('é', 1)).toBe('');
  });
});

describe('S12.1 whole output of a command', () => {
  it('stays as it is up to 1 MiB', () => {
    const output = 'x'.repeat(1024 * 1024);
    expect(finalOutput(output)).toBe(output);
    expect(finalOutput('')).toBe('');
  });

  it('above shows both ends and says how much is missing', () => {
    const shown = finalOutput(`${'a'.repeat(600_000)}${'é'.repeat(300_000)}`);
    const [head, line, tail, ...rest] = shown.split('\n');
    expect(head).toBe('a'.repeat(512 * 1024));
    expect(line).toBe(`[${1_200_000 - 1024 * 1024} bytes of output left out]`);
    expect(tail).toBe('é'.repeat(256 * 1024));
    expect(rest).toEqual([]);
  });

  it('adds no empty line after a head that ends one', () => {
    expect(finalOutput('line..\n'.repeat(200_000))).not.toContain('\n\n');
    const head = `${'x'.repeat(512 * 1024 - 1)}\n`;
    expect(finalOutput(head + 'y'.repeat(1024 * 1024))).toContain('x\n[');
  });
});

describe('absolute paths', () => {
  const cases: readonly [string, string, string | null][] = [
    ['/a/b', '/w', '/a/b'],
    ['a/b.ts', '/w', '/w/a/b.ts'],
    ['./a', '/w/', '/w/a'],
    ['../a', '/w/x', '/w/a'],
    ['../../../a', '/w', '/a'],
    ['a', '/', '/a'],
    ['a\\b', '/w', '/w/a\\b'],
    ['src\\a.ts', 'C:\\w', 'C:\\w\\src\\a.ts'],
    ['..\\a.ts', 'C:/w/x', 'C:\\w\\a.ts'],
    ['a.ts', '\\\\host\\share\\w', '\\\\host\\share\\w\\a.ts'],
    ['C:\\a', '/w', 'C:\\a'],
    ['\\\\host\\share\\a', '/w', '\\\\host\\share\\a'],
    ['a', 'w', null],
    ['', '/w', null],
  ];
  it.each(cases)('S4.42 %j in %j', (path, directory, expected) => {
    expect(absolutePath(path, directory)).toBe(expected);
  });

  it('S4.67 drops what cannot be made absolute, and repeats', () => {
    expect(absolutePaths(['a', '/w/a', 'b', ''], '/w')).toEqual(['/w/a', '/w/b']);
    expect(absolutePaths(['a', '/b'], 'relative')).toEqual(['/b']);
    expect(isAbsolutePath('a/b')).toBe(false);
  });
});
