import type { ClientProfile } from '../../../src/domain/client/client-profile.ts';
import type { SessionContext } from '../../../src/domain/feature/session-context.ts';
import type { FileChangeReport } from '../../../src/domain/report/file-change-report.ts';
import type { PathFlavour } from '../../../src/domain/report/path-flavour.ts';
import type { SessionSettings } from '../../../src/domain/settings/session-settings.ts';
import type { Workspace } from '../../../src/domain/workspace/workspace.ts';
import type { WorkspaceFiles } from '../../../src/ports/outbound/workspace-files.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { settingsWith } from '../../support/fake-session-context.ts';
import { profile } from '../../support/session-lab.ts';

export const reporting = profile({ air: { capabilities: new Set(['agentFileChangeReport']) } });

/** What a session did for its reports, in order: the reports that were shown, and `done` for each prompt that went on. */
export class FakeContext implements SessionContext {
  readonly sessionId = 'thread-1';
  readonly clock = new FakeClock();
  readonly log: (FileChangeReport | 'done')[] = [];
  readonly profile: ClientProfile;

  workspace: Workspace = { cwd: '/w', additionalDirectories: [] };

  constructor(client: ClientProfile = reporting) {
    this.profile = client;
  }

  readonly done = (): void => void this.log.push('done');

  settings(): SessionSettings {
    return settingsWith(this.workspace);
  }

  show(update: Parameters<SessionContext['show']>[0]): void {
    if (update.type !== 'fileChangeReport') throw new Error(`${update.type} is no report`);
    this.log.push(update.report);
  }

  settle<Result>(work: Promise<Result>, then: (result: Result) => void, failed: (error: Error) => void): void {
    work.then(then, failed);
  }

  after(ms: number, action: () => void): () => void {
    return this.clock.after(ms, action);
  }
}

/** A disk with links: the beginning of a path is replaced by where it leads; `null` leads nowhere. */
export class FakeFiles implements WorkspaceFiles {
  readonly flavour: PathFlavour;
  readonly links = new Map<string, string | null>();
  readonly asked: string[] = [];
  repository: () => Promise<string | null> = () => Promise.resolve(null);
  /** Set to let the disk hang or fail. */
  answer: ((directory: string) => Promise<string | null>) | null = null;

  constructor(flavour: PathFlavour = 'posix') {
    this.flavour = flavour;
  }

  repositoryRoot(directory: string): Promise<string | null> {
    this.asked.push(`repository of ${directory}`);
    return this.repository();
  }

  resolveDirectory(directory: string): Promise<string | null> {
    this.asked.push(directory);
    if (this.answer !== null) return this.answer(directory);
    for (const [link, target] of this.links) {
      if (directory !== link && !directory.startsWith(`${link}/`)) continue;
      return Promise.resolve(target === null ? null : target + directory.slice(link.length));
    }
    return Promise.resolve(directory);
  }
}

/** Lets promises that are already settled run their course; no time passes. */
export async function turnOver(): Promise<void> {
  for (let index = 0; index < 50; index += 1) await Promise.resolve();
}

/** Diff of changed files, as Codex writes it. */
export function diffOf(...paths: readonly string[]): string {
  return paths
    .map((path) => `diff --git a/${path} b/${path}\nindex 1..2\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+A\n`)
    .join('');
}
