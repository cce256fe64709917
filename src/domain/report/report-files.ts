import type { DiffPaths } from './diff-paths.ts';
import type { PathFlavour } from './path-flavour.ts';
import { joinPath, splitPath } from './path-flavour.ts';
import { ReportPaths, reportablePath } from './report-paths.ts';

/** Where the paths of a diff lead. */
export interface ReportPlaces {
  readonly flavour: PathFlavour;
  /** Directory that relative paths of the diff start from, absolute. */
  readonly base: string;
  /** Directories of the session, as they were given. */
  readonly roots: readonly string[];
  /** The place that a directory really has; `null` when it has none. */
  readonly resolve: (directory: string) => Promise<string | null>;
}

/** The paths that a report of these diffs holds: on disk, inside of the session's directories, within limits (S3.200). */
export async function reportFiles(diffs: readonly DiffPaths[], places: ReportPlaces): Promise<ReportPaths> {
  const { flavour, base } = places;
  const resolve = remembering(places.resolve);
  const roots: string[] = [];
  for (const root of places.roots) {
    const resolved = await resolve(root);
    if (resolved !== null) roots.push(resolved);
  }
  const report = new ReportPaths(roots, flavour);
  if (diffs.some(({ omitted }) => omitted)) report.drop();
  for (const path of new Set(diffs.flatMap(({ paths }) => paths))) {
    if (report.full) break;
    const absolute = reportablePath(base, path, flavour);
    const parts = absolute === null ? null : splitPath(absolute, flavour);
    const directory = parts === null ? null : await resolve(parts.directory);
    if (parts === null || directory === null) report.drop();
    else report.add(joinPath(directory, parts.name, flavour));
  }
  return report;
}

/** Many changed files share a directory. */
function remembering(resolve: ReportPlaces['resolve']): ReportPlaces['resolve'] {
  const known = new Map<string, string | null>();
  return async (directory) => {
    const before = known.get(directory);
    if (before !== undefined) return before;
    const resolved = await resolve(directory);
    known.set(directory, resolved);
    return resolved;
  };
}
