/**
 * Types of the Codex app-server protocol, generated from @openai/codex 0.171.0 by scripts/generate-types.ts.
 * Only what the adapter uses; fields and variants that it does not read are left out, and values that it only
 * passes on are `unknown`. Do not edit.
 */

export type AbsolutePathBuf = string;

export type Account =
  | { readonly type: 'apiKey' }
  | { readonly type: 'chatgpt'; readonly email: string | null; readonly planType: string; readonly workspaceName: string | null }
  | { readonly type: 'amazonBedrock'; readonly usesCodexManagedCredentials: boolean }
  | { readonly type: 'gcp' };

export type AccountLoginCompletedNotification = { readonly loginId: string | null; readonly success: boolean; readonly error: string | null };

export type AccountRateLimitsUpdatedNotification = { readonly rateLimits: RateLimitSnapshot };

export type AccountUpdatedNotification = {
  readonly authMode: string | null;
  readonly planType: string | null;
  readonly reason: string | null;
};

export type ActivePermissionProfile = { readonly id: string };

export type AdditionalFileSystemPermissions = {
  readonly read: readonly LegacyAppPathString[] | null;
  readonly write: readonly LegacyAppPathString[] | null;
  readonly globScanMaxDepth?: number;
  readonly entries?: readonly FileSystemSandboxEntry[];
};

export type AdditionalNetworkPermissions = { readonly enabled: boolean | null };

export type AdditionalPermissionProfile = {
  readonly network: AdditionalNetworkPermissions | null;
  readonly fileSystem: AdditionalFileSystemPermissions | null;
};

export type AgentMessageDeltaNotification = {
  readonly threadId: string;
  readonly turnId: string;
  readonly itemId: string;
  readonly delta: string;
};

export type AgentMessageDisplay = { readonly mode: 'show' } | { readonly mode: 'hide' } | { readonly mode: 'block' };

export type AgentMessageModeration = { readonly display: AgentMessageDisplay | null };

export type ApplyPatchApprovalResponse = { readonly decision: ReviewDecision };

export type AsyncUserInputQuestion = { readonly title: string; readonly options: readonly string[] | null };

export type ByteRange = { readonly start: number; readonly end: number };

export type CancelLoginAccountParams = { readonly loginId: string };

export type ClientInfo = { readonly name: string; readonly title: string | null; readonly version: string };

export type CollaborationMode = { readonly mode: string; readonly settings: Settings };

export type CommandAction =
  | { readonly type: 'read'; readonly command: string; readonly name: string; readonly path: LegacyAppPathString }
  | { readonly type: 'listFiles'; readonly command: string; readonly path: string | null }
  | { readonly type: 'search'; readonly command: string; readonly query: string | null; readonly path: string | null }
  | { readonly type: 'unknown'; readonly command: string };

export type CommandExecutionApprovalDecision =
  | 'accept'
  | 'acceptForSession'
  | { readonly acceptWithExecpolicyAmendment: { readonly execpolicy_amendment: ExecPolicyAmendment } }
  | { readonly applyNetworkPolicyAmendment: { readonly network_policy_amendment: NetworkPolicyAmendment } }
  | 'decline'
  | 'cancel';

export type CommandExecutionOutputDeltaNotification = {
  readonly threadId: string;
  readonly turnId: string;
  readonly itemId: string;
  readonly delta: string;
};

export type CommandExecutionRequestApprovalParams = {
  readonly kind: string;
  readonly threadId: string;
  readonly turnId: string;
  readonly itemId: string;
  readonly startedAtMs: number;
  readonly approvalId?: string | null;
  readonly environmentId: string | null;
  readonly reason?: string | null;
  readonly networkApprovalContext?: NetworkApprovalContext | null;
  readonly command?: string | null;
  readonly cwd?: LegacyAppPathString | null;
  readonly commandActions?: readonly CommandAction[] | null;
  readonly additionalPermissions?: AdditionalPermissionProfile | null;
  readonly proposedExecpolicyAmendment?: ExecPolicyAmendment | null;
  readonly proposedNetworkPolicyAmendments?: readonly NetworkPolicyAmendment[] | null;
  readonly availableDecisions?: readonly CommandExecutionApprovalDecision[] | null;
};

