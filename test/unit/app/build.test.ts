import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('../../../', import.meta.url));
const source = (path: string) => JSON.stringify(join(root, 'src', path));

const ENTRY = `
  import { createLog } from ${source('adapters/system/pino-log.ts')};
  import { buildInfo } from ${source('app/build-info.ts')};
  const log = createLog({ directory: process.argv[2] ?? null });
  log.info('Startup');
  await log.flush();
  process.stdout.write(buildInfo.name + ' ' + buildInfo.version);
`;

describe('the build', () => {
  let place: string;
  let executable: string;

  beforeAll(() => {
    place = mkdtempSync(join(tmpdir(), 'codex-acp-build-'));
    writeFileSync(join(place, 'entry.ts'), ENTRY);
    writeFileSync(join(place, 'package.json'), '{"type":"module"}');
    executable = join(place, 'dist', 'codex-acp.js');
    const build = [join(root, 'scripts', 'build.mjs'), join(place, 'entry.ts'), join(place, 'dist')];
    execFileSync(process.execPath, build);
    writeFileSync(join(place, 'dist', 'codex-acp-stale-AAAAAAAA.js'), '');
    execFileSync(process.execPath, build);
  });

  afterAll(() => rmSync(place, { recursive: true, force: true }));

  test('gives an executable that knows its name and version without the package', () => {
    expect(execFileSync(process.execPath, [executable], { encoding: 'utf8' })).toBe(`codex-acp ${packageJson.version}`);
    expect(readFileSync(executable, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    if (process.platform !== 'win32') expect(statSync(executable).mode & 0o111).toBe(0o111);
  });

  test('S1.36 keeps pino out of a process without a log, and finds it for one with a log', () => {
    expect(readFileSync(executable, 'utf8')).not.toContain('sonic');
    const run = spawnSync(process.execPath, [executable, join(place, 'logs')], { encoding: 'utf8' });
    expect(run).toMatchObject({ status: 0, stderr: '' });
    expect(readFileSync(join(place, 'logs', 'app-server.log'), 'utf8')).toContain('[SYS] Startup');
  });

  test('removes chunks of earlier builds', () => {
    expect(readdirSync(join(place, 'dist'))).not.toContain('codex-acp-stale-AAAAAAAA.js');
  });
});
