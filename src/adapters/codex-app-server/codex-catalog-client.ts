import type { ModelInfo } from '../../domain/settings/model-info.ts';
import type { ConfiguredWriteAccess } from '../../domain/settings/turn-policy.ts';
import type { CodexCatalog, EffectiveConfig, PermissionProfile } from '../../ports/outbound/codex-runtime.ts';
import { allPages } from './all-pages.ts';
import type * as wire from './protocol.generated.ts';
import type { CallCodex } from './protocol.ts';

/** What the running app-server offers. */
export class CodexCatalogClient implements CodexCatalog {
  readonly #call: CallCodex;

  constructor(call: CallCodex) {
    this.#call = call;
  }

  async models(): Promise<readonly ModelInfo[]> {
    const models = await allPages((cursor) => this.#call('model/list', { cursor, limit: null }));
    return models.map(modelInfo);
  }

  async permissionProfiles(cwd: string): Promise<readonly PermissionProfile[]> {
    const profiles = await allPages((cursor) => this.#call('permissionProfile/list', { cwd, cursor }));
    return profiles
      .filter(({ id, allowed }) => allowed && !id.startsWith(':'))
      .map(({ id, description }) => ({ id, description: description ?? null }));
  }

  async config(cwd: string | null): Promise<EffectiveConfig> {
    const { config, layers } = await this.#call('config/read', { cwd, includeLayers: cwd !== null });
    // `mcp_servers` and `default_permissions` are among the keys that the protocol does not name.
    const all: Readonly<Record<string, unknown>> = { ...config };
    const names = new Set<string>();
    for (const source of [all, ...(layers ?? []).map((layer) => layer.config)]) {
      for (const name of keysOf(isRecord(source) ? source.mcp_servers : null)) names.add(name);
    }
    return {
      modelProvider: textOrNull(config.model_provider),
      approvalPolicy: config.approval_policy ?? null,
      approvalsReviewer: textOrNull(config.approvals_reviewer),
      developerInstructions: config.developer_instructions ?? null,
      defaultPermissions: textOrNull(all.default_permissions),
      mcpServerNames: [...names],
      writeAccess: writeAccess(all.sandbox_workspace_write),
      untrustedRoots: untrustedRoots(all.projects),
    };
  }
}

function modelInfo(model: wire.Model): ModelInfo {
  return {
    id: model.id,
    model: model.model,
    displayName: model.displayName,
    description: model.description ?? '',
    efforts: (model.supportedReasoningEfforts ?? []).map(({ reasoningEffort, description }) => ({
      effort: reasoningEffort,
      description,
    })),
    defaultEffort: model.defaultReasoningEffort,
    inputModalities: model.inputModalities ?? [],
    supportsFast: supportsFast(model),
    isDefault: model.isDefault === true,
  };
}

/** S2.83. */
function supportsFast({ additionalSpeedTiers, serviceTiers }: wire.Model): boolean {
  return (
    (additionalSpeedTiers ?? []).includes('fast') ||
    (serviceTiers ?? []).some(({ id }) => id === 'priority' || id === 'fast')
  );
}

/** `[sandbox_workspace_write]` of the config; `null` when the user has none (C059). */
function writeAccess(value: unknown): ConfiguredWriteAccess | null {
  if (!isRecord(value)) return null;
  const roots: readonly unknown[] = Array.isArray(value.writable_roots) ? value.writable_roots : [];
  return {
    writableRoots: roots.filter((root) => typeof root === 'string'),
    networkAccess: value.network_access === true,
    excludeTmpdirEnvVar: value.exclude_tmpdir_env_var === true,
    excludeSlashTmp: value.exclude_slash_tmp === true,
  };
}

/** Roots with `trust_level = "untrusted"` (C035). */
function untrustedRoots(projects: unknown): readonly string[] {
  if (!isRecord(projects)) return [];
  return Object.entries(projects)
    .filter(([, project]) => isRecord(project) && project.trust_level === 'untrusted')
    .map(([root]) => root);
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const keysOf = (value: unknown): readonly string[] => (isRecord(value) ? Object.keys(value) : []);

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);
