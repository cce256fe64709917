import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createCodexHome, createWorkspace } from '../../support/codex-home.ts';

it('makes a Codex home that points at the model server', () => {
  const home = createCodexHome({
    baseUrl: 'http://127.0.0.1:1/v1',
    model: 'gpt-5.5',
    extraToml: 'approval_policy = "never"\n[tools.update_plan]\nenabled = true',
  });
  onTestFinished(home.dispose);

  expect(home.env).toMatchObject({ CODEX_HOME: home.path, MODEL_PROVIDER: 'mock' });
  expect(home.path.startsWith(tmpdir())).toBe(false);
  const toml = readFileSync(join(home.path, 'config.toml'), 'utf8');
  const keys = /env_key = "(\w+)"/.exec(toml);
  expect(home.env).toHaveProperty(keys?.[1] ?? '');
  expect(toml.indexOf('approval_policy')).toBeLessThan(toml.indexOf('[tools.update_plan]'));
  expect(toml).toContain('model = "gpt-5.5"\n');
  expect(toml).toContain('base_url = "http://127.0.0.1:1/v1"\n');
});

it('removes the home on dispose', () => {
  const home = createCodexHome({ baseUrl: 'http://127.0.0.1:1/v1' });
  home.dispose();

  expect(existsSync(home.path)).toBe(false);
});

it('makes a clean git repository with the given files', () => {
  const workspace = createWorkspace({ 'a.txt': 'one\n', 'src/b.txt': 'two\n' });
  onTestFinished(workspace.dispose);
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: workspace.path, encoding: 'utf8' });

  expect(git('ls-files').split('\n').filter(Boolean)).toEqual(['a.txt', 'src/b.txt']);
  expect(git('status', '--porcelain')).toBe('');
  workspace.write('src/b.txt', 'three\n');
  expect(workspace.read('src/b.txt')).toBe('three\n');
  expect(git('status', '--porcelain')).toBe(' M src/b.txt\n');
});
