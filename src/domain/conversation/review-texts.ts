import type { AgentMessageItem, ReviewItem } from '../thread/thread-item.ts';
import type { ConversationUpdate } from './conversation-update.ts';
import type { Messages } from './messages.ts';

/** What Codex says of a review that was stopped or failed, as its report and as a message (S3.9). */
const cannedTexts: ReadonlySet<string> = new Set([
  'Reviewer failed to output a response.',
  'Review was interrupted. Please re-run /review and wait for it to complete.',
]);

/** The report of a review. It waits while a message streams what may become the same text. */
interface Review {
  /** Trimmed and not empty. */
  readonly text: string;
  status: 'shown' | 'waiting';
  /** Beginnings of messages that say the same as the report so far, by item. */
  readonly held: Map<string, string>;
}

/**
 * The agent's messages beside the reports of reviews: Codex tells a report twice, as the end of the review and as a
 * message, in either order; it is shown once (S3.116). Its own texts about a
 * review that the user stopped, or whose failure was told, are not shown (S3.56).
 */
export class ReviewTexts {
  readonly #messages: Messages;
  readonly #show: (update: ConversationUpdate) => void;
  readonly #explained: (turnId: string) => boolean;
  /** Reports by turn, until the turn ends. */
  readonly #reviews = new Map<string, Review>();

  /** `explained`: the client knows why the turn has no outcome (`ConversationOptions`). */
  constructor(messages: Messages, show: (update: ConversationUpdate) => void, explained: (turnId: string) => boolean) {
    this.#messages = messages;
    this.#show = show;
    this.#explained = explained;
  }

  /** The reviewer ended with its report (S3.116). */
  exited(turnId: string, item: ReviewItem): void {
    const text = item.text.trim();
    if (text === '' || this.#reviews.has(turnId) || this.#isNoise(turnId, text)) return;
    const said = this.#messages.says(turnId, text);
    if (said === 'yes') return;
    const review: Review = { text, status: 'waiting', held: new Map() };
    this.#reviews.set(turnId, review);
    if (said === 'no') this.#tell(review);
  }

  /** A message that repeats the report so far is held back. */
  messageDelta(turnId: string, itemId: string, delta: string): void {
    const review = this.#reviews.size === 0 ? undefined : this.#reviews.get(turnId);
    if (review?.status !== 'shown' || this.#messages.isStreaming(itemId)) {
      return this.#messages.messageDelta(turnId, itemId, delta);
    }
    const text = (review.held.get(itemId) ?? '') + delta;
    if (review.text.startsWith(text.trimStart()) || text.trim() === review.text) {
      review.held.set(itemId, text);
      return;
    }
    review.held.delete(itemId);
    this.#messages.messageDelta(turnId, itemId, text);
  }

  messageCompleted(turnId: string, item: AgentMessageItem): void {
    const review = this.#reviews.get(turnId);
    const text = item.text.trim();
    const repeats = review?.status === 'shown' && review.text === text;
    if ((repeats || this.#isNoise(turnId, text)) && !this.#messages.isStreaming(item.id)) {
      return this.#messages.skip(turnId, item.id);
    }
    review?.held.delete(item.id);
    this.#messages.messageCompleted(turnId, item);
    if (review?.status === 'waiting') this.#decide(turnId, review);
  }

  /** The turn is over, `null`: every turn. Called before the messages forget it. */
  endTurn(turnId: string | null): void {
    for (const [owner, review] of this.#reviews) {
      if (turnId !== null && owner !== turnId) continue;
      if (review.status === 'waiting' && this.#messages.says(owner, review.text) !== 'streamed') this.#tell(review);
      this.#reviews.delete(owner);
    }
  }

  #decide(turnId: string, review: Review): void {
    const said = this.#messages.says(turnId, review.text);
    if (said === 'yes') this.#reviews.delete(turnId);
    if (said === 'no') this.#tell(review);
  }

  #tell(review: Review): void {
    review.status = 'shown';
    this.#show({ type: 'agentText', messageId: null, text: review.text, phase: null });
  }

  #isNoise(turnId: string, text: string): boolean {
    return cannedTexts.has(text) && this.#explained(turnId);
  }
}
