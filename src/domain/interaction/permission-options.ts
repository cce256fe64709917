import type { CommandApproval, CommandDecision, FileChangeDecision } from './approval-request.ts';
import { commandDecisions, isExecpolicyDecision } from './command-decisions.ts';
import type { ApprovalOption, PermissionOption, PermissionOptionKind } from './permission-ask.ts';
import { isShowable, rulePrefix } from './rule-prefix.ts';

/** What an option looks like; the decision behind it is added by the caller. */
type Shown = Pick<PermissionOption, 'kind' | 'name' | 'optionId'>;

/** One-time grants first, lasting ones next, refusals last (S5.50). */
const rank: Readonly<Record<PermissionOptionKind, number>> = {
  allow_once: 0,
  allow_always: 1,
  reject_once: 2,
  reject_always: 2,
};

/** Options for a command; `null` when no honest choice can be offered, which refuses without asking (S5.47 to S5.51). */
export function commandOptions(approval: CommandApproval): readonly ApprovalOption[] | null {
  const decisions = commandDecisions(approval);
  if (decisions === null || hasRepeats(decisions)) return null;
  let amendments = 0;
  const options = decisions.filter(isReadable).map((decision) => {
    const shown = shownDecision(approval, decision, amendments);
    if (isNetworkDecision(decision)) amendments += 1;
    return { ...shown, answer: { type: 'commandApproval', decision } } as const;
  });
  return offered(options);
}

/** Options for a patch; without a known item the user cannot see which files a lasting grant covers (S5 section 7, S5.91). */
export function fileChangeOptions(itemIsKnown: boolean): readonly ApprovalOption[] {
  const always = fileChangeOption(
    'allow_for_session',
    'allow_always',
    "Yes, and don't ask again for these files",
    'acceptForSession',
  );
  return [
    fileChangeOption('allow_once', 'allow_once', 'Yes, proceed', 'accept'),
    ...(itemIsKnown ? [always] : []),
    fileChangeOption('cancel', 'reject_once', 'No, and tell Codex what to do differently', 'cancel'),
  ];
}

function fileChangeOption(
  optionId: string,
  kind: PermissionOptionKind,
  name: string,
  decision: FileChangeDecision,
): ApprovalOption {
  return { optionId, kind, name, answer: { type: 'fileChangeApproval', decision } };
}

/** In the order offered, if there is a way to agree, a way to refuse, and no doubt which is which (S5.50, S5.51). */
function offered(options: readonly ApprovalOption[]): readonly ApprovalOption[] | null {
  const ids = new Set(options.map((option) => option.optionId));
  const allows = options.some((option) => isAllowing(option.kind));
  const rejects = options.some((option) => !isAllowing(option.kind));
  if (ids.size !== options.length || !allows || !rejects) return null;
  return options.toSorted((one, other) => rank[one.kind] - rank[other.kind]);
}

/** True for a kind of option that lets the action run. */
export function isAllowing(kind: PermissionOptionKind): boolean {
  switch (kind) {
    case 'allow_once':
    case 'allow_always':
      return true;
    case 'reject_once':
    case 'reject_always':
      return false;
  }
}

function shownDecision(approval: CommandApproval, decision: CommandDecision, amendmentsBefore: number): Shown {
  switch (decision) {
    case 'accept': {
      const name = approval.network === null ? 'Yes, proceed' : 'Yes, just this once';
      return { optionId: 'allow_once', kind: 'allow_once', name };
    }
    case 'acceptForSession':
      return { optionId: 'allow_for_session', kind: 'allow_always', name: sessionGrant(approval) };
    case 'decline':
      return { optionId: 'decline', kind: 'reject_once', name: 'No, continue without running it' };
    case 'cancel':
      return { optionId: 'cancel', kind: 'reject_once', name: 'No, and tell Codex what to do differently' };
    default:
      return shownAmendment(decision, amendmentsBefore);
  }
}

function shownAmendment(decision: Exclude<CommandDecision, string>, amendmentsBefore: number): Shown {
  if (isExecpolicyDecision(decision)) {
    const prefix = rulePrefix(decision.acceptWithExecpolicyAmendment.execpolicy_amendment);
    const name = `Yes, and don't ask again for commands that start with \`${prefix}\``;
    return { optionId: 'accept_execpolicy_amendment', kind: 'allow_always', name };
  }
  const optionId = `apply_network_policy_amendment:${amendmentsBefore}`;
  switch (decision.applyNetworkPolicyAmendment.network_policy_amendment.action) {
    case 'allow':
      return { optionId, kind: 'allow_always', name: 'Yes, and allow this host in the future' };
    case 'deny':
      return { optionId, kind: 'reject_always', name: 'No, and block this host in the future' };
  }
}

function sessionGrant(approval: CommandApproval): string {
  if (approval.network !== null) return 'Yes, and allow this host for this conversation';
  if (approval.additionalPermissions !== null) return 'Yes, and allow these permissions for this session';
  return "Yes, and don't ask again for this command in this session";
}

/** A rule that its label cannot show is not offered; the rest stays (S5.49). */
function isReadable(decision: CommandDecision): boolean {
  if (!isExecpolicyDecision(decision)) return true;
  return isShowable(rulePrefix(decision.acceptWithExecpolicyAmendment.execpolicy_amendment));
}

function isNetworkDecision(decision: CommandDecision): boolean {
  return typeof decision === 'object' && !isExecpolicyDecision(decision);
}

/** Decisions are built here, so equal ones have equal JSON (S5.51). */
function hasRepeats(decisions: readonly CommandDecision[]): boolean {
  return new Set(decisions.map((decision) => JSON.stringify(decision))).size !== decisions.length;
}
