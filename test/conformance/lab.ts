import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AcpVersion } from '../support/acp-schema.ts';
import {
  type CodexHome,
  type CodexHomeOptions,
  createCodexHome,
  createWorkspace,
  type Workspace,
} from '../support/codex-home.ts';
import type { Scripted } from '../support/model-replies.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { profiles } from '../support/profiles.ts';
import { AgentWire, type Exit } from './agent-wire.ts';
import { Session } from './session.ts';

interface Base {
  readonly model: ModelServer;
  readonly home: CodexHome;
  readonly workspace: Workspace;
}

export interface StartOptions {
  readonly version?: AcpVersion;
  readonly env?: NodeJS.ProcessEnv;
}

/** What the model says to a prompt of a session. */
interface Script {
  readonly sessionId: string;
  readonly marker: string;
  readonly replies: Scripted[];
}

/** A shell command that goes on until it is ended. */
export interface HeldCommand {
  readonly command: string;
  /** Resolves when the command runs. */
  readonly started: Promise<void>;
  /** Resolves when no process of the command is left. */
  readonly gone: Promise<void>;
}

/** Codex asks the user in this mode; in the default one a model reviews the requests. */
const ASKING_MODE = 'workspace-write';

/**
 * Everything that the rows of one version share: a scripted model, a Codex home, a workspace, and one agent with the
 * client's plain profile. A row that would disturb the others starts an agent or a session of its own. All of it starts
 * when a row first asks for it.
 */
export class Lab {
  readonly version: AcpVersion;
  readonly #agents: AgentWire[] = [];
  readonly #disposals: (() => void | Promise<void>)[] = [];
  readonly #scripts: Script[] = [];
  readonly #made = new Map<string, Promise<unknown>>();

  constructor(version: AcpVersion) {
    this.version = version;
  }

