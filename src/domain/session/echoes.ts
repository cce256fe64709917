import type { PromptBlock } from '../prompt/prompt-block.ts';

/** Input of ours that goes into a turn. */
export interface ExpectedEcho {
  /** `null` while Codex has not named the turn that starts with the text. */
  readonly turnId: string | null;
  readonly blocks: readonly PromptBlock[];
  /** Codex recorded it. */
  landed?(): void;
  /** Codex took it, and its turn ended without it (S3.146). */
  lost?(): void;
}

interface Echo extends ExpectedEcho {
  /** Codex answered that it took it. */
  taken: boolean;
  /** Its turn is over and it was not recorded. */
  missed: boolean;
}

/**
 * Texts that go into running turns: each is shown when Codex records its user message, never earlier (S3.145), and
 * whoever sent one hears when its turn never took it (S3.146).
 */
export class Echoes {
  readonly #show: (messageId: string, blocks: readonly PromptBlock[]) => void;
  readonly #expected = new Map<string, Echo>();
  /** Recorded before Codex answered that it took them. */
  readonly #landed = new Set<string>();

  constructor(show: (messageId: string, blocks: readonly PromptBlock[]) => void) {
    this.#show = show;
  }

  expect(messageId: string, echo: ExpectedEcho): void {
    this.#expected.set(messageId, { ...echo, taken: false, missed: false });
  }

  /** Codex did not take it. */
  forget(messageId: string): void {
    this.#expected.delete(messageId);
    this.#landed.delete(messageId);
  }

  /** Codex says that it took the text. False when the turn is over without it: then it was dropped. */
  taken(messageId: string): boolean {
    if (this.#landed.delete(messageId)) return true;
    const echo = this.#expected.get(messageId);
    if (echo === undefined) return false;
    if (echo.missed) {
      this.#expected.delete(messageId);
      return false;
    }
    echo.taken = true;
    return true;
  }

  /** Codex recorded a user message; shows it when it is one of ours. */
  recorded(messageId: string): void {
    const echo = this.#expected.get(messageId);
    if (echo === undefined) return;
    this.#expected.delete(messageId);
    if (!echo.taken) this.#landed.add(messageId);
    this.#show(messageId, echo.blocks);
    echo.landed?.();
  }

  /** A turn is over; `null` is all of them. */
  turnOver(turnId: string | null): void {
    for (const [messageId, echo] of this.#expected) {
      if (turnId !== null && echo.turnId !== turnId) continue;
      if (echo.turnId !== null && !echo.taken) {
        echo.missed = true;
        continue;
      }
      this.#expected.delete(messageId);
      if (echo.taken) echo.lost?.();
    }
  }
}
