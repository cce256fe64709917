import { AgentError } from '../errors/agent-error.ts';

/** The directories that a session works in (S2 section 2). Paths are kept exactly as the client gave them (C069). */
export interface Workspace {
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
}

/** The directories of a session request, not parsed yet. An absent field and `null` differ (S2.12). */
export interface WorkspaceRequest {
  readonly cwd: unknown;
  readonly additionalDirectories?: unknown;
  /** Legacy `_meta.additionalRoots`; read only when `additionalDirectories` is absent. */
  readonly legacyRoots?: unknown;
}

const windowsDrive = /^[A-Za-z]:[\\/]/;
const uncShare = /^\\\\[^\\/]+[\\/]+[^\\/]/;

/** Reads and checks the directories of a session request (S1.100, S2.9 to S2.12). */
export function parseWorkspace(request: WorkspaceRequest): Workspace {
  const cwd = requireAbsoluteCwd(request.cwd);
  const requested = request.additionalDirectories;
  const entries = requested === undefined ? legacyDirectories(request.legacyRoots) : directoryList(requested);
  const directories = entries.map((entry) => {
    if (!isAbsolutePath(entry)) throw notAbsoluteEntries();
    return entry;
  });
  return { cwd, additionalDirectories: [...new Set(directories)].filter((directory) => directory !== cwd) };
}

/** A `cwd` that a client gave, also as a filter of `session/list` (S2.9). */
export function requireAbsoluteCwd(cwd: unknown): string {
  if (!isAbsolutePath(cwd)) throw AgentError.invalidParams('cwd must be an absolute path');
  return cwd;
}

/** All directories of the session, `cwd` first (S2.13). */
export function workspaceRoots(workspace: Workspace): readonly string[] {
  return [workspace.cwd, ...workspace.additionalDirectories];
}

/** POSIX absolute, a Windows drive or a UNC share, on any platform, without NUL (S1.100). */
function isAbsolutePath(path: unknown): path is string {
  if (typeof path !== 'string' || path.includes('\0')) return false;
  return path.startsWith('/') || windowsDrive.test(path) || uncShare.test(path);
}

function directoryList(value: unknown): readonly unknown[] {
  if (value === null) return [];
  if (!Array.isArray(value)) throw notAbsoluteEntries();
  return value;
}

function legacyDirectories(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  const texts = value.filter((entry) => typeof entry === 'string').map((entry) => entry.trim());
  return texts.filter((entry) => entry !== '');
}

function notAbsoluteEntries(): AgentError {
  return AgentError.invalidParams('additionalDirectories entries must be absolute paths');
}

/** Folders with the skills of the further directories (S3.27). */
export function skillRoots({ additionalDirectories }: Workspace): readonly string[] {
  return additionalDirectories.map((directory) => {
    const separator = directory.includes('\\') ? '\\' : '/';
    const parent = directory.endsWith(separator) ? directory.slice(0, -1) : directory;
    return [parent, '.agents', 'skills'].join(separator);
  });
}
