import type { WorkspaceFiles } from '../../ports/outbound/workspace-files.ts';
import { hasAir } from '../client/client-profile.ts';
import { isLargerThan } from '../conversation/utf8-size.ts';
import type { SessionContext } from '../feature/session-context.ts';
import type { DiffPaths } from '../report/diff-paths.ts';
import { diffPaths } from '../report/diff-paths.ts';
import type { FileChangeReport, ReportFailure } from '../report/file-change-report.ts';
import { reportFiles } from '../report/report-files.ts';
import type { ReportPaths } from '../report/report-paths.ts';
import type { ThreadEvent } from '../thread/thread-event.ts';
import { workspaceRoots } from '../workspace/workspace.ts';

/** Bytes of a diff that is still read (S3.198). */
const maxDiffBytes = 8 * 1024 * 1024;
/** Milliseconds that the end of a prompt waits for the disk. */
const diskLimit = 5_000;

/** How the work of a prompt ended, as far as its report is concerned. */
export type ReportedEnd = 'cancelled' | 'failed' | 'normal';

/** The prompt runs. `base`: the directory of the diff's relative paths, `null` when it could not be found. */
interface Watching {
  readonly phase: 'watching';
  readonly requestId: string;
  readonly base: Promise<string | null>;
}

/** The prompt's work is over; the paths are looked up. */
interface Resolving {
  readonly phase: 'resolving';
  readonly requestId: string;
  readonly done: () => void;
  readonly stopClock: () => void;
}

type ReportState = { readonly phase: 'none' } | Watching | Resolving;

/** The last diff of a turn; `over` once the turn is completed. */
interface TurnDiff {
  readonly diff: string;
  readonly over: boolean;
}

const none: ReportState = { phase: 'none' };

/** Why an end brings no report; `null` when it does (S3.198). */
const failures: Readonly<Record<ReportedEnd, ReportFailure | null>> = {
  cancelled: 'cancelled',
  failed: 'providerError',
  normal: null,
};

/**
 * The file-change reports of one session (S3.196 to S3.201): watches the diffs of turns, and tells a client that asked
 * with its prompt which files the agent changed, once, before the prompt's end.
 */
export class FileChangeReports {
  readonly #context: SessionContext;
  readonly #files: WorkspaceFiles;
  readonly #isOffered: boolean;
  readonly #diffs = new Map<string, TurnDiff>();
  #state: ReportState = none;

  constructor(context: SessionContext, files: WorkspaceFiles) {
    this.#context = context;
    this.#files = files;
    this.#isOffered = hasAir(context.profile, 'agentFileChangeReport');
  }

