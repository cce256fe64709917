import { conformance } from './suite.ts';
import { extra } from './v1/extra.ts';
import { initialize } from './v1/initialize.ts';
import { overall } from './v1/overall.ts';
import { prompts } from './v1/prompts.ts';
import { sessions } from './v1/sessions.ts';
import { settings } from './v1/settings.ts';

const counts = { mandatory: 21, capability: 19, advisory: 12, informational: 4, extra: 6 };

conformance(1, counts, [initialize, sessions, settings, prompts, extra, overall]);
