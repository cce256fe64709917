import type { ChildProcess, SpawnOptions } from 'node:child_process';
import crossSpawn from 'cross-spawn';
import type { ErrorOutput } from '../adapters/system/error-output.ts';
import type { ProcessEnd } from './shutdown.ts';

/** Codex as it is to be started: its arguments come before ours. */
export interface CodexExecutable {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** The part of `process` in use. */
export interface CliProcess {
  readonly stdin: { readonly isTTY?: boolean };
  on(event: string, listener: () => void): unknown;
  removeListener(event: string, listener: () => void): unknown;
}

export interface CodexCliOptions {
  readonly executable: CodexExecutable;
  readonly args: readonly string[];
  readonly errorOutput: ErrorOutput;
  readonly process?: CliProcess;
  readonly spawn?: (command: string, args: readonly string[], options: SpawnOptions) => ChildProcess;
}

/**
 * `codex-acp cli …`: the Codex command line on our terminal. Resolves with how Codex ended, for `endProcess` (S1.5).
 * cross-spawn starts the `.cmd` shims of Windows with correct quoting (S1.6, S1.62).
 */
export async function runCodexCli(options: CodexCliOptions): Promise<ProcessEnd> {
  const { executable, args, errorOutput, process: parent = process, spawn = crossSpawn } = options;
  const watched: (readonly [string, () => void])[] = [];
  let child: ChildProcess | null = null;
  // Before the start: Codex can be up, and be told to end, before `spawn` has returned.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // A terminal sends Ctrl-C to Codex itself; we only must not die of it before Codex decided.
    const isShared = signal === 'SIGINT' && parent.stdin.isTTY === true;
    const listener = isShared ? () => {} : () => void child?.kill(signal);
    watched.push([signal, listener]);
    parent.on(signal, listener);
  }
  try {
    child = spawn(executable.command, [...executable.args, ...args], { stdio: 'inherit', env: executable.env });
    return await ended(child);
  } catch (error) {
    errorOutput(`Codex CLI error: ${error instanceof Error ? error.message : String(error)}\n`);
    return { type: 'exited', code: 1 };
  } finally {
    for (const [signal, listener] of watched) parent.removeListener(signal, listener);
  }
}

function ended(child: ChildProcess): Promise<ProcessEnd> {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      resolve(signal === null ? { type: 'exited', code: code ?? 1 } : { type: 'killed', signal });
    });
  });
}
