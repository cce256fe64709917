import { jsonObject } from '../json/json-object.ts';
import type { CommandApproval, CommandDecision, NetworkAmendment } from './approval-request.ts';

/**
 * The decisions that Codex lets the user choose from, in its order; `null` when its list cannot be trusted, which
 * refuses without asking (S5.45, S5.46, S5.53). Amendments are copies of what the request proposed (S5.171).
 */
export function commandDecisions(approval: CommandApproval): readonly CommandDecision[] | null {
  const available = approval.availableDecisions ?? null;
  const decisions = available === null ? defaultDecisions(approval) : listedDecisions(approval, available);
  return decisions?.filter((decision) => fitsKind(approval.kind, decision)) ?? null;
}

/** True for the exec-policy amendment. */
export function isExecpolicyDecision(
  decision: CommandDecision,
): decision is Extract<CommandDecision, { acceptWithExecpolicyAmendment: unknown }> {
  return typeof decision === 'object' && 'acceptWithExecpolicyAmendment' in decision;
}

/** One bad entry spoils the list (S5.45). */
function listedDecisions(approval: CommandApproval, available: unknown): readonly CommandDecision[] | null {
  if (!Array.isArray(available) || available.length === 0) return null;
  const decisions: CommandDecision[] = [];
  for (const entry of available) {
    const decision = listedDecision(approval, entry);
    if (decision === null) return null;
    decisions.push(decision);
  }
  return decisions;
}

function listedDecision(approval: CommandApproval, entry: unknown): CommandDecision | null {
  switch (entry) {
    case 'accept':
    case 'acceptForSession':
    case 'decline':
    case 'cancel':
      return entry;
    default:
      return listedAmendment(approval, entry);
  }
}

function listedAmendment(approval: CommandApproval, entry: unknown): CommandDecision | null {
  const execpolicy = onlyMember(onlyMember(entry, 'acceptWithExecpolicyAmendment'), 'execpolicy_amendment');
  if (execpolicy !== undefined) {
    const proposed = approval.proposedExecpolicyAmendment ?? [];
    return sameWords(execpolicy, proposed) && proposed.length > 0 ? execpolicyDecision(proposed) : null;
  }
  const network = onlyMember(onlyMember(entry, 'applyNetworkPolicyAmendment'), 'network_policy_amendment');
  const proposed = approval.proposedNetworkAmendments.find((amendment) => sameAmendment(network, amendment));
  return proposed !== undefined && fitsHost(approval, proposed) ? networkDecision(proposed) : null;
}

/** What Codex without `availableDecisions` lets the user choose (S5.45). */
function defaultDecisions(approval: CommandApproval): readonly CommandDecision[] {
  if (approval.network !== null) {
    const amendments = approval.proposedNetworkAmendments.filter((amendment) => fitsHost(approval, amendment));
    return ['accept', 'acceptForSession', ...amendments.map(networkDecision), 'decline', 'cancel'];
  }
  if (approval.additionalPermissions !== null) return ['accept', 'cancel'];
  const proposed = approval.proposedExecpolicyAmendment ?? [];
  const execpolicy = proposed.length > 0 ? [execpolicyDecision(proposed)] : [];
  return ['accept', 'acceptForSession', ...execpolicy, 'decline', 'cancel'];
}

/** Only ordinary commands and their input may change what is asked later (S5.53). */
function fitsKind(kind: string, decision: CommandDecision): boolean {
  if (kind === 'command' || kind === 'writeStdin' || kind === '') return true;
  return decision === 'accept' || decision === 'decline' || decision === 'cancel';
}

function execpolicyDecision(words: readonly string[]): CommandDecision {
  return { acceptWithExecpolicyAmendment: { execpolicy_amendment: [...words] } };
}

function networkDecision({ host, action }: NetworkAmendment): CommandDecision {
  return { applyNetworkPolicyAmendment: { network_policy_amendment: { host, action } } };
}

/** A host rule is only for the host that is asked about (S5.46, S5.56). */
function fitsHost(approval: CommandApproval, amendment: NetworkAmendment): boolean {
  return approval.network !== null && amendment.host === approval.network.host;
}

function sameWords(value: unknown, words: readonly string[]): boolean {
  if (!Array.isArray(value) || value.length !== words.length) return false;
  return words.every((word, index) => value[index] === word);
}

function sameAmendment(value: unknown, amendment: NetworkAmendment): boolean {
  const entry = jsonObject(value);
  if (entry === null || Object.keys(entry).length !== 2) return false;
  return entry.host === amendment.host && entry.action === amendment.action;
}

/** The member of an object that has no other; `undefined` for anything else. */
function onlyMember(value: unknown, name: string): unknown {
  const entry = jsonObject(value);
  return entry !== null && Object.keys(entry).length === 1 ? entry[name] : undefined;
}
