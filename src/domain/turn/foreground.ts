/** What a v2 client is told about a session's foreground (S3.90). */
export type Activity = 'idle' | 'requires_action' | 'running';

/**
 * The foreground state of a session (S3.90 to S3.97, S5.140 to S5.150): `running` while something can run,
 * `requires_action` while everything that is left waits for the user. Each method returns the state to publish, or
 * `null` when nothing changed.
 */
export class Foreground {
  #activity: Activity = 'idle';
  /** What runs, with its turn; `null` when that is not known. */
  readonly #items = new Map<string, string | null>();
  /** Those items that are texts. */
  readonly #texts = new Set<string>();
  readonly #waits = new Map<number, string | null>();

  get activity(): Activity {
    return this.#activity;
  }

  /** Work became visible. An agent turn that went on beside a prompt may wait for the user (S3.93). */
  began(): Activity | null {
    if (this.#activity !== 'idle') return null;
    return this.#become(this.#waits.size > 0 && !this.#anythingRuns() ? 'requires_action' : 'running');
  }

  /** An item runs: it started, or a part of its output came (S5.145). */
  itemRuns(turnId: string, itemId: string): Activity | null {
    if (this.#activity === 'idle' || this.#items.has(itemId)) return null;
    this.#items.set(itemId, turnId);
    return this.#recompute();
  }

  /** A text runs: a message, a thought or a plan. Unlike other items it may be given up without an end. */
  textRuns(turnId: string, itemId: string): Activity | null {
    if (this.#activity !== 'idle') this.#texts.add(itemId);
    return this.itemRuns(turnId, itemId);
  }

  itemEnded(itemId: string): Activity | null {
    // An answer that comes after the end of its item must not make it run again.
    for (const [askId, waiting] of this.#waits) if (waiting === itemId) this.#waits.set(askId, null);
    this.#texts.delete(itemId);
    return this.#items.delete(itemId) ? this.#recompute() : null;
  }

  /** The texts that run are given up: new input cut them off, or the review is over (S3.5, S3.9). */
  textsCut(): Activity | null {
    if (this.#texts.size === 0) return null;
    for (const itemId of this.#texts) this.#items.delete(itemId);
    this.#texts.clear();
    return this.#recompute();
  }

  /** The user is asked; `itemId` is the tool call that waits, if known (S5.141). An idle session has no wait (S3.94). */
  waitOpened(askId: number, itemId: string | null): Activity | null {
    if (this.#activity === 'idle') return null;
    this.#waits.set(askId, itemId);
    return this.#recompute();
  }

  /** The user answered: the item of the ask can run again. */
  waitAnswered(askId: number): Activity | null {
    const itemId = this.#waits.get(askId);
    if (itemId === undefined) return null;
    this.#waits.delete(askId);
    if (itemId !== null && !this.#items.has(itemId)) this.#items.set(itemId, null);
    return this.#recompute();
  }

  /** The ask was withdrawn: nothing is published, the end of the work follows (S3.95, S5.150). */
  waitWithdrawn(askId: number): void {
    this.#waits.delete(askId);
  }

  /** Evidence of work without an item of its own: a turn began, the thread became active (S5.144). */
  workSeen(): Activity | null {
    return this.#activity === 'requires_action' && this.#waits.size === 0 ? this.#become('running') : null;
  }

  /** The turn is over, `null`: every turn. Nothing of it runs any more; the end of the work follows. */
  turnOver(turnId: string | null): void {
    for (const [itemId, owner] of this.#items) {
      if (turnId !== null && owner !== null && owner !== turnId) continue;
      this.#items.delete(itemId);
      this.#texts.delete(itemId);
    }
  }

  /**
   * The work is over. True when it had been visible, so that `idle` is due (S3.96). `goesOn`: an agent turn that ran beside
   * it becomes the work, with what it does and waits for.
   */
  ended(goesOn: boolean): boolean {
    if (!goesOn) {
      this.#items.clear();
      this.#texts.clear();
      this.#waits.clear();
    }
    const visible = this.#activity !== 'idle';
    this.#activity = 'idle';
    return visible;
  }

  #recompute(): Activity | null {
    if (this.#activity === 'idle') return null;
    if (this.#anythingRuns()) return this.#become('running');
    return this.#waits.size > 0 ? this.#become('requires_action') : null;
  }

  #anythingRuns(): boolean {
    if (this.#waits.size === 0) return this.#items.size > 0;
    const waiting = new Set(this.#waits.values());
    for (const item of this.#items.keys()) if (!waiting.has(item)) return true;
    return false;
  }

  #become(activity: Activity): Activity | null {
    if (this.#activity === activity) return null;
    this.#activity = activity;
    return activity;
  }
}
