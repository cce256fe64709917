import { isJsonObject, type JsonObject } from './json-rpc.ts';

/** Requests whose `params` may be omitted or `null` (S1.44, S2.7). */
const paramless = new Set([
  'auth/logout',
  'authentication/logout',
  'authentication/status',
  'logout',
  'providers/list',
  'session/list',
]);

/** Requests that name MCP servers (S2.5). */
const opening = new Set(['session/fork', 'session/load', 'session/new', 'session/resume']);

/**
 * Params of a client's request or notification in the shape that the SDK's validation of the negotiated version takes
 * (S1.44, S2.5, S2.6). What is wrong otherwise stays as it is, for the validation to refuse (S2.8).
 */
export function normalizeParams(protocol: 1 | 2, method: string, params: unknown): unknown {
  if (paramless.has(method)) return params ?? {};
  if (!opening.has(method) || !isJsonObject(params)) return params;
  const servers = params.mcpServers ?? [];
  if (!Array.isArray(servers)) return params;
  return { ...params, mcpServers: servers.map((server: unknown) => normalizeServer(protocol, server)) };
}

function normalizeServer(protocol: 1 | 2, server: unknown): unknown {
  if (!isJsonObject(server)) return server;
  const type = server.type ?? ('command' in server ? 'stdio' : undefined);
  switch (type) {
    case 'stdio':
      return { ...tagged(protocol, server), args: server.args ?? [], env: server.env ?? [] };
    case 'http':
    case 'sse':
      return { ...server, headers: server.headers ?? [] };
    default:
      return server;
  }
}

/** v1 knows stdio servers without a tag only; v2 with one only. */
function tagged(protocol: 1 | 2, server: JsonObject): JsonObject {
  const { type: _, ...untagged } = server;
  return protocol === 2 ? { ...untagged, type: 'stdio' } : untagged;
}
