import { beforeEach, describe, expect, it } from 'vitest';
import { CodexSupervisor } from '../../../src/adapters/codex-app-server/codex-supervisor.ts';
import type { CodexLostError } from '../../../src/domain/errors/agent-error.ts';
import type { CodexClientInfo } from '../../../src/ports/outbound/codex-runtime.ts';
import { FakeAppServers, settled } from '../../support/fake-app-server.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { RecordedLog } from './recorded-log.ts';

const CLIENT: CodexClientInfo = { name: 'editor', title: 'Editor', version: '1.2' };

let clock: FakeClock;
let servers: FakeAppServers;
let events: unknown[];
let supervisor: CodexSupervisor;

beforeEach(() => {
  clock = new FakeClock();
  servers = new FakeAppServers();
  events = [];
  supervisor = supervise();
});

function supervise(crashLimit = 5, crashWindowMs = 300_000): CodexSupervisor {
  return new CodexSupervisor({
    command: () => ({ command: 'codex', args: ['app-server'], env: {} }),
    redact: (text: string) => text,
    spawn: servers.spawn,
    receiver: {
      forProcess: (epoch) => ({
        onNotification: (method) => events.push(`${method} of ${epoch}`),
        onRequest: () => false,
      }),
      onLost: (cause) => events.push(`lost: ${cause.message}`),
    },
    explain: (message) => message,
    crashLimit,
    crashWindowMs,
    trace: null,
    log: new RecordedLog(),
    clock,
    scheduler: clock,
  });
}

/** The error of a call; also keeps a rejection from being unhandled while time is moved. */
async function failureOf(call: Promise<unknown>): Promise<CodexLostError> {
  return call.then(
    () => {
      throw new Error('The call did not fail');
    },
    (error) => error,
  );
}

/** Ends the running process and lets that be noticed. */
async function crash(code: number | null = 1, signal: NodeJS.Signals | null = null): Promise<void> {
  servers.last.exit(code, signal);
  await settled();
}

describe('handshake', () => {
  it('S8.3 starts before anybody needs it, and introduces nobody', async () => {
    supervisor.start();
    supervisor.start();
    await settled();
    expect(servers.started).toHaveLength(1);
    expect(servers.last.received).toEqual([]);
    expect(supervisor.epoch).toBe(1);
  });

  it('S1.78 S1.79 introduces the client and then says initialized, once per process', async () => {
    supervisor.start();
    await Promise.all([supervisor.introduce(CLIENT), supervisor.ready()]);
    await supervisor.introduce({ ...CLIENT, version: '1.3' });
    expect(servers.started).toHaveLength(1);
    expect(servers.last.received).toEqual([
      {
        id: 0,
        method: 'initialize',
        params: { clientInfo: CLIENT, capabilities: { experimentalApi: true, requestAttestation: false } },
      },
      { method: 'initialized' },
    ]);
    expect(supervisor.codexHome).toBe('/home/.codex');
  });

  it('S8.34 without the facts of the client, ready means started', async () => {
    await supervisor.ready();
    expect(servers.last.received).toEqual([]);
  });

  it('S8.35 S8.24 a process that does not answer within 30 s is stopped, counts as a crash, and the next request restarts', async () => {
    servers.behaviour = { introduces: false };
    const failure = failureOf(supervisor.introduce(CLIENT));
    clock.advance(29_999);
    await settled();
    expect(servers.last.inputEnded).toBe(false);
    clock.advance(1);
    expect((await failure).message).toBe(
      'The Codex app-server did not answer initialize within 30 s. The agent starts it again on the next request.',
    );
    await settled();
    const second = failureOf(supervisor.ready());
    expect(servers.started).toHaveLength(2);
    clock.advance(30_000);
    expect(await second).toMatchObject({
      message:
        'The restarted Codex app-server did not answer initialize within 30 s. The agent starts it again on the next request.',
      data: { exitCode: null, signal: null, restartable: true },
    });
    await settled();
    servers.behaviour = {};
    const third = supervisor.ready();
    clock.advance(999);
    expect(servers.started).toHaveLength(2);
    clock.advance(1);
    await third;
    expect(supervisor.epoch).toBe(3);
  });

  it('S1.107 S1.81 an error answer fails the introduction and is tried again with a new process', async () => {
    servers.behaviour = { introduces: false };
    const failure = failureOf(supervisor.introduce(CLIENT));
    await settled();
    servers.last.refuse('initialize', 'no such client', -32602);
    expect(await failure).toMatchObject({ name: 'CodexRequestError', message: 'no such client' });
    await settled();
    servers.behaviour = {};
    await supervisor.introduce(CLIENT);
    expect(supervisor.epoch).toBe(2);
    expect(events).toEqual([]);
  });
});

