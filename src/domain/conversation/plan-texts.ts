import type { ClientProfile } from '../client/client-profile.ts';
import type { PlanItem } from '../thread/thread-item.ts';
import type { ConversationUpdate } from './conversation-update.ts';
import { RecentIds } from './recent-ids.ts';

/** How the text of a plan is told while it grows: now and then, at each delta, or only as a whole (S3.127). */
export type PlanMode = 'atEnd' | 'perDelta' | 'throttled';

/** A growing plan is told at most this often, in milliseconds (S3.127). */
const throttleMs = 150;

/** Reports of a long plan are whole snapshots, so they come less often, in milliseconds (S4.88). */
const longThrottleMs = 1000;

/** UTF-16 units from which a plan is long (S4.88). */
const longPlan = 64 * 1024;

export interface PlanTextsOptions {
  readonly mode: PlanMode;
  readonly show: (update: ConversationUpdate) => void;
  /** The text of an item is to be reported in so many milliseconds, by `flush`. Asked once until then. */
  readonly due: (itemId: string, ms: number) => void;
}

/** A plan whose item is not complete. */
interface OpenPlan {
  readonly turnId: string;
  text: string;
  /** What the client has: so many UTF-16 units from the beginning of `text`. */
  reported: number;
  /** `due` was called and `flush` has not come yet. */
  waiting: boolean;
}

/** A completed plan, for the review after its turn (S3.128). */
export interface ProposedPlan {
  readonly itemId: string;
  readonly text: string;
}

/** Clients with plan updates follow the plan; of the others only AIR sees it grow (S3.127). */
export function planModeOf(profile: ClientProfile): PlanMode {
  if (profile.planUpdates) return 'throttled';
  return profile.air !== null ? 'perDelta' : 'atEnd';
}

/** The texts of proposed plans, each told in parts and right in the end (S3.127, S4.86, S4.87). */
export class PlanTexts {
  readonly #options: PlanTextsOptions;
  readonly #open = new Map<string, OpenPlan>();
  /** Plans that are complete or whose turn is over: nothing comes after that. */
  readonly #done = new RecentIds(64);
  #proposed: { readonly plan: ProposedPlan; readonly turnId: string; turnOver: boolean } | null = null;

  constructor(options: PlanTextsOptions) {
    this.#options = options;
  }

  delta(turnId: string, itemId: string, delta: string): void {
    if (delta === '' || this.#done.has(itemId)) return;
    let plan = this.#open.get(itemId);
    if (plan === undefined) {
      plan = { turnId, text: '', reported: 0, waiting: false };
      this.#open.set(itemId, plan);
    }
    plan.text += delta;
    switch (this.#options.mode) {
      case 'perDelta':
        return this.#report(itemId, plan, false);
      case 'throttled':
        if (plan.waiting) return;
        plan.waiting = true;
        return this.#options.due(itemId, plan.text.length > longPlan ? longThrottleMs : throttleMs);
      case 'atEnd':
        return;
    }
  }

  /** Reports what the client does not have yet; the timer's part of `due`. */
  flush(itemId: string): void {
    const plan = this.#open.get(itemId);
    if (plan === undefined) return;
    plan.waiting = false;
    this.#report(itemId, plan, false);
  }

  /** The completed text counts, whatever was streamed; an empty one says nothing new (S4.86). */
  completed(turnId: string, item: PlanItem): void {
    if (this.#done.has(item.id)) return;
    const streamed = this.#open.get(item.id);
    this.#close(item.id);
    const text = item.text === '' ? (streamed?.text ?? '') : item.text;
    if (text.trim() !== '') this.#proposed = { plan: { itemId: item.id, text }, turnId, turnOver: false };
    const reported = streamed === undefined ? '' : streamed.text.slice(0, streamed.reported);
    if (text === reported) return;
    const appended = text.startsWith(reported) ? text.slice(reported.length) : null;
    this.#options.show({ type: 'planText', itemId: item.id, text, appended, completed: true });
  }

  /** The turn is over, `null`: every turn. What it streamed and did not complete is reported as it is (S3.127). */
  endTurn(turnId: string | null): void {
    for (const [itemId, plan] of this.#open) {
      if (turnId !== null && plan.turnId !== turnId) continue;
      this.#close(itemId);
      this.#report(itemId, plan, true);
    }
    if (this.#proposed === null) return;
    if (this.#proposed.turnId === turnId) this.#proposed.turnOver = true;
    else if (turnId === null || this.#proposed.turnOver) this.#proposed = null;
  }

  /** The last plan that the turn completed, told once; forgotten when a later turn ends (S3.128). */
  planOf(turnId: string): ProposedPlan | null {
    if (this.#proposed?.turnId !== turnId) return null;
    const { plan } = this.#proposed;
    this.#proposed = null;
    return plan;
  }

  #report(itemId: string, plan: OpenPlan, completed: boolean): void {
    const { text, reported } = plan;
    if (reported === text.length) return;
    plan.reported = text.length;
    this.#options.show({ type: 'planText', itemId, text, appended: text.slice(reported), completed });
  }

  #close(itemId: string): void {
    this.#open.delete(itemId);
    this.#done.add(itemId);
  }
}
