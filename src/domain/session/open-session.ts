import type { ClientChannel } from '../../ports/outbound/client-channel.ts';
import type { CodexSampling, CodexStatus } from '../../ports/outbound/codex-features.ts';
import type { CodexAccounts, StartThread } from '../../ports/outbound/codex-runtime.ts';
import type { Clock, Ids } from '../../ports/outbound/system.ts';
import type { WorkspaceFiles } from '../../ports/outbound/workspace-files.ts';
import type { AvailableCommand } from '../commands/available-command.ts';
import type { SessionSettings } from '../settings/session-settings.ts';
import type { TurnPolicy } from '../settings/turn-policy.ts';
import type { InitialTitle } from '../title/session-titles.ts';
import type { AccountLimits } from '../usage/account-limits.ts';
import type { GoalAfterLoad } from './goal-hold.ts';
import type { SessionInstructions } from './instructions.ts';
import type { SessionAsksPorts } from './session-asks.ts';
import type { TurnRunnerPorts } from './turn-runner.ts';

/** What a session uses of the rest of the agent. */
export interface SessionActorPorts extends SessionAsksPorts, TurnRunnerPorts {
  readonly channel: ClientChannel;
  readonly status: CodexStatus;
  readonly sampling: CodexSampling;
  readonly accounts: CodexAccounts;
  readonly files: WorkspaceFiles;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly limits: AccountLimits;
  /** Signs out; resolves when the new login status was published (S2.125). */
  readonly logout: () => Promise<void>;
  /** Name of the gateway or custom provider in use; `null` for OpenAI (S2.120). */
  readonly provider: () => string | null;
  /** What the environment says about suggestions (S3.194). */
  readonly promptSuggestions: boolean;
}

/** A session as it was opened. */
export interface OpenSession {
  readonly sessionId: string;
  readonly epoch: number;
  readonly settings: SessionSettings;
  /** What the session was told to tell Codex (S2.52); the complete text is in `reopen`. */
  readonly instructions: SessionInstructions;
  /** Settings that the thread was told; `null` when it has those of its recording. */
  readonly told: TurnPolicy | null;
  /** What became of the thread's goal while it was loaded (S12.8). */
  readonly goal: GoalAfterLoad;
  /** How the thread is loaded again in another app-server process. */
  readonly reopen: StartThread;
  /** Names of the MCP servers that the client asked for (S2.166). */
  readonly requestedMcpServers: readonly string[];
  /** A loaded thread has a past: its usage is not known yet (S3.161). */
  readonly thread: 'loaded' | 'new';
  readonly title: InitialTitle;
  /** The command list in the answer to the set-up (v2); `null` when it has none. */
  readonly commands: readonly AvailableCommand[] | null;
}
