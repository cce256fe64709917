import type { CodexGoals } from '../../ports/outbound/codex-features.ts';
import type {
  AccountState,
  CodexCatalog,
  CodexThreads,
  EffectiveConfig,
  OpenThread,
  RecordedThread,
  ResumeThread,
  StartThread,
} from '../../ports/outbound/codex-runtime.ts';
import type { Log } from '../../ports/outbound/system.ts';
import { CodexLostError } from '../errors/agent-error.ts';
import type { Goal } from '../goal/goal.ts';
import type { ProviderRouting } from '../provider/provider-routing.ts';
import { isNarrower } from '../settings/agent-mode.ts';
import { noModels } from '../settings/model-choice.ts';
import type { SessionSettings } from '../settings/session-settings.ts';
import { initialSettings } from '../settings/session-settings.ts';
import type { TurnPolicy } from '../settings/turn-policy.ts';
import { turnPolicy } from '../settings/turn-policy-of.ts';
import type { McpServers } from '../workspace/mcp-servers.ts';
import { parseMcpServers, withoutConflicts } from '../workspace/mcp-servers.ts';
import { configuredServerNames, threadConfig } from '../workspace/thread-config.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { parseWorkspace } from '../workspace/workspace.ts';
import type { GoalAfterLoad } from './goal-hold.ts';
import { GoalHold, withGoalLeftPaused } from './goal-hold.ts';
import type { Instructions, SessionInstructions } from './instructions.ts';
import {
  changesInstructions,
  newInstructions,
  parseInstructions,
  setUpAgain,
  unknownInstructions,
} from './instructions.ts';
import { resumeError } from './resume-error.ts';

/** Parameters of `session/new`, not checked yet. */
export interface NewSessionRequest {
  readonly cwd: unknown;
  readonly additionalDirectories?: unknown;
  readonly legacyRoots?: unknown;
  readonly mcpServers: readonly unknown[];
  readonly systemPrompt: unknown;
  readonly customInstructions: unknown;
}

/** Parameters of `session/new`, checked before anything is started for them (S2.14, S2.15). */
export interface SessionPlan {
  readonly workspace: Workspace;
  readonly servers: McpServers;
  readonly instructions: Instructions;
}

/** What the agent's environment says about sessions. */
export interface SessionDefaults {
  /** `CODEX_CONFIG` without hooks (S1.11). */
  readonly codexConfig: Readonly<Record<string, unknown>> | null;
  /** `INITIAL_AGENT_MODE` (S1.17). */
  readonly initialMode: string | null;
  /** `DISABLE_MCP_CONFIG_FILTERING` (S1.22). */
  readonly keepConflictingServers: boolean;
  /** `CODEX_ACP_PROMPT_SUGGESTIONS` (S1.21). */
  readonly promptSuggestions: boolean;
}

export interface OpenedThreadSession {
  readonly thread: OpenThread;
  readonly settings: SessionSettings;
  readonly instructions: SessionInstructions;
  readonly reopen: StartThread;
  /** The turn that ran when the thread was loaded. */
  readonly running: string | null;
  /** Settings that the thread was told; `null` when it has those of its recording. */
  readonly told: TurnPolicy | null;
  readonly goal: GoalAfterLoad;
}

export function planSession(request: NewSessionRequest): SessionPlan {
  const workspace = parseWorkspace(request);
  const instructions = parseInstructions(request);
  return { workspace, servers: parseMcpServers(request.mcpServers), instructions };
}

/** Provider of Codex when nothing else is said (S2.23). */
const openAi = 'openai';

/** Opens a new or a recorded thread for a plan. Reads that do not depend on each other run side by side. */
export class SessionOpening {
  readonly #catalog: CodexCatalog;
  readonly #threads: CodexThreads;
  readonly #goals: CodexGoals;
  readonly #routing: ProviderRouting;
  readonly #defaults: SessionDefaults;
  readonly #log: Log;

  constructor(
    ports: {
      readonly catalog: CodexCatalog;
      readonly threads: CodexThreads;
      readonly goals: CodexGoals;
      readonly log: Log;
    },
    routing: ProviderRouting,
    defaults: SessionDefaults,
  ) {
    this.#catalog = ports.catalog;
    this.#threads = ports.threads;
    this.#goals = ports.goals;
    this.#log = ports.log;
    this.#routing = routing;
    this.#defaults = defaults;
  }

