import type * as wire from './protocol.generated.ts';

/*
 * Which method takes and gives what. The types are generated; the tables are kept by hand, because Codex generates
 * unions of all methods and no link between a request and its result.
 */

export type RequestId = wire.RequestId;

type Nothing = Record<string, never>;

/** Requests that we send: `[params, result]`. */
export interface ClientRequests {
  'account/login/cancel': [wire.CancelLoginAccountParams, unknown];
  'account/login/start': [wire.LoginAccountParams, wire.LoginAccountResponse];
  'account/logout': [undefined, unknown];
  'account/rateLimits/read': [undefined, wire.GetAccountRateLimitsResponse];
  'account/read': [wire.GetAccountParams, wire.GetAccountResponse];
  'config/mcpServer/reload': [undefined, unknown];
  'config/read': [wire.ConfigReadParams, wire.ConfigReadResponse];
  initialize: [wire.InitializeParams, wire.InitializeResponse];
  'mcpServerStatus/list': [wire.ListMcpServerStatusParams, wire.ListMcpServerStatusResponse];
  'model/list': [wire.ModelListParams, wire.ModelListResponse];
  'permissionProfile/list': [wire.PermissionProfileListParams, wire.PermissionProfileListResponse];
  'review/start': [wire.ReviewStartParams, wire.ReviewStartResponse];
  'skills/extraRoots/set': [wire.SkillsExtraRootsSetParams, unknown];
  'skills/list': [wire.SkillsListParams, wire.SkillsListResponse];
  'thread/archive': [wire.ThreadArchiveParams, unknown];
  'thread/backgroundTerminals/list': [
    wire.ThreadBackgroundTerminalsListParams,
    wire.ThreadBackgroundTerminalsListResponse,
  ];
  'thread/backgroundTerminals/terminate': [wire.ThreadBackgroundTerminalsTerminateParams, unknown];
  'thread/compact/start': [wire.ThreadCompactStartParams, unknown];
  'thread/goal/clear': [wire.ThreadGoalClearParams, wire.ThreadGoalClearResponse];
  'thread/goal/get': [wire.ThreadGoalGetParams, wire.ThreadGoalGetResponse];
  'thread/goal/set': [wire.ThreadGoalSetParams, wire.ThreadGoalSetResponse];
  'thread/name/set': [wire.ThreadSetNameParams, unknown];
  'thread/read': [wire.ThreadReadParams, wire.ThreadReadResponse];
  'thread/resume': [wire.ThreadResumeParams, wire.ThreadResumeResponse];
  'thread/sample': [wire.ThreadSampleParams, wire.ThreadSampleResponse];
  'thread/settings/update': [wire.ThreadSettingsUpdateParams, unknown];
  'thread/start': [wire.ThreadStartParams, wire.ThreadStartResponse];
  'thread/turns/list': [wire.ThreadTurnsListParams, wire.ThreadTurnsListResponse];
  'thread/unsubscribe': [wire.ThreadUnsubscribeParams, unknown];
  'turn/interrupt': [wire.TurnInterruptParams, Nothing];
  'turn/start': [wire.TurnStartParams, wire.TurnStartResponse];
  'turn/steer': [wire.TurnSteerParams, wire.TurnSteerResponse];
}

export type ClientMethod = keyof ClientRequests;
export type ClientParams<M extends ClientMethod> = ClientRequests[M][0];
export type ClientResult<M extends ClientMethod> = ClientRequests[M][1];

/** Sends a request to the running app-server. */
export type CallCodex = <M extends ClientMethod>(method: M, params: ClientParams<M>) => Promise<ClientResult<M>>;

/** Advice; some of it belongs to a thread, some to none. */
export interface NoticeNotifications {
  configWarning: wire.ConfigWarningNotification;
  deprecationNotice: wire.DeprecationNoticeNotification;
  warning: wire.WarningNotification;
}

/** Notifications that become thread events. */
export interface ThreadNotifications extends NoticeNotifications {
  error: wire.ErrorNotification;
  'item/agentMessage/delta': wire.AgentMessageDeltaNotification;
  'item/commandExecution/outputDelta': wire.CommandExecutionOutputDeltaNotification;
  'item/commandExecution/terminalInteraction': wire.TerminalInteractionNotification;
  'item/completed': wire.ItemCompletedNotification;
  'item/fileChange/patchUpdated': wire.FileChangePatchUpdatedNotification;
  'item/mcpToolCall/progress': wire.McpToolCallProgressNotification;
  'item/plan/delta': wire.PlanDeltaNotification;
  'item/reasoning/summaryPartAdded': wire.ReasoningSummaryPartAddedNotification;
  'item/reasoning/summaryTextDelta': wire.ReasoningSummaryTextDeltaNotification;
  'item/reasoning/textDelta': wire.ReasoningTextDeltaNotification;
  'item/started': wire.ItemStartedNotification;
  'model/rerouted': wire.ModelReroutedNotification;
  'serverRequest/resolved': wire.ServerRequestResolvedNotification;
  'thread/archived': wire.ThreadArchivedNotification;
  'thread/closed': wire.ThreadClosedNotification;
  'thread/compacted': wire.ContextCompactedNotification;
  'thread/goal/cleared': wire.ThreadGoalClearedNotification;
  'thread/goal/updated': wire.ThreadGoalUpdatedNotification;
  'thread/name/updated': wire.ThreadNameUpdatedNotification;
  'thread/status/changed': wire.ThreadStatusChangedNotification;
  'thread/tokenUsage/updated': wire.ThreadTokenUsageUpdatedNotification;
  'thread/unarchived': wire.ThreadUnarchivedNotification;
  'turn/completed': wire.TurnCompletedNotification;
  'turn/diff/updated': wire.TurnDiffUpdatedNotification;
  'turn/plan/updated': wire.TurnPlanUpdatedNotification;
  'turn/started': wire.TurnStartedNotification;
}

/** Notifications that belong to no thread, or that may do without one. */
export interface GlobalNotifications extends NoticeNotifications {
  'account/login/completed': wire.AccountLoginCompletedNotification;
  'account/rateLimits/updated': wire.AccountRateLimitsUpdatedNotification;
  'account/updated': wire.AccountUpdatedNotification;
  'skills/changed': wire.SkillsChangedNotification;
}

/** Requests of Codex that the core sees: `[params, result]` (S5 section 2). */
export interface ApprovalRequests {
  'item/commandExecution/requestApproval': [
    wire.CommandExecutionRequestApprovalParams,
    wire.CommandExecutionRequestApprovalResponse,
  ];
  'item/fileChange/requestApproval': [wire.FileChangeRequestApprovalParams, wire.FileChangeRequestApprovalResponse];
  'item/permissions/requestApproval': [wire.PermissionsRequestApprovalParams, wire.PermissionsRequestApprovalResponse];
  'item/tool/requestUserInput': [wire.ToolRequestUserInputParams, wire.ToolRequestUserInputResponse];
  'mcpServer/elicitation/request': [wire.McpServerElicitationRequestParams, wire.McpServerElicitationRequestResponse];
}
