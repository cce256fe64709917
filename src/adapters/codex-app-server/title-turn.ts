import type { CodexLostError } from '../../domain/errors/agent-error.ts';
import type { ServerRequest, ServerRequestRef } from '../../domain/interaction/approval-request.ts';
import type { ThreadEvent } from '../../domain/thread/thread-event.ts';
import type { ThreadListener } from '../../ports/outbound/codex-runtime.ts';

/**
 * The one turn of a thread that was opened to find a title: hears what nobody else may hear (S3.193). It is open until
 * the turn ended, was given up or failed; what comes later changes nothing.
 */
export class TitleTurn implements ThreadListener {
  /** The model's last answer; `null` when the turn gave none. */
  readonly answer: Promise<string | null>;
  /** Resolves when the turn is known to have begun: the start of its thread is over. Stays open when it never does. */
  readonly begun: Promise<void>;
  readonly #begin: () => void;
  readonly #refuse: (ref: ServerRequestRef, request: ServerRequest) => void;
  readonly #resolve: (text: string | null) => void;
  readonly #reject: (error: unknown) => void;
  #state: 'completed' | 'open' | 'over' = 'open';
  #text: string | null = null;

  /** `refuse` answers a request of Codex: this thread may do nothing that needs one. */
  constructor(refuse: (ref: ServerRequestRef, request: ServerRequest) => void) {
    this.#refuse = refuse;
    let settle = { resolve: (_text: string | null): void => {}, reject: (_error: unknown): void => {} };
    this.answer = new Promise((resolve, reject) => {
      settle = { resolve, reject };
    });
    let begin = (): void => {};
    this.begun = new Promise((resolve) => {
      begin = resolve;
    });
    this.#begin = begin;
    this.#resolve = settle.resolve;
    this.#reject = settle.reject;
    // Whoever asked may have stopped to wait.
    this.answer.catch(() => {});
  }

  /** Whether nothing more is expected. */
  get isOver(): boolean {
    return this.#state !== 'open';
  }

  /** Whether Codex itself ended the turn: then nothing is left to interrupt. */
  get isCompleted(): boolean {
    return this.#state === 'completed';
  }

  onEvent(event: ThreadEvent): void {
    if (event.type === 'turnStarted' || event.type === 'turnCompleted') this.#begin();
    if (event.type === 'turnCompleted') {
      this.#end('completed', () => this.#resolve(event.status === 'completed' ? this.#text : null));
    } else if (event.type === 'itemCompleted' && event.item.type === 'agentMessage') {
      if (event.item.phase !== 'commentary' && !event.item.hidden) this.#text = event.item.text;
    }
  }

  onRequest(ref: ServerRequestRef, request: ServerRequest): void {
    this.#refuse(ref, request);
  }

  onLost(cause: CodexLostError): void {
    this.fail(cause);
  }

  giveUp(): void {
    this.#end('over', () => this.#resolve(null));
  }

  fail(error: unknown): void {
    this.#end('over', () => this.#reject(error));
  }

  #end(state: 'completed' | 'over', settle: () => void): void {
    if (this.#state !== 'open') return;
    this.#state = state;
    settle();
  }
}
