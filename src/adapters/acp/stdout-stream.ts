import { createWriteStream, fstatSync } from 'node:fs';
import type { Writable } from 'node:stream';

const stdoutFd = 1;

/**
 * A writable on stdout that never blocks the event loop when the client reads slowly (S1.47).
 *
 * On Linux and macOS `process.stdout` of a pipe is such a stream. On Windows Node writes pipes on fd 1 synchronously, so
 * a client that does not read would stop the whole agent; there a file stream writes from the thread pool instead.
 * Whatever else stdout is keeps `process.stdout`.
 */
export function openStdout(platform: NodeJS.Platform = process.platform): Writable {
  if (platform !== 'win32' || !isPipe()) return process.stdout;
  return createWriteStream('', { fd: stdoutFd, autoClose: false });
}

function isPipe(): boolean {
  try {
    const stats = fstatSync(stdoutFd);
    return stats.isFIFO() || stats.isSocket();
  } catch {
    return false;
  }
}
