import { workspaceRoots } from '../workspace/workspace.ts';
import { profileOfMode } from './agent-mode.ts';
import type { SessionSettings } from './session-settings.ts';
import { modelInUse, modelSlug } from './session-settings.ts';
import type { ApprovalPolicy, SandboxPolicy, TurnPolicy } from './turn-policy.ts';

/** What a mode sends with each turn. */
type Permissions = Pick<TurnPolicy, 'access' | 'approvalPolicy' | 'approvalsReviewer'>;

/** The settings as a turn is started with them (S2 section 6.1, S2.84, S2.108, S3.29). */
export function turnPolicy(settings: SessionSettings): TurnPolicy {
  const model = modelInUse(settings);
  return {
    ...permissions(settings),
    model: modelSlug(settings),
    effort: settings.effort,
    summary: summary(settings),
    serviceTier: settings.fast && model?.supportsFast ? 'fast' : null,
  };
}

function permissions(settings: SessionSettings): Permissions {
  const profileId = profileOfMode(settings.mode);
  if (profileId !== null) {
    return {
      approvalPolicy: settings.approvalPolicy ?? 'on-request',
      approvalsReviewer: settings.approvalsReviewer ?? 'user',
      access: { type: 'profile', profileId, workspaceRoots: workspaceRoots(settings.workspace) },
    };
  }
  switch (settings.mode) {
    case 'agent-full-access':
      return sandboxed('never', 'user', { type: 'dangerFullAccess' });
    case 'agent':
      return sandboxed('on-request', 'auto_review', workspaceWrite(settings));
    case 'workspace-write':
      return sandboxed('on-request', 'user', workspaceWrite(settings));
    default:
      return sandboxed('on-request', 'user', { type: 'readOnly', networkAccess: false });
  }
}

function sandboxed(approvalPolicy: ApprovalPolicy, approvalsReviewer: string, sandbox: SandboxPolicy): Permissions {
  return { approvalPolicy, approvalsReviewer, access: { type: 'sandbox', sandbox } };
}

/** The user's configured access, which is none by default, and the session's directories (S2.13c, C059). */
function workspaceWrite({ writeAccess, workspace }: SessionSettings): SandboxPolicy {
  const writableRoots = [...new Set([...writeAccess.writableRoots, ...workspace.additionalDirectories])];
  return {
    type: 'workspaceWrite',
    writableRoots,
    networkAccess: writeAccess.networkAccess,
    excludeTmpdirEnvVar: writeAccess.excludeTmpdirEnvVar,
    excludeSlashTmp: writeAccess.excludeSlashTmp,
  };
}

/** No summaries for API-key accounts and for models that do not reason (S2.108). */
function summary(settings: SessionSettings): 'auto' | 'none' {
  const efforts = modelInUse(settings)?.efforts ?? [];
  const reasons = efforts.length !== 1 || efforts[0]?.effort !== 'none';
  return settings.accountIsApiKey || !reasons ? 'none' : 'auto';
}
