import { RequestError } from '@agentclientprotocol/sdk/unstable';
import type { ErrorDescriptor } from './failure-error.ts';
import type { RequestId } from './json-rpc.ts';

interface OpenPrompt<Result, Client> {
  readonly sessionId: string;
  readonly client: Client;
  readonly requestId: RequestId;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: RequestError) => void;
}

/** A request for a prompt that is open until the core tells its end. */
export interface PromptRequest<Client> {
  readonly sessionId: string;
  /** The client as it was when it sent the prompt. */
  readonly client: Client;
  readonly promptId: string;
  readonly requestId: RequestId;
  /** Aborted by `$/cancel_request` of the prompt. */
  readonly signal: AbortSignal;
}

/**
 * The `session/prompt` requests that have no answer yet, under the ids that the core knows them by. Each is answered
 * once (S3.210).
 */
export class OpenPrompts<Result, Client> {
  readonly #open = new Map<string, OpenPrompt<Result, Client>>();
  #last = 0;

  /** An id for the next prompt, unique on this connection. */
  nextId(): string {
    this.#last += 1;
    return `prompt-${this.#last}`;
  }

  /**
   * Takes a prompt: `start` hands it to the core before anything else can happen, `cancel` is told when the client gives
   * it up (S3.36, S3.59). Throws what `start` throws.
   */
  take(request: PromptRequest<Client>, start: () => void, cancel: () => void): Promise<Result> {
    const { client, promptId, sessionId, requestId, signal } = request;
    const answer = new Promise<Result>((resolve, reject) => {
      this.#open.set(promptId, { client, sessionId, requestId, resolve, reject });
    });
    try {
      start();
    } catch (error) {
      this.#open.delete(promptId);
      throw error;
    }
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
    return answer;
  }

  /** Whose prompt it is; `null` when it was answered. */
  get(promptId: string): { readonly sessionId: string; readonly client: Client } | null {
    return this.#open.get(promptId) ?? null;
  }

  /** Answers with a result; returns the id of the request, `undefined` when it was answered before. */
  resolve(promptId: string, result: Result): RequestId | undefined {
    const open = this.#close(promptId);
    open?.resolve(result);
    return open?.requestId;
  }

  reject(promptId: string, error: ErrorDescriptor): RequestId | undefined {
    const open = this.#close(promptId);
    open?.reject(new RequestError(error.code, error.message, error.data));
    return open?.requestId;
  }

  #close(promptId: string): OpenPrompt<Result, Client> | undefined {
    const open = this.#open.get(promptId);
    this.#open.delete(promptId);
    return open;
  }
}
