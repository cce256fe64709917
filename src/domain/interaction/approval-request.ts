import type { CommandAction } from '../thread/thread-item.ts';

/** JSON-RPC id of a Codex server request; `7` and `"7"` differ (S5.24). */
export type ServerRequestId = string | number;

/** Names one server request of one app-server process, so that an answer never reaches another process (S5.6). */
export interface ServerRequestRef {
  readonly epoch: number;
  readonly id: ServerRequestId;
}

export interface NetworkAmendment {
  readonly host: string;
  readonly action: 'allow' | 'deny';
}

/** What Codex wants to hear about a command (S5.47). Amendments are copies of what Codex proposed, nothing else. */
export type CommandDecision =
  | 'accept'
  | 'acceptForSession'
  | 'decline'
  | 'cancel'
  | { readonly acceptWithExecpolicyAmendment: { readonly execpolicy_amendment: readonly string[] } }
  | { readonly applyNetworkPolicyAmendment: { readonly network_policy_amendment: NetworkAmendment } };

export type FileChangeDecision = 'accept' | 'acceptForSession' | 'decline' | 'cancel';

/** Extra sandbox permissions that a command asks for; passed through as received (S5.42, S5.57, S5.58). */
export interface AdditionalPermissions {
  readonly network?: { readonly enabled?: boolean | null } | null;
  readonly fileSystem?: {
    readonly read?: readonly string[] | null;
    readonly write?: readonly string[] | null;
    readonly entries?: readonly PermissionEntry[] | null;
  } | null;
}

export interface PermissionEntry {
  readonly access: string;
  readonly path:
    | { readonly type: 'path'; readonly path: string }
    | { readonly type: 'glob_pattern'; readonly pattern: string }
    | { readonly type: 'special'; readonly value: unknown };
}

/** `item/commandExecution/requestApproval` (S5.41 ff.). */
export interface CommandApproval {
  readonly type: 'commandApproval';
  readonly turnId: string;
  readonly itemId: string;
  readonly approvalId: string | null;
  /** `command`, `writeStdin`, `humanCommand` or a name that is not known yet (S5.53). */
  readonly kind: string;
  readonly reason: string | null;
  readonly command: string | null;
  readonly cwd: string | null;
  readonly environmentId: string | null;
  readonly actions: readonly CommandAction[];
  readonly network: { readonly host: string; readonly protocol: string } | null;
  readonly additionalPermissions: AdditionalPermissions | null;
  readonly proposedExecpolicyAmendment: readonly string[] | null;
  readonly proposedNetworkAmendments: readonly NetworkAmendment[];
  /** As received: authoritative when it is not null, and checked entry by entry (S5.45). */
  readonly availableDecisions: unknown;
}

/** `item/fileChange/requestApproval` (S5 section 7). */
export interface FileChangeApproval {
  readonly type: 'fileChangeApproval';
  readonly turnId: string;
  readonly itemId: string;
  readonly reason: string | null;
  readonly grantRoot: string | null;
}

/** A question of Codex that this version cannot show; it is answered with the refusing value at once (S5.16). */
export interface UnsupportedQuestion {
  readonly type: 'permissions' | 'elicitation' | 'userInput';
  readonly turnId: string | null;
}

export type ServerRequest = CommandApproval | FileChangeApproval | UnsupportedQuestion;

/** Answer to a server request, in domain words; the Codex adapter writes the wire form. */
export type ServerAnswer =
  | { readonly type: 'commandApproval'; readonly decision: CommandDecision }
  | { readonly type: 'fileChangeApproval'; readonly decision: FileChangeDecision }
  | { readonly type: 'permissions' }
  | { readonly type: 'elicitation' }
  | { readonly type: 'userInput' };

/** The refusing value of table 3.2 for a request (S5.16). */
export function refusal(request: ServerRequest): ServerAnswer {
  switch (request.type) {
    case 'commandApproval':
      return { type: 'commandApproval', decision: 'cancel' };
    case 'fileChangeApproval':
      return { type: 'fileChangeApproval', decision: 'cancel' };
    case 'permissions':
    case 'elicitation':
    case 'userInput':
      return { type: request.type };
  }
}
