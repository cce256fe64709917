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
import { type ModelServer, startModelServer } from './model-server.ts';
import { profiles } from './profiles.ts';
import { createRelayCodex, type RelayCodex, type RelayedCodex } from './relay-codex.ts';

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

/** An agent of its own, with one open session, for a test that ends or breaks it. */
export async function withAgent(
  options: AgentOptions & SessionOptions,
  body: (lab: AgentLab, session: LabSession) => Promise<void>,
): Promise<void> {
  const lab = await AgentLab.start(options);
  try {
    await body(lab, await lab.open(options));
    lab.expectClean();
  } finally {
    await lab.stop();
  }
}

/**
 * An agent of its own whose Codex the test holds in its hand (`relay-codex.ts`), with one open session. `codex` is the
 * first process; `relay` gives those that replace it.
 */
export async function withRelay(
  options: AgentOptions & SessionOptions,
  body: (session: LabSession, codex: RelayedCodex, relay: RelayCodex) => Promise<void>,
): Promise<void> {
  const relay = await createRelayCodex();
  try {
    await withAgent({ ...options, env: { ...options.env, CODEX_PATH: relay.path } }, async (_, session) => {
      await body(session, await relay.process(0), relay);
    });
  } finally {
    await relay.dispose();
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

  private constructor(options: AgentOptions, server: ModelServer) {
    this.#options = options;
    this.version = options.version;
    this.server = server;
    this.home = createCodexHome({ baseUrl: server.baseUrl, ...options.home });
    [this.#agent, this.#audit] = this.#spawn();
    // Each session has a script of its own; requests of other threads take the common queue of the server.
    server.respondWith((request) => this.#sessions.get(request.ownerThreadId)?.respond(request));
  }

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
