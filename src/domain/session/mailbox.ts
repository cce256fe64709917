/**
 * One ordered queue of inputs for one session: each is handled to its end, synchronously, before the next (architecture,
 * section 3.1). An input posted while another is handled waits its turn. One that fails is told, and the queue goes on
 * (S3.75).
 */
export class Mailbox<Input> {
  readonly #handle: (input: Input) => void;
  readonly #failed: (input: Input, error: unknown) => void;
  #waiting: Input[] = [];
  #busy = false;

  constructor(handle: (input: Input) => void, failed: (input: Input, error: unknown) => void) {
    this.#handle = handle;
    this.#failed = failed;
  }

  post(input: Input): void {
    if (this.#busy) {
      this.#waiting.push(input);
      return;
    }
    this.#busy = true;
    this.#attempt(input);
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      for (const next of batch) this.#attempt(next);
    }
    this.#busy = false;
  }

  #attempt(input: Input): void {
    try {
      this.#handle(input);
    } catch (error) {
      this.#failed(input, error);
    }
  }
}
