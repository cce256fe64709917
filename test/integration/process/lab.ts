import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { test as base, expect } from 'vitest';
import type { AcpClient, Frame } from '../../support/acp-client.ts';
import { type AgentProcess, startAgent } from '../../support/agent-process.ts';
import { agentEntry } from '../../support/build-agent.ts';
import {
  type CodexHome,
  type CodexHomeOptions,
  createCodexHome,
  createWorkspace,
  type Workspace,
} from '../../support/codex-home.ts';
import { type ModelServer, startModelServer } from '../../support/model-server.ts';
import { profiles } from '../../support/profiles.ts';
import { createRelayCodex, type RelayCodex } from '../../support/relay-codex.ts';
import { familyOf, isAlive, killAll, type ProcessFacts } from './processes.ts';

/*
 * The agent as a process, to be started, broken and ended. What a test opened through its `lab` is gone after the test,
 * and a frame that does not fit the protocol fails it.
 */

// biome-ignore lint/suspicious/noExplicitAny: tests look into frames freely
export type Json = any;

export type Version = 1 | 2;
export type ProfileName = keyof typeof profiles;

export interface StartOptions {
  /** Default: `plainV1`. */
  readonly profile?: ProfileName;
  /** Default: a home whose provider is the model server. */
  readonly home?: CodexHome;
  /** Added to the environment; `undefined` takes a variable out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Command before the agent; see `AgentOptions.command`. */
  readonly command?: readonly string[];
  readonly cwd?: string;
}

/** Settings of the developer's own shell must not reach the agent under test. */
export const cleanEnvironment = {
  APP_SERVER_LOGS: undefined,
  CODEX_ACP_APP_SERVER_CRASH_LIMIT: undefined,
  CODEX_ACP_APP_SERVER_CRASH_WINDOW_MS: undefined,
  CODEX_API_KEY: undefined,
  CODEX_CONFIG: undefined,
  CODEX_PATH: undefined,
  DEFAULT_AUTH_REQUEST: undefined,
  INITIAL_AGENT_MODE: undefined,
  NO_BROWSER: undefined,
  OPENAI_API_KEY: undefined,
};

/** The launcher of the bundled Codex: a Node program that runs the real one as its child (S8.14). */
export const codexLauncher = fileURLToPath(
  new URL('../../../node_modules/@openai/codex/bin/codex.js', import.meta.url),
);

/** One agent process and the conversation with it. */
export class TestAgent {
  readonly version: Version;
  readonly profile: Json;
  readonly process: AgentProcess;
  readonly #codexHome: string;

  constructor(options: StartOptions, home: CodexHome) {
    const name = options.profile ?? 'plainV1';
    this.version = name.endsWith('V1') ? 1 : 2;
    this.profile = profiles[name];
    this.#codexHome = home.path;
    this.process = startAgent({
      version: this.version,
      env: { ...cleanEnvironment, ...home.env, ...options.env },
      ...(options.command === undefined ? {} : { command: options.command }),
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    });
  }

  get client(): AcpClient {
    return this.process.client;
  }

  get exited(): AgentProcess['exited'] {
    return this.process.exited;
  }

  get pid(): number {
    return this.process.child.pid ?? 0;
  }

  /** The agent and everything that descends from it, also what lost its parent meanwhile. */
  family(): ProcessFacts[] {
    return familyOf(this.pid, `CODEX_HOME=${this.#codexHome}`);
  }

  /** The `codex app-server` that the agent runs. */
  codexPid(): number {
    const codex = this.family().find(({ command }) => command.includes(' app-server'));
    if (codex === undefined) throw new Error('The agent runs no app-server');
    return codex.pid;
  }

  kill(signal: NodeJS.Signals): void {
    this.process.child.kill(signal);
  }

  request(method: string, params: unknown): Promise<Json> & { id: number } {
    return this.client.request(method, params);
  }

  initialize(profile: Json = this.profile): Promise<Json> {
    return this.request('initialize', profile);
  }

  /** `initialize`, then a session in the workspace. */
  async open(workspace: Workspace, params: Json = {}): Promise<string> {
    await this.initialize();
    return this.newSession(workspace, params);
  }

  async newSession(workspace: Workspace, params: Json = {}): Promise<string> {
    return (await this.request('session/new', { cwd: workspace.path, mcpServers: [], ...params })).sessionId;
  }

  prompt(sessionId: string, text: string): Promise<Json> & { id: number } {
    return this.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
  }

  /** A prompt that ends well, whatever the version; resolves at its end. */
  async turn(sessionId: string, text: string): Promise<void> {
    const from = this.client.received.length;
    await this.prompt(sessionId, text);
    if (this.version === 1) return;
    const idle = await this.idle(sessionId, from);
    expect(idle).toMatchObject({ stopReason: 'end_turn' });
  }

