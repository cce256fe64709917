import type { SessionContext } from '../feature/session-context.ts';
import { changeOption } from '../settings/change-option.ts';
import type { SessionSettings } from '../settings/session-settings.ts';
import { withCollaborationMode } from '../settings/session-settings.ts';
import type { LocalCommandPorts } from './local-commands.ts';
import type { OpenSession, SessionActorPorts } from './open-session.ts';
import type { PromptLedger } from './prompt-ledger.ts';

export interface LocalPortsParts {
  readonly session: OpenSession;
  readonly ports: SessionActorPorts;
  readonly context: SessionContext;
  readonly prompts: PromptLedger;
  readonly changeSettings: (change: (settings: SessionSettings) => SessionSettings) => void;
}

/** What the local commands of a session use of the agent and of the session itself. */
export function sessionPorts(parts: LocalPortsParts): Omit<LocalCommandPorts, 'rename'> {
  const { session, ports, context, prompts, changeSettings } = parts;
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
    togglePlanMode: async () => {
      const mode = context.settings().collaborationMode === 'plan' ? 'default' : 'plan';
      const { effect } = changeOption(context.settings(), 'collaboration_mode', mode);
      if (effect === null) return;
      await ports.threads.setCollaborationMode(context.sessionId, effect);
      changeSettings((settings) => withCollaborationMode(settings, mode));
    },
  };
}
