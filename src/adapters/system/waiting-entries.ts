import type { LogEntry } from './log-entry.ts';
import type { LogTarget } from './log-file.ts';

/** Text that may wait for the file; entries beyond are dropped. A hung disk must not take the memory (S1.37). */
const LONGEST_WAITING = 8 * 1024 * 1024;

/** Entries of the time before the log file is open. */
export class WaitingEntries implements LogTarget {
  readonly entries: LogEntry[] = [];
  dropped = 0;
  #length = 0;

  write(entry: LogEntry): void {
    const length = entry.text.length + JSON.stringify(entry.context).length;
    if (this.#length + length > LONGEST_WAITING) {
      this.dropped += 1;
      return;
    }
    this.#length += length;
    this.entries.push(entry);
  }

  async flush(): Promise<void> {}
}