export type CommandExecutionRequestApprovalResponse = { readonly decision: CommandExecutionApprovalDecision };

export type CommandExecutionSource = 'agent' | 'userShell' | 'unifiedExecStartup' | 'unifiedExecInteraction';

export type CommandExecutionStatus = 'inProgress' | 'completed' | 'failed' | 'declined';

export type Config = {
  readonly model_provider: string | null;
  readonly approval_policy: unknown;
  readonly approvals_reviewer: string | null;
  readonly developer_instructions: string | null;
};

export type ConfigLayer = { readonly config: unknown };

export type ConfigReadParams = { readonly includeLayers?: boolean; readonly cwd?: string | null };

export type ConfigReadResponse = { readonly config: Config; readonly layers: readonly ConfigLayer[] | null };

export type ConfigWarningNotification = { readonly summary: string; readonly details: string | null };

export type ContextCompactedNotification = { readonly threadId: string; readonly turnId: string };

export type CreditsSnapshot = { readonly unlimited: boolean; readonly balance: string | null };

export type DeprecationNoticeNotification = { readonly summary: string; readonly details: string | null };

export type DynamicToolCallOutputContentItem = { readonly type: 'inputText'; readonly text: string };

export type DynamicToolCallResponse = { readonly contentItems: readonly DynamicToolCallOutputContentItem[]; readonly success: boolean };

export type ErrorNotification = {
  readonly error: TurnError;
  readonly willRetry: boolean;
  readonly threadId: string;
  readonly turnId: string;
};

export type ExecCommandApprovalResponse = { readonly decision: ReviewDecision };

export type ExecPolicyAmendment = readonly string[];

export type FileChangeApprovalDecision = 'accept' | 'acceptForSession' | 'decline' | 'cancel';

export type FileChangePatchUpdatedNotification = {
  readonly threadId: string;
  readonly turnId: string;
  readonly itemId: string;
  readonly changes: readonly FileUpdateChange[];
};

export type FileChangeRequestApprovalParams = {
  readonly threadId: string;
  readonly turnId: string;
  readonly itemId: string;
  readonly startedAtMs: number;
  readonly reason?: string | null;
  readonly grantRoot?: string | null;
};

export type FileChangeRequestApprovalResponse = { readonly decision: FileChangeApprovalDecision };

export type FileSystemAccessMode = 'read' | 'write' | 'deny';

export type FileSystemPath =
  | { readonly type: 'path'; readonly path: LegacyAppPathString }
  | { readonly type: 'glob_pattern'; readonly pattern: string }
  | { readonly type: 'special'; readonly value: unknown };

export type FileSystemSandboxEntry = { readonly path: FileSystemPath; readonly access: FileSystemAccessMode };

export type FileUpdateChange = { readonly path: string; readonly kind: PatchChangeKind; readonly diff: string };

export type GetAccountParams = { readonly refreshToken?: boolean };

export type GetAccountRateLimitsResponse = {
  readonly rateLimits: RateLimitSnapshot;
  readonly rateLimitsByLimitId: { readonly [key: string]: RateLimitSnapshot } | null;
};

export type GetAccountResponse = { readonly account: Account | null; readonly requiresOpenaiAuth: boolean };

export type ImageDetail = 'auto' | 'low' | 'high' | 'original';

export type InitializeCapabilities = { readonly experimentalApi: boolean; readonly requestAttestation: boolean };

export type InitializeParams = { readonly clientInfo: ClientInfo; readonly capabilities: InitializeCapabilities | null };

