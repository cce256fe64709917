/*
 * How an exec-policy rule is shown to the user, who decides on what the label says (S5.48, S5.49). The quoting is that
 * of Codex's own terminal client, so that both show one rule the same way.
 */

const posixShells: ReadonlySet<string> = new Set(['bash', 'sh', 'zsh']);
const powershells: ReadonlySet<string> = new Set(['powershell', 'pwsh']);
const powershellSwitches: ReadonlySet<string> = new Set(['-nologo', '-noprofile']);

const bareWord = /^[0-9A-Za-z+\-./:@\]_]+$/;
/** A caret is only safe right after the opening single quote. */
const singleQuotable = /^\^?[^'\\^]*/;
const doubleQuotable = /^[^`$!^]*/;

/** The characters that would make the label misstate the rule: C0, DEL, C1 and bidi controls (S5.49). */
const unshowable = /[\p{Cc}\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

/** The rule that a proposed amendment makes, as one line of text (S5.48). */
export function rulePrefix(words: readonly string[]): string {
  const script = shellScript(words) ?? powershellScript(words);
  if (script !== null) return script;
  if (words.some((word) => word.includes('\0'))) return words.join(' ');
  return words.map(quoted).join(' ');
}

/** False when the user could not read the rule off its label; then the option is not offered (S5.49). */
export function isShowable(prefix: string): boolean {
  return !unshowable.test(prefix);
}

/** The script of `bash -lc script` and its like. */
function shellScript(words: readonly string[]): string | null {
  const [shell, flag, script] = words;
  if (words.length !== 3 || shell === undefined || script === undefined) return null;
  return posixShells.has(programName(shell)) && (flag === '-lc' || flag === '-c') ? script : null;
}

/** The argument of `pwsh -NoProfile -Command argument` and its like; any other switch before it hides nothing. */
function powershellScript(words: readonly string[]): string | null {
  const [shell, ...rest] = words;
  if (shell === undefined || !powershells.has(programName(shell))) return null;
  const position = rest.findIndex((word) => !powershellSwitches.has(word.toLowerCase()));
  const flag = rest[position]?.toLowerCase();
  return flag === '-command' || flag === '-c' ? (rest[position + 1] ?? null) : null;
}

/** File name without directories and extension. */
function programName(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}

/** One word for a shell: bare when nothing needs a quote, else in the fewest quoted chunks (S5.48). */
function quoted(word: string): string {
  if (word === '') return "''";
  const chunks: string[] = [];
  for (let rest = word; rest !== ''; ) {
    const chunk = nextChunk(rest);
    chunks.push(chunk.shown);
    rest = rest.slice(chunk.length);
  }
  return chunks.join('');
}

/** The longest beginning of the text that one kind of quote can hold, quoted (S5.48). */
function nextChunk(text: string): { readonly length: number; readonly shown: string } {
  const single = singleQuotable.exec(text)?.[0] ?? '';
  const double = doubleQuotable.exec(text)?.[0] ?? '';
  if (double.length > single.length) {
    return { length: double.length, shown: `"${double.replace(/["\\]/g, '\\$&')}"` };
  }
  return { length: single.length, shown: bareWord.test(single) ? single : `'${single}'` };
}
