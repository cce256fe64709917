import { expect, test } from 'vitest';
import { type Command, parseCommandLine } from '../../../src/app/command-line.ts';
import { usageText, versionText } from '../../../src/app/usage.ts';

test.each<[string, string[], Command]>([
  ['S1.1 no arguments', [], { type: 'serve', ignored: [] }],
  ['S1.4 unknown arguments', ['--acp', 'x'], { type: 'serve', ignored: ['--acp', 'x'] }],
  ['S1.4 names of object members', ['constructor'], { type: 'serve', ignored: ['constructor'] }],
  ['S1.2 --version', ['--version'], { type: 'version' }],
  ['S1.2 -V', ['-V'], { type: 'version' }],
  ['S1.2 --version after unknown arguments', ['--acp', '--version'], { type: 'version' }],
  ['S1.3 --help', ['--help'], { type: 'help' }],
  ['S1.3 -h', ['-h', '--version'], { type: 'help' }],
  ['S1.5 cli', ['cli'], { type: 'cli', args: [] }],
  ['S1.2 flags after cli belong to Codex', ['cli', '--version', '-h'], { type: 'cli', args: ['--version', '-h'] }],
  ['S1.5 cli is the first argument or none', ['--mode', 'cli'], { type: 'serve', ignored: ['--mode', 'cli'] }],
])('%s', (_name, argv, command) => {
  expect(parseCommandLine(argv)).toEqual(command);
});

test('S1.2 the version is one line', () => {
  expect(versionText({ name: 'codex-acp', version: '1.2.3' })).toBe('codex-acp 1.2.3\n');
});

test.each(['codex-acp cli', '--version', 'CODEX_PATH', 'APP_SERVER_LOGS', 'DEFAULT_AUTH_REQUEST', 'exit code 2'])(
  'S1.3 the help names %s',
  (word) => {
    expect(usageText({ name: 'codex-acp', version: '1.2.3' })).toContain(word);
  },
);