export type InitializeResponse = { readonly codexHome: AbsolutePathBuf };

export type ItemCompletedNotification = { readonly item: ThreadItem; readonly threadId: string; readonly turnId: string };

export type ItemStartedNotification = { readonly item: ThreadItem; readonly threadId: string; readonly turnId: string };

export type LegacyAppPathString = string;

export type ListMcpServerStatusParams = {
  readonly cursor?: string | null;
  readonly detail?: McpServerStatusDetail | null;
  readonly threadId?: string | null;
};

export type ListMcpServerStatusResponse = { readonly data: readonly McpServerStatus[]; readonly nextCursor: string | null };

export type LoginAccountParams =
  | { readonly type: 'apiKey'; readonly apiKey: string }
  | { readonly type: 'chatgpt' }
  | { readonly type: 'chatgptDeviceCode' };

export type LoginAccountResponse =
  | { readonly type: 'apiKey' }
  | { readonly type: 'chatgpt'; readonly loginId: string; readonly authUrl: string }
  | { readonly type: 'chatgptDeviceCode'; readonly loginId: string; readonly verificationUrl: string; readonly userCode: string };

export type McpServerElicitationAction = 'accept' | 'decline' | 'cancel';

export type McpServerElicitationRequestParams = { readonly threadId: string; readonly turnId: string | null };

export type McpServerElicitationRequestResponse = { readonly action: McpServerElicitationAction; readonly content: unknown; readonly _meta: unknown };

export type McpServerStatus = {
  readonly name: string;
  readonly runtimeStatus: string | null;
  readonly tools: { readonly [key: string]: unknown };
  readonly toolsError: string | null;
  readonly authStatus: string;
};

export type McpServerStatusDetail = 'full' | 'toolsAndAuthOnly';

export type McpToolCallProgressNotification = {
  readonly threadId: string;
  readonly turnId: string;
  readonly itemId: string;
  readonly message: string;
};

export type McpToolCallStatus = 'inProgress' | 'completed' | 'failed';

export type MessagePhase = 'commentary' | 'partial_answer' | 'final_answer';

export type Model = {
  readonly id: string;
  readonly model: string;
  readonly displayName: string;
  readonly description: string;
  readonly supportedReasoningEfforts: readonly ReasoningEffortOption[];
  readonly defaultReasoningEffort: ReasoningEffort;
  readonly inputModalities: readonly string[];
  readonly additionalSpeedTiers: readonly string[];
  readonly serviceTiers: readonly ModelServiceTier[];
  readonly isDefault: boolean;
};

export type ModelListParams = { readonly cursor?: string | null; readonly limit?: number | null };

export type ModelListResponse = { readonly data: readonly Model[]; readonly nextCursor: string | null };

export type ModelReroutedNotification = {
  readonly threadId: string;
  readonly turnId: string;
  readonly fromModel: string;
  readonly toModel: string;
  readonly reason: string;
};

export type ModelServiceTier = { readonly id: string };

export type NetworkAccess = 'restricted' | 'enabled';

export type NetworkApprovalContext = { readonly host: string; readonly protocol: string };

export type NetworkPolicyAmendment = { readonly host: string; readonly action: NetworkPolicyRuleAction };

export type NetworkPolicyRuleAction = 'allow' | 'deny';

export type PatchApplyStatus = 'inProgress' | 'completed' | 'failed' | 'declined';

export type PatchChangeKind =
  | { readonly type: 'add' }
  | { readonly type: 'delete' }
  | { readonly type: 'update'; readonly move_path: string | null };

export type PermissionGrantScope = 'turn' | 'session';

export type PermissionProfileListParams = { readonly cursor?: string | null; readonly limit?: number | null; readonly cwd?: string | null };

export type PermissionProfileListResponse = { readonly data: readonly PermissionProfileSummary[]; readonly nextCursor: string | null };

export type PermissionProfileSummary = { readonly id: string; readonly description: string | null; readonly allowed: boolean };

