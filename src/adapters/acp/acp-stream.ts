import type { Readable } from 'node:stream';
import type { AnyMessage, AnyNotification, AnyRequest, AnyResponse, Stream } from '@agentclientprotocol/sdk/unstable';
import type { Log } from '../../ports/outbound/system.ts';
import type { ClientRequests } from './client-requests.ts';
import type { Delivery } from './delivery.ts';
import { normalizeParams } from './inbound-normalization.ts';
import { isJsonObject, isV2RequestId, type MalformedLine, malformedReply, type RequestId } from './json-rpc.ts';
import { MessageReader } from './message-reader.ts';
import type { AfterWrite, Outbox } from './outbox.ts';

export interface AcpStreamParts {
  readonly input: Readable;
  readonly outbox: Outbox;
  readonly delivery: Delivery;
  readonly requests: ClientRequests;
  readonly log: Log;
  /** The response to the first successful `initialize` stands in the output. */
  readonly onNegotiated: () => void;
  /** The client sends nothing more; everything it sent was handed out (S1.50, S1.52). */
  readonly onInputEnd: () => void;
  /** The connection is over: `close` was called, stdout broke, or the SDK gave up. Called once. */
  readonly onClosed: () => void;
  readonly maxMessageBytes?: number;
}

interface AnswerWaiter {
  readonly counts: (method: string) => boolean;
  readonly resolve: () => void;
}

interface Unanswered {
  readonly method: string;
  readonly sessionId: string | null;
}

/**
 * The SDK's view of stdio. Requests and notifications of the client go to the SDK one by one, in order and with
 * normalised params; answers to our requests go to `ClientRequests`; responses of the SDK go to the one outbox and
 * release what waited for them.
 */
export class AcpStream {
  /** To be given to the SDK's protocol router. */
  readonly stream: Stream;
  readonly #parts: AcpStreamParts;
  readonly #reader: MessageReader;
  readonly #unanswered = new Map<RequestId, Unanswered>();
  #answerWaiters: AnswerWaiter[] = [];
  #protocol: 1 | 2 | null = null;
  #closed = false;

  constructor(parts: AcpStreamParts) {
    this.#parts = parts;
    this.#reader = new MessageReader(
      parts.input,
      {
        call: (message) => this.#receive(message),
        answer: (message) => parts.requests.receive(message),
        malformed: (problem) => this.#refuse(problem),
        ended: parts.onInputEnd,
        cancelled: () => this.close(),
      },
      parts.maxMessageBytes,
    );
    this.stream = {
      readable: this.#reader.readable,
      writable: new WritableStream<AnyMessage>({
        write: (message) => this.#write(message),
        abort: () => this.close(),
      }),
    };
  }

  /** The negotiated version; `null` until the response to `initialize` was written. */
  get protocol(): 1 | 2 | null {
    return this.#protocol;
  }

  /** Methods of the requests that have no response yet. */
  get unanswered(): readonly string[] {
    return [...this.#unanswered.values()].map(({ method }) => method);
  }

  /**
   * Resolves when every request whose method counts was answered, or the connection closed (S1.52). The caller limits the
   * time.
   */
  answered(counts: (method: string) => boolean = () => true): Promise<void> {
    return new Promise((resolve) => {
      this.#answerWaiters.push({ counts, resolve });
      this.#reportAnswered();
    });
  }

  /** Ends the connection: running requests are aborted by the SDK, client requests settle, nothing more is run. */
  close(error?: Error): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#reader.close(error);
    this.#parts.requests.close();
    this.#parts.delivery.close();
    this.#parts.outbox.close();
    this.#unanswered.clear();
    this.#reportAnswered();
    this.#parts.onClosed();
  }

  #receive(message: AnyNotification | AnyRequest): AnyNotification | AnyRequest {
    if ('id' in message && !(this.#protocol === 2 && !isV2RequestId(message.id))) {
      this.#unanswered.set(message.id, { method: message.method, sessionId: sessionIdOf(message.params) });
    }
    if (this.#protocol === null) return message;
    const params = normalizeParams(this.#protocol, message.method, message.params);
    return params === message.params ? message : { ...message, params };
  }

  #refuse(problem: MalformedLine): void {
    this.#parts.outbox.enqueue(malformedReply(problem, this.#protocol !== null), null);
  }

  #write(message: AnyMessage): void {
    const { outbox } = this.#parts;
    if (outbox.closed) throw new Error('The ACP connection is closed');
    if ('method' in message) outbox.enqueue(message, sessionIdOf(message.params));
    else this.#respond(message);
  }

  #respond(response: AnyResponse): void {
    const request = this.#unanswered.get(response.id);
    this.#unanswered.delete(response.id);
    const success = 'result' in response;
    const first = this.#protocol === null;
    if (request?.method === 'initialize' && success) this.#protocol = protocolOf(response.result) ?? this.#protocol;
    this.#parts.delivery.respond(response.id, success, (afterWrite) => {
      this.#enqueue(response, request?.sessionId ?? null, afterWrite);
    });
    if (first && this.#protocol !== null) this.#parts.onNegotiated();
    if (this.#answerWaiters.length > 0) this.#reportAnswered();
  }

  /** A result that is no JSON must not leave its request without a response. */
  #enqueue(response: AnyResponse, sessionId: string | null, afterWrite: AfterWrite | undefined): void {
    const { outbox, log } = this.#parts;
    try {
      outbox.enqueue(response, sessionId, afterWrite);
    } catch (exception) {
      log.error('A response could not be written as JSON', { id: response.id, exception });
      const error = { code: -32603, message: 'Internal error', data: { details: 'The response could not be written' } };
      outbox.enqueue({ jsonrpc: '2.0', id: response.id, error }, sessionId, afterWrite);
    }
  }

  #reportAnswered(): void {
    const open = this.unanswered;
    this.#answerWaiters = this.#answerWaiters.filter(({ counts, resolve }) => {
      if (open.some(counts)) return true;
      resolve();
      return false;
    });
  }
}

function sessionIdOf(params: unknown): string | null {
  return isJsonObject(params) && typeof params.sessionId === 'string' ? params.sessionId : null;
}

function protocolOf(result: unknown): 1 | 2 | null {
  const version = isJsonObject(result) ? result.protocolVersion : undefined;
  return version === 1 || version === 2 ? version : null;
}
