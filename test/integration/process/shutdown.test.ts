import { describe, expect } from 'vitest';
import { agentEntry } from '../../support/build-agent.ts';
import { deltaStream, hold, runCommand, text } from '../../support/model-replies.ts';
import { codexLauncher, type Lab, run, type StartOptions, type TestAgent, test } from './lab.ts';
import { endlessCommand, eventually, hasProc, type ProcessFacts, survivors } from './processes.ts';

/** What the agent does when it is told to end. */
const moments = ['idle', 'streaming', 'running a command', 'starting'] as const;
type Moment = (typeof moments)[number];

/** Brings an agent to a moment and takes down what runs then. */
async function agentAt(
  lab: Lab,
  moment: Moment,
  options: StartOptions = {},
): Promise<{ agent: TestAgent; family: ProcessFacts[] }> {
  const agent = lab.agent(options);
  switch (moment) {
    case 'starting':
      // Codex is started, and nobody asked for anything yet.
      await eventually('Codex was started', () => agent.family().some(({ command }) => command.includes('app-server')));
      break;
    case 'idle':
      await agent.open(lab.workspace());
      break;
    case 'streaming': {
      const session = await agent.open(lab.workspace());
      lab.server.script(text('one two three four').pauseAt(hold()));
      void agent.prompt(session, 'Count').catch(() => undefined);
      await agent.said(session, 'one');
      break;
    }
    case 'running a command': {
      const workspace = lab.workspace();
      const command = endlessCommand(workspace);
      const session = await agent.open(workspace);
      lab.server.script(runCommand(command.line, { yieldMs: 30_000 }));
      void agent.prompt(session, 'Run it').catch(() => undefined);
      await command.started;
      await agent.update(session, agent.version === 1 ? 'tool_call' : 'tool_call_update');
      break;
    }
  }
  return { agent, family: agent.family() };
}

/** Starts the agent as a child of a process that only passes its streams on, as an editor's own helper does. */
const parent = [
  process.execPath,
  '--input-type=commonjs',
  '--eval',
  `const agent = require('node:child_process').spawn(process.execPath, [process.argv[1]], { stdio: 'pipe' });
   process.stdin.pipe(agent.stdin); agent.stdout.pipe(process.stdout); agent.stderr.pipe(process.stderr);`,
  agentEntry,
];

const took = (since: number): number => performance.now() - since;

describe.skipIf(!hasProc)('the end of the agent (C063)', () => {
  describe.each(moments)('while %s', (moment) => {
    // Without a sandbox nothing but Codex ends the command; with one, the sandbox does.
    const env = { INITIAL_AGENT_MODE: 'agent-full-access' };

    test('end of input: exit code 0 soon, nothing is left (S1.50, S1.51, R37)', async ({ lab }) => {
      const { agent, family } = await agentAt(lab, moment, { env });
      const since = performance.now();
      expect(await agent.end()).toEqual({ code: 0, signal: null });
      // A Codex that is still starting reads its input late; the next step would come after 2 s.
      expect(took(since)).toBeLessThan(moment === 'starting' ? 1900 : 1000);
      expect(await survivors(family, 1000)).toEqual([]);
      expect(agent.process.stderr()).toBe('');
    });

    test.for([
      ['SIGTERM', {}],
      ['SIGINT', { env }],
      ['SIGHUP', { env, profile: 'plainV2' }],
    ] as const)('%s: ends by the signal, nothing is left (S1.53)', async ([signal, options], { lab }) => {
      const { agent, family } = await agentAt(lab, moment, options);
      const since = performance.now();
      agent.kill(signal);
      expect(await agent.exited).toEqual({ code: null, signal });
      expect(took(since)).toBeLessThan(3000);
      expect(await survivors(family, 2000)).toEqual([]);
      expect(agent.process.stderr()).toBe('');
    });
  });

  test.for(['streaming', 'running a command'] as const)(
    'the parent is killed while %s: nothing is left (S1.50, ACP clients that crash)',
    async (moment, { lab }) => {
      const { agent, family } = await agentAt(lab, moment, { command: parent });
      expect(family.filter(({ command }) => command.includes(agentEntry))).toHaveLength(2);
      agent.kill('SIGKILL');
      await agent.exited;
      expect(await survivors(family, 3000)).toEqual([]);
    },
  );

  test.for([
    ['with a sandbox', 'workspace-write'],
    ['without a sandbox', 'agent-full-access'],
  ] as const)('S1.53 two signals at once, a command %s: nothing is left', async ([, mode], { lab }) => {
    const { agent, family } = await agentAt(lab, 'running a command', { env: { INITIAL_AGENT_MODE: mode } });
    agent.kill('SIGTERM');
    agent.kill('SIGINT');
    const { signal } = await agent.exited;
    expect(['SIGTERM', 'SIGINT']).toContain(signal);
    expect(await survivors(family, 2000)).toEqual([]);
  });

  test('S1.53 nothing is left when Codex runs under its launcher', async ({ lab }) => {
    const { agent, family } = await agentAt(lab, 'running a command', { env: { CODEX_PATH: codexLauncher } });
    expect(family.filter(({ command }) => command.includes(' app-server'))).toHaveLength(2);
    agent.kill('SIGTERM');
    expect(await agent.exited).toEqual({ code: null, signal: 'SIGTERM' });
    expect(await survivors(family, 2000)).toEqual([]);
  });

  test('the agent itself is killed while running a command: nothing is left', async ({ lab }) => {
    const { agent, family } = await agentAt(lab, 'running a command');
    agent.kill('SIGKILL');
    await agent.exited;
    expect(await survivors(family, 3000)).toEqual([]);
  });

  test.for(['idle', 'streaming', 'running a command'] as const)(
    'stdout breaks while %s: the agent ends, nothing is left (S1.48)',
    async (moment, { lab }) => {
      const { agent, family } = await agentAt(lab, moment);
      agent.process.child.stdout?.destroy();
      // A pipe tells the writer only when something is written.
      void agent.request('anything', {}).catch(() => undefined);
      expect(await agent.exited).toEqual({ code: 0, signal: null });
      expect(await survivors(family, 1000)).toEqual([]);
      expect(agent.process.stderr()).toBe('');
    },
  );

  test('a client that does not read does not keep the agent (S1.47, S1.53)', async ({ lab }) => {
    const agent = lab.agent();
    const session = await agent.open(lab.workspace());
    const gate = hold();
    lab.server.script(deltaStream({ count: 4000, size: 1000 }).pauseAt(gate, 1));
    void agent.prompt(session, 'Write a lot').catch(() => undefined);
    await agent.said(session, '[0]');
    agent.process.child.stdout?.pause();
    gate.open();
    const [request] = lab.server.turnRequests;
    expect(await request?.finished).toBe('sent');
    const family = agent.family();
    const since = performance.now();
    agent.kill('SIGTERM');
    expect(await agent.exited).toEqual({ code: null, signal: 'SIGTERM' });
    expect(took(since)).toBeLessThan(3500);
    expect(await survivors(family, 1000)).toEqual([]);
  });
});

