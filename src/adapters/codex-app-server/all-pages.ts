/** One page of a list of Codex. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

/**
 * Reads a paged list to its end. A cursor that Codex gives twice would never end.
 *
 * @throws on such a cursor (S8.130), unless `repeated` says that the list ends there
 */
export async function allPages<T>(
  read: (cursor: string | null) => Promise<Page<T>>,
  repeated: 'ends' | 'fails' = 'fails',
): Promise<readonly T[]> {
  const all: T[] = [];
  const seen = new Set<string>();
  let cursor: string | null = null;
  do {
    const page: Page<T> = await read(cursor);
    all.push(...page.data);
    cursor = page.nextCursor ?? null;
    if (cursor !== null && seen.has(cursor)) {
      if (repeated === 'ends') break;
      throw new Error('Codex gave the same page of a list twice');
    }
    if (cursor !== null) seen.add(cursor);
  } while (cursor !== null);
  return all;
}
