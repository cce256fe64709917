import { agentModes, profileModes, sandboxModes } from './agent-mode.ts';
import { capitalised, modelIdWithEffort, shownModelName, supportsEffort } from './model-choice.ts';
import type { ModelInfo } from './model-info.ts';
import type { ModeOption, OptionGroup, OptionValue, SessionOption, SettingsView } from './session-option.ts';
import type { SessionSettings } from './session-settings.ts';
import { modelInUse } from './session-settings.ts';

/** The options of a session, by id (S2.72). */
export type OptionId = 'mode' | 'collaboration_mode' | 'model' | 'reasoning_effort' | 'fast-mode';

/** What a client is told about the settings (S2.38, S2.62, S2.72, S2.101). */
export function settingsView(settings: SessionSettings): SettingsView {
  return {
    options: sessionOptions(settings),
    modes: { available: agentModes(settings.profiles), current: settings.mode },
    models: { available: settings.models.flatMap(legacyModels), current: modelIdWithEffort(settings) },
  };
}

/** The options that the session offers now, in order (S2.72, S2.73). */
export function sessionOptions(settings: SessionSettings): readonly SessionOption[] {
  const model = modelInUse(settings);
  return [
    modeOption(settings),
    collaborationOption(settings),
    ...(settings.models.length > 0 ? [modelOption(settings)] : []),
    ...(model !== null && model.efforts.length > 0 ? [effortOption(settings, model)] : []),
    ...(model?.supportsFast ? [fastOption(settings)] : []),
  ];
}

/** True when clients must be told: the JSON of the lists differs (S2.98). */
export function optionsDiffer(one: readonly SessionOption[], other: readonly SessionOption[]): boolean {
  return JSON.stringify(one) !== JSON.stringify(other);
}

function modeOption({ mode, profiles }: SessionSettings): SessionOption {
  const base = {
    id: 'mode',
    name: 'Mode',
    description: 'Approval and sandboxing preset for the session',
    category: 'mode',
    type: 'select',
    current: mode,
    recommended: null,
  } as const;
  const sandboxValues = sandboxModes.map(modeValue);
  if (profiles.length === 0) return { ...base, values: sandboxValues, grouped: false };
  const groups: readonly OptionGroup[] = [
    { id: 'sandbox-modes', name: 'Sandbox Modes', values: sandboxValues },
    { id: 'permission-profiles', name: 'Permission Profiles', values: profileModes(profiles).map(modeValue) },
  ];
  return { ...base, values: groups, grouped: true };
}

function modeValue({ id, name, description, kind }: ModeOption): OptionValue {
  return { value: id, name, description, ...(kind === null ? {} : { modeKind: kind }) };
}

function collaborationOption({ collaborationMode }: SessionSettings): SessionOption {
  return {
    id: 'collaboration_mode',
    name: 'Collaboration mode',
    description: 'How Codex collaborates for subsequent turns',
    category: 'collaboration_mode',
    type: 'select',
    current: collaborationMode,
    values: [
      { value: 'default', name: 'Default' },
      { value: 'plan', name: 'Plan', description: 'Plan before making changes' },
    ],
    grouped: false,
    recommended: null,
  };
}

function modelOption(settings: SessionSettings): SessionOption {
  const listed = settings.models.map((model) => ({
    value: model.id,
    name: modelName(model),
    description: model.description,
  }));
  const unlisted = { value: settings.model, name: shownModelName(settings.model), description: null };
  return {
    id: 'model',
    name: 'Model',
    description: 'Model Codex uses for the session',
    category: 'model',
    type: 'select',
    current: settings.model,
    values: modelInUse(settings) === null ? [unlisted, ...listed] : listed,
    grouped: false,
    recommended: settings.models.find((model) => model.isDefault)?.id ?? null,
  };
}

/** An effort from the config that the model does not list is shown too: what is shown is what is used (C060). */
function effortOption({ effort }: SessionSettings, model: ModelInfo): SessionOption {
  const listed = model.efforts.map((supported) => ({
    value: supported.effort,
    name: capitalised(supported.effort),
    description: supported.description,
  }));
  const unlisted = { value: effort, name: capitalised(effort) };
  return {
    id: 'reasoning_effort',
    name: 'Reasoning effort',
    description: 'How much reasoning effort the model should use',
    category: 'thought_level',
    type: 'select',
    current: effort,
    values: supportsEffort(model, effort) ? listed : [unlisted, ...listed],
    grouped: false,
    recommended: supportsEffort(model, model.defaultEffort) ? model.defaultEffort : null,
  };
}

function fastOption({ fast }: SessionSettings): SessionOption {
  return {
    id: 'fast-mode',
    name: 'Fast mode',
    description: '1.5x speed, increased usage',
    category: 'model_config',
    type: 'switch',
    current: fast,
    on: { value: 'on', name: 'On', description: '1.5x speed, increased usage' },
    off: { value: 'off', name: 'Off', description: 'Default speed, normal usage' },
  };
}

function legacyModels(model: ModelInfo): SettingsView['models']['available'] {
  return model.efforts.map(({ effort, description }) => ({
    modelId: modelIdWithEffort({ model: model.id, effort }),
    name: `${modelName(model)} (${effort})`,
    description: [model.description, description].filter((text) => text !== '').join(' '),
  }));
}

function modelName(model: ModelInfo): string {
  return shownModelName(model.displayName || model.id);
}
