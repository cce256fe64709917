import type { RequestPermissionRequest, ToolCallContent } from '@agentclientprotocol/sdk/experimental/v2/unstable';
import type { ClientProfile } from '../../domain/client/client-profile.ts';
import { absolutePaths } from '../../domain/conversation/absolute-path.ts';
import { permissionReport } from '../../domain/conversation/permission-report.ts';
import type { PermissionAsk } from '../../domain/interaction/permission-ask.ts';
import { airMeta } from '../acp/air-metadata.ts';
import { planReviewCall, planReviewTitle } from '../acp/plan-review-call.ts';
import type { ToolReport } from '../acp/tool-report-filter.ts';
import { textContent } from './text-content.ts';

/** A v2 permission request, with the report of its tool call. */
export interface PermissionRequestV2 {
  readonly request: RequestPermissionRequest;
  readonly toolCall: ToolReport<ToolCallContent>;
}

/**
 * A v2 permission request: the question has its own title and description, the tool call is its subject (S5.36).
 * `shown` is the content that the client shows of the call: a request's content replaces it (S5.34b).
 */
export function permissionRequest(
  ask: PermissionAsk,
  profile: ClientProfile,
  cwd: string,
  shown: readonly ToolCallContent[],
): PermissionRequestV2 {
  const { sessionId, subject } = ask;
  const options = ask.options.map((option) => ({ optionId: option.optionId, name: option.name, kind: option.kind }));
  if (subject.type === 'planReview') {
    const toolCall = planReviewCall(subject);
    const request = { sessionId, title: planReviewTitle, subject: { type: 'tool_call' as const, toolCall }, options };
    return { toolCall, request };
  }
  const report = permissionReport(subject, 'standard');
  const { toolCallId, name, kind, title, question, reason, rawInput, notes } = report;
  const paths = absolutePaths(report.paths, report.cwd ?? cwd);
  const description = reason === null ? {} : { description: reason };
  const toolCall: ToolReport<ToolCallContent> = {
    toolCallId,
    ...(name === null ? {} : { name }),
    kind,
    status: 'pending',
    title,
    ...(Object.keys(rawInput).length === 0 ? {} : { rawInput }),
    ...(paths.length === 0 ? {} : { locations: paths.map((path) => ({ path })) }),
    ...(notes.length === 0 ? {} : { content: [...shown, ...notes.map(textContent)] }),
  };
  const permission = { version: 1, title: question, ...description };
  return {
    toolCall,
    request: {
      sessionId,
      title: question,
      ...description,
      subject: { type: 'tool_call', toolCall },
      options,
      ...(profile.air === null ? {} : { _meta: airMeta({ permission }) }),
    },
  };
}
