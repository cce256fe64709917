import type { RequestPermissionRequest, ToolCallContent } from '@agentclientprotocol/sdk/unstable';
import type { ClientProfile } from '../../domain/client/client-profile.ts';
import { absolutePaths } from '../../domain/conversation/absolute-path.ts';
import { permissionReport } from '../../domain/conversation/permission-report.ts';
import type { PermissionAsk } from '../../domain/interaction/permission-ask.ts';
import { airMeta } from '../acp/air-metadata.ts';
import { planReviewCall, planReviewTitle } from '../acp/plan-review-call.ts';
import type { ToolReport } from '../acp/tool-report-filter.ts';
import { textContent } from './text-content.ts';

/**
 * Params of a v1 permission request, with the report of its tool call (S5 sections 4.1 and 4.3). `shown` is the content
 * that the client shows of the call: a request's content replaces it, so it goes along (S5.34b).
 */
export function permissionRequest(
  ask: PermissionAsk,
  profile: ClientProfile,
  cwd: string,
  shown: readonly ToolCallContent[],
): RequestPermissionRequest & { readonly toolCall: ToolReport<ToolCallContent> } {
  const { sessionId, subject } = ask;
  const options = ask.options.map((option) => ({ optionId: option.optionId, name: option.name, kind: option.kind }));
  if (subject.type === 'planReview') {
    // The same for every client, without metadata (S5.125).
    return { sessionId, toolCall: { ...planReviewCall(subject), title: planReviewTitle }, options };
  }
  const air = profile.air !== null;
  const report = permissionReport(subject, air ? 'short' : 'standard');
  const { toolCallId, name, kind, title, reason, notes } = report;
  const rawInput = air || reason === null ? report.rawInput : { ...report.rawInput, reason };
  const paths = kind === 'edit' ? absolutePaths(report.paths, cwd) : report.paths;
  const toolCall: ToolReport<ToolCallContent> = {
    toolCallId,
    ...(name === null ? {} : { name }),
    ...(report.pending ? { kind, status: 'pending' } : {}),
    title,
    ...(Object.keys(rawInput).length === 0 ? {} : { rawInput }),
    ...(paths.length === 0 ? {} : { locations: paths.map((path) => ({ path })) }),
    ...(notes.length === 0 ? {} : { content: [...shown, ...notes.map(textContent)] }),
  };
  return {
    sessionId,
    toolCall,
    options,
    ...(air ? { _meta: airMeta({ permission: permissionMeta(report.question, reason) }) } : {}),
  };
}

function permissionMeta(title: string, description: string | null): Record<string, unknown> {
  return { version: 1, title, ...(description === null ? {} : { description }) };
}
