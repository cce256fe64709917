import type { Frame } from './acp-client.ts';
import type { Workspace } from './codex-home.ts';
import type { AgentLab, Json } from './integration.ts';
import type { Scripted } from './model-replies.ts';
import type { RecordedRequest, Responder } from './model-server.ts';

/** What a test does in one session of an `AgentLab`, alike for both versions of the protocol. */

/** One open session: its script, its frames, its prompts. */
export class LabSession {
  readonly id: string;
  readonly lab: AgentLab;
  readonly workspace: Workspace;
  /** The answer to `session/new`. */
  readonly opened: Json;
  #replies: Scripted[] = [];
  #responder: Responder | null = null;
  readonly #asksSeen = new Set<Frame>();

  constructor(lab: AgentLab, opened: Json, workspace: Workspace) {
    this.lab = lab;
    this.id = opened.sessionId;
    this.opened = opened;
    this.workspace = workspace;
  }

  /** What the model answers next in this session. */
  model(...replies: readonly Scripted[]): void {
    this.#replies.push(...replies);
  }

  /** Asked for every model request of the session before the replies of `model`. */
  modelWith(responder: Responder | null): void {
    this.#responder = responder;
  }

  async respond(request: RecordedRequest): Promise<Scripted | undefined> {
    return (await this.#responder?.(request)) ?? this.#replies.shift();
  }

  /** Model requests of this session, its reviewers included, oldest first. Those answered aside are not among them. */
  get requests(): readonly RecordedRequest[] {
    return this.lab.server.requests.filter((request) => this.#asked(request));
  }

  /** Waits for the model request with this number (from 1) of the session. */
  async modelRequest(number: number): Promise<RecordedRequest> {
    const request = await this.lab.server.waitForRequest(
      (candidate) => this.#asked(candidate) && this.requests.length >= number,
    );
    return this.requests[number - 1] ?? request;
  }

  setOption(id: string, value: Json): Promise<Json> {
    const type = typeof value === 'boolean' ? 'boolean' : 'id';
    const params = {
      sessionId: this.id,
      configId: id,
      value,
      ...(this.lab.version === 1 && type === 'id' ? {} : { type }),
    };
    return this.lab.request('session/set_config_option', params);
  }

  /** Sends a prompt; `more` are further params. */
  prompt(content: string | readonly Json[], more: Json = {}): LabPrompt {
    return new LabPrompt(this, typeof content === 'string' ? [{ type: 'text', text: content }] : content, more);
  }

  cancel(): void {
    this.lab.client.notify('session/cancel', { sessionId: this.id });
  }

  close(): Promise<Json> {
    return this.lab.request('session/close', { sessionId: this.id });
  }

  /** `session/resume`, in the process that opened the session or in a later one. The script goes on. */
  async resume(params: Json = {}): Promise<Resumed> {
    const { client } = this.lab;
    const from = client.received.length;
    const setup = { sessionId: this.id, cwd: this.workspace.path, mcpServers: [], ...params };
    const opened = await this.lab.request('session/resume', setup);
    const position = client.received.findIndex((frame, index) => index >= from && frame.result === opened) + 1;
    return { opened, from, position, before: this.updates(from, position) };
  }

  /** The next permission request of the session that no earlier call returned. */
  async ask(): Promise<PermissionAsk> {
    const isAsk = (frame: Frame): boolean =>
      frame.method === 'session/request_permission' && frame.params.sessionId === this.id && !this.#asksSeen.has(frame);
    const frame = await this.lab.waitFor('permission request', isAsk);
    this.#asksSeen.add(frame);
    return new PermissionAsk(this.lab, frame);
  }

  /** v2: resolves when the session is idle, or at once when it has never been anything else. */
  async settled(): Promise<void> {
    const states = this.updates().filter(({ sessionUpdate }) => sessionUpdate === 'state_update');
    if (states.length === 0 || states.at(-1).state === 'idle') return;
    const from = this.lab.client.received.length;
    await this.lab.waitFor('idle', (frame) => isIdle(frame, this.id), from);
  }

  /** The first update of a kind that matches. */
  async update(kind: string, matches: (update: Json) => boolean = () => true, from = 0): Promise<Json> {
    const frame = await this.lab.waitFor(
      `update ${kind}`,
      (candidate) =>
        isUpdate(candidate, this.id) &&
        candidate.params.update.sessionUpdate === kind &&
        matches(candidate.params.update),
      from,
    );
    return frame.params.update;
  }

  /** Resolves when the text of the agent's messages since `from` ends with this. */
  async textShown(text: string, from = 0): Promise<void> {
    await this.lab.waitFor(`text ${text}`, () => this.lab.client.text(this.id, from).endsWith(text), from);
  }

  /** Frames of this session from a position on, oldest first, without what Codex says at its start. */
  frames(from = 0, to?: number): Frame[] {
    return this.lab.client.received
      .slice(from, to)
      .filter((frame) => frame.params?.sessionId === this.id && !isStartupWarning(frame));
  }

  /** Updates of this session from a position on. */
  updates(from = 0, to?: number): Json[] {
    return this.frames(from, to)
      .filter((frame) => frame.method === 'session/update')
      .map((frame) => frame.params.update);
  }

  #asked(request: RecordedRequest): boolean {
    return request.ownerThreadId === this.id && request.kind === 'turn';
  }
}

/** A session that was opened again. */
export interface Resumed {
  /** The answer. */
  readonly opened: Json;
  /** Position in `client.received` when the request was sent, and after its answer. */
  readonly from: number;
  readonly position: number;
  /** Updates of the session between the two. */
  readonly before: Json[];
}

/** How a prompt ended, alike for both versions. */
export interface PromptEnd {
  /** The stop reason; `rejected` when the request was answered with an error. */
  readonly outcome: string;
  /** The error of the answer, or (v2) of the `idle` update. */
  readonly error: { readonly code: number; readonly message: string; readonly data?: Json } | null;
  readonly usage: Json;
  /** `_meta` of the answer (v1) or of the `idle` update (v2). */
  readonly meta: Json;
  /** Updates of the session from the prompt on to its end. */
  readonly updates: Json[];
  /** Position in `client.received` after the last frame of the prompt. */
  readonly position: number;
}

export class LabPrompt {
  /** JSON-RPC id of the request. */
  readonly requestId: number;
  /** Position in `client.received` when the prompt was sent. */
  readonly from: number;
  /** The answer to the request. */
  readonly answer: Promise<Json>;
  /**
   * The end of the prompt: the answer (v1), the `idle` that follows it (v2). A rejected prompt ends with its rejection;
   * on v2 an `idle` follows when its work was visible (S3.43), see `LabSession.settled`.
   */
  readonly ended: Promise<PromptEnd>;
  readonly #session: LabSession;

