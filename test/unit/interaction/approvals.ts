import type { CommandApproval, FileChangeApproval } from '../../../src/domain/interaction/approval-request.ts';
import type { CommandItem, FileChangeItem } from '../../../src/domain/thread/thread-item.ts';

export function commandApproval(over: Partial<CommandApproval> = {}): CommandApproval {
  return {
    type: 'commandApproval',
    turnId: 't1',
    itemId: 'call_9',
    approvalId: null,
    kind: 'command',
    reason: null,
    command: 'touch a',
    cwd: '/w',
    environmentId: null,
    actions: [],
    network: null,
    additionalPermissions: null,
    proposedExecpolicyAmendment: null,
    proposedNetworkAmendments: [],
    availableDecisions: null,
    ...over,
  };
}

export function fileChangeApproval(over: Partial<FileChangeApproval> = {}): FileChangeApproval {
  return { type: 'fileChangeApproval', turnId: 't1', itemId: 'patch_1', reason: null, grantRoot: null, ...over };
}

export const commandItem: CommandItem = {
  type: 'command',
  id: 'call_9',
  command: 'touch a',
  cwd: '/w',
  processId: null,
  source: 'agent',
  status: 'inProgress',
  actions: [],
  output: null,
  exitCode: null,
};

export const fileChangeItem: FileChangeItem = {
  type: 'fileChange',
  id: 'patch_1',
  status: 'inProgress',
  changes: [{ path: '/w/a', kind: 'add', movePath: null, diff: 'a\n' }],
};

/** Wire form of an exec-policy decision. */
export function execpolicy(words: unknown): object {
  return { acceptWithExecpolicyAmendment: { execpolicy_amendment: words } };
}

/** Wire form of a network decision. */
export function networkRule(host: unknown, action: unknown): object {
  return { applyNetworkPolicyAmendment: { network_policy_amendment: { host, action } } };
}
