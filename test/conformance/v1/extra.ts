import { expect } from 'vitest';
import type { Section } from '../row.ts';
import {
  endOfInputEndsCommands,
  expectNextPromptWorks,
  expectReadable,
  failTurn,
  sessionsDoNotMix,
  wideTurnFits,
} from '../rows/extra.ts';
import { arrayIsRefusedAtFirst } from '../rows/initialize.ts';
import { arrayIsRefused } from '../rows/wire.ts';
import { phases } from '../rows/work.ts';

/** Section 4: rules of ours that hold on v1. */
export const extra: Section = {
  title: '4. rules of ours',
  rows: [
    wideTurnFits,
    {
      id: 'ACP-X-BATCH',
      tier: 'extra',
      requirement: 'an array gets one -32600 with `id: null`, also before initialize, and nothing in it runs',
      async run(lab) {
        await arrayIsRefusedAtFirst(lab);
        const agent = await lab.main();
        for (const kind of ['empty', 'notifications', 'invalid', 'requests', 'mixed', 'nested'] as const) {
          await arrayIsRefused(agent, kind);
        }
      },
    },
    {
      id: 'ACP-X-CANCELREQ',
      tier: 'extra',
      requirement:
        '`$/cancel_request` for a running prompt leads to `cancelled` (S3.59); the session takes the next prompt',
      async run(lab) {
        const { session, turn } = await phases['while the model streams'](lab);
        session.agent.notify('$/cancel_request', { requestId: turn.requestId });
        expect((await turn.ended()).stopReason).toBe('cancelled');
        await expectNextPromptWorks(session);
      },
    },
    {
      id: 'ACP-X-FAILTURN',
      tier: 'extra',
      requirement: 'a turn that the model refuses ends, with a text a user can read; the next prompt works',
      async run(lab) {
        const { session, turn, shown } = await failTurn(lab);
        expect((await turn.ended()).stopReason).toBe('end_turn');
        expectReadable(shown());
        await expectNextPromptWorks(session);
      },
    },
    sessionsDoNotMix,
    endOfInputEndsCommands,
  ],
};
