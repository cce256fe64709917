import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { rootCertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';

/**
 * Places for a real Codex: its home with a configuration that points at the scripted model server, and a git
 * repository to work in. Both lie under the repository's ignored `.tmp/`: below the system's temporary folder Codex
 * refuses to install its sandbox helpers.
 */

const SCRATCH = fileURLToPath(new URL('../../.tmp/', import.meta.url));
const API_KEY_VARIABLE = 'MOCK_MODEL_API_KEY';

export interface CodexHomeOptions {
  readonly baseUrl: string;
  /** Default: the default model of Codex, which is in code mode. `gpt-5.5` gets plain tools. */
  readonly model?: string;
  /** More configuration: first top-level keys, then tables. */
  readonly extraToml?: string;
  /** `false` leaves the choice of the provider to `MODEL_PROVIDER` or the session. */
  readonly defaultProvider?: boolean;
  readonly requestRetries?: number;
  readonly streamRetries?: number;
  readonly streamIdleTimeoutMs?: number;
  /** `true` leaves features on that cost time and change nothing that a client sees. */
  readonly allFeatures?: boolean;
}

/**
 * Features of Codex that most tests do without: `plugins` asks a server on the internet for a list of plugins at each
 * start, `shell_snapshot` runs two login shells for each thread. `codex-facts` and conformance have them.
 */
const FEATURES_OFF = ['features.plugins = false', 'features.shell_snapshot = false'];

export interface CodexHome {
  /** The value of `CODEX_HOME`. */
  readonly path: string;
  /**
   * To be added to the environment of the adapter or of `codex app-server`. `HOME` is an empty folder: commands run in
   * a login shell, and what the user's profile prints or which skills the user has must not reach a test.
   */
  readonly env: Readonly<Record<string, string>>;
  dispose(): void;
}

export function createCodexHome(options: CodexHomeOptions): CodexHome {
  const root = scratchFolder('home');
  const path = join(root, 'codex');
  const userHome = join(root, 'user');
  for (const folder of [path, userHome]) mkdirSync(folder);
  writeFileSync(join(path, 'config.toml'), configToml(options));
  const certificates = join(root, 'certificates.pem');
  writeFileSync(certificates, rootCertificates[0] ?? '');
  return {
    path,
    env: {
      CODEX_HOME: path,
      MODEL_PROVIDER: 'mock',
      [API_KEY_VARIABLE]: 'offline-key',
      HOME: userHome,
      // Nothing here speaks TLS. Node would read the certificates of the machine at its start, and Codex in each turn.
      NODE_EXTRA_CA_CERTS: '',
      SSL_CERT_FILE: certificates,
      SSL_CERT_DIR: '',
    },
    dispose: () => remove(root),
  };
}

export interface Workspace {
  readonly path: string;
  /** The absolute path of a file of the workspace. */
  file(name: string): string;
  write(name: string, content: string | Buffer): void;
  read(name: string): string;
  exists(name: string): boolean;
  dispose(): void;
}

/** A git repository with one commit that holds the files (relative name -> content). */
export function createWorkspace(files: Readonly<Record<string, string>> = {}): Workspace {
  const path = scratchFolder('workspace');
  const workspace: Workspace = {
    path,
    file: (name) => join(path, name),
    write: (name, content) => {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      writeFileSync(join(path, name), content);
    },
    read: (name) => readFileSync(join(path, name), 'utf8'),
    exists: (name) => existsSync(join(path, name)),
    dispose: () => remove(path),
  };
  emptyRepository ??= createEmptyRepository();
  for (const [name, content] of emptyRepository) workspace.write(name, content);
  if (Object.keys(files).length === 0) return workspace;
  for (const [name, content] of Object.entries(files)) workspace.write(name, content);
  git(path, 'add', '--all');
  git(path, 'commit', '--quiet', '--amend', '--no-edit', '--no-verify');
  return workspace;
}

/** The files of a repository with one empty commit. Writing them is much faster than asking git for a new one. */
let emptyRepository: ReadonlyMap<string, Buffer> | null = null;

function createEmptyRepository(): ReadonlyMap<string, Buffer> {
  const path = scratchFolder('repository');
  try {
    git(path, 'init', '--quiet', '--initial-branch=main', '--template=');
    git(path, 'config', 'user.name', 'Test');
    git(path, 'config', 'user.email', 'test@localhost');
    git(path, 'config', 'commit.gpgsign', 'false');
    git(path, 'commit', '--quiet', '--allow-empty', '--no-verify', '--message=Start');
    const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const paths = files.map((entry) => join(entry.parentPath, entry.name));
    return new Map(paths.map((file) => [relative(path, file), readFileSync(file)]));
  } finally {
    remove(path);
  }
}

function configToml(options: CodexHomeOptions): string {
  // TOML does not let a table go on where a dotted key began it.
  const allFeatures = options.allFeatures === true || options.extraToml?.includes('[features]') === true;
  return [
    ...(allFeatures ? [] : FEATURES_OFF),
    options.defaultProvider === false ? '' : 'model_provider = "mock"',
    options.model === undefined ? '' : `model = ${JSON.stringify(options.model)}`,
    options.extraToml ?? '',
    '[model_providers.mock]',
    'name = "Mock"',
    `base_url = ${JSON.stringify(options.baseUrl)}`,
    'wire_api = "responses"',
    `env_key = "${API_KEY_VARIABLE}"`,
    `request_max_retries = ${options.requestRetries ?? 1}`,
    `stream_max_retries = ${options.streamRetries ?? 1}`,
    `stream_idle_timeout_ms = ${options.streamIdleTimeoutMs ?? 20_000}`,
    '',
  ].join('\n');
}

function scratchFolder(kind: string): string {
  mkdirSync(SCRATCH, { recursive: true });
  return mkdtempSync(join(SCRATCH, `${kind}-`));
}

/** Codex may still write while it ends: removal is tried again for a moment. */
function remove(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}

/** Without the `GIT_*` variables of a surrounding git (a hook that runs the tests). */
function git(cwd: string, ...args: readonly string[]): void {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  execFileSync('git', args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
}
