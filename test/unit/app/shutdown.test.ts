import { EventEmitter } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import {
  END_OF_INPUT_LIMIT_MS,
  endProcess,
  installShutdown,
  SECOND_SIGNAL_MS,
  type ShutdownReason,
  SIGNAL_LIMIT_MS,
} from '../../../src/app/shutdown.ts';
import { FakeScheduler } from './fake-scheduler.ts';

class FakeProcess extends EventEmitter {
  readonly pid = 42;
  platform: NodeJS.Platform = 'linux';
  /** Whether signals without listener end it. */
  diesOfSignals = true;
  readonly stdin = Object.assign(new EventEmitter(), { readableEnded: false, destroyed: false });
  readonly stdout = Object.assign(new EventEmitter(), {
    writableLength: 0,
    destroyed: false,
    write: (_text: string, done: () => void): void => {
      this.pendingWrites.push(done);
    },
  });
  readonly pendingWrites: (() => void)[] = [];
  /** How it ended: the first of exit code and signal. */
  end: number | string | null = null;

  kill(pid: number, signal: string): void {
    expect(pid).toBe(this.pid);
    expect(this.listenerCount(signal)).toBe(0);
    if (this.diesOfSignals) this.end ??= signal;
  }

  exit(code: number): void {
    this.end ??= code;
  }
}

function setUp(preparation: (watched: FakeProcess) => void = () => {}) {
  const watched = new FakeProcess();
  preparation(watched);
  const scheduler = new FakeScheduler();
  const stops: ShutdownReason[] = [];
  const stopped = outcome();
  const flushed = outcome();
  const kill = vi.fn();
  const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn(), flush: () => flushed.promise };
  const uninstall = installShutdown({
    stop(reason) {
      stops.push(reason);
      return stopped.promise;
    },
    kill,
    log,
    scheduler,
    process: watched,
  });
  return { watched, scheduler, stops, stopped, flushed, kill, log, uninstall };
}

function outcome() {
  let resolve = (): void => {};
  let reject = (_error: Error): void => {};
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve: () => resolve(), reject: (error: Error) => reject(error) };
}

