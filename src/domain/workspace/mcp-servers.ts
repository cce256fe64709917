import { AgentError } from '../errors/agent-error.ts';
import type { JsonObject } from '../json/json-object.ts';
import { jsonObject } from '../json/json-object.ts';

/** The MCP servers that a session request asks for, in Codex form, under their sanitised names (S2.154). */
export interface McpServers {
  readonly configured: Readonly<Record<string, object>>;
  /** Sanitised names in the order of the request. */
  readonly names: readonly string[];
}

const whiteSpace = /[\s\p{White_Space}]/gu;

/** Reads and checks every MCP server of a request, tagged or untagged (S2.6, S2.149 to S2.154). */
export function parseMcpServers(list: readonly unknown[]): McpServers {
  const configured = new Map<string, object>();
  for (const value of list) {
    const entry = jsonObject(value);
    if (entry === null) throw AgentError.invalidParams('MCP servers must be objects');
    const original = requireName(entry);
    const name = original.replace(whiteSpace, '_');
    const server = codexServer(entry, original);
    if (configured.has(name)) throw AgentError.invalidParams('MCP server names must be unique', { name: original });
    configured.set(name, server);
  }
  return { configured: Object.fromEntries(configured), names: [...configured.keys()] };
}

/** The servers whose names Codex does not have yet; the others are skipped, which is reported (S2.155, S2.159). */
export function withoutConflicts(
  servers: McpServers,
  configuredNames: readonly string[],
): McpServers & { readonly skipped: readonly string[] } {
  const taken = new Set(configuredNames);
  const kept = Object.entries(servers.configured).filter(([name]) => !taken.has(name));
  return {
    configured: Object.fromEntries(kept),
    names: servers.names.filter((name) => !taken.has(name)),
    skipped: servers.names.filter((name) => taken.has(name)),
  };
}

function requireName(entry: JsonObject): string {
  const name = entry.name;
  if (typeof name !== 'string') throw AgentError.invalidParams('MCP server name must be a string');
  if (name === '') throw AgentError.invalidParams('MCP server name must not be empty');
  return name;
}

function codexServer(entry: JsonObject, name: string): object {
  const type = transport(entry, name);
  switch (type) {
    case 'stdio':
      return {
        command: requireText(entry, 'command', name),
        args: argumentList(entry, name),
        env: namedValues(entry, 'env', name),
      };
    case 'http':
      return { url: requireText(entry, 'url', name), http_headers: namedValues(entry, 'headers', name) };
    case 'sse':
    case 'acp':
      throw AgentError.invalidParams(`Codex doesn't support MCP ${type.toUpperCase()} transport protocol`);
    default:
      throw AgentError.invalidParams(`Codex doesn't support MCP '${type}' transport protocol`);
  }
}

/** An entry without a type that has a command is a stdio server (S2.6). */
function transport(entry: JsonObject, name: string): string {
  const type = entry.type;
  if (typeof type === 'string') return type;
  if ((type === undefined || type === null) && entry.command !== undefined) return 'stdio';
  throw malformed(name, 'needs a type or a command');
}

function requireText(entry: JsonObject, key: string, name: string): string {
  const value = entry[key];
  if (typeof value !== 'string') throw malformed(name, `needs a string ${key}`);
  return value;
}

function argumentList(entry: JsonObject, name: string): readonly string[] {
  return list(entry, 'args', name).map((argument) => {
    if (typeof argument !== 'string') throw malformed(name, 'takes only strings in args');
    return argument;
  });
}

/** `[{name, value}]` as an object; the last of two equal names wins (S2.154). Values are secrets: no error names one. */
function namedValues(entry: JsonObject, key: string, name: string): Readonly<Record<string, string>> {
  const pairs = list(entry, key, name).map((item) => {
    const pair = jsonObject(item);
    const pairName = pair?.name;
    const pairValue = pair?.value;
    if (typeof pairName !== 'string' || typeof pairValue !== 'string') {
      throw malformed(name, `needs entries with a string name and value in ${key}`);
    }
    return [pairName, pairValue] as const;
  });
  return Object.fromEntries(pairs);
}

function list(entry: JsonObject, key: string, name: string): readonly unknown[] {
  const value = entry[key] ?? [];
  if (!Array.isArray(value)) throw malformed(name, `needs a list in ${key}`);
  return value;
}

function malformed(name: string, problem: string): AgentError {
  return AgentError.invalidParams(`MCP server '${name}' ${problem}`);
}