describe('loss', () => {
  it('S8.5 reports events, then the loss, then fails what waits, with one error', async () => {
    await supervisor.introduce(CLIENT);
    const waiting = supervisor.connection?.request('model/list', {}) ?? Promise.reject(new Error('no connection'));
    const failure = failureOf(waiting).then((error) => {
      events.push('request failed');
      return error;
    });
    servers.last.complain('panicked\n');
    servers.last.exitOnly(1);
    const late = failureOf(supervisor.connection?.request('account/read', {}) ?? Promise.resolve());
    servers.last.say({ method: 'item/completed' });
    servers.last.endOutput();
    const error = await failure;
    const message = 'The Codex app-server exited with code 1. The agent starts it again on the next request.\npanicked';
    expect(events).toEqual(['item/completed of 1', `lost: ${message}`, 'request failed']);
    expect(error).toMatchObject({ message, data: { exitCode: 1, signal: null, restartable: true } });
    expect(await late).toBe(error);
    expect(servers.last.methods).not.toContain('account/read');
    expect(supervisor.loss).toBe(error);
  });

  it('S8.5 an error that Codex answered before it died stays that error', async () => {
    await supervisor.introduce(CLIENT);
    const failure = failureOf(supervisor.connection?.request('model/list', {}) ?? Promise.resolve());
    await settled();
    servers.last.exitOnly(1);
    servers.last.refuse('model/list', 'bad request');
    servers.last.endOutput();
    expect(await failure).toMatchObject({ name: 'CodexRequestError', message: 'bad request' });
  });

  it.each([
    [137, null, 'The Codex app-server exited with code 137, which usually means it ran out of memory. The agent'],
    [
      null,
      'SIGKILL',
      'The Codex app-server was killed by SIGKILL, which usually means it ran out of memory. The agent',
    ],
    [null, 'SIGSEGV', 'The Codex app-server was killed by SIGSEGV. The agent'],
  ] as const)('S8.12 tells the cause of code %s and signal %s', async (code, signal, text) => {
    await supervisor.introduce(CLIENT);
    await crash(code, signal);
    expect(supervisor.loss.message).toContain(text);
  });

  it('S8.17 S1.64 a process that dies in the handshake fails it without a promise; listeners hear nothing', async () => {
    servers.behaviour = { introduces: false };
    const failure = failureOf(supervisor.introduce(CLIENT));
    await settled();
    servers.last.complain('Error: invalid type\n');
    await crash(1);
    expect(await failure).toMatchObject({
      message: 'Codex process has exited with code 1:\nError: invalid type',
      data: { exitCode: 1, signal: null, restartable: true },
    });
    expect(events).toEqual([]);
  });

  it('S8.18 S1.64 a program that cannot be started', async () => {
    servers.behaviour = { startError: Object.assign(new Error('spawn /no/codex ENOENT'), { code: 'ENOENT' }) };
    supervisor.start();
    await settled();
    expect(await failureOf(supervisor.introduce(CLIENT))).toMatchObject({
      message: 'Codex process could not be started (spawn /no/codex ENOENT)',
      data: { exitCode: null, signal: null, restartable: true },
    });
    expect(servers.started).toHaveLength(2);
  });

  it('S8.18 killed in the handshake', async () => {
    servers.behaviour = { introduces: false };
    const failure = failureOf(supervisor.introduce(CLIENT));
    await crash(null, 'SIGTERM');
    expect((await failure).message).toBe('Codex process was killed by SIGTERM');
  });

  it('S8.25 a start that throws', async () => {
    servers.throwOnStart = new Error('spawn E2BIG');
    expect(() => supervisor.start()).not.toThrow();
    expect(await failureOf(supervisor.ready())).toMatchObject({
      message: 'The Codex app-server could not be started: spawn E2BIG',
      data: { restartable: true },
    });
  });

  it('S8.14 a missing Visual C++ runtime is never tried again', async () => {
    servers.behaviour = { introduces: false };
    const failure = failureOf(supervisor.introduce(CLIENT));
    await crash(3221225781);
    const expected = {
      message: 'VC++ redistributable should be installed',
      data: { exitCode: 3221225781, signal: null, restartable: false },
    };
    expect(await failure).toMatchObject(expected);
    expect(await failureOf(supervisor.ready())).toMatchObject(expected);
    expect(servers.started).toHaveLength(1);
  });
});

