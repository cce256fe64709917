import { existsSync, symlinkSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { hold, reply, runCommand, text } from '../../support/model-replies.ts';
import { codexLauncher, errorOf, type Json, type Lab, type ProfileName, type TestAgent, test } from './lab.ts';
import { endlessCommand, eventually, hasProc, survivors } from './processes.ts';

const killed = {
  code: 1001,
  message: expect.stringMatching(
    /^The Codex app-server was killed by SIGKILL, which usually means it ran out of memory\. The agent starts it again on the next request\.(\n|$)/,
  ),
  data: { exitCode: null, signal: 'SIGKILL', restartable: true },
};

interface Broken {
  readonly agent: TestAgent;
  readonly session: string;
  readonly prompt: Promise<Json>;
  /** Number of frames before the crash. */
  readonly from: number;
}

/** Kills Codex in the middle of a turn that had said something and runs a command. */
async function crashMidTurn(lab: Lab, profile: ProfileName): Promise<Broken> {
  const agent = lab.agent({ profile });
  const workspace = lab.workspace();
  const session = await agent.open(workspace);
  const command = endlessCommand(workspace);
  lab.server.script(reply(text('I run it.'), runCommand(command.line, { yieldMs: 30_000 })));
  const prompt = agent.prompt(session, 'The first prompt');
  await command.started;
  await agent.update(session, agent.version === 1 ? 'tool_call' : 'tool_call_update');
  const from = agent.frames.length;
  const codex = agent.codexPid();
  process.kill(codex, 'SIGKILL');
  return { agent, session, prompt, from };
}

/** Kinds of the updates of a session and, at their place, answers; usage and titles are beside the point. */
function story(agent: TestAgent, session: string, from: number): Json[] {
  return agent.frames.slice(from).flatMap((frame): Json[] => {
    if (frame.method === undefined)
      return [frame.error === undefined ? { result: frame.result } : { error: frame.error }];
    if (frame.params?.sessionId !== session) return [];
    const { update } = frame.params;
    return ['session_info_update', 'usage_update'].includes(update.sessionUpdate) ? [] : [update];
  });
}

async function worksAgain(lab: Lab, { agent, session }: Pick<Broken, 'agent' | 'session'>): Promise<void> {
  lab.server.script(text('Here again.'));
  const from = agent.frames.length;
  await agent.turn(session, 'The second prompt');
  expect(agent.client.text(session, from)).toContain('Here again.');
  // The thread was loaded again, with what it knew.
  const { userTexts } = lab.server.turnRequests.at(-1) ?? { userTexts: [] };
  expect(userTexts).toEqual(expect.arrayContaining(['The first prompt', 'The second prompt']));
}

describe.skipIf(!hasProc)('Codex is killed in the middle of a turn (C062, S8.16, S8.61, S8.62, S8.72b)', () => {
  test.for(['plainV1', 'zedV1'] as const)(
    '%s: the tool call is closed, then the prompt fails',
    async (profile, { lab }) => {
      const broken = await crashMidTurn(lab, profile);
      const { agent, session, prompt, from } = broken;
      expect(await errorOf(prompt)).toEqual(killed);
      const [update, answer, ...rest] = story(agent, session, from);
      expect(update).toMatchObject({ sessionUpdate: 'tool_call_update', status: 'failed' });
      if (profile === 'zedV1') {
        const exit = { exit_code: null, signal: null, terminal_id: update.toolCallId };
        expect(update._meta.terminal_exit).toEqual(exit);
      }
      expect(answer).toEqual({ error: killed });
      expect(rest).toEqual([]);
      await worksAgain(lab, broken);
      expect(await agent.end()).toEqual({ code: 0, signal: null });
    },
  );

  test('airV1: the tool call is closed, then the prompt ends with a typed failure', async ({ lab }) => {
    const broken = await crashMidTurn(lab, 'airV1');
    const { agent, session, prompt, from } = broken;
    const result = await prompt;
    expect(result).toMatchObject({
      stopReason: 'end_turn',
      _meta: {
        jetbrains: {
          air: {
            sessionFailure: {
              category: 'connection',
              severity: 'error',
              title: 'Connection to Codex was lost.',
              actions: ['retry', 'new_session'],
            },
          },
        },
        quota: expect.anything(),
      },
    });
    expect(JSON.stringify(result)).not.toContain('SIGKILL');
    const frames = story(agent, session, from);
    expect(frames[0]).toMatchObject({ sessionUpdate: 'tool_call_update', status: 'failed' });
    expect(frames.at(-1)).toEqual({ result });
    await worksAgain(lab, broken);
  });

  test.for(['plainV2', 'airV2'] as const)(
    '%s: the tool call is closed, then the session is idle with an error',
    async (profile, { lab }) => {
      const broken = await crashMidTurn(lab, profile);
      const { agent, session, prompt, from } = broken;
      const idle = await agent.idle(session, from);
      expect(idle).toMatchObject({
        stopReason: 'error',
        error: { code: 1001, message: 'Connection to Codex was lost.' },
      });
      expect(idle.error).toEqual({ code: 1001, message: 'Connection to Codex was lost.' });
      expect(await prompt).toEqual({ messageId: expect.any(String) });
      const frames = story(agent, session, from);
      expect(frames).toContainEqual(expect.objectContaining({ sessionUpdate: 'tool_call_update', status: 'failed' }));
      expect(frames.at(-1)).toEqual(idle);
      const said = agent.client.text(session, from);
      // S8.61: a client without typed failures is told in words, once.
      expect(said).toBe(profile === 'plainV2' ? 'Connection to Codex was lost.' : '');
      if (profile === 'airV2') {
        expect(idle._meta.jetbrains.air.sessionFailure).toMatchObject({ title: 'Connection to Codex was lost.' });
      }
      await worksAgain(lab, broken);
    },
  );

  test.for(['plainV1', 'plainV2'] as const)(
    'a permission that waits is withdrawn, a late answer is dropped: %s',
    async (profile, { lab }) => {
      const agent = lab.agent({ profile, env: { INITIAL_AGENT_MODE: 'workspace-write' } });
      const workspace = lab.workspace();
      const session = await agent.open(workspace);
      lab.server.script(runCommand('touch never', { escalate: 'May I?' }), text('Not reached.'));
      const prompt = agent.prompt(session, 'The first prompt');
      const ask = await agent.client.waitFor((frame) => frame.method === 'session/request_permission');
      const from = agent.frames.length;
      process.kill(agent.codexPid(), 'SIGKILL');
      const end = agent.version === 1 ? errorOf(prompt) : agent.idle(session, from).then(({ error }) => error);
      expect(await end).toMatchObject({ code: 1001 });
      const frames = agent.frames.slice(from);
      const withdrawal = frames.findIndex((frame) => frame.method === '$/cancel_request');
      const closing = frames.findIndex((frame) => frame.params?.update?.status === 'failed');
      expect(frames[withdrawal]?.params).toEqual({ requestId: ask.id });
      expect(withdrawal).toBeLessThan(closing);
      const allow = ask.params.options.find(({ kind }: Json) => kind === 'allow_once').optionId;
      agent.client.answer(ask.id as number, { outcome: { outcome: 'selected', optionId: allow } });
      await worksAgain(lab, { agent, session });
      expect(existsSync(workspace.file('never'))).toBe(false);
    },
  );

  test('other sessions: one with messages goes on, one without is told to be lost (S8.27, S8.55)', async ({ lab }) => {
    const agent = lab.agent();
    const [first, second, empty] = [lab.workspace(), lab.workspace(), lab.workspace()];
    const session = await agent.open(first);
    const idle = await agent.newSession(second);
    const unused = await agent.newSession(empty);
    lab.server.script(text('One.'));
    await agent.turn(idle, 'The first prompt');
    lab.server.script(text('one two three four').pauseAt(hold()));
    const prompt = agent.prompt(session, 'The first prompt');
    await agent.said(session, 'one');
    process.kill(agent.codexPid(), 'SIGKILL');
    expect(await errorOf(prompt)).toEqual(killed);
    await worksAgain(lab, { agent, session: idle });
    await worksAgain(lab, { agent, session });
    expect(await errorOf(agent.prompt(unused, 'Hello'))).toEqual({
      code: 1001,
      message: `Session ${unused} had no messages yet and was lost when the Codex app-server restarted. Start a new session.`,
      data: { exitCode: null, signal: null, restartable: false },
    });
    await agent.newSession(empty);
  });

  test('S8.31 close, cancel and settings need no Codex', async ({ lab }) => {
    const relay = await lab.relay();
    const agent = lab.agent({ env: { CODEX_PATH: relay.path } });
    const session = await agent.open(lab.workspace());
    await agent.turn(session, 'Hello');
    const codex = await relay.process(0);
    codex.exit('SIGKILL');
    await codex.gone;
    await agent.request('session/set_mode', { sessionId: session, modeId: 'read-only' });
    agent.client.notify('session/cancel', { sessionId: session });
    expect(await agent.request('session/close', { sessionId: session })).toEqual({});
    expect(relay.processes).toHaveLength(1);
  });

  test('S8.6, S8.14 the launcher of Codex is killed and leaves the real one behind', async ({ lab }) => {
    const agent = lab.agent({ env: { CODEX_PATH: codexLauncher } });
    const session = await agent.open(lab.workspace());
    lab.server.script(text('one two three four').pauseAt(hold()));
    const prompt = agent.prompt(session, 'The first prompt');
    await agent.said(session, 'one');
    const first = agent.family().filter(({ command }) => command.includes(' app-server'));
    expect(first).toHaveLength(2);
    process.kill(agent.codexPid(), 'SIGKILL');
    expect(await errorOf(prompt)).toEqual(killed);
    await worksAgain(lab, { agent, session });
    expect(await survivors(first, 3000)).toEqual([]);
  });
});

describe('Codex that cannot start (S1.64, S1.65, S8.17, S8.18)', () => {
  test('a missing executable: told, and the next initialize works when it is there', async ({ lab }) => {
    const relay = await lab.relay();
    const { path } = lab.workspace();
    const agent = lab.agent({ env: { CODEX_PATH: `${path}/not-there` } });
    expect(await errorOf(agent.initialize())).toEqual({
      code: 1001,
      message: `Codex process could not be started (spawn ${path}/not-there ENOENT)`,
      data: { exitCode: null, signal: null, restartable: true },
    });
    // S1.96: not initialized.
    expect(await errorOf(agent.newSession(lab.workspace()))).toMatchObject({ code: -32600 });
    symlinkSync(relay.path, `${path}/not-there`);
    expect(await agent.initialize()).toMatchObject({ protocolVersion: 1 });
    expect(await agent.newSession(lab.workspace())).toEqual(expect.any(String));
    expect(await agent.end()).toEqual({ code: 0, signal: null });
  });

  test('a file that is no program', async ({ lab }) => {
    const workspace = lab.workspace({ codex: 'text' });
    const agent = lab.agent({ env: { CODEX_PATH: workspace.file('codex') }, profile: 'plainV2' });
    expect(await errorOf(agent.initialize())).toEqual({
      code: 1001,
      message: `Codex process could not be started (spawn ${workspace.file('codex')} EACCES)`,
      data: { exitCode: null, signal: null, restartable: true },
    });
    expect(await agent.end()).toEqual({ code: 0, signal: null });
  });

  test.for(['plainV1', 'plainV2'] as const)(
    'it exits with a code, with and without words: %s',
    async (profile, { lab }) => {
      const relay = await lab.relay();
      const agent = lab.agent({ profile, env: { CODEX_PATH: relay.path } });
      relay.onStart = (codex) =>
        void codex
          .waitFor('agent', () => true)
          .then(() => codex.exit(3, `${'x'.repeat(3000)}\nError: out of luck\n\n`));
      const words = await errorOf(agent.initialize());
      expect(words).toMatchObject({ code: 1001, data: { exitCode: 3, signal: null, restartable: true } });
      expect(words.message).toMatch(/^Codex process has exited with code 3:\nx+\nError: out of luck$/);
      // S8.4: the tail only.
      expect(words.message.length).toBeLessThan(2048 + 50);
      relay.onStart = (codex) => void codex.waitFor('agent', () => true).then(() => codex.exit(4));
      expect(await errorOf(agent.initialize())).toEqual({
        code: 1001,
        message: 'Codex process has exited with code 4',
        data: { exitCode: 4, signal: null, restartable: true },
      });
      relay.onStart = (codex) => codex.relay();
      expect(await agent.initialize()).toMatchObject({ protocolVersion: agent.version });
      expect(await agent.newSession(lab.workspace())).toEqual(expect.any(String));
    },
  );

  test('it is killed, with the remark about memory', async ({ lab }) => {
    const relay = await lab.relay();
    const agent = lab.agent({ env: { CODEX_PATH: relay.path } });
    relay.onStart = (codex) => void codex.waitFor('agent', () => true).then(() => codex.exit('SIGKILL', 'last words'));
    expect(await errorOf(agent.initialize())).toEqual({
      code: 1001,
      message: 'Codex process was killed by SIGKILL, which usually means it ran out of memory:\nlast words',
      data: { exitCode: null, signal: 'SIGKILL', restartable: true },
    });
    expect(await agent.initialize().catch(() => 'failed again')).toBe('failed again');
  });

  test('S1.65, S8.3 it dies before the client says anything: the first request starts another', async ({ lab }) => {
    const relay = await lab.relay();
    relay.onStart = (codex) => codex.exit(3, 'too early');
    const logs = lab.workspace();
    const agent = lab.agent({ env: { CODEX_PATH: relay.path, APP_SERVER_LOGS: logs.path } });
    const file = 'app-server.log';
    await eventually('the agent saw it', () => logs.exists(file) && logs.read(file).includes('[APP-SERVER EXIT]'));
    relay.onStart = (codex) => codex.relay();
    expect(await agent.initialize()).toMatchObject({ protocolVersion: 1 });
    expect(relay.processes).toHaveLength(2);
  });

  test('S1.67 malformed hooks of CODEX_CONFIG', async ({ lab }) => {
    const agent = lab.agent({ env: { CODEX_CONFIG: '{"hooks":"nope"}' } });
    const error = await errorOf(agent.initialize());
    expect(error).toMatchObject({ code: 1001, data: { exitCode: 1, signal: null, restartable: true } });
    expect(error.message).toMatch(/^Codex process has exited with code 1:\n.*expected struct HooksToml/s);
  });

  test('S1.12 a provider that Codex does not know', async ({ lab }) => {
    const agent = lab.agent({ env: { MODEL_PROVIDER: 'nowhere' } });
    const error = await errorOf(agent.initialize());
    expect(error).toMatchObject({ code: 1001, data: { exitCode: 1, restartable: true } });
    expect(error.message).toContain('Model provider `nowhere` not found');
  });
});

describe('crash limit (S8.20, S8.37)', () => {
  test('two crashes in the window: told when to try again, then it works again', async ({ lab }) => {
    const relay = await lab.relay();
    const agent = lab.agent({
      env: {
        CODEX_PATH: relay.path,
        CODEX_ACP_APP_SERVER_CRASH_LIMIT: '2',
        CODEX_ACP_APP_SERVER_CRASH_WINDOW_MS: '4000',
      },
    });
    relay.onStart = (codex) => void codex.waitFor('agent', () => true).then(() => codex.exit(3, 'out of luck'));
    expect(await errorOf(agent.initialize())).toMatchObject({ code: 1001, data: { exitCode: 3, restartable: true } });
    const limit = await errorOf(agent.initialize());
    expect(limit).toEqual({
      code: 1001,
      message: expect.stringMatching(
        /^The Codex app-server crashed 2 times in the last 4 s \(last: it exited with code 3\), so the agent stopped restarting it\. Restart the agent, or try again in [1-4] s\.\nout of luck$/,
      ),
      data: { exitCode: 3, signal: null, restartable: false, retryAfterMs: expect.any(Number) },
    });
    expect(relay.processes).toHaveLength(2);
    // Nothing is started while the limit holds.
    relay.onStart = (codex) => codex.relay();
    const { data } = await errorOf(agent.initialize());
    expect(data).toMatchObject({ restartable: false });
    expect(data.retryAfterMs).toBeGreaterThan(0);
    expect(data.retryAfterMs).toBeLessThanOrEqual(limit.data.retryAfterMs);
    expect(relay.processes).toHaveLength(2);
    // As long as the agent said.
    await new Promise((resolve) => setTimeout(resolve, data.retryAfterMs));
    expect(await agent.initialize()).toMatchObject({ protocolVersion: 1 });
    expect(relay.processes).toHaveLength(3);
  });
});
