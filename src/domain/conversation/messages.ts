import type { AgentMessageItem, MessagePhase, ReasoningItem } from '../thread/thread-item.ts';
import type { ConversationUpdate } from './conversation-update.ts';
import { StreamedText, streamedText } from './streamed-text.ts';

interface OpenMessage {
  readonly turnId: string;
  phase: MessagePhase | null;
  readonly streamed: StreamedText;
}

interface DoneItem {
  readonly turnId: string;
  /** What a message said; `null` for reasoning and for a message that was not shown. */
  readonly said: StreamedText | null;
}

interface OpenReasoning {
  readonly turnId: string;
  shown: boolean;
}

/** Agent messages and reasoning of a thread, each shown exactly once (S4 sections 4 and 5). */
export class Messages {
  readonly #show: (update: ConversationUpdate) => void;
  readonly #messages = new Map<string, OpenMessage>();
  readonly #reasonings = new Map<string, OpenReasoning>();
  /** Items that are complete: later deltas are dropped (S4.26). */
  readonly #done = new Map<string, DoneItem>();
  /** The turn that ended last: its items may still come late, and are shown once all the same (S3.80, C010). */
  #ended: string | null = null;

  constructor(show: (update: ConversationUpdate) => void) {
    this.#show = show;
  }

  messageStarted(turnId: string, item: AgentMessageItem): void {
    if (!this.#isDone(turnId, item.id)) this.#message(turnId, item.id).phase = item.phase;
  }

  messageDelta(turnId: string, itemId: string, delta: string): void {
    if (delta === '' || this.#isDone(turnId, itemId)) return;
    const message = this.#message(turnId, itemId);
    message.streamed.append(delta);
    this.#show({ type: 'agentText', messageId: itemId, text: delta, phase: message.phase });
  }

  /** The whole text, unless it was streamed; then only what the stream got wrong (S4.19 to S4.23). */
  messageCompleted(turnId: string, item: AgentMessageItem): void {
    if (this.#isDone(turnId, item.id)) return;
    const { streamed } = this.#message(turnId, item.id);
    this.#messages.delete(item.id);
    const text = item.hidden ? '' : item.text;
    this.#done.set(item.id, { turnId, said: streamed.equals(text) ? streamed : streamedText(text) });
    const messageId = item.id;
    const phase = item.phase;
    if (streamed.length === 0) {
      if (text !== '') this.#show({ type: 'agentText', messageId, text, phase });
    } else if (!streamed.equals(text)) {
      const missing = !item.hidden && streamed.isPrefixOf(text) ? text.slice(streamed.length) : null;
      this.#show({ type: 'agentTextCorrected', messageId, text, missing, phase });
    }
  }

  /** Nothing of the message is shown, also not what still comes. */
  skip(turnId: string, itemId: string): void {
    this.#messages.delete(itemId);
    this.#done.set(itemId, { turnId, said: null });
  }

  /** Text of the message was shown and more may come. */
  isStreaming(itemId: string): boolean {
    return (this.#messages.get(itemId)?.streamed.length ?? 0) > 0;
  }

  /** Whether a message of the turn says this text, white space at the end ignored, or has begun to. */
  says(turnId: string, text: string): 'begins' | 'no' | 'streamed' | 'yes' {
    for (const done of this.#done.values())
      if (done.turnId === turnId && done.said?.equals(text) === true) return 'yes';
    for (const { turnId: owner, streamed } of this.#messages.values()) {
      if (owner !== turnId || streamed.length === 0) continue;
      if (streamed.equals(text)) return 'streamed';
      if (streamed.isPrefixOf(text)) return 'begins';
    }
    return 'no';
  }

  reasoningStarted(turnId: string, item: ReasoningItem): void {
    this.#reasoning(turnId, item.id);
  }

  reasoningDelta(turnId: string, itemId: string, delta: string): void {
    if (delta === '' || this.#isDone(turnId, itemId)) return;
    this.#reasoning(turnId, itemId).shown = true;
    this.#show({ type: 'thought', messageId: itemId, text: delta });
  }

  /** A break between two parts; before the first text there is nothing to break (S4.28). */
  reasoningBreak(itemId: string): void {
    if (this.#reasonings.get(itemId)?.shown === true) this.#show({ type: 'thought', messageId: itemId, text: '\n\n' });
  }

  /** The parts in one piece, when nothing of them was streamed (S4.29). */
  reasoningCompleted(turnId: string, item: ReasoningItem): void {
    if (this.#isDone(turnId, item.id)) return;
    const { shown } = this.#reasoning(turnId, item.id);
    this.#reasonings.delete(item.id);
    this.#done.set(item.id, { turnId, said: null });
    if (shown) return;
    const summary = item.summary.filter((part) => part !== '');
    const parts = summary.length > 0 ? summary : item.content.filter((part) => part !== '');
    if (parts.length > 0) this.#show({ type: 'thought', messageId: item.id, text: parts.join('\n\n') });
  }

  /** Forgets what belonged to the turn that ended before this one; `null` forgets everything. */
  endTurn(turnId: string | null): void {
    const before = this.#ended;
    this.#ended = turnId;
    if (turnId !== null && (before === null || before === turnId)) return;
    const over = turnId === null ? null : before;
    forget(this.#messages, over, (message) => message.turnId);
    forget(this.#reasonings, over, (reasoning) => reasoning.turnId);
    forget(this.#done, over, (done) => done.turnId);
  }

  /** Providers may use an id again in another turn. */
  #isDone(turnId: string, itemId: string): boolean {
    return this.#done.get(itemId)?.turnId === turnId;
  }

  #message(turnId: string, itemId: string): OpenMessage {
    let message = this.#messages.get(itemId);
    if (message?.turnId !== turnId) {
      message = { turnId, phase: null, streamed: new StreamedText() };
      this.#messages.set(itemId, message);
    }
    return message;
  }

  #reasoning(turnId: string, itemId: string): OpenReasoning {
    let reasoning = this.#reasonings.get(itemId);
    if (reasoning?.turnId !== turnId) {
      reasoning = { turnId, shown: false };
      this.#reasonings.set(itemId, reasoning);
    }
    return reasoning;
  }
}

function forget<Value>(map: Map<string, Value>, turnId: string | null, owner: (value: Value) => string): void {
  for (const [id, value] of map) if (turnId === null || owner(value) === turnId) map.delete(id);
}
