import type { ConversationUpdate } from '../../domain/conversation/conversation-update.ts';
import type { FormAsk } from '../../domain/interaction/form-ask.ts';
import type { PermissionAsk } from '../../domain/interaction/permission-ask.ts';
import type { OutgoingUpdate } from './outgoing-update.ts';

/**
 * Turns the core's words into the frames of one protocol version. It decides nothing about turns or permissions and
 * does no I/O; its only state is what the client already knows about tool calls and metadata (S4.101, S4.93).
 */
export interface Presenter {
  /** Updates for one thing to show, in order; empty when this client is shown nothing. */
  present(sessionId: string, update: ConversationUpdate): readonly OutgoingUpdate[];
  /** Params of `session/request_permission`; counts as a report of the tool call (S5.35). */
  presentAsk(ask: PermissionAsk): object;
  /** Params of `elicitation/create` for a form (S5.106, S5.116). */
  presentForm(ask: FormAsk): object;
  /** The ask ended without an allowing answer: the next report of its tool call is complete again (S4.105). */
  forgetAsk(ask: PermissionAsk): void;
  /** The session is over: drops what is known about it. */
  forgetSession(sessionId: string): void;
}
