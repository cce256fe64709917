import { isSecretKey, mayHoldSecret, REDACTED, redactText } from './secret-text.ts';

const DEEPEST = 32;

type Plain = null | boolean | number | string | undefined | Plain[] | { [key: string]: Plain };

/** What the place of a value says about its secrecy: an ordinary place, a list of headers or variables, a secret. */
type Place = 'open' | 'pairs' | 'secret';

/**
 * A snapshot of a value for the log: plain JSON data without secrets (S1.34). Values of secret keys, of headers and of
 * environments are replaced, strings are searched for credentials, and texts that hold JSON are treated as that JSON.
 * `secrets` are texts that are known to be secret wherever they appear.
 */
export function redact(value: unknown, secrets: readonly string[] = []): Plain {
  return snapshot(value, 'open', { secrets, above: new Set() });
}

/** As `redact`, for a text. */
export function redactMessage(text: string, secrets: readonly string[] = []): string {
  return snapshotText(text, { secrets, above: new Set() });
}

/** The secrets that a configuration holds: texts under secret keys, in headers and in environments. */
export function secretsIn(value: unknown): string[] {
  const found: string[] = [];
  const visit = (item: unknown, place: Place): void => {
    if (typeof item === 'string') {
      if (place !== 'open') found.push(item);
    } else if (Array.isArray(item)) {
      for (const element of item) visit(element, place);
    } else if (item !== null && typeof item === 'object') {
      for (const [key, member] of Object.entries(item)) visit(member, placeOf(item, key, place));
    }
  };
  visit(value, 'open');
  return found;
}

interface Walk {
  readonly secrets: readonly string[];
  /** Objects that hold the current one, to end at a cycle. */
  readonly above: Set<object>;
}

function snapshot(value: unknown, place: Place, walk: Walk): Plain {
  switch (typeof value) {
    case 'string':
      return place === 'open' ? snapshotText(value, walk) : REDACTED;
    case 'number':
      if (place !== 'open') return REDACTED;
      return Number.isFinite(value) ? value : String(value);
    case 'bigint':
      return place === 'open' ? String(value) : REDACTED;
    case 'boolean':
      return value;
    case 'object':
      return value === null ? null : snapshotObject(value, place, walk);
    default:
      return undefined;
  }
}

function snapshotObject(value: object, place: Place, walk: Walk): Plain {
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (value instanceof URL) return snapshot(value.href, place, walk);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (walk.above.has(value)) return '[circular]';
  if (walk.above.size >= DEEPEST) return '[too deep]';
  walk.above.add(value);
  try {
    if (Array.isArray(value)) return value.map((item: unknown) => snapshot(item, place, walk) ?? null);
    const members = value instanceof Error ? errorMembers(value) : Object.entries(value);
    // Keys such as `__proto__` are data here, so the members are not assigned.
    return Object.fromEntries(
      members.map(([key, member]) => [key, snapshot(member, placeOf(value, key, place), walk)]),
    );
  } catch {
    // A getter or a proxy that throws must not end what is being logged.
    return '[unreadable]';
  } finally {
    walk.above.delete(value);
  }
}

/** S1.32: name, message, stack and causes, then what the error carries besides. */
function errorMembers(error: Error): [string, unknown][] {
  const { name, message, stack, cause } = error;
  const extra = Object.entries(error).filter(([key]) => !['name', 'message', 'stack', 'cause'].includes(key));
  return [['name', name], ['message', message], ['stack', stack], ['cause', cause], ...extra];
}

function placeOf(parent: object, key: string, place: Place): Place {
  // `{name, value}` is how ACP writes headers and variables: the name of one may be shown (S1.34).
  if (key === 'name' && place === 'pairs' && 'value' in parent) return 'open';
  if (place !== 'open') return place;
  if (key === 'value' && 'name' in parent && typeof parent.name === 'string' && isSecretKey(parent.name)) {
    return 'secret';
  }
  return placeOfKey(key);
}

/** A protocol has few keys, and they come again and again. */
const placesOfKeys = new Map<string, Place>();
const MOST_KEYS = 2_000;

function placeOfKey(key: string): Place {
  const known = placesOfKeys.get(key);
  if (known !== undefined) return known;
  const place = holdsPairs(key) ? 'pairs' : isSecretKey(key) ? 'secret' : 'open';
  if (placesOfKeys.size < MOST_KEYS) placesOfKeys.set(key, place);
  return place;
}

/** `env_http_headers` names variables and holds no values, so it may be shown. */
function holdsPairs(key: string): boolean {
  return /^(?!env_).*headers$|^env$|^environment$|^shell_environment_policy$|^query_params$/i.test(key);
}

function snapshotText(text: string, walk: Walk): string {
  const known = walk.secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
  const json = jsonIn(known);
  if (json === undefined) return redactText(known);
  return JSON.stringify(snapshot(json, 'open', { secrets: [], above: walk.above }));
}

/** The object or array that a text is, when it may hold secrets. */
function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text) || !mayHoldSecret(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
