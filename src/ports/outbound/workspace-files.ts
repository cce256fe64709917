import type { PathFlavour } from '../../domain/report/path-flavour.ts';
import { token } from './service-identifier.ts';

/** Where the files of a workspace are. It tells of places only; no content is read. */
export interface WorkspaceFiles {
  readonly flavour: PathFlavour;
  /**
   * The directory itself or its nearest ancestor that has an entry `.git`, a folder or a file (S3.199); `null` when none
   * has. A folder that cannot be read counts as one without.
   */
  repositoryRoot(directory: string): Promise<string | null>;
  /**
   * The place that a directory really has: absolute, normalised, links resolved. What is missing of it (a deleted folder)
   * stays as it is written below the nearest ancestor that exists. `null` when links end nowhere or run in a circle, and
   * when the directory is not absolute.
   */
  resolveDirectory(directory: string): Promise<string | null>;
}

export const WorkspaceFiles = token<WorkspaceFiles>('WorkspaceFiles');
