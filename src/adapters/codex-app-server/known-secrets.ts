/** A shorter text could be part of any word, and masking it would spoil what is said. */
const shortest = 6;

const mask = '[redacted]';

/** Members whose values are secret, and objects whose every value is. */
const secretMember = /^(?!env_).*(?:key|token|secret|password|authorization|cookie)$/i;
const secretMap = /^(?:http_headers|headers|env)$/;

/**
 * The secrets that went to Codex through our hands. Codex, a model server or an MCP server may say them again in an error
 * or on stderr; they must not reach a client or the log (C036).
 */
export class KnownSecrets {
  readonly #values = new Set<string>();

  constructor(values: readonly string[]) {
    for (const value of values) this.add(value);
  }

  /** Whole values, and their words, as in `Bearer <key>`. */
  add(value: string): void {
    for (const text of [value, ...value.split(/\s+/)]) if (text.length >= shortest) this.#values.add(text);
  }

  /** Every secret in a configuration: headers, environments, keys and tokens at any depth. */
  addFrom(config: unknown): void {
    if (typeof config !== 'object' || config === null) return;
    for (const [name, value] of Object.entries(config)) {
      if (secretMap.test(name) && typeof value === 'object' && value !== null) {
        for (const secret of Object.values(value)) if (typeof secret === 'string') this.add(secret);
      } else if (typeof value === 'string' && secretMember.test(name)) this.add(value);
      else this.addFrom(value);
    }
  }

  redact(text: string): string {
    let redacted = text;
    for (const value of this.#values) if (redacted.includes(value)) redacted = redacted.replaceAll(value, mask);
    return redacted;
  }
}
