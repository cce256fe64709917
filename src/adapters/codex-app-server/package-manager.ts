import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

export type PackageManager = 'bun' | 'npm' | 'pnpm';

/**
 * Which package manager installed the Codex package, found the way its launcher does: Codex tells users with it how to
 * update. pnpm leaves a mark in the `node_modules` that owns the package; bun shows in the environment or the path.
 */
export function packageManagerOf(
  packageRoot: string,
  startFolders: readonly string[],
  env: Readonly<NodeJS.ProcessEnv>,
): PackageManager {
  for (const start of new Set([packageRoot, ...startFolders])) {
    for (let folder = start, parent = dirname(folder); ; folder = parent, parent = dirname(folder)) {
      if (isOwnedByPnpm(join(folder, 'node_modules'), packageRoot)) return 'pnpm';
      if (parent === folder) break;
    }
  }
  if (/\bbun\//.test(env.npm_config_user_agent ?? '')) return 'bun';
  if ((env.npm_execpath ?? '').includes('bun')) return 'bun';
  return /\.bun[\\/]install[\\/]global/.test(packageRoot) ? 'bun' : 'npm';
}

function isOwnedByPnpm(nodeModules: string, packageRoot: string): boolean {
  try {
    return (
      existsSync(join(nodeModules, '.modules.yaml')) &&
      realpathSync(join(nodeModules, '@openai', 'codex')) === packageRoot
    );
  } catch {
    return false;
  }
}
