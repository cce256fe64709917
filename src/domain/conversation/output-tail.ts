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

/** The longest end of a text that fits in so many UTF-8 bytes without cutting a character. */
function lastBytes(text: string, limit: number): string {
  let bytes = 0;
  let start = text.length;
  while (start > 0) {
    const unit = text.charCodeAt(start - 1);
    const low = unit >= 0xdc00 && unit <= 0xdfff;
    const high = start > 1 ? text.charCodeAt(start - 2) : 0;
    const pair = low && high >= 0xd800 && high <= 0xdbff;
    // An unpaired half at the cut is left out.
    if (low && !pair && start === 1) break;
    bytes += pair ? 4 : unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
    if (bytes > limit) break;
    start -= pair ? 2 : 1;
  }
  return text.slice(start);
}
