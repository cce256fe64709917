import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { packageManagerOf } from './package-manager.ts';

/** How to start Codex: a command with its first arguments, and the environment that it expects. */
export interface CodexExecutable {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<NodeJS.ProcessEnv>;
}

/** Where the agent runs; tests set other places. */
export interface CodexSurroundings {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  /** The running Node. */
  readonly execPath: string;
  /** The module from which the Codex package is looked up: the agent's own, never the working directory (S1.60). */
  readonly module: string | URL;
  /** File that Node was started with. */
  readonly entryPoint: string | undefined;
}

const PACKAGE = '@openai/codex';

interface Target {
  readonly triple: string;
  readonly packageName: string;
}

/** Platform packages of Codex, as its launcher knows them. */
const TARGETS: Readonly<Record<string, Target>> = {
  'linux-x64': { triple: 'x86_64-unknown-linux-musl', packageName: `${PACKAGE}-linux-x64` },
  'linux-arm64': { triple: 'aarch64-unknown-linux-musl', packageName: `${PACKAGE}-linux-arm64` },
  'darwin-x64': { triple: 'x86_64-apple-darwin', packageName: `${PACKAGE}-darwin-x64` },
  'darwin-arm64': { triple: 'aarch64-apple-darwin', packageName: `${PACKAGE}-darwin-arm64` },
  'win32-x64': { triple: 'x86_64-pc-windows-msvc', packageName: `${PACKAGE}-win32-x64` },
  'win32-arm64': { triple: 'aarch64-pc-windows-msvc', packageName: `${PACKAGE}-win32-arm64` },
};

const MANAGED_BY = [
  'CODEX_MANAGED_BY_NPM',
  'CODEX_MANAGED_BY_BUN',
  'CODEX_MANAGED_BY_PNPM',
  'CODEX_MANAGED_BY_VITE_PLUS',
];

/** The surroundings of this process. */
export function currentSurroundings(env: Readonly<NodeJS.ProcessEnv>): CodexSurroundings {
  return {
    env,
    platform: process.platform,
    arch: process.arch,
    execPath: process.execPath,
    module: import.meta.url,
    entryPoint: process.argv[1],
  };
}

/**
 * Finds Codex (S1.60): `CODEX_PATH` as it was given; else the native program of the bundled package, so that signals
 * and process ids mean the real process (S8.14); else the launcher of that package.
 *
 * @throws when there is neither
 */
export function locateCodex(codexPath: string | null, surroundings: CodexSurroundings): CodexExecutable {
  const { env, execPath } = surroundings;
  if (codexPath !== null && codexPath !== '') return { command: codexPath, args: [], env };
  const packageRoot = bundledPackage(surroundings);
  if (packageRoot === null) {
    throw new Error(
      `the ${PACKAGE} package is not installed beside the agent. ` +
        'Set CODEX_PATH to the Codex executable, or reinstall the agent with its dependencies.',
    );
  }
  const native = nativeProgram(packageRoot, surroundings);
  if (native !== null) return { command: native, args: [], env: managedEnvironment(packageRoot, surroundings) };
  const launcher = join(packageRoot, 'bin', 'codex.js');
  if (existsSync(launcher)) return { command: execPath, args: [launcher], env };
  throw new Error(
    `the ${PACKAGE} package in ${packageRoot} has no program for ${surroundings.platform} (${surroundings.arch}). ` +
      'Set CODEX_PATH to the Codex executable, or reinstall the agent with its optional dependencies.',
  );
}

function bundledPackage(surroundings: CodexSurroundings): string | null {
  const manifest = resolveFrom(surroundings.module, `${PACKAGE}/package.json`);
  return manifest === null ? null : realpathSync(dirname(manifest));
}

function nativeProgram(packageRoot: string, { platform, arch }: CodexSurroundings): string | null {
  const target = TARGETS[`${platform === 'android' ? 'linux' : platform}-${arch}`];
  if (target === undefined) return null;
  const manifest = resolveFrom(join(packageRoot, 'package.json'), `${target.packageName}/package.json`);
  const vendor = join(manifest === null ? packageRoot : dirname(manifest), 'vendor');
  const program = join(vendor, target.triple, 'bin', platform === 'win32' ? 'codex.exe' : 'codex');
  return existsSync(program) ? program : null;
}

/** The environment that the launcher of the package gives to the native program. */
function managedEnvironment(packageRoot: string, { env, entryPoint }: CodexSurroundings): NodeJS.ProcessEnv {
  const manager = packageManagerOf(packageRoot, entryPoint === undefined ? [] : [dirname(entryPoint)], env);
  const managed: NodeJS.ProcessEnv = { ...env, CODEX_MANAGED_PACKAGE_ROOT: packageRoot };
  for (const name of MANAGED_BY) delete managed[name];
  managed[`CODEX_MANAGED_BY_${manager.toUpperCase()}`] = '1';
  return managed;
}

function resolveFrom(module: string | URL, request: string): string | null {
  try {
    return createRequire(module).resolve(request);
  } catch {
    return null;
  }
}
