import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Frame } from '../../support/acp-client.ts';
import { AppServerClient, type Refusal } from '../../support/app-server-client.ts';
import {
  type CodexHome,
  type CodexHomeOptions,
  createCodexHome,
  createWorkspace,
  type Workspace,
} from '../../support/codex-home.ts';
import { type ModelServer, startModelServer } from '../../support/model-server.ts';

/*
 * What the real `codex app-server` does by itself, recorded as tests: the adapter is built on these facts (S3 section 1),
 * and a new version of Codex that behaves otherwise fails here first.
 *
 *     const codex = useCodex();
 *     test('S3.6 …', async () => {
 *       const thread = await codex().open();
 *       codex().server.script(text('Hello.'));
 *       const turn = await thread.start('Hi');
 *       await thread.completed(turn);
 *       expect(thread.story({ turn })).toEqual([…]);
 *     });
 */

// biome-ignore lint/suspicious/noExplicitAny: tests look into frames freely
export type Json = any;

/** One Codex for all tests of a file; each test opens threads of its own. */
export function useCodex(options: Omit<Partial<CodexHomeOptions>, 'baseUrl'> = {}): () => CodexLab {
  let lab: CodexLab | null = null;
  beforeAll(async () => {
    lab = await CodexLab.start(options);
  });
  afterEach(() => expect(lab?.server.scriptErrors ?? []).toEqual([]));
  afterAll(() => lab?.stop());
  return () => {
    if (lab === null) throw new Error('Codex was not started');
    return lab;
  };
}

export class CodexLab {
  readonly server: ModelServer;
  readonly #home: CodexHome;
  readonly #workspaces: Workspace[] = [];
  #client: AppServerClient;

  private constructor(server: ModelServer, home: CodexHome, client: AppServerClient) {
    this.server = server;
    this.#client = client;
    this.#home = home;
  }

  static async start(options: Omit<Partial<CodexHomeOptions>, 'baseUrl'>): Promise<CodexLab> {
    const server = await startModelServer();
    const home = createCodexHome({ baseUrl: server.baseUrl, requestRetries: 0, allFeatures: true, ...options });
    return new CodexLab(server, home, await AppServerClient.start(home));
  }

  get client(): AppServerClient {
    return this.#client;
  }

  /** Ends the process and starts another one with the same home: what it knows of threads is what was recorded. */
  async restart(): Promise<void> {
    await this.#client.stop();
    this.#client = await AppServerClient.start(this.#home);
  }

