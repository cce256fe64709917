import type { NewSessionResponse, SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk/unstable';
import type { ClientProfile } from '../../domain/client/client-profile.ts';
import type { SessionOption, SettingsView } from '../../domain/settings/session-option.ts';
import { modeMeta, optionFrame, shownOption } from '../acp/session-option-frames.ts';

/** Settings in the answer to a v1 session setup (S2.38). */
export interface SettingsResultV1 extends Pick<NewSessionResponse, 'configOptions'> {
  modes: SessionModeState;
  /** The model list of older clients (S2.101); the SDK has no type for it any more. */
  models: {
    availableModels: { modelId: string; name: string; description: string }[];
    currentModelId: string;
  };
}

/** `modes`, `models` and, for clients that can handle them, `configOptions` (S2.62, S2.74, S2.101). */
export function settingsResult(view: SettingsView, profile: ClientProfile): SettingsResultV1 {
  const { modes, models } = view;
  return {
    modes: {
      availableModes: modes.available.map(({ id, name, description, kind }) => ({
        id,
        name,
        description,
        ...modeMeta(kind, profile),
      })),
      currentModeId: modes.current,
    },
    models: { availableModels: models.available.map((model) => ({ ...model })), currentModelId: models.current },
    ...(profile.info.hidesConfigOptions ? {} : { configOptions: configOptions(view.options, profile) }),
  };
}

/** Options with the keys of v1 (S2.72). */
export function configOptions(options: readonly SessionOption[], profile: ClientProfile): SessionConfigOption[] {
  return options.map((option) => configOption(option, profile));
}

function configOption(option: SessionOption, profile: ClientProfile): SessionConfigOption {
  const base = { id: option.id, ...optionFrame(option, profile) };
  const shown = shownOption(option, profile);
  switch (shown.type) {
    case 'boolean':
      return { ...base, type: 'boolean', currentValue: shown.current };
    case 'values':
      return { ...base, type: 'select', currentValue: shown.current, options: shown.values };
    case 'groups':
      return {
        ...base,
        type: 'select',
        currentValue: shown.current,
        options: shown.groups.map(({ id, name, values }) => ({ group: id, name, options: values })),
      };
  }
}
