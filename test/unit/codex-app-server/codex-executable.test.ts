import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type CodexSurroundings,
  currentSurroundings,
  locateCodex,
} from '../../../src/adapters/codex-app-server/codex-executable.ts';

const SCRATCH = fileURLToPath(new URL('../../../.tmp/', import.meta.url));
let root: string;

beforeEach(() => {
  mkdirSync(SCRATCH, { recursive: true });
  root = realpathSync(mkdtempSync(join(SCRATCH, 'executable-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function file(path: string, text = '{}'): string {
  const full = join(root, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, text);
  chmodSync(full, 0o755);
  return full;
}

function surroundings(changes: Partial<CodexSurroundings> = {}): CodexSurroundings {
  return {
    env: { PATH: '/bin', CODEX_MANAGED_BY_BUN: '1' },
    platform: 'linux',
    arch: 'x64',
    execPath: '/usr/bin/node',
    module: join(root, 'dist/codex-acp.js'),
    entryPoint: undefined,
    ...changes,
  };
}

const bundle = (): string => {
  file('node_modules/@openai/codex/package.json');
  file('node_modules/@openai/codex/bin/codex.js', '');
  return join(root, 'node_modules/@openai/codex');
};

describe('where Codex is', () => {
  it('S1.10 CODEX_PATH is used as it was given, with the environment as it is', () => {
    const env = { PATH: '/bin' };
    expect(locateCodex('~/my codex', surroundings({ env }))).toEqual({ command: '~/my codex', args: [], env });
  });

  it('S8.14 the native program of the platform package, with the environment of the launcher', () => {
    const packageRoot = bundle();
    file('node_modules/@openai/codex-linux-x64/package.json');
    const native = file('node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex');
    expect(locateCodex(null, surroundings())).toEqual({
      command: native,
      args: [],
      env: { PATH: '/bin', CODEX_MANAGED_PACKAGE_ROOT: packageRoot, CODEX_MANAGED_BY_NPM: '1' },
    });
  });

  it('S1.62 on Windows it is codex.exe of the Windows package', () => {
    bundle();
    file('node_modules/@openai/codex-win32-arm64/package.json');
    const native = file('node_modules/@openai/codex-win32-arm64/vendor/aarch64-pc-windows-msvc/bin/codex.exe');
    expect(locateCodex('', surroundings({ platform: 'win32', arch: 'arm64' })).command).toBe(native);
  });

  it('S8.14 the platform package is looked up from the Codex package, as pnpm lays it out', () => {
    const store = 'node_modules/.pnpm/codex/node_modules/@openai';
    file(`${store}/codex/package.json`);
    file(`${store}/codex-linux-x64/package.json`);
    const native = file(`${store}/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex`);
    file('node_modules/.modules.yaml', '');
    mkdirSync(join(root, 'node_modules/@openai'), { recursive: true });
    symlinkSync(join(root, store, 'codex'), join(root, 'node_modules/@openai/codex'), 'junction');
    const { command, env } = locateCodex(null, surroundings());
    expect(command).toBe(native);
    expect(env).toMatchObject({ CODEX_MANAGED_BY_PNPM: '1', CODEX_MANAGED_PACKAGE_ROOT: join(root, store, 'codex') });
    expect(env).not.toHaveProperty('CODEX_MANAGED_BY_BUN');
    expect(env).not.toHaveProperty('CODEX_MANAGED_BY_NPM');
  });

  it('S8.14 bun is told from its user agent', () => {
    bundle();
    file('node_modules/@openai/codex-linux-x64/package.json');
    file('node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex');
    const { env } = locateCodex(null, surroundings({ env: { npm_config_user_agent: 'bun/1.2 npm/? node/v24' } }));
    expect(env).toMatchObject({ CODEX_MANAGED_BY_BUN: '1' });
    expect(env).not.toHaveProperty('CODEX_MANAGED_BY_NPM');
  });

  it('S1.60 else the launcher, run with the running Node', () => {
    const packageRoot = bundle();
    expect(locateCodex(null, surroundings({ platform: 'darwin', arch: 'arm64' }))).toMatchObject({
      command: '/usr/bin/node',
      args: [join(packageRoot, 'bin/codex.js')],
    });
  });

  it('S1.60 without anything the error says to set CODEX_PATH', () => {
    const module = join(SCRATCH, '../..', 'elsewhere', 'agent.js');
    expect(() => locateCodex(null, surroundings({ module }))).toThrow(/not installed.*Set CODEX_PATH/);
    file('node_modules/@openai/codex/package.json');
    expect(() => locateCodex(null, surroundings({ platform: 'freebsd' }))).toThrow(/freebsd \(x64\).*Set CODEX_PATH/);
  });

  it('S1.60 finds the package that this repository has installed', () => {
    expect(locateCodex(null, currentSurroundings(process.env)).command).toMatch(/codex(\.exe)?$|node/);
  });
});
