/** Approval policy in Codex words; `granular` objects can come from a configured profile and pass through as they are. */
export type ApprovalPolicy = string | { readonly granular: unknown };

/** What a turn may touch (S2 section 6.1). */
export type SandboxPolicy =
  | { readonly type: 'dangerFullAccess' }
  | { readonly type: 'readOnly'; readonly networkAccess: boolean }
  | {
      readonly type: 'workspaceWrite';
      readonly writableRoots: readonly string[];
      readonly networkAccess: boolean;
      readonly excludeTmpdirEnvVar: boolean;
      readonly excludeSlashTmp: boolean;
    };

/** What the user's own config grants in modes that may write (`sandbox_workspace_write`, C059). */
export interface ConfiguredWriteAccess {
  readonly writableRoots: readonly string[];
  readonly networkAccess: boolean;
  readonly excludeTmpdirEnvVar: boolean;
  readonly excludeSlashTmp: boolean;
}

/** Everything that a turn is started with besides its input (S3.29). A snapshot at admission (S12.7). */
export interface TurnPolicy {
  readonly approvalPolicy: ApprovalPolicy;
  readonly approvalsReviewer: string;
  readonly access:
    | { readonly type: 'sandbox'; readonly sandbox: SandboxPolicy }
    | { readonly type: 'profile'; readonly profileId: string; readonly workspaceRoots: readonly string[] };
  readonly model: string;
  readonly effort: string | null;
  readonly summary: 'auto' | 'none';
  /** `fast`, or `null` to clear a configured tier (S2.84). */
  readonly serviceTier: 'fast' | null;
}
