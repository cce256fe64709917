/**
 * What a connection's client can do, parsed once from `initialize` (S4.1). Client differences are this data: only
 * presenters and the few rules that really depend on it read it.
 */

/** AIR capability names that change what we send (S11.1). */
export type AirCapability =
  | 'agentFileChangeReport'
  | 'asyncTasks'
  | 'codexHooks'
  | 'customInstructions'
  | 'diffPatch'
  | 'nativeSubagentSessions'
  | 'planContentDelta'
  | 'rawInputRendering'
  | 'recommendedValue'
  | 'sessionFailure'
  | 'sessionIndex';

/**
 * Where the output of a command goes (S4.1, S12.1):
 * `delta` and `terminal` are the two `_meta` channels of v1, `terminals` are the terminal updates of v2, `snapshots`
 * is text content for a v1 client that cannot show terminals, `none` an AIR client that declared no channel.
 */
export type CommandOutputChannel = 'delta' | 'none' | 'snapshots' | 'terminal' | 'terminals';

/** How child agents are shown; a connection never mixes two (S1.122). */
export type SubagentContract = 'air' | 'hidden' | 'standard';

export interface ClientInfo {
  readonly name: string | null;
  readonly title: string | null;
  readonly version: string | null;
  /** The JetBrains 2026.1 client cannot handle config options (S2.74). */
  readonly hidesConfigOptions: boolean;
}

export interface ClientProfile {
  readonly protocol: 1 | 2;
  readonly info: ClientInfo;
  /** `null` for a client that is not AIR; it must never get a `_meta.jetbrains` key (S4.6). */
  readonly air: { readonly capabilities: ReadonlySet<AirCapability> } | null;
  readonly commandOutput: CommandOutputChannel;
  readonly subagents: SubagentContract;
  readonly planUpdates: boolean;
  readonly compaction: boolean;
  readonly notices: boolean;
  readonly booleanOptions: boolean;
  readonly gatewayAuth: boolean;
  readonly elicitation: { readonly form: boolean; readonly url: boolean };
}

/** True when an AIR client declared the capability (S4.3). */
export function hasAir(profile: ClientProfile, capability: AirCapability): boolean {
  return profile.air?.capabilities.has(capability) ?? false;
}
