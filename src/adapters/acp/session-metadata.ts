import { airMeta } from './air-metadata.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Published {
  codex: Fields;
  air: Fields;
  /** Top-level keys beside `codex` and `jetbrains`. */
  own: Fields;
}

/**
 * What v2 clients keep as metadata of a session (S4.93). There a top-level key of `_meta` replaces the one before, so
 * each change is sent with everything else under its key.
 */
export class SessionMetadata {
  readonly #published = new Map<string, Published>();

  /** `_meta` that adds fields to `codex`. */
  codex(sessionId: string, fields: Fields): Record<string, unknown> {
    const published = this.#of(sessionId);
    published.codex = { ...published.codex, ...fields };
    return { codex: published.codex };
  }

  /** Takes a field out of `codex`; the next change of it tells the client. */
  dropCodex(sessionId: string, field: string): void {
    const published = this.#of(sessionId);
    const { [field]: _, ...codex } = published.codex;
    published.codex = codex;
  }

  /** `_meta` that adds fields to `jetbrains.air`; for AIR clients only. */
  air(sessionId: string, fields: Fields): Record<string, unknown> {
    const published = this.#of(sessionId);
    published.air = { ...published.air, ...fields };
    return airMeta(published.air);
  }

  /**
   * `_meta` that tells something once under `jetbrains.air`; for AIR clients only. What is kept goes along, because this
   * replaces `jetbrains` at the client too; the event itself is not kept, so that no later change tells it again.
   */
  airEvent(sessionId: string, fields: Fields): Record<string, unknown> {
    return airMeta({ ...this.#of(sessionId).air, ...fields });
  }

  /** `_meta` that sets top-level keys of their own; other keys of the client stay as they are. */
  own(sessionId: string, fields: Fields): Record<string, unknown> {
    const published = this.#of(sessionId);
    published.own = { ...published.own, ...fields };
    return { ...fields };
  }

  /** What was published last under a key of `jetbrains.air`. */
  airValue(sessionId: string, key: string): unknown {
    return this.#published.get(sessionId)?.air[key];
  }

  /** `_meta` that takes a key out of `jetbrains.air`; `null` removes the namespace at the client. */
  withoutAir(sessionId: string, key: string): Record<string, unknown> {
    const published = this.#of(sessionId);
    const { [key]: _, ...air } = published.air;
    published.air = air;
    return Object.keys(air).length === 0 ? { jetbrains: null } : airMeta(air);
  }

  /** Everything that was published, for a client that opens the session again (S2.45); `null` when nothing was. */
  snapshot(sessionId: string): Record<string, unknown> | null {
    const published = this.#published.get(sessionId);
    if (published === undefined) return null;
    const { codex, air, own } = published;
    const plain = isEmpty(codex) ? own : { ...own, codex };
    const whole = isEmpty(air) ? { ...plain } : airMeta(air, plain);
    return isEmpty(whole) ? null : whole;
  }

  forgetSession(sessionId: string): void {
    this.#published.delete(sessionId);
  }

  #of(sessionId: string): Published {
    let published = this.#published.get(sessionId);
    if (published === undefined) {
      published = { codex: {}, air: {}, own: {} };
      this.#published.set(sessionId, published);
    }
    return published;
  }
}

function isEmpty(fields: Fields): boolean {
  return Object.keys(fields).length === 0;
}
