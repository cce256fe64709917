import type { GitName, NameSide } from './git-name.ts';
import { fileLineName, headerNames, wholeName } from './git-name.ts';

/** The files that a diff names. */
export interface DiffPaths {
  /** Old and new path of each file as the diff writes it, each once, in the order of the diff (S3.199). */
  readonly paths: readonly string[];
  /** A file is left out because no text can name it. */
  readonly omitted: boolean;
}

const hunkStart = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const loneReturn = /\r(?!\n)/;
const movedLine = /^(?:rename|copy) (from|to) (.*)$/s;

/** Reads the files out of a Git diff; `null` when it is none (S3.198). */
export function diffPaths(diff: string): DiffPaths | null {
  if (diff.trim() === '') return { paths: [], omitted: false };
  // Git counts lines by line feeds. The diff that Codex makes also ends a line at a lone carriage return.
  const found = readLines(diff.split('\n'));
  return found ?? (loneReturn.test(diff) ? readLines(diff.split(/\r\n|\n|\r/)) : null);
}

function readLines(lines: readonly string[]): DiffPaths | null {
  const reader = new DiffReader();
  const end = lines.at(-1) === '' ? lines.length - 1 : lines.length;
  for (let index = 0; index < end; index += 1) {
    if (!reader.read(lines[index] ?? '')) return null;
  }
  return reader.end();
}

/** One file of a diff while it is read. */
interface FileSection {
  /** What stands behind `diff --git `. */
  readonly header: string;
  before: GitName | null;
  after: GitName | null;
  hasHunks: boolean;
}

/** Reads line by line, and counts the lines of hunks, so that no changed text is taken for a header. */
class DiffReader {
  readonly #paths = new Set<string>();
  #omitted = false;
  #section: FileSection | null = null;
  /** Lines of the running hunk that are still to come, on each side. */
  #before = 0;
  #after = 0;

  /** False when the line has no place here. */
  read(line: string): boolean {
    if (this.#before > 0 || this.#after > 0) return this.#hunkLine(line);
    const text = line.endsWith('\r') ? line.slice(0, -1) : line;
    if (text.startsWith('diff --git ')) return this.#openSection(text.slice('diff --git '.length));
    const section = this.#section;
    if (section === null) return text.trim() === '';
    if (text.startsWith('@@')) return this.#openHunk(section, text);
    if (section.hasHunks) return text === '' || text.startsWith('\\');
    return headerLine(section, text);
  }

  end(): DiffPaths | null {
    if (this.#before > 0 || this.#after > 0 || this.#section === null || !this.#closeSection()) return null;
    return { paths: [...this.#paths], omitted: this.#omitted };
  }

  #hunkLine(line: string): boolean {
    switch (line[0]) {
      case '+':
        this.#after -= 1;
        break;
      case '-':
        this.#before -= 1;
        break;
      // An empty line is a context line that lost its space.
      case ' ':
      case '\r':
      case undefined:
        this.#before -= 1;
        this.#after -= 1;
        break;
      case '\\':
        break;
      default:
        return false;
    }
    return this.#before >= 0 && this.#after >= 0;
  }

  #openSection(header: string): boolean {
    const closed = this.#closeSection();
    this.#section = { header, before: null, after: null, hasHunks: false };
    return closed;
  }

  #openHunk(section: FileSection, line: string): boolean {
    const counts = hunkStart.exec(line);
    if (counts === null) return false;
    section.hasHunks = true;
    this.#before = Number(counts[1] ?? 1);
    this.#after = Number(counts[2] ?? 1);
    return true;
  }

  /** The header is read last: only where it stands alone is it needed, and it can be ambiguous. */
  #closeSection(): boolean {
    const section = this.#section;
    if (section === null) return true;
    const { before, after, header } = section;
    if (before === null && after === null) {
      const names = headerNames(header);
      if (names === null) return false;
      for (const name of names) this.#add(name);
      return true;
    }
    if (before === null || after === null) return false;
    this.#add(before);
    this.#add(after);
    return true;
  }

  #add(name: GitName): void {
    switch (name.type) {
      case 'path':
        this.#paths.add(name.path);
        return;
      case 'undecodable':
        this.#omitted = true;
        return;
      case 'absent':
        return;
    }
  }
}

/** A line between `diff --git` and the first hunk; those that name no file (modes, index, binary data) are passed over. */
function headerLine(section: FileSection, line: string): boolean {
  if (line.startsWith('diff ')) return false;
  if (line.startsWith('--- ')) return setName(section, 'a', fileLineName(line.slice(4), 'a'));
  if (line.startsWith('+++ ')) return setName(section, 'b', fileLineName(line.slice(4), 'b'));
  const moved = movedLine.exec(line);
  return moved === null || setName(section, moved[1] === 'from' ? 'a' : 'b', wholeName(moved[2] ?? ''));
}

function setName(section: FileSection, side: NameSide, name: GitName | null): boolean {
  if (name === null) return false;
  if (side === 'a') section.before = name;
  else section.after = name;
  return true;
}
