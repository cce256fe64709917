import { open } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { entryHead, type LogEntry } from './log-entry.ts';
import { REDACTED } from './secret-text.ts';

/** Where entries go: the file, or memory until the file is open. */
export interface LogTarget {
  write(entry: LogEntry): void;
  /** Ends when everything written so far is in the file, or a write failed. */
  flush(): Promise<void>;
}

/** Bytes that may wait for a disk that does not take them; entries beyond are dropped and counted. */
const LONGEST_BACKLOG = 32 * 1024 * 1024;

/** A second look at values that the walk of `redact` has replaced already. */
const SECRET_PATHS = ['apiKey', 'accessToken', 'secretAccessKey', 'sessionToken', 'authorization', 'Authorization'];

export interface LogFileOptions {
  readonly directory: string;
  readonly pid: number;
  onWriteError(error: Error): void;
  /** The disk takes entries again after it did not take this many. */
  onDropped(count: number): void;
}

/**
 * Opens `<directory>/app-server.log` for appending and starts pino on it. Nothing here blocks the process, and pino is
 * loaded only here: a process without a log does not pay for it (S1.36).
 */
export async function openLogFile(options: LogFileOptions): Promise<LogTarget> {
  const [descriptor, { default: pino }] = await Promise.all([openFile(options.directory), import('pino')]);
  // With a minimum of one byte every entry is written at once, and `flush` still waits for the write under way.
  const destination = pino.destination({ dest: descriptor, sync: false, minLength: 1, maxLength: LONGEST_BACKLOG });
  destination.on('error', options.onWriteError);
  let dropped = 0;
  destination.on('drop', () => {
    dropped += 1;
  });
  destination.on('drain', () => {
    if (dropped === 0) return;
    const count = dropped;
    dropped = 0;
    options.onDropped(count);
  });

  let head = '';
  const logger = pino(
    {
      level: 'trace',
      base: null,
      timestamp: false,
      // The object starts with this member; pino would write its level there.
      formatters: { level: () => ({ pid: options.pid }) },
      redact: { paths: [...SECRET_PATHS, ...SECRET_PATHS.map((path) => `*.${path}`)], censor: REDACTED },
      hooks: { streamWrite: (json) => `${head} ${json}` },
    },
    destination,
  );
  return {
    write(entry) {
      head = entryHead(entry);
      logger.info(entry.context);
    },
    flush: () => new Promise((resolve) => destination.flush(() => resolve())),
  };
}

/** Only the user may read it: it holds conversations. */
async function openFile(directory: string): Promise<number> {
  await makeDirectory(directory);
  return promisify(open)(join(directory, 'app-server.log'), 'a', 0o600);
}

/**
 * `mkdir` with `recursive` tries for ever below a pseudo file system such as `/proc` (S1.37), so each level is made
 * once, from the top.
 */
async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code !== 'ENOENT' || dirname(path) === path) {
      if (await isDirectory(path)) return;
      throw error;
    }
    await makeDirectory(dirname(path));
    await mkdir(path).catch(async (again: unknown) => {
      if (!(await isDirectory(path))) throw again;
    });
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
