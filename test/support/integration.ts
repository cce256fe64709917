import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { AcpClient, Frame } from './acp-client.ts';
import { type AgentProcess, startAgent } from './agent-process.ts';
import {
  type CodexHome,
  type CodexHomeOptions,
  createCodexHome,
  createWorkspace,
  type Workspace,
} from './codex-home.ts';
import { FrameAudit } from './frame-audit.ts';
import { LabSession } from './lab-session.ts';
import { type ModelServer, type Responder, startModelServer } from './model-server.ts';
import { profiles } from './profiles.ts';
import { createRelayCodex, type RelayCodex, type RelayedCodex } from './relay-codex.ts';
import { Shared } from './shared.ts';

export {
  isAnswer,
  isUpdate,
  LabPrompt,
  LabSession,
  PermissionAsk,
  type PromptEnd,
  type Resumed,
} from './lab-session.ts';

/*
 * The built agent with the real `codex app-server` and a scripted model. A test reads like the conversation:
 *
 *     const agent = useAgent({ version: 1 });
 *     test('…', async () => {
 *       const session = await agent().open();
 *       session.model(text('Hello.'));
 *       const end = await session.prompt('Hi').ended;
 *       expect(end.outcome).toBe('end_turn');
 *     });
 *
 * Every frame is checked on the way (schema, `FrameAudit`); what was found fails the test that caused it.
 */

export type Version = 1 | 2;

// biome-ignore lint/suspicious/noExplicitAny: tests look into frames freely
export type Json = any;

export interface AgentOptions {
  readonly version: Version;
  /** `initialize` params; default: the plain client of the version. */
  readonly profile?: Json;
  readonly env?: Readonly<Record<string, string>>;
  /** Model, retries and more configuration of Codex. */
  readonly home?: Omit<Partial<CodexHomeOptions>, 'baseUrl'>;
  /** Lines of stderr that are in order. Every other line fails the test. */
  readonly stderr?: readonly RegExp[];
}

/** How long a test waits for a frame before it fails with a list of what came instead. */
const waitLimitMs = 20_000;

/** One agent for all tests of a `describe` block; each test opens sessions of its own. */
export function useAgent(options: AgentOptions): () => AgentLab {
  let lab: AgentLab | null = null;
  beforeAll(async () => {
    lab = await AgentLab.start(options);
  });
  afterEach(() => lab?.expectClean());
  afterAll(async () => lab?.stop());
  return () => {
    if (lab === null) throw new Error('The agent is started before the tests');
    return lab;
  };
}

/** An agent, and the relay between it and its Codex when it has one. */
interface Stage {
  readonly lab: AgentLab;
  readonly relay: RelayCodex | null;
}

/** Agents that no test uses just now; those of one file. Ended with the file, and each must exit by itself. */
const stages = new Shared<Stage>(end);
afterAll(() => stages.endAll());

/**
 * An open session of an agent that no other test uses meanwhile. The agent may have served tests of the same file with
 * the same options; nothing of them is left (`AgentLab.renew`), and positions in `client.received` begin anew. A test may
 * break, restart and end it: only what is good for another test goes on.
 */
export function withAgent(
  options: AgentOptions & SessionOptions,
  body: (lab: AgentLab, session: LabSession) => Promise<void>,
): Promise<void> {
  const start = async (): Promise<Stage> => ({ lab: await AgentLab.start(options), relay: null });
  return onStage('direct', start, options, async ({ lab }) => body(lab, await lab.open(options)));
}

/**
 * The same, with the agent's Codex in the hand of the test (`relay-codex.ts`). `codex` is the first process; `relay` gives
 * those that replace it. Rules and messages of an earlier test are gone.
 */
export function withRelay(
  options: AgentOptions & SessionOptions,
  body: (session: LabSession, codex: RelayedCodex, relay: RelayCodex) => Promise<void>,
): Promise<void> {
  const start = async (): Promise<Stage> => {
    const relay = await createRelayCodex();
    try {
      const lab = await AgentLab.start({ ...options, env: { ...options.env, CODEX_PATH: relay.path } });
      return { lab, relay };
    } catch (error) {
      await relay.dispose();
      throw error;
    }
  };
  return onStage('relayed', start, options, async ({ lab, relay }) => {
    if (relay === null) throw new Error('A relayed agent has a relay');
    // It must be there before the session is opened: the test gets every message about it.
    const codex = await relay.process(0);
    await body(await lab.open(options), codex, relay);
  });
}

async function onStage(
  kind: 'direct' | 'relayed',
  start: () => Promise<Stage>,
  options: AgentOptions,
  act: (stage: Stage) => Promise<void>,
): Promise<void> {
  const { version, profile, env, home, stderr } = options;
  const key = JSON.stringify([kind, version, profile, env, home, stderr?.map(String)]);
  const stage = await stages.borrow(key, start);
  let reusable = false;
  try {
    await act(stage);
    stage.lab.expectClean();
    reusable = await renewed(stage);
  } finally {
    if (reusable) stages.giveBack(key, stage);
    else await end(stage);
  }
}

