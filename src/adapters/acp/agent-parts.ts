import type { RequestError } from '@agentclientprotocol/sdk/unstable';
import type { AccountUseCases, ConnectionUseCases, SessionUseCases } from '../../ports/inbound/agent.ts';
import type { AcpClientChannel } from './client-channel.ts';
import type { Delivery } from './delivery.ts';
import type { AgentIdentity, InitializeFlags } from './initialize-response.ts';
import { toRequestError } from './rpc-errors.ts';

/** What the handlers of a protocol version need. */
export interface AgentParts {
  readonly connection: ConnectionUseCases;
  readonly accounts: AccountUseCases;
  readonly sessions: SessionUseCases;
  readonly channel: AcpClientChannel;
  readonly delivery: Delivery;
  readonly identity: AgentIdentity;
  readonly flags: InitializeFlags;
  /** API key of the environment, read at each login (S1.23). */
  readonly environmentKey: () => string | null;
  readonly uuid: () => string;
}

/** Runs a handler; whatever it fails with becomes the JSON-RPC error of the request (S1 section 14). */
export async function answered<Result>(work: () => Promise<Result> | Result): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toRequestError(error) satisfies RequestError;
  }
}
