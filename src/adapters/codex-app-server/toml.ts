/**
 * Renders a JSON value as TOML for a `-c key=value` argument of Codex (S1.66): objects as inline tables with quoted
 * keys. TOML has no `null`: inside objects and arrays it is left out (S1.69), alone it stays `null`, which Codex then
 * rejects with its own words (S1.67).
 */
export function toToml(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') return tomlString(value);
  if (typeof value === 'number') return tomlNumber(value);
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${value.filter(isPresent).map(toToml).join(', ')}]`;
  if (typeof value === 'object') {
    const entries = Object.entries(value).filter(([, member]) => isPresent(member));
    if (entries.length === 0) return '{}';
    return `{ ${entries.map(([key, member]) => `${tomlString(key)} = ${toToml(member)}`).join(', ')} }`;
  }
  throw new TypeError(`A ${typeof value} cannot be written as TOML`);
}

/**
 * A basic string. Its escapes are those of JSON, with two differences: U+007F must be escaped, and a lone surrogate is
 * no character at all, so that it becomes U+FFFD (S1.69).
 */
export function tomlString(text: string): string {
  return JSON.stringify(wellFormed(text)).replaceAll('\u007f', '\\u007F');
}

function tomlNumber(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  return String(value);
}

/** `String.prototype.toWellFormed`, which Node 20 has but the ES2023 library does not declare. */
function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
}

const isPresent = (value: unknown): boolean => value !== null && value !== undefined;
