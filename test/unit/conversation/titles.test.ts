import { describe, expect, it } from 'vitest';
import {
  commandKind,
  commandLine,
  commandTitle,
  commandToolName,
  plainAction,
} from '../../../src/domain/conversation/command-title.ts';
import { sessionTitle } from '../../../src/domain/conversation/session-title.ts';
import { webSearchTitle } from '../../../src/domain/conversation/web-search-title.ts';
import type { CommandAction, CommandItem, WebSearchAction } from '../../../src/domain/thread/thread-item.ts';

const command = (actions: readonly CommandAction[]): CommandItem => ({
  type: 'command',
  id: 'c',
  command: "bash -lc 'a && b'",
  cwd: '/w',
  processId: null,
  source: 'agent',
  status: 'inProgress',
  actions,
  output: null,
  exitCode: null,
});
const search = (query: string | null, path: string | null): CommandAction => ({
  type: 'search',
  command: 'rg',
  query,
  path,
});
const list = (path: string | null): CommandAction => ({ type: 'listFiles', command: 'ls', path });
const read: CommandAction = { type: 'read', command: 'cat a', path: 'a' };
const unknown: CommandAction = { type: 'unknown', command: "sh -c 'make'" };

describe('commands', () => {
  const cases: readonly [string, readonly CommandAction[], string, string][] = [
    ['S4.38 read', [read], 'read', "Read file 'a'"],
    ['S4.38 search with query and path', [search('x', 'src')], 'search', "Search for 'x' in src"],
    ['S4.38 search with query', [search('x', null)], 'search', "Search for 'x'"],
    ['S4.38 search with path', [search(null, 'src')], 'search', "Search in 'src'"],
    ['S4.38 search', [search(null, null)], 'search', 'Search'],
    ['S4.38 list with path', [list('src')], 'read', "List files in 'src'"],
    ['S4.38 list', [list(null)], 'read', 'List files'],
    ['S4.37 S4.39 one unknown action', [unknown], 'execute', 'make'],
    ['S4.37 no action', [], 'execute', 'a && b'],
    ['S4.37 two actions', [read, read], 'execute', 'a && b'],
  ];
  it.each(cases)('%s', (_name, actions, kind, title) => {
    expect(commandTitle(command(actions))).toBe(title);
    expect(commandKind(command(actions))).toBe(kind);
    expect(plainAction(actions) === null).toBe(kind === 'execute');
  });

  it('S4.39 the command line keeps its shell', () => {
    expect(commandLine(command([unknown]))).toBe("sh -c 'make'");
    expect(commandLine(command([read, read]))).toBe("bash -lc 'a && b'");
  });

  it('S4.40 names the tool', () => {
    expect(commandToolName('unifiedExecStartup')).toBe('exec_command');
    expect(commandToolName('unifiedExecInteraction')).toBe('write_stdin');
    expect(commandToolName('agent')).toBeNull();
    expect(commandToolName('userShell')).toBeNull();
  });
});

describe('web searches', () => {
  const cases: readonly [string, WebSearchAction | null, string][] = [
    ['q', null, 'Web search: q'],
    ['', null, 'Web search'],
    ['q', { type: 'search', query: 'x', queries: ['y'] }, 'Web search: x'],
    ['q', { type: 'search', query: null, queries: ['y', '', 'z'] }, 'Web search: y, z'],
    ['q', { type: 'search', query: '', queries: [] }, 'Web search: q'],
    ['', { type: 'search', query: null, queries: null }, 'Web search'],
    ['q', { type: 'openPage', url: 'https://a' }, 'Open page: https://a'],
    ['q', { type: 'openPage', url: null }, 'Open page'],
    ['q', { type: 'findInPage', url: 'https://a', pattern: 'p' }, "Find in page for 'p' in https://a"],
    ['q', { type: 'findInPage', url: null, pattern: 'p' }, "Find in page for 'p'"],
    ['q', { type: 'findInPage', url: null, pattern: null }, 'Find in page'],
    ['q', { type: 'other' }, 'Web search'],
  ];
  it.each(cases)('S4.81 query "%s", action %j', (query, action, title) => {
    expect(webSearchTitle({ type: 'webSearch', id: 'w', query, action })).toBe(title);
  });
});

describe('session titles', () => {
  it.each([
    ['S4.91 one line', ' a \n\t b ', 'a b'],
    ['S4.91 nothing', ' \n', null],
    ['S4.91 no name', null, null],
    ['S4.91 256 units fit', 'x'.repeat(256), 'x'.repeat(256)],
    ['S4.91 longer ones are cut to 255', 'x'.repeat(257), `${'x'.repeat(255)}…`],
    ['S4.91 a pair is not torn', `${'x'.repeat(254)}😀😀`, `${'x'.repeat(254)}…`],
    ['S4.91 no space before the mark', `${'x'.repeat(254)} yyy`, `${'x'.repeat(254)}…`],
  ])('%s', (_name, name, title) => {
    expect(sessionTitle(name)).toBe(title);
    expect(sessionTitle(title)).toBe(title);
  });
});
