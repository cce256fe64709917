import type { Workspace } from '../workspace/workspace.ts';
import type { ChoosableProfile, RecordedAccess } from './agent-mode.ts';
import { agentModes, initialMode } from './agent-mode.ts';
import type { ModelOffer } from './model-choice.ts';
import { currentModel, findModel, narrowModels } from './model-choice.ts';
import type { ModelInfo } from './model-info.ts';
import type { ApprovalPolicy, ConfiguredWriteAccess } from './turn-policy.ts';

export type CollaborationMode = 'default' | 'plan';

/** Everything that is chosen or given for the turns of one session. A value: changes make a new one. */
export interface SessionSettings {
  readonly mode: string;
  readonly collaborationMode: CollaborationMode;
  readonly model: string;
  readonly effort: string;
  /** Kept through models without fast mode (S2.86). */
  readonly fast: boolean;
  readonly models: readonly ModelInfo[];
  readonly profiles: readonly ChoosableProfile[];
  readonly approvalPolicy: ApprovalPolicy | null;
  readonly approvalsReviewer: string | null;
  readonly writeAccess: ConfiguredWriteAccess;
  readonly workspace: Workspace;
  readonly accountIsApiKey: boolean;
}

/** What Codex told about the thread that was opened. */
export interface OpenedThread {
  readonly model: string | null;
  readonly effort: string | null;
  readonly serviceTier: string | null;
  readonly activeProfileId: string | null;
  /** Absent when Codex did not say (S2.88). */
  readonly collaborationMode?: string | null;
  /** Policy of a loaded or resumed thread; `null` for a new or forked one (S12.8). */
  readonly recorded?: RecordedAccess | null;
}

/** What the user's Codex config says about permissions. */
export interface ConfiguredPermissions {
  readonly approvalPolicy: unknown;
  readonly approvalsReviewer: string | null;
  readonly writeAccess?: ConfiguredWriteAccess | null;
}

/** Facts of one setup, from which the settings of the session follow. */
export interface SetupFacts {
  readonly open: OpenedThread;
  /** As Codex lists them; narrowed here. */
  readonly models: readonly ModelInfo[];
  readonly gatewayListing?: readonly string[] | null;
  readonly profiles: readonly ChoosableProfile[];
  readonly config: ConfiguredPermissions;
  /** `INITIAL_AGENT_MODE` (S2.61). */
  readonly initialModeId: string | null;
  readonly workspace: Workspace;
  readonly accountIsApiKey: boolean;
  /** Settings of the session if it is open already (S2.30). */
  readonly previous?: SessionSettings | null;
}

const noConfiguredAccess: ConfiguredWriteAccess = {
  writableRoots: [],
  networkAccess: false,
  excludeTmpdirEnvVar: false,
  excludeSlashTmp: false,
};

/**
 * Settings after a setup (S2.61, S2.85, S2.88, S2.103). A session that was open keeps its mode, fast flag and model
 * (S2.30).
 */
export function initialSettings(facts: SetupFacts): SessionSettings {
  const { open, profiles, config } = facts;
  const previous = facts.previous ?? null;
  const offer = offerOf(facts.models, facts.gatewayListing ?? null);
  return {
    ...currentModel(offer, previous ?? open),
    models: offer.models,
    profiles,
    mode: keptMode(previous, profiles) ?? initialModeOf(facts),
    collaborationMode: collaborationModeOf(open.collaborationMode ?? previous?.collaborationMode ?? null),
    fast: previous?.fast ?? isFastTier(open.serviceTier),
    approvalPolicy: configuredPolicy(config.approvalPolicy),
    approvalsReviewer: config.approvalsReviewer,
    writeAccess: config.writeAccess ?? noConfiguredAccess,
    workspace: facts.workspace,
    accountIsApiKey: facts.accountIsApiKey,
  };
}

/** The settings with a new model listing, after a provider restart or a recovery (S2.107). */
export function withModels(
  settings: SessionSettings,
  models: readonly ModelInfo[],
  gatewayListing: readonly string[] | null,
): SessionSettings {
  const offer = offerOf(models, gatewayListing);
  return { ...settings, ...currentModel(offer, settings), models: offer.models };
}

/** The settings once Codex has switched the collaboration mode (S2.87). */
export function withCollaborationMode(settings: SessionSettings, mode: CollaborationMode): SessionSettings {
  return { ...settings, collaborationMode: mode };
}

/** The same with the mode that Codex tells of a thread that it loaded; `null` when it says nothing (S2.30). */
export function withLoadedMode(settings: SessionSettings, mode: string | null): SessionSettings {
  return mode === null ? settings : withCollaborationMode(settings, collaborationModeOf(mode));
}

/** The settings with other further directories; each set-up names them anew (S2.30). */
export function withDirectories(settings: SessionSettings, additionalDirectories: readonly string[]): SessionSettings {
  return { ...settings, workspace: { ...settings.workspace, additionalDirectories } };
}

/** The settings under another login (S2.108). */
export function withAccount(settings: SessionSettings, accountIsApiKey: boolean): SessionSettings {
  return { ...settings, accountIsApiKey };
}

/** The listed model in use; `null` when it is not in the list (S2.106). */
export function modelInUse(settings: SessionSettings): ModelInfo | null {
  return findModel(settings.models, settings.model) ?? null;
}

/** The model's name for Codex, which knows slugs, not ids (S2.103). */
export function modelSlug(settings: SessionSettings): string {
  return modelInUse(settings)?.model ?? settings.model;
}

/** Also of another model than the one in use. An unlisted model takes images (S2.106, S3.25). */
export function takesImages(settings: SessionSettings, model = settings.model): boolean {
  return findModel(settings.models, model)?.inputModalities.includes('image') ?? true;
}

function offerOf(models: readonly ModelInfo[], gatewayListing: readonly string[] | null): ModelOffer {
  return { models: narrowModels({ models, gatewayListing }), gatewayListing };
}

function keptMode(previous: SessionSettings | null, profiles: readonly ChoosableProfile[]): string | null {
  return agentModes(profiles).find((mode) => mode.id === previous?.mode)?.id ?? null;
}

function initialModeOf(facts: SetupFacts): string {
  return initialMode({
    requestedId: facts.initialModeId,
    activeProfileId: facts.open.activeProfileId,
    recorded: facts.open.recorded ?? null,
    profiles: facts.profiles,
  });
}

/** What Codex calls a mode; what is not known is the default (S2.88). */
export function collaborationModeOf(mode: string | null): CollaborationMode {
  return mode === 'plan' ? 'plan' : 'default';
}

/** Codex calls a configured `fast` `priority` (S2.85). */
function isFastTier(serviceTier: string | null): boolean {
  return serviceTier === 'fast' || serviceTier === 'priority';
}

function configuredPolicy(value: unknown): ApprovalPolicy | null {
  if (typeof value === 'string') return value === '' ? null : value;
  return typeof value === 'object' && value !== null && 'granular' in value ? { granular: value.granular } : null;
}
