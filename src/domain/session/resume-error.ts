import { AgentError, CodexRequestError } from '../errors/agent-error.ts';

/** Texts by which Codex says that it does not know a thread (S2.35). */
const unknownThread = [
  'no rollout found',
  'thread not loaded:',
  'thread not found:',
  'invalid thread id',
  'invalid session id',
];

/** What a client is told when a recorded session cannot be opened (S2.34 to S2.37, C041). */
export function resumeError(sessionId: string, error: unknown): unknown {
  if (!(error instanceof CodexRequestError)) return error;
  const { message } = error;
  if (message.includes('already has an active writer')) {
    return AgentError.invalidRequest(
      'This Codex session is in use by another Codex client (the Codex app, the CLI or an IDE extension). ' +
        'Close the session there or quit that client, then try again.',
      { reason: 'thread_active_writer', threadId: sessionId, details: message },
    );
  }
  if (message.includes('is archived')) {
    return AgentError.invalidRequest(`Session is archived: ${sessionId}`, { reason: 'archived', sessionId });
  }
  if (unknownThread.some((text) => message.includes(text))) {
    return new AgentError('sessionNotFound', `Session not found: ${sessionId}`, { sessionId, details: message });
  }
  return error;
}
