import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/** What Linux tells about a process. Elsewhere every question here is answered with nothing. */
export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly executable: string;
  readonly command: readonly string[];
}

const isLinux = process.platform === 'linux';
const SHELLS: ReadonlySet<string> = new Set(['ash', 'bash', 'busybox', 'dash', 'env', 'sh', 'zsh']);
const TICKS_PER_SECOND = 100;

/**
 * The agent in what a command started: `npx` and shells that only start it are passed by. `null`: it cannot be told.
 */
export function findAgent(startedPid: number): ProcessFacts | null {
  const all = runningProcesses();
  let current = all.find(({ pid }) => pid === startedPid);
  while (current !== undefined && isLauncher(current)) {
    const { pid } = current;
    current = all.find(({ parent }) => parent === pid);
  }
  return current ?? null;
}

/** Resident memory in megabytes; `null`: not known. */
export function residentMegabytes(pid: number): number | null {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(read(pid, 'status'))?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) / 1024;
}

/** Resident memory of a process with all below it but Codex itself: also of a launcher that stays. `null`: not known, or Codex. */
export function residentWithHelpers(pid: number): number | null {
  if (!isLinux) return null;
  const all = runningProcesses();
  if (isCodex(all.find((candidate) => candidate.pid === pid))) return null;
  const sizes = [pid, ...descendants(pid, all)]
    .filter((id) => !isCodex(all.find((candidate) => candidate.pid === id)))
    .map(residentMegabytes);
  return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
}

/** Processor time that the process used so far, in milliseconds; steps of 10 ms. */
export function processorMilliseconds(pid: number): number | null {
  const fields = statFields(pid);
  return fields === null ? null : ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

function descendants(pid: number, all: readonly ProcessFacts[]): number[] {
  return all.filter(({ parent }) => parent === pid).flatMap((child) => [child.pid, ...descendants(child.pid, all)]);
}

function isLauncher({ executable, command }: ProcessFacts): boolean {
  // npm names its process `npm exec …`.
  const line = command.join(' ');
  return SHELLS.has(basename(executable)) || /^(npm|npx)\b/.test(line) || /\bnp[mx](-cli)?(\.js)?( |$)/.test(line);
}

function isCodex(facts: ProcessFacts | undefined): boolean {
  return facts !== undefined && /^codex/.test(basename(facts.executable));
}

function runningProcesses(): ProcessFacts[] {
  if (!isLinux) return [];
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    const fields = Number.isInteger(pid) ? statFields(pid) : null;
    if (fields === null) return [];
    const command = read(pid, 'cmdline').split('\0').slice(0, -1);
    return [{ pid, parent: Number(fields[1]), executable: executableOf(pid), command }];
  });
}

/** Fields of `stat` from the third one, the state, on: the name before may hold spaces. */
function statFields(pid: number): readonly string[] | null {
  const text = read(pid, 'stat');
  return text === '' ? null : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function executableOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return '';
  }
}

function read(pid: number, file: string): string {
  if (!isLinux) return '';
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
