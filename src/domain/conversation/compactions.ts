import type { TurnEnd } from '../turn/turn-end.ts';
import type { ConversationUpdate } from './conversation-update.ts';
import { readableError } from './readable-error.ts';
import { RecentIds } from './recent-ids.ts';

type Compaction = Extract<ConversationUpdate, { type: 'compaction' }>;

/** Why a compaction failed that Codex did not finish and gave no reason for (S3.166). */
const unfinished = 'Codex ended the turn before compaction completed.';

/** Why it failed when the app-server died (S3.45). */
const lost = 'Connection to Codex was lost.';

/** How a compaction ends with its turn; none is left open and none counts as done (S3.166). */
const statusAtTurnEnd = {
  cancelled: 'cancelled',
  completed: 'failed',
  failed: 'failed',
  interrupted: 'cancelled',
  lost: 'failed',
} as const satisfies Record<TurnEnd['status'], Compaction['status']>;

/**
 * The compactions of a thread: each is shown with at most one start and exactly one end (S3.166 to S3.168). Codex before
 * 0.171 also sends `thread/compacted`, with or without an item.
 */
export class Compactions {
  readonly #show: (update: Compaction) => void;
  /** Compactions in progress, oldest first, with their turn. */
  readonly #open = new Map<string, string>();
  /** Every compaction that was shown; one that is not open has ended. */
  readonly #shown = new RecentIds(256);
  /** Turns in which one was shown. */
  readonly #turns = new RecentIds(64);

  constructor(show: (update: Compaction) => void) {
    this.#show = show;
  }

  itemStarted(turnId: string, itemId: string): void {
    if (this.#shown.has(itemId)) return;
    this.#remember(turnId, itemId);
    this.#open.set(itemId, turnId);
    this.#show({ type: 'compaction', compactionId: itemId, status: 'in_progress', error: null, reported: true });
  }

  itemCompleted(turnId: string, itemId: string): void {
    if (this.#open.has(itemId)) return this.#end(itemId, 'completed', null);
    // An item without start belongs to the compaction that its turn has already told of (S4.135).
    if (this.#shown.has(itemId) || this.#turns.has(turnId)) return;
    this.#endUnstarted(turnId, itemId);
  }

  /** `thread/compacted`: ends the compaction item of the turn; alone it is a compaction of its own (S3.168). */
  compacted(turnId: string): void {
    let latest: string | null = null;
    for (const [itemId, owner] of this.#open) if (owner === turnId) latest = itemId;
    if (latest !== null) return this.#end(latest, 'completed', null);
    if (!this.#turns.has(turnId)) this.#endUnstarted(turnId, `compaction:${turnId}`);
  }

  /** An error that Codex does not retry ends the compactions of its turn. */
  turnError(turnId: string, message: string): void {
    this.#endAll(turnId, 'failed', message);
  }

  /** The turn is over, `null`: every turn. What it left open ends with it. */
  turnOver(turnId: string | null, how: TurnEnd['status'], message: string | null): void {
    const status = statusAtTurnEnd[how];
    this.#endAll(turnId, status, status === 'failed' ? (message ?? (how === 'lost' ? lost : unfinished)) : null);
  }

  #endAll(turnId: string | null, status: Compaction['status'], error: string | null): void {
    for (const [itemId, owner] of this.#open) {
      if (turnId === null || owner === turnId) this.#end(itemId, status, error);
    }
  }

  #end(itemId: string, status: Compaction['status'], error: string | null): void {
    this.#open.delete(itemId);
    const readable = error === null ? null : readableError(error);
    this.#show({ type: 'compaction', compactionId: itemId, status, error: readable, reported: true });
  }

  #endUnstarted(turnId: string, compactionId: string): void {
    this.#remember(turnId, compactionId);
    this.#show({ type: 'compaction', compactionId, status: 'completed', error: null, reported: false });
  }

  #remember(turnId: string, compactionId: string): void {
    this.#shown.add(compactionId);
    this.#turns.add(turnId);
  }
}
