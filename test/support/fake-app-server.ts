import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import type { Child, ChildCommand, SpawnChild } from '../../src/adapters/codex-app-server/child-process.ts';

/** A message as it went over the pipe. */
export interface WireMessage {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface FakeBehaviour {
  /** Answers `initialize` by itself; default. */
  readonly introduces?: boolean;
  /** Exits with code 0 at the end of its stdin, as Codex does; default. */
  readonly obeysEndOfInput?: boolean;
  /** Fails to start with this error. */
  readonly startError?: NodeJS.ErrnoException;
}

let nextPid = 1000;

/**
 * A `codex app-server` in memory: three streams and the events of a child process. The test says what it writes and how
 * it ends.
 */
export class FakeAppServer extends EventEmitter implements Child {
  readonly command: ChildCommand;
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout = new Readable({ read: () => {} });
  readonly stderr = new Readable({ read: () => {} });
  /** Everything that was written to it, oldest first. */
  readonly received: WireMessage[] = [];
  readonly signals: string[] = [];
  inputEnded = false;
  readonly #behaviour: FakeBehaviour;
  #exited = false;

  constructor(command: ChildCommand, behaviour: FakeBehaviour = {}) {
    super();
    this.command = command;
    this.#behaviour = behaviour;
    this.pid = behaviour.startError === undefined ? nextPid++ : undefined;
    this.stdin = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        for (const line of chunk.toString('utf8').trimEnd().split('\n')) this.#onMessage(JSON.parse(line));
        done();
      },
      final: (done) => {
        this.inputEnded = true;
        if (behaviour.obeysEndOfInput !== false) this.exit(0);
        done();
      },
    });
    const { startError } = behaviour;
    if (startError !== undefined) process.nextTick(() => this.emit('error', startError));
  }

  kill(signal?: NodeJS.Signals | number): boolean {
    this.signals.push(String(signal));
    return true;
  }

  unref(): void {}

  /** Writes messages to stdout. */
  say(...messages: readonly object[]): void {
    for (const message of messages) this.write(`${JSON.stringify(message)}\n`);
  }

  write(text: string): void {
    this.stdout.push(text);
  }

  complain(text: string): void {
    this.stderr.push(text);
  }

  /** Answers the last request of a method. */
  answer(method: string, result: unknown): void {
    this.say({ id: this.lastRequest(method).id, result });
  }

  refuse(method: string, message: string, code = -32600): void {
    this.say({ id: this.lastRequest(method).id, error: { code, message } });
  }

  lastRequest(method: string): WireMessage {
    const request = this.received.findLast((message) => message.method === method);
    if (request === undefined) throw new Error(`Nobody called ${method}`);
    return request;
  }

  get methods(): readonly (string | undefined)[] {
    return this.received.map((message) => message.method);
  }

  /** Exits; its output ends too. */
  exit(code: number | null, signal: NodeJS.Signals | null = null): void {
    this.exitOnly(code, signal);
    this.endOutput();
  }

  /** Exits while something else holds its output open. */
  exitOnly(code: number | null, signal: NodeJS.Signals | null = null): void {
    if (this.#exited) return;
    this.#exited = true;
    this.emit('exit', code, signal);
  }

  endOutput(): void {
    this.stdout.push(null);
    this.stderr.push(null);
  }

  #onMessage(message: WireMessage): void {
    this.received.push(message);
    if (message.method === 'initialize' && this.#behaviour.introduces !== false) {
      this.say({ id: message.id, result: { codexHome: '/home/.codex', userAgent: 'fake' } });
    }
  }
}

/** Starts fake app-servers and remembers them, first process first. */
export class FakeAppServers {
  readonly started: FakeAppServer[] = [];
  /** Behaviour of the processes to come. */
  behaviour: FakeBehaviour = {};
  /** The next start throws. */
  throwOnStart: Error | null = null;

  readonly spawn: SpawnChild = (command) => {
    if (this.throwOnStart !== null) throw this.throwOnStart;
    const server = new FakeAppServer(command, this.behaviour);
    this.started.push(server);
    return server;
  };

  get last(): FakeAppServer {
    const server = this.started.at(-1);
    if (server === undefined) throw new Error('No app-server was started');
    return server;
  }
}

/** Lets everything that is under way in streams and promises happen. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}
