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
import type { ProviderRouting } from '../provider/provider-routing.ts';
import { noModels } from '../settings/model-choice.ts';
import type { SessionSettings } from '../settings/session-settings.ts';
import { initialSettings } from '../settings/session-settings.ts';
import type { McpServers } from '../workspace/mcp-servers.ts';
import { parseMcpServers, withoutConflicts } from '../workspace/mcp-servers.ts';
import { configuredServerNames, threadConfig } from '../workspace/thread-config.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { parseWorkspace } from '../workspace/workspace.ts';
import type { Instructions } from './instructions.ts';
import { developerInstructions, parseInstructions } from './instructions.ts';

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
  readonly reopen: StartThread;
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
  readonly #routing: ProviderRouting;
  readonly #defaults: SessionDefaults;

  constructor(
    ports: { readonly catalog: CodexCatalog; readonly threads: CodexThreads },
    routing: ProviderRouting,
    defaults: SessionDefaults,
  ) {
    this.#catalog = ports.catalog;
    this.#threads = ports.threads;
    this.#routing = routing;
    this.#defaults = defaults;
  }

  async open(plan: SessionPlan, account: AccountState | null): Promise<OpenedThreadSession> {
    const { cwd } = plan.workspace;
    const config = this.#catalog.config(cwd);
    const params = config.then((read) => this.#startParams(plan, read));
    const [models, profiles, read, reopen, thread] = await Promise.all([
      this.#catalog.models(),
      this.#catalog.permissionProfiles(cwd),
      config,
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
    return { thread, settings, reopen };
  }

  /**
   * Loads a recorded thread for a plan (S2.20, S2.22). Codex forgets the recorded model when it is told a provider, so
   * the provider is only sent when it changes, and then with what was recorded.
   */
  async resume(threadId: string, plan: SessionPlan, account: AccountState | null): Promise<OpenedThreadSession> {
    const { cwd } = plan.workspace;
    const [models, profiles, read, recorded] = await Promise.all([
      this.#catalog.models(),
      this.#catalog.permissionProfiles(cwd),
      this.#catalog.config(cwd),
      this.#threads.readThread(threadId).catch(() => null),
    ]);
    const reopen = this.#startParams(plan, read);
    const provider = reopen.modelProvider ?? read.modelProvider ?? openAi;
    const thread = await this.#threads.resume(threadId, { ...reopen, ...resumedProvider(recorded, provider, reopen) });
    const settings = initialSettings({
      open: thread,
      models,
      profiles,
      config: read,
      initialModeId: this.#defaults.initialMode,
      workspace: plan.workspace,
      accountIsApiKey: account?.account?.type === 'apiKey',
    });
    return { thread, settings, reopen };
  }

  #startParams(plan: SessionPlan, config: EffectiveConfig): StartThread {
    const { codexConfig, keepConflictingServers } = this.#defaults;
    const taken = [...config.mcpServerNames, ...configuredServerNames(codexConfig)];
    const servers = keepConflictingServers ? plan.servers : withoutConflicts(plan.servers, taken);
    const configured = codexConfig?.['developer_instructions'] ?? config.developerInstructions;
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
      developerInstructions: developerInstructions(plan.instructions, configured),
    };
  }
}

/** S2.22. What is not known of the thread is left to Codex. */
function resumedProvider(
  recorded: RecordedThread | null,
  provider: string,
  { modelProvider }: StartThread,
): Pick<ResumeThread, 'keep' | 'modelProvider'> {
  if (recorded === null) return { modelProvider, keep: null };
  if (recorded.modelProvider === provider) return { modelProvider: null, keep: null };
  return { modelProvider: provider, keep: { model: recorded.model, effort: recorded.effort } };
}