  /** The same thread in the process that runs now; nobody loaded it there. */
  again({ id, workspace }: ThreadProbe): ThreadProbe {
    return new ThreadProbe(this.#client, id, workspace);
  }

  /** A thread in a git workspace of its own. */
  async open(files: Readonly<Record<string, string>> = {}): Promise<ThreadProbe> {
    const workspace = createWorkspace(files);
    this.#workspaces.push(workspace);
    return this.openIn(workspace.path, workspace);
  }

  async openIn(cwd: string, workspace: Workspace | null = null): Promise<ThreadProbe> {
    const { thread } = await this.client.call('thread/start', { cwd });
    return new ThreadProbe(this.client, thread.id, workspace);
  }

  async stop(): Promise<void> {
    await this.client.stop();
    await this.server.close();
    for (const place of [...this.#workspaces, this.#home]) place.dispose();
  }
}

/** One thread of Codex: what it is asked and what it tells. */
export class ThreadProbe {
  readonly id: string;
  readonly #client: AppServerClient;
  readonly #workspace: Workspace | null;
  /** Where the story of the test begins. */
  #from: number;

  constructor(client: AppServerClient, id: string, workspace: Workspace | null) {
    this.#client = client;
    this.id = id;
    this.#workspace = workspace;
    this.#from = client.received.length;
  }

  get workspace(): Workspace {
    if (this.#workspace === null) throw new Error('The thread has no workspace of its own');
    return this.#workspace;
  }

  call(method: string, params: Json = {}): Promise<Json> {
    return this.#client.call(method, { threadId: this.id, ...params });
  }

  refusal(method: string, params: Json = {}): Promise<Refusal> {
    return this.#client.refusal(method, { threadId: this.id, ...params });
  }

  /** `turn/start` with a text; gives back the id of the turn that the answer names. */
  async start(content: string, extra: Json = {}): Promise<string> {
    return (await this.call('turn/start', { input: input(content), ...extra })).turn.id;
  }

  /** Everything before now is forgotten: the next waits and the next story begin here. */
  fromNow(): void {
    this.#from = this.#client.received.length;
  }

  /** Params of the first notification of the thread that matches. */
  async told(method: string, matches: (params: Json) => boolean = () => true): Promise<Json> {
    const fits = (frame: Frame): boolean =>
      frame.method === method && frame.params.threadId === this.id && matches(frame.params);
    return (await this.#client.waitFor(method, fits, this.#from)).params;
  }

  /** The id of the first turn that started. */
  async started(matches: (turnId: string) => boolean = () => true): Promise<string> {
    return (await this.told('turn/started', ({ turn }) => matches(turn.id))).turn.id;
  }

  /** The end of a turn; without an id of the first that ended. */
  async completed(turnId?: string): Promise<Json> {
    return (await this.told('turn/completed', ({ turn }) => turnId === undefined || turn.id === turnId)).turn;
  }

  /** Resolves when the first text of an agent message was streamed. */
  async speaking(): Promise<void> {
    await this.told('item/agentMessage/delta');
  }

  async item(event: 'started' | 'completed', type: string): Promise<Json> {
    return (await this.told(`item/${event}`, ({ item }) => item.type === type)).item;
  }

  /** Notifications of a method, their params. */
  all(method: string): Json[] {
    return this.#frames.filter((frame) => frame.method === method).map((frame) => frame.params);
  }

  /**
   * What came, in order, one line per frame: `turn started A`, `item completed userMessage A`, `answer turn/start`.
   * Turns have the names of this table. Frames that have nothing to do with turns are left out; so are repeated deltas.
   */
  story(turns: Readonly<Record<string, string>> = {}, leaveOut: RegExp = /^tokens /): string[] {
    const names = new Map(Object.entries(turns).map(([name, id]) => [id, name]));
    const lines = this.#frames.flatMap((frame) => this.#line(frame, names)).filter((line) => !leaveOut.test(line));
    return lines.filter((line, index) => !line.startsWith('delta ') || line !== lines[index - 1]);
  }

  get #frames(): Frame[] {
    return this.#client.received
      .slice(this.#from)
      .filter((frame) => frame.method === undefined || frame.params?.threadId === this.id);
  }

  #line(frame: Frame, names: ReadonlyMap<string, string>): string[] {
    const { method, params } = frame;
    if (method === undefined) {
      const asked = this.#client.answered(frame) ?? 'unknown';
      return [`${frame.error === undefined ? 'answer' : 'refusal'} ${asked}`];
    }
    const turnId: string | null = params.turnId ?? params.turn?.id ?? null;
    const turn = turnId === null ? '-' : (names.get(turnId) ?? '?');
    switch (method) {
      case 'thread/status/changed':
        return [`status ${params.status.type}`];
      case 'turn/started':
        return [`turn started ${turn}`];
      case 'turn/completed':
        return [`turn completed ${turn} ${params.turn.status}`];
      case 'item/started':
      case 'item/completed':
        return [`item ${method.slice('item/'.length)} ${params.item.type} ${turn}`];
      case 'item/agentMessage/delta':
      case 'item/plan/delta':
        return [`delta ${method.split('/')[1]} ${turn}`];
      case 'thread/tokenUsage/updated':
        return [`tokens ${turn} ${params.tokenUsage.total.totalTokens}`];
      case 'thread/goal/updated':
        return [`goal ${params.goal.status} ${turn}`];
      case 'thread/goal/cleared':
        return ['goal cleared'];
      case 'thread/compacted':
        return [`compacted ${turn}`];
      case 'error':
        return [`error ${params.willRetry ? 'retried' : 'final'} ${turn}`];
      default:
        return [];
    }
  }
}

/** App-server input of one text. */
export function input(content: string): Json[] {
  return [{ type: 'text', text: content, text_elements: [] }];
}
