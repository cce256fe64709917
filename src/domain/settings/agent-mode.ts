import type { ModeOption } from './session-option.ts';
import type { SandboxPolicy } from './turn-policy.ts';

/** A Codex permission profile that the user may choose (S2.60). */
export interface ChoosableProfile {
  readonly id: string;
  readonly description: string | null;
}

/** What a reloaded thread was last allowed, as its recording says (S12.8). */
export interface RecordedAccess {
  readonly sandbox: SandboxPolicy['type'];
  /** Who decided on approvals; `user` tells `workspace-write` from `agent`. */
  readonly approvalsReviewer: string | null;
}

/** Facts that decide the first mode of a session (S2.61). */
export interface ModeFacts {
  /** `INITIAL_AGENT_MODE`; `null` when it is not set. */
  readonly requestedId: string | null;
  readonly activeProfileId: string | null;
  /** `null` for a new or forked thread. */
  readonly recorded: RecordedAccess | null;
  readonly profiles: readonly ChoosableProfile[];
}

const profilePrefix = 'permission-profile:';

/** The fixed modes, in the order offered (S2 section 6.1). */
export const sandboxModes: readonly ModeOption[] = [
  {
    id: 'read-only',
    name: 'Read-only',
    description: 'Requires approval to edit files and access the internet.',
    kind: 'standard',
  },
  {
    id: 'workspace-write',
    name: 'Workspace access',
    description: 'Edit workspace files; ask before writing outside the workspace or accessing the network.',
    kind: 'standard',
  },
  {
    id: 'agent',
    name: 'Auto review',
    description: 'Only ask for actions detected as potentially unsafe',
    kind: 'auto_review',
  },
  {
    id: 'agent-full-access',
    name: 'Full access',
    description: 'Unrestricted access to the internet and any file on your computer',
    kind: 'full_access',
  },
];

/** One mode per profile, in list order (S2.60). */
export function profileModes(profiles: readonly ChoosableProfile[]): readonly ModeOption[] {
  return profiles.map((profile) => ({
    id: `${profilePrefix}${profile.id}`,
    name: profile.id,
    description: profile.description || `Use the ${profile.id} Codex permission profile.`,
    kind: null,
  }));
}

/** Every mode of a session, in order (S2.60). */
export function agentModes(profiles: readonly ChoosableProfile[]): readonly ModeOption[] {
  return [...sandboxModes, ...profileModes(profiles)];
}

/** The profile behind a mode; `null` for a fixed mode. */
export function profileOfMode(modeId: string): string | null {
  return modeId.startsWith(profilePrefix) ? modeId.slice(profilePrefix.length) : null;
}

/**
 * The mode of a session that was just set up (S2.61, S12.8): the requested one, else that of the active profile, else
 * what the thread was recorded with, else `agent`. Full access is never taken from a recording, and not even a requested
 * mode makes a reloaded thread wider than it was.
 */
export function initialMode({ requestedId, activeProfileId, recorded, profiles }: ModeFacts): string {
  const offered = new Set(agentModes(profiles).map((mode) => mode.id));
  const profileMode = activeProfileId === null ? '' : `${profilePrefix}${activeProfileId}`;
  // The sandbox that Codex reports for a thread with a profile is only a translation of the profile.
  const recording = offered.has(profileMode) ? null : recorded;
  if (requestedId !== null) {
    const requested = offered.has(requestedId) ? requestedId : 'agent';
    const tooWide = recording !== null && width(requested) > recordedWidth(recording);
    return tooWide ? modeOfRecording(recording) : requested;
  }
  if (offered.has(profileMode)) return profileMode;
  return recording === null ? 'agent' : modeOfRecording(recording);
}

/** The mode allows less without the user than the recording did (S12.8). */
export function isNarrower(modeId: string, recorded: RecordedAccess | null): boolean {
  return recorded !== null && width(modeId) < recordedWidth(recorded);
}

function modeOfRecording(recorded: RecordedAccess): string {
  switch (recorded.sandbox) {
    case 'readOnly':
      return 'read-only';
    case 'workspaceWrite':
      return recorded.approvalsReviewer === 'user' ? 'workspace-write' : 'agent';
    case 'dangerFullAccess':
      return 'agent';
  }
}

function recordedWidth(recorded: RecordedAccess): number {
  return width(recorded.sandbox === 'dangerFullAccess' ? 'agent-full-access' : modeOfRecording(recorded));
}

/** How much a mode allows without the user; a profile counts as writing in the workspace. */
function width(modeId: string): number {
  const index = sandboxModes.findIndex((mode) => mode.id === modeId);
  return index < 0 ? 1 : index;
}
