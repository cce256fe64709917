import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLog, type LogOptions } from '../../../src/adapters/system/pino-log.ts';

const clock = { now: () => new Date(2026, 0, 2, 3, 4, 5, 6).getTime(), minutesAheadOfUtc: () => 0 };
const TIME = '2026-01-02 03:04:05,006';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'codex-acp-log-'));
});

afterEach(() => rm(directory, { recursive: true, force: true }));

function open(options: Partial<LogOptions> = {}) {
  const errors: string[] = [];
  const log = createLog({ directory, clock, pid: 7, errorOutput: (text) => errors.push(text), ...options });
  const lines = async () => {
    await log.flush();
    return (await readFile(join(directory, 'app-server.log'), 'utf8')).trimEnd().split('\n');
  };
  return { log, errors, lines };
}

describe('with a directory', () => {
  test('S1.31, S1.32 lines with time, tag, message and context', async () => {
    const { log, errors, lines } = open();
    log.info('Startup', { name: 'codex-acp' });
    log.debug('[IN] {"id":1}');
    log.warn('[APP-SERVER EXIT] gone', { code: 1 });
    log.error('It failed', { exception: new Error('why') });
    log.error('[STDIN ERROR]');
    const [first, startup, sent, exit, failure, last] = await lines();
    expect(first).toBe(`${TIME} [SYS] Logger initialized {"pid":7}`);
    expect(startup).toBe(`${TIME} [SYS] Startup {"pid":7,"name":"codex-acp"}`);
    expect(sent).toBe(`${TIME} [IN] {"id":1} {"pid":7}`);
    expect(exit).toBe(`${TIME} [APP-SERVER EXIT] gone {"pid":7,"code":1}`);
    expect(failure).toContain(
      `${TIME} [SYSTEM_ERROR] It failed {"pid":7,"exception":{"name":"Error","message":"why","stack":`,
    );
    expect(last).toBe(`${TIME} [STDIN ERROR]  {"pid":7}`);
    // S1.35: with a file, nothing goes to stderr.
    expect(errors).toEqual([]);
  });

  test('S1.31 one entry is one line, whatever the message holds', async () => {
    const { log, lines } = open();
    log.info('a\nb\r\u001b[31m');
    expect((await lines())[1]).toBe(`${TIME} [SYS] a\\nb\\u000d\\u001b[31m {"pid":7}`);
  });

  test('S1.30 the directory is made, the file appended to, and the pid is ours', async () => {
    const deep = join(directory, 'a', 'b');
    await open({ directory: deep }).log.flush();
    const second = open({ directory: deep, pid: 8 });
    second.log.info('Child', { pid: 99 });
    await second.log.flush();
    expect(await readFile(join(deep, 'app-server.log'), 'utf8')).toBe(
      `${TIME} [SYS] Logger initialized {"pid":7}\n${TIME} [SYS] Logger initialized {"pid":8}\n` +
        `${TIME} [SYS] Child {"pid":8,"childPid":99}\n`,
    );
  });

  test('S1.34 no secret reaches the file', async () => {
    const { log, lines } = open({ secrets: ['hunter2-known'] });
    const login = { method: 'account/login/start', params: { type: 'apiKey', apiKey: 'hunter2' } };
    log.debug(`[IN] ${JSON.stringify(login)}`);
    log.debug('[OUT]', { line: JSON.stringify(login), message: login });
    log.info('Startup', { config: { http_headers: { A: 'hunter2' } }, auth: { 'api-key': { apiKey: 'hunter2' } } });
    log.error('refused Bearer hunter2', { exception: new Error('hunter2-known', { cause: 'sk-hunter2' }) });
    expect((await lines()).join('\n')).not.toContain('hunter2');
  });

  test('S1.36 the context is taken as it was at the call', async () => {
    const { log, lines } = open();
    const context = { state: 'before' };
    log.info('Changed', context);
    context.state = 'after';
    expect((await lines())[1]).toContain('before');
  });

  test('S1.36 many entries keep their order', async () => {
    const { log, lines } = open();
    for (let index = 0; index < 5_000; index += 1) log.debug(`entry ${index}`);
    const indexes = (await lines()).slice(1).map((line) => Number(/entry (\d+)/.exec(line)?.[1]));
    expect(indexes).toEqual(Array.from({ length: 5_000 }, (_, index) => index));
  });

  test('S1.38 nothing goes to stdout', async () => {
    const write = vi.spyOn(process.stdout, 'write');
    try {
      const { log, lines } = open();
      log.error('It failed');
      await lines();
      const { log: other } = open({ directory: null });
      other.error('It failed');
      expect(write).not.toHaveBeenCalled();
    } finally {
      write.mockRestore();
    }
  });
});

describe('a log that cannot be written', () => {
  const places: [string, () => Promise<string>][] = [
    [
      'S1.18 below a file',
      async () => {
        await writeFile(join(directory, 'file'), '');
        return join(directory, 'file', 'logs');
      },
    ],
    [
      'S1.18 a folder in place of the file',
      async () => {
        await mkdir(join(directory, 'app-server.log'));
        return directory;
      },
    ],
  ];
  if (process.platform === 'linux') {
    places.push(['S1.37 below a pseudo file system', async () => '/proc/nowhere/logs']);
  }

  test.each(places)('%s: one line, then as without a log', async (_name, place) => {
    const { log, errors } = open({ directory: await place() });
    expect(log.enabled).toBe(true);
    log.info('dropped');
    log.error('Early', { exception: new Error('why') });
    await log.flush();
    expect(log.enabled).toBe(false);
    log.error('Late');
    log.info('dropped');
    expect(errors).toEqual([
      expect.stringMatching(
        /^\[SYSTEM_ERROR\] APP_SERVER_LOGS: the log file cannot be opened, logging is off: [^\n]+\n$/,
      ),
      '[SYSTEM_ERROR] Early: why\n',
      '[SYSTEM_ERROR] Late\n',
    ]);
  });

  test.skipIf(process.platform !== 'linux')('S1.36 a full disk is told once and breaks nothing', async () => {
    await symlink('/dev/full', join(directory, 'app-server.log'));
    const { log, errors } = open();
    log.info('one');
    await log.flush();
    log.info('two');
    log.error('three');
    await log.flush();
    expect(errors).toEqual([
      expect.stringMatching(/^\[SYSTEM_ERROR\] The log file cannot be written: ENOSPC[^\n]*\n$/),
    ]);
  });
});

describe('S1.35 without a directory', () => {
  test('only errors are shown, on stderr', async () => {
    const { log, errors } = open({ directory: null, secrets: ['hunter2'] });
    expect(log.enabled).toBe(false);
    log.debug('no');
    log.info('no');
    log.warn('no');
    log.error('It failed', { exception: new Error('outer', { cause: new Error('inner\nline') }) });
    log.error('[APP-SERVER ERROR] It hunter2 failed', { code: 5 });
    log.error('Plain');
    await log.flush();
    expect(errors).toEqual([
      '[SYSTEM_ERROR] It failed: outer: inner\\nline\n',
      '[SYSTEM_ERROR] It [REDACTED] failed: {"code":5}\n',
      '[SYSTEM_ERROR] Plain\n',
    ]);
  });

  test('S1.36 context of entries that are not kept is not even looked at', () => {
    const { log } = open({ directory: null });
    const context = {
      get member(): never {
        throw new Error('looked at');
      },
    };
    expect(() => log.debug('no', context)).not.toThrow();
  });
});
