import type { ConversationUpdate } from '../../domain/conversation/conversation-update.ts';
import type { FormAnswer, FormAsk } from '../../domain/interaction/form-ask.ts';
import type { AskAnswer, PermissionAsk } from '../../domain/interaction/permission-ask.ts';
import type { PromptEnding } from '../../domain/turn/work-ending.ts';
import type { AuthStatus, ClientChannel, OpenUrlAsk, UrlAsk } from '../../ports/outbound/client-channel.ts';
import type { Log } from '../../ports/outbound/system.ts';
import { parseAskAnswer } from './ask-answer.ts';
import type { ClientReply, ClientRequest, ClientRequests } from './client-requests.ts';
import type { Delivery } from './delivery.ts';
import { parseFormAnswer } from './form-elicitation.ts';
import { isJsonObject, type RequestId } from './json-rpc.ts';
import type { Outbox } from './outbox.ts';
import type { OutgoingUpdate } from './outgoing-update.ts';
import type { Presenter } from './presenter.ts';
import type { PromptReplies } from './prompt-replies.ts';

export interface AcpClientChannelParts {
  readonly outbox: Outbox;
  readonly delivery: Delivery;
  readonly requests: ClientRequests;
  readonly log: Log;
  /** The client answered an ask that was not withdrawn, or failed to. */
  readonly onAskSettled: (sessionId: string, askId: number, answer: AskAnswer) => void;
  /** The same for a form. */
  readonly onFormSettled: (sessionId: string, askId: number, answer: FormAnswer) => void;
}

interface AskOnWire {
  readonly askId: number;
  readonly sessionId: string;
  /** The user did not allow it: what it showed counts as not shown (S4.105). */
  readonly forget: () => void;
}

interface OpenAsk {
  readonly ask: AskOnWire;
  request: ClientRequest | null;
}

/** The core's way to the client of one connection, whatever its protocol version. */
export class AcpClientChannel implements ClientChannel {
  readonly #parts: AcpClientChannelParts;
  /** The presenter that a session was opened with (S1.95); `null` = ended, nothing is published (S1.206). */
  readonly #sessions = new Map<string, Presenter | null>();
  readonly #asks = new Map<number, OpenAsk>();
  #presenter: Presenter | null = null;
  #prompts: PromptReplies | null = null;
  #connected = false;
  #heldStatus: AuthStatus | null = null;

  constructor(parts: AcpClientChannelParts) {
    this.#parts = parts;
  }

  /** The version is known. After a repeated `initialize` open sessions keep their presenter (S1.95). */
  attach(presenter: Presenter, prompts: PromptReplies): void {
    this.#presenter = presenter;
    this.#prompts = prompts;
  }

  /** The response to `initialize` stands in the output: what belongs to no session may follow (S1.188). */
  connected(): void {
    this.#connected = true;
    const status = this.#heldStatus;
    this.#heldStatus = null;
    if (status !== null) this.authStatus(status);
  }

  /** A session is opened, for the first time or again (S1.206). */
  beginSession(sessionId: string): void {
    const former = this.#sessions.get(sessionId) ?? null;
    if (former !== null && former !== this.#presenter) former.forgetSession(sessionId);
    if (this.#presenter === null) this.#sessions.delete(sessionId);
    else this.#sessions.set(sessionId, this.#presenter);
  }

  update(sessionId: string, update: ConversationUpdate): void {
    const presenter = this.#presenterOf(sessionId);
    if (presenter === null) return;
    const frames = this.#present(presenter, sessionId, update);
    if (frames.length === 0) return;
    const { gates } = this.#parts.delivery;
    if (gates.isHeld(sessionId)) gates.pass(sessionId, () => this.#publish(sessionId, frames));
    else this.#publish(sessionId, frames);
  }

  promptInserted(sessionId: string, promptId: string, messageId: string): void {
    this.#holdFor(sessionId, this.#prompts?.inserted(promptId, messageId));
  }

  promptEnded(sessionId: string, promptId: string, ending: PromptEnding): void {
    this.#holdFor(sessionId, this.#prompts?.ended(promptId, ending));
  }

  ask(ask: PermissionAsk): void {
    const { sessionId, askId } = ask;
    const settled = (answer: AskAnswer): void => this.#parts.onAskSettled(sessionId, askId, answer);
    const presenter = this.#presenterOf(sessionId);
    const params = this.#presentAsk(sessionId, () => presenter?.presentAsk(ask));
    if (presenter === null || params === null) return this.#neverAsked(presenter, settled);
    const forget = (): void => presenter.forgetAsk(ask);
    this.#send('session/request_permission', params, { askId, sessionId, forget }, (reply) => {
      const answer = parseAskAnswer(reply);
      if (!allows(ask, answer)) forget();
      settled(answer);
    });
  }

  askForm(ask: FormAsk): void {
    const { sessionId, askId } = ask;
    const settled = (answer: FormAnswer): void => this.#parts.onFormSettled(sessionId, askId, answer);
    const presenter = this.#presenterOf(sessionId);
    const params = this.#presentAsk(sessionId, () => presenter?.presentForm(ask));
    if (presenter === null || params === null) return this.#neverAsked(presenter, settled);
    const forget = (): void => undefined;
    this.#send('elicitation/create', params, { askId, sessionId, forget }, (reply) =>
      settled(parseFormAnswer(ask, reply)),
    );
  }

