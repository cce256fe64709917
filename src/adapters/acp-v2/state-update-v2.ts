import type { SessionUpdate } from '@agentclientprotocol/sdk/experimental/v2/unstable';
import type { WorkEnding } from '../../domain/turn/work-ending.ts';
import { airMeta } from '../acp/air-metadata.ts';
import { foregroundError } from '../acp/failure-error.ts';
import type { FailureRecord } from '../acp/failure-record.ts';
import { quota, tokenUsage } from '../acp/work-usage.ts';

/**
 * `idle` at the end of work (S3.97, S3.98). Work without prompt has no usage and no `_meta`; the failure of a prompt
 * comes along as a record for clients with typed failures (S11.43).
 */
export function idleUpdate(ending: WorkEnding, record: FailureRecord | null): SessionUpdate {
  const { outcome, usage } = ending;
  const tokens = usage?.tokens ?? null;
  const common = {
    sessionUpdate: 'state_update' as const,
    state: 'idle' as const,
    ...(tokens === null ? {} : { usage: tokenUsage(tokens) }),
    ...(usage === null ? {} : { _meta: withRecord({ quota: quota(usage) }, record) }),
  };
  switch (outcome.type) {
    case 'done':
      return { ...common, stopReason: 'end_turn' };
    case 'cancelled':
      return { ...common, stopReason: 'cancelled' };
    case 'failed':
      return { ...common, stopReason: 'error', error: foregroundError(outcome.failure) };
  }
}

function withRecord(meta: Record<string, unknown>, record: FailureRecord | null): Record<string, unknown> {
  return record === null ? meta : airMeta({ sessionFailure: record }, meta);
}
