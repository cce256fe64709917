/** Set-ups of recorded sessions: those of one session run one after another (S2.32), and a close overtakes them (S2.26). */
export class SessionSetups {
  /** What is under way, the newest of each session. */
  readonly #running = new Map<string, Promise<unknown>>();
  /** Number of closes of a session; a set-up that a close overtook does not install. */
  readonly #generations = new Map<string, number>();

  /** Runs a set-up after those that came before, however they end. */
  run<Result>(sessionId: string, setup: () => Promise<Result>): Promise<Result> {
    const before = this.#running.get(sessionId) ?? Promise.resolve();
    const running = before.catch(() => undefined).then(setup);
    this.#running.set(sessionId, running);
    const forget = (): void => {
      if (this.#running.get(sessionId) === running) this.#running.delete(sessionId);
    };
    running.then(forget, forget);
    return running;
  }

  isUnderWay(sessionId: string): boolean {
    return this.#running.has(sessionId);
  }

  generationOf(sessionId: string): number {
    return this.#generations.get(sessionId) ?? 0;
  }

  /** The session is being closed. */
  closed(sessionId: string): void {
    this.#generations.set(sessionId, this.generationOf(sessionId) + 1);
  }
}
