/** Statement ids in free text: `S3.36 S3.38 R1`, `S3.66, S3.67`, `S3.104 to S3.106`, `R1-R3`. */

const ID = String.raw`(?:S\d+\.\d+(?:a|v1)?|[RT]\d{1,2}|C\d{3})`;
const CITED = new RegExp(String.raw`(?<![\w.])(${ID})(?:\s*(?:to|-|–)\s*(${ID}))?(?![\w.]*\w)`, 'g');

/** Parts of the spec whose ids this list knows; ids of other parts are somebody else's. */
const OUR_PART = /^(?:S3\.|[RTC])/;
const OUR_DECISIONS: ReadonlySet<string> = new Set(['S12.5', 'S12.6', 'S12.7', 'S12.11']);

/** Whether an id belongs to the part that is covered here; then it must be a known one. */
export function isOurs(id: string): boolean {
  return OUR_PART.test(id) || OUR_DECISIONS.has(id);
}

/** The ids of our part that a text cites, each once. A range stands for the known ids from one end to the other. */
export function citedIds(text: string, known: readonly string[]): string[] {
  const cited = new Set<string>();
  for (const [, first = '', last] of text.matchAll(CITED)) {
    for (const id of last === undefined ? [first] : range(first, last, known)) if (isOurs(id)) cited.add(id);
  }
  return [...cited];
}

function range(first: string, last: string, known: readonly string[]): string[] {
  const [from, to] = [split(first), split(last)];
  if (from.prefix !== to.prefix || from.number > to.number) return [first, last];
  const between = known.filter((id) => {
    const { prefix, number } = split(id);
    return prefix === from.prefix && number > from.number && number < to.number;
  });
  return [first, ...between, last];
}

function split(id: string): { readonly prefix: string; readonly number: number } {
  const [, prefix = '', number = '0'] = /^(S\d+\.|[A-Z])(\d+)/.exec(id) ?? [];
  return { prefix, number: Number(number) };
}

/** Ids that a page of the spec defines: bold at the start of an item, or the first cell of a table row. */
export function definedIds(page: string): string[] {
  const bold = new RegExp(String.raw`\*\*(${ID})(?=[* ])`, 'g');
  const row = /^\| ([RT]\d{1,2}) \|/gm;
  const found = [...page.matchAll(bold), ...page.matchAll(row)].flatMap(([, id]) => id ?? []);
  return [...new Set(found)].filter(isOurs);
}
