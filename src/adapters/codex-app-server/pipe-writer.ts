import type { Writable } from 'node:stream';
import type { Log } from '../../ports/outbound/system.ts';

/**
 * Writes to the stdin of a child in order. While the pipe is full nothing more is handed to it; the rest follows as one
 * chunk after `drain`. A broken pipe is logged and never thrown: what waits for an answer fails through the loss of the
 * process (S1.77).
 */
export class PipeWriter {
  readonly #pipe: Writable;
  readonly #waiting: string[] = [];
  #state: 'closed' | 'flowing' | 'full' = 'flowing';

  constructor(pipe: Writable, log: Log) {
    this.#pipe = pipe;
    pipe.on('error', (error) => {
      log.warn('[STDIN ERROR] Writing to the Codex app-server failed', { error: error.message });
      this.#drop();
    });
    pipe.on('drain', () => this.#drained());
  }

  write(text: string): void {
    if (this.#state === 'full') this.#waiting.push(text);
    else if (this.#state === 'flowing' && !this.#pipe.write(text)) this.#state = 'full';
  }

  /** Ends the pipe after what was written; later text is dropped. */
  end(): void {
    if (this.#state === 'closed') return;
    const rest = this.#waiting.join('');
    this.#drop();
    if (rest === '') this.#pipe.end();
    else this.#pipe.end(rest);
  }

  destroy(): void {
    this.#drop();
    this.#pipe.destroy();
  }

  #drained(): void {
    if (this.#state !== 'full') return;
    this.#state = 'flowing';
    if (this.#waiting.length > 0) this.write(this.#waiting.splice(0).join(''));
  }

  #drop(): void {
    this.#state = 'closed';
    this.#waiting.length = 0;
  }
}
