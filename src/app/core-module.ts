import { ContainerModule } from 'inversify';
import { AccountService } from '../domain/account/account-service.ts';
import type { ProviderRouting } from '../domain/provider/provider-routing.ts';
import { ConnectionService } from '../domain/session/connection-service.ts';
import { SessionOpening } from '../domain/session/session-opening.ts';
import { SessionService } from '../domain/session/session-service.ts';
import { AccountLimits } from '../domain/usage/account-limits.ts';
import { AccountUseCases, ConnectionUseCases, SessionUseCases } from '../ports/inbound/agent.ts';
import { ClientChannel } from '../ports/outbound/client-channel.ts';
import { CodexGoals, CodexSampling, CodexSkills, CodexStatus } from '../ports/outbound/codex-features.ts';
import {
  CodexAccounts,
  CodexCatalog,
  CodexFeed,
  CodexLifecycle,
  CodexThreads,
  CodexTurns,
} from '../ports/outbound/codex-runtime.ts';
import { token } from '../ports/outbound/service-identifier.ts';
import { Browser, Clock, Ids, Log, Scheduler, Terminal } from '../ports/outbound/system.ts';
import { WorkspaceFiles } from '../ports/outbound/workspace-files.ts';
import { AgentConfig } from './agent-config.ts';

const Accounts = token<AccountService>('AccountService');
const Opening = token<SessionOpening>('SessionOpening');
const Features = token<CodexFeatures>('CodexFeatures');
const Routing = token<ProviderRouting>('ProviderRouting');

/** What sessions use of Codex beside threads and turns. */
interface CodexFeatures {
  readonly goals: CodexGoals;
  readonly skills: CodexSkills;
  readonly status: CodexStatus;
  readonly sampling: CodexSampling;
  readonly accounts: CodexAccounts;
}

/** Title that Codex is told when the client gives none (S1.78). */
const codexTitle = 'Codex ACP';

/** The domain core behind its inbound ports. */
export function coreModule(routing: ProviderRouting): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(Routing).toConstantValue(routing);
    bind(Accounts)
      .toResolvedValue(
        (
          lifecycle: CodexLifecycle,
          accounts: CodexAccounts,
          catalog: CodexCatalog,
          channel: ClientChannel,
          browser: Browser,
          terminal: Terminal,
          log: Log,
          config: AgentConfig,
        ) => {
          const ports = { lifecycle, accounts, catalog, channel, browser, terminal, log };
          return new AccountService(ports, routing, config.defaultLogin);
        },
        [CodexLifecycle, CodexAccounts, CodexCatalog, ClientChannel, Browser, Terminal, Log, AgentConfig],
      )
      .inSingletonScope();
    bind(Opening)
      .toResolvedValue(
        (catalog: CodexCatalog, threads: CodexThreads, goals: CodexGoals, log: Log, config: AgentConfig) =>
          new SessionOpening({ catalog, threads, goals, log }, routing, config.sessions),
        [CodexCatalog, CodexThreads, CodexGoals, Log, AgentConfig],
      )
      .inSingletonScope();
    bind(Features)
      .toResolvedValue(
        (
          goals: CodexGoals,
          skills: CodexSkills,
          status: CodexStatus,
          sampling: CodexSampling,
          accounts: CodexAccounts,
        ) => ({
          ...{ goals, skills, status, sampling, accounts },
        }),
        [CodexGoals, CodexSkills, CodexStatus, CodexSampling, CodexAccounts],
      )
      .inSingletonScope();
    bind(SessionUseCases)
      .toResolvedValue(
        (
          lifecycle: CodexLifecycle,
          threads: CodexThreads,
          turns: CodexTurns,
          feed: CodexFeed,
          channel: ClientChannel,
          scheduler: Scheduler,
          clock: Clock,
          ids: Ids,
          log: Log,
          files: WorkspaceFiles,
          features: CodexFeatures,
          accounts: AccountService,
          opening: SessionOpening,
          config: AgentConfig,
        ) => {
          let asks = 0;
          const nextAskId = (): number => {
            asks += 1;
            return asks;
          };
          const ports = {
            ...{ lifecycle, threads, turns, feed, channel, scheduler, clock, ids, log, files, nextAskId },
            ...features,
            limits: new AccountLimits(),
            logout: () => accounts.logout(),
            provider: () => routing.displayName,
            promptSuggestions: config.sessions.promptSuggestions,
          };
          return new SessionService(ports, accounts, opening);
        },
        [
          CodexLifecycle,
          CodexThreads,
          CodexTurns,
          CodexFeed,
          ClientChannel,
          Scheduler,
          Clock,
          Ids,
          Log,
          WorkspaceFiles,
          Features,
          Accounts,
          Opening,
          AgentConfig,
        ],
      )
      .inSingletonScope();
    bind(AccountUseCases).toService(Accounts);
    bind(ConnectionUseCases)
      .toResolvedValue(
        (lifecycle: CodexLifecycle, feed: CodexFeed, log: Log, accounts: AccountService, config: AgentConfig) =>
          new ConnectionService({ lifecycle, feed, log }, accounts, { ...config.identity, title: codexTitle }),
        [CodexLifecycle, CodexFeed, Log, Accounts, AgentConfig],
      )
      .inSingletonScope();
  });
}
