import { expect } from 'vitest';
import type { Frame } from '../../support/acp-client.ts';
import { profiles } from '../../support/profiles.ts';
import type { Section } from '../row.ts';
import { initialized, initializer, initializeSucceeds, offeredMethods, packageVersion } from '../rows/initialize.ts';
import { alwaysHasMethods, loginWorks, logoutWorks } from '../rows/login.ts';

/** Markers that are neither objects nor null, outside of `_meta`. */
function wrongMarkers(value: unknown, path: string): readonly string[] {
  if (value === null) return [];
  if (typeof value !== 'object' || Array.isArray(value)) return [path];
  return Object.entries(value).flatMap(([key, marker]) =>
    key === '_meta' ? [] : wrongMarkers(marker, `${path}.${key}`),
  );
}

/** Table 3.1. */
export const initialize: Section = {
  title: '3.1 initialize and authentication',
  rows: [
    initializeSucceeds,
    {
      id: 'ACP-INIT-201',
      tier: 'mandatory',
      requirement: 'a request for 2 is answered with 2',
      async run(lab) {
        expect((await initialized(lab)).protocolVersion).toBe(2);
      },
    },
    {
      id: 'ACP-INIT-003',
      tier: 'mandatory',
      requirement: 'a request for 65535 or 3 is answered with 2, also when its params do not parse as v2',
      async run(lab) {
        const agent = await initializer(lab);
        for (const protocolVersion of [65535, 3]) {
          for (const params of [profiles.plainV2, profiles.plainV1, {}, { info: 7, capabilities: 'bad' }]) {
            const { protocolVersion: answered } = await agent.initialize({ ...params, protocolVersion });
            expect([protocolVersion, params, answered]).toEqual([protocolVersion, params, 2]);
          }
        }
      },
    },
    {
      id: 'ACP-INIT-202',
      tier: 'mandatory',
      requirement: 'a request for 1 never fails, with v1-shaped and v2-shaped params',
      async run(lab) {
        const requests = [profiles.plainV1, { ...profiles.plainV2, protocolVersion: 1 }];
        const answers = requests.map(async (params) => {
          const agent = await lab.start({ version: 1 });
          expect((await agent.initialize(params)).protocolVersion).toBe(1);
          await agent.stop();
          expect(agent.violations).toEqual([]);
        });
        await Promise.all(answers);
      },
    },
    {
      id: 'ACP-INIT-203',
      tier: 'mandatory',
      requirement: '`info` has a name, and the version of the package',
      async run(lab) {
        const { info } = await initialized(lab);
        expect(info.name).toMatch(/\S/);
        expect(info.version).toBe(packageVersion);
      },
    },
    {
      id: 'ACP-INIT-204',
      tier: 'mandatory',
      requirement: 'markers in `capabilities` are objects or null at every depth, never booleans',
      async run(lab) {
        const plain = await initialized(lab);
        const air = await (await initializer(lab)).initialize(profiles.airV2);
        for (const { capabilities } of [plain, air]) expect(wrongMarkers(capabilities, 'capabilities')).toEqual([]);
      },
    },
    {
      id: 'ACP-AUTH-201',
      tier: 'advisory',
      requirement: '`methodId`s are unique',
      async run(lab) {
        const [methods] = await offeredMethods(lab, [{}]);
        const ids: string[] = methods.map(({ methodId }: Frame['result']) => methodId);
        expect(ids).toEqual([...new Set(ids)]);
        expect(ids.length).toBeGreaterThan(1);
      },
    },
    {
      id: 'ACP-AUTH-202',
      tier: 'mandatory',
      requirement: 'no login method of type terminal for a client without `auth.terminal: {}`; null means no',
      async run(lab) {
        for (const methods of await offeredMethods(lab, [undefined, null, false])) {
          expect(methods.filter(({ type }: Frame['result']) => type === 'terminal')).toEqual([]);
        }
      },
    },
    logoutWorks('ACP-AUTH-203'),
    loginWorks('ACP-AUTH-204'),
    alwaysHasMethods('ACP-AUTH-205'),
    {
      id: 'ACP-AUTH-206',
      tier: 'mandatory',
      requirement: 'the `type` of each login method is `agent`, `terminal` or starts with `_`',
      async run(lab) {
        for (const methods of await offeredMethods(lab, [undefined, {}])) {
          for (const { type } of methods) expect(type).toMatch(/^(agent|terminal|_.*)$/);
        }
      },
    },
    {
      id: 'ACP-AUTH-207',
      tier: 'mandatory',
      requirement:
        'terminal methods have texts in `args` and unique names in `env`; does not apply, because none is offered',
      async run(lab) {
        const [methods] = await offeredMethods(lab, [{}]);
        expect(methods.filter(({ type }: Frame['result']) => type === 'terminal')).toEqual([]);
      },
    },
  ],
};
