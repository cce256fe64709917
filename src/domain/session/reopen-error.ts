import { AgentError, CodexLostError } from '../errors/agent-error.ts';

/** Says why an open session could not go on in a new process (S8.27, S8.29). */
export function reopenError(sessionId: string, error: unknown): Error {
  if (error instanceof AgentError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (message.includes('no rollout found') || message.includes('not materialized')) {
    return new CodexLostError(
      `Session ${sessionId} had no messages yet and was lost when the Codex app-server restarted. Start a new session.`,
      { exitCode: null, signal: null, restartable: false },
    );
  }
  return new CodexLostError(`Could not reopen session ${sessionId} after the Codex app-server restarted: ${message}`, {
    exitCode: null,
    signal: null,
    restartable: true,
  });
}
