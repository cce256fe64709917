import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { type CodexCliOptions, runCodexCli } from '../../../src/app/codex-cli.ts';

class FakeParent extends EventEmitter {
  readonly stdin: { isTTY?: boolean };

  constructor(isTTY: boolean) {
    super();
    this.stdin = { isTTY };
  }
}

/** A stand-in for Codex: Node with a script. */
const script = (code: string, env: NodeJS.ProcessEnv = process.env) => ({
  command: process.execPath,
  args: ['-e', code],
  env,
});

function run(options: Omit<CodexCliOptions, 'errorOutput'>) {
  const errors: string[] = [];
  return { errors, end: runCodexCli({ errorOutput: (text) => errors.push(text), ...options }) };
}

describe('S1.5 codex-acp cli', () => {
  test('passes arguments and environment on, and the exit code back', async () => {
    const code =
      'process.exit(process.argv[1] === "--version" && process.argv[2] === "a b" && process.env.X === "y" ? 7 : 1)';
    const { end, errors } = run({
      executable: { ...script(code), args: ['-e', code, '--'], env: { ...process.env, X: 'y' } },
      args: ['--version', 'a b'],
    });
    expect(await end).toEqual({ type: 'exited', code: 7 });
    expect(errors).toEqual([]);
  });

  test.skipIf(process.platform === 'win32')('reports the signal that ended Codex', async () => {
    const { end } = run({ executable: script('process.kill(process.pid, "SIGKILL")'), args: [] });
    expect(await end).toEqual({ type: 'killed', signal: 'SIGKILL' });
  });

  test('a Codex that cannot be started is one line on stderr and exit code 1', async () => {
    const { end, errors } = run({ executable: { command: '/nowhere/codex', args: [], env: {} }, args: ['exec'] });
    expect(await end).toEqual({ type: 'exited', code: 1 });
    expect(errors).toEqual(['Codex CLI error: spawn /nowhere/codex ENOENT\n']);
  });

  test('a spawn that throws is reported as well', async () => {
    const { end, errors } = run({ executable: script('0'), args: ['a\0b'] });
    expect(await end).toEqual({ type: 'exited', code: 1 });
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(/^Codex CLI error: [^\n]*\n$/);
  });
});

describe.skipIf(process.platform === 'win32')('S1.5 signals while Codex runs', () => {
  const waiting = 'process.stdout.write("up"); setInterval(() => {}, 1000)';

  test.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)('%s reaches Codex', async (signal) => {
    const parent = new FakeParent(false);
    const { end } = run({
      executable: script(waiting),
      args: [],
      process: parent,
      spawn: (command, args, options) => {
        const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
        child.stdout?.once('data', () => parent.emit(signal));
        return child;
      },
    });
    expect(await end).toEqual({ type: 'killed', signal });
    expect(parent.eventNames()).toEqual([]);
  });

  test('Ctrl-C of a terminal reaches Codex without our help, and does not end us', async () => {
    const parent = new FakeParent(true);
    const { end } = run({
      executable: script('process.stdout.write("up"); process.stdin.once("data", () => process.exit(3))'),
      args: [],
      process: parent,
      spawn: (command, args, options) => {
        const child = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'ignore'] });
        child.stdout?.once('data', () => {
          expect(parent.emit('SIGINT')).toBe(true);
          child.stdin?.write('x');
        });
        return child;
      },
    });
    expect(await end).toEqual({ type: 'exited', code: 3 });
  });
});