  withdraw(askId: number): void {
    const open = this.#asks.get(askId);
    if (open === undefined) return;
    this.#asks.delete(askId);
    open.request?.withdraw();
    open.ask.forget();
  }

  endSession(sessionId: string): void {
    for (const { ask } of [...this.#asks.values()]) {
      if (ask.sessionId === sessionId) this.withdraw(ask.askId);
    }
    this.#parts.delivery.gates.dropRequests(sessionId);
    this.#presenterOf(sessionId)?.forgetSession(sessionId);
    this.#sessions.set(sessionId, null);
    this.#parts.outbox.forgetSession(sessionId);
  }

  /** Before the client is connected only the last status counts: the client replaces its whole state (S1.185). */
  authStatus(status: AuthStatus): void {
    if (!this.#connected) {
      this.#heldStatus = status;
      return;
    }
    const message = { jsonrpc: '2.0', method: '_auth/status_update', params: { authStatus: status } };
    this.#parts.outbox.enqueue(message, null);
  }

  askUrl({ requestId, elicitationId, url, message }: UrlAsk): OpenUrlAsk {
    let settle: (reply: ClientReply) => void = () => undefined;
    const answered = new Promise<'accepted' | 'declined' | 'failed'>((resolve) => {
      settle = (reply) => resolve(urlAnswer(reply));
    });
    const params = { mode: 'url', requestId, url, elicitationId, message };
    const request = this.#parts.requests.send('elicitation/create', params, (reply) => settle(reply));
    return { answered, withdraw: () => request.withdraw() };
  }

  completeUrl(elicitationId: string): void {
    this.#parts.outbox.enqueue({ jsonrpc: '2.0', method: 'elicitation/complete', params: { elicitationId } }, null);
  }

  /** A session that nobody began, as that of a child agent, begins with its first frame. */
  #presenterOf(sessionId: string): Presenter | null {
    const known = this.#sessions.get(sessionId);
    if (known !== undefined) return known;
    if (this.#presenter !== null) this.#sessions.set(sessionId, this.#presenter);
    return this.#presenter;
  }

  #publish(sessionId: string, frames: readonly OutgoingUpdate[]): void {
    const { outbox } = this.#parts;
    for (const frame of frames) {
      if (frame.kind === 'chunk') {
        outbox.enqueueChunk(sessionId, frame);
      } else {
        const params = { sessionId, update: frame.update };
        outbox.enqueue({ jsonrpc: '2.0', method: 'session/update', params }, sessionId);
      }
    }
  }

  #holdFor(sessionId: string, requestId: RequestId | undefined): void {
    if (requestId !== undefined) this.#parts.delivery.hold(sessionId, requestId);
  }

  /** Sends what is asked; `settled` hears the reply unless the ask is withdrawn before. */
  #send(method: string, params: object, ask: AskOnWire, settled: (reply: ClientReply) => void): void {
    const open: OpenAsk = { ask, request: null };
    this.#asks.set(ask.askId, open);
    const settle = (reply: ClientReply): void => {
      if (this.#asks.delete(ask.askId)) settled(reply);
    };
    open.request = this.#parts.requests.send(method, params, settle, ask.sessionId);
  }

  /** The asker hears it later, as it hears every answer. */
  #neverAsked(presenter: Presenter | null, settled: (answer: { type: 'failed'; reason: string }) => void): void {
    const reason = presenter === null ? 'The session is closed' : 'The request could not be presented';
    queueMicrotask(() => settled({ type: 'failed', reason }));
  }

  /** One thing that cannot be shown must not stop what follows (S4.8). */
  #present(presenter: Presenter, sessionId: string, update: ConversationUpdate): readonly OutgoingUpdate[] {
    try {
      return presenter.present(sessionId, update);
    } catch (exception) {
      this.#parts.log.error('An update could not be presented', { sessionId, type: update.type, exception });
      return [];
    }
  }

  #presentAsk(sessionId: string, present: () => object | undefined): object | null {
    try {
      return present() ?? null;
    } catch (exception) {
      this.#parts.log.error('A request to the user could not be presented', { sessionId, exception });
      return null;
    }
  }
}

function urlAnswer(reply: ClientReply): 'accepted' | 'declined' | 'failed' {
  if (!reply.ok) return 'failed';
  return isJsonObject(reply.result) && reply.result.action === 'accept' ? 'accepted' : 'declined';
}

function allows(ask: PermissionAsk, answer: AskAnswer): boolean {
  if (answer.type !== 'selected') return false;
  const option = ask.options.find(({ optionId }) => optionId === answer.optionId);
  return option?.kind === 'allow_once' || option?.kind === 'allow_always';
}
