import type { OutgoingUpdate } from './outgoing-update.ts';

/** Longest text of a merged frame, in bytes (S4.14). */
export const maxMergedBytes = 64 * 1024;

/** Text with everything needed to build its frame. */
export type TextChunk = Extract<OutgoingUpdate, { kind: 'chunk' }>;

/** A chunk that waits to be written; its text grows until then. */
export interface QueuedChunk {
  readonly kind: 'chunk';
  readonly sessionId: string;
  readonly key: string;
  readonly build: (text: string) => object;
  text: string;
  bytes: number;
  /** Set when it was written: nothing can be added any more. */
  taken: boolean;
  /** Frames without a session since the start, when it was queued. */
  readonly barrier: number;
}

interface HeldSurrogate {
  readonly key: string;
  readonly build: (text: string) => object;
  readonly unit: string;
}

interface Lane {
  readonly sessionId: string;
  tail: QueuedChunk | null;
  held: HeldSurrogate | null;
}

/**
 * Decides which text chunks become one frame (S4.14, S4.15): same session, same key, and no other frame of the session
 * between them. A surrogate pair that is split over two chunks arrives whole: its first half waits for the next chunk
 * of the key, and any other frame turns it into U+FFFD.
 */
export class TextLanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #holding = new Set<Lane>();
  readonly #push: (chunk: QueuedChunk) => void;
  readonly #grow: (bytes: number) => void;
  #barrier = 0;

  /** `push` queues a new chunk, `grow` reports text that was added to a queued one. */
  constructor(push: (chunk: QueuedChunk) => void, grow: (bytes: number) => void) {
    this.#push = push;
    this.#grow = grow;
  }

  add(sessionId: string, chunk: TextChunk): void {
    if (chunk.text === '') return;
    const lane = this.#laneOf(sessionId);
    let text = chunk.text;
    const held = lane.held;
    if (held?.key === chunk.key) {
      this.#unhold(lane);
      text = held.unit + text;
    } else if (held !== null) {
      this.#release(lane, held);
    }
    if (endsWithHighSurrogate(text)) {
      lane.held = { key: chunk.key, build: chunk.build, unit: text.slice(-1) };
      this.#holding.add(lane);
      text = text.slice(0, -1);
      if (text === '') return;
    }
    this.#append(lane, chunk.key, chunk.build, text);
  }

  /** Another frame of the session, or (`null`) one of no session, is about to be queued: nothing merges across it. */
  interrupt(sessionId: string | null): void {
    if (sessionId === null) {
      for (const lane of this.#holding) this.#settle(lane);
      this.#barrier += 1;
      return;
    }
    const lane = this.#lanes.get(sessionId);
    if (lane === undefined) return;
    this.#settle(lane);
    lane.tail = null;
  }

  /** The session is over: writes what was held back and forgets it. */
  forget(sessionId: string): void {
    this.interrupt(sessionId);
    this.#lanes.delete(sessionId);
  }

  clear(): void {
    this.#lanes.clear();
    this.#holding.clear();
  }

  #laneOf(sessionId: string): Lane {
    const known = this.#lanes.get(sessionId);
    if (known !== undefined) return known;
    const lane: Lane = { sessionId, tail: null, held: null };
    this.#lanes.set(sessionId, lane);
    return lane;
  }

  #append(lane: Lane, key: string, build: (text: string) => object, text: string): void {
    const bytes = Buffer.byteLength(text);
    const tail = lane.tail;
    if (tail?.key === key && !tail.taken && tail.barrier === this.#barrier && tail.bytes + bytes <= maxMergedBytes) {
      tail.text += text;
      tail.bytes += bytes;
      this.#grow(bytes);
      return;
    }
    const { sessionId } = lane;
    lane.tail = { kind: 'chunk', sessionId, key, build, text, bytes, taken: false, barrier: this.#barrier };
    this.#push(lane.tail);
  }

  #settle(lane: Lane): void {
    if (lane.held !== null) this.#release(lane, lane.held);
  }

  #release(lane: Lane, held: HeldSurrogate): void {
    this.#unhold(lane);
    this.#append(lane, held.key, held.build, '\ufffd');
  }

  #unhold(lane: Lane): void {
    lane.held = null;
    this.#holding.delete(lane);
  }
}

function endsWithHighSurrogate(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}
