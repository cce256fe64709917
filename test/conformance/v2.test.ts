import { conformance } from './suite.ts';
import { cancel } from './v2/cancel.ts';
import { extra } from './v2/extra.ts';
import { hygiene } from './v2/hygiene.ts';
import { initialize } from './v2/initialize.ts';
import { overall } from './v2/overall.ts';
import { prompts } from './v2/prompts.ts';
import { sessions } from './v2/sessions.ts';
import { transport } from './v2/transport.ts';

const counts = { mandatory: 19, capability: 51, advisory: 20, informational: 16, extra: 15 };

conformance(2, counts, [initialize, transport, sessions, prompts, cancel, hygiene, extra, overall]);
