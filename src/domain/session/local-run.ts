import type { SessionContext } from '../feature/session-context.ts';

/** How a local command ended; exactly one is called, once, and none after a cancel. Never before `run` returned. */
export interface LocalCallbacks {
  done(): void;
  failed(error: Error): void;
}

/**
 * One run of a local command. It ends once: done, failed or cancelled; whatever comes back after that is dropped
 * (S2.170). All waiting goes through here, so that a cancel stops all of it.
 */
export class LocalRun {
  readonly #context: SessionContext;
  readonly #callbacks: LocalCallbacks;
  readonly #timers = new Set<() => void>();
  #state: 'ended' | 'running' = 'running';

  constructor(context: SessionContext, callbacks: LocalCallbacks) {
    this.#context = context;
    this.#callbacks = callbacks;
  }

  /** Goes on with the result; an error of the work fails the command unless `failed` takes it. */
  settle<Result>(
    work: Promise<Result>,
    then: (result: Result) => void,
    failed = (error: Error): void => this.#fail(error),
  ): void {
    this.#context.settle(
      work,
      (result) => {
        if (this.#state === 'running') then(result);
      },
      (error) => {
        if (this.#state === 'running') failed(error);
      },
    );
  }

  /** Runs the action after the delay in milliseconds, unless the run ended before. Returns the cancel function. */
  after(ms: number, action: () => void): () => void {
    const cancel = this.#context.after(ms, () => {
      this.#timers.delete(cancel);
      action();
    });
    this.#timers.add(cancel);
    return () => {
      this.#timers.delete(cancel);
      cancel();
    };
  }

  /** Answers with one text and is done (S2.112). */
  reply(text: string): void {
    if (this.#state === 'ended') return;
    this.#context.show({ type: 'agentText', messageId: null, text, phase: null });
    this.done();
  }

  done(): void {
    if (this.#state === 'ended') return;
    this.cancel();
    this.#callbacks.done();
  }

  /** Ends the run without a word (S2.170, S3 section 5.1). */
  cancel(): void {
    this.#state = 'ended';
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }

  #fail(error: Error): void {
    if (this.#state === 'ended') return;
    this.cancel();
    this.#callbacks.failed(error);
  }
}
