import type { CodexGoals, CodexSkills, CodexStatus } from '../../ports/outbound/codex-features.ts';
import type { AccountState, CodexAccounts } from '../../ports/outbound/codex-runtime.ts';
import { accountText } from '../account/account-text.ts';
import type { LocalCommand } from '../commands/local-command.ts';
import type { McpServerState } from '../commands/mcp-server-state.ts';
import { mcpText, withRequestedServers } from '../commands/mcp-text.ts';
import { skillsText } from '../commands/skills-text.ts';
import type { StatusFacts } from '../commands/status-text.ts';
import { statusText } from '../commands/status-text.ts';
import type { SessionContext } from '../feature/session-context.ts';
import type { Goal } from '../goal/goal.ts';
import type { RateLimit } from '../usage/rate-limit.ts';
import { workspaceRoots } from '../workspace/workspace.ts';
import { GoalCommand } from './goal-command.ts';
import type { LocalCallbacks } from './local-run.ts';
import { LocalRun } from './local-run.ts';
import { McpReconnect } from './mcp-reconnect.ts';

/** What `/status` shows besides what the command finds out itself. */
export interface LocalFacts extends Pick<StatusFacts, 'clock' | 'limits' | 'usage'> {
  /** Name of the gateway or custom provider in use; `null` for OpenAI (S2.120). */
  readonly provider: string | null;
  /** Names of the MCP servers that the client asked for in this session (S2.166). */
  readonly requestedMcpServers: readonly string[];
}

/** What local commands need of the agent and of their session. */
export interface LocalCommandPorts {
  readonly status: CodexStatus;
  readonly skills: CodexSkills;
  readonly goals: CodexGoals;
  readonly accounts: Pick<CodexAccounts, 'read'>;
  /** Signs out, and resolves when the new login status was published (S2.125). */
  logout(): Promise<void>;
  /** Resolves when the client was told the new option list (S2.118). */
  togglePlanMode(): Promise<void>;
  /** Resolves when the client was told the new title (S2.124). */
  rename(title: string): Promise<void>;
  /** Asked when the text is written, after `limitsRead`. */
  facts(): LocalFacts;
  /** Codex answered with all limits of the account (S3.165). */
  limitsRead(limits: readonly RateLimit[]): void;
}

/** A local command that runs. */
export interface OpenLocalCommand {
  /** Ends the command at once: nothing more is shown and no callback is called (S2.170). */
  cancel(): void;
}

/**
 * Runs the commands of a session that need no turn (S3.31, S3.33). The lane lets one run at a time. The caller tells
 * goal notifications, after they were shown to the client.
 */
export class LocalCommands {
  readonly #context: SessionContext;
  readonly #ports: LocalCommandPorts;
  #goal: GoalCommand | null = null;

  constructor(context: SessionContext, ports: LocalCommandPorts) {
    this.#context = context;
    this.#ports = ports;
  }

  /** Starts the command at once; how it ends comes later, through the session's mailbox. */
  run(command: LocalCommand, callbacks: LocalCallbacks): OpenLocalCommand {
    const run = new LocalRun(this.#context, callbacks);
    this.#goal = null;
    this.#start(command, run);
    return run;
  }

  goalUpdated(goal: Goal): void {
    this.#goal?.updated(goal);
  }

  goalCleared(): void {
    this.#goal?.cleared();
  }

  #start(command: LocalCommand, run: LocalRun): void {
    switch (command.type) {
      case 'usage':
        return run.settle(Promise.resolve(command.text), (text) => run.reply(text));
      case 'plan':
        return run.settle(this.#ports.togglePlanMode(), () => run.done());
      case 'rename':
        return run.settle(this.#ports.rename(command.title), () => run.done());
      case 'logout':
        return run.settle(this.#ports.logout(), () => run.reply('Logged out from Codex account.'));
      case 'skills':
        return this.#skills(run);
      case 'status':
        return this.#status(run);
      case 'mcp':
        return command.reconnect ? this.#reconnect(run) : this.#mcp(run);
      case 'goal':
        return this.#changeGoal(command.change.action, run);
    }
  }

  #skills(run: LocalRun): void {
    const directories = workspaceRoots(this.#context.settings().workspace);
    run.settle(this.#ports.skills.list(directories), (skills) => run.reply(skillsText(skills)));
  }

  /** What cannot be read does not fail the command: old limits stay, and an unread login is unknown (S2.119, S2.120). */
  #status(run: LocalRun): void {
    const reads = Promise.allSettled([this.#ports.status.rateLimits(), this.#ports.accounts.read()]);
    run.settle(reads, ([limits, login]) => {
      if (limits.status === 'fulfilled') this.#ports.limitsRead(limits.value);
      run.reply(this.#statusText(login.status === 'fulfilled' ? login.value : null));
    });
  }

  #statusText(login: AccountState | null): string {
    const { clock, limits, usage, provider } = this.#ports.facts();
    return statusText({
      sessionId: this.#context.sessionId,
      settings: this.#context.settings(),
      account: login === null ? 'unknown' : accountText(login.account, provider),
      usage,
      limits,
      clock,
    });
  }

  #mcp(run: LocalRun): void {
    run.settle(this.#mcpServers(), (servers) => run.reply(mcpText(servers)));
  }

  #reconnect(run: LocalRun): void {
    new McpReconnect(run, {
      codex: this.#ports.status,
      list: () => this.#mcpServers(),
      opensPages: this.#context.profile.elicitation.url,
    }).start();
  }

  async #mcpServers(): Promise<readonly McpServerState[]> {
    const { requestedMcpServers } = this.#ports.facts();
    return withRequestedServers(await this.#ports.status.mcpServers(this.#context.sessionId), requestedMcpServers);
  }

  #changeGoal(action: 'clear' | 'pause', run: LocalRun): void {
    const goal = new GoalCommand(run, this.#ports.goals, this.#context.sessionId);
    this.#goal = goal;
    if (action === 'pause') goal.pause();
    else goal.clear();
  }
}
