import { Conversation } from '../../../src/domain/conversation/conversation.ts';
import type { ConversationUpdate } from '../../../src/domain/conversation/conversation-update.ts';
import type { PlanMode } from '../../../src/domain/conversation/plan-texts.ts';
import type { ThreadEvent } from '../../../src/domain/thread/thread-event.ts';
import type { AgentMessageItem, ReasoningItem, ThreadItem } from '../../../src/domain/thread/thread-item.ts';
import type { TurnEnd } from '../../../src/domain/turn/turn-end.ts';

/** A conversation alone: events go in, what the client is shown comes out. */
export class ConversationLab {
  readonly shown: ConversationUpdate[] = [];
  /** Reports of plans that were asked for, oldest first. */
  readonly due: { readonly itemId: string; readonly ms: number }[] = [];
  readonly conversation: Conversation;
  /** The client knows why its turns have no outcome. */
  explained = false;

  constructor(planMode: PlanMode = 'throttled') {
    this.conversation = new Conversation({
      failureEndsAll: false,
      snapshots: false,
      show: (update) => this.shown.push(update),
      snapshotDue: () => undefined,
      ignored: () => undefined,
      planMode,
      planDue: (itemId, ms) => this.due.push({ itemId, ms }),
      explained: () => this.explained,
    });
  }

  handle(...events: ThreadEvent[]): this {
    for (const event of events) this.conversation.handle(event);
    return this;
  }

  end(turnId: string | null = 't', end: Partial<TurnEnd> = {}): this {
    this.conversation.endTurn(turnId, { status: 'completed', error: null, ...end });
    return this;
  }

  /** Everything shown since the last call. */
  take(): ConversationUpdate[] {
    return this.shown.splice(0);
  }
}

export function started(item: ThreadItem, turnId = 't'): ThreadEvent {
  return { type: 'itemStarted', turnId, item };
}

export function completed(item: ThreadItem, turnId = 't'): ThreadEvent {
  return { type: 'itemCompleted', turnId, item };
}

export function messageDelta(delta: string, itemId = 'm', turnId = 't'): ThreadEvent {
  return { type: 'messageDelta', turnId, itemId, delta };
}

export function reasoningDelta(delta: string, itemId = 'r', turnId = 't'): ThreadEvent {
  return { type: 'reasoningDelta', turnId, itemId, delta };
}

export function planDelta(delta: string, itemId = 'p', turnId = 't'): ThreadEvent {
  return { type: 'planDelta', turnId, itemId, delta };
}

export function message(text: string, facts: Partial<AgentMessageItem> = {}): AgentMessageItem {
  return { type: 'agentMessage', id: 'm', text, phase: null, hidden: false, ...facts };
}

export function reasoning(facts: Partial<ReasoningItem> = {}): ReasoningItem {
  return { type: 'reasoning', id: 'r', summary: [], content: [], ...facts };
}

export function failure(turnId: string, text: string, willRetry = false): ThreadEvent {
  return { type: 'error', turnId, error: { message: text, info: null, details: null }, willRetry };
}
