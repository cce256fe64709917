import type { FileChange } from '../thread/thread-item.ts';
import { absolutePath } from './absolute-path.ts';

/** One file of a patch with resolved paths. `text` is the whole text, or the hunks of an update. */
export interface ChangedFile {
  readonly kind: FileChange['kind'];
  /** Where the file was. */
  readonly path: string;
  /** Where the file is afterwards; the same unless it was moved. */
  readonly target: string;
  readonly moved: boolean;
  readonly text: string;
}

/** Codex may tell the new path once more after the hunks (S4.59). */
const movedTo = /\n\nMoved to: [^\n]*$/;

/** A change with absolute paths; `null` when they cannot be made absolute (S4.67). */
export function changedFile(change: FileChange, cwd: string): ChangedFile | null {
  const path = absolutePath(change.path, cwd);
  const moved = change.kind === 'update' && change.movePath !== null;
  const target = change.kind === 'update' && change.movePath !== null ? absolutePath(change.movePath, cwd) : path;
  if (path === null || target === null) return null;
  const text = change.kind === 'update' ? change.diff.replace(movedTo, '') : change.diff;
  return { kind: change.kind, path, target, moved, text };
}
