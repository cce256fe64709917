import type { ClientProfile } from '../client/client-profile.ts';
import type { ConversationUpdate } from '../conversation/conversation-update.ts';
import type { SessionSettings } from '../settings/session-settings.ts';

/**
 * What a feature of a session may use. Everything comes back through the session's mailbox: a feature is only ever
 * called from there, decides at once, and never awaits (architecture, section 3).
 */
export interface SessionContext {
  readonly sessionId: string;
  readonly profile: ClientProfile;
  settings(): SessionSettings;
  /** Shows something to the client, in order; nothing is shown once the session is closed. */
  show(update: ConversationUpdate): void;
  /**
   * Brings the result of a call back through the mailbox: exactly one of the two is called, unless the session was
   * closed meanwhile, which drops the result (S3.73).
   */
  settle<Result>(work: Promise<Result>, then: (result: Result) => void, failed: (error: Error) => void): void;
  /** Runs the action in the mailbox after the delay in milliseconds, unless cancelled or closed before. */
  after(ms: number, action: () => void): () => void;
}
