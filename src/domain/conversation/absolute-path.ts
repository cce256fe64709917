const drive = /^[A-Za-z]:[\\/]/;
const windowsRoot = /^(?:[A-Za-z]:|\\\\[^\\/]+[\\/][^\\/]+)/;

/** True for a POSIX, drive-letter or UNC path. */
export function isAbsolutePath(path: string): boolean {
  return path.startsWith('/') || isWindowsPath(path);
}

/** True for an absolute path in Windows notation. */
export function isWindowsPath(path: string): boolean {
  return drive.test(path) || path.startsWith('\\\\');
}

/**
 * A path as Codex wrote it, resolved against a directory; `null` when neither is absolute (S4.42, S4.67). Only the text
 * is looked at: the file need not exist, and links are not followed. An absolute path stays as it is.
 */
export function absolutePath(path: string, directory: string): string | null {
  if (isAbsolutePath(path)) return path;
  if (path === '' || !isAbsolutePath(directory)) return null;
  const windows = isWindowsPath(directory);
  const root = windows ? (windowsRoot.exec(directory)?.[0] ?? '') : '';
  const separator = windows ? '\\' : '/';
  const segments: string[] = [];
  for (const segment of `${directory.slice(root.length)}/${path}`.split(windows ? /[\\/]+/ : /\/+/)) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return root + separator + segments.join(separator);
}

/** Several paths made absolute, without those that cannot be and without repeats. */
export function absolutePaths(paths: readonly string[], directory: string): string[] {
  const found = new Set<string>();
  for (const path of paths) {
    const absolute = absolutePath(path, directory);
    if (absolute !== null) found.add(absolute);
  }
  return [...found];
}