/** Whether the stage is as good as new for another test. */
async function renewed({ lab, relay }: Stage): Promise<boolean> {
  if (relay === null) return lab.renew();
  const [codex, ...others] = relay.processes;
  if (codex === undefined || others.length > 0) return false;
  codex.endRules();
  if (!(await lab.renew()) || !(await codex.settled())) return false;
  codex.forget();
  return true;
}

async function end({ lab, relay }: Stage): Promise<void> {
  try {
    await lab.stop();
  } finally {
    await relay?.dispose();
  }
}

export interface SessionOptions {
  /** Files of the session's git workspace. */
  readonly files?: Readonly<Record<string, string>>;
  /** More `session/new` params. */
  readonly params?: Json;
  /** The model to use; default: that of the configuration. */
  readonly model?: string | undefined;
}

export class AgentLab {
  readonly version: Version;
  readonly server: ModelServer;
  readonly home: CodexHome;
  /** The answer to `initialize`. */
  initialized: Json = null;
  readonly #options: AgentOptions;
  readonly #workspaces: Workspace[] = [];
  readonly #sessions = new Map<string, LabSession>();
  #agent: AgentProcess;
  #audit: FrameAudit;
  #stderrSeen = 0;
  #violationsSeen = 0;
  #scriptErrorsSeen = 0;
  #batch: string[] | null = null;
  /** The process has an environment of its own. */
  #restartedWith = false;

