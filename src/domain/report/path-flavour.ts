/** Whose rules paths follow. It comes from the machine that the files are on. */
export type PathFlavour = 'posix' | 'windows';

interface Rooted {
  /** Ends with a separator. */
  readonly root: string;
  readonly rest: string;
}

const driveRoot = /^[A-Za-z]:[\\/]/;
const shareRoot = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)(?:[\\/]|$)/;

/**
 * A path seen from a directory: absolute and normalised, by its text alone. `null` when neither of them is absolute. A
 * path of Windows gets backslashes.
 */
export function absoluteFrom(directory: string, path: string, flavour: PathFlavour): string | null {
  const own = rooted(path, flavour);
  const base = own ?? rooted(directory, flavour);
  if (base === null) return null;
  const fromRoot = flavour === 'windows' && /^[\\/]/.test(path);
  const rest = own !== null ? own.rest : fromRoot ? path : `${base.rest}/${path}`;
  const segments: string[] = [];
  for (const segment of rest.split(flavour === 'windows' ? /[\\/]+/ : /\/+/)) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return base.root + segments.join(separatorOf(flavour));
}

/** Directory and name of a normalised absolute path; `null` for a root. */
export function splitPath(
  path: string,
  flavour: PathFlavour,
): { readonly directory: string; readonly name: string } | null {
  const { root, rest } = rooted(path, flavour) ?? { root: '', rest: '' };
  if (rest === '') return null;
  const cut = rest.lastIndexOf(separatorOf(flavour));
  return { directory: root + rest.slice(0, Math.max(cut, 0)), name: rest.slice(cut + 1) };
}

/** A name in a directory. */
export function joinPath(directory: string, name: string, flavour: PathFlavour): string {
  return asFolder(directory, flavour) + name;
}

/** True when a normalised absolute path lies below the directory; the directory itself does not. */
export function isBelow(path: string, directory: string, flavour: PathFlavour): boolean {
  const folder = pathKey(asFolder(directory, flavour), flavour);
  return path.length > folder.length && pathKey(path, flavour).startsWith(folder);
}

/** Two paths with one key are the same file: Windows does not tell upper and lower case apart. */
export function pathKey(path: string, flavour: PathFlavour): string {
  return flavour === 'windows' ? path.toLowerCase() : path;
}

function rooted(path: string, flavour: PathFlavour): Rooted | null {
  if (flavour === 'posix') return path.startsWith('/') ? { root: '/', rest: path.slice(1) } : null;
  if (driveRoot.test(path)) return { root: `${path.slice(0, 2)}\\`, rest: path.slice(3) };
  const share = shareRoot.exec(path);
  return share === null ? null : { root: `\\\\${share[1]}\\${share[2]}\\`, rest: path.slice(share[0].length) };
}

function separatorOf(flavour: PathFlavour): string {
  return flavour === 'windows' ? '\\' : '/';
}

function asFolder(directory: string, flavour: PathFlavour): string {
  const separator = separatorOf(flavour);
  return directory.endsWith(separator) ? directory : directory + separator;
}
