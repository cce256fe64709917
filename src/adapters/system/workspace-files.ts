import { realpath } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { PathFlavour } from '../../domain/report/path-flavour.ts';

/**
 * `realpath` of `node:fs/promises` asks Windows, which turns a mapped drive into its network share. This one only follows
 * links, so that drive and share stay as the user wrote them (C069).
 */
const followLinks = promisify(realpath);

/** The file system as `WorkspaceFiles`. */
export class SystemWorkspaceFiles {
  readonly flavour: PathFlavour = process.platform === 'win32' ? 'windows' : 'posix';

  /** Looks the way Codex does: up the path as it is written, without resolving links first. */
  async repositoryRoot(directory: string): Promise<string | null> {
    if (!isAbsolute(directory)) return null;
    let folder = resolve(directory);
    for (;;) {
      if (await succeeds(stat(join(folder, '.git')))) return folder;
      const parent = dirname(folder);
      if (parent === folder) return null;
      folder = parent;
    }
  }

  async resolveDirectory(directory: string): Promise<string | null> {
    if (!isAbsolute(directory)) return null;
    const missing: string[] = [];
    let folder = resolve(directory);
    for (;;) {
      try {
        return join(await followLinks(folder), ...missing);
      } catch (error) {
        // An entry that is there and still leads nowhere is a link to something missing.
        if (!isMissing(error) || (await succeeds(lstat(folder)))) return null;
      }
      const parent = dirname(folder);
      if (parent === folder) return null;
      missing.unshift(basename(folder));
      folder = parent;
    }
  }
}

/** A file in place of a folder means that what was below it is gone. */
function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}
