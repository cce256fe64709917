import { redact, redactMessage } from './redaction.ts';

type Context = Readonly<Record<string, unknown>>;

/** One entry without secrets: what is kept of a call of the log. */
export interface LogEntry {
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  readonly isError: boolean;
  /** `IN`, `APP-SERVER START`, … (S1.32). */
  readonly tag: string;
  /** The message without its tag, on one line. */
  readonly text: string;
  readonly context: Context;
}

export interface LogCall {
  readonly time: number;
  readonly isError: boolean;
  readonly message: string;
  readonly context: Context | undefined;
}

const TAG = /^\[([A-Z][A-Z_ -]*)\]\s*/;

/** A tag stands at the start of the message; one without is `[SYS]`, or `[SYSTEM_ERROR]` for errors (S1.31, S1.32). */
export function logEntry({ time, isError, message, context }: LogCall, secrets: readonly string[]): LogEntry {
  const tag = TAG.exec(message);
  const text = message.slice(tag?.[0].length ?? 0);
  return {
    time,
    isError,
    tag: tag?.[1] ?? (isError ? 'SYSTEM_ERROR' : 'SYS'),
    text: oneLine(redactMessage(text, secrets)),
    context: context === undefined ? {} : withoutPid(redact(context, secrets) as Record<string, unknown>),
  };
}

/** What a line of the file starts with; the JSON object follows (S1.31). */
export function entryHead(entry: LogEntry): string {
  return `${localTime(entry.time)} [${entry.tag}] ${entry.text}`;
}

/** The line of stderr for an error (S1.35). */
export function errorLine(entry: LogEntry): string {
  const detail = detailOf(entry.context);
  return `[SYSTEM_ERROR] ${entry.text}${detail === '' ? '' : `: ${oneLine(detail)}`}\n`;
}

/** `pid` is ours in every line (S1.30), so a `pid` of the context, that of a child, gets another name. */
function withoutPid(context: Record<string, unknown>): Context {
  if (!('pid' in context)) return context;
  const { pid, ...rest } = context;
  return { childPid: pid, ...rest };
}

/** The messages of the first error of the context and of its causes, else the context itself. */
function detailOf(context: Context): string {
  const error = Object.values(context).find(isErrorSnapshot);
  if (error !== undefined) return errorMessages(error).join(': ');
  return Object.keys(context).length === 0 ? '' : JSON.stringify(context);
}

interface ErrorSnapshot {
  readonly message: string;
  readonly cause?: unknown;
}

function isErrorSnapshot(value: unknown): value is ErrorSnapshot {
  return (
    typeof value === 'object' &&
    value !== null &&
    'stack' in value &&
    'message' in value &&
    typeof value.message === 'string'
  );
}

function errorMessages(error: ErrorSnapshot): string[] {
  return [error.message, ...(isErrorSnapshot(error.cause) ? errorMessages(error.cause) : [])];
}

/** Local time as `YYYY-MM-DD HH:MM:SS,mmm`. */
function localTime(milliseconds: number): string {
  const time = new Date(milliseconds);
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  const clock = [two(time.getHours()), two(time.getMinutes()), two(time.getSeconds())].join(':');
  return `${day} ${clock},${String(time.getMilliseconds()).padStart(3, '0')}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** Line breaks and other control characters become escapes: one entry is one line. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, (character) =>
    character === '\n' ? '\\n' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
