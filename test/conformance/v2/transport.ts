import { expect } from 'vitest';
import type { Row, Section } from '../row.ts';
import { arrayIsRefusedAtFirst } from '../rows/initialize.ts';
import {
  arrayIdsStayFree,
  arrayIsRefused,
  badRequestsDoNoHarm,
  eitherResultOrError,
  idsComeBack,
  notificationsAreNotAnswered,
  notJson,
  oddLinesAreRead,
  unknownMethodsAreRefused,
} from '../rows/wire.ts';

const withdrawn = (id: string, requirement: string): Row => ({
  id,
  tier: 'informational',
  requirement,
  pending: 'withdrawn together with JSON-RPC batches (S10.30); always skipped',
});

/** Table 3.2, without the rows about all of the output. */
export const transport: Section = {
  title: '3.2 transport and JSON-RPC',
  rows: [
    idsComeBack,
    eitherResultOrError,
    notificationsAreNotAnswered,
    unknownMethodsAreRefused,
    {
      ...badRequestsDoNoHarm,
      async run(lab, note) {
        await oddLinesAreRead(lab, note);
        await badRequestsDoNoHarm.run(lab, note);
      },
    },
    {
      id: 'ACP-BATCH-201',
      tier: 'mandatory',
      requirement: '`[]` gets one -32600 with `id: null`, before initialize too',
      async run(lab) {
        await arrayIsRefusedAtFirst(lab);
        await arrayIsRefused(await lab.main(), 'empty');
      },
    },
    {
      id: 'ACP-BATCH-202',
      tier: 'mandatory',
      requirement: 'nothing in an array of notifications is answered one by one; the array gets the one -32600',
      async run(lab) {
        await arrayIsRefused(await lab.main(), 'notifications');
      },
    },
    {
      id: 'ACP-BATCH-203',
      tier: 'advisory',
      requirement: 'an array with invalid entries gets the one -32600',
      async run(lab) {
        const agent = await lab.main();
        await arrayIsRefused(agent, 'invalid');
        await arrayIsRefused(agent, 'nested');
      },
    },
    {
      id: 'ACP-BATCH-204',
      tier: 'advisory',
      requirement: 'an array with requests gets the one -32600, and none of them runs',
      async run(lab) {
        const agent = await lab.main();
        await arrayIsRefused(agent, 'requests');
      },
    },
    arrayIdsStayFree,
    withdrawn('ACP-BATCH-206', 'order of the answers in a batch'),
    withdrawn('ACP-BATCH-207', 'batches sent by the agent'),
    withdrawn('ACP-BATCH-208', 'lifecycle methods in batches'),
    {
      id: 'ACP-INFO-BATCH-201',
      tier: 'informational',
      requirement: 'an array that is not JSON gets -32700 with `id: null`',
      async run(lab, note) {
        const agent = await lab.main();
        const replies = await agent.refusals(['[{"jsonrpc":"2.0","id":1,', '[1,2']);
        note(JSON.stringify(replies[0]));
        expect(replies.map(({ error }) => error?.code)).toEqual([-32700, -32700]);
      },
    },
    {
      id: 'ACP-INFO-BATCH-202',
      tier: 'informational',
      requirement: 'an array that mixes calls and responses gets the one -32600',
      async run(lab, note) {
        note(JSON.stringify(await arrayIsRefused(await lab.main(), 'mixed')));
      },
    },
    notJson,
  ],
};
