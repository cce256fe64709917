import { AgentError } from '../errors/agent-error.ts';

/** What everybody is told who wants something of a session that is being closed (S3.23, S3.67). */
export function closingError(sessionId: string): AgentError {
  const text = `Session ${sessionId} is closing`;
  // Clients look for the text in the message or in the data (S3.25).
  return AgentError.invalidRequest(text, text);
}
