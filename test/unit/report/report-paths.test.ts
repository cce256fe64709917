import { describe, expect, it } from 'vitest';
import type { PathFlavour } from '../../../src/domain/report/path-flavour.ts';
import { isBelow, splitPath } from '../../../src/domain/report/path-flavour.ts';
import { ReportPaths, reportablePath } from '../../../src/domain/report/report-paths.ts';

function collect(paths: readonly string[], roots: readonly string[] = ['/w'], flavour: PathFlavour = 'posix') {
  const report = new ReportPaths(roots, flavour);
  for (const path of paths) report.add(path);
  return { paths: report.paths, truncated: report.truncated };
}

describe('S3.200 a path becomes absolute and normalised', () => {
  it.each([
    ['src/a.txt', '/w/src/a.txt'],
    ['./src//a.txt', '/w/src/a.txt'],
    ['../other/a.txt', '/other/a.txt'],
    ['../../../a.txt', '/a.txt'],
    ['/elsewhere/./a.txt', '/elsewhere/a.txt'],
    ['//elsewhere/a.txt', '/elsewhere/a.txt'],
    ['back\\slash.txt', '/w/back\\slash.txt'],
    ['é 日.txt', '/w/é 日.txt'],
    ['note: x.txt', '/w/note: x.txt'],
  ])('POSIX: %s', (path, expected) => {
    expect(reportablePath('/w', path, 'posix')).toBe(expected);
  });

  it.each([
    ['C:\\w', 'src/a.txt', 'C:\\w\\src\\a.txt'],
    ['C:/w/', '.\\src\\..\\a.txt', 'C:\\w\\a.txt'],
    ['C:\\w', '..\\..\\..\\a.txt', 'C:\\a.txt'],
    ['C:\\w', 'd:/other/a.txt', 'd:\\other\\a.txt'],
    ['C:\\w', '/a.txt', 'C:\\a.txt'],
    ['\\\\wsl$\\Ubuntu\\home', 'a.txt', '\\\\wsl$\\Ubuntu\\home\\a.txt'],
    ['\\\\server\\share', '..\\a.txt', '\\\\server\\share\\a.txt'],
    ['C:\\w', '//server/share/x/a.txt', '\\\\server\\share\\x\\a.txt'],
  ])('Windows: from %s to %s', (base, path, expected) => {
    expect(reportablePath(base, path, 'windows')).toBe(expected);
  });

  it('a base that is not absolute leads nowhere', () => {
    expect(reportablePath('w', 'a.txt', 'posix')).toBeNull();
    expect(reportablePath('/w', 'a.txt', 'windows')).toBeNull();
  });
});

describe('S3.200 refuses', () => {
  it.each(['posix', 'windows'] as const)('what no path may be: %s', (flavour) => {
    const base = flavour === 'posix' ? '/w' : 'C:\\w';
    const refused = [
      '',
      'a\u0000b',
      'a\nb',
      'a\tb',
      'a\u007f',
      'a\u0085',
      'half \ud800',
      'https://host/a',
      'file:///w/a',
      'vscode-remote://ssh/w/a',
      'C:rel',
      'c:',
      '\\\\?\\C:\\w\\a',
      '\\\\.\\pipe\\a',
    ];
    expect(refused.filter((path) => reportablePath(base, path, flavour) !== null)).toEqual([]);
  });

  it('a path of the other system', () => {
    expect(reportablePath('/w', 'C:\\w\\a', 'posix')).toBeNull();
    expect(reportablePath('/w', 'C:/w/a', 'posix')).toBeNull();
    expect(reportablePath('C:\\w', '//?/C:/w/a', 'windows')).toBeNull();
    expect(reportablePath('C:\\w', '//./C:/w/a', 'windows')).toBeNull();
  });
});

