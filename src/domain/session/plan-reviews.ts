import type { ClientChannel } from '../../ports/outbound/client-channel.ts';
import type { ProposedPlan } from '../conversation/plan-texts.ts';
import type { SessionContext } from '../feature/session-context.ts';
import type { AskAnswer } from '../interaction/permission-ask.ts';
import { approvesPlan, planReviewAsk } from '../interaction/plan-review-ask.ts';

export interface PlanReviewsParts {
  readonly context: SessionContext;
  readonly channel: ClientChannel;
  readonly nextAskId: () => number;
  /** What a v2 client sees of the wait (S3.94). */
  readonly opened: (askId: number) => void;
  readonly answered: (askId: number) => void;
  readonly withdrawn: (askId: number) => void;
  readonly decided: (decision: 'approved' | 'kept') => void;
}

/** The question whether a plan shall be carried out: at most one is open (S3.128 to S3.130). */
export class PlanReviews {
  readonly #parts: PlanReviewsParts;
  #open: { readonly askId: number; readonly itemId: string } | null = null;

  constructor(parts: PlanReviewsParts) {
    this.#parts = parts;
  }

  ask({ itemId, text }: ProposedPlan): void {
    const { context, channel, nextAskId, opened } = this.#parts;
    const askId = nextAskId();
    this.#open = { askId, itemId };
    opened(askId);
    channel.ask(planReviewAsk({ askId, sessionId: context.sessionId, itemId, plan: text }));
  }

  /** True when the answer was meant for the open plan. Anything but the approval keeps plan mode (S3.129). */
  answer(askId: number, answer: AskAnswer): boolean {
    const open = this.#open;
    if (open === null || open.askId !== askId) return false;
    this.#open = null;
    const decision = approvesPlan(answer) ? 'approved' : 'kept';
    this.#parts.context.show({ type: 'planReviewed', itemId: open.itemId, outcome: decision });
    this.#parts.answered(askId);
    this.#parts.decided(decision);
    return true;
  }

  /** Nobody decides any more: nothing claims an answer (S3.130). */
  withdraw(): void {
    const open = this.#open;
    if (open === null) return;
    this.#open = null;
    this.#parts.withdrawn(open.askId);
    this.#parts.channel.withdraw(open.askId);
    this.#parts.context.show({ type: 'planReviewed', itemId: open.itemId, outcome: 'withdrawn' });
  }
}