describe('answers after the end of input (S1.52)', () => {
  const initialize = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}';

  test('echo <initialize> | codex-acp', async ({ lab }) => {
    const { stdout, ...rest } = await run([], { env: lab.home().env, input: `${initialize}\n` });
    expect(rest).toEqual({ code: 0, signal: null, stderr: '' });
    const [first = '', ...others] = stdout.trimEnd().split('\n');
    expect(JSON.parse(first)).toMatchObject({ id: 1, result: { protocolVersion: 1 } });
    for (const line of others) expect(JSON.parse(line)).toMatchObject({ method: '_auth/status_update' });
  });

  test('malformed lines, unknown methods and initialize in one go, the last one without a line feed', async ({
    lab,
  }) => {
    const input = `nonsense\n{"jsonrpc":"2.0","id":0,"method":"nope"}\n${initialize}`;
    const { stdout, ...rest } = await run([], { env: lab.home().env, input });
    expect(rest).toEqual({ code: 0, signal: null, stderr: '' });
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ method }) => method === undefined);
    expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
      [null, -32700],
      [0, -32600],
      [1, undefined],
    ]);
  });

  test('no input at all', async ({ lab }) => {
    expect(await run([], { env: lab.home().env })).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
  });

  test.for(['plainV1', 'plainV2'] as const)(
    'session/new, log-out and close are answered, a prompt is not waited for: %s',
    async (profile, { lab }) => {
      const agent = lab.agent({ profile });
      const session = await agent.open(lab.workspace());
      lab.server.script(text('one two three four').pauseAt(hold()));
      const prompt = agent.prompt(session, 'Count');
      await agent.said(session, 'one');
      const answers = [
        agent.request('session/new', { cwd: lab.workspace().path, mcpServers: [] }),
        agent.request('session/close', { sessionId: 'none' }),
        agent.logout(),
      ];
      expect(await agent.end()).toEqual({ code: 0, signal: null });
      expect(await Promise.all(answers)).toEqual([expect.objectContaining({ sessionId: expect.any(String) }), {}, {}]);
      // v2 answered it when Codex had recorded it.
      if (agent.version === 1) await expect(prompt).rejects.toThrow('the agent exited');
    },
  );

  test('a Codex that is silent delays the end by 2 s at most', async ({ lab }) => {
    const relay = await lab.relay();
    relay.onStart = (codex) => void codex.inputEnded.then(() => codex.exit(0));
    const agent = lab.agent({ env: { CODEX_PATH: relay.path } });
    const initialized = agent.initialize();
    await (await relay.process(0)).waitFor('agent', ({ method }) => method === 'initialize');
    const since = performance.now();
    expect(await agent.end()).toEqual({ code: 0, signal: null });
    expect(took(since)).toBeLessThan(3000);
    await expect(initialized).rejects.toThrow('the agent exited');
  });
});
