import { expect } from 'vitest';
import type { Section } from '../row.ts';
import { initialized, initializeSucceeds, packageVersion } from '../rows/initialize.ts';
import {
  badRequestsDoNoHarm,
  eitherResultOrError,
  idsComeBack,
  notificationsAreNotAnswered,
  notJson,
  notJsonRpc,
  oddLinesAreRead,
  stillWorks,
  unknownMethodsAreRefused,
  unknownSession,
} from '../rows/wire.ts';

/** Table 2.1, without the rows about all of the output. */
export const initialize: Section = {
  title: '2.1 initialize, transport, JSON-RPC',
  rows: [
    initializeSucceeds,
    {
      id: 'ACP-INIT-002',
      tier: 'mandatory',
      requirement: 'a request for version 1 is answered with 1',
      async run(lab) {
        expect((await initialized(lab)).protocolVersion).toBe(1);
      },
    },
    {
      id: 'ACP-INIT-003',
      tier: 'mandatory',
      requirement: 'a request for 65535 is answered with the latest version, and the connection is a v2 one then',
      async run(lab) {
        const agent = await lab.start({ version: 2 });
        const { clientCapabilities } = lab.profile as { readonly clientCapabilities?: object };
        expect((await agent.initialize({ protocolVersion: 65535, clientCapabilities })).protocolVersion).toBe(2);
        expect(await agent.refusal('session/set_mode', {})).toBe(-32601);
        expect(await agent.refusal('auth/login', {})).toBe(-32602);
        await agent.stop();
        expect(agent.violations).toEqual([]);
      },
    },
    {
      id: 'ACP-INIT-004',
      tier: 'advisory',
      requirement: '`agentInfo` has a name, and the version of the package',
      async run(lab) {
        const { agentInfo } = await initialized(lab);
        expect(agentInfo.name).toMatch(/\S/);
        expect(agentInfo.version).toBe(packageVersion);
      },
    },
    idsComeBack,
    eitherResultOrError,
    notificationsAreNotAnswered,
    unknownMethodsAreRefused,
    {
      ...badRequestsDoNoHarm,
      async run(lab, note) {
        await oddLinesAreRead(lab, note);
        await badRequestsDoNoHarm.run(lab, note);
        await stillWorks(await lab.main());
      },
    },
    notJson,
    notJsonRpc,
    unknownSession,
  ],
};
