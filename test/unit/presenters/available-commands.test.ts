import { describe, expect, it } from 'vitest';
import { availableCommands as commandsV1 } from '../../../src/adapters/acp-v1/available-commands.ts';
import { availableCommands as commandsV2 } from '../../../src/adapters/acp-v2/available-commands.ts';
import type { AvailableCommand } from '../../../src/domain/commands/available-command.ts';
import { validateAgentFrame } from '../../support/acp-schema.ts';
import type { Flow } from './flow.ts';
import { goldenFlows } from './flow.ts';
import { profiles } from './profiles.ts';

const action = {
  kind: 'setConfigOption',
  configId: 'collaboration_mode',
  value: 'plan',
  resetValue: 'default',
  presentation: 'state',
};
const commands: readonly AvailableCommand[] = [
  { name: 'plan', description: 'Turn plan mode on.', hint: null, action },
  { name: 'rename', description: 'Rename the current session.', hint: 'new name' },
  { name: '$review', description: 'Reviews', hint: null, skillPath: '/skills/review/SKILL.md' },
];
const air = (payload: object): object => ({ _meta: { jetbrains: { air: { version: 1, ...payload } } } });
const update = (...availableCommands: object[]): Record<string, unknown> => ({
  sessionUpdate: 'available_commands_update',
  availableCommands,
});

const plan = { name: 'plan', description: 'Turn plan mode on.', input: null };
const rename = { name: 'rename', description: 'Rename the current session.', input: { hint: 'new name' } };
const skill = { name: '$review', description: 'Reviews', input: null };
const airPlan = { ...plan, ...air({ commandAction: action }) };
const airSkill = { ...skill, ...air({ skillPath: '/skills/review/SKILL.md' }) };
const type = 'command';
const renameV2 = { ...rename, type, input: { type: 'text', hint: 'new name' } };

const flows: readonly Flow[] = [
  {
    name: 'S2.116 S2.117 S2.132 S2.142 S11.10 the command list, whole and in its order; what AIR does with it is for AIR',
    events: [
      { type: 'commands', commands },
      { type: 'commands', commands: [] },
    ],
    frames: {
      'airV1 airNoneV1': [update(airPlan, rename, airSkill), update()],
      plainV2: [update({ ...plan, type }, renameV2, { ...skill, type }), update()],
      airV2: [update({ ...airPlan, type }, renameV2, { ...airSkill, type }), update()],
      rest: [update(plan, rename, skill), update()],
    },
  },
];

goldenFlows(flows);

describe('the command list', () => {
  it.each(['plainV2', 'airV2'] as const)('S11.41 S2.42 fits the answer to a v2 setup: %s', (name) => {
    const availableCommands = commandsV2(commands, profiles[name]);
    const frame = { jsonrpc: '2.0', id: 1, result: { sessionId: 's', configOptions: [], availableCommands } };
    expect(validateAgentFrame(2, frame, 'session/new')).toEqual([]);
    expect(availableCommands[1]).toEqual(renameV2);
  });

  it('S2.117 both keys of a command are told', () => {
    const [both] = commandsV1([{ name: 'x', description: 'X', hint: null, action, skillPath: '/x' }], profiles.airV1);
    expect(both).toEqual({
      name: 'x',
      description: 'X',
      input: null,
      ...air({ commandAction: action, skillPath: '/x' }),
    });
  });
});
