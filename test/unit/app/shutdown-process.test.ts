import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';

const source = (path: string) => JSON.stringify(fileURLToPath(new URL(`../../../src/${path}`, import.meta.url)));

/** A process that is watched as the agent is; a line of input is a command. */
const SCRIPT = `
  const { installShutdown } = await import(${source('app/shutdown.ts')});
  const { createLog } = await import(${source('adapters/system/pino-log.ts')});
  const { SystemScheduler } = await import(${source('adapters/system/system-scheduler.ts')});
  const hangs = process.argv.includes('hang');
  installShutdown({
    stop: () => (hangs ? new Promise(() => {}) : Promise.resolve()),
    kill() {},
    log: createLog({ directory: null }),
    scheduler: new SystemScheduler(),
  });
  process.stdin.setEncoding('utf8').on('data', (line) => {
    if (line.includes('throw')) { setImmediate(() => process.stdout.write('alive')); throw new Error('boom'); }
    if (line.includes('reject')) { setImmediate(() => process.stdout.write('alive')); void Promise.reject(new Error('boom')); }
    if (line.includes('write')) process.stdout.write('x'.repeat(1000000));
  });
  process.stdout.write('up');
`;

const children: ChildProcessWithoutNullStreams[] = [];

async function start(...args: string[]): Promise<ChildProcessWithoutNullStreams> {
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', SCRIPT, '--', ...args]);
  children.push(child);
  await once(child.stdout, 'data');
  return child;
}

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

describe('C063 a real process', () => {
  test('S1.50 ends with its input', async () => {
    const child = await start();
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('S1.48 ends when its output breaks', async () => {
    const child = await start();
    child.stdout.destroy();
    child.stdin.write('write\n');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test.each(['throw', 'reject'])('S1.55 lives on after an error that nobody caught: %s', async (command) => {
    const child = await start();
    const said = Promise.all([once(child.stdout, 'data'), once(child.stderr, 'data')]);
    child.stdin.write(`${command}\n`);
    const [[output], [error]] = await said;
    expect(String(output)).toBe('alive');
    expect(String(error)).toMatch(/^\[SYSTEM_ERROR\] [^\n]*: boom\n$/);
  });
});

describe.skipIf(process.platform === 'win32')('S1.53 a real process', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('ends by %s', async (signal) => {
    const child = await start();
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([null, signal]);
  });

  test('ends at once by a second signal', async () => {
    const child = await start('hang');
    child.kill('SIGTERM');
    child.kill('SIGINT');
    const [, signal] = await once(child, 'exit');
    expect(['SIGINT', 'SIGTERM']).toContain(signal);
  });
});
