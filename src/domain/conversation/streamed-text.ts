/**
 * Remembers what was streamed of a message without keeping the text: length and a hash over it, and the same up to its
 * last character that is no white space (S4.16, S4.22).
 */
export class StreamedText {
  #length = 0;
  #hash = seed;
  #trimmedLength = 0;
  #trimmedHash = seed;

  get length(): number {
    return this.#length;
  }

  append(text: string): void {
    let value = this.#hash;
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      value = step(value, unit);
      if (!isSpace(unit)) {
        this.#trimmedLength = this.#length + index + 1;
        this.#trimmedHash = value;
      }
    }
    this.#hash = value;
    this.#length += text.length;
  }

  /** The streamed text is the beginning of this text, or all of it. */
  isPrefixOf(text: string): boolean {
    return text.length >= this.#length && hashOf(text, this.#length) === this.#hash;
  }

  /** The beginning of this text that was not streamed, when everything behind it was; `null` otherwise. */
  missedBeginningOf(text: string): string | null {
    const start = text.length - this.#length;
    if (start <= 0 || hashOf(text, text.length, start) !== this.#hash) return null;
    return text.slice(0, start);
  }

  /** Equal, white space at the end ignored. */
  equals(text: string): boolean {
    const trimmed = text.trimEnd();
    return trimmed.length === this.#trimmedLength && hashOf(trimmed, trimmed.length) === this.#trimmedHash;
  }
}

/** This text as if it had been streamed. */
export function streamedText(text: string): StreamedText {
  const streamed = new StreamedText();
  streamed.append(text);
  return streamed;
}

const seed = 0x811c9dc5;

/** FNV-1a over UTF-16 units. */
function step(value: number, unit: number): number {
  return Math.imul(value ^ unit, 0x01000193);
}

function hashOf(text: string, end: number, start = 0): number {
  let value = seed;
  for (let index = start; index < end; index += 1) value = step(value, text.charCodeAt(index));
  return value;
}

function isSpace(unit: number): boolean {
  return (
    unit === 0x20 ||
    (unit >= 0x09 && unit <= 0x0d) ||
    unit === 0xa0 ||
    unit === 0xfeff ||
    (unit >= 0x1680 && /\s/.test(String.fromCharCode(unit)))
  );
}
