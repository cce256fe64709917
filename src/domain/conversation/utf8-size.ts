/** Number of bytes that a text has in UTF-8. */
export function utf8Size(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at += 1) bytes += unitBytes(text.charCodeAt(at));
  return bytes;
}

/** True when a text has more bytes in UTF-8 than the limit; mostly answered without reading the text. */
export function isLargerThan(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  return text.length * 3 > limit && utf8Size(text) > limit;
}

/** The longest beginning of a text that fits in so many UTF-8 bytes, in whole characters. */
export function firstBytes(text: string, limit: number): string {
  let bytes = 0;
  let end = 0;
  while (end < text.length) {
    bytes += unitBytes(text.charCodeAt(end));
    if (bytes > limit) break;
    end += 1;
  }
  return text.slice(0, splitsPair(text, end) ? end - 1 : end);
}

/** The longest end of a text that fits in so many UTF-8 bytes, in whole characters. */
export function lastBytes(text: string, limit: number): string {
  let bytes = 0;
  let start = text.length;
  while (start > 0) {
    bytes += unitBytes(text.charCodeAt(start - 1));
    if (bytes > limit) break;
    start -= 1;
  }
  return text.slice(splitsPair(text, start) ? start + 1 : start);
}

/** Bytes of one UTF-16 unit; each half of a surrogate pair counts for half of the pair's four. */
function unitBytes(unit: number): number {
  if (unit < 0x80) return 1;
  return unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 2 : 3;
}

function splitsPair(text: string, at: number): boolean {
  if (at === 0 || at === text.length) return false;
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
