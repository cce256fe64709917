import type { ToolCallContent } from '@agentclientprotocol/sdk/unstable';
import type { ClientProfile } from '../../domain/client/client-profile.ts';
import type { Notice } from '../../domain/conversation/conversation-update.ts';
import { airMeta } from '../acp/air-metadata.ts';
import type { CompactionReport } from '../acp/compaction-report.ts';
import type { ToolReport } from '../acp/tool-report-filter.ts';

/**
 * A compaction as a tool call, for clients without compaction updates (S3.167). Each report says everything; what the
 * client knows is taken out later (S4.134).
 */
export function compactionCall(
  { compactionId, status }: CompactionReport,
  profile: ClientProfile,
): ToolReport<ToolCallContent> {
  return {
    toolCallId: compactionId,
    kind: 'think',
    title: 'Compact conversation',
    status: callStatus(status),
    ...(profile.air === null ? {} : { _meta: airMeta({ contextCompaction: { version: 1 } }) }),
  };
}

/** Tool calls know no cancelled end. */
function callStatus(status: CompactionReport['status']): 'completed' | 'failed' | 'in_progress' {
  switch (status) {
    case 'in_progress':
    case 'completed':
      return status;
    case 'failed':
    case 'cancelled':
      return 'failed';
  }
}

/** A compaction of which only the end is known, for clients without compaction updates (S3.168). */
export const compactedNotice: Notice = {
  severity: 'info',
  title: 'Context compacted',
  description: "Conversation compacted to fit the model's context window.",
  fallback: { kind: 'text', text: "*Context compacted to fit the model's context window.*\n\n" },
};