  async open(plan: SessionPlan, account: AccountState | null): Promise<OpenedThreadSession> {
    const { cwd } = plan.workspace;
    const config = this.#catalog.config(cwd);
    const instructions = config.then((read) => newInstructions(plan.instructions, this.#configured(read)));
    const params = Promise.all([config, instructions]).then(([read, told]) => this.#startParams(plan, read, told));
    const [models, profiles, read, told, reopen, thread] = await Promise.all([
      this.#catalog.models(),
      this.#catalog.permissionProfiles(cwd),
      config,
      instructions,
      params,
      params.then((start) => this.#threads.start(start)),
    ]);
    if (models.length === 0) throw noModels();
    const settings = initialSettings({
      open: thread,
      models,
      profiles,
      config: read,
      initialModeId: this.#defaults.initialMode,
      workspace: plan.workspace,
      accountIsApiKey: account?.account?.type === 'apiKey',
    });
    return { thread, settings, instructions: told, reopen, running: null, told: null, goal: 'untouched' };
  }

  /**
   * Loads a recorded thread for a plan (S2.20, S2.22). Codex forgets the recorded model when it is told a provider, so
   * the provider is only sent when it changes, and then with what was recorded. `loading` is called right before Codex is
   * asked. An active goal is held until the thread has the settings that the client is shown (S12.8).
   */
  async resume(
    threadId: string,
    plan: SessionPlan,
    account: AccountState | null,
    loading: () => void,
  ): Promise<OpenedThreadSession> {
    const { cwd } = plan.workspace;
    const [models, profiles, read, recorded, goal] = await Promise.all([
      this.#catalog.models(),
      this.#catalog.permissionProfiles(cwd),
      this.#catalog.config(cwd),
      this.#threads.readThread(threadId).catch(() => null),
      this.#goalOf(threadId),
    ]);
    const instructions = setUpAgain(unknownInstructions, plan.instructions, this.#configured(read));
    const reopen = this.#startParams(plan, read, instructions);
    const provider = reopen.modelProvider ?? read.modelProvider ?? openAi;
    const hold = await GoalHold.of(this.#goals, threadId, goal);
    loading();
    const params = { ...reopen, ...resumedProvider(recorded, provider, reopen), policy: null };
    const thread = await this.#load(threadId, params, hold);
    const settings = initialSettings({
      open: thread,
      models,
      profiles,
      config: read,
      initialModeId: this.#defaults.initialMode,
      workspace: plan.workspace,
      accountIsApiKey: account?.account?.type === 'apiKey',
    });
    const tells = hold.held || isNarrower(settings.mode, thread.recorded);
    const [running, told] = await Promise.all([
      this.#runningTurn(threadId),
      tells ? this.#tell(threadId, turnPolicy(settings)) : null,
    ]);
    const ended = await this.#release(hold, threadId, told !== null);
    return { thread, settings, instructions, reopen, running, told, goal: ended };
  }

  /** The instructions that a set-up wants of a session that is open; `null` when it changes nothing (S2.50, S2.53). */
  async changedInstructions(known: SessionInstructions, plan: SessionPlan): Promise<SessionInstructions | null> {
    if (!changesInstructions(known, plan.instructions)) return null;
    const read = await this.#catalog.config(plan.workspace.cwd);
    return setUpAgain(known, plan.instructions, this.#configured(read));
  }

  /** Developer instructions of the environment, else of Codex itself (S2.50). */
  #configured(config: EffectiveConfig): unknown {
    return this.#defaults.codexConfig?.['developer_instructions'] ?? config.developerInstructions;
  }

  /** Codex that cannot tell a goal pursues none. */
  async #goalOf(threadId: string): Promise<Goal | null> {
    try {
      return await this.#goals.read(threadId);
    } catch (error) {
      if (error instanceof CodexLostError) throw error;
      this.#log.info('The goal of a session could not be read', { threadId, reason: String(error) });
      return null;
    }
  }

  /** A thread that is not loaded runs nothing: its goal is as before. */
  async #load(threadId: string, params: ResumeThread, hold: GoalHold): Promise<OpenThread> {
    try {
      return await this.#threads.resume(threadId, params);
    } catch (error) {
      const goal = await this.#release(hold, threadId, true);
      throw goal === 'leftPaused' ? withGoalLeftPaused(resumeError(threadId, error)) : error;
    }
  }

  #release(hold: GoalHold, threadId: string, safe: boolean): Promise<GoalAfterLoad> {
    return hold.end(safe, (error) => {
      this.#log.warn('The goal of a session could not be pursued again', { threadId, reason: String(error) });
    });
  }

  /**
   * The turn that runs in the thread. Codex answers after it has told what belongs to the loaded thread, its usage and
   * its goal, so that all of this comes before the client has its answer (S12.17). A failure costs only the first state.
   */
  async #runningTurn(threadId: string): Promise<string | null> {
    try {
      return await this.#threads.runningTurn(threadId);
    } catch (error) {
      this.#log.warn('The running turn of a session could not be read', { threadId, reason: String(error) });
      return null;
    }
  }

  /**
   * Turns that Codex goes on with by itself are told the settings that the client is shown (S2.63, S12.8). Each prompt
   * brings them along, so a failure costs only those turns. Gives back what the thread was told.
   */
  async #tell(threadId: string, policy: TurnPolicy): Promise<TurnPolicy | null> {
    try {
      await this.#threads.applyPolicy(threadId, policy);
      return policy;
    } catch (error) {
      this.#log.warn('The settings of a session could not be set', { threadId, reason: String(error) });
      return null;
    }
  }

  #startParams(plan: SessionPlan, config: EffectiveConfig, { developer }: SessionInstructions): StartThread {
    const { codexConfig, keepConflictingServers } = this.#defaults;
    const taken = [...config.mcpServerNames, ...configuredServerNames(codexConfig)];
    const servers = keepConflictingServers ? plan.servers : withoutConflicts(plan.servers, taken);
    return {
      cwd: plan.workspace.cwd,
      modelProvider: this.#routing.providerId,
      config: threadConfig({
        codexConfig,
        workspace: plan.workspace,
        gateway: this.#routing.gateway,
        mcpServers: servers.configured,
        untrustedRoots: config.untrustedRoots,
      }),
      developerInstructions: developer,
    };
  }
}

/** S2.22. What is not known of the thread is left to Codex. */
export function resumedProvider(
  recorded: RecordedThread | null,
  provider: string,
  { modelProvider }: StartThread,
): Pick<ResumeThread, 'keep' | 'modelProvider'> {
  if (recorded === null) return { modelProvider, keep: null };
  if (recorded.modelProvider === provider) return { modelProvider: null, keep: null };
  return { modelProvider: provider, keep: { model: recorded.model, effort: recorded.effort } };
}
