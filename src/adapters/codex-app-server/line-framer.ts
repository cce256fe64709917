import { Buffer, constants } from 'node:buffer';

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const NOTHING = Buffer.alloc(0);

export interface LineSink {
  onLine(line: string): void;
  /** A line that is longer than any string can be was dropped. */
  onOversizedLine(bytes: number): void;
}

/**
 * Cuts a byte stream into lines (S1.75). Cutting happens on bytes, so that no character is split; the pieces of a long
 * line are joined once, at its end, so that work grows with the bytes and not with the number of chunks (S1.76).
 */
export class LineFramer {
  readonly #sink: LineSink;
  #pieces: Uint8Array[] = [];
  #pendingBytes = 0;

  constructor(sink: LineSink) {
    this.#sink = sink;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#finishLine(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) {
      this.#pieces.push(start === 0 ? chunk : chunk.subarray(start));
      this.#pendingBytes += chunk.length - start;
    }
  }

  /** The stream ended: what is left is a line without a newline. */
  end(): void {
    if (this.#pendingBytes > 0) this.#finishLine(NOTHING);
  }

  #finishLine(last: Buffer): void {
    let line = last;
    if (this.#pieces.length > 0) {
      this.#pieces.push(last);
      line = Buffer.concat(this.#pieces, this.#pendingBytes + last.length);
      this.#pieces = [];
      this.#pendingBytes = 0;
    }
    const end = line.length > 0 && line[line.length - 1] === CARRIAGE_RETURN ? line.length - 1 : line.length;
    if (end > constants.MAX_STRING_LENGTH) this.#sink.onOversizedLine(end);
    else if (end > 0) this.#sink.onLine(line.toString('utf8', 0, end));
  }
}
