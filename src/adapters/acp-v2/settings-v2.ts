import type { SessionConfigOption } from '@agentclientprotocol/sdk/experimental/v2/unstable';
import type { ClientProfile } from '../../domain/client/client-profile.ts';
import type { SessionOption, SettingsView } from '../../domain/settings/session-option.ts';
import { optionFrame, shownOption } from '../acp/session-option-frames.ts';

/** Settings in the answer to a v2 session setup; modes and models are options only (S2.42, S2.74). */
export function settingsResult(view: SettingsView, profile: ClientProfile): { configOptions?: SessionConfigOption[] } {
  return profile.info.hidesConfigOptions ? {} : { configOptions: configOptions(view.options, profile) };
}

/** Options with the keys of v2 (S2.72). */
export function configOptions(options: readonly SessionOption[], profile: ClientProfile): SessionConfigOption[] {
  return options.map((option) => configOption(option, profile));
}

function configOption(option: SessionOption, profile: ClientProfile): SessionConfigOption {
  const base = { configId: option.id, ...optionFrame(option, profile) };
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
        options: shown.groups.map(({ id, name, values }) => ({ groupId: id, name, options: values })),
      };
  }
}
