import { expect } from 'vitest';
import type { Frame } from '../../support/acp-client.ts';
import type { Lab } from '../lab.ts';
import type { CheckedRow } from '../row.ts';
import type { Session } from '../session.ts';
import { logIn } from './login.ts';

/* Modes and options: rows that both versions share (2.3 and 3.3). */

export type Option = Frame['params'];

/** Ids of options: the two versions have different keys for them. */
export function idOf(lab: Lab, option: Option): string {
  return lab.version === 1 ? option.id : option.configId;
}

/** Values of a select, flat or in groups; those of a boolean. */
export function valuesOf(option: Option): readonly (string | boolean)[] {
  if (option.type === 'boolean') return [true, false];
  return option.options.flatMap((entry: Option) => (entry.options ?? [entry]).map(({ value }: Option) => value));
}

function find(lab: Lab, options: readonly Option[], id: string): Option {
  return options.find((option) => idOf(lab, option) === id);
}

/** A session whose thread runs a model that Codex does not list. */
async function sessionWithForeignModel(lab: Lab): Promise<Session> {
  const agent = await lab.loginAgent();
  await logIn(lab, agent, 'gateway');
  return lab.session(agent);
}

export const currentValuesFit = (id: string): CheckedRow => ({
  id,
  tier: 'capability',
  requirement:
    'the current value of an option is a boolean or one of its values, also for a model that Codex does not list',
  async run(lab) {
    for (const session of [await lab.session(), await sessionWithForeignModel(lab)]) {
      const options: Option[] = session.opened.configOptions;
      expect(options.length).toBeGreaterThan(0);
      for (const option of options) expect(valuesOf(option)).toContain(option.currentValue);
    }
  },
});

export const changesAreAnsweredWhole = (id: string): CheckedRow => ({
  id,
  tier: 'capability',
  requirement:
    'session/set_config_option answers with every option advertised before; the changed one has the new value',
  async run(lab, note) {
    const session = await lab.session();
    let options: Option[] = session.opened.configOptions;
    const ids = options.map((option) => idOf(lab, option));
    for (const id of ids) {
      // The values as they are by then: those of one option may depend on another one.
      for (const value of valuesOf(find(lab, options, id))) {
        options = (await session.setOption(id, value)).configOptions;
        expect(options.map((shown) => idOf(lab, shown))).toEqual(expect.arrayContaining(ids));
        expect(find(lab, options, id).currentValue).toBe(value);
        for (const shown of options) expect(valuesOf(shown)).toContain(shown.currentValue);
      }
    }
    note(`changed to every value: ${ids.join(', ')}`);
  },
});
