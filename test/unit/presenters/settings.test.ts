import { describe, expect, it } from 'vitest';
import { settingsResult as settingsV1 } from '../../../src/adapters/acp-v1/settings-v1.ts';
import { settingsResult as settingsV2 } from '../../../src/adapters/acp-v2/settings-v2.ts';
import type { SettingsView } from '../../../src/domain/settings/session-option.ts';
import { validateAgentFrame } from '../../support/acp-schema.ts';
import { profile, profiles } from './profiles.ts';

const view: SettingsView = {
  options: [
    {
      id: 'mode',
      name: 'Mode',
      description: 'Approval and sandboxing preset for the session',
      category: 'mode',
      type: 'select',
      current: 'agent',
      grouped: true,
      recommended: null,
      values: [
        {
          id: 'sandbox-modes',
          name: 'Sandbox Modes',
          values: [{ value: 'agent', name: 'Auto review', description: 'Only ask', modeKind: 'auto_review' }],
        },
        {
          id: 'permission-profiles',
          name: 'Permission Profiles',
          values: [{ value: 'permission-profile:mine', name: 'mine', description: 'Mine' }],
        },
      ],
    },
    {
      id: 'model',
      name: 'Model',
      description: 'Model Codex uses for the session',
      category: 'model',
      type: 'select',
      current: 'a',
      grouped: false,
      recommended: 'b',
      values: [
        { value: 'a', name: 'A', description: null },
        { value: 'b', name: 'B' },
      ],
    },
    {
      id: 'reasoning_effort',
      name: 'Reasoning effort',
      description: 'How much reasoning effort the model should use',
      category: 'thought_level',
      type: 'select',
      current: 'low',
      grouped: false,
      recommended: 'gone',
      values: [{ value: 'low', name: 'Low', description: 'Fast' }],
    },
    {
      id: 'fast-mode',
      name: 'Fast mode',
      description: '1.5x speed, increased usage',
      category: 'model_config',
      type: 'switch',
      current: true,
      on: { value: 'on', name: 'On', description: '1.5x speed, increased usage' },
      off: { value: 'off', name: 'Off', description: 'Default speed, normal usage' },
    },
  ],
  modes: {
    available: [
      { id: 'agent', name: 'Auto review', description: 'Only ask', kind: 'auto_review' },
      { id: 'permission-profile:mine', name: 'mine', description: 'Mine', kind: null },
    ],
    current: 'agent',
  },
  models: { available: [{ modelId: 'a[low]', name: 'A (low)', description: 'A Fast' }], current: 'a[low]' },
};

const kind = { _meta: { jetbrains: { air: { version: 1, kind: 'auto_review' } } } };

/** The options of the view for one client: `id` and `group` are the keys of its version. */
function options(id: string, group: string, air: boolean, fast: object): object[] {
  return [
    {
      [id]: 'mode',
      name: 'Mode',
      description: 'Approval and sandboxing preset for the session',
      category: 'mode',
      type: 'select',
      currentValue: 'agent',
      options: [
        {
          [group]: 'sandbox-modes',
          name: 'Sandbox Modes',
          options: [{ value: 'agent', name: 'Auto review', description: 'Only ask', ...(air ? kind : {}) }],
        },
        {
          [group]: 'permission-profiles',
          name: 'Permission Profiles',
          options: [{ value: 'permission-profile:mine', name: 'mine', description: 'Mine' }],
        },
      ],
    },
    {
      [id]: 'model',
      name: 'Model',
      description: 'Model Codex uses for the session',
      category: 'model',
      type: 'select',
      currentValue: 'a',
      options: [
        { value: 'a', name: 'A', description: null },
        { value: 'b', name: 'B' },
      ],
      ...(air ? { _meta: { jetbrains: { air: { version: 1, recommendedValue: 'b' } } } } : {}),
    },
    {
      [id]: 'reasoning_effort',
      name: 'Reasoning effort',
      description: 'How much reasoning effort the model should use',
      category: 'thought_level',
      type: 'select',
      currentValue: 'low',
      options: [{ value: 'low', name: 'Low', description: 'Fast' }],
    },
    {
      [id]: 'fast-mode',
      name: 'Fast mode',
      description: '1.5x speed, increased usage',
      category: 'model_config',
      ...fast,
    },
  ];
}

const boolean = { type: 'boolean', currentValue: true };
const select = {
  type: 'select',
  currentValue: 'on',
  options: [
    { value: 'off', name: 'Off', description: 'Default speed, normal usage' },
    { value: 'on', name: 'On', description: '1.5x speed, increased usage' },
  ],
};
const models = {
  availableModels: [{ modelId: 'a[low]', name: 'A (low)', description: 'A Fast' }],
  currentModelId: 'a[low]',
};
const modes = (air: boolean): object => ({
  availableModes: [
    { id: 'agent', name: 'Auto review', description: 'Only ask', ...(air ? kind : {}) },
    { id: 'permission-profile:mine', name: 'mine', description: 'Mine' },
  ],
  currentModeId: 'agent',
});
const hidden = { info: { name: 'JetBrains', title: null, version: '2026.1', hidesConfigOptions: true } };

describe('settings in the answer to a session setup', () => {
  it('S2.38 S2.62 S2.75 S2.82 S2.101 plain v1: a switch is a list', () => {
    expect(settingsV1(view, profiles.plainV1)).toEqual({
      modes: modes(false),
      models,
      configOptions: options('id', 'group', false, select),
    });
  });

  it('S2.62 S2.79 S2.80 AIR v1 with booleans: kinds and recommendations', () => {
    expect(settingsV1(view, { ...profiles.airV1, booleanOptions: true })).toEqual({
      modes: modes(true),
      models,
      configOptions: options('id', 'group', true, boolean),
    });
  });

  it('S2.79 AIR without the capability gets no recommendation', () => {
    const json = JSON.stringify(settingsV1(view, profiles.airNoneV1));
    expect(json).not.toContain('recommendedValue');
    expect(json).toContain('"kind":"auto_review"');
  });

  it('S2.42 S2.72 v2 has options only, with its own keys and always booleans', () => {
    expect(settingsV2(view, profiles.plainV2)).toEqual({
      configOptions: options('configId', 'groupId', false, boolean),
    });
    expect(settingsV2(view, profiles.airV2)).toEqual({ configOptions: options('configId', 'groupId', true, boolean) });
  });

  it('S2.74 the JetBrains 2026.1 client gets no options', () => {
    expect(settingsV1(view, profile(1, 'snapshots', hidden))).toEqual({ modes: modes(false), models });
    expect(settingsV2(view, profile(2, 'terminals', hidden))).toEqual({});
  });

  it('S4.126 the answers fit the schema of their version', () => {
    const frame = (result: object): object => ({ jsonrpc: '2.0', id: 1, result: { sessionId: 's1', ...result } });
    expect(validateAgentFrame(1, frame(settingsV1(view, profiles.airV1)), 'session/new')).toEqual([]);
    expect(validateAgentFrame(2, frame(settingsV2(view, profiles.airV2)), 'session/new')).toEqual([]);
  });
});
