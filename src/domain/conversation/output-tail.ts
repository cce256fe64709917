import { lastBytes } from './utf8-size.ts';

/** How much of a running command's output a snapshot shows, in UTF-8 bytes (S12.1). */
export const snapshotBytes = 16 * 1024;

/** The last part of a command's output, for clients that get snapshots instead of a stream (S12.1). */
export class OutputTail {
  #text = '';
  #changed = false;

  append(text: string): void {
    this.#changed = true;
    const joined = this.#text + text;
    // A UTF-16 unit is at most three bytes, so this many units always hold the last 16 KiB.
    this.#text = joined.length > snapshotBytes ? joined.slice(joined.length - snapshotBytes) : joined;
  }

  /** The tail if it changed since the last call, cut to whole characters; otherwise `null`. */
  take(): string | null {
    if (!this.#changed) return null;
    this.#changed = false;
    return lastBytes(this.#text, snapshotBytes);
  }
}
