import type { Section } from '../row.ts';
import {
  errorsAreOneLine,
  everyLineIsOneObject,
  everythingFitsTheSchema,
  exitsInTime,
  neverElicits,
  neverRequests,
  noForeignKeys,
  outputIsUtf8,
  stderrIsQuiet,
} from '../rows/overall.ts';

/** Rows of 2.1 and 2.4 about all of the output; they end the shared agent. */
export const overall: Section = {
  title: 'over all messages, to the end of the process',
  rows: [
    neverRequests('ACP-CLIENTCAP-001', 'fs/'),
    neverRequests('ACP-CLIENTCAP-002', 'terminal/'),
    neverElicits('ACP-CLIENTCAP-003', 'mandatory'),
    everythingFitsTheSchema('every message of initialize, login, session/new and prompts fits the schema'),
    noForeignKeys,
    errorsAreOneLine,
    stderrIsQuiet,
    exitsInTime,
    everyLineIsOneObject('ACP-TRANSPORT-001'),
    outputIsUtf8,
  ],
};
