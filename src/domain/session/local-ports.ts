import type { LocalCommandPorts } from './local-commands.ts';
import type { OpenSession, SessionActorPorts } from './open-session.ts';
import type { PromptLedger } from './prompt-ledger.ts';

export interface LocalPortsParts {
  readonly session: OpenSession;
  readonly ports: SessionActorPorts;
  readonly prompts: PromptLedger;
}

/** What the local commands of a session use of the agent and of the session itself. */
export function sessionPorts(parts: LocalPortsParts): Omit<LocalCommandPorts, 'rename' | 'togglePlanMode'> {
  const { session, ports, prompts } = parts;
  const { status, skills, goals, accounts, limits, clock, provider, logout } = ports;
  return {
    status,
    skills,
    goals,
    accounts,
    logout,
    limitsRead: (read) => limits.replace(read),
    facts: () => ({
      clock: { now: clock.now(), minutesAheadOfUtc: (at) => clock.minutesAheadOfUtc(at) },
      limits: limits.known,
      usage: prompts.lastReport,
      provider: provider(),
      requestedMcpServers: session.requestedMcpServers,
    }),
  };
}