/** Lets promises that are settled run their continuations. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('S1.50 end of input', () => {
  test.each(['end', 'close', 'error'])('stops once and exits 0 as soon as all is gone, on %s', async (event) => {
    const { watched, stops, stopped, flushed, kill } = setUp();
    watched.stdin.emit(event);
    watched.stdin.emit('close');
    await settled();
    expect(stops).toEqual([{ type: 'endOfInput' }]);
    expect(watched.end).toBeNull();
    stopped.resolve();
    await settled();
    expect(watched.end).toBeNull();
    flushed.resolve();
    await settled();
    expect(watched.end).toBe(0);
    expect(kill).not.toHaveBeenCalled();
  });

  test('S1.50 input that ended before the watch began counts', () => {
    const { stops } = setUp((watched) => {
      watched.stdin.readableEnded = true;
    });
    expect(stops).toEqual([{ type: 'endOfInput' }]);
  });

  test('S1.52 what stdout still holds is written before the exit', async () => {
    const { watched, stopped, flushed } = setUp();
    watched.stdout.writableLength = 10;
    watched.stdin.emit('end');
    stopped.resolve();
    flushed.resolve();
    await settled();
    expect(watched.end).toBeNull();
    for (const done of watched.pendingWrites) done();
    await settled();
    expect(watched.end).toBe(0);
  });

  test('S1.52 a reader that takes nothing does not hold the exit', async () => {
    const { watched, scheduler, stopped, flushed } = setUp();
    watched.stdout.writableLength = 10;
    watched.stdin.emit('end');
    stopped.resolve();
    flushed.resolve();
    await settled();
    scheduler.advance(1_000);
    expect(watched.end).toBe(0);
  });

  test('S1.51 a stop that hangs is ended by force', async () => {
    const { watched, scheduler, kill, log } = setUp();
    watched.stdin.emit('end');
    scheduler.advance(END_OF_INPUT_LIMIT_MS);
    expect(kill).toHaveBeenCalledTimes(1);
    expect(log.error).toHaveBeenCalledTimes(1);
    scheduler.advance(200);
    expect(watched.end).toBe(1);
  });

  test('S1.51 a stop that fails kills what is left', async () => {
    const { watched, stopped, flushed, kill } = setUp();
    flushed.resolve();
    watched.stdin.emit('end');
    stopped.reject(new Error('no'));
    await settled();
    expect(kill).toHaveBeenCalledTimes(1);
    expect(watched.end).toBe(1);
  });
});

describe('S1.48 broken output', () => {
  test.each(['error', 'close'])('ends without waiting for stdout, on %s', async (event) => {
    const { watched, stops, stopped, flushed } = setUp();
    watched.stdout.writableLength = 10;
    watched.stdout.emit(event, new Error('EPIPE'));
    expect(stops).toEqual([{ type: 'outputClosed' }]);
    stopped.resolve();
    flushed.resolve();
    await settled();
    expect(watched.end).toBe(0);
    expect(watched.pendingWrites).toEqual([]);
  });
});

describe('S1.53 signals', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s stops, then ends by the same signal', async (signal) => {
    const { watched, stops, stopped, flushed, kill } = setUp();
    watched.emit(signal, signal);
    expect(stops).toEqual([{ type: 'signal', signal }]);
    expect(watched.end).toBeNull();
    stopped.resolve();
    flushed.resolve();
    await settled();
    expect(watched.end).toBe(signal);
    expect(kill).not.toHaveBeenCalled();
  });

  test('the whole shutdown takes at most 3 s', () => {
    const { watched, scheduler, kill } = setUp();
    watched.emit('SIGTERM');
    scheduler.advance(SIGNAL_LIMIT_MS - 201);
    expect(kill).not.toHaveBeenCalled();
    scheduler.advance(1);
    expect(kill).toHaveBeenCalledTimes(1);
    scheduler.advance(200);
    expect(watched.end).toBe('SIGTERM');
  });

  test('a second one leaves Codex a moment to end its commands', async () => {
    const { watched, scheduler, stops, kill } = setUp();
    watched.emit('SIGTERM');
    watched.emit('SIGINT');
    scheduler.advance(SECOND_SIGNAL_MS - 1);
    expect(kill).not.toHaveBeenCalled();
    scheduler.advance(1);
    expect(kill).toHaveBeenCalledTimes(1);
    scheduler.advance(200);
    expect(stops).toHaveLength(1);
    expect(watched.end).toBe('SIGINT');
  });

  test('a third one ends at once, without orphans', () => {
    const { watched, stops, kill } = setUp();
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGINT']) watched.emit(signal);
    expect(stops).toHaveLength(1);
    expect(kill).toHaveBeenCalledTimes(1);
    expect(watched.end).toBe('SIGINT');
  });

  test('one during the end of input shortens it to 3 s', () => {
    const { watched, scheduler, stops, kill } = setUp();
    watched.stdin.emit('end');
    watched.emit('SIGTERM');
    expect(stops).toEqual([{ type: 'endOfInput' }]);
    expect(kill).not.toHaveBeenCalled();
    scheduler.advance(SIGNAL_LIMIT_MS);
    expect(kill).toHaveBeenCalledTimes(1);
    expect(watched.end).toBe('SIGTERM');
  });
});

describe('S1.53 the end of the process', () => {
  test('a signal that does not kill becomes 128 + n', () => {
    const ending = new FakeProcess();
    ending.diesOfSignals = false;
    endProcess(ending, { type: 'killed', signal: 'SIGTERM' });
    expect(ending.end).toBe(143);
  });

  test('Windows has no signals to die of', () => {
    const ending = new FakeProcess();
    ending.platform = 'win32';
    endProcess(ending, { type: 'killed', signal: 'SIGINT' });
    expect(ending.end).toBe(130);
  });
});

describe('S1.55 what nobody caught', () => {
  test.each(['uncaughtException', 'unhandledRejection'])('%s is logged and serving goes on', (event) => {
    const { watched, stops, log } = setUp();
    const exception = new Error('boom');
    watched.emit(event, exception);
    expect(log.error).toHaveBeenCalledWith(expect.any(String), { exception });
    expect(stops).toEqual([]);
    expect(watched.end).toBeNull();
  });
});

test('the watch can be ended', () => {
  const { watched, uninstall } = setUp();
  uninstall();
  const emitters = [watched, watched.stdin, watched.stdout];
  expect(emitters.flatMap((emitter) => emitter.eventNames())).toEqual([]);
});
