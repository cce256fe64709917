import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { definedIds } from './spec-coverage/citations.ts';
import { coverage, coveragePage, type NotTested, type StatementList, type TestFile } from './spec-coverage/coverage.ts';
import { writtenTests } from './spec-coverage/test-titles.ts';

/*
 * Which statement of the spec has a test (docs/spec-coverage.md).
 *
 *     npm run spec-coverage                              writes the page
 *     npm run spec-coverage -- --check                   writes nothing; fails when a statement has neither test nor reason
 *     npm run spec-coverage -- --compare <spec page>…    which ids the list lacks, or has too many
 *
 * An id in a test's name that is no statement fails each of them.
 *
 * The spec is not in this repository, so the ids stand in `test/spec/statements-03.json`, each with a gist in our own words
 * (never the spec's text). To refresh the list after a change of the spec run `--compare` with the pages of the parts it
 * covers (03, 12 and the users' reports), add what is missing in the order of the spec, and take out what is gone.
 */

const root = fileURLToPath(new URL('..', import.meta.url));
const listFile = 'test/spec/statements-03.json';
const reasonsFile = 'test/spec/not-tested.json';
const pageFile = 'docs/spec-coverage.md';

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(join(root, file), 'utf8')) as T;
}

/** The repository's tests: also those that helper files make. */
export function repositoryTests(): TestFile[] {
  return ['test', 'contracts'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
      // Samples of this very script.
      .filter((file) => !file.startsWith('test/unit/scripts/'))
      .sort()
      .map((file) => ({ file, tests: writtenTests(file, readFileSync(join(root, file), 'utf8')) })),
  );
}

/** The coverage of the repository as it is. */
export function repositoryCoverage(): ReturnType<typeof coverage> {
  return coverage(readJson<StatementList>(listFile), readJson<NotTested>(reasonsFile), repositoryTests());
}

function compare(pages: readonly string[]): number {
  const list = readJson<StatementList>(listFile);
  const listed = new Set([...Object.keys(list.statements), ...Object.keys(list.otherParts)]);
  const defined = new Set(pages.flatMap((page) => definedIds(readFileSync(page, 'utf8'))));
  const lacks = [...defined].filter((id) => !listed.has(id));
  const tooMany = [...listed].filter((id) => !defined.has(id));
  console.log(
    `The list lacks: ${lacks.join(', ') || 'nothing'}\nNot in these pages: ${tooMany.join(', ') || 'nothing'}`,
  );
  return lacks.length > 0 ? 1 : 0;
}

function main([mode, ...pages]: readonly string[]): number {
  if (mode === '--compare') return compare(pages);
  const result = repositoryCoverage();
  for (const fault of result.faults) console.error(fault);
  if (mode === '--check') {
    for (const id of result.missing) console.error(`${id} has neither a test nor a reason in ${reasonsFile}`);
    return result.faults.length + result.missing.length > 0 ? 1 : 0;
  }
  writeFileSync(join(root, pageFile), coveragePage(result));
  console.log(`${pageFile}: ${result.missing.length} statements have neither test nor reason`);
  return result.faults.length > 0 ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv.slice(2));
