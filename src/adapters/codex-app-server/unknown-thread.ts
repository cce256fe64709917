import { CodexRequestError } from '../../domain/errors/agent-error.ts';

/** Whether Codex refused a request because it does not know the thread; its errors differ by their texts only (S1.215). */
export function isUnknownThread(error: unknown): boolean {
  return (
    error instanceof CodexRequestError &&
    (error.message.includes('thread not loaded:') || error.message.includes('thread not found:'))
  );
}