  private constructor(options: AgentOptions, server: ModelServer) {
    this.#options = options;
    this.version = options.version;
    this.server = server;
    this.home = createCodexHome({ baseUrl: server.baseUrl, ...options.home });
    [this.#agent, this.#audit] = this.#spawn();
    // Each session has a script of its own; requests of other threads take the common queue of the server.
    server.respondWith(this.#respond);
  }

  readonly #respond: Responder = (request) => this.#sessions.get(request.ownerThreadId)?.respond(request);

  static async start(options: AgentOptions): Promise<AgentLab> {
    const lab = new AgentLab(options, await startModelServer());
    try {
      lab.initialized = await lab.client.request('initialize', lab.#profile);
    } catch (error) {
      await lab.stop();
      throw error;
    }
    return lab;
  }

  /** The process that runs now. */
  get agent(): AgentProcess {
    return this.#agent;
  }

  get client(): AcpClient {
    return this.agent.client;
  }

  get #profile(): Json {
    return this.#options.profile ?? (this.version === 1 ? profiles.plainV1 : profiles.plainV2);
  }

  #spawn(env: Readonly<Record<string, string>> = {}): [AgentProcess, FrameAudit] {
    const { version } = this;
    const agent = startAgent({ version, env: { ...this.home.env, ...this.#options.env, ...env } });
    const audit = new FrameAudit(version, JSON.stringify(this.#profile).includes('"jetbrains"'));
    const { client } = agent;
    const validate = client.onFrame;
    client.onFrame = (frame, method) => {
      audit.received(frame);
      validate(frame, method);
    };
    const write = client.send.bind(client);
    client.send = (message) => {
      audit.sent(message as Frame);
      if (this.#batch === null) write(message);
      else this.#batch.push(`${JSON.stringify(message)}\n`);
    };
    return [agent, audit];
  }

  /**
   * Ends the process and starts another one in its place, as an editor does: the same Codex home, model and workspaces;
   * sessions are known by their ids only. Positions in `client.received` begin anew. `env` is added to that of the lab.
   */
  async restart(env: Readonly<Record<string, string>> = {}): Promise<void> {
    this.expectClean();
    await this.#end();
    [this.#agent, this.#audit] = this.#spawn(env);
    this.#stderrSeen = 0;
    this.#violationsSeen = 0;
    this.#restartedWith = Object.keys(env).length > 0;
    this.initialized = await this.request('initialize', this.#profile);
  }

  workspace(files: Readonly<Record<string, string>> = {}): Workspace {
    const workspace = createWorkspace(files);
    this.#workspaces.push(workspace);
    return workspace;
  }

  /** Opens a session in a workspace of its own. */
  async open(options: SessionOptions = {}): Promise<LabSession> {
    const workspace = this.workspace(options.files);
    const params = { cwd: workspace.path, mcpServers: [], ...options.params };
    const opened = await this.request('session/new', params);
    const session = new LabSession(this, opened, workspace);
    this.#sessions.set(session.id, session);
    // On v1 the command list follows the answer by itself; it must not come between the frames that a test looks at.
    if (this.version === 1) await session.update('available_commands_update');
    if (options.model !== undefined) await session.setOption('model', options.model);
    return session;
  }

  /** A request whose answer must come in time. */
  request(method: string, params: Json): Promise<Json> {
    return this.#inTime(`answer to ${method}`, this.client.request(method, params));
  }

  /** Everything that the client sends meanwhile reaches the agent in one write. */
  together<T>(send: () => T): T {
    this.#batch = [];
    try {
      return send();
    } finally {
      const lines = this.#batch.join('');
      this.#batch = null;
      this.client.raw(lines);
    }
  }

  /** The first frame from position `from` on that matches, of those received or still to come. */
  waitFor(what: string, matches: (frame: Frame) => boolean, from = 0): Promise<Frame> {
    return this.#inTime(what, this.client.waitFor(matches, from));
  }

  /**
   * Ends what a test has left, so that the next one finds nothing of it: open sessions are closed, the model server and
   * the client are as they were. `false` when the agent is good for no further test: it is gone, or runs with other settings.
   * What is wrong with a frame of the end fails the test.
   */
  async renew(): Promise<boolean> {
    if (this.#restartedWith || this.agent.child.exitCode !== null || this.agent.child.signalCode !== null) return false;
    this.client.onRequest = () => undefined;
    for (const session of this.#sessionsOpened()) {
      await this.#inTime(
        'answer to session/close',
        this.client.request('session/close', { sessionId: session }).catch(() => undefined),
      );
    }
    this.expectClean();
    this.#sessions.clear();
    this.server.reset();
    this.server.respondWith(this.#respond);
    this.client.received.length = 0;
    for (const workspace of this.#workspaces.splice(0)) workspace.dispose();
    return true;
  }

  /** Every session that an answer of this process named. */
  #sessionsOpened(): Set<string> {
    const named = this.client.received.map((frame) => frame.result?.sessionId);
    return new Set([...this.#sessions.keys(), ...named.filter((id) => typeof id === 'string')]);
  }

  /** Nothing was found wrong since the last call: schema, order, answers, stderr. */
  expectClean(): void {
    const violations = this.agent.violations.slice(this.#violationsSeen);
    this.#violationsSeen = this.agent.violations.length;
    const stderr = this.agent.stderr();
    const accepted = this.#options.stderr ?? [];
    const lines = stderr
      .slice(this.#stderrSeen)
      .split('\n')
      .filter((line) => line !== '' && !accepted.some((pattern) => pattern.test(line)));
    this.#stderrSeen = stderr.length;
    const scriptErrors = this.server.scriptErrors.slice(this.#scriptErrorsSeen).map((error) => error.message);
    this.#scriptErrorsSeen = this.server.scriptErrors.length;
    expect({
      violations,
      audit: this.#audit.take(),
      unanswered: this.#audit.takeUnanswered(),
      stderr: lines,
      scriptErrors,
    }).toEqual({
      violations: [],
      audit: [],
      unanswered: [],
      stderr: [],
      scriptErrors: [],
    });
  }

  /** Ends the agent's input; it must exit by itself with code 0. */
  async stop(): Promise<void> {
    try {
      await this.#end();
    } finally {
      await this.server.close();
      for (const workspace of this.#workspaces) workspace.dispose();
      this.home.dispose();
    }
  }

  async #end(): Promise<void> {
    const limit = delay(waitLimitMs, 'late' as const, { ref: false });
    const exit = await Promise.race([this.agent.stop(), limit]);
    if (exit === 'late') this.agent.child.kill('SIGKILL');
    await this.agent.exited;
    expect(exit).toEqual({ code: 0, signal: null });
  }

  async #inTime<T>(what: string, wait: Promise<T>): Promise<T> {
    const timer = new AbortController();
    const late = delay(waitLimitMs, `within ${waitLimitMs} ms`, { signal: timer.signal });
    const gone = this.agent.exited.then(() => 'before the agent exited');
    const stuck = Promise.race([late, gone]).then((when) => {
      throw this.#stuck(what, when);
    });
    stuck.catch(() => undefined);
    try {
      return await Promise.race([wait, stuck]);
    } finally {
      timer.abort();
    }
  }

  #stuck(what: string, when: string): Error {
    const last = this.client.received.slice(-12).map((frame) => `  ${JSON.stringify(frame).slice(0, 400)}`);
    const stderr = this.agent.stderr().slice(-1000);
    return new Error(`No ${what} ${when}. Last frames:\n${last.join('\n')}\n${stderr}`);
  }
}

/** Polls something outside the agent that has no event: a file, a process. */
export async function eventually<T>(what: string, probe: () => T | null | undefined | false): Promise<T> {
  const end = performance.now() + waitLimitMs;
  for (;;) {
    const found = probe();
    if (found !== null && found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new Error(`Not within ${waitLimitMs} ms: ${what}`);
    await delay(10);
  }
}
