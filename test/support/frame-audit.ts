import type { Frame } from './acp-client.ts';

interface OpenRequest {
  readonly method: string;
  readonly sessionId: string | null;
  reported: boolean;
}

/**
 * Rules that hold for every conversation, checked on each frame as it passes: what no single test would think of.
 * The schema is checked elsewhere.
 */
export class FrameAudit {
  readonly #version: 1 | 2;
  readonly #air: boolean;
  readonly #problems: string[] = [];
  /** Requests of the client without an answer: id -> method and session. */
  readonly #open = new Map<number | string, OpenRequest>();
  /** Requests of the agent, and whether they were withdrawn. */
  readonly #asks = new Map<number | string, { withdrawn: boolean }>();
  readonly #closed = new Set<string>();
  /** v2: the state of each session. */
  readonly #states = new Map<string, string>();
  /** Tool calls that reached a final status. */
  readonly #ended = new Set<string>();

  constructor(version: 1 | 2, air: boolean) {
    this.#version = version;
    this.#air = air;
  }

  /** Problems since the last call. */
  take(): string[] {
    return this.#problems.splice(0);
  }

  /** Requests of the client that have no answer; they are not reported again, and a late answer is in order. */
  takeUnanswered(): string[] {
    const unanswered = [...this.#open.values()].filter(({ reported }) => !reported);
    for (const request of unanswered) request.reported = true;
    return unanswered.map(({ method }) => method);
  }

  sent(message: Frame): void {
    if (message.method === undefined || message.id === undefined || message.id === null) return;
    const sessionId = message.params?.sessionId ?? null;
    this.#open.set(message.id, { method: message.method, sessionId, reported: false });
    if (message.method === 'session/load' || message.method === 'session/resume') this.#closed.delete(sessionId);
  }

  received(frame: Frame): void {
    if (frame.method === undefined) this.#answer(frame);
    else if (frame.method === '$/cancel_request') this.#withdrawal(frame);
    else if (frame.id !== undefined && frame.id !== null) this.#asks.set(frame.id, { withdrawn: false });
    if (frame.method !== undefined && this.#closed.has(frame.params?.sessionId)) {
      this.#problem('S3.67: frame of a closed session', frame);
    }
    if (!this.#air && JSON.stringify(frame).includes('"jetbrains"')) this.#problem('S4.6: AIR key', frame);
    if (frame.method === 'session/update') this.#update(frame);
  }

  #answer(frame: Frame): void {
    const id = frame.id ?? '';
    const request = this.#open.get(id);
    if (request === undefined) return this.#problem('C008: answer to no open request', frame);
    this.#open.delete(id);
    const closes = request.method === 'session/close' || request.method === 'session/delete';
    const { sessionId } = request;
    // A session that the client is opening again meanwhile may speak.
    if (closes && sessionId !== null && frame.error === undefined && !this.#isBeingOpened(sessionId)) {
      this.#closed.add(sessionId);
    }
  }

  #withdrawal(frame: Frame): void {
    const ask = this.#asks.get(frame.params.requestId);
    if (ask === undefined) return this.#problem('S5.21: withdrawal of no request', frame);
    if (ask.withdrawn) this.#problem('S5.21: second withdrawal', frame);
    ask.withdrawn = true;
  }

  #update(frame: Frame): void {
    const { sessionId, update } = frame.params;
    if (update.sessionUpdate === 'state_update') this.#state(frame, sessionId, update.state);
    if (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update') {
      const key = `${sessionId} ${update.toolCallId}`;
      if (update.status !== undefined && this.#ended.has(key)) this.#problem('S4.107: status after the end', frame);
      if (update.status === 'completed' || update.status === 'failed') this.#ended.add(key);
    }
  }

  #state(frame: Frame, sessionId: string, state: string): void {
    if (this.#version === 1) return this.#problem('S3 16: state update on v1', frame);
    const before = this.#states.get(sessionId) ?? 'idle';
    this.#states.set(sessionId, state);
    // R24: the end of Codex is told, also when nothing of the work had been visible.
    const { error } = frame.params.update;
    if (before === 'idle' && state === 'idle' && error?.code === 1001) return;
    if (before === state && !this.#isBeingOpened(sessionId)) this.#problem('S3.91: same state again', frame);
  }

  /** While a session is loaded, its replay may name old calls again and a snapshot repeats the state (S3.101). */
  #isBeingOpened(sessionId: string): boolean {
    return [...this.#open.values()].some(
      (request) =>
        request.sessionId === sessionId && (request.method === 'session/load' || request.method === 'session/resume'),
    );
  }

  #problem(what: string, frame: Frame): void {
    this.#problems.push(`${what}: ${JSON.stringify(frame).slice(0, 400)}`);
  }
}
