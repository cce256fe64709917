import { readFileSync } from 'node:fs';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { Ajv2020 } from 'ajv/dist/2020.js';

/*
 * Checks frames of the agent against the JSON schema that the SDK ships for a protocol version. Each function returns
 * what is wrong, so that a test reads `expect(validateUpdate(1, update)).toEqual([])`.
 */

export type AcpVersion = 1 | 2;

interface Definition {
  readonly 'x-method'?: string;
  readonly 'x-side'?: 'agent' | 'client' | 'protocol';
  readonly oneOf?: object[];
  readonly anyOf?: object[];
}

interface Schema {
  readonly $defs: Record<string, Definition>;
}

/** Updates of the AIR contract on v1, which the schema does not know (S11.23). On v2 such names begin with `_`. */
const airUpdates = new Set([
  'async_task_spawned',
  'async_task_state_update',
  'subagent_spawned',
  'subagent_state_update',
]);

const shownProblems = 8;

/** Problems of one `update` of `session/update`; unknown fields of it are problems too. */
export function validateUpdate(version: AcpVersion, update: unknown): readonly string[] {
  if (version === 1 && airUpdates.has(String(field(update, 'sessionUpdate')))) return [];
  return problems(version, 'SessionUpdate', update);
}

/**
 * Problems of one JSON-RPC message of the agent. A response names no method: `requestMethod` is that of the request
 * that it answers; without it only the envelope is checked. Extension methods (`_…`) are free.
 */
export function validateAgentFrame(version: AcpVersion, frame: unknown, requestMethod?: string): readonly string[] {
  if (!isObject(frame)) return ['not a JSON object'];
  const envelope = frame.jsonrpc === '2.0' ? [] : ['jsonrpc is not "2.0"'];
  const { method } = frame;
  if (method === undefined) return [...envelope, ...responseProblems(version, frame, requestMethod)];
  if (typeof method !== 'string') return [...envelope, 'method is no string'];
  if (method.startsWith('_')) return envelope;
  if (method === 'session/update') {
    const { sessionId, update } = isObject(frame.params) ? frame.params : {};
    const session = typeof sessionId === 'string' ? [] : ['params.sessionId is no string'];
    return [...envelope, ...session, ...validateUpdate(version, update)];
  }
  const definition = definitionOf(version, method, 'client', frame.id === undefined ? 'Notification' : 'Request');
  if (definition === null) return [...envelope, `unknown method ${method}`];
  return [...envelope, ...problems(version, definition, frame.params)];
}

function responseProblems(
  version: AcpVersion,
  frame: Readonly<Record<string, unknown>>,
  requestMethod: string | undefined,
): readonly string[] {
  if (frame.id === undefined) return ['neither method nor id'];
  if ('error' in frame === 'result' in frame) return ['not exactly one of result and error'];
  if ('error' in frame) return problems(version, 'Error', frame.error);
  if (requestMethod === undefined || requestMethod.startsWith('_')) return [];
  const definition = definitionOf(version, requestMethod, 'agent', 'Response');
  return definition === null ? [`unknown method ${requestMethod}`] : problems(version, definition, frame.result);
}

const validators = new Map<string, ValidateFunction>();
const loaded = new Map<AcpVersion, { readonly ajv: Ajv2020; readonly schema: Schema }>();

function problems(version: AcpVersion, definition: string, value: unknown): readonly string[] {
  const name = `v${version}#/$defs/${definition}`;
  let validate = validators.get(name);
  if (validate === undefined) {
    validate = load(version).ajv.compile({ $ref: name });
    validators.set(name, validate);
  }
  if (validate(value)) return [];
  const found = (validate.errors ?? []).map(({ instancePath, message, params }) => {
    return `${instancePath || '/'} ${message ?? 'is wrong'} ${JSON.stringify(params)}`;
  });
  return found.slice(0, shownProblems);
}

function definitionOf(version: AcpVersion, method: string, side: 'agent' | 'client', suffix: string): string | null {
  for (const [name, definition] of Object.entries(load(version).schema.$defs)) {
    const handler = definition['x-side'];
    const fits = definition['x-method'] === method && (handler === side || handler === 'protocol');
    if (fits && name.endsWith(suffix)) return name;
  }
  return null;
}

/** Parses and registers a schema once; its definitions are compiled when they are first asked for. */
function load(version: AcpVersion): { readonly ajv: Ajv2020; readonly schema: Schema } {
  const known = loaded.get(version);
  if (known !== undefined) return known;
  const path = `../../node_modules/@agentclientprotocol/sdk/schema/v${version}/schema.unstable.json`;
  const schema: Schema = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
  closeUpdates(schema);
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false });
  ajv.addSchema({ ...schema, $id: `v${version}` });
  const entry = { ajv, schema };
  loaded.set(version, entry);
  return entry;
}

/** Lets the known updates have no fields but their own, so that a misspelt field shows. */
function closeUpdates(schema: Schema): void {
  const update = schema.$defs.SessionUpdate;
  for (const variant of [...(update?.oneOf ?? []), ...(update?.anyOf ?? [])]) {
    if (!('additionalProperties' in variant)) Object.assign(variant, { unevaluatedProperties: false });
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function field(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}
