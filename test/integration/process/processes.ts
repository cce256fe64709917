import { execFileSync } from 'node:child_process';
import { constants, openSync, readdirSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Workspace } from '../../support/codex-home.ts';

/** Processes as Linux shows them in `/proc`; tests that need it are skipped elsewhere. */
export const hasProc = process.platform === 'linux';

export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  /** Tells a process from a later one with the same id. */
  readonly startedAt: string;
  readonly command: string;
}

/** The process, its descendants, and every process with this entry in its environment (`NAME=value`). */
export function familyOf(pid: number, environmentEntry: string): ProcessFacts[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (factsOf(Number(name)) ?? []) : []));
  const family = new Set([pid]);
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const facts of all) if (family.has(facts.parent)) family.add(facts.pid);
  }
  return all.filter((facts) => family.has(facts.pid) || environmentOf(facts.pid).includes(environmentEntry));
}

/** The same process still runs; one that ended and was not collected yet counts as ended. */
export function isAlive(facts: ProcessFacts): boolean {
  return factsOf(facts.pid)?.startedAt === facts.startedAt;
}

export function killAll(processes: readonly ProcessFacts[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
}

/**
 * What is left of the processes when all are gone, or after the limit. `/proc` has no events, so it is looked at again
 * and again.
 */
export async function survivors(processes: readonly ProcessFacts[], limitMs: number): Promise<string[]> {
  const end = performance.now() + limitMs;
  for (;;) {
    const left = processes.filter(isAlive);
    if (left.length === 0 || performance.now() > end) return left.map(({ command }) => command);
    await delay(10);
  }
}

/** Waits for something outside the agent that has no event. */
export async function eventually(what: string, probe: () => boolean, limitMs = 15_000): Promise<void> {
  const end = performance.now() + limitMs;
  while (!probe()) {
    if (performance.now() > end) throw new Error(`Not within ${limitMs} ms: ${what}`);
    await delay(10);
  }
}

/** A shell command that runs until it is killed and whose life can be watched. */
export interface EndlessCommand {
  readonly line: string;
  /** The command runs. */
  readonly started: Promise<void>;
  /** Every process of the command is gone. */
  readonly gone: Promise<void>;
}

/**
 * The command keeps a named pipe open, as do its children; the test sees the end of the pipe when the last one is gone.
 * It can be watched once.
 */
export function endlessCommand(workspace: Workspace): EndlessCommand {
  const path = join(workspace.path, 'endless.pipe');
  execFileSync('mkfifo', [path]);
  const pipe = new Socket({
    fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK),
    readable: true,
    writable: false,
  });
  pipe.unref();
  return {
    line: `exec 9>'${path}'; sleep 1000 & echo up >&9; sleep 1001; true`,
    started: new Promise((resolve) => pipe.once('data', () => resolve())),
    gone: new Promise((resolve) => pipe.once('end', () => resolve())),
  };
}

function factsOf(pid: number): ProcessFacts | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The name of the program, in parentheses, may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent = '0'] = fields;
  if (stat === '' || state === 'Z' || state === 'X') return undefined;
  const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
  return { pid, parent: Number(parent), startedAt: fields[19] ?? '', command };
}

function environmentOf(pid: number): string[] {
  return read(`/proc/${pid}/environ`).split('\0');
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
