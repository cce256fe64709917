/**
 * A small ACP client for tests, the demo and the bench. It speaks raw JSON-RPC on purpose: tests see every frame as it is
 * on the wire, in order.
 */
export interface Frame {
  readonly id?: number | string | null;
  readonly method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into frames freely
  readonly params?: any;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into frames freely
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Answers a request of the agent; `undefined` leaves it open. */
export type RequestHandler = (frame: Frame) => unknown;

export interface Transport {
  write(line: string): void;
  /** Ends the agent's input. */
  end(): void;
}

interface Waiter {
  readonly matches: (frame: Frame) => boolean;
  readonly resolve: (frame: Frame) => void;
}

export class AcpError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(error: { code: number; message: string; data?: unknown }) {
    super(error.message);
    this.code = error.code;
    this.data = error.data;
  }
}

/** An open `elicitation/create` in form mode. */
export class OpenForm {
  readonly frame: Frame;
  readonly #client: AcpClient;

  constructor(client: AcpClient, frame: Frame) {
    this.#client = client;
    this.frame = frame;
  }

  /** Keys of the fields, in order. */
  get keys(): string[] {
    return Object.keys(this.frame.params.requestedSchema.properties);
  }

  accept(content: Readonly<Record<string, unknown>>): void {
    this.#answer({ result: { action: 'accept', content } });
  }

  decline(): void {
    this.#answer({ result: { action: 'decline' } });
  }

  cancel(): void {
    this.#answer({ result: { action: 'cancel' } });
  }

  fail(error: { code: number; message: string } = { code: -32603, message: 'No dialog' }): void {
    this.#answer({ error });
  }

  /** Resolves when the agent withdraws it. */
  withdrawn(): Promise<Frame> {
    const { id } = this.frame;
    return this.#client.waitFor((frame) => frame.method === '$/cancel_request' && frame.params.requestId === id);
  }

  #answer(members: object): void {
    this.#client.send({ jsonrpc: '2.0', id: this.frame.id, ...members });
  }
}

export class AcpClient {
  /** Every frame of the agent, in arrival order. */
  readonly received: Frame[] = [];
  /** Answers `session/request_permission` and other requests of the agent. */
  onRequest: RequestHandler = () => undefined;
  /** Called with every frame before anything else. */
  onFrame: (frame: Frame, requestMethod: string | null) => void = () => undefined;
  readonly #transport: Transport;
  readonly #pending = new Map<
    number,
    { method: string; resolve: (value: unknown) => void; reject: (error: Error) => void }
  >();
  #waiters: Waiter[] = [];
  #nextId = 1;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** One line of the agent's output. */
  receive(line: string): void {
    if (line === '') return;
    const frame = JSON.parse(line) as Frame;
    this.received.push(frame);
    const pending =
      frame.method === undefined && typeof frame.id === 'number' ? this.#pending.get(frame.id) : undefined;
    this.onFrame(frame, pending?.method ?? null);
    if (pending !== undefined && typeof frame.id === 'number') {
      this.#pending.delete(frame.id);
      if (frame.error === undefined) pending.resolve(frame.result);
      else pending.reject(new AcpError(frame.error));
    } else if (frame.method !== undefined && frame.id !== undefined && frame.id !== null) {
      const result = this.onRequest(frame);
      if (result !== undefined) this.answer(frame.id, result);
    }
    const waiting = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiting) {
      if (waiter.matches(frame)) waiter.resolve(frame);
      else this.#waiters.push(waiter);
    }
  }

  /** The agent is gone: whoever waits hears it. */
  disconnected(reason: string): void {
    for (const pending of this.#pending.values()) pending.reject(new Error(reason));
    this.#pending.clear();
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests look into results freely
  request(method: string, params: unknown): Promise<any> & { id: number } {
    const id = this.#nextId;
    this.#nextId += 1;
    const promise = new Promise((resolve, reject) => this.#pending.set(id, { method, resolve, reject }));
    promise.catch(() => undefined);
    this.send({ jsonrpc: '2.0', id, method, params });
    return Object.assign(promise, { id });
  }

  notify(method: string, params: unknown): void {
    this.send({ jsonrpc: '2.0', method, params });
  }

  answer(id: number | string, result: unknown): void {
    this.send({ jsonrpc: '2.0', id, result });
  }

  send(message: unknown): void {
    this.#transport.write(`${JSON.stringify(message)}\n`);
  }

  raw(text: string): void {
    this.#transport.write(text);
  }

  end(): void {
    this.#transport.end();
  }

  /** The first frame that matches, of those received or still to come. */
  waitFor(matches: (frame: Frame) => boolean, from = 0): Promise<Frame> {
    const seen = this.received.slice(from).find(matches);
    if (seen !== undefined) return Promise.resolve(seen);
    return new Promise((resolve) => this.#waiters.push({ matches, resolve }));
  }

  /** The first session update of a kind that matches. */
  waitForUpdate(
    kind: string,
    matches: (update: Frame['params']) => boolean = () => true,
    from = 0,
  ): Promise<Frame['params']> {
    return this.waitFor(
      (frame) =>
        frame.method === 'session/update' && frame.params.update.sessionUpdate === kind && matches(frame.params.update),
      from,
    ).then((frame) => frame.params.update);
  }

  /** The first form that a session asks its user to fill in. */
  waitForForm(sessionId: string, from = 0): Promise<OpenForm> {
    const isForm = ({ method, params }: Frame): boolean =>
      method === 'elicitation/create' && params.mode === 'form' && params.sessionId === sessionId;
    return this.waitFor(isForm, from).then((frame) => new OpenForm(this, frame));
  }

  /** Updates of a session, in order. */
  updates(sessionId: string, from = 0): Frame['params'][] {
    return this.received
      .slice(from)
      .filter((frame) => frame.method === 'session/update' && frame.params.sessionId === sessionId)
      .map((frame) => frame.params.update);
  }

  /** All text of agent messages of a session. */
  text(sessionId: string, from = 0): string {
    return this.updates(sessionId, from)
      .filter((update) => update.sessionUpdate === 'agent_message_chunk')
      .map((update) => update.content.text)
      .join('');
  }
}
