import { Writable } from 'node:stream';

/** An output that keeps what is written and can stop taking more, like a pipe whose reader sleeps. */
export class FakeOutput extends Writable {
  readonly writes: string[] = [];
  #stalled = false;
  #waiting: (() => void) | null = null;

  constructor(highWaterMark = 16 * 1024) {
    super({ decodeStrings: false, highWaterMark });
  }

  override _write(chunk: string, _encoding: string, done: (error?: Error | null) => void): void {
    this.writes.push(chunk);
    if (this.#stalled) this.#waiting = done;
    else done();
  }

  stall(): void {
    this.#stalled = true;
  }

  /** Takes everything again. */
  release(): void {
    this.#stalled = false;
    this.releaseOne();
  }

  /** Takes what is being written now and stalls again at the next write. */
  releaseOne(): void {
    const done = this.#waiting;
    this.#waiting = null;
    done?.();
  }

  get text(): string {
    return this.writes.join('');
  }

  get lines(): string[] {
    return this.text.split('\n').slice(0, -1);
  }

  get frames(): Frame[] {
    return this.lines.map((line) => JSON.parse(line) as Frame);
  }
}

/** A frame as tests look at it. */
export interface Frame {
  readonly jsonrpc: '2.0';
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Record<string, unknown> & {
    readonly sessionId?: string;
    readonly update?: Record<string, unknown>;
  };
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}
