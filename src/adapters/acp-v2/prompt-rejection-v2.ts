import type { CancelReason, PromptEnding } from '../../domain/turn/work-ending.ts';
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

/** S3.23, S3.52, S3.59. */
function cancelled(sessionId: string, reason: CancelReason | null): ErrorDescriptor {
  switch (reason) {
    case null:
      return { code: -32800, message: 'Request cancelled' };
    case 'requestCancelled':
      return requestCancelled('The prompt request was cancelled before it was inserted');
    case 'sessionCancelled':
      return requestCancelled(`Session ${sessionId} was cancelled before the prompt was inserted`);
    case 'sessionClosed':
      return requestCancelled(`Session ${sessionId} was closed before the prompt was inserted`);
    case 'sessionClosing': {
      const text = `Session ${sessionId} is closing`;
      return { code: -32600, message: `Invalid request: ${text}`, data: text };
    }
  }
}

function requestCancelled(text: string): ErrorDescriptor {
  return { code: -32800, message: `Request cancelled: ${text}` };
}