  /** What several rows need and only the first of them makes. */
  once<T>(what: string, make: () => Promise<T>): Promise<T> {
    const made = (this.#made.get(what) as Promise<T> | undefined) ?? make();
    this.#made.set(what, made);
    return made;
  }

  base(): Promise<Base> {
    return this.once('base', () => this.#prepare());
  }

  /** The agent that most rows share, initialized with the plain profile. */
  main(): Promise<AgentWire> {
    return this.once('main', () => this.started());
  }

  /**
   * An agent with a fresh Codex home: nobody is logged in and no provider is configured. Its client offers gateway logins,
   * its configuration names a model that Codex does not list.
   */
  loginAgent(): Promise<AgentWire> {
    return this.once('login agent', () => this.#startLoginAgent());
  }

  /** A fresh agent, initialized with the plain profile. */
  async started(options: StartOptions = {}): Promise<AgentWire> {
    const agent = await this.start(options);
    await agent.initialize(this.profile);
    return agent;
  }

  /** A fresh agent that was sent nothing yet. */
  async start(options: StartOptions = {}): Promise<AgentWire> {
    const { home } = await this.base();
    return this.#spawn({ ...home.env, ...options.env }, options.version);
  }

  get profile(): (typeof profiles)['plainV1'] | (typeof profiles)['plainV2'] {
    return this.version === 1 ? profiles.plainV1 : profiles.plainV2;
  }

  /** Every agent that the rows started and that speaks this version. */
  get agents(): readonly AgentWire[] {
    return this.#agents.filter(({ version }) => version === this.version);
  }

  /** Opens a session in the shared workspace. */
  async session(agent?: AgentWire, params: object = {}): Promise<Session> {
    const owner = agent ?? (await this.main());
    const { workspace } = await this.base();
    const opened = await owner.request('session/new', { cwd: workspace.path, mcpServers: [], ...params });
    const session = new Session(this, owner, opened);
    // On v1 the command list follows the answer by itself; it must not come between the frames that a row judges.
    if (this.version === 1) await session.update(isCommandList, 'the command list');
    return session;
  }

  /** A text for a prompt of the session; the model answers it with these replies, in order, and then with `Done.`. */
  script(sessionId: string, replies: readonly Scripted[]): string {
    const marker = `Task ${this.#scripts.length + 1}.`;
    this.#scripts.push({ sessionId, marker, replies: [...replies] });
    return marker;
  }

  /** A folder outside of every workspace. */
  folder(): Workspace {
    const workspace = createWorkspace();
    this.#disposals.push(() => workspace.dispose());
    return workspace;
  }

  /**
   * A command that ends only when it is ended. The processes hold the write end of a pipe in the workspace; its reader
   * sees when the first opens it and when the last is gone, in whatever process namespace they run.
   */
  async heldCommand(): Promise<HeldCommand> {
    const { workspace } = await this.base();
    const name = `held-${this.#disposals.length}.pipe`;
    execFileSync('mkfifo', [workspace.file(name)]);
    const reader = spawn('cat', [workspace.file(name)], { stdio: ['ignore', 'pipe', 'ignore'] });
    this.#disposals.push(() => void reader.kill());
    return {
      command: `exec 3>${name}; echo started >&3; echo running; sleep 600`,
      started: once(reader.stdout, 'data').then(() => undefined),
      gone: once(reader, 'exit').then(() => undefined),
    };
  }

  /** Ends the shared agent, as a client does that closes its stdin. For the last rows. */
  shutDown(): Promise<Exit> {
    return this.once('exit', async () => {
      const agent = await this.main();
      return agent.within(agent.stop(), 'the exit of the agent');
    });
  }

  async dispose(): Promise<void> {
    const running = this.#agents.map(async (agent) => {
      const killer = setTimeout(() => agent.child.kill('SIGKILL'), 5_000);
      await agent.stop();
      clearTimeout(killer);
    });
    await Promise.all(running);
    for (const dispose of this.#disposals) await dispose();
  }

  #spawn(env: NodeJS.ProcessEnv, version = this.version): AgentWire {
    const agent = new AgentWire({ version, env: { INITIAL_AGENT_MODE: ASKING_MODE, ...env } });
    this.#agents.push(agent);
    return agent;
  }

  async #prepare(): Promise<Base> {
    const model = await startModelServer();
    this.#disposals.push(() => model.close());
    model.respondWith((request) => {
      // Agents below a session see the same text in threads of their own.
      const script = this.#scripts.findLast(
        ({ sessionId, marker }) => sessionId === request.threadId && request.lastUserText.includes(marker),
      );
      return script?.replies.shift();
    });
    const workspace = this.folder();
    workspace.write('notes.txt', 'one\ntwo\n');
    const home = this.#home({ baseUrl: model.baseUrl, extraToml: '[tools.update_plan]\nenabled = true\n' });
    return { model, home, workspace };
  }

  async #startLoginAgent(): Promise<AgentWire> {
    const { model } = await this.base();
    const home = this.#home({ baseUrl: model.baseUrl, defaultProvider: false, model: 'model-nobody-lists' });
    const keys = { MODEL_PROVIDER: '', CODEX_API_KEY: '', OPENAI_API_KEY: '', NO_BROWSER: '1' };
    const agent = this.#spawn({ ...home.env, ...keys });
    await agent.initialize(withGatewayLogin(this.version));
    return agent;
  }

  #home(options: CodexHomeOptions): CodexHome {
    const home = createCodexHome({ allFeatures: true, ...options });
    this.#disposals.push(() => home.dispose());
    return home;
  }
}

function isCommandList(update: { readonly sessionUpdate?: string }): boolean {
  return update.sessionUpdate === 'available_commands_update';
}

function withGatewayLogin(version: AcpVersion): object {
  const auth = { _meta: { gateway: true } };
  return version === 1
    ? { ...profiles.plainV1, clientCapabilities: { ...profiles.plainV1.clientCapabilities, auth } }
    : { ...profiles.plainV2, capabilities: { auth } };
}