describe('S3.200 a path lies strictly inside of a directory of the session', () => {
  it.each([
    ['/w/a.txt', true],
    ['/extra/b/a.txt', true],
    ['/w', false],
    ['/extra', false],
    ['/wide/a.txt', false],
    ['/W/a.txt', false],
    ['/a.txt', false],
  ])('POSIX: %s', (path, inside) => {
    expect(collect([path], ['/w', '/extra'])).toEqual({ paths: inside ? [path] : [], truncated: !inside });
  });

  it.each([
    ['C:\\w\\a.txt', true],
    ['c:\\W\\a.txt', true],
    ['D:\\w\\a.txt', false],
    ['C:\\w', false],
    ['\\\\server\\share\\a.txt', true],
    ['\\\\server\\other\\a.txt', false],
  ])('Windows: %s', (path, inside) => {
    const found = collect([path], ['C:\\w', '\\\\server\\share\\'], 'windows');
    expect(found).toEqual({ paths: inside ? [path] : [], truncated: !inside });
  });

  it('also of a root', () => {
    expect(collect(['/a.txt', '/'], ['/'])).toEqual({ paths: ['/a.txt'], truncated: true });
    expect(isBelow('C:\\a.txt', 'C:\\', 'windows')).toBe(true);
    expect(splitPath('C:\\a.txt', 'windows')).toEqual({ directory: 'C:\\', name: 'a.txt' });
    expect(splitPath('/a.txt', 'posix')).toEqual({ directory: '/', name: 'a.txt' });
    expect(splitPath('/', 'posix')).toBeNull();
  });
});

describe('S3.200 what comes twice', () => {
  it('is reported once, in the order of the first, and truncates nothing', () => {
    const paths = ['/w/b', '/w/a', '/w/b', '/w/A'];
    expect(collect(paths)).toEqual({ paths: ['/w/b', '/w/a', '/w/A'], truncated: false });
  });

  it('Windows tells no upper case from lower case', () => {
    const paths = ['C:\\w\\Étude', 'c:\\W\\étude', 'C:\\w\\b'];
    expect(collect(paths, ['C:\\w'], 'windows')).toEqual({ paths: ['C:\\w\\Étude', 'C:\\w\\b'], truncated: false });
  });
});

describe('S3.200 limits', () => {
  const ofLength = (length: number, fill = 'x') => `/w/${fill.repeat(length - 3)}`;

  it('a path has at most 4096 characters; shorter ones still come', () => {
    expect(collect([ofLength(4096)])).toEqual({ paths: [ofLength(4096)], truncated: false });
    expect(collect([ofLength(4097), '/w/a'])).toEqual({ paths: ['/w/a'], truncated: true });
  });

  it('there are at most 1024 paths; a repeated one is not too many', () => {
    const paths = Array.from({ length: 1024 }, (_, index) => `/w/${index}`);
    expect(collect([...paths, '/w/0'])).toEqual({ paths, truncated: false });
    expect(collect([...paths, '/w/more'])).toEqual({ paths, truncated: true });
  });

  it('paths have at most 256 KiB of UTF-8, not of characters', () => {
    const paths = Array.from({ length: 1000 }, (_, index) => `/w/${'é'.repeat(200)}${index}`);
    const found = collect(paths);
    const bytes = Buffer.byteLength(found.paths.join(''));
    expect(found).toEqual({ paths: paths.slice(0, found.paths.length), truncated: true });
    expect(bytes).toBeLessThanOrEqual(256 * 1024);
    expect(bytes).toBeGreaterThan(252 * 1024);
  });

  it('the serialised report has at most 256 KiB, so that escapes count', () => {
    const paths = Array.from({ length: 400 }, (_, index) => `/w/${'"'.repeat(500)}${index}`);
    const found = collect(paths);
    const serialised = Buffer.byteLength(JSON.stringify(found.paths));
    expect(found.truncated).toBe(true);
    expect(serialised).toBeLessThan(256 * 1024 - 600);
    expect(serialised).toBeGreaterThan(256 * 1024 - 3 * 1024);
  });
});
