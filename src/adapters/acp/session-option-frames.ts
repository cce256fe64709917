import type { ClientProfile } from '../../domain/client/client-profile.ts';
import { hasAir } from '../../domain/client/client-profile.ts';
import type { ModeKind, OptionGroup, OptionValue, SessionOption } from '../../domain/settings/session-option.ts';
import { airMeta } from './air-metadata.ts';

/** One value of an option; both versions write it the same way. */
export interface OptionValueFrame {
  value: string;
  name: string;
  description?: string | null;
  _meta?: Record<string, unknown>;
}

/** An option as this client is shown it, before its version names the keys (S2.72). */
export type ShownOption =
  | { readonly type: 'boolean'; readonly current: boolean }
  | { readonly type: 'values'; readonly current: string; readonly values: OptionValueFrame[] }
  | {
      readonly type: 'groups';
      readonly current: string;
      readonly groups: readonly { readonly id: string; readonly name: string; readonly values: OptionValueFrame[] }[];
    };

/** A switch is a boolean where the client knows booleans (S2.80, S2.82); the rest are lists, flat or grouped (S2.75). */
export function shownOption(option: SessionOption, profile: ClientProfile): ShownOption {
  if (option.type === 'switch') {
    if (profile.protocol === 2 || profile.booleanOptions) return { type: 'boolean', current: option.current };
    const current = option.current ? option.on.value : option.off.value;
    return { type: 'values', current, values: valueFrames([option.off, option.on], profile) };
  }
  const groups = option.values.filter(isGroup);
  if (!option.grouped) {
    const values = option.values.filter(isValue);
    return { type: 'values', current: option.current, values: valueFrames(values, profile) };
  }
  return {
    type: 'groups',
    current: option.current,
    groups: groups.map(({ id, name, values }) => ({ id, name, values: valueFrames(values, profile) })),
  };
}

/** Name, description, category, and the recommendation for AIR clients that know it (S2.79). */
export function optionFrame(
  option: SessionOption,
  profile: ClientProfile,
): { name: string; description: string; category: string; _meta?: Record<string, unknown> } {
  const { name, description, category } = option;
  const recommended = option.type === 'select' && hasAir(profile, 'recommendedValue') ? option.recommended : null;
  if (recommended === null || option.type !== 'select' || !offers(option, recommended)) {
    return { name, description, category };
  }
  return { name, description, category, _meta: airMeta({ recommendedValue: recommended }) };
}

/** `_meta` that tells AIR the access class of a mode (S2.62); nothing for others. */
export function modeMeta(kind: ModeKind | null, profile: ClientProfile): { _meta?: Record<string, unknown> } {
  return kind === null || profile.air === null ? {} : { _meta: airMeta({ kind }) };
}

function valueFrames(values: readonly OptionValue[], profile: ClientProfile): OptionValueFrame[] {
  return values.map(({ value, name, description, modeKind }) => ({
    value,
    name,
    ...(description === undefined ? {} : { description }),
    ...modeMeta(modeKind ?? null, profile),
  }));
}

function offers(option: Extract<SessionOption, { type: 'select' }>, wanted: string): boolean {
  return option.values.some((value) =>
    isGroup(value) ? value.values.some((inner) => inner.value === wanted) : value.value === wanted,
  );
}

function isGroup(value: OptionGroup | OptionValue): value is OptionGroup {
  return 'values' in value;
}

function isValue(value: OptionGroup | OptionValue): value is OptionValue {
  return !isGroup(value);
}
