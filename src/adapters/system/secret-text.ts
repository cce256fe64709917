/** What stands in place of a secret. */
export const REDACTED = '[REDACTED]';

const SECRET_KEY_ENDS = [
  'apikey',
  'accesskey',
  'secretkey',
  'privatekey',
  'token',
  'secret',
  'password',
  'passphrase',
  'authorization',
  'cookie',
  'credential',
  'credentials',
  // Login addresses and codes of S1.161 and S1.166.
  'authurl',
  'usercode',
  // Variables that carry the headers of a provider to Codex, with a number at the end (S1.68).
  'providerheader',
];

/** A member, header or variable with this name holds a secret, in any spelling: `apiKey`, `X-Api-Key`, `API_KEY`. */
export function isSecretKey(name: string): boolean {
  const plain = name.toLowerCase().replace(/[^a-z]/g, '');
  return SECRET_KEY_ENDS.some((end) => plain.endsWith(end));
}

/** Whether a text needs the careful look; most lines of the protocol do not. */
export function mayHoldSecret(text: string): boolean {
  return /key|token|secret|pass(?:word|phrase)|authoriz|bearer|cookie|credential|headers|env|params|auth_?url|code|sk-|eyJ|:\/\/[^\s/]*@/i.test(
    text,
  );
}

/*
 * The rules run over texts of many megabytes that others wrote, so every repetition is bounded or starts at a fixed word:
 * the time grows in line with the text.
 */
const NAME =
  '(?:api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|access[_-]?token|refresh[_-]?token|id[_-]?token|' +
  'session[_-]?token|bearer[_-]?token|auth[_-]?token|_token|secret|password|passphrase|cookie|auth_?url|user_?code)';
/** An opening or closing quote, also one inside a JSON text that is itself a JSON string. */
const QUOTE = '\\\\{0,7}["\']';

const RULES: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer)\s{1,8}[\w.~+/=-]{4,}/gi, `$1 ${REDACTED}`],
  [/\b(Basic)\s{1,8}[\w+/=-]{12,}/gi, `$1 ${REDACTED}`],
  [/\bsk-[\w-]{6,}/g, REDACTED],
  [/\beyJ[\w-]{8,500}\.[\w-]+(?:\.[\w-]*)?/g, REDACTED],
  [/(:\/\/)[^\s/@"']+@/g, `$1${REDACTED}@`],
  [/([?&](?:[\w-]*key|[\w-]*token|state|code|sig|signature|password|secret)=)[^&\s"'#]+/gi, `$1${REDACTED}`],
  // A header line, or the member of an object: everything up to the end of the line or text.
  [new RegExp(`(authorization(?:${QUOTE})?\\s{0,8}[:=]\\s{0,8}(?:${QUOTE})?)[^\\r\\n"'\\\\]+`, 'gi'), `$1${REDACTED}`],
  // `apiKey: "…"` and `API_KEY=…`, in that order: a quoted value may hold blanks.
  [new RegExp(`(${NAME}(?:${QUOTE})?\\s{0,8}[:=]\\s{0,8}${QUOTE})[^"'\\\\]*`, 'gi'), `$1${REDACTED}`],
  [new RegExp(`(${NAME}\\s{0,8}[:=]\\s{0,8})[^\\s"'\\\\,;&[\\]{}]+`, 'gi'), `$1${REDACTED}`],
  // Headers and variables in a piece of JSON that cannot be parsed, with the end of the text as the latest end.
  [
    /((?:headers|"env|shell_environment_policy|query_params)\\{0,7}"\s{0,8}[:=]\s{0,8})(?:\{[^}]*\}?|\[[^\]]*\]?)/gi,
    `$1"${REDACTED}"`,
  ],
];

/** Replaces what looks like a credential in free text (S1.34). */
export function redactText(text: string): string {
  if (!mayHoldSecret(text)) return text;
  return RULES.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text);
}
