import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const depcruise = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
const folders: string[] = [];

/** Checks a small source tree with the project's own rules, as `npm run lint` does; returns what it complains about. */
async function lint(files: Readonly<Record<string, string>>): Promise<string> {
  await mkdir(join(root, '.tmp'), { recursive: true });
  const folder = await mkdtemp(join(root, '.tmp/layers-'));
  folders.push(folder);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
  const config = join(root, '.dependency-cruiser.cjs');
  try {
    const { stdout } = await run(process.execPath, [depcruise, '--config', config, 'src'], { cwd: folder });
    return stdout.includes('no dependency violations') ? '' : stdout;
  } catch (error) {
    return String((error as { stdout?: string }).stdout);
  }
}

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

describe('architecture: import rules of docs/architecture.md', () => {
  test('accepts what the rules allow', async () => {
    const complaints = await lint({
      'src/domain/turn/a.ts': "import type { B } from '../../ports/outbound/b.ts';\nexport type A = B;\n",
      'src/ports/outbound/b.ts': 'export type B = string;\n',
      'src/adapters/acp/c.ts': "import type { A } from '../../domain/turn/a.ts';\nexport type C = A;\n",
      'src/adapters/acp-v1/d.ts': "import type { C } from '../acp/c.ts';\nexport type D = C;\n",
      'src/app/main.ts': "import type { D } from '../adapters/acp-v1/d.ts';\nexport type E = D;\n",
    });
    expect(complaints).toBe('');
  });

  test.each([
    [
      'a node: module in the domain',
      'src/domain/turn/a.ts',
      "import { readFileSync } from 'node:fs';\nexport const a = readFileSync;\n",
      'domain-is-pure',
    ],
    [
      'an npm package in the domain',
      'src/domain/turn/a.ts',
      "import pino from 'pino';\nexport const a = pino;\n",
      'domain-is-pure',
    ],
    [
      'an adapter in the domain',
      'src/domain/turn/a.ts',
      "import { c } from '../../adapters/acp/c.ts';\nexport const a = c;\n",
      'domain-is-pure',
    ],
    [
      'an adapter in a port',
      'src/ports/outbound/a.ts',
      "import { c } from '../../adapters/acp/c.ts';\nexport const a = c;\n",
      'ports-speak-domain',
    ],
    [
      'another adapter',
      'src/adapters/system/a.ts',
      "import { c } from '../acp/c.ts';\nexport const a = c;\n",
      'adapter-system-stands-alone',
    ],
    [
      'v2 in v1',
      'src/adapters/acp-v1/a.ts',
      "import { c } from '../acp-v2/c.ts';\nexport const a = c;\n",
      'adapter-acp-v1-stands-alone',
    ],
    [
      'inversify outside src/app',
      'src/adapters/acp/a.ts',
      "import { Container } from 'inversify';\nexport const a = Container;\n",
      'inversify-only-in-app',
    ],
  ])('refuses %s', async (_what, path, text, rule) => {
    const complaints = await lint({
      [path]: text,
      'src/adapters/acp/c.ts': 'export const c = 1;\n',
      'src/adapters/acp-v2/c.ts': 'export const c = 1;\n',
    });
    expect(complaints).toContain(rule);
  });

  test('refuses a cycle between folders', async () => {
    const complaints = await lint({
      'src/domain/turn/a.ts': "import type { B } from '../session/b.ts';\nexport type A = B;\n",
      'src/domain/session/b.ts': "import type { C } from './c.ts';\nexport type B = C;\n",
      'src/domain/session/c.ts': "import type { D } from '../turn/d.ts';\nexport type C = D;\n",
      'src/domain/turn/d.ts': 'export type D = string;\n',
    });
    expect(complaints).toContain('no-circular-folders');
  });
});