  /** v2: the end of the work of a session. */
  idle(sessionId: string, from = 0): Promise<Json> {
    return this.update(sessionId, 'state_update', (update) => update.state === 'idle', from);
  }

  async update(
    sessionId: string,
    kind: string,
    matches: (update: Json) => boolean = () => true,
    from = 0,
  ): Promise<Json> {
    const fits = (frame: Frame): boolean =>
      frame.method === 'session/update' &&
      frame.params.sessionId === sessionId &&
      frame.params.update.sessionUpdate === kind &&
      matches(frame.params.update);
    return (await this.client.waitFor(fits, from)).params.update;
  }

  /** Resolves when the agent's messages of a session contain this. */
  async said(sessionId: string, words: string, from = 0): Promise<void> {
    await this.client.waitFor(() => this.client.text(sessionId, from).includes(words), from);
  }

  get methods(): { readonly login: string; readonly logout: string } {
    return this.version === 1
      ? { login: 'authenticate', logout: 'logout' }
      : { login: 'auth/login', logout: 'auth/logout' };
  }

  login(methodId: string, meta?: Json): Promise<Json> {
    return this.request(this.methods.login, { methodId, ...(meta === undefined ? {} : { _meta: meta }) });
  }

  logout(): Promise<Json> {
    return this.request(this.methods.logout, {});
  }

  /** The pushed login statuses, in order. */
  get statuses(): Json[] {
    return this.client.received
      .filter((frame) => frame.method === '_auth/status_update')
      .map((frame) => frame.params.authStatus);
  }

  /** Everything that came, frame by frame. */
  get frames(): readonly Frame[] {
    return this.client.received;
  }

  async end(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    return this.process.stop();
  }
}

export interface Run {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the agent's executable to its end, with this text as its whole input. */
export async function run(
  args: readonly string[],
  options: { readonly env?: Readonly<Record<string, string | undefined>>; readonly input?: string } = {},
): Promise<Run> {
  const child = spawn(process.execPath, [agentEntry, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...cleanEnvironment, ...options.env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  const [code, signal] = await once(child, 'close');
  return { code, signal, stdout, stderr };
}

/** A JSON-RPC error as it was answered; fails when the request succeeded. */
export async function errorOf(answer: Promise<unknown>): Promise<{ code: number; message: string; data: Json }> {
  const [settled] = await Promise.allSettled([answer]);
  if (settled.status === 'fulfilled') throw new Error(`Not an error: ${JSON.stringify(settled.value)}`);
  const { code, message, data } = settled.reason;
  return { code, message, data };
}

export class Lab {
  readonly server: ModelServer;
  readonly #agents: TestAgent[] = [];
  readonly #homes: CodexHome[] = [];
  readonly #workspaces: Workspace[] = [];
  readonly #relays: RelayCodex[] = [];

  private constructor(server: ModelServer) {
    this.server = server;
  }

  static async open(): Promise<Lab> {
    return new Lab(await startModelServer());
  }

  /** A Codex home; by default with plain tools, which run commands one call each. */
  home(options: Partial<CodexHomeOptions> = {}): CodexHome {
    const home = createCodexHome({ baseUrl: this.server.baseUrl, model: 'gpt-5.5', ...options });
    this.#homes.push(home);
    return home;
  }

  /** A home whose provider is OpenAI's own, at the model server: it needs a login. */
  openAiHome(): CodexHome {
    return this.home({ defaultProvider: false, extraToml: `openai_base_url = "${this.server.baseUrl}"` });
  }

  workspace(files: Readonly<Record<string, string>> = {}): Workspace {
    const workspace = createWorkspace(files);
    this.#workspaces.push(workspace);
    return workspace;
  }

  agent(options: StartOptions = {}): TestAgent {
    const agent = new TestAgent(options, options.home ?? this.home());
    this.#agents.push(agent);
    return agent;
  }

  async relay(): Promise<RelayCodex> {
    const relay = await createRelayCodex();
    this.#relays.push(relay);
    return relay;
  }

  async close(): Promise<void> {
    for (const agent of this.#agents) {
      killAll(agent.family().filter(isAlive));
      await agent.exited;
    }
    for (const relay of this.#relays) await relay.dispose();
    await this.server.close();
    for (const place of [...this.#workspaces, ...this.#homes]) place.dispose();
    expect(this.#agents.flatMap((agent) => agent.process.violations)).toEqual([]);
    expect(this.server.scriptErrors).toEqual([]);
  }
}

/** A test with a lab of its own. */
export const test = base.extend<{ lab: Lab }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the needed fixtures from the pattern
  lab: async ({}, use) => {
    const lab = await Lab.open();
    await use(lab);
    await lab.close();
  },
});
