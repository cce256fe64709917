import type { ConversationUpdate } from '../../domain/conversation/conversation-update.ts';
import type { FormAsk } from '../../domain/interaction/form-ask.ts';
import type { PermissionAsk } from '../../domain/interaction/permission-ask.ts';
import type { PromptEnding } from '../../domain/turn/work-ending.ts';
import { token } from './service-identifier.ts';

/** Login status as pushed to the client (S1.185). */
export interface AuthStatus {
  readonly kind: 'account' | 'api_key' | 'external' | 'gateway' | 'none';
  readonly label: string;
  readonly detail?: string;
  readonly account?: { readonly email?: string; readonly plan?: string };
}

/** A page that the user is asked to open (S1.166). */
export interface UrlAsk {
  /** JSON-RPC id of the client's request that the ask belongs to. */
  readonly requestId: number | string | null;
  readonly elicitationId: string;
  readonly url: string;
  readonly message: string;
}

export interface OpenUrlAsk {
  /** `failed` when the client answered an error; never settles after a withdrawal. */
  readonly answered: Promise<'accepted' | 'declined' | 'failed'>;
  withdraw(): void;
}

/**
 * The way to the ACP client. Nothing here waits: calls leave in the order they are made (architecture, section 3.4),
 * merged when the client reads slowly. After `endSession` nothing is sent for that session (S1.206).
 */
export interface ClientChannel {
  update(sessionId: string, update: ConversationUpdate): void;
  /** Codex recorded the prompt's user message: v2 answers the prompt now (S3.41). */
  promptInserted(sessionId: string, promptId: string, messageId: string): void;
  /** The prompt's work ended: answers it if it is still unanswered (S3.40v1, S3.43). */
  promptEnded(sessionId: string, promptId: string, ending: PromptEnding): void;
  /** Sends a permission request; the answer comes back through the session's use case. */
  ask(ask: PermissionAsk): void;
  /** Asks the user to fill in a form; only for a client that supports it (S5.2). The answer comes back like that of `ask`. */
  askForm(ask: FormAsk): void;
  /** Withdraws an ask or a form: one `$/cancel_request`, a late answer is dropped (S5.20 to S5.22). */
  withdraw(askId: number): void;
  /** Ends the session and withdraws what is still asked in it. */
  endSession(sessionId: string): void;
  authStatus(status: AuthStatus): void;
  /** Asks the user to open a page; only for a client that supports it. */
  askUrl(ask: UrlAsk): OpenUrlAsk;
  /** What the page was for is done (S1.168). */
  completeUrl(elicitationId: string): void;
}

export const ClientChannel = token<ClientChannel>('ClientChannel');
