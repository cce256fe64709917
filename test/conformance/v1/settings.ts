import { expect } from 'vitest';
import type { Frame } from '../../support/acp-client.ts';
import type { Section } from '../row.ts';
import { offeredMethods } from '../rows/initialize.ts';
import { alwaysHasMethods, loginWorks, logoutWorks } from '../rows/login.ts';
import { changesAreAnsweredWhole, currentValuesFit, type Option } from '../rows/settings.ts';
import type { Session } from '../session.ts';

/** The current mode as the option list of the session's last update shows it. */
function shownMode(session: Session): unknown {
  const updates = session.updates().filter(({ sessionUpdate }) => sessionUpdate === 'config_option_update');
  return updates.at(-1)?.configOptions.find(({ id }: Option) => id === 'mode').currentValue;
}

/** Table 2.3. */
export const settings: Section = {
  title: '2.3 modes, options, login',
  rows: [
    {
      id: 'ACP-MODES-001',
      tier: 'capability',
      requirement: '`currentModeId` is one of `availableModes`',
      async run(lab) {
        const { availableModes, currentModeId } = (await lab.session()).opened.modes;
        expect(availableModes.map(({ id }: { id: string }) => id)).toContain(currentModeId);
      },
    },
    {
      id: 'ACP-MODES-002',
      tier: 'capability',
      requirement: 'session/set_mode to another mode succeeds and shows in the mode option (S2.64)',
      async run(lab) {
        const session = await lab.session();
        const { availableModes, currentModeId } = session.opened.modes;
        for (const { id: modeId } of availableModes.filter(({ id }: { id: string }) => id !== currentModeId)) {
          expect(await session.agent.request('session/set_mode', { sessionId: session.id, modeId })).toEqual({});
          expect(shownMode(session)).toBe(modeId);
        }
        // The other way round: the mode that the option sets is one of the modes.
        await session.setOption('mode', currentModeId);
        const unknown = { sessionId: session.id, modeId: 'no-such-mode' };
        expect(await session.agent.refusal('session/set_mode', unknown)).toBe(-32602);
        for (const update of session.updates()) {
          if (update.sessionUpdate === 'current_mode_update') expect(update.currentModeId).toMatch(/\S/);
        }
      },
    },
    currentValuesFit('ACP-CONFIG-001'),
    changesAreAnsweredWhole('ACP-CONFIG-002'),
    {
      id: 'ACP-CONFIG-003',
      tier: 'mandatory',
      requirement:
        'no option of type boolean for a client without `session.configOptions.boolean`, in answers and updates',
      async run(lab) {
        const session = await lab.session();
        const opened: Option[] = session.opened.configOptions;
        const shown = [opened];
        for (const { id, currentValue, options } of opened) {
          const other = options?.find(({ value }: Option) => value !== currentValue)?.value ?? currentValue;
          shown.push((await session.setOption(id, other)).configOptions);
        }
        const updates = session.updates().filter(({ sessionUpdate }) => sessionUpdate === 'config_option_update');
        expect(updates).not.toEqual([]);
        for (const { configOptions } of updates) shown.push(configOptions);
        expect(shown.flat().filter(({ type }: Option) => type !== 'select')).toEqual([]);
      },
    },
    {
      id: 'ACP-AUTH-001',
      tier: 'advisory',
      requirement: 'ids in `authMethods` are unique',
      async run(lab) {
        const [methods] = await offeredMethods(lab, [true]);
        const ids: string[] = methods.map(({ id }: Frame['result']) => id);
        expect(ids).toEqual([...new Set(ids)]);
        expect(ids.length).toBeGreaterThan(1);
      },
    },
    {
      id: 'ACP-AUTH-002',
      tier: 'mandatory',
      requirement: 'no login method of type terminal for a client without `auth.terminal: true`',
      async run(lab) {
        for (const methods of await offeredMethods(lab, [undefined, false, null, {}])) {
          expect(methods.filter(({ type }: Frame['result']) => type === 'terminal')).toEqual([]);
        }
      },
    },
    loginWorks('ACP-AUTH-003'),
    logoutWorks('ACP-AUTH-004'),
    alwaysHasMethods('ACP-AUTH-005'),
  ],
};
