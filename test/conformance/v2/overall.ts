import { expect } from 'vitest';
import type { Section } from '../row.ts';
import { exercise } from '../rows/exercise.ts';
import {
  clientRequests,
  errorsAreOneLine,
  everyLineIsOneObject,
  everythingFitsTheSchema,
  exitsInTime,
  neverElicits,
  noForeignKeys,
  outputIsUtf8,
  stderrIsQuiet,
} from '../rows/overall.ts';

/** Rows of 3.1, 3.2, 3.4 and 3.6 about all of the output; they end the shared agent. */
export const overall: Section = {
  title: 'over all messages, to the end of the process',
  rows: [
    everythingFitsTheSchema('every message of initialize, and of everything after it, fits the schema'),
    noForeignKeys,
    neverElicits('ACP-CLIENTCAP-201', 'capability'),
    {
      id: 'ACP-CLIENTCAP-202',
      tier: 'capability',
      requirement: 'requests to the client are defined ones or start with `_`',
      async run(lab) {
        const requests = await clientRequests(lab);
        expect(requests.filter((method) => method !== 'session/request_permission' && !method.startsWith('_'))).toEqual(
          [],
        );
      },
    },
    errorsAreOneLine,
    stderrIsQuiet,
    exitsInTime,
    everyLineIsOneObject('ACP-TRANSPORT-201'),
    outputIsUtf8,
    {
      id: 'ACP-TRANSPORT-203',
      tier: 'mandatory',
      requirement: 'one message per line, no line break inside',
      async run(lab) {
        await exercise(lab);
        const { lines, received } = await lab.main();
        expect(lines).toHaveLength(received.length);
        expect(lines.filter((line) => /[\r\n]/.test(line))).toEqual([]);
      },
    },
  ],
};
