/** One escape of a JSON text: that of a lone surrogate, or any other. */
const escapes = /\\(?:(ud[89a-f][0-9a-f]{2})|.)/g;

/**
 * The line of a message, without line feed. Never holds a lone surrogate: `JSON.stringify` escapes those, and strict
 * parsers refuse such an escape, so each becomes U+FFFD (ACP-TRANSPORT-002).
 */
export function toWireLine(message: object): string {
  const json = JSON.stringify(message);
  if (!json.includes('\\ud')) return json;
  return json.replace(escapes, (found, surrogate: string | undefined) => (surrogate === undefined ? found : '\ufffd'));
}
