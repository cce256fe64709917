import { later, type Section } from '../row.ts';
import { resumes, tellsNoHistory } from '../rows/resume.ts';
import { closeCancels, idleSessionCloses, sessionOpens, sessionsDiffer, takesExtraFolder } from '../rows/sessions.ts';

/** Table 2.2. */
export const sessions: Section = {
  title: '2.2 sessions',
  rows: [
    sessionOpens('mandatory'),
    sessionsDiffer('mandatory'),
    {
      id: 'ACP-LOAD-001',
      tier: 'capability',
      requirement: 'session/load of a known session succeeds, from another process and again while it is open',
      pending: later.load,
    },
    {
      id: 'ACP-LOAD-002',
      tier: 'capability',
      requirement: 'all replayed updates precede the response, and nothing for the session follows it',
      pending: later.load,
    },
    {
      id: 'ACP-LOAD-003',
      tier: 'advisory',
      requirement: 'an empty result is `{}`; works for a session never prompted',
      pending: later.load,
    },
    resumes(
      'ACP-RESUME-001',
      'session/resume without `mcpServers` succeeds, also for a session never prompted, and the session works',
    ),
    tellsNoHistory('ACP-RESUME-002', 'no history update comes before the response', [{}]),
    {
      id: 'ACP-LIST-001',
      tier: 'capability',
      requirement: 'session/list with `{}` gives a valid result',
      pending: later.list,
    },
    {
      id: 'ACP-LIST-002',
      tier: 'capability',
      requirement: 'a `cwd` that nobody used gives an empty list',
      pending: later.list,
    },
    {
      id: 'ACP-DELETE-001',
      tier: 'capability',
      requirement: 'session/delete of a session of this connection returns an empty object, prompted or not',
      pending: later.remove,
    },
    {
      id: 'ACP-DELETE-002',
      tier: 'advisory',
      requirement: 'deleting what is gone or never existed succeeds',
      pending: later.remove,
    },
    idleSessionCloses('ACP-CLOSE-001'),
    closeCancels('ACP-CLOSE-002'),
    takesExtraFolder('ACP-ADDDIRS-001'),
  ],
};
