/**
 * Turns that began before the thread came to rest and were not told to be over: a witness for each of them, which counts
 * when the turn becomes what the session waits for (S12.5).
 */
export class OverdueTurns {
  #begun: readonly string[] = [];
  #overdue: readonly string[] = [];

  began(turnId: string): void {
    this.#begun = [...this.#begun, turnId];
  }

  ended(turnId: string): void {
    this.#begun = this.#begun.filter((id) => id !== turnId);
    this.#overdue = this.#overdue.filter((id) => id !== turnId);
  }

  /** The thread is idle. */
  rest(): void {
    this.#overdue = [...this.#overdue, ...this.#begun];
    this.#begun = [];
  }

  /** The thread works again: the rest may have meant something else. */
  active(): void {
    this.#overdue = [];
  }

  /** All turns are gone with their process. */
  lost(): void {
    this.#begun = [];
    this.#overdue = [];
  }

  has(turnId: string | null): boolean {
    return turnId !== null && this.#overdue.includes(turnId);
  }
}
