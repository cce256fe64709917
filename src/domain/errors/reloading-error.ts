import { AgentError } from './agent-error.ts';

/** What everybody is told who wants something of a session whose instructions are being changed (S2.57, S3.22). */
export function reloadingError(): AgentError {
  const text = 'Session instructions are being updated; retry after session setup';
  // Clients look for the text in the message or in the data (S3.25).
  return AgentError.invalidRequest(text, text);
}
