import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AcpVersion } from '../support/acp-schema.ts';
import { Lab } from './lab.ts';
import type { QuietRow, Row, Section, Tier } from './row.ts';

/**
 * The quiet period of S10.5. It is what is measured: nothing may arrive in it. It does not wait for anything to become
 * ready, so a slow machine cannot make a row fail.
 */
const QUIET_MS = 1_500;

const ROW_LIMIT_MS = 30_000;

/** For all events of a section together; each wait in them has a limit of its own. */
const EVENTS_LIMIT_MS = 120_000;

type Judge = Awaited<ReturnType<QuietRow['event']>>;

/** What a row came to: `passed` rejects when it failed. */
interface Verdict {
  readonly notes: string[];
  readonly passed: Promise<void>;
}

/**
 * Registers the rows of one version as tests, in the order of the tables, and checks that the tables are complete:
 * `counts` are the numbers of rows in the specification. One agent serves most of the rows; see `Lab`.
 */
export function conformance(version: AcpVersion, counts: Readonly<Record<Tier, number>>, sections: readonly Section[]) {
  describe(`ACP v${version}`, () => {
    const lab = new Lab(version);
    afterAll(() => lab.dispose());

    test('the table lists every row of the specification once', () => {
      const rows = sections.flatMap((section) => section.rows);
      expect(rows.filter(({ id }, index) => rows.findIndex((row) => row.id === id) !== index)).toEqual([]);
      const listed = Object.keys(counts).map((tier) => [tier, rows.filter((row) => row.tier === tier).length]);
      expect(Object.fromEntries(listed)).toEqual(counts);
    });

    for (const { title, rows } of sections) describe(title, () => section(lab, rows));
  });
}

function section(lab: Lab, rows: readonly Row[]): void {
  const quiet = rows.filter((row) => 'event' in row);
  const verdicts = new Map<QuietRow, Verdict>();
  if (quiet.length > 0) {
    beforeAll(async () => {
      const events = new Map<QuietRow, Promise<Judge>>();
      for (const row of quiet) {
        const event = Promise.resolve().then(() => row.event(lab));
        events.set(row, event);
        await event.catch(() => undefined);
      }
      await delay(QUIET_MS);
      // Judged now, because the rows after them go on with the same agent.
      for (const [row, event] of events) {
        const verdict = judged((note) => event.then((judge) => judge(note)));
        verdicts.set(row, verdict);
      }
    }, EVENTS_LIMIT_MS);
  }
  for (const row of rows) {
    const name = `${row.id} [${row.tier}] ${row.requirement}`;
    if ('pending' in row) {
      test.todo(`${name} (pending: ${row.pending})`);
      continue;
    }
    test(name, { timeout: ROW_LIMIT_MS }, async ({ annotate }) => {
      const verdict = 'event' in row ? verdicts.get(row) : judged((note) => row.run(lab, note));
      await verdict?.passed;
      for (const note of verdict?.notes ?? []) await annotate(note, 'seen');
    });
  }
}

function judged(judge: Judge): Verdict {
  const notes: string[] = [];
  const passed = Promise.resolve().then(() => judge((note) => notes.push(note)));
  passed.catch(() => undefined);
  return { notes, passed };
}
