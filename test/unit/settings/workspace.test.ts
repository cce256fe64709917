import { expect, it } from 'vitest';
import { AgentError } from '../../../src/domain/errors/agent-error.ts';
import { parseWorkspace, requireAbsoluteCwd, workspaceRoots } from '../../../src/domain/workspace/workspace.ts';

const badCwd = AgentError.invalidParams('cwd must be an absolute path');
const badEntries = AgentError.invalidParams('additionalDirectories entries must be absolute paths');

const absolute = [
  '/',
  '/w',
  '/w with space/ünï',
  'C:\\',
  'c:/work',
  'Z:\\a\\b',
  '\\\\host\\share',
  '\\\\wsl$\\Ubuntu\\home',
  '\\\\wsl.localhost\\Ubuntu\\home\\me',
  '\\\\?\\C:\\long',
];

const notAbsolute = [
  '',
  '.',
  'w',
  './w',
  '../w',
  '~',
  '~/w',
  'C:',
  'C:w',
  'CC:\\w',
  '\\w',
  '\\\\host',
  '\\\\',
  ' /w',
  '/w\0',
  'C:\\w\0',
];

it.each(absolute)('S1.100 S2.9 C069 takes %j as it is', (path) => {
  expect(requireAbsoluteCwd(path)).toBe(path);
  expect(parseWorkspace({ cwd: '/cwd', additionalDirectories: [path] }).additionalDirectories).toEqual([path]);
});

it.each([...notAbsolute, null, undefined, 7, {}])('S1.100 S2.9 S2.10 refuses %j', (path) => {
  expect(() => requireAbsoluteCwd(path)).toThrow(badCwd);
  expect(() => parseWorkspace({ cwd: path })).toThrow(badCwd);
  expect(() => parseWorkspace({ cwd: '/w', additionalDirectories: ['/x', path] })).toThrow(badEntries);
});

it('S2.9 checks cwd before the other directories', () => {
  expect(() => parseWorkspace({ cwd: 'w', additionalDirectories: ['x'] })).toThrow(badCwd);
});

it.each([
  ['order kept, duplicates and cwd dropped', { additionalDirectories: ['/b', '/a', '/b', '/w'] }, ['/b', '/a']],
  ['no normalisation', { additionalDirectories: ['/a', '/a/', '/w/'] }, ['/a', '/a/', '/w/']],
  ['legacy roots', { legacyRoots: [' /a ', '', '  ', 7, null, '/b', '/a', '/w'] }, ['/a', '/b']],
  ['the field before legacy roots', { additionalDirectories: ['/a'], legacyRoots: ['/b'] }, ['/a']],
  ['an empty field before legacy roots', { additionalDirectories: [], legacyRoots: ['/b'] }, []],
  ['null before legacy roots', { additionalDirectories: null, legacyRoots: ['/b'] }, []],
  ['legacy roots when the field is absent', { additionalDirectories: undefined, legacyRoots: ['/b'] }, ['/b']],
  ['legacy roots of another type', { legacyRoots: '/b' }, []],
  ['nothing', {}, []],
])('S2.12 %s', (_case, directories, expected) => {
  const workspace = parseWorkspace({ cwd: '/w', ...directories });
  expect(workspace).toEqual({ cwd: '/w', additionalDirectories: expected });
  expect(workspaceRoots(workspace)).toEqual(['/w', ...expected]);
});

it.each([['relative'], ['/a', 'b']])('S2.12 a relative legacy root fails too', (...legacyRoots) => {
  expect(() => parseWorkspace({ cwd: '/w', legacyRoots })).toThrow(badEntries);
});

it('S2.10 refuses a field that is no list', () => {
  expect(() => parseWorkspace({ cwd: '/w', additionalDirectories: '/a' })).toThrow(badEntries);
});
