import { describe, expect, test } from 'vitest';
import { citedIds, definedIds } from '../../../scripts/spec-coverage/citations.ts';
import { coverage, coveragePage, type StatementList } from '../../../scripts/spec-coverage/coverage.ts';
import { writtenTests } from '../../../scripts/spec-coverage/test-titles.ts';
import { repositoryCoverage, repositoryTests } from '../../../scripts/spec-coverage.ts';

const titles = (source: string): string[] => writtenTests('sample.test.ts', source).map(({ title }) => title);

describe('the tests of a source file', () => {
  test('have the titles of the blocks around them, and a line', () => {
    const source =
      "describe('S3.1 block', () => {\n  it('does', () => {});\n  describe('inner', () => { test('more', fn); });\n});";
    expect(writtenTests('sample.test.ts', source)).toEqual([
      { title: 'S3.1 block does', line: 2 },
      { title: 'S3.1 block inner more', line: 3 },
    ]);
  });

  test('have both arms of a choice, templates and joined texts', () => {
    expect(titles("test(a ? 'S3.1 one' : 'S3.2 two', fn)")).toEqual(['S3.1 one S3.2 two']);
    const template = ['test(`S3.1 $', '{name} S3.3`, fn)'].join('');
    expect(titles(template)).toEqual([expect.stringMatching(/^S3\.1 .* S3\.3/)]);
    expect(titles("test('S3.1 ' + 'S3.2', fn)")).toEqual(['S3.1  S3.2']);
  });

  test('of a table are one, with the texts of the table when the title takes them', () => {
    expect(titles("test.each([['S3.5', 1], ['S3.6', 2]])('S3.4 %s', fn)")).toEqual(['S3.4 %s S3.5 S3.6']);
    expect(titles("test.each([['S3.5', 1]])('S3.4 fixed', fn)")).toEqual(['S3.4 fixed']);
    const named = "const cases = [{ name: 'S3.5 x' }];\nconst more = [...cases];\ntest.for(more)('S3.4 $name', fn)";
    expect(titles(named)).toEqual(['S3.4 $name S3.5 x']);
    expect(titles("describe.each([1, 2] as const)('v%i', (v) => { test.runIf(v === 2)('S3.4', fn); });")).toEqual([
      'v%i S3.4',
    ]);
  });

  test('that never run are none', () => {
    const source = "test.todo('S3.1');\ntest.skip('S3.2', fn);\ndescribe.skip('S3.3', () => { test('S3.4', fn); });";
    expect(titles(source)).toEqual([]);
  });

  test('are told from other calls', () => {
    expect(
      titles("/S3/.test('S3.1'); lab.test('S3.2'); const test2 = test.extend({ a: 'S3.3' }); run('S3.4');"),
    ).toEqual([]);
  });

  test('cannot be read from a file that is no source', () => {
    expect(() => titles('test(')).toThrow('sample.test.ts: ');
  });
});

describe('cited ids', () => {
  const known = [
    'S3.39',
    'S3.39a',
    'S3.40v1',
    'S3.40',
    'S3.41',
    'S3.44',
    'S3.104',
    'S3.105',
    'S3.106',
    'R1',
    'R2',
    'R3',
  ];

  test.each([
    ['S3.40 a thing', ['S3.40']],
    ['S3.39a and S3.40v1', ['S3.39a', 'S3.40v1']],
    ['S3.40, S3.41: both (R1)', ['S3.40', 'S3.41', 'R1']],
    ['S3.104 to S3.106', ['S3.104', 'S3.105', 'S3.106']],
    ['S3.104-S3.106 S3.104', ['S3.104', 'S3.105', 'S3.106']],
    ['R1–R3', ['R1', 'R2', 'R3']],
    ['S3.41 to S3.44', ['S3.41', 'S3.44']],
    ['at the end of a sentence S3.40.', ['S3.40']],
    ['C001 T15', ['C001', 'T15']],
    ['S12.5 S12.8 S8.63-S8.69 S4.1', ['S12.5']],
    ['S3 12.2, S3.4.5, xS3.40, HTTP401, P1, T150, C0010', []],
  ])('of %j', (text, ids) => {
    expect(citedIds(text, known)).toEqual(ids);
  });

  test('an unknown id is cited all the same', () => {
    expect(citedIds('S3.999 R99', known)).toEqual(['S3.999', 'R99']);
  });

  test('a page defines ids in bold and in tables', () => {
    const page =
      '- **S3.1** One (S3.9).\n- **S12.5 A lost end** x\n- **S12.8 Other**\n| R1 | race |\n| S3.2 | no |\n**C001** x';
    expect(definedIds(page)).toEqual(['S3.1', 'S12.5', 'C001', 'R1']);
  });
});

describe('coverage', () => {
  const list: StatementList = {
    statements: { 'S3.1': 'First', 'S3.2': 'Second | half', R1: 'Race' },
    otherParts: { C015: 'Other', C016: 'Untested' },
  };
  const file = (...names: readonly string[]) => ({
    file: 'test/a.test.ts',
    tests: names.map((title, index) => ({ title, line: index + 1 })),
  });

  test('counts tests by file and statement', () => {
    const { rows, faults, missing } = coverage(list, { R1: 'Chance.' }, [
      file('S3.1 a', 'S3.1 b C015'),
      { file: 'test/b.test.ts', tests: [{ title: 'S3.1 c', line: 1 }] },
    ]);
    expect(rows.map(({ id, tests }) => [id, Object.fromEntries(tests)])).toEqual([
      ['S3.1', { 'test/a.test.ts': 2, 'test/b.test.ts': 1 }],
      ['S3.2', {}],
      ['R1', {}],
      ['C015', { 'test/a.test.ts': 1 }],
    ]);
    expect(faults).toEqual([]);
    expect(missing).toEqual(['S3.2']);
  });

  test('unknown ids are faults, in tests and in reasons; so is a reason for what has a test', () => {
    const { faults } = coverage(list, { 'S3.9': 'Gone.', 'S3.1': 'Hard.' }, [file('S3.1 a', 'S3.3 b')]);
    expect(faults).toEqual([
      'test/a.test.ts:2 cites S3.3, which is no statement',
      'not-tested.json names S3.9, which is no statement',
      'not-tested.json gives a reason for S3.1, which has a test',
    ]);
  });

  test('is written as a table', () => {
    const page = coveragePage(coverage(list, { R1: 'Chance.' }, [file('S3.1 a')]));
    expect(page).toContain('1 statements have tests, 1 have a reason for none, 1 have neither.');
    expect(page).toContain('| S3.1 | First | `test/a.test.ts` (1) |\n');
    expect(page).toContain('| S3.2 | Second \\| half | **none** |\n');
    expect(page).toContain('| R1 | Race | no test: Chance. |\n');
  });
});

test('the tests of the repository are found', () => {
  const files = repositoryTests();
  const here = files.find(({ file }) => file === 'test/unit/usage/usage-meter.test.ts');
  expect(here?.tests.length).toBeGreaterThan(0);
  expect(files.some(({ file }) => file.startsWith('contracts/'))).toBe(true);
});

test('every statement of the repository has a test or a reason for none', () => {
  const { faults, missing } = repositoryCoverage();
  expect({ faults, missing }).toEqual({ faults: [], missing: [] });
});
