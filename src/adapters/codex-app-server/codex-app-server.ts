import type { GatewayRouting } from '../../domain/provider/routing.ts';
import type { CodexGoals, CodexSampling, CodexSkills, CodexStatus } from '../../ports/outbound/codex-features.ts';
import type {
  CodexAccounts,
  CodexCatalog,
  CodexClientInfo,
  CodexFeed,
  CodexLifecycle,
  CodexThreads,
  CodexTurns,
} from '../../ports/outbound/codex-runtime.ts';
import type { Clock, Log, Scheduler } from '../../ports/outbound/system.ts';
import { type SpawnChild, spawnChild } from './child-process.ts';
import { CodexAccountClient } from './codex-account-client.ts';
import { CodexCatalogClient } from './codex-catalog-client.ts';
import { CodexThreadClient, CodexTurnClient } from './codex-client.ts';
import { currentSurroundings, locateCodex } from './codex-executable.ts';
import { CodexGoalClient } from './codex-goal-client.ts';
import { CodexSamplingClient } from './codex-sampling-client.ts';
import { CodexSkillClient } from './codex-skill-client.ts';
import { CodexStatusClient } from './codex-status-client.ts';
import { CodexSupervisor } from './codex-supervisor.ts';
import { currentWorkingDirectory, explainError } from './explain-error.ts';
import { KnownSecrets } from './known-secrets.ts';
import { NotificationWaits } from './notification-waits.ts';
import type { CallCodex } from './protocol.ts';
import { startupOverrides } from './startup-overrides.ts';
import { type RespondToCodex, ThreadFeed } from './thread-feed.ts';
import { trafficTrace } from './traffic-trace.ts';

export interface CodexRuntimeOptions {
  /** `CODEX_PATH` (S1.10). */
  readonly codexPath: string | null;
  /** `hooks` of `CODEX_CONFIG`; `undefined` when there is none (S1.67). */
  readonly hooks: unknown;
  /** `MODEL_PROVIDER`, else `model_provider` of `CODEX_CONFIG` (S1.68). */
  readonly providerId: string | null;
  /** `model_providers` of `CODEX_CONFIG`. */
  readonly providers: Readonly<Record<string, unknown>>;
  /** The gateway that is in force, asked at every start of a process. */
  readonly gateway: () => GatewayRouting | null;
  readonly crashLimit: number;
  readonly crashWindowMs: number;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** Secrets of the environment, which nobody may be told (C036). */
  readonly secrets?: readonly string[];
  /** Stands in for what the ACP client does not tell about itself (S1.78). */
  readonly agent: CodexClientInfo;
  /** Write `[IN]` and `[OUT]` lines (S1.32). */
  readonly traceTraffic?: boolean;
}

export interface CodexRuntimeDependencies {
  readonly log: Log;
  readonly scheduler: Scheduler;
  readonly clock: Clock;
  /** For tests. */
  readonly spawn?: SpawnChild;
}

/** Every port that the Codex app-server stands behind. */
export interface CodexRuntime {
  readonly lifecycle: CodexLifecycle;
  readonly threads: CodexThreads;
  readonly turns: CodexTurns;
  readonly feed: CodexFeed;
  readonly accounts: CodexAccounts;
  readonly catalog: CodexCatalog;
  readonly goals: CodexGoals;
  readonly skills: CodexSkills;
  readonly status: CodexStatus;
  readonly sampling: CodexSampling;
  /** Starts the first process without waiting for it (S8.3). Never throws. */
  start(): void;
  /**
   * Ends the running process; the next `ready()` starts another with the routing then in force. `notAnswering` counts
   * as a crash (S8.19, S12.6).
   */
  replace(why: 'notAnswering' | 'providerChange'): Promise<void>;
  /** Kills the running process at once, when the agent has no time left to stop it (S1.53). */
  kill(): void;
  /** Home of Codex, once a process told it (S1.80). */
  codexHome(): string | null;
}

/** Requests whose params hold keys, headers or environments of the client. */
const carriesSecrets: ReadonlySet<string> = new Set(['account/login/start', 'thread/resume', 'thread/start']);

/** Puts the adapter together. Nothing is started before `start()` or the first `ready()`. */
export function createCodexRuntime(options: CodexRuntimeOptions, dependencies: CodexRuntimeDependencies): CodexRuntime {
  const { log, scheduler, clock, spawn = spawnChild } = dependencies;
  const directory = currentWorkingDirectory();
  const waits = new NotificationWaits();
  const secrets = new KnownSecrets(options.secrets ?? []);
  const respond: RespondToCodex = (ref, result) => {
    if (ref.epoch === supervisor.epoch) supervisor.connection?.respond(ref.id, result);
  };
  const feed = new ThreadFeed(respond, waits, (text) => secrets.redact(text), log);
  const supervisor = new CodexSupervisor({
    command: () => appServerCommand(options, secrets),
    redact: (text) => secrets.redact(text),
    spawn,
    receiver: feed,
    explain: (message, codexHome) => explainError(secrets.redact(message), codexHome, directory),
    crashLimit: options.crashLimit,
    crashWindowMs: options.crashWindowMs,
    trace: options.traceTraffic === true ? trafficTrace(log, (text) => secrets.redact(text)) : null,
    log,
    clock,
    scheduler,
  });
  const call: CallCodex = (method, params) => {
    if (carriesSecrets.has(method)) secrets.addFrom(params);
    return supervisor.connection?.request(method, params) ?? Promise.reject(supervisor.loss);
  };
  const lifecycle: CodexLifecycle = {
    get epoch() {
      return supervisor.epoch;
    },
    ready: () => supervisor.ready(),
    introduce: (client) => supervisor.introduce(withFallback(client, options.agent)),
    replace: () => supervisor.replace('notAnswering'),
    stop: () => supervisor.stop(),
  };
  return {
    lifecycle,
    threads: new CodexThreadClient(call, () => supervisor.epoch),
    turns: new CodexTurnClient(call, respond),
    feed,
    accounts: new CodexAccountClient(call, waits, scheduler, log),
    catalog: new CodexCatalogClient(call),
    goals: new CodexGoalClient(call),
    skills: new CodexSkillClient(call, () => supervisor.epoch),
    status: new CodexStatusClient(call, (text) => secrets.redact(text)),
    sampling: new CodexSamplingClient({ call, feed, respond, scheduler, log }),
    start: () => supervisor.start(),
    replace: (why) => supervisor.replace(why),
    kill: () => supervisor.kill(),
    codexHome: () => supervisor.codexHome,
  };
}

/** `codex app-server` with the overrides of the routing in force (S1.61). */
function appServerCommand(options: CodexRuntimeOptions, secrets: KnownSecrets) {
  const executable = locateCodex(options.codexPath, currentSurroundings(options.env));
  const overrides = startupOverrides({
    hooks: options.hooks,
    providerId: options.providerId,
    providers: options.providers,
    gateway: options.gateway(),
  });
  for (const value of Object.values(overrides.env)) if (value !== undefined) secrets.add(value);
  return {
    command: executable.command,
    args: [...executable.args, 'app-server', ...overrides.args],
    env: { ...executable.env, ...overrides.env },
  };
}

function withFallback(client: CodexClientInfo, agent: CodexClientInfo): CodexClientInfo {
  return {
    name: client.name || agent.name,
    title: client.title || agent.title,
    version: client.version || agent.version,
  };
}
