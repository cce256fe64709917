import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { spawn as spawnNative } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import spawn from 'cross-spawn';

/** What the adapter uses of a child process with three pipes. */
export interface Child extends Pick<ChildProcess, 'kill' | 'pid' | 'unref'> {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
  on(event: 'exit' | 'close', listener: (code: number | null, signal: NodeJS.Signals | null) => void): unknown;
}

export interface ChildCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<NodeJS.ProcessEnv>;
}

export type SpawnChild = (command: ChildCommand) => Child;

/** Starts a child with pipes; on Windows shims and scripts are resolved and escaped by cross-spawn (S1.62). */
export const spawnChild: SpawnChild = ({ command, args, env }) => {
  const options: SpawnOptions = { stdio: ['pipe', 'pipe', 'pipe'], env: { ...env }, windowsHide: true };
  const child = spawn(command, [...args], options);
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error(`${command} was started without pipes`);
  return Object.assign(child, { stdin, stdout, stderr });
};

/**
 * Ends a child by force. Windows knows no signals, and what we started there can be a shim with the real process below
 * it: the whole tree is ended.
 */
export function endChild(child: Pick<Child, 'kill' | 'pid'>, signal: 'SIGKILL' | 'SIGTERM'): void {
  if (process.platform === 'win32' && child.pid !== undefined) {
    const killer = spawnNative('taskkill', ['/pid', String(child.pid), '/t', '/f'], {
      stdio: 'ignore',
      windowsHide: true,
    });
    killer.on('error', () => child.kill(signal));
    killer.unref();
  } else {
    child.kill(signal);
  }
}
