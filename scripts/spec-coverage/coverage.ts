import { citedIds } from './citations.ts';
import type { WrittenTest } from './test-titles.ts';

/** The committed list: ids in the order of the spec, each with a gist in our own words. */
export interface StatementList {
  /** Each needs a test or a reason. */
  readonly statements: Readonly<Record<string, string>>;
  /** Ids that other parts answer for: known here, shown when they have a test. */
  readonly otherParts: Readonly<Record<string, string>>;
}

/** Why a statement has no test, by id. */
export type NotTested = Readonly<Record<string, string>>;

export interface TestFile {
  /** Path from the root of the repository. */
  readonly file: string;
  readonly tests: readonly WrittenTest[];
}

export interface Coverage {
  readonly rows: readonly CoverageRow[];
  /** Ids that nobody knows, and reasons that are out of date: always a fault. */
  readonly faults: readonly string[];
  /** Statements with neither test nor reason. */
  readonly missing: readonly string[];
}

export interface CoverageRow {
  readonly id: string;
  readonly gist: string;
  /** Number of tests by file. */
  readonly tests: ReadonlyMap<string, number>;
  readonly reason: string | null;
}

export function coverage(list: StatementList, notTested: NotTested, files: readonly TestFile[]): Coverage {
  const known = [...Object.keys(list.statements), ...Object.keys(list.otherParts)];
  const isKnown = new Set(known);
  const found = new Map<string, Map<string, number>>(known.map((id) => [id, new Map()]));
  const faults: string[] = [];
  for (const { file, tests } of files) {
    for (const { title, line } of tests) {
      for (const id of citedIds(title, known)) {
        const counts = found.get(id);
        if (counts === undefined) faults.push(`${file}:${line} cites ${id}, which is no statement`);
        else counts.set(file, (counts.get(file) ?? 0) + 1);
      }
    }
  }
  for (const id of Object.keys(notTested)) {
    if (!isKnown.has(id)) faults.push(`not-tested.json names ${id}, which is no statement`);
    else if ((found.get(id)?.size ?? 0) > 0) faults.push(`not-tested.json gives a reason for ${id}, which has a test`);
  }
  const rows = known.map((id) => ({
    id,
    gist: list.statements[id] ?? list.otherParts[id] ?? '',
    tests: found.get(id) ?? new Map<string, number>(),
    reason: notTested[id] ?? null,
  }));
  const needed = rows.filter(({ id }) => id in list.statements);
  const missing = needed.filter(({ tests, reason }) => tests.size === 0 && reason === null).map(({ id }) => id);
  return { rows: rows.filter(({ id, tests }) => id in list.statements || tests.size > 0), faults, missing };
}

/** The page `docs/spec-coverage.md`. */
export function coveragePage({ rows, missing }: Coverage): string {
  const tested = rows.filter(({ tests }) => tests.size > 0).length;
  const reasons = rows.filter(({ tests, reason }) => tests.size === 0 && reason !== null).length;
  return [
    '# Spec coverage: turn core',
    '',
    'Which test proves which statement of part 03 of the spec. Written by `npm run spec-coverage`; do not edit.',
    'A test proves the ids in its name or in the names of the blocks around it; a table of cases counts as one test.',
    '',
    `${tested} statements have tests, ${reasons} have a reason for none, ${missing.length} have neither.`,
    '',
    '| id | statement | tests |',
    '| --- | --- | --- |',
    ...rows.map((row) => `| ${row.id} | ${cell(row.gist)} | ${evidence(row)} |`),
    '',
  ].join('\n');
}

function evidence({ tests, reason }: CoverageRow): string {
  if (tests.size === 0) return reason === null ? '**none**' : `no test: ${cell(reason)}`;
  const files = [...tests].sort(([one], [other]) => (one < other ? -1 : 1));
  return files.map(([file, count]) => `\`${file}\` (${count})`).join('<br>');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
