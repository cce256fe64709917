import type { JsonObject } from '../json/json-object.ts';
import { jsonObject } from '../json/json-object.ts';
import type { GatewayRouting } from '../provider/routing.ts';
import { providerDefinition } from '../provider/routing.ts';
import type { Workspace } from './workspace.ts';
import { workspaceRoots } from './workspace.ts';

/** Skills whose output ACP clients cannot show, by qualified name (S1.240). */
const unsupportedSkills: readonly string[] = ['visualize:visualize'];

/** What the config of a thread is made of (S2.18). */
export interface ThreadConfigParts {
  /** `CODEX_CONFIG`; `null` when it is not set. */
  readonly codexConfig: JsonObject | null;
  readonly workspace: Workspace;
  readonly gateway: GatewayRouting | null;
  /** Servers of the request in Codex form, conflicts already left out (S2.155). */
  readonly mcpServers: Readonly<Record<string, object>>;
  /** Roots that the user's own config calls untrusted; that stays so (C035). */
  readonly untrustedRoots?: readonly string[];
}

/** The `config` object of `thread/start`, `thread/resume` and `thread/fork`, in the order of S2.18. */
export function threadConfig(parts: ThreadConfigParts): Record<string, unknown> {
  const { workspace, gateway } = parts;
  const config = withoutHooks(parts.codexConfig);
  if (gateway !== null) {
    config.model_providers = merged(config.model_providers, {
      [gateway.providerId]: providerDefinition(gateway),
    });
  }
  config.features = merged(config.features, { cwd_relative_turn_diffs: false });
  config.skills = merged(config.skills, { config: skillRules(config.skills) });
  config.projects = merged(config.projects, projects(workspace, parts.untrustedRoots ?? []));
  if (workspace.additionalDirectories.length > 0) {
    const sandbox = config.sandbox_workspace_write;
    config.sandbox_workspace_write = merged(sandbox, { writable_roots: writableRoots(sandbox, workspace) });
  }
  if (Object.keys(parts.mcpServers).length > 0) {
    config.mcp_servers = merged(config.mcp_servers, parts.mcpServers);
  }
  return config;
}

/** Names of the MCP servers that `CODEX_CONFIG` defines; a requested server of that name is a conflict (S2.18). */
export function configuredServerNames(codexConfig: JsonObject | null): readonly string[] {
  return Object.keys(jsonObject(codexConfig?.mcp_servers) ?? {});
}

/** Hooks travel as a start-up override of the app-server instead (S1.67). */
function withoutHooks(codexConfig: JsonObject | null): Record<string, unknown> {
  return Object.fromEntries(Object.entries(codexConfig ?? {}).filter(([key]) => key !== 'hooks'));
}

/** The existing members, if it is an object, overridden by ours. */
function merged(existing: unknown, ours: JsonObject): JsonObject {
  return { ...jsonObject(existing), ...ours };
}

/** Later rules win, so ours stand last (S1.241). */
function skillRules(skills: unknown): readonly unknown[] {
  const existing = jsonObject(skills)?.config;
  const ours = unsupportedSkills.map((name) => ({ name, enabled: false }));
  return [...(Array.isArray(existing) ? existing : []), ...ours];
}

function projects(workspace: Workspace, untrustedRoots: readonly string[]): JsonObject {
  const entries = workspaceRoots(workspace).map((root) => {
    const trustLevel = untrustedRoots.includes(root) ? 'untrusted' : 'trusted';
    return [root, { trust_level: trustLevel }] as const;
  });
  return Object.fromEntries(entries);
}

function writableRoots(sandbox: unknown, workspace: Workspace): readonly string[] {
  const existing = jsonObject(sandbox)?.writable_roots;
  const paths = Array.isArray(existing) ? existing.filter((path) => typeof path === 'string') : [];
  return [...new Set([...paths, ...workspace.additionalDirectories])];
}
