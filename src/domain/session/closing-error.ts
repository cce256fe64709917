import { AgentError } from '../errors/agent-error.ts';

/** What everybody is told who wants something of a session that is being closed (S3.23, S3.67). */
export function closingError(sessionId: string): AgentError {
  return AgentError.invalidRequest(`Session ${sessionId} is closing`);
}
