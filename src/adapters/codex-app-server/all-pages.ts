/** One page of a list of Codex. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

/**
 * Reads a paged list to its end.
 *
 * @throws when Codex gives a cursor twice, which would never end (S8.130)
 */
export async function allPages<T>(read: (cursor: string | null) => Promise<Page<T>>): Promise<readonly T[]> {
  const all: T[] = [];
  const seen = new Set<string>();
  let cursor: string | null = null;
  do {
    const page: Page<T> = await read(cursor);
    all.push(...page.data);
    cursor = page.nextCursor ?? null;
    if (cursor !== null && seen.has(cursor)) throw new Error('Codex gave the same page of a list twice');
    if (cursor !== null) seen.add(cursor);
  } while (cursor !== null);
  return all;
}
