import { describe, expect, it } from 'vitest';
import { exactCommand, withoutShellWrapper } from '../../../src/domain/conversation/shell-wrapper.ts';

describe('shell wrapper', () => {
  const cases: readonly [string, string, string][] = [
    ['S4.43 single quotes', "/bin/bash -lc 'npm test'", 'npm test'],
    ['S4.43 bare shell name', "bash -lc 'ls -la'", 'ls -la'],
    ['S4.43 zsh with -c', "/usr/bin/zsh -c 'ls'", 'ls'],
    ['S4.43 flags in the other order', "sh -cl 'ls'", 'ls'],
    ['S4.43 unquoted rest', 'bash -lc ls', 'ls'],
    ['S4.43 several words stay as they are', 'bash -c npm test', 'npm test'],
    ['S4.43 double quotes', 'bash -lc "echo \\"hi\\" \\$HOME \\`x\\` \\\\ \\n"', 'echo "hi" $HOME `x` \\ \\n'],
    ['S4.43 a joined line', 'bash -lc "a \\\nb"', 'a b'],
    ['S4.43 two quoted words stay as they are', "bash -c 'a' 'b'", "'a' 'b'"],
    ['S4.43 the rest begins with a flag', "bash -c -x 'ls'", "bash -c -x 'ls'"],
    ['S4.43 several lines', "bash -lc 'a\nb'", 'a\nb'],
    ['S4.44 a shell that runs a file', 'sh build.sh', 'sh build.sh'],
    ['S4.44 login shell without command', "bash -l 'ls'", "bash -l 'ls'"],
    ['S4.44 other flags', "bash -xc 'ls'", "bash -xc 'ls'"],
    ['S4.44 adjacent quoted parts', "bash -lc 'it'\\''s'", "it's"],
    ['S4.44 adjacent parts of both kinds', `bash -lc 'echo '"'"'hi'"'"`, "echo 'hi'"],
    ['S4.44 Windows shells stay', 'powershell.exe -Command "ls"', 'powershell.exe -Command "ls"'],
    ['S4.43 another program', 'npm test', 'npm test'],
    ['S4.43 a relative shell', "./bash -c 'ls'", "./bash -c 'ls'"],
    ['S4.43 a longer name', "bashful -c 'ls'", "bashful -c 'ls'"],
    ['S4.43 nothing behind the flag', 'bash -lc ', 'bash -lc '],
    ['S4.43 an unfinished quote', "bash -lc 'ls", "'ls"],
  ];
  it.each(cases)('%s', (_name, command, expected) => {
    expect(withoutShellWrapper(command)).toBe(expected);
  });

  it('S5.172 what is approved is shown whole when its quoting is not understood', () => {
    expect(exactCommand("bash -lc 'ls")).toBe("bash -lc 'ls");
    expect(exactCommand('bash -lc "ls')).toBe('bash -lc "ls');
    expect(exactCommand("bash -lc 'npm test'")).toBe('npm test');
    expect(exactCommand("bash -c 'a' 'b'")).toBe("'a' 'b'");
    expect(exactCommand("bash -c it\\'s")).toBe("it\\'s");
    expect(exactCommand('npm test')).toBe('npm test');
  });
});
