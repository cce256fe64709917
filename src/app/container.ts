import 'reflect-metadata';
import { Container } from 'inversify';
import type { ProviderRouting } from '../domain/provider/provider-routing.ts';
import type { Log } from '../ports/outbound/system.ts';
import { type AcpStreams, acpModule } from './acp-module.ts';
import { AgentConfig } from './agent-config.ts';
import { type CodexPorts, codexModule } from './codex-module.ts';
import { coreModule } from './core-module.ts';
import { systemModule } from './system-module.ts';

export interface AgentComposition {
  readonly config: AgentConfig;
  readonly codex: CodexPorts;
  readonly streams: AcpStreams;
  readonly log: Log;
  readonly routing: ProviderRouting;
}

/** Puts the agent together; nothing runs before its router is connected. Tests rebind what they replace. */
export function composeAgent({ config, codex, streams, log, routing }: AgentComposition): Container {
  const container = new Container();
  container.bind(AgentConfig).toConstantValue(config);
  container.load(systemModule(log), codexModule(codex), coreModule(routing), acpModule(streams));
  return container;
}
