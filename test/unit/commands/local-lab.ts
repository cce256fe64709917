import type { LocalCommand } from '../../../src/domain/commands/local-command.ts';
import type { McpConnection, McpServerState } from '../../../src/domain/commands/mcp-server-state.ts';
import type { Goal } from '../../../src/domain/goal/goal.ts';
import { LocalCommands, type LocalFacts } from '../../../src/domain/session/local-commands.ts';
import type { RateLimit } from '../../../src/domain/usage/rate-limit.ts';
import type { Skill } from '../../../src/ports/outbound/codex-features.ts';
import type { AccountState } from '../../../src/ports/outbound/codex-runtime.ts';
import { FakeSessionContext } from '../../support/fake-session-context.ts';

/** A call of a port whose answer the test gives. */
interface OpenCall {
  readonly name: string;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** Local commands of one session; every call of a port waits until the test answers it. */
export class LocalLab {
  readonly context: FakeSessionContext;
  readonly commands: LocalCommands;
  /** Names of all calls, in order. */
  readonly calls: string[] = [];
  readonly ends: string[] = [];
  facts: LocalFacts = {
    clock: { now: 0, minutesAheadOfUtc: () => 0 },
    limits: [],
    usage: null,
    provider: null,
    requestedMcpServers: [],
  };
  readonly #open: OpenCall[] = [];

  constructor(opensPages = false) {
    this.context = new FakeSessionContext(
      { elicitation: { form: false, url: opensPages } },
      { cwd: '/w', additionalDirectories: ['/lib'] },
    );
    this.commands = new LocalCommands(this.context, {
      status: {
        rateLimits: () => this.#call<readonly RateLimit[]>('rateLimits'),
        mcpServers: (threadId) => this.#call<readonly McpServerState[]>(`mcpServers ${threadId}`),
        reconnectMcpServers: () => this.#call<void>('reconnectMcpServers'),
      },
      skills: {
        list: (directories) => this.#call<readonly Skill[]>(`listSkills ${directories.join(' ')}`),
        useRoots: () => this.#call<void>('useRoots'),
      },
      goals: {
        set: (threadId, change) => this.#call<Goal>(`setGoal ${threadId} ${JSON.stringify(change)}`),
        clear: (threadId) => this.#call<boolean>(`clearGoal ${threadId}`),
        read: () => this.#call<Goal | null>('readGoal'),
      },
      accounts: { read: () => this.#call<AccountState>('readAccount') },
      logout: () => this.#call<void>('logout'),
      togglePlanMode: () => this.#call<void>('togglePlanMode'),
      rename: (title) => this.#call<void>(`rename ${title}`),
      facts: () => this.facts,
      limitsRead: (limits) => {
        this.facts = { ...this.facts, limits };
      },
    });
  }

  run(command: LocalCommand) {
    return this.commands.run(command, {
      done: () => this.ends.push('done'),
      failed: (error) => this.ends.push(`failed ${error.message}`),
    });
  }

  /** Answers the oldest open call, which must be this one, and lets that run its course. */
  async answer(name: string, result?: unknown): Promise<void> {
    this.#take(name).resolve(result);
    await this.context.turnOver();
  }

  async fail(name: string, message: string): Promise<void> {
    this.#take(name).reject(new Error(message));
    await this.context.turnOver();
  }

  /** Names of calls without answer. */
  get open(): string[] {
    return this.#open.map((call) => call.name);
  }

  #take(name: string): OpenCall {
    const call = this.#open.shift();
    if (call?.name !== name) throw new Error(`The oldest open call is ${call?.name ?? 'none'}, not ${name}`);
    return call;
  }

  /** The test gives an answer of the right type; `answer` takes that of any call. */
  #call<Result>(name: string): Promise<Result> {
    this.calls.push(name);
    return new Promise<unknown>((resolve, reject) => {
      this.#open.push({ name, resolve, reject });
    }) as Promise<Result>;
  }
}

export function server(name: string, connection: McpConnection): McpServerState {
  return { name, connection, tools: 0, signedIn: true, error: null };
}

export function goal(overrides: Partial<Goal> = {}): Goal {
  return {
    objective: 'ship it',
    status: 'paused',
    tokenBudget: null,
    tokensUsed: 0,
    timeUsedSeconds: 0,
    createdAt: 1,
    updatedAt: 2,
    ...overrides,
  };
}
