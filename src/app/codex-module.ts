import { ContainerModule } from 'inversify';
import { CodexGoals, CodexSampling, CodexSkills, CodexStatus } from '../ports/outbound/codex-features.ts';
import {
  CodexAccounts,
  CodexCatalog,
  CodexFeed,
  CodexLifecycle,
  CodexThreads,
  CodexTurns,
} from '../ports/outbound/codex-runtime.ts';

/** All ports behind which Codex stands. */
export interface CodexPorts {
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
}

/** Codex: started before the container exists, so that it starts while the rest is loaded (S1.63). */
export function codexModule(codex: CodexPorts): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(CodexLifecycle).toConstantValue(codex.lifecycle);
    bind(CodexThreads).toConstantValue(codex.threads);
    bind(CodexTurns).toConstantValue(codex.turns);
    bind(CodexFeed).toConstantValue(codex.feed);
    bind(CodexAccounts).toConstantValue(codex.accounts);
    bind(CodexCatalog).toConstantValue(codex.catalog);
    bind(CodexGoals).toConstantValue(codex.goals);
    bind(CodexSkills).toConstantValue(codex.skills);
    bind(CodexStatus).toConstantValue(codex.status);
    bind(CodexSampling).toConstantValue(codex.sampling);
  });
}
