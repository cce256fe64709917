import type { Writable } from 'node:stream';
import { Fifo } from './fifo.ts';
import { type QueuedChunk, type TextChunk, TextLanes } from './text-lanes.ts';
import { toWireLine } from './wire-line.ts';

/** One write is at most about this long, so that what waits behind a slow client can still merge. */
const maxWriteLength = 256 * 1024;

/** Told once whether the stream accepted the line (S1.47) or it is lost. */
export type AfterWrite = (ok: boolean) => void;

export interface OutboxListener {
  /** The output closed or failed: nothing leaves any more. Called once (S1.48). */
  broken(error: Error): void;
  /** A frame could not be built; it is left out. */
  fault(error: unknown): void;
}

interface QueuedLine {
  readonly kind: 'line';
  readonly text: string;
  readonly afterWrite: AfterWrite | undefined;
}

/**
 * The one writer of stdout (S1.40, S1.47). Keeps the order of its calls, writes everything of one tick at once, and
 * stops writing while the stream is full; what waits then merges (S4.14, S4.15), so a slow client costs bytes, not
 * frames. Handing in a frame allocates no promise.
 */
export class Outbox {
  readonly #output: Writable;
  readonly #listener: OutboxListener;
  readonly #queue = new Fifo<QueuedChunk | QueuedLine>();
  readonly #lanes: TextLanes;
  /** Hooks of writes that the stream has not accepted yet. */
  readonly #inFlight = new Set<readonly AfterWrite[]>();
  #drainWaiters: (() => void)[] = [];
  #queuedBytes = 0;
  #scheduled = false;
  #full = false;
  #broken = false;
  #closed = false;

  constructor(output: Writable, listener: OutboxListener) {
    this.#output = output;
    this.#listener = listener;
    this.#lanes = new TextLanes(
      (chunk) => {
        this.#queuedBytes += chunk.bytes;
        this.#push(chunk);
      },
      (bytes) => {
        this.#queuedBytes += bytes;
      },
    );
    output.on('drain', () => {
      this.#full = false;
      this.#flush();
    });
    output.on('error', (error) => this.#break(error));
    output.on('close', () => this.#break(closedOutput()));
    if (output.destroyed) queueMicrotask(() => this.#break(closedOutput()));
  }

  /** Bytes that wait here and in the stream, about. */
  get pendingBytes(): number {
    return this.#queuedBytes + this.#output.writableLength;
  }

  /** True when nothing is taken any more: the connection was closed or the output broke. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Takes nothing more; what was queued is still written (S1.234). */
  close(): void {
    this.#closed = true;
  }

  /**
   * Queues a whole message. `sessionId` says whose text it may not be passed by: of one session, or (`null`) of all.
   * The message is serialised now; throws when it cannot be.
   */
  enqueue(message: object, sessionId: string | null, afterWrite?: AfterWrite): void {
    if (this.#closed) {
      if (afterWrite !== undefined) queueMicrotask(() => afterWrite(false));
      return;
    }
    const text = toWireLine(message);
    this.#lanes.interrupt(sessionId);
    this.#queuedBytes += text.length;
    this.#push({ kind: 'line', text, afterWrite });
  }

  /** Queues text of a session's stream; its frame is built when it is written. */
  enqueueChunk(sessionId: string, chunk: TextChunk): void {
    if (!this.#closed) this.#lanes.add(sessionId, chunk);
  }

  /** The session is over: nothing is kept for it. */
  forgetSession(sessionId: string): void {
    this.#lanes.forget(sessionId);
  }

  /** Resolves when the system took everything that was queued, or the output broke. For the end of the process. */
  drained(): Promise<void> {
    if (this.#broken) return Promise.resolve();
    return new Promise((resolve) => {
      this.#drainWaiters.push(resolve);
      this.#schedule();
    });
  }

  #push(entry: QueuedChunk | QueuedLine): void {
    this.#queue.push(entry);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || this.#full) return;
    this.#scheduled = true;
    queueMicrotask(this.#flush);
  }

  readonly #flush = (): void => {
    this.#scheduled = false;
    while (!this.#full && !this.#broken && this.#queue.length > 0) this.#writeSome();
    if (this.#drainWaiters.length > 0 && this.#queue.length === 0 && !this.#broken) this.#reportDrained();
  };

  #writeSome(): void {
    let text = '';
    let hooks: AfterWrite[] | null = null;
    while (text.length < maxWriteLength) {
      const entry = this.#queue.shift();
      if (entry === undefined) break;
      if (entry.kind === 'chunk') {
        text += this.#lineOf(entry);
        continue;
      }
      text += `${entry.text}\n`;
      this.#queuedBytes -= entry.text.length;
      if (entry.afterWrite === undefined) continue;
      hooks ??= [];
      hooks.push(entry.afterWrite);
    }
    if (text !== '' && !this.#write(text, hooks)) this.#full = true;
  }

  #lineOf(chunk: QueuedChunk): string {
    chunk.taken = true;
    this.#queuedBytes -= chunk.bytes;
    const { sessionId } = chunk;
    try {
      const update = chunk.build(chunk.text);
      return `${toWireLine({ jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } })}\n`;
    } catch (error) {
      this.#listener.fault(error);
      return '';
    }
  }

  #write(text: string, hooks: AfterWrite[] | null): boolean {
    if (hooks === null) return this.#output.write(text, 'utf8');
    const written: readonly AfterWrite[] = hooks;
    this.#inFlight.add(written);
    return this.#output.write(text, 'utf8', (error) => {
      if (this.#inFlight.delete(written)) runAll(written, error === undefined || error === null);
    });
  }

  #reportDrained(): void {
    const waiters = this.#drainWaiters;
    this.#drainWaiters = [];
    this.#inFlight.add(waiters);
    this.#output.write('', 'utf8', () => {
      if (this.#inFlight.delete(waiters)) runAll(waiters, true);
    });
  }

  #break(error: Error): void {
    if (this.#broken) return;
    this.#broken = true;
    this.#closed = true;
    this.#queuedBytes = 0;
    this.#lanes.clear();
    for (const hooks of this.#inFlight) runAll(hooks, false);
    this.#inFlight.clear();
    for (let entry = this.#queue.shift(); entry !== undefined; entry = this.#queue.shift()) {
      if (entry.kind === 'line') entry.afterWrite?.(false);
    }
    for (const resolve of this.#drainWaiters) resolve();
    this.#drainWaiters = [];
    this.#listener.broken(error);
  }
}

function closedOutput(): Error {
  return new Error('The output is closed');
}

function runAll(hooks: readonly AfterWrite[], ok: boolean): void {
  for (const hook of hooks) hook(ok);
}
