/** `_meta` keys with what the user may want to say next; an empty list takes a suggestion back (S3.195). */
export function suggestionMetadata(texts: readonly string[]): Record<string, unknown> {
  return { promptSuggestions: { suggestions: texts.map((text) => ({ text })) } };
}
