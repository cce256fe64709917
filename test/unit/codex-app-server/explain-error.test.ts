import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { currentWorkingDirectory, explainError } from '../../../src/adapters/codex-app-server/explain-error.ts';

const there = { path: '/work', replaced: () => false };
const gone = { path: '/work', replaced: () => true };
const FEATURES = 'failed to resolve feature override precedence: ';

describe('errors of Codex, explained', () => {
  it('S1.226 rule 1: the working directory is gone', () => {
    const message = `${FEATURES}No such file or directory (os error 2)`;
    expect(explainError(message, '/home/.codex', gone)).toBe(
      'Codex cannot read its configuration: its working directory /work was deleted or replaced after the agent ' +
        'started. Restart the agent.',
    );
    expect(explainError('No such file or directory', null, gone)).toBe('No such file or directory');
  });

  it('S1.226 rule 2: where the configuration is', () => {
    const advice =
      '\n\nCheck /home/.codex and project .codex directories, especially their config.toml files, or any CODEX_CONFIG override.';
    expect(explainError('failed to load configuration: bad TOML', '/home/.codex', there)).toBe(
      `failed to load configuration: bad TOML${advice}`,
    );
    expect(explainError(`${FEATURES}bad TOML`, '/home/.codex', there)).toBe(
      `failed to load configuration: bad TOML${advice}`,
    );
    expect(explainError('cannot load config', null, there)).toMatch(/Check global and project/);
  });

  it('S1.178 login problems and everything else stay as they are', () => {
    for (const message of ['failed to load configuration: cloud requirements', 'load config: log out', 'other']) {
      expect(explainError(message, null, there)).toBe(message);
    }
  });

  it('S1.226 a directory that another one replaced is told from the one that was there', () => {
    const scratch = fileURLToPath(new URL('../../../.tmp/', import.meta.url));
    mkdirSync(scratch, { recursive: true });
    const path = mkdtempSync(`${scratch}directory-`);
    const directory = currentWorkingDirectory(path);
    expect(directory.replaced()).toBe(false);
    renameSync(path, `${path}-old`);
    expect(directory.replaced()).toBe(true);
    mkdirSync(path);
    expect(directory.replaced()).toBe(true);
    rmSync(path, { recursive: true });
    rmSync(`${path}-old`, { recursive: true });
  });
});
