/**
 * One ordered queue of inputs for one session: each is handled to its end, synchronously, before the next (architecture,
 * section 3.1). An input posted while another is handled waits its turn.
 */
export class Mailbox<Input> {
  readonly #handle: (input: Input) => void;
  #waiting: Input[] = [];
  #busy = false;

  constructor(handle: (input: Input) => void) {
    this.#handle = handle;
  }

  post(input: Input): void {
    if (this.#busy) {
      this.#waiting.push(input);
      return;
    }
    this.#busy = true;
    try {
      this.#handle(input);
      while (this.#waiting.length > 0) {
        const batch = this.#waiting;
        this.#waiting = [];
        for (const next of batch) this.#handle(next);
      }
    } finally {
      this.#busy = false;
    }
  }
}
