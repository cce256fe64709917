import type { Log } from '../../ports/outbound/system.ts';

/**
 * Debug lines for every message to and from Codex, with the tags of S1.32. Secrets are cut out by the names of their
 * fields (S1.34); of headers and environments only the names stay.
 */
export interface TrafficTrace {
  /** A message that was written to the stdin of Codex. */
  sent(message: unknown): void;
  /** A message that Codex wrote to its stdout. */
  received(message: unknown): void;
}

/** `redact` masks secrets that a message repeats under another name, as in the text of an error. */
export function trafficTrace(log: Log, redact: (text: string) => string): TrafficTrace {
  return {
    sent: (message) => log.debug(`[IN] ${redact(redactedJson(message))}`),
    received: (message) => log.debug(`[OUT] ${redact(redactedJson(message))}`),
  };
}

const REDACTED = '[redacted]';
const SECRET = /(?:api_?key|token|secret|secretaccesskey|password|authorization|authurl|usercode|cookie)$/i;
const SECRET_VALUES = /^(?:(?:http_?)?headers|env|query_?params)$/i;

/** JSON of a value without the secrets in it. */
export function redactedJson(value: unknown): string {
  return JSON.stringify(value, (key, member: unknown) => {
    if (typeof member === 'string') return SECRET.test(key) ? REDACTED : member;
    if (SECRET_VALUES.test(key) && typeof member === 'object' && member !== null && !Array.isArray(member)) {
      return Object.fromEntries(Object.keys(member).map((name) => [name, REDACTED]));
    }
    return member;
  });
}
