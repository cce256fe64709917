import type { AnyNotification, AnyRequest } from '@agentclientprotocol/sdk/unstable';

/** JSON-RPC id with its JSON type: `7` and `"7"` differ, v1 also knows `null` (S1.49). */
export type RequestId = string | number | null;

/** A JSON object whose members are not known yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for JSON objects; arrays and `null` are none. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A line that is no JSON-RPC message (table S1.42). */
export type MalformedLine =
  | { readonly type: 'batch' }
  | { readonly type: 'notJson' }
  | { readonly type: 'object'; readonly value: JsonObject }
  | { readonly type: 'scalar'; readonly value: unknown }
  | { readonly type: 'tooLong'; readonly limit: number };

/** What one line of the client is. An `answer` belongs to a request of ours and may be malformed itself. */
export type InboundLine =
  | { readonly kind: 'answer'; readonly message: JsonObject }
  | { readonly kind: 'call'; readonly message: AnyNotification | AnyRequest }
  | { readonly kind: 'malformed'; readonly problem: MalformedLine };

/** Parses and sorts one trimmed, non-empty line (S1.42). */
export function parseLine(line: string): InboundLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { kind: 'malformed', problem: { type: 'notJson' } };
  }
  if (Array.isArray(value)) return { kind: 'malformed', problem: { type: 'batch' } };
  if (!isJsonObject(value)) return { kind: 'malformed', problem: { type: 'scalar', value } };
  if (isCall(value)) return { kind: 'call', message: value };
  if (isAnswer(value)) return { kind: 'answer', message: value };
  return { kind: 'malformed', problem: { type: 'object', value } };
}

/** The one reply to a malformed line; `id` is `null` because the id cannot be known (S1.42, S1.46). */
export function malformedReply(problem: MalformedLine, initialized: boolean): object {
  switch (problem.type) {
    case 'notJson':
      return reply(-32700, 'Parse error');
    case 'batch':
      return reply(-32600, 'Invalid request: JSON-RPC batches are not supported');
    case 'scalar':
      return reply(-32600, 'Invalid request', problem.value);
    case 'object':
      return reply(
        -32600,
        'Invalid request',
        initialized ? problem.value : 'first ACP message must be an initialize request',
      );
    case 'tooLong':
      return reply(-32600, `Invalid request: the message is longer than the limit of ${problem.limit} bytes`);
  }
}

/** True for the ids that ACP v2 allows (S1.49). */
export function isV2RequestId(id: RequestId): boolean {
  return typeof id === 'string' || Number.isInteger(id);
}

function reply(code: number, message: string, data?: unknown): object {
  return { jsonrpc: '2.0', id: null, error: data === undefined ? { code, message } : { code, message, data } };
}

function isCall(value: JsonObject): value is JsonObject & (AnyNotification | AnyRequest) {
  if (value.jsonrpc !== '2.0' || typeof value.method !== 'string') return false;
  return !Object.hasOwn(value, 'id') || isRequestId(value.id);
}

function isAnswer(value: JsonObject): boolean {
  if (Object.hasOwn(value, 'method')) return false;
  return Object.hasOwn(value, 'id') || Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error');
}

function isRequestId(value: unknown): value is RequestId {
  return value === null || typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
}
