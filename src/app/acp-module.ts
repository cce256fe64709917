import type { Readable, Writable } from 'node:stream';
import { AgentProtocolRouter } from '@agentclientprotocol/sdk/experimental/v2/unstable';
import { ContainerModule } from 'inversify';
import { type AcpConnection, openAcpConnection } from '../adapters/acp/acp-connection.ts';
import type { AgentParts } from '../adapters/acp/agent-parts.ts';
import { createAgentV1 } from '../adapters/acp-v1/agent-v1.ts';
import { createAgentV2 } from '../adapters/acp-v2/agent-v2.ts';
import { AccountUseCases, ConnectionUseCases, SessionUseCases } from '../ports/inbound/agent.ts';
import { ClientChannel } from '../ports/outbound/client-channel.ts';
import { token } from '../ports/outbound/service-identifier.ts';
import { Ids, Log } from '../ports/outbound/system.ts';
import { AgentConfig } from './agent-config.ts';

export interface AcpStreams {
  readonly input: Readable;
  readonly output: Writable;
  /** The client sends nothing more; everything that it sent was handed out. */
  readonly onInputEnd: () => void;
  readonly onClosed: () => void;
}

/** The connection to the client, and the router that chooses its protocol version (S1.90). */
export const Connection = token<AcpConnection>('AcpConnection');
export const Router = token<AgentProtocolRouter>('AgentProtocolRouter');

/** ACP over two streams, in both versions. */
export function acpModule(streams: AcpStreams): ContainerModule {
  return new ContainerModule(({ bind }) => {
    // Answers of the user go to the core, which in turn needs the channel: it is looked up when the first one comes.
    let sessions: SessionUseCases | null = null;
    bind(Connection)
      .toResolvedValue(
        (log: Log) =>
          openAcpConnection({
            ...streams,
            log,
            onAskSettled: (sessionId, askId, answer) => sessions?.answerAsk(sessionId, askId, answer),
            onFormSettled: (sessionId, askId, answer) => sessions?.answerForm(sessionId, askId, answer),
          }),
        [Log],
      )
      .inSingletonScope();
    bind(ClientChannel)
      .toResolvedValue((connection: AcpConnection) => connection.channel, [Connection])
      .inSingletonScope();
    bind(Router)
      .toResolvedValue(
        (
          connection: AcpConnection,
          connections: ConnectionUseCases,
          accounts: AccountUseCases,
          useCases: SessionUseCases,
          ids: Ids,
          config: AgentConfig,
        ) => {
          sessions = useCases;
          const parts: AgentParts = {
            connection: connections,
            accounts,
            sessions: useCases,
            channel: connection.channel,
            delivery: connection.delivery,
            identity: config.identity,
            flags: { noBrowser: config.noBrowser },
            environmentKey: config.environmentKey,
            uuid: () => ids.uuid(),
          };
          return new AgentProtocolRouter().withV1(createAgentV1(parts)).withV2(createAgentV2(parts));
        },
        [Connection, ConnectionUseCases, AccountUseCases, SessionUseCases, Ids, AgentConfig],
      )
      .inSingletonScope();
  });
}