export type PermissionsRequestApprovalParams = { readonly threadId: string; readonly turnId: string };

export type PermissionsRequestApprovalResponse = {
  readonly permissions: unknown;
  readonly scope: PermissionGrantScope;
  readonly strictAutoReview?: boolean;
};

export type PlanDeltaNotification = {
  readonly threadId: string;
  readonly turnId: string;
  readonly itemId: string;
  readonly delta: string;
};

export type RateLimitSnapshot = {
  readonly limitId: string | null;
  readonly limitName: string | null;
  readonly primary: RateLimitWindow | null;
  readonly secondary: RateLimitWindow | null;
  readonly credits: CreditsSnapshot | null;
  readonly individualLimit: SpendControlLimitSnapshot | null;
  readonly spendControlReached: boolean | null;
  readonly planType: string | null;
};

export type RateLimitWindow = {
  readonly usedPercent: number;
  readonly windowDurationMins: number | null;
  readonly resetsAt: number | null;
};

export type ReasoningEffort = string;

export type ReasoningEffortOption = { readonly reasoningEffort: ReasoningEffort; readonly description: string };

export type ReasoningSummary = 'auto' | 'concise' | 'detailed' | 'none';

export type ReasoningSummaryPartAddedNotification = {
  readonly threadId: string;
  readonly turnId: string;
  readonly itemId: string;
  readonly summaryIndex: number;
};

export type ReasoningSummaryTextDeltaNotification = {
  readonly threadId: string;
  readonly turnId: string;
  readonly itemId: string;
  readonly delta: string;
  readonly summaryIndex: number;
};

export type ReasoningTextDeltaNotification = {
  readonly threadId: string;
  readonly turnId: string;
  readonly itemId: string;
  readonly delta: string;
  readonly contentIndex: number;
};

export type RequestId = string | number;

export type ReviewDecision =
  | 'approved'
  | { readonly approved_execpolicy_amendment: { readonly proposed_execpolicy_amendment: ExecPolicyAmendment } }
  | 'approved_for_session'
  | 'approved_mcp_policy_amendment'
  | { readonly network_policy_amendment: { readonly network_policy_amendment: NetworkPolicyAmendment } }
  | { readonly denied: { readonly rejection: string } }
  | 'timed_out'
  | 'abort';

export type ReviewDelivery = 'inline';

export type ReviewStartParams = {
  readonly threadId: string;
  readonly target: ReviewTarget;
  readonly delivery?: ReviewDelivery | null;
};

export type ReviewStartResponse = { readonly turn: Turn };

export type ReviewTarget =
  | { readonly type: 'uncommittedChanges' }
  | { readonly type: 'baseBranch'; readonly branch: string }
  | { readonly type: 'commit'; readonly sha: string; readonly title: string | null }
  | { readonly type: 'custom'; readonly instructions: string };

export type SandboxMode = 'read-only' | 'workspace-write' | 'danger-full-access';

export type SandboxPolicy =
  | { readonly type: 'dangerFullAccess' }
  | { readonly type: 'readOnly'; readonly networkAccess: boolean }
  | { readonly type: 'externalSandbox'; readonly networkAccess: NetworkAccess }
  | { readonly type: 'workspaceWrite'; readonly writableRoots: readonly AbsolutePathBuf[]; readonly networkAccess: boolean; readonly excludeTmpdirEnvVar: boolean; readonly excludeSlashTmp: boolean };

export type ServerRequestResolvedNotification = { readonly threadId: string; readonly requestId: RequestId };

export type Settings = {
  readonly model: string;
  readonly reasoning_effort: ReasoningEffort | null;
  readonly developer_instructions: string | null;
};

export type SkillInterface = { readonly shortDescription?: string };

export type SkillMetadata = {
  readonly name: string;
  readonly description: string;
  readonly shortDescription?: string;
  readonly interface?: SkillInterface;
  readonly path: LegacyAppPathString;
  readonly enabled: boolean;
};

