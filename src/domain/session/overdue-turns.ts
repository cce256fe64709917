/**
 * Turns that were not told to be over, though the thread came to rest or another turn began after them: a witness for
 * each of them, which counts when the turn becomes what the session waits for (S12.5).
 */
export class OverdueTurns {
  #begun: readonly string[] = [];
  #overdue: readonly string[] = [];
  /** Another turn began after them, so that work of the thread says nothing about them. */
  #passed: readonly string[] = [];

  /** `rootId`: the turn that led to it. A review is not over before its reviewer is (S3.114). */
  began(turnId: string, rootId?: string): void {
    const begun = rootId === undefined ? [turnId] : [turnId, rootId];
    this.#passed = [...this.#passed, ...this.#overdue, ...this.#begun].filter((id) => !begun.includes(id));
    this.#overdue = [];
    this.#begun = begun;
  }

  ended(turnId: string): void {
    this.#begun = this.#begun.filter((id) => id !== turnId);
    this.#overdue = this.#overdue.filter((id) => id !== turnId);
    this.#passed = this.#passed.filter((id) => id !== turnId);
  }

  /** The thread is idle. */
  rest(): void {
    this.#overdue = [...this.#overdue, ...this.#begun];
    this.#begun = [];
  }

  /** The thread works again: the rest may have meant something else. */
  active(): void {
    this.#begun = [...this.#overdue, ...this.#begun];
    this.#overdue = [];
  }

  /** All turns are gone with their process. */
  lost(): void {
    this.#begun = [];
    this.#overdue = [];
    this.#passed = [];
  }

  has(turnId: string | null): boolean {
    return turnId !== null && (this.#overdue.includes(turnId) || this.#passed.includes(turnId));
  }
}
