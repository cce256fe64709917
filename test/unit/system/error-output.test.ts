import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createErrorOutput } from '../../../src/adapters/system/error-output.ts';

class FakeStream extends EventEmitter {
  writableLength = 0;
  readonly written: string[] = [];
  failure: Error | null = null;

  write(text: string): void {
    if (this.failure !== null) throw this.failure;
    this.written.push(text);
  }
}

describe('S1.36 stderr that cannot be trusted', () => {
  test('an error of the stream and a write that throws are borne', () => {
    const stream = new FakeStream();
    const write = createErrorOutput(stream);
    stream.emit('error', new Error('EPIPE'));
    stream.failure = new Error('closed');
    expect(() => write('text')).not.toThrow();
  });

  test('a reader that does not read costs no memory', () => {
    const stream = new FakeStream();
    const write = createErrorOutput(stream);
    write('kept');
    stream.writableLength = 100_000;
    write('dropped');
    expect(stream.written).toEqual(['kept']);
  });
});

/** A process that writes two errors and then ends by itself with code 7. */
const modulePath = fileURLToPath(new URL('../../../src/adapters/system/pino-log.ts', import.meta.url));
const script = `
  const { createLog } = await import(${JSON.stringify(modulePath)});
  const log = createLog({ directory: null });
  log.error('one');
  setImmediate(() => { log.error('two'); setImmediate(() => process.exit(7)); });
`;

function start(stderr: 'pipe' | number) {
  const args = ['--import', 'tsx', '--input-type=module', '-e', script];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', stderr] });
}

describe('S1.36 a real process lives on', () => {
  test('with a closed stderr', async () => {
    const child = start('pipe');
    child.stderr?.destroy();
    expect(await once(child, 'exit')).toEqual([7, null]);
  });

  test.skipIf(process.platform !== 'linux')('with a full stderr', async () => {
    const full = openSync('/dev/full', 'w');
    const child = start(full);
    closeSync(full);
    expect(await once(child, 'exit')).toEqual([7, null]);
  });
});
