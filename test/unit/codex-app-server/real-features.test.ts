import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CodexRuntime, createCodexRuntime } from '../../../src/adapters/codex-app-server/codex-app-server.ts';
import { SystemScheduler } from '../../../src/adapters/system/system-scheduler.ts';
import type { TurnPolicy } from '../../../src/domain/settings/turn-policy.ts';
import type { ThreadEvent } from '../../../src/domain/thread/thread-event.ts';
import { steerRefusal } from '../../../src/domain/turn/steer-refusal.ts';
import { type CodexHome, createCodexHome, createWorkspace, type Workspace } from '../../support/codex-home.ts';
import { hold, script, text } from '../../support/model-replies.ts';
import { type ModelServer, startModelServer } from '../../support/model-server.ts';
import { RecordedLog } from './recorded-log.ts';

/* What the features expect of the real Codex. The model is a script; the tests share one process and one thread. */

const skillFile = '---\nname: mine\ndescription: What mine does\n---\nDo it.\n';
const addFile = '*** Begin Patch\n*** Add File: touched\n+x\n*** End Patch';
const policy: TurnPolicy = {
  approvalPolicy: 'never',
  approvalsReviewer: 'user',
  access: { type: 'sandbox', sandbox: { type: 'readOnly', networkAccess: false } },
  model: 'gpt-5.5',
  effort: 'low',
  summary: 'none',
  serviceTier: null,
};

let server: ModelServer;
let home: CodexHome;
let workspace: Workspace;
let runtime: CodexRuntime;
let threadId: string;
/** Created by whoever starts the MCP server of the user. */
let marker: string;
const events: ThreadEvent[] = [];
const everybody: string[] = [];
let heard: () => void = () => {};

/** The next event of the thread that matches, or one that came before. */
async function event(type: ThreadEvent['type'], times = 1): Promise<ThreadEvent> {
  for (;;) {
    const found = events.filter((one) => one.type === type)[times - 1];
    if (found !== undefined) return found;
    await new Promise<void>((resolve) => {
      heard = resolve;
    });
  }
}

const say = (content: string) => [{ type: 'text', text: content }] as const;
const start = () => runtime.turns.start({ threadId, input: say('Hello'), clientMessageId: null, policy });

beforeAll(async () => {
  server = await startModelServer();
  workspace = createWorkspace({ 'more/.agents/skills/mine/SKILL.md': skillFile });
  marker = workspace.file('mcp-was-started');
  home = createCodexHome({
    baseUrl: server.baseUrl,
    extraToml: `[mcp_servers."odd.name"]\ncommand = "sh"\nargs = ["-c", 'touch "${marker}"; exit 1']`,
  });
  runtime = createCodexRuntime(
    {
      codexPath: null,
      hooks: undefined,
      providerId: 'mock',
      providers: {},
      gateway: () => null,
      crashLimit: 5,
      crashWindowMs: 300_000,
      env: { ...process.env, ...home.env },
      agent: { name: 'codex-acp', title: 'Codex ACP', version: '0.0.0' },
    },
    {
      log: new RecordedLog(),
      clock: { now: () => Date.now(), minutesAheadOfUtc: () => 0 },
      scheduler: new SystemScheduler(),
    },
  );
  runtime.feed.onGlobal(({ type }) => everybody.push(type));
  await runtime.lifecycle.introduce({ name: 'test', title: 'Test', version: '1' });
});

afterAll(async () => {
  await runtime.lifecycle.stop();
  await server.close();
  workspace.dispose();
  home.dispose();
});

it('S3.191 S3.193 a title comes from a thread that starts no MCP server and can run nothing', async () => {
  const params = { cwd: workspace.path, text: 'Please fix the tests', model: 'gpt-5.6-luna' };
  expect(await runtime.sampling.title(params)).toBe('Scripted title');
  expect(server.requests).toMatchObject([{ model: 'gpt-5.6-luna', lastUserText: 'Please fix the tests' }]);
  expect(existsSync(marker)).toBe(false);
  const touched = workspace.file('touched');
  server.aside('title', undefined);
  server.script(script(`await tools.apply_patch(${JSON.stringify(addFile)})`), text('{"title":"Tamed"}'));
  expect(await runtime.sampling.title(params)).toBe('Tamed');
  expect(server.requests.at(-1)?.toolOutputs.map((output) => output.text)).toEqual([
    expect.stringMatching(/^Script failed[\s\S]*environment/),
  ]);
  expect(existsSync(touched)).toBe(false);
});