  constructor(session: LabSession, blocks: readonly Json[], more: Json = {}) {
    const { client } = session.lab;
    this.#session = session;
    this.from = client.received.length;
    const request = client.request('session/prompt', { sessionId: session.id, prompt: blocks, ...more });
    this.requestId = request.id;
    this.answer = request;
    this.ended = this.#end();
    this.ended.catch(() => undefined);
  }

  /** `$/cancel_request` of the prompt. */
  cancelRequest(): void {
    this.#session.lab.client.notify('$/cancel_request', { requestId: this.requestId });
  }

  async #end(): Promise<PromptEnd> {
    const { lab } = this.#session;
    const answer = await lab.waitFor('answer to the prompt', (frame) => isAnswer(frame, this.requestId), this.from);
    if (lab.version === 1) {
      const outcome = answer.error === undefined ? answer.result.stopReason : 'rejected';
      return this.#ending(answer, outcome, answer.error, answer.result);
    }
    if (answer.error !== undefined) return this.#ending(answer, 'rejected', answer.error, null);
    const position = lab.client.received.indexOf(answer);
    const idle = await lab.waitFor('idle', (frame) => isIdle(frame, this.#session.id), position);
    const { stopReason, error } = idle.params.update;
    return this.#ending(idle, stopReason, error, idle.params.update);
  }

  #ending(last: Frame, outcome: string, error: PromptEnd['error'] | undefined, source: Json): PromptEnd {
    const position = this.#session.lab.client.received.indexOf(last) + 1;
    const updates = this.#session.updates(this.from, position);
    return {
      outcome,
      error: error ?? null,
      usage: source?.usage ?? null,
      meta: source?._meta ?? null,
      updates,
      position,
    };
  }
}

/** An open `session/request_permission`. */
export class PermissionAsk {
  readonly frame: Frame;
  readonly #lab: AgentLab;

  constructor(lab: AgentLab, frame: Frame) {
    this.#lab = lab;
    this.frame = frame;
  }

  /** The tool call that it is about, alike for both versions. */
  get toolCall(): Json {
    return this.#lab.version === 1 ? this.frame.params.toolCall : this.frame.params.subject.toolCall;
  }

  get optionIds(): string[] {
    return this.frame.params.options.map((option: Json) => option.optionId);
  }

  /** Position of the request in `client.received`. */
  get position(): number {
    return this.#lab.client.received.indexOf(this.frame);
  }

  select(optionId: string): void {
    this.#answer({ outcome: { outcome: 'selected', optionId } });
  }

  answerCancelled(): void {
    this.#answer({ outcome: { outcome: 'cancelled' } });
  }

  fail(error: { code: number; message: string } = { code: -32603, message: 'No dialog' }): void {
    this.#lab.client.send({ jsonrpc: '2.0', id: this.frame.id, error });
  }

  /** Resolves when the agent withdraws it. */
  withdrawn(): Promise<Frame> {
    const isCancel = (frame: Frame): boolean =>
      frame.method === '$/cancel_request' && frame.params.requestId === this.frame.id;
    return this.#lab.waitFor('withdrawal of the permission request', isCancel);
  }

  #answer(result: Json): void {
    this.#lab.client.answer(this.frame.id as number | string, result);
  }
}

export function isUpdate(frame: Frame, sessionId: string): boolean {
  return frame.method === 'session/update' && frame.params.sessionId === sessionId;
}

/** Codex warns the first session of a process when no `bubblewrap` is installed (S4.9). */
function isStartupWarning(frame: Frame): boolean {
  return JSON.stringify(frame).includes('could not find bubblewrap');
}

export function isAnswer(frame: Frame, requestId: number): boolean {
  return frame.method === undefined && frame.id === requestId;
}

export function isIdle(frame: Frame, sessionId: string): boolean {
  return (
    isUpdate(frame, sessionId) &&
    frame.params.update.sessionUpdate === 'state_update' &&
    frame.params.update.state === 'idle'
  );
}
