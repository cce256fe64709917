import type {
  AirCapability,
  ClientInfo,
  ClientProfile,
  CommandOutputChannel,
  SubagentContract,
} from '../../domain/client/client-profile.ts';
import { isJsonObject, type JsonObject } from './json-rpc.ts';

const airCapabilities: readonly AirCapability[] = [
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

/** Without effect on v2, where every client gets the standard reports (S1.124, S4.5). */
const onlyV1: ReadonlySet<AirCapability> = new Set([
  'codexHooks',
  'diffPatch',
  'planContentDelta',
  'rawInputRendering',
]);

const nothing: JsonObject = {};

/** Reads what a client can do from the params of its `initialize`; malformed parts count as absent (S1.93, S1.110 ff.). */
export function parseClientProfile(protocol: 1 | 2, initializeParams: unknown): ClientProfile {
  const params = objectOf(initializeParams);
  const capabilities = objectOf(protocol === 1 ? params.clientCapabilities : params.capabilities);
  const session = objectOf(capabilities.session);
  const elicitation = objectOf(capabilities.elicitation);
  const air = parseAir(protocol, capabilities);
  const v2 = protocol === 2;
  return {
    protocol,
    info: parseInfo(objectOf(protocol === 1 ? params.clientInfo : params.info)),
    air,
    commandOutput: commandOutput(protocol, objectOf(capabilities._meta), air !== null),
    subagents: subagents(protocol, capabilities, air),
    planUpdates: v2 || isPresent(capabilities.plan),
    compaction: v2 || isPresent(session.compaction),
    notices: v2 || isJsonObject(session.notices),
    booleanOptions: v2 || isPresent(objectOf(session.configOptions).boolean),
    gatewayAuth: objectOf(objectOf(capabilities.auth)._meta).gateway === true,
    elicitation: { form: isPresent(elicitation.form), url: isPresent(elicitation.url) },
  };
}

function parseInfo(info: JsonObject): ClientInfo {
  const name = textOf(info.name);
  const version = textOf(info.version);
  const isJetBrains = name?.startsWith('JetBrains') === true || objectOf(info._meta).platform === 'intellij';
  return {
    name,
    title: textOf(info.title),
    version,
    hidesConfigOptions: isJetBrains && version?.startsWith('2026.1') === true,
  };
}

/** A client is AIR by the object alone; a capability needs a version and its exact name (S1.120 to S1.123, S4.3). */
function parseAir(protocol: 1 | 2, capabilities: JsonObject): ClientProfile['air'] {
  const air = objectOf(objectOf(capabilities._meta).jetbrains).air;
  if (!isJsonObject(air)) return null;
  const { version } = air;
  const declared: readonly unknown[] = Array.isArray(air.capabilities) ? air.capabilities : [];
  const counts = typeof version === 'number' && Number.isInteger(version) && version >= 1;
  const known = airCapabilities.filter((name) => counts && declared.includes(name));
  return { capabilities: new Set(protocol === 1 ? known : known.filter((name) => !onlyV1.has(name))) };
}

/** S4.1, S4.2, S12.1. */
function commandOutput(protocol: 1 | 2, meta: JsonObject, isAir: boolean): CommandOutputChannel {
  if (protocol === 2) return 'terminals';
  if (meta.terminal_output_delta === true) return 'delta';
  if (meta.terminal_output === true) return 'terminal';
  return isAir ? 'none' : 'snapshots';
}

/** A client never gets two contracts (S1.122). */
function subagents(protocol: 1 | 2, capabilities: JsonObject, air: ClientProfile['air']): SubagentContract {
  const standardV1 = protocol === 1 && isJsonObject(capabilities.subagents);
  if (air !== null) return air.capabilities.has('nativeSubagentSessions') || standardV1 ? 'air' : 'hidden';
  return protocol === 2 || standardV1 ? 'standard' : 'hidden';
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : nothing;
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}
