import { expect, it } from 'vitest';
import { optionsDiffer, sessionOptions, settingsView } from '../../../src/domain/settings/option-list.ts';
import type { SessionSettings } from '../../../src/domain/settings/session-settings.ts';
import { model, models, settings } from './settings-facts.ts';

function option(current: SessionSettings, id: string) {
  return sessionOptions(current).find((offered) => offered.id === id);
}

function ids(current: SessionSettings): readonly string[] {
  return sessionOptions(current).map(({ id }) => id);
}

it('S2.72 S2.78 lists every option in order', () => {
  expect(sessionOptions(settings())).toEqual([
    {
      id: 'mode',
      name: 'Mode',
      description: 'Approval and sandboxing preset for the session',
      category: 'mode',
      type: 'select',
      current: 'agent',
      grouped: false,
      recommended: null,
      values: [
        {
          value: 'read-only',
          name: 'Read-only',
          description: 'Requires approval to edit files and access the internet.',
          modeKind: 'standard',
        },
        {
          value: 'workspace-write',
          name: 'Workspace access',
          description: 'Edit workspace files; ask before writing outside the workspace or accessing the network.',
          modeKind: 'standard',
        },
        {
          value: 'agent',
          name: 'Auto review',
          description: 'Only ask for actions detected as potentially unsafe',
          modeKind: 'auto_review',
        },
        {
          value: 'agent-full-access',
          name: 'Full access',
          description: 'Unrestricted access to the internet and any file on your computer',
          modeKind: 'full_access',
        },
      ],
    },
    {
      id: 'collaboration_mode',
      name: 'Collaboration mode',
      description: 'How Codex collaborates for subsequent turns',
      category: 'collaboration_mode',
      type: 'select',
      current: 'default',
      grouped: false,
      recommended: null,
      values: [
        { value: 'default', name: 'Default' },
        { value: 'plan', name: 'Plan', description: 'Plan before making changes' },
      ],
    },
    {
      id: 'model',
      name: 'Model',
      description: 'Model Codex uses for the session',
      category: 'model',
      type: 'select',
      current: 'gpt-6.1-sol',
      grouped: false,
      recommended: 'gpt-6.1-sol',
      values: [
        { value: 'gpt-6.1-sol', name: '6.1 Sol', description: 'About gpt-6.1-sol.' },
        { value: 'gpt-6-astra', name: '6 Astra', description: 'About gpt-6-astra.' },
        { value: 'vega', name: 'Vega mini', description: 'About vega.' },
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
      recommended: 'low',
      values: [
        { value: 'low', name: 'Low', description: 'Fast' },
        { value: 'medium', name: 'Medium', description: 'Balanced' },
        { value: 'high', name: 'High', description: 'Deep' },
      ],
    },
    {
      id: 'fast-mode',
      name: 'Fast mode',
      description: '1.5x speed, increased usage',
      category: 'model_config',
      type: 'switch',
      current: false,
      on: { value: 'on', name: 'On', description: '1.5x speed, increased usage' },
      off: { value: 'off', name: 'Off', description: 'Default speed, normal usage' },
    },
  ]);
});

it('S2.73 S2.86 shows an option only when it has a meaning', () => {
  expect(ids({ ...settings(), model: 'gpt-6-astra' })).not.toContain('fast-mode');
  expect(ids({ ...settings(), model: 'house-model' })).toEqual(['mode', 'collaboration_mode', 'model']);
  expect(ids(settings({ models: [] }))).toEqual(['mode', 'collaboration_mode']);
  expect(ids(settings({ models: [model('gpt-6.1-sol', { efforts: [] })] }))).not.toContain('reasoning_effort');
});

it('S2.75 groups the modes when there is a profile', () => {
  const grouped = option(settings({ profiles: [{ id: 'team', description: 'Team rules' }] }), 'mode');
  expect(grouped).toMatchObject({
    grouped: true,
    values: [
      { id: 'sandbox-modes', name: 'Sandbox Modes', values: [{ value: 'read-only' }, {}, {}, {}] },
      {
        id: 'permission-profiles',
        name: 'Permission Profiles',
        values: [{ value: 'permission-profile:team', name: 'team', description: 'Team rules' }],
      },
    ],
  });
  expect(JSON.stringify(grouped)).not.toContain(
    '"value":"permission-profile:team","name":"team","description":"Team rules","modeKind"',
  );
});

it('S2.76 puts an unlisted current model first', () => {
  expect(option({ ...settings(), model: 'gpt-house-model' }, 'model')).toMatchObject({
    current: 'gpt-house-model',
    values: [{ value: 'gpt-house-model', name: 'House Model', description: null }, {}, {}, {}],
  });
});

it('C060 shows an effort of the config that the model does not list', () => {
  expect(option({ ...settings(), effort: 'xhigh' }, 'reasoning_effort')).toMatchObject({
    current: 'xhigh',
    values: [{ value: 'xhigh', name: 'Xhigh' }, { value: 'low' }, {}, {}],
  });
});

it('S2.79 recommends the default model and the default effort of the current one, if offered', () => {
  const other = { ...settings(), model: 'gpt-6-astra', effort: 'ultra' };
  expect(option(other, 'model')).toMatchObject({ current: 'gpt-6-astra', recommended: 'gpt-6.1-sol' });
  expect(option(other, 'reasoning_effort')).toMatchObject({ current: 'ultra', recommended: 'high' });
  const odd = settings({ models: [model('gpt-6.1-sol', { defaultEffort: 'max' })] });
  expect(option(odd, 'model')).toMatchObject({ recommended: null });
  expect(option(odd, 'reasoning_effort')).toMatchObject({ recommended: null });
});

it('S2.62 S2.100 S2.101 gives v1 modes and one legacy model per effort', () => {
  const view = settingsView(settings({ models: models.slice(0, 2) }));
  expect(view.modes.current).toBe('agent');
  expect(view.modes.available.map(({ id }) => id)).toEqual([
    'read-only',
    'workspace-write',
    'agent',
    'agent-full-access',
  ]);
  expect(view.models).toEqual({
    current: 'gpt-6.1-sol[low]',
    available: [
      { modelId: 'gpt-6.1-sol[low]', name: '6.1 Sol (low)', description: 'About gpt-6.1-sol. Fast' },
      { modelId: 'gpt-6.1-sol[medium]', name: '6.1 Sol (medium)', description: 'About gpt-6.1-sol. Balanced' },
      { modelId: 'gpt-6.1-sol[high]', name: '6.1 Sol (high)', description: 'About gpt-6.1-sol. Deep' },
      { modelId: 'gpt-6-astra[high]', name: '6 Astra (high)', description: 'About gpt-6-astra. Deep' },
      { modelId: 'gpt-6-astra[ultra]', name: '6 Astra (ultra)', description: 'About gpt-6-astra. Deepest' },
    ],
  });
});

it('S2.98 tells only of a list that changed', () => {
  const before = sessionOptions(settings());
  expect(optionsDiffer(before, sessionOptions(settings()))).toBe(false);
  expect(optionsDiffer(before, sessionOptions({ ...settings(), mode: 'read-only' }))).toBe(true);
  const hidden = { ...settings(), model: 'gpt-6-astra' };
  expect(optionsDiffer(sessionOptions(hidden), sessionOptions({ ...hidden, fast: true }))).toBe(false);
});