export type SkillsChangedNotification = Record<string, never>;

export type SkillsExtraRootsSetParams = { readonly extraRoots: readonly AbsolutePathBuf[] };

export type SkillsListEntry = { readonly skills: readonly SkillMetadata[] };

export type SkillsListParams = { readonly cwds?: readonly string[] };

export type SkillsListResponse = { readonly data: readonly SkillsListEntry[] };

export type SortDirection = 'asc' | 'desc';

export type SpendControlLimitSnapshot = {
  readonly limit: string;
  readonly used: string;
  readonly remainingPercent: number;
  readonly resetsAt: number;
};

export type TerminalInteractionNotification = {
  readonly threadId: string;
  readonly turnId: string;
  readonly itemId: string;
  readonly processId: string;
  readonly stdin: string;
};

export type TextElement = { readonly byteRange: ByteRange; readonly placeholder: string | null };

export type Thread = {
  readonly id: string;
  readonly status: ThreadStatus;
  readonly name: string | null;
  readonly preview: string;
  readonly modelProvider: string;
  readonly model: string | null;
  readonly reasoningEffort: ReasoningEffort | null;
  readonly path: string | null;
};

export type ThreadArchivedNotification = { readonly threadId: string };

export type ThreadArchiveParams = { readonly threadId: string };

export type ThreadBackgroundTerminal = { readonly itemId: string; readonly processId: string };

export type ThreadBackgroundTerminalsListParams = { readonly threadId: string; readonly cursor?: string | null; readonly limit?: number | null };

export type ThreadBackgroundTerminalsListResponse = { readonly data: readonly ThreadBackgroundTerminal[]; readonly nextCursor: string | null };

export type ThreadBackgroundTerminalsTerminateParams = { readonly threadId: string; readonly processId: string };

export type ThreadClosedNotification = { readonly threadId: string };

export type ThreadCompactStartParams = { readonly threadId: string };

export type ThreadGoal = {
  readonly objective: string;
  readonly status: string;
  readonly tokenBudget: number | null;
  readonly tokensUsed: number;
  readonly timeUsedSeconds: number;
  readonly createdAt: number;
  readonly updatedAt: number;
};

export type ThreadGoalClearedNotification = { readonly threadId: string };

export type ThreadGoalClearParams = { readonly threadId: string };

export type ThreadGoalClearResponse = { readonly cleared: boolean };

export type ThreadGoalGetParams = { readonly threadId: string };

export type ThreadGoalGetResponse = { readonly goal: ThreadGoal | null };

export type ThreadGoalSetParams = { readonly threadId: string; readonly objective?: string | null; readonly status?: string | null };

export type ThreadGoalSetResponse = { readonly goal: ThreadGoal };

export type ThreadGoalUpdatedNotification = { readonly threadId: string; readonly goal: ThreadGoal };

export type ThreadItem =
  | { readonly type: 'agentMessage'; readonly id: string; readonly text: string; readonly phase: MessagePhase | null; readonly moderation: AgentMessageModeration | null; readonly delivery: string | null; readonly questions: readonly AsyncUserInputQuestion[] | null }
  | { readonly type: 'commandExecution'; readonly id: string; readonly command: string; readonly cwd: LegacyAppPathString; readonly processId: string | null; readonly source: CommandExecutionSource; readonly status: CommandExecutionStatus; readonly commandActions: readonly CommandAction[]; readonly aggregatedOutput: string | null; readonly exitCode: number | null }
  | { readonly type: 'contextCompaction'; readonly id: string }
  | { readonly type: 'enteredReviewMode'; readonly id: string; readonly review: string }
  | { readonly type: 'exitedReviewMode'; readonly id: string; readonly review: string }
  | { readonly type: 'fileChange'; readonly id: string; readonly changes: readonly FileUpdateChange[]; readonly status: PatchApplyStatus }
  | { readonly type: 'imageView'; readonly id: string; readonly path: LegacyAppPathString }
  | { readonly type: 'mcpToolCall'; readonly id: string; readonly server: string; readonly tool: string; readonly status: McpToolCallStatus; readonly arguments: unknown; readonly result: unknown; readonly error: unknown }
  | { readonly type: 'plan'; readonly id: string; readonly text: string }
  | { readonly type: 'reasoning'; readonly id: string; readonly summary: readonly string[]; readonly content: readonly string[] }
  | { readonly type: 'userMessage'; readonly id: string; readonly clientId: string | null }
  | { readonly type: 'webSearch' } & WebSearchItem;

