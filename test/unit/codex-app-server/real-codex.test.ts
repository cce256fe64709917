import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Child, spawnChild } from '../../../src/adapters/codex-app-server/child-process.ts';
import { type CodexRuntime, createCodexRuntime } from '../../../src/adapters/codex-app-server/codex-app-server.ts';
import { RecordedLog } from './recorded-log.ts';

const SCRATCH = fileURLToPath(new URL('../../../.tmp/', import.meta.url));
let home: string;
let runtime: CodexRuntime;
let children: Child[];

beforeEach(() => {
  mkdirSync(SCRATCH, { recursive: true });
  home = mkdtempSync(join(SCRATCH, 'home-'));
  children = [];
  runtime = createCodexRuntime(
    {
      codexPath: null,
      hooks: undefined,
      providerId: 'mock',
      providers: { mock: { name: 'Mock', base_url: 'http://127.0.0.1:9/v1', wire_api: 'responses' } },
      gateway: () => null,
      crashLimit: 5,
      crashWindowMs: 300_000,
      env: { ...process.env, CODEX_HOME: home },
      agent: { name: 'codex-acp', title: 'Codex ACP', version: '0.0.0' },
    },
    {
      log: new RecordedLog(),
      clock: { now: () => Date.now(), minutesAheadOfUtc: () => 0 },
      scheduler: {
        after: (ms, action) => {
          const timer = setTimeout(action, ms);
          return () => clearTimeout(timer);
        },
      },
      spawn: (command) => {
        const child = spawnChild(command);
        children.push(child);
        return child;
      },
    },
  );
});

afterEach(async () => {
  await runtime.lifecycle.stop();
  rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
});

function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

it('S1.63 S1.78 S1.50 the real Codex starts, opens a thread, is replaced after a kill and leaves no orphan', async () => {
  runtime.start();
  await runtime.lifecycle.introduce({ name: 'test', title: 'Test', version: '1' });
  expect(runtime.codexHome()).toBe(home);
  const release = runtime.feed.buffer();
  const start = { cwd: home, modelProvider: null, config: {}, developerInstructions: null };
  const opened = await runtime.threads.start(start);
  const lost = new Promise<Error>((resolve) => {
    runtime.feed.attach(opened.threadId, { onEvent: () => {}, onRequest: () => {}, onLost: resolve });
  });
  release();
  expect(opened).toMatchObject({ epoch: 1, active: false });
  expect(await runtime.threads.listTerminals(opened.threadId)).toEqual([]);
  expect((await runtime.catalog.models()).filter(({ isDefault }) => isDefault)).toHaveLength(1);
  await expect(runtime.turns.interrupt(opened.threadId, 'none')).rejects.toMatchObject({ name: 'CodexRequestError' });

  children[0]?.kill('SIGKILL');
  // Windows has no signals: there the process exits with a code.
  expect((await lost).message).toMatch(/^The Codex app-server (was killed by SIGKILL|exited with code)/);
  await runtime.lifecycle.ready();
  expect(runtime.lifecycle.epoch).toBe(2);

  await runtime.lifecycle.stop();
  expect(children).toHaveLength(2);
  for (const child of children) expect(isAlive(child.pid)).toBe(false);
});
