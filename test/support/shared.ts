/**
 * Things that are dear to start and that the tests of a file therefore lend each other, one borrower at a time. A test
 * gets a used one only when somebody gave it back as good as new; otherwise a new one is started.
 */
export class Shared<Thing> {
  readonly #idle = new Map<string, Thing[]>();
  readonly #end: (thing: Thing) => Promise<void>;

  constructor(end: (thing: Thing) => Promise<void>) {
    this.#end = end;
  }

  /** One that was started for the same `key`, or else what `start` makes. */
  async borrow(key: string, start: () => Promise<Thing>): Promise<Thing> {
    return this.#idle.get(key)?.pop() ?? start();
  }

  /** For the next borrower with this key. */
  giveBack(key: string, thing: Thing): void {
    const idle = this.#idle.get(key);
    if (idle === undefined) this.#idle.set(key, [thing]);
    else idle.push(thing);
  }

  /** Ends everything that was given back. Rejects with the first failure, after all have ended. */
  async endAll(): Promise<void> {
    const things = [...this.#idle.values()].flat();
    this.#idle.clear();
    const ends = await Promise.allSettled(things.map((thing) => this.#end(thing)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }
}
