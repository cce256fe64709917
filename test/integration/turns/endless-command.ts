import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { eventually, type LabSession } from '../../support/integration.ts';
import { type CommandOptions, runCommand, type ToolItem } from '../../support/model-replies.ts';

/**
 * A command that runs until somebody ends it. Codex may hide its process id in a namespace, so its processes are found
 * by an argument that nothing else has.
 */
export class EndlessCommand {
  readonly call: ToolItem;
  readonly #mark = `600.${randomInt(1e9, 1e10)}`;

  /** `stubborn` ignores polite signals; every command has a child of its own. */
  constructor(options: CommandOptions & { readonly stubborn?: boolean } = {}) {
    const { stubborn, ...commandOptions } = options;
    const deaf = stubborn === true ? "trap '' HUP INT TERM; " : '';
    const work = `sleep ${this.#mark} & echo ready; echo ready > started; sleep ${this.#mark}; wait`;
    this.call = runCommand(`${deaf}${work}`, commandOptions);
  }

  /** Resolves when the command runs and the client knows its tool call. */
  async running(session: LabSession, from = 0): Promise<void> {
    await eventually('the command has started', () => session.workspace.exists('started') && this.processes.length > 0);
    const start = session.lab.version === 1 ? 'tool_call' : 'tool_call_update';
    await session.update(start, (update) => update.status === 'in_progress', from);
  }

  async gone(): Promise<void> {
    await eventually('the command is gone', () => this.processes.length === 0);
  }

  /** Ids of the processes that have the mark among their arguments. */
  get processes(): number[] {
    return processList()
      .filter(({ args }) => args.includes(this.#mark))
      .map(({ pid }) => pid);
  }
}

function processList(): { readonly pid: number; readonly args: string }[] {
  if (process.platform === 'linux') {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => ({ pid: Number(name), args: commandLine(name) }));
  }
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  return lines.map((line) => ({ pid: Number.parseInt(line, 10), args: line }));
}

/** Empty for a process that ended meanwhile. */
function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
