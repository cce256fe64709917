import type { ServerRequest, ServerRequestId, ServerRequestRef } from './approval-request.ts';
import type { ApprovalAsk } from './permission-ask.ts';

/** A question that the user has not answered yet, with the Codex request that waits for it. */
export interface OpenAsk {
  readonly ask: ApprovalAsk;
  readonly ref: ServerRequestRef;
  readonly request: ServerRequest;
}

/** More open asks of one session than this are refused (S5.174). */
export const maxOpenAsks = 64;

/**
 * The open asks of a session. Each ends exactly once: taken out when it is answered, withdrawn or given up, and whoever
 * took it out owes Codex the one answer (S5.6, S5.14).
 */
export class OpenAsks {
  readonly #asks = new Map<number, OpenAsk>();

  get full(): boolean {
    return this.#asks.size >= maxOpenAsks;
  }

  add(open: OpenAsk): void {
    this.#asks.set(open.ask.askId, open);
  }

  /** Takes out the ask that the client answered; `null` when it was withdrawn before (S5.22). */
  take(askId: number): OpenAsk | null {
    const open = this.#asks.get(askId) ?? null;
    this.#asks.delete(askId);
    return open;
  }

  /** Takes out all asks but those of the turn `spare`, in the order they were made (S5.21). */
  takeAll(spare?: string): OpenAsk[] {
    return this.#takeWhere(({ request }) => spare === undefined || request.turnId !== spare);
  }

  /** Takes out what still waits for a turn that is over (S5.23). */
  takeOfTurn(turnId: string): OpenAsk[] {
    return this.#takeWhere((open) => open.request.turnId === turnId);
  }

  /** Takes out the ask whose Codex request was settled otherwise (S5.24). */
  takeRequest(id: ServerRequestId): OpenAsk[] {
    return this.#takeWhere((open) => open.ref.id === id);
  }

  #takeWhere(matches: (open: OpenAsk) => boolean): OpenAsk[] {
    const taken = [...this.#asks.values()].filter(matches);
    for (const open of taken) this.#asks.delete(open.ask.askId);
    return taken;
  }
}
