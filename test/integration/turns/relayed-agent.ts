import { afterAll, afterEach, beforeAll } from 'vitest';
import { AgentLab, type AgentOptions, type Json, type LabSession } from '../../support/integration.ts';
import { createRelayCodex, type RelayCodex, type RelayedCodex } from '../../support/relay-codex.ts';

/** One agent for all tests of a `describe` block, with its Codex in the hand of the test. */
export interface RelayedAgent {
  readonly agent: AgentLab;
  readonly codex: RelayedCodex;
}

/**
 * Like `useAgent`, over a relayed Codex. The tests share it: a rule takes lines of its own test only when it is bound to
 * a session (`ofSession`) or used up (`once`).
 */
export function useRelayedAgent(options: AgentOptions): () => RelayedAgent {
  let relay: RelayCodex | null = null;
  let relayed: RelayedAgent | null = null;
  beforeAll(async () => {
    relay = await createRelayCodex();
    const agent = await AgentLab.start({ ...options, env: { ...options.env, CODEX_PATH: relay.path } });
    relayed = { agent, codex: await relay.process(0) };
  });
  afterEach(() => relayed?.agent.expectClean());
  afterAll(async () => {
    await relayed?.agent.stop();
    await relay?.dispose();
  });
  return () => {
    if (relayed === null) throw new Error('The agent is started before the tests');
    return relayed;
  };
}

/** For `where`: only messages about the thread of this session. */
export function ofSession(session: LabSession): (message: Json) => boolean {
  return (message) => message.params?.threadId === session.id;
}

/** Params of what the agent asked Codex for this session, oldest first. */
export function asked(codex: RelayedCodex, session: LabSession, method: string): Json[] {
  return codex.messages
    .filter(({ from, message }) => from === 'agent' && message.method === method)
    .filter(({ message }) => ofSession(session)(message))
    .map(({ message }) => message.params);
}

/** The first notification of Codex about this session that matches, of those read or still to come. */
export function told(
  codex: RelayedCodex,
  session: LabSession,
  method: string,
  matches: (params: Json) => boolean = () => true,
): Promise<Json> {
  const fits = (message: Json): boolean =>
    message.method === method && ofSession(session)(message) && matches(message.params);
  return codex.waitFor('codex', fits).then((message) => message.params);
}
