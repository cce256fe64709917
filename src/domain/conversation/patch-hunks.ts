/** One hunk of a unified diff. `lines` are as written, markers for a missing final newline included. */
export interface Hunk {
  readonly oldStart: number;
  readonly oldCount: number;
  readonly newStart: number;
  readonly newCount: number;
  readonly header: string;
  readonly lines: readonly string[];
}

/** Stands after a line that ends without newline. */
export const noNewline = '\\ No newline at end of file';

const hunkHeader = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const fileHeaders = ['diff --git ', 'index ', '--- ', '+++ '];

/** The hunks of one file's diff, or `null` when the text is not exactly that (S4.75). */
export function parseHunks(text: string): Hunk[] | null {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  let at = lines.findIndex((line) => line.startsWith('@@'));
  if (at === -1 || !lines.slice(0, at).every(isFileHeader)) return null;
  const hunks: Hunk[] = [];
  while (at < lines.length) {
    const hunk = readHunk(lines, at);
    if (hunk === null) return null;
    hunks.push(hunk);
    at += 1 + hunk.lines.length;
  }
  return hunks;
}

/** True when the hunks can be applied one after another: ascending, apart, and shifted by what came before (S4.75). */
export function hunksFit(hunks: readonly Hunk[]): boolean {
  let delta = 0;
  let oldEnd = 0;
  for (const hunk of hunks) {
    const oldStart = firstLine(hunk.oldStart, hunk.oldCount);
    const newStart = firstLine(hunk.newStart, hunk.newCount);
    if (oldStart === 0 || newStart === 0 || oldStart < oldEnd || newStart !== oldStart + delta) return false;
    oldEnd = oldStart + hunk.oldCount;
    delta += hunk.newCount - hunk.oldCount;
  }
  return true;
}

/** A range without lines is named by the line before it. */
function firstLine(start: number, count: number): number {
  return count === 0 ? start + 1 : start;
}

function isFileHeader(line: string): boolean {
  return line === '' || fileHeaders.some((header) => line.startsWith(header));
}

function readHunk(lines: readonly string[], from: number): Hunk | null {
  const header = lines[from] ?? '';
  const match = hunkHeader.exec(header);
  if (match === null) return null;
  const [, oldStart, oldCount = '1', newStart, newCount = '1'] = match;
  let oldLeft = Number(oldCount);
  let newLeft = Number(newCount);
  if (oldLeft + newLeft === 0) return null;
  let at = from + 1;
  while (oldLeft > 0 || newLeft > 0) {
    const line = lines[at];
    if (line === undefined) return null;
    if (line !== noNewline) {
      const mark = line === '' ? ' ' : line[0];
      if (mark !== ' ' && mark !== '-' && mark !== '+') return null;
      if (mark !== '+') oldLeft -= 1;
      if (mark !== '-') newLeft -= 1;
      if (oldLeft < 0 || newLeft < 0) return null;
    }
    at += 1;
  }
  while (lines[at] === noNewline) at += 1;
  return {
    oldStart: Number(oldStart),
    oldCount: Number(oldCount),
    newStart: Number(newStart),
    newCount: Number(newCount),
    header,
    lines: lines.slice(from + 1, at),
  };
}
