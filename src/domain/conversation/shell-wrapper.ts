/** `bash`, `zsh` or `sh`, bare or in an absolute directory, with a flag group of `l` and `c` that has a `c`. */
const wrapper = /^(?:\/(?:[^\s/]+\/)*)?(?:bash|zsh|sh)\s+-l*c[lc]*\s+(?=\S)([\s\S]*)$/;

/**
 * A command without the shell that Codex wraps around it (S4.43, S4.44): `/bin/bash -lc 'npm test'` is `npm test`.
 * A shell that runs a script file is no wrapper.
 */
export function withoutShellWrapper(command: string): string {
  const script = wrappedScript(command);
  return script === null ? command : (quotedWord(script) ?? script);
}

/** As `withoutShellWrapper`, but the whole command when its quoting is not understood: what is approved must be exact (S5.172). */
export function exactCommand(command: string): string {
  const script = wrappedScript(command);
  if (script === null) return command;
  return quotedWord(script) ?? (quotesBalance(script) ? script : command);
}

function wrappedScript(command: string): string | null {
  const script = wrapper.exec(command)?.[1] ?? null;
  return script === null || script.startsWith('-') ? null : script;
}

/** The value of a text that is exactly one shell word of adjacent quoted parts; otherwise `null`. */
function quotedWord(text: string): string | null {
  let value = '';
  let at = 0;
  while (at < text.length) {
    const mark = text[at];
    if (mark === "'") {
      const end = text.indexOf("'", at + 1);
      if (end === -1) return null;
      value += text.slice(at + 1, end);
      at = end + 1;
    } else if (mark === '"') {
      const end = doubleQuoteEnd(text, at + 1);
      if (end === -1) return null;
      value += unescaped(text.slice(at + 1, end));
      at = end + 1;
    } else if (mark === '\\' && at + 1 < text.length) {
      if (text[at + 1] !== '\n') value += text[at + 1];
      at += 2;
    } else {
      return null;
    }
  }
  return value;
}

/** Index of the closing double quote, or -1. */
function doubleQuoteEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return -1;
}

/** Resolves what a backslash may escape inside double quotes; a backslash before anything else stays. */
function unescaped(text: string): string {
  return text.replace(/\\([$`"\\\n])/g, (_, escaped: string) => (escaped === '\n' ? '' : escaped));
}

function quotesBalance(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const mark = text[at];
    if (mark === '\\') {
      at += 1;
      continue;
    }
    if (mark !== "'" && mark !== '"') continue;
    const end = mark === "'" ? text.indexOf("'", at + 1) : doubleQuoteEnd(text, at + 1);
    if (end === -1) return false;
    at = end;
  }
  return true;
}
