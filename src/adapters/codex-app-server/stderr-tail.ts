import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';

const KEPT_CHARACTERS = 2048;

/** The last characters that one child wrote to stderr (S8.4). */
export class StderrTail {
  readonly #decoder = new StringDecoder('utf8');
  #text = '';

  /** Takes a chunk and returns its text, without the colours that Codex also writes to a pipe. */
  push(chunk: Buffer): string {
    const text = stripVTControlCharacters(this.#decoder.write(chunk));
    this.#text = lastCharacters(this.#text + lastCharacters(text));
    return text;
  }

  /** Without surrounding white space; empty when there was nothing worth showing. */
  get text(): string {
    return this.#text.trim();
  }
}

/** Never begins with the second half of a surrogate pair. */
function lastCharacters(text: string): string {
  const tail = text.slice(-KEPT_CHARACTERS);
  const first = tail.charCodeAt(0);
  return first >= 0xdc00 && first <= 0xdfff ? tail.slice(1) : tail;
}
