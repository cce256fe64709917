const lineFeed = 0x0a;

/**
 * Splits bytes into lines in linear time, whatever the chunks are (S1.41). A line longer than the limit is skipped and
 * reported once; the next line is read normally (S1.46).
 */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #onLine: (line: string) => void;
  readonly #onTooLong: () => void;
  #parts: Buffer[] = [];
  #bytes = 0;
  #skipping = false;

  constructor(maxBytes: number, onLine: (line: string) => void, onTooLong: () => void) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
    this.#onTooLong = onTooLong;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      this.#keep(chunk.subarray(start, end));
      this.#finish();
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** End of input: the last line needs no line feed. */
  end(): void {
    this.#finish();
  }

  #keep(part: Buffer): void {
    if (this.#skipping) return;
    if (this.#bytes + part.length > this.#maxBytes) {
      this.#reset();
      this.#skipping = true;
      this.#onTooLong();
      return;
    }
    this.#parts.push(part);
    this.#bytes += part.length;
  }

  #finish(): void {
    if (this.#skipping) {
      this.#skipping = false;
      return;
    }
    const [first] = this.#parts;
    if (first === undefined) return;
    const bytes = this.#parts.length === 1 ? first : Buffer.concat(this.#parts, this.#bytes);
    this.#reset();
    this.#onLine(bytes.toString('utf8'));
  }

  #reset(): void {
    this.#parts = [];
    this.#bytes = 0;
  }
}
