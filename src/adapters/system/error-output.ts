/** Text that may wait for a reader that does not read; what comes after it is dropped. */
const LONGEST_BACKLOG = 64 * 1024;

/** Writes text to stderr; never throws and never fails later. */
export type ErrorOutput = (text: string) => void;

/** The part of `process.stderr` in use. */
export interface ErrorStream {
  readonly writableLength: number;
  on(event: 'error', listener: () => void): unknown;
  write(text: string): unknown;
}

/**
 * stderr as it can be trusted: a closed, full or never read stderr loses text instead of ending the process or taking
 * its memory (S1.36).
 */
export function createErrorOutput(stream: ErrorStream = process.stderr): ErrorOutput {
  stream.on('error', () => {});
  return (text) => {
    if (stream.writableLength > LONGEST_BACKLOG) return;
    try {
      stream.write(text);
    } catch {
      // Nobody is left to tell.
    }
  };
}