it('S2.139 S3.27 S2.136 skills of further roots are listed and tell that they changed', async () => {
  const root = join(workspace.path, 'more', '.agents', 'skills');
  const names = async () => (await runtime.skills.list([workspace.path])).map(({ name }) => name);
  expect(await names()).not.toContain('mine');
  await runtime.skills.useRoots([root]);
  expect((await runtime.skills.list([workspace.path])).find(({ name }) => name === 'mine')).toEqual({
    name: 'mine',
    description: 'What mine does',
    path: join(root, 'mine', 'SKILL.md'),
    enabled: true,
  });
  expect(everybody).toContain('skillsChanged');
});

it('S3.3 S3.143 steering is refused by the texts that are known, and lands in the turn that is named', async () => {
  const release = runtime.feed.buffer();
  const opened = await runtime.threads.start({
    cwd: workspace.path,
    modelProvider: null,
    config: {},
    developerInstructions: null,
  });
  threadId = opened.threadId;
  runtime.feed.attach(threadId, {
    onEvent: (one) => {
      events.push(one);
      heard();
    },
    onRequest: () => {},
    onLost: () => {},
  });
  release();
  const steer = (turnId: string) =>
    runtime.turns
      .steer({ threadId, turnId, input: say('And this'), clientMessageId: 'steered' })
      .catch((error: unknown) => steerRefusal(error));
  expect(await steer('none')).toEqual({ type: 'noActiveTurn' });
  const gate = hold();
  server.script(text('One moment').pauseAt(gate), text('Done.'));
  const { turnId } = await start();
  await event('turnStarted');
  expect(await steer('other')).toEqual({ type: 'mismatch', expected: 'other', found: turnId });
  expect(await steer(turnId)).toEqual({ turnId });
  gate.open();
  await event('turnCompleted');
  expect(events).toContainEqual({
    type: 'itemCompleted',
    turnId,
    item: { type: 'userMessage', id: expect.any(String), clientId: 'steered' },
  });
});

it('S3.194 S3.195 a sample of the last turn, not of another one', async () => {
  const { turnId } = (await event('turnCompleted')) as Extract<ThreadEvent, { type: 'turnCompleted' }>;
  const sample = (id: string) => runtime.sampling.sample({ threadId, turnId: id, prompt: 'What next?' });
  expect(await sample(turnId)).toBe('{"suggestion":"Run the tests"}');
  await expect(sample('other')).rejects.toThrow('sample source turn must be the latest finished turn');
});

it('S3.11 S3.118 S3.125 a goal is set, read and cleared, and the thread tells it', async () => {
  const { goals } = runtime;
  await expect(goals.set(threadId, { status: 'paused' })).rejects.toThrow('no goal exists');
  expect(await goals.clear(threadId)).toBe(false);
  const goal = await goals.set(threadId, { objective: 'Ship it', status: 'paused' });
  expect(goal).toMatchObject({ objective: 'Ship it', status: 'paused', tokenBudget: null, tokensUsed: 0 });
  expect(goal.createdAt).toBeGreaterThan(1_700_000_000);
  expect(await goals.read(threadId)).toEqual(goal);
  expect(await event('goalUpdated')).toEqual({ type: 'goalUpdated', goal });
  expect(await goals.clear(threadId)).toBe(true);
  await event('goalCleared');
  expect(await goals.read(threadId)).toBeNull();
});

it('S3.8 S3.166 S2.124 a compaction is an item of a turn of its own; a name is told', async () => {
  await runtime.threads.setName(threadId, 'A name');
  expect(await event('threadName')).toEqual({ type: 'threadName', name: 'A name' });
  await runtime.turns.compact(threadId);
  await event('turnCompleted', 2);
  expect(events).toContainEqual({
    type: 'itemCompleted',
    turnId: expect.any(String),
    item: { type: 'compaction', id: expect.any(String) },
  });
});

it('S2.166 S2.119 MCP servers with and without a thread; limits need an account', async () => {
  const unknown = '01a22dfe-25b7-7eb0-9a00-ddbfea2bdb41';
  await runtime.status.reconnectMcpServers();
  const [server] = await runtime.status.mcpServers(threadId);
  expect(server).toMatchObject({ name: 'odd.name', tools: 0, signedIn: true });
  expect(server?.connection).not.toBe('unknown');
  expect(await runtime.status.mcpServers(unknown)).toMatchObject([{ name: 'odd.name', connection: 'unknown' }]);
  await expect(runtime.status.rateLimits()).rejects.toThrow('authentication required');
});

it('S3.9 S3.113 a review of the working tree begins and ends with items of the turn that was answered', async () => {
  const { turnId } = await runtime.turns.review(threadId, { type: 'uncommittedChanges' });
  await event('turnCompleted', 3);
  const items = events.filter((one) => one.type === 'itemCompleted' && one.item.type.startsWith('review'));
  expect(items).toMatchObject([
    { turnId, item: { type: 'reviewEntered' } },
    { turnId, item: { type: 'reviewExited' } },
  ]);
});
