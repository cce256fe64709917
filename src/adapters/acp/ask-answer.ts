import type { AskAnswer } from '../../domain/interaction/permission-ask.ts';
import type { ClientReply } from './client-requests.ts';
import { isJsonObject } from './json-rpc.ts';

/**
 * Reads the client's reply to `session/request_permission` defensively: only `selected` with a text id selects, whatever
 * else stands in it; unknown outcomes and errors are failures (S5.16, S5.17, S5.39). The core checks the id.
 */
export function parseAskAnswer(reply: ClientReply): AskAnswer {
  if (!reply.ok) return { type: 'failed', reason: reply.reason };
  const outcome = isJsonObject(reply.result) ? reply.result.outcome : undefined;
  if (!isJsonObject(outcome)) return { type: 'failed', reason: 'The answer has no outcome' };
  if (outcome.outcome === 'cancelled') return { type: 'cancelled' };
  if (outcome.outcome !== 'selected') return { type: 'failed', reason: 'The outcome is unknown' };
  if (typeof outcome.optionId !== 'string') return { type: 'failed', reason: 'The selection names no option' };
  return { type: 'selected', optionId: outcome.optionId };
}
