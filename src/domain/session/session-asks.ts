import type { ClientChannel } from '../../ports/outbound/client-channel.ts';
import type { CodexTurns } from '../../ports/outbound/codex-runtime.ts';
import type { Log } from '../../ports/outbound/system.ts';
import type { ConversationUpdate } from '../conversation/conversation-update.ts';
import type { ServerRequest, ServerRequestId, ServerRequestRef } from '../interaction/approval-request.ts';
import { refusal } from '../interaction/approval-request.ts';
import type { OpenAsk } from '../interaction/open-asks.ts';
import { OpenAsks } from '../interaction/open-asks.ts';
import type { AskAnswer } from '../interaction/permission-ask.ts';
import { buildAsk, decide } from '../interaction/permission-asks.ts';
import type { ToolItem } from '../thread/thread-item.ts';

export interface SessionAsksPorts {
  readonly channel: ClientChannel;
  readonly turns: CodexTurns;
  readonly log: Log;
  readonly nextAskId: () => number;
}

export interface SessionAsksHooks {
  readonly tool: (itemId: string) => ToolItem | null;
  readonly show: (update: ConversationUpdate) => void;
  /** The user is asked about an item, and has answered (S5.144). */
  readonly opened: (askId: number, itemId: string) => void;
  readonly answered: (askId: number) => void;
  readonly withdrawn: (askId: number) => void;
}

/** Everything of one session that waits for the user: each Codex request gets exactly one answer (S5.6). */
export class SessionAsks {
  readonly #sessionId: string;
  readonly #ports: SessionAsksPorts;
  readonly #hooks: SessionAsksHooks;
  readonly #open = new OpenAsks();

  constructor(sessionId: string, ports: SessionAsksPorts, hooks: SessionAsksHooks) {
    this.#sessionId = sessionId;
    this.#ports = ports;
    this.#hooks = hooks;
  }

  /** Asks the user, or refuses at once what cannot be asked (S5.16, S5.174). */
  ask(ref: ServerRequestRef, request: ServerRequest): void {
    if (request.type !== 'commandApproval' && request.type !== 'fileChangeApproval') return this.refuse(ref, request);
    if (this.#open.full) {
      this.#ports.log.warn('Too many open permission requests; one more was refused', { sessionId: this.#sessionId });
      return this.refuse(ref, request);
    }
    const askId = this.#ports.nextAskId();
    const item = this.#hooks.tool(request.itemId);
    const ask = buildAsk(request, { askId, sessionId: this.#sessionId, item });
    if (ask === null) {
      this.#ports.log.warn('A permission request of Codex could not be shown and was refused', {
        sessionId: this.#sessionId,
        turnId: request.turnId,
        itemId: request.itemId,
      });
      return this.refuse(ref, request);
    }
    this.#open.add({ ask, ref, request });
    this.#hooks.opened(askId, request.itemId);
    this.#ports.channel.ask(ask);
  }

  refuse(ref: ServerRequestRef, request: ServerRequest): void {
    this.#ports.turns.answer(ref, refusal(request));
  }

  /** The request could not be handled: whatever became of it, Codex gets one refusal. */
  failed(ref: ServerRequestRef, request: ServerRequest): void {
    const open = this.#open.takeRequest(ref.id);
    if (open.length > 0) this.#withdraw(open);
    else this.refuse(ref, request);
  }

  /** The client answered; an ask that was withdrawn before stays settled (S5.22). */
  answer(askId: number, answer: AskAnswer): void {
    const open = this.#open.take(askId);
    if (open === null) return;
    if (answer.type === 'failed') {
      this.#ports.log.warn('The client failed to answer a permission request; it was refused', {
        sessionId: this.#sessionId,
        reason: answer.reason,
      });
    }
    const decision = decide(open.ask, answer);
    if (decision.allowed && open.ask.subject.item !== null) {
      this.#hooks.show({ type: 'toolResumed', itemId: open.ask.subject.item.id });
    }
    this.#hooks.answered(askId);
    this.#ports.turns.answer(open.ref, decision.answer);
  }

  /** `spare`: what a turn that goes on asks stays. */
  withdrawAll(spare?: string): void {
    this.#withdraw(this.#open.takeAll(spare));
  }

  /** The turn is over: nobody waits for its questions any more (S5.23). */
  turnOver(turnId: string): void {
    this.#withdraw(this.#open.takeOfTurn(turnId));
  }

  /** Codex settled the request in another way (S5.24). */
  resolved(id: ServerRequestId): void {
    this.#withdraw(this.#open.takeRequest(id));
  }

  /** First every ask, then every answer (S5.21). */
  #withdraw(asks: readonly OpenAsk[]): void {
    for (const { ask } of asks) {
      this.#hooks.withdrawn(ask.askId);
      this.#ports.channel.withdraw(ask.askId);
    }
    for (const { ref, request } of asks) this.refuse(ref, request);
  }
}
