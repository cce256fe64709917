import type { Readable } from 'node:stream';
import type { AnyMessage, AnyNotification, AnyRequest } from '@agentclientprotocol/sdk/unstable';
import { Fifo } from './fifo.ts';
import { type InboundLine, type JsonObject, type MalformedLine, parseLine } from './json-rpc.ts';
import { LineSplitter } from './line-splitter.ts';

/** Longest message that is accepted (S1.46): image prompts fit. */
export const maxMessageBytes = 256 * 1024 * 1024;

/** More waiting messages than this stop reading from the input until they were handed out. */
const maxWaiting = 256;

/** Takes what the SDK does not; all are called in arrival order, together with the calls of `readable`. */
export interface MessageReaderListener {
  /** A request or notification is about to be handed out; the returned message takes its place. */
  call(message: AnyNotification | AnyRequest): AnyNotification | AnyRequest;
  /** Answer of the client to a request of ours. */
  answer(message: JsonObject): void;
  malformed(problem: MalformedLine): void;
  /** End of input, and every message was handed out. The readable stays open until `close`. */
  ended(): void;
  /** The SDK gave up the connection. */
  cancelled(reason: unknown): void;
}

/**
 * Bytes of the client -> JSON-RPC messages (S1.41, S1.42, S1.46).
 *
 * The SDK passes each message through a chain of awaits of different length, so two messages of one read could start in
 * the wrong order. Therefore a message is handed out only in a later event-loop turn than the one before it: by then the
 * handler of the earlier one has run up to its first real wait.
 */
export class MessageReader {
  readonly readable: ReadableStream<AnyMessage>;
  readonly #input: Readable;
  readonly #listener: MessageReaderListener;
  readonly #splitter: LineSplitter;
  readonly #waiting = new Fifo<InboundLine>();
  #controller: ReadableStreamDefaultController<AnyMessage> | null = null;
  #wanted = false;
  #turnTaken = false;
  #paused = false;
  #inputEnded = false;
  #endReported = false;
  #closed = false;

  constructor(input: Readable, listener: MessageReaderListener, limit = maxMessageBytes) {
    this.#input = input;
    this.#listener = listener;
    this.#splitter = new LineSplitter(
      limit,
      (line) => this.#receive(line),
      () => this.#waiting.push({ kind: 'malformed', problem: { type: 'tooLong', limit } }),
    );
    this.readable = new ReadableStream<AnyMessage>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => {
          this.#wanted = true;
          this.#pump();
        },
        cancel: (reason) => {
          this.#stop();
          listener.cancelled(reason);
        },
      },
      { highWaterMark: 0 },
    );
    input.on('data', this.#onData);
    input.on('end', this.#onEnd);
    input.on('close', this.#onEnd);
    input.on('error', this.#onEnd);
  }

  /** Ends the readable, with the error if there is one; nothing more is read. */
  close(error?: Error): void {
    if (this.#closed) return;
    this.#stop();
    if (error === undefined) this.#controller?.close();
    else this.#controller?.error(error);
  }

  readonly #onData = (chunk: Buffer | string): void => {
    this.#splitter.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    this.#pump();
  };

  readonly #onEnd = (): void => {
    if (this.#inputEnded || this.#closed) return;
    this.#inputEnded = true;
    this.#splitter.end();
    this.#pump();
  };

  readonly #nextTurn = (): void => {
    this.#turnTaken = false;
    this.#pump();
  };

  #receive(line: string): void {
    const text = line.trim();
    if (text !== '') this.#waiting.push(parseLine(text));
  }

  #pump(): void {
    while (!this.#turnTaken && !this.#closed) {
      const next = this.#waiting.peek();
      if (next === undefined) break;
      if (next.kind === 'call' && !this.#wanted) break;
      this.#waiting.shift();
      this.#dispatch(next);
    }
    if (this.#closed) return;
    this.#throttle();
    if (this.#inputEnded && !this.#turnTaken && !this.#endReported && this.#waiting.length === 0) {
      this.#endReported = true;
      this.#listener.ended();
    }
  }

  #dispatch(line: InboundLine): void {
    switch (line.kind) {
      case 'answer':
        this.#listener.answer(line.message);
        return;
      case 'malformed':
        this.#listener.malformed(line.problem);
        return;
      case 'call':
        this.#wanted = false;
        this.#turnTaken = true;
        setImmediate(this.#nextTurn);
        this.#controller?.enqueue(this.#listener.call(line.message));
    }
  }

  #throttle(): void {
    const full = this.#waiting.length > maxWaiting;
    if (full === this.#paused) return;
    this.#paused = full;
    if (full) this.#input.pause();
    else this.#input.resume();
  }

  #stop(): void {
    this.#closed = true;
    this.#waiting.clear();
    this.#input.off('data', this.#onData);
    this.#input.off('end', this.#onEnd);
    this.#input.off('close', this.#onEnd);
    this.#input.pause();
  }
}
