import type {
  AdditionalPermissions,
  CommandApproval,
  NetworkAmendment,
  ServerAnswer,
  ServerRequest,
} from '../../domain/interaction/approval-request.ts';
import type * as wire from './protocol.generated.ts';
import type { ApprovalRequests } from './protocol.ts';
import { commandActions } from './translate-item.ts';

type RequestTranslation<M extends keyof ApprovalRequests> = (params: ApprovalRequests[M][0]) => ServerRequest;

/** Requests of Codex that wait on the user, by method (S5 section 2, rows 1 to 5). */
const TRANSLATIONS: { readonly [M in keyof ApprovalRequests]: RequestTranslation<M> } = {
  'item/commandExecution/requestApproval': commandApproval,
  'item/fileChange/requestApproval': (params) => ({
    type: 'fileChangeApproval',
    turnId: requiredId(params.turnId),
    itemId: requiredId(params.itemId),
    reason: params.reason ?? null,
    grantRoot: params.grantRoot ?? null,
  }),
  'item/permissions/requestApproval': ({ turnId }) => ({ type: 'permissions', turnId: turnId ?? null }),
  'mcpServer/elicitation/request': ({ turnId }) => ({ type: 'elicitation', turnId: turnId ?? null }),
  'item/tool/requestUserInput': ({ turnId }) => ({ type: 'userInput', turnId: turnId ?? null }),
};

const BY_METHOD = new Map<string, (params: unknown) => ServerRequest>(
  Object.entries(TRANSLATIONS as Readonly<Record<string, (params: unknown) => ServerRequest>>),
);

/** Refusing answers by method, also for a request that cannot be read (S5.16). */
const REFUSALS: { readonly [M in keyof ApprovalRequests]: ServerAnswer } = {
  'item/commandExecution/requestApproval': { type: 'commandApproval', decision: 'cancel' },
  'item/fileChange/requestApproval': { type: 'fileChangeApproval', decision: 'cancel' },
  'item/permissions/requestApproval': { type: 'permissions' },
  'mcpServer/elicitation/request': { type: 'elicitation' },
  'item/tool/requestUserInput': { type: 'userInput' },
};

/** Whether the core is asked about requests of this method. */
export function isApprovalMethod(method: string): method is keyof ApprovalRequests {
  return BY_METHOD.has(method);
}

/** The request in the core's words; `null` when it is malformed and must be refused. */
export function translateRequest(method: keyof ApprovalRequests, params: unknown): ServerRequest | null {
  try {
    return BY_METHOD.get(method)?.(params) ?? null;
  } catch {
    return null;
  }
}

export function refusalOf(method: keyof ApprovalRequests): ServerAnswer {
  return REFUSALS[method];
}

/** The result that goes back to Codex. */
export function wireAnswer(answer: ServerAnswer): object {
  switch (answer.type) {
    case 'commandApproval':
      return { decision: answer.decision } satisfies wire.CommandExecutionRequestApprovalResponse;
    case 'fileChangeApproval':
      return { decision: answer.decision } satisfies wire.FileChangeRequestApprovalResponse;
    case 'permissions':
      return {
        permissions: {},
        scope: 'turn',
        strictAutoReview: false,
      } satisfies wire.PermissionsRequestApprovalResponse;
    case 'elicitation':
      return { action: 'cancel', content: null, _meta: null } satisfies wire.McpServerElicitationRequestResponse;
    case 'userInput':
      return { answers: {} } satisfies wire.ToolRequestUserInputResponse;
  }
}

const DENIED = {
  decision: { denied: { rejection: 'Approval requests of this kind are not supported.' } },
} satisfies wire.ApplyPatchApprovalResponse & wire.ExecCommandApprovalResponse;

const NO_DYNAMIC_TOOLS = {
  contentItems: [{ type: 'inputText', text: 'Dynamic tools are not supported by this client.' }],
  success: false,
} satisfies wire.DynamicToolCallResponse;

const UNSUPPORTED: ReadonlyMap<string, object> = new Map<string, object>([
  ['item/tool/call', NO_DYNAMIC_TOOLS],
  ['applyPatchApproval', DENIED],
  ['execCommandApproval', DENIED],
]);

/** The result for a method that we do not support; `undefined`: an error is the answer (S5.5). */
export function unsupportedAnswer(method: string): object | undefined {
  return UNSUPPORTED.get(method);
}

function commandApproval(params: wire.CommandExecutionRequestApprovalParams): CommandApproval {
  const { networkApprovalContext: network, proposedExecpolicyAmendment: execpolicy } = params;
  return {
    type: 'commandApproval',
    turnId: requiredId(params.turnId),
    itemId: requiredId(params.itemId),
    approvalId: params.approvalId ?? null,
    kind: params.kind ?? 'command',
    reason: params.reason ?? null,
    command: params.command ?? null,
    cwd: params.cwd ?? null,
    environmentId: params.environmentId ?? null,
    actions: commandActions(params.commandActions),
    network: network === null || network === undefined ? null : { host: network.host, protocol: network.protocol },
    additionalPermissions: additionalPermissions(params.additionalPermissions),
    proposedExecpolicyAmendment: execpolicy ?? null,
    proposedNetworkAmendments: (params.proposedNetworkPolicyAmendments ?? []).map(
      ({ host, action }): NetworkAmendment => ({ host, action }),
    ),
    availableDecisions: params.availableDecisions ?? null,
  };
}

/** As received: the core shows it and copies nothing of it into an answer (S5.42). */
function additionalPermissions(
  permissions: wire.AdditionalPermissionProfile | null | undefined,
): AdditionalPermissions | null {
  return typeof permissions === 'object' ? permissions : null;
}

function requiredId(id: unknown): string {
  if (typeof id !== 'string' || id === '') throw new TypeError('An id is missing');
  return id;
}
