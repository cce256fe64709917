import { beforeEach, describe, expect, it } from 'vitest';
import { AppServerProcess } from '../../../src/adapters/codex-app-server/app-server-process.ts';
import type { ExitRecord } from '../../../src/adapters/codex-app-server/exit-record.ts';
import { type FakeAppServer, FakeAppServers, type FakeBehaviour, settled } from '../../support/fake-app-server.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { RecordedLog } from './recorded-log.ts';

let clock: FakeClock;
let log: RecordedLog;
let events: unknown[];
let exits: ExitRecord[];

beforeEach(() => {
  clock = new FakeClock();
  log = new RecordedLog();
  events = [];
  exits = [];
});

function start(behaviour: FakeBehaviour = {}): { child: FakeAppServer; process: AppServerProcess } {
  const servers = new FakeAppServers();
  servers.behaviour = behaviour;
  const process = new AppServerProcess({
    epoch: 3,
    command: { command: 'codex', args: ['app-server'], env: {} },
    spawn: servers.spawn,
    redact: (text) => text.replaceAll('top-secret', '[redacted]'),
    events: {
      onLine: (line) => events.push(line),
      onDead: () => events.push('DEAD'),
      onGone: (exit) => {
        events.push('GONE');
        exits.push(exit);
      },
    },
    log,
    clock,
    scheduler: clock,
  });
  return { child: servers.last, process };
}

describe('end of a process', () => {
  it('S8.5 is dead first, then its last lines are heard, then the exit is published', async () => {
    const { child } = start();
    child.write('one\n');
    await settled();
    child.exitOnly(1);
    child.write('two\nthree');
    child.endOutput();
    await settled();
    expect(events).toEqual(['one', 'DEAD', 'two', 'three', 'GONE']);
  });

  it('S8.10 the record holds what is known', async () => {
    const { child } = start();
    child.complain('error: top-secret\n');
    await settled();
    clock.advance(1234);
    child.exit(null, 'SIGKILL');
    await settled();
    expect(exits).toEqual([
      {
        epoch: 3,
        pid: child.pid,
        code: null,
        signal: 'SIGKILL',
        error: null,
        intentional: false,
        at: clock.now(),
        uptimeMs: 1234,
        stderr: 'error: [redacted]',
      },
    ]);
    expect(log.text).not.toContain('top-secret');
    expect(log.lines('error').join()).toContain('[APP-SERVER EXIT]');
  });

  it('S8.6 the drain ends after 1000 ms when a grandchild holds the pipe', async () => {
    const { child } = start();
    child.exitOnly(0);
    child.write('last\n');
    await settled();
    clock.advance(999);
    expect(events).toEqual(['DEAD', 'last']);
    clock.advance(1);
    child.write('of the grandchild\n');
    await settled();
    expect(events).toEqual(['DEAD', 'last', 'GONE']);
    expect(child.stdout.destroyed).toBe(true);
  });

  it('S8.6 without the end of the stream it waits 50 ms after close', async () => {
    const { child } = start();
    child.exitOnly(0);
    child.emit('close', 0, null);
    clock.advance(49);
    expect(events).toEqual(['DEAD']);
    clock.advance(1);
    expect(events).toEqual(['DEAD', 'GONE']);
  });

  it('S8.4 stderr that comes after the end of stdout is still in the record', async () => {
    const { child } = start();
    child.exitOnly(1);
    child.stdout.push(null);
    await settled();
    child.complain('why\n');
    child.stderr.push(null);
    await settled();
    expect(exits[0]?.stderr).toBe('why');
  });

  it('S8.9 a failed start is an exit with the error text; an error of a running process is only logged', async () => {
    const failed = start({
      startError: Object.assign(new Error('spawn codex ENOENT'), { code: 'ENOENT', syscall: 'spawn codex' }),
    });
    await settled();
    expect(exits[0]).toMatchObject({ code: null, signal: null, error: 'spawn codex ENOENT', pid: null });
    failed.child.emit('close', -2, null);
    const running = start();
    running.child.emit('error', new Error('kill EPERM'));
    expect(exits).toHaveLength(1);
    expect(log.lines('error')).toHaveLength(2);
  });

  it('S1.62 a missing command that cross-spawn reports on Windows counts as a failed start', () => {
    const { child } = start();
    child.emit('error', Object.assign(new Error('spawn codex ENOENT'), { code: 'ENOENT', syscall: 'spawn codex' }));
    expect(exits[0]).toMatchObject({ error: 'spawn codex ENOENT' });
  });
});

describe('stopping a process', () => {
  it('S1.51 takes no longer than the process does', async () => {
    const { child, process } = start();
    await process.stop('intentional');
    expect(child.inputEnded).toBe(true);
    expect(child.signals).toEqual([]);
    expect(exits[0]).toMatchObject({ code: 0, intentional: true });
    expect(log.lines('error')).toEqual([]);
    expect(clock.waiting).toBe(0);
    await process.stop('intentional');
  });

  it('S8.8 end of stdin, SIGTERM after 2 s, SIGKILL and giving up after 5 s more', async () => {
    const { child, process } = start({ obeysEndOfInput: false });
    const stopped = process.stop('intentional');
    const joined = process.stop('giveUp');
    await settled();
    expect(child.inputEnded).toBe(true);
    clock.advance(1999);
    expect(child.signals).toEqual([]);
    clock.advance(1);
    expect(child.signals).toEqual(['SIGTERM']);
    clock.advance(4999);
    expect(exits).toEqual([]);
    clock.advance(1);
    expect(child.signals).toEqual(['SIGTERM', 'SIGKILL']);
    await Promise.all([stopped, joined]);
    expect(exits).toEqual([expect.objectContaining({ error: 'it did not stop after SIGTERM', intentional: true })]);
    expect(clock.waiting).toBe(0);
    expect(log.lines('error').join()).toContain('SIGKILL');
  });

  it('S8.7 a process whose output ended is wedged after 5 s: it is stopped, and that is a crash', async () => {
    const { child } = start({ obeysEndOfInput: false });
    child.stdout.push(null);
    await settled();
    clock.advance(4999);
    await settled();
    expect(child.inputEnded).toBe(false);
    clock.advance(1);
    await settled();
    expect(child.inputEnded).toBe(true);
    expect(log.lines('error').join()).toContain('[APP-SERVER WEDGED]');
    clock.advance(2000);
    child.exit(null, 'SIGTERM');
    await settled();
    expect(exits).toEqual([expect.objectContaining({ signal: 'SIGTERM', intentional: false })]);
  });

  it('S8.7 a process that exits soon after its output ended is not wedged', async () => {
    const { child } = start();
    child.stdout.push(null);
    await settled();
    clock.advance(4000);
    child.exit(0);
    await settled();
    clock.advance(10_000);
    expect(events).toEqual(['DEAD', 'GONE']);
  });

  it('S8.39 a wedged process that is then stopped on purpose stays a crash', async () => {
    const { child, process } = start({ obeysEndOfInput: false });
    child.stdout.push(null);
    await settled();
    clock.advance(5000);
    const stopped = process.stop('intentional');
    child.exit(0);
    await stopped;
    expect(exits[0]?.intentional).toBe(false);
  });
});
