import type { AirCapability, ClientProfile, CommandOutputChannel } from '../../../src/domain/client/client-profile.ts';

const allCapabilities: readonly AirCapability[] = [
  'agentFileChangeReport',
  'asyncTasks',
  'codexHooks',
  'customInstructions',
  'diffPatch',
  'nativeSubagentSessions',
  'planContentDelta',
  'rawInputRendering',
  'recommendedValue',
  'sessionFailure',
  'sessionIndex',
];

/** A client of a protocol version; everything that is not said is off. */
export function profile(
  protocol: 1 | 2,
  commandOutput: CommandOutputChannel,
  more: Partial<ClientProfile> = {},
): ClientProfile {
  return {
    protocol,
    info: { name: 'test', title: null, version: '1', hidesConfigOptions: false },
    air: null,
    commandOutput,
    subagents: 'hidden',
    planUpdates: protocol === 2,
    compaction: protocol === 2,
    notices: protocol === 2,
    booleanOptions: protocol === 2,
    gatewayAuth: false,
    elicitation: { form: false, url: false },
    ...more,
  };
}

const air = { capabilities: new Set(allCapabilities) };

/** The client profiles that every flow runs with (S4.126). */
export const profiles = {
  /** No terminal channel: snapshots (S12.1). */
  plainV1: profile(1, 'snapshots'),
  zedV1: profile(1, 'terminal'),
  deltaV1: profile(1, 'delta'),
  airV1: profile(1, 'delta', { air }),
  airNoneV1: profile(1, 'none', { air: { capabilities: new Set() } }),
  plainV2: profile(2, 'terminals'),
  airV2: profile(2, 'terminals', { air }),
} as const;

const declared = { planUpdates: true, compaction: true, notices: true };

/** The same, and v1 clients that declare what v2 always has: plan updates, compactions and notices (S4.4). */
export const featureProfiles = {
  ...profiles,
  zedFullV1: profile(1, 'terminal', declared),
  airFullV1: profile(1, 'delta', { air, ...declared }),
  airNoneFullV1: profile(1, 'none', { air: { capabilities: new Set() }, ...declared }),
} as const;

export type ProfileName = keyof typeof profiles;

export const profileNames = Object.keys(profiles) as readonly ProfileName[];
