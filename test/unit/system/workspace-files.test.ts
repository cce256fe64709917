import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import { Container } from 'inversify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SystemWorkspaceFiles } from '../../../src/adapters/system/workspace-files.ts';
import { systemModule } from '../../../src/app/system-module.ts';
import { diffPaths } from '../../../src/domain/report/diff-paths.ts';
import { reportFiles } from '../../../src/domain/report/report-files.ts';
import { WorkspaceFiles } from '../../../src/ports/outbound/workspace-files.ts';
import { silentLog } from '../../support/session-lab.ts';
import { diffOf } from '../report/fake-context.ts';

const files = new SystemWorkspaceFiles();
const flavour = process.platform === 'win32' ? 'windows' : 'posix';
let root: string;

beforeEach(() => {
  // The temporary folder itself may be a link.
  root = realpathSync(mkdtempSync(join(tmpdir(), 'workspace-files-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function folder(...names: readonly string[]): string {
  const path = join(root, ...names);
  mkdirSync(path, { recursive: true });
  return path;
}

/** A junction on Windows, where links to folders need rights. */
function link(target: string, ...names: readonly string[]): string {
  const path = join(root, ...names);
  symlinkSync(target, path, 'junction');
  return path;
}

it('S3.200 the container offers the file system of this machine', () => {
  const container = new Container();
  container.load(systemModule(silentLog));
  expect(container.get(WorkspaceFiles).flavour).toBe(flavour);
});

describe('S3.199 the repository of a directory', () => {
  it('is the directory itself or its nearest ancestor with .git', async () => {
    folder('.git');
    folder('inner', '.git');
    const deep = folder('inner', 'a', 'b');
    expect(await files.repositoryRoot(root)).toBe(root);
    expect(await files.repositoryRoot(folder('other'))).toBe(root);
    expect(await files.repositoryRoot(deep)).toBe(join(root, 'inner'));
  });

  it('may have .git as a file, as in worktrees and submodules', async () => {
    folder('.git');
    writeFileSync(join(folder('tree'), '.git'), 'gitdir: elsewhere\n');
    expect(await files.repositoryRoot(folder('tree', 'src'))).toBe(join(root, 'tree'));
  });

  it('is looked for along the path as it is written', async () => {
    folder('repo', '.git');
    folder('real', 'sub');
    const linked = link(join(root, 'real'), 'repo', 'linked');
    expect(await files.repositoryRoot(join(linked, 'sub'))).toBe(join(root, 'repo'));
  });

  it('is found from a directory that is gone; is nothing where there is none', async () => {
    folder('.git');
    expect(await files.repositoryRoot(join(root, 'gone', 'deep'))).toBe(root);
    // Folders above the temporary one may be repositories; the root of the volume is none.
    expect(await files.repositoryRoot(join(parse(root).root, 'no-such-folder', 'deep'))).toBeNull();
    expect(await files.repositoryRoot('relative')).toBeNull();
  });
});

describe('S3.200 the place of a directory', () => {
  it('is itself, normalised, when there are no links', async () => {
    const deep = folder('a', 'b');
    expect(await files.resolveDirectory(deep)).toBe(deep);
    expect(await files.resolveDirectory(join(root, 'a', '..', 'a', 'b', '.'))).toBe(deep);
  });

  it('is where links lead, also over several of them', async () => {
    const real = folder('real', 'sub');
    link(join(root, 'real'), 'first');
    link(join(root, 'first'), 'second');
    expect(await files.resolveDirectory(join(root, 'second', 'sub'))).toBe(real);
  });

  it('keeps what is missing, below the nearest ancestor that exists', async () => {
    folder('real');
    link(join(root, 'real'), 'linked');
    expect(await files.resolveDirectory(join(root, 'linked', 'gone', 'deep'))).toBe(join(root, 'real', 'gone', 'deep'));
    writeFileSync(join(root, 'file'), '');
    expect(await files.resolveDirectory(join(root, 'file', 'was', 'folder'))).toBe(join(root, 'file', 'was', 'folder'));
  });

  it('is nowhere for links that lead nowhere or in a circle', async () => {
    link(join(root, 'missing'), 'dangling');
    expect(await files.resolveDirectory(join(root, 'dangling'))).toBeNull();
    expect(await files.resolveDirectory(join(root, 'dangling', 'sub', 'deep'))).toBeNull();
    link(join(root, 'two'), 'one');
    link(join(root, 'one'), 'two');
    expect(await files.resolveDirectory(join(root, 'one', 'sub'))).toBeNull();
  });

  it('is nowhere for what is not absolute, or too long', async () => {
    expect(await files.resolveDirectory('relative')).toBeNull();
    expect(await files.resolveDirectory(join(root, 'x'.repeat(5_000)))).toBeNull();
  });
});

it('S3.200 a report over real links: inside counts, outside does not, a changed link is itself', async () => {
  const workspace = folder('workspace', 'src');
  folder('outside');
  link(join(root, 'outside'), 'workspace', 'out');
  link(join(root, 'workspace', 'src'), 'workspace', 'again');
  link(join(root, 'workspace'), 'given');
  const diff = diffPaths(
    diffOf('src/a.txt', 'out/b.txt', 'again/a.txt', 'out', 'deleted/c.txt', '../workspace-2/d.txt'),
  );
  const report = await reportFiles(diff === null ? [] : [diff], {
    flavour,
    base: join(root, 'given'),
    roots: [join(root, 'given')],
    resolve: (directory) => files.resolveDirectory(directory),
  });
  const inWorkspace = (...names: readonly string[]) => join(root, 'workspace', ...names);
  expect(report.paths).toEqual([join(workspace, 'a.txt'), inWorkspace('out'), inWorkspace('deleted', 'c.txt')]);
  expect(report.truncated).toBe(true);
});