describe('restart', () => {
  it('S1.65 a process that died before anybody needed it is replaced by the first request', async () => {
    supervisor.start();
    await crash(1);
    await supervisor.introduce(CLIENT);
    expect(servers.started).toHaveLength(2);
  });

  it('S8.30 S8.32 S8.33 happens on the next need only, once for all, with the same introduction', async () => {
    await supervisor.introduce(CLIENT);
    await crash();
    expect(servers.started).toHaveLength(1);
    await Promise.all([supervisor.ready(), supervisor.ready()]);
    expect(servers.started).toHaveLength(2);
    expect(supervisor.epoch).toBe(2);
    expect(servers.last.methods).toEqual(['initialize', 'initialized']);
    expect(servers.last.received[0]?.params?.clientInfo).toEqual(CLIENT);
  });

  it('S8.33 waits until the old process is gone', async () => {
    await supervisor.introduce(CLIENT);
    servers.last.exitOnly(1);
    const ready = supervisor.ready();
    await settled();
    expect(servers.started).toHaveLength(1);
    servers.last.endOutput();
    await ready;
    expect(servers.started).toHaveLength(2);
  });

  it('S8.4 R28 what an old process still writes reaches nobody', async () => {
    await supervisor.introduce(CLIENT);
    const old = servers.last;
    old.exitOnly(1);
    clock.advance(1000);
    await supervisor.ready();
    old.say({ method: 'late' });
    await settled();
    expect(events).toEqual([expect.stringMatching(/^lost/)]);
  });

  it('S8.36 backs off 0, 1, 2, 4, 4 s from the last crash', async () => {
    supervisor = supervise(10);
    await supervisor.introduce(CLIENT);
    for (const delay of [0, 1000, 2000, 4000, 4000]) {
      await crash();
      const before = servers.started.length;
      const ready = supervisor.ready();
      if (delay > 0) {
        clock.advance(delay - 1);
        expect(servers.started).toHaveLength(before);
        clock.advance(1);
      }
      expect(servers.started).toHaveLength(before + 1);
      await ready;
    }
  });

  it('S8.36 time that passed since the crash counts', async () => {
    await supervisor.introduce(CLIENT);
    await crash();
    await supervisor.ready();
    await crash();
    clock.advance(1000);
    await supervisor.ready();
    expect(supervisor.epoch).toBe(3);
  });

  it('S8.37 S8.20 at the crash limit nothing is started until crashes have left the window', async () => {
    supervisor = supervise(2, 60_000);
    await supervisor.introduce(CLIENT);
    await crash();
    clock.advance(10_000);
    await supervisor.ready();
    const waiting = failureOf(supervisor.connection?.request('model/list', {}) ?? Promise.resolve());
    servers.last.complain('boom\n');
    await crash(null, 'SIGKILL');
    const message =
      'The Codex app-server crashed 2 times in the last 60 s (last: it was killed by SIGKILL, which usually means it ran ' +
      'out of memory), so the agent stopped restarting it. Restart the agent, or try again in 50 s.\nboom';
    expect(await waiting).toMatchObject({
      message,
      data: { exitCode: null, signal: 'SIGKILL', restartable: false, retryAfterMs: 50_000 },
    });
    expect(await failureOf(supervisor.ready())).toMatchObject({ message });
    clock.advance(49_999);
    expect((await failureOf(supervisor.ready())).data.retryAfterMs).toBe(1);
    clock.advance(1);
    await supervisor.ready();
    expect(servers.started).toHaveLength(3);
  });
});

describe('replacement', () => {
  it('S8.19 for a provider change it is no crash', async () => {
    supervisor = supervise(1);
    await supervisor.introduce(CLIENT);
    const waiting = failureOf(supervisor.connection?.request('model/list', {}) ?? Promise.resolve());
    await supervisor.replace('providerChange');
    expect((await waiting).message).toBe(
      'The Codex app-server was restarted for a provider change while this request ran. Try again.',
    );
    await supervisor.ready();
    expect(supervisor.epoch).toBe(2);
  });

  it('S12.6 because it does not answer it is a crash', async () => {
    supervisor = supervise(1);
    await supervisor.introduce(CLIENT);
    await supervisor.replace('notAnswering');
    expect((await failureOf(supervisor.ready())).message).toContain('crashed 1 times');
  });
});

describe('stop', () => {
  it('S1.50 S8.22 S8.23 ends the process and never starts another', async () => {
    await supervisor.introduce(CLIENT);
    const waiting = failureOf(supervisor.connection?.request('model/list', {}) ?? Promise.resolve());
    await Promise.all([supervisor.stop(), supervisor.stop()]);
    expect(await waiting).toMatchObject({
      message: 'The Codex app-server exited with code 0. The agent is shutting down.',
      data: { exitCode: 0, restartable: false },
    });
    const refused = {
      message: 'The Codex app-server is not available: the agent is shutting down.',
      data: { exitCode: null, signal: null, restartable: false },
    };
    expect(await failureOf(supervisor.ready())).toMatchObject(refused);
    expect(await failureOf(supervisor.introduce(CLIENT))).toMatchObject(refused);
    supervisor.start();
    expect(supervisor.loss).toMatchObject(refused);
    expect(servers.started).toHaveLength(1);
    expect(clock.waiting).toBe(0);
  });

  it('S8.11 during the back-off the waiting requests are refused', async () => {
    await supervisor.introduce(CLIENT);
    await crash();
    await supervisor.ready();
    await crash();
    const waiting = failureOf(supervisor.ready());
    await supervisor.stop();
    expect((await waiting).data.restartable).toBe(false);
    clock.advance(10_000);
    expect(servers.started).toHaveLength(2);
  });

  it('S8.11 before anything was started there is nothing to wait for', async () => {
    await supervisor.stop();
    supervisor.start();
    expect(servers.started).toHaveLength(0);
  });
});
