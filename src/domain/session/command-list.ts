import type { CodexSkills } from '../../ports/outbound/codex-features.ts';
import type { Log } from '../../ports/outbound/system.ts';
import type { AvailableCommand } from '../commands/available-command.ts';
import { availableCommands, commandsDiffer } from '../commands/available-commands.ts';
import type { SessionContext } from '../feature/session-context.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { workspaceRoots } from '../workspace/workspace.ts';

export interface CommandListPorts {
  readonly skills: CodexSkills;
  readonly log: Log;
}

/** A listing waits until no more changes are told for so long, in milliseconds (S2.136) … */
const quietMs = 300;
/** … but at most so long after the first. */
const longestMs = 2000;

/**
 * The commands of a session in these directories (S2.116, S2.139). Never rejects: without a skill list the answer is
 * `null`, and the setup goes on without commands (S2.43).
 */
export async function listCommands(
  workspace: Workspace,
  { skills, log }: CommandListPorts,
): Promise<readonly AvailableCommand[] | null> {
  try {
    return availableCommands(await skills.list(workspaceRoots(workspace)));
  } catch (exception) {
    log.warn('The skills of a session could not be listed', { exception });
    return null;
  }
}

/** Keeps the client's command list of one session up to date (S3.202, S2.136 to S2.142). */
export class CommandList {
  readonly #context: SessionContext;
  readonly #ports: CommandListPorts;
  /** What the client got last; `null` before it got any list. */
  #shown: readonly AvailableCommand[] | null = null;
  /** Number of the newest listing; an older one says nothing any more (S2.140). */
  #newest = 0;
  /** Timers of a change that was told and is not listed yet. */
  #quiet: (() => void) | null = null;
  #longest: (() => void) | null = null;

  constructor(context: SessionContext, ports: CommandListPorts) {
    this.#context = context;
    this.#ports = ports;
  }

  /** The client got this list in another way, for example in the response of a setup (S2.138). */
  published(commands: readonly AvailableCommand[]): void {
    this.#shown = commands;
  }

  /** The client opens the session and has no list yet. */
  tell(commands: readonly AvailableCommand[]): void {
    this.#shown = commands;
    this.#context.show({ type: 'commands', commands });
  }

  /** An ordinary prompt ended normally (S2.137, S3.202). */
  promptEnded(): void {
    this.#list();
  }

  /** Codex told that skills changed (S2.136). */
  skillsChanged(): void {
    this.#quiet?.();
    this.#quiet = this.#context.after(quietMs, () => this.#list());
    this.#longest ??= this.#context.after(longestMs, () => this.#list());
  }

  #list(): void {
    this.#stopTimers();
    this.#newest += 1;
    const listing = this.#newest;
    const { workspace } = this.#context.settings();
    this.#context.settle(
      listCommands(workspace, this.#ports),
      (commands) => {
        if (listing === this.#newest && commands !== null) this.#publish(commands);
      },
      () => undefined,
    );
  }

  #publish(commands: readonly AvailableCommand[]): void {
    if (this.#shown === null || commandsDiffer(this.#shown, commands)) this.tell(commands);
  }

  #stopTimers(): void {
    this.#quiet?.();
    this.#longest?.();
    this.#quiet = null;
    this.#longest = null;
  }
}
