import type { PromptResponse, StopReason } from '@agentclientprotocol/sdk/unstable';
import type { ClientProfile } from '../../domain/client/client-profile.ts';
import { hasAir } from '../../domain/client/client-profile.ts';
import { failureKind } from '../../domain/conversation/failure-kind.ts';
import type { TurnError } from '../../domain/thread/thread-event.ts';
import type { Failure, PromptEnding } from '../../domain/turn/work-ending.ts';
import { airMeta } from '../acp/air-metadata.ts';
import type { ErrorDescriptor } from '../acp/failure-error.ts';
import { requestError } from '../acp/failure-error.ts';
import type { FailureRecord, SessionFailures } from '../acp/failure-record.ts';
import { quota, tokenUsage } from '../acp/work-usage.ts';

/** How a v1 prompt is answered: a result, or a JSON-RPC error. */
export type PromptResultV1 =
  | { readonly type: 'result'; readonly result: PromptResponse }
  | { readonly type: 'error'; readonly error: ErrorDescriptor };

/** The answer to a v1 prompt whose work ended (S3.41v1, S3 table 12.2, S12.11). */
export function promptResultV1(
  ending: PromptEnding,
  profile: ClientProfile,
  failures: SessionFailures,
): PromptResultV1 {
  const { outcome } = ending;
  switch (outcome.type) {
    case 'done':
      return result(ending, 'end_turn', null);
    case 'cancelled':
      return result(ending, 'cancelled', null);
    case 'failed': {
      const { failure } = outcome;
      const record = hasAir(profile, 'sessionFailure') ? failures.ended(failure) : null;
      return record === null ? untypedResult(ending, failure) : result(ending, 'end_turn', record);
    }
  }
}

function result(ending: PromptEnding, stopReason: StopReason, record: FailureRecord | null): PromptResultV1 {
  const tokens = ending.usage?.tokens ?? null;
  const meta = { quota: quota(ending.usage) };
  return {
    type: 'result',
    result: {
      stopReason,
      usage: tokens === null ? null : tokenUsage(tokens),
      _meta: record === null ? meta : airMeta({ sessionFailure: record }, meta),
    },
  };
}

/** For a client without typed failures: the text of the failure was shown before, or the prompt itself fails. */
function untypedResult(ending: PromptEnding, failure: Failure): PromptResultV1 {
  switch (failure.type) {
    case 'lost':
      return { type: 'error', error: requestError(failure.cause) };
    case 'refused':
      return { type: 'error', error: requestError(failure.error) };
    case 'turn':
      return failedTurn(ending, failure.error);
  }
}

function failedTurn(ending: PromptEnding, error: TurnError | null): PromptResultV1 {
  switch (failureKind(error).name) {
    case 'auth_required':
      return { type: 'error', error: { code: -32000, message: 'Authentication required' } };
    case 'quota_exhausted':
      return { type: 'error', error: usageLimit(error) };
    case 'context_exhausted':
    case 'budget_exhausted':
      return result(ending, 'max_tokens', null);
    case 'policy_denied':
      return result(ending, 'refusal', null);
    case 'bad_request':
    case 'internal_error':
    case 'overloaded':
    case 'provider_error':
    case 'rate_limited':
    case 'transport_lost':
      return result(ending, 'end_turn', null);
  }
}

/** The one failure that also fails the prompt (S1.219). */
function usageLimit(error: TurnError | null): ErrorDescriptor {
  const details = error?.details ?? null;
  return {
    code: -32603,
    message: 'Internal error',
    data: {
      message: details ?? error?.message ?? '',
      codexErrorInfo: error?.info,
      ...(details === null ? {} : { additionalDetails: details }),
    },
  };
}
