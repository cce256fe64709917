import type { PromptEnding } from '../../domain/turn/work-ending.ts';
import type { ErrorDescriptor } from '../acp/failure-error.ts';
import { foregroundError, requestError } from '../acp/failure-error.ts';

/**
 * The error that answers a v2 prompt which ended before Codex recorded its message (S3.43, S1.221); `null` when the
 * prompt was answered at its insertion.
 */
export function promptRejectionV2(sessionId: string, ending: PromptEnding): ErrorDescriptor | null {
  if (ending.inserted) return null;
  const { outcome } = ending;
  switch (outcome.type) {
    case 'cancelled':
      return cancelled(sessionId, ending.reason);
    case 'done':
      return {
        code: -32603,
        message: 'Internal error: The prompt ended before Codex recorded the user message',
      };
    case 'failed':
      return rejected(outcome.failure);
  }
}

/** Unlike `idle`, the answer tells all that is known of a lost app-server, and why a start was refused (S1.212). */
function rejected(failure: Extract<PromptEnding['outcome'], { type: 'failed' }>['failure']): ErrorDescriptor {
  switch (failure.type) {
    case 'turn':
      return foregroundError(failure);
    case 'lost':
      return requestError(failure.cause);
    case 'refused':
      return requestError(failure.error);
  }
}

/** A reason is a sentence of its own, or what happened to the session (S3.52, S3.59, S3.23). */
function cancelled(sessionId: string, reason: string | null): ErrorDescriptor {
  if (reason === null) return { code: -32800, message: 'Request cancelled' };
  const sentence = /^\p{Lu}/u.test(reason) ? reason : `Session ${sessionId} ${reason}`;
  if (reason === 'is closing') return { code: -32600, message: `Invalid request: ${sentence}`, data: sentence };
  return { code: -32800, message: `Request cancelled: ${sentence}` };
}