  /**
   * A prompt was admitted. `requestId`: the id that it asks a report under, `null` when it asks for none. The directory
   * of the diff's paths is found out now, since the work may create or remove a repository (S3.199).
   */
  begin(requestId: string | null): void {
    this.#abandon();
    if (requestId === null || !this.#isOffered) return;
    this.#state = { phase: 'watching', requestId, base: this.#findBase() };
  }

  /**
   * Every event of the session's thread and of the threads of its subagents. Without an open report only the diffs of
   * turns that still run are kept: a prompt may adopt one of them.
   */
  observe(event: ThreadEvent): void {
    if (!this.#isOffered) return;
    if (event.type === 'diffUpdated') this.#diffs.set(event.turnId, { diff: event.diff, over: false });
    else if (event.type === 'turnCompleted') this.#turnOver(event.turnId);
  }

  /**
   * The work of the prompt is over. Shows its report, if it asked for one, and then calls `done` exactly once: at once,
   * or in the mailbox within five seconds. `turnId`: the final turn; `null` when Codex ran none. `subagentTurnIds`: turns
   * of subagents that ran during it.
   */
  finish(turnId: string | null, end: ReportedEnd, done: () => void, subagentTurnIds: readonly string[] = []): void {
    const state = this.#state;
    if (state.phase !== 'watching') return done();
    const { requestId, base } = state;
    const reason = turnId === null && end === 'normal' ? 'notReported' : failures[end];
    const diffs = turnId === null || reason !== null ? [] : this.#readDiffs([turnId, ...subagentTurnIds]);
    this.#forgetDiffs(turnId, end);
    if (reason !== null) return this.#conclude(unavailable(requestId, reason), done);
    if (diffs === null) return this.#conclude(unavailable(requestId, 'invalidOutput'), done);
    if (diffs.every(({ paths, omitted }) => paths.length === 0 && !omitted)) {
      return this.#conclude({ type: 'reported', requestId, paths: [], truncated: false }, done);
    }
    this.#resolve(requestId, diffs, base, done);
  }

  /** The session is being closed: an open report ends as cancelled, and a `done` that waits is called (S3.198). */
  cancel(): void {
    this.#diffs.clear();
    this.#abandon();
  }

  #abandon(): void {
    const state = this.#state;
    if (state.phase === 'watching') this.#conclude(unavailable(state.requestId, 'cancelled'), () => undefined);
    if (state.phase === 'resolving') this.#conclude(unavailable(state.requestId, 'cancelled'), state.done);
  }

  #turnOver(turnId: string): void {
    const known = this.#diffs.get(turnId);
    if (known === undefined) return;
    if (this.#state.phase === 'watching') this.#diffs.set(turnId, { ...known, over: true });
    else this.#diffs.delete(turnId);
  }

  /** Other turns that still run are kept, except when Codex is gone with them. */
  #forgetDiffs(turnId: string | null, end: ReportedEnd): void {
    for (const [id, { over }] of this.#diffs) {
      if (over || id === turnId || end === 'failed') this.#diffs.delete(id);
    }
  }

  #findBase(): Promise<string | null> {
    const { cwd } = this.#context.settings().workspace;
    return this.#files.repositoryRoot(cwd).then(
      (root) => root ?? cwd,
      () => null,
    );
  }

  /** What the diffs name; `null` when one of them cannot be read (S3.198). */
  #readDiffs(turnIds: readonly string[]): readonly DiffPaths[] | null {
    const found: DiffPaths[] = [];
    for (const turnId of new Set(turnIds)) {
      const diff = this.#diffs.get(turnId)?.diff ?? '';
      const paths = isLargerThan(diff, maxDiffBytes) ? null : diffPaths(diff);
      if (paths === null) return null;
      found.push(paths);
    }
    return found;
  }

  #resolve(requestId: string, diffs: readonly DiffPaths[], base: Promise<string | null>, done: () => void): void {
    const fail = (): void => this.#settled(state, unavailable(requestId, 'providerError'));
    const stopClock = this.#context.after(diskLimit, fail);
    const state: Resolving = { phase: 'resolving', requestId, done, stopClock };
    this.#state = state;
    this.#context.settle(
      this.#lookUp(diffs, base, workspaceRoots(this.#context.settings().workspace)),
      ({ paths, truncated }) => this.#settled(state, { type: 'reported', requestId, paths, truncated }),
      fail,
    );
  }

  /** Runs outside of the mailbox. */
  async #lookUp(
    diffs: readonly DiffPaths[],
    base: Promise<string | null>,
    roots: readonly string[],
  ): Promise<ReportPaths> {
    const directory = await base;
    if (directory === null) throw new Error('The directory of the diff is not known');
    return reportFiles(diffs, {
      flavour: this.#files.flavour,
      base: directory,
      roots,
      resolve: (path) => this.#files.resolveDirectory(path),
    });
  }

  /** Only the first outcome of the look-up counts. */
  #settled(state: Resolving, report: FileChangeReport): void {
    if (this.#state === state) this.#conclude(report, state.done);
  }

  #conclude(report: FileChangeReport, done: () => void): void {
    if (this.#state.phase === 'resolving') this.#state.stopClock();
    this.#state = none;
    this.#context.show({ type: 'fileChangeReport', report });
    done();
  }
}

function unavailable(requestId: string, reason: ReportFailure): FileChangeReport {
  return { type: 'unavailable', requestId, reason };
}
