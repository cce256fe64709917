import type { PathFlavour } from './path-flavour.ts';
import { absoluteFrom, isBelow, pathKey } from './path-flavour.ts';

/** Limits of one report (S3.200): characters of a path, number of paths. */
const maxPathLength = 4096;
const maxPaths = 1024;
/** UTF-8 bytes of the serialised report. Its paths alone have the same limit, and are always smaller. */
const maxSerialisedBytes = 256 * 1024;
/** Room for everything in a serialised report that is no path; together it has less than 600 bytes. */
const envelopeBytes = 1024;

/** Control characters, and halves of a character, which no UTF-8 can carry. */
const unprintable = /[\p{Cc}\p{Cs}]/u;
const url = /^[A-Za-z][A-Za-z0-9+.-]+:\/\//;
const drive = /^[A-Za-z]:/;
const driveRelative = /^[A-Za-z]:(?![\\/])/;
const deviceAnywhere = /^\\\\[?.](?:\\|$)/;
const deviceOnWindows = /^[\\/]{2}[?.](?:[\\/]|$)/;

const encoder = new TextEncoder();

/** A path of a diff, absolute and normalised; `null` when it is of a kind that is never reported (S3.200). */
export function reportablePath(base: string, path: string, flavour: PathFlavour): string | null {
  return isRefused(path, flavour) ? null : absoluteFrom(base, path, flavour);
}

/** On POSIX a path with a drive names no file of this machine, whatever follows. */
function isRefused(path: string, flavour: PathFlavour): boolean {
  if (path === '' || unprintable.test(path) || url.test(path) || deviceAnywhere.test(path)) return true;
  return flavour === 'windows' ? driveRelative.test(path) || deviceOnWindows.test(path) : drive.test(path);
}

/** Collects the paths of one report within its limits, in the order in which they are offered (S3.200). */
export class ReportPaths {
  readonly #roots: readonly string[];
  readonly #flavour: PathFlavour;
  readonly #keys = new Set<string>();
  readonly #paths: string[] = [];
  #serialisedBytes = envelopeBytes;
  #truncated = false;
  #full = false;

  /** `roots`: the directories of the session, absolute, links resolved. */
  constructor(roots: readonly string[], flavour: PathFlavour) {
    this.#roots = roots;
    this.#flavour = flavour;
  }

  get paths(): readonly string[] {
    return this.#paths;
  }

  /** Something was left out; a path that came twice was not. */
  get truncated(): boolean {
    return this.#truncated;
  }

  /** No other path fits: what is offered from now on changes nothing. */
  get full(): boolean {
    return this.#full;
  }

  /** Leaves a file out. */
  drop(): void {
    this.#truncated = true;
  }

  /** Takes a path (absolute, normalised, links of its parents resolved) or leaves it out. */
  add(path: string): void {
    if (this.#full) return;
    const key = pathKey(path, this.#flavour);
    if (this.#keys.has(key)) return;
    const isInside = this.#roots.some((root) => isBelow(path, root, this.#flavour));
    if (!isInside || path.length > maxPathLength || unprintable.test(path)) return this.drop();
    const serialisedBytes = this.#serialisedBytes + encoder.encode(JSON.stringify(path)).length + 1;
    if (this.#paths.length === maxPaths || serialisedBytes > maxSerialisedBytes) {
      this.#full = true;
      return this.drop();
    }
    this.#keys.add(key);
    this.#paths.push(path);
    this.#serialisedBytes = serialisedBytes;
  }
}