export type ThreadNameUpdatedNotification = { readonly threadId: string; readonly threadName?: string };

export type ThreadReadParams = { readonly threadId: string };

export type ThreadReadResponse = { readonly thread: Thread };

export type ThreadResumeParams = {
  readonly threadId: string;
  readonly excludeTurns?: boolean;
  readonly config?: { readonly [key: string]: unknown } | null;
  readonly cwd?: string | null;
  readonly model?: string | null;
  readonly modelProvider?: string | null;
  readonly developerInstructions?: string | null;
  readonly approvalPolicy?: unknown;
  readonly approvalsReviewer?: string | null;
  readonly permissions?: string | null;
  readonly sandbox?: SandboxMode | null;
};

export type ThreadResumeResponse = {
  readonly thread: Thread;
  readonly model: string;
  readonly serviceTier: string | null;
  readonly reasoningEffort: ReasoningEffort | null;
  readonly activePermissionProfile: ActivePermissionProfile | null;
  readonly collaborationMode: CollaborationMode | null;
  readonly sandbox: SandboxPolicy;
  readonly approvalsReviewer: string;
};

export type ThreadSampleParams = {
  readonly threadId: string;
  readonly expectedTurnId: string;
  readonly prompt: string;
  readonly effort?: ReasoningEffort | null;
};

export type ThreadSampleResponse = { readonly text: string | null };

export type ThreadSetNameParams = { readonly threadId: string; readonly name: string };

export type ThreadSettingsUpdateParams = {
  readonly threadId: string;
  readonly collaborationMode?: CollaborationMode | null;
  readonly approvalPolicy?: unknown;
  readonly approvalsReviewer?: string | null;
  readonly sandboxPolicy?: SandboxPolicy | null;
  readonly permissions?: string | null;
  readonly model?: string | null;
  readonly effort?: ReasoningEffort | null;
  readonly serviceTier?: string | null;
};

export type ThreadStartParams = {
  readonly model?: string | null;
  readonly modelProvider?: string | null;
  readonly cwd?: string | null;
  readonly approvalPolicy?: unknown;
  readonly sandbox?: SandboxMode | null;
  readonly config?: { readonly [key: string]: unknown } | null;
  readonly developerInstructions?: string | null;
  readonly ephemeral?: boolean | null;
  readonly environments?: readonly unknown[] | null;
};

export type ThreadStartResponse = {
  readonly thread: Thread;
  readonly model: string;
  readonly serviceTier: string | null;
  readonly reasoningEffort: ReasoningEffort | null;
  readonly activePermissionProfile: ActivePermissionProfile | null;
};

export type ThreadStatus =
  | { readonly type: 'notLoaded' }
  | { readonly type: 'idle' }
  | { readonly type: 'systemError' }
  | { readonly type: 'active'; readonly activeFlags: readonly string[] };

export type ThreadStatusChangedNotification = { readonly threadId: string; readonly status: ThreadStatus };

export type ThreadTokenUsage = {
  readonly total: TokenUsageBreakdown;
  readonly last: TokenUsageBreakdown;
  readonly modelContextWindow: number | null;
};

