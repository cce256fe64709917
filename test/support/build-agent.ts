import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The executable of the agent for tests that start it as a process: `[process.execPath, agentEntry]`. */
export const agentEntry = join(root, 'dist', 'codex-acp.js');

const SOURCES = ['src', 'scripts/build.mjs', 'package.json', 'package-lock.json'];

/** Vitest global setup: builds the agent once, and only when a source is newer than the last build. */
export default function setup(): void {
  if (changedAt(agentEntry) > Math.max(...SOURCES.map((source) => newestBelow(join(root, source))))) return;
  execFileSync(process.execPath, [join(root, 'scripts', 'build.mjs')], { cwd: root, stdio: 'inherit' });
}

function newestBelow(path: string): number {
  const own = changedAt(path);
  if (!statSync(path).isDirectory()) return own;
  // The time of a folder tells of removed files.
  return Math.max(own, ...readdirSync(path).map((name) => newestBelow(join(path, name))));
}

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