export type ThreadTokenUsageUpdatedNotification = { readonly threadId: string; readonly turnId: string; readonly tokenUsage: ThreadTokenUsage };

export type ThreadTurnsListParams = {
  readonly threadId: string;
  readonly cursor?: string | null;
  readonly limit?: number | null;
  readonly sortDirection?: SortDirection | null;
  readonly itemsView?: TurnItemsView | null;
};

export type ThreadTurnsListResponse = {
  readonly data: readonly Turn[];
  readonly nextCursor: string | null;
  readonly backwardsCursor: string | null;
};

export type ThreadUnarchivedNotification = { readonly threadId: string };

export type ThreadUnsubscribeParams = { readonly threadId: string };

export type TokenUsageBreakdown = {
  readonly totalTokens: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteInputTokens: number;
  readonly outputTokens: number;
  readonly reasoningOutputTokens: number;
};

export type ToolRequestUserInputParams = { readonly threadId: string; readonly turnId: string };

export type ToolRequestUserInputResponse = { readonly answers: { readonly [key: string]: unknown } };

export type Turn = {
  readonly id: string;
  readonly rootTurnId: string | null;
  readonly status: TurnStatus;
  readonly error: TurnError | null;
};

export type TurnCompletedNotification = { readonly threadId: string; readonly turn: Turn };

export type TurnDiffUpdatedNotification = { readonly threadId: string; readonly turnId: string; readonly diff: string };

export type TurnError = {
  readonly message: string;
  readonly codexErrorInfo: unknown;
  readonly additionalDetails: string | null;
};

export type TurnInterruptParams = { readonly threadId: string; readonly turnId: string };

export type TurnItemsView = 'notLoaded' | 'summary' | 'full';

export type TurnPlanStep = { readonly step: string; readonly status: TurnPlanStepStatus };

export type TurnPlanStepStatus = 'pending' | 'inProgress' | 'completed';

export type TurnPlanUpdatedNotification = { readonly threadId: string; readonly turnId: string; readonly plan: readonly TurnPlanStep[] };

export type TurnStartedNotification = { readonly threadId: string; readonly turn: Turn };

export type TurnStartParams = {
  readonly threadId: string;
  readonly clientUserMessageId?: string | null;
  readonly input: readonly UserInput[];
  readonly runtimeWorkspaceRoots?: readonly AbsolutePathBuf[] | null;
  readonly approvalPolicy?: unknown;
  readonly approvalsReviewer?: string | null;
  readonly sandboxPolicy?: SandboxPolicy | null;
  readonly permissions?: string | null;
  readonly model?: string | null;
  readonly serviceTier?: string | null;
  readonly effort?: ReasoningEffort | null;
  readonly summary?: ReasoningSummary | null;
  readonly outputSchema?: unknown;
};

export type TurnStartResponse = { readonly turn: Turn };

export type TurnStatus = 'completed' | 'interrupted' | 'failed' | 'inProgress';

export type TurnSteerParams = {
  readonly threadId: string;
  readonly clientUserMessageId?: string | null;
  readonly input: readonly UserInput[];
  readonly expectedTurnId: string;
};

export type TurnSteerResponse = { readonly turnId: string };

export type UserInput =
  | { readonly type: 'image'; readonly detail?: ImageDetail } & ({ readonly url: string } | { readonly fileId: string })
  | { readonly type: 'text'; readonly text: string; readonly text_elements: readonly TextElement[] };

export type WarningNotification = { readonly threadId: string | null; readonly message: string };

export type WebSearchAction =
  | { readonly type: 'search'; readonly query: string | null; readonly queries: readonly string[] | null }
  | { readonly type: 'openPage'; readonly url: string | null }
  | { readonly type: 'findInPage'; readonly url: string | null; readonly pattern: string | null }
  | { readonly type: 'other' };

export type WebSearchItem = { readonly id: string; readonly query: string; readonly action: WebSearchAction | null };
