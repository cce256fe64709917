import { expect, onTestFinished } from 'vitest';
import type { ThreadEvent } from '../../src/domain/thread/thread-event.ts';
import type { Frame } from './acp-client.ts';
import { type AgentInMemory, type AgentReplacements, agentWith } from './agent-with.ts';
import type { FakeClock } from './fake-clock.ts';
import type { FakeCodex } from './fake-codex.ts';
import { FrameAudit } from './frame-audit.ts';
import { profiles } from './profiles.ts';

/*
 * One session of the whole agent in memory, seen from the client: what it received, as short words in the order of the
 * wire. Every frame is checked against the schema and by `FrameAudit`; what they find fails the test.
 */

// biome-ignore lint/suspicious/noExplicitAny: tests look into frames freely
type Json = any;

/** `initialize` params of a client. */
export interface WireClient {
  readonly version: 1 | 2;
  readonly profile: { readonly protocolVersion: 1 | 2 };
}

const { session: _sessionFeatures, ...quietCapabilities } = profiles.airV1.clientCapabilities;

/** The clients of S3 section 16. */
export const wireClients = {
  plainV1: { version: 1, profile: profiles.plainV1 },
  zedV1: { version: 1, profile: profiles.zedV1 },
  airV1: { version: 1, profile: profiles.airV1 },
  plainV2: { version: 2, profile: profiles.plainV2 },
  airV2: { version: 2, profile: profiles.airV2 },
} as const satisfies Record<string, WireClient>;

export type WireClientName = keyof typeof wireClients;

/** AIR on v1 that declares neither notices nor compactions: its failures are typed, its advice are records. */
export const quietAirV1: WireClient = {
  version: 1,
  profile: { ...profiles.airV1, clientCapabilities: quietCapabilities } as WireClient['profile'],
};

/** A plain v1 client with the given `clientCapabilities`. */
export function plainV1With(clientCapabilities: object): WireClient {
  const profile = { ...profiles.plainV1, clientCapabilities };
  return { version: 1, profile: profile as WireClient['profile'] };
}

export const clientNames = Object.keys(wireClients) as readonly WireClientName[];
export const v1Names = ['plainV1', 'zedV1', 'airV1'] as const;
export const v2Names = ['plainV2', 'airV2'] as const;

/** A prompt or another request on its way. */
export interface SentRequest {
  readonly name: string;
  readonly id: number;
  readonly answer: Promise<Json>;
}

export interface WireOptions extends AgentReplacements {
  /** The session keeps the title that it begins with: none (S3.190). By default the user has given it one. */
  readonly untitled?: boolean;
}

export class WireLab {
  readonly agent: AgentInMemory;
  readonly version: 1 | 2;
  readonly air: boolean;
  sessionId = '';
  /** Frames before this one belong to the set-up. */
  #from = 0;
  readonly #names = new Map<number | string, string>();
  readonly #asks = new Map<number | string, string>();
  #written: string[] = [];
  #batching = false;
  #prompts = 0;
  #others = 0;

  constructor(client: WireClient, options: WireOptions) {
    this.version = client.version;
    this.air = JSON.stringify(client.profile).includes('"jetbrains"');
    this.agent = agentWith({ ...options, version: client.version });
    const audit = new FrameAudit(client.version, this.air);
    const acp = this.agent.client;
    const validate = acp.onFrame;
    acp.onFrame = (frame, method) => {
      audit.received(frame);
      validate(frame, method);
    };
    acp.send = (message) => {
      audit.sent(message as Frame);
      this.#written.push(`${JSON.stringify(message)}\n`);
      if (!this.#batching) this.#write();
    };
    onTestFinished(() => {
      expect({ violations: this.agent.violations, audit: audit.take() }).toEqual({ violations: [], audit: [] });
    });
  }

  get client(): AgentInMemory['client'] {
    return this.agent.client;
  }

  get codex(): FakeCodex {
    return this.agent.codex;
  }

  get clock(): FakeClock {
    return this.agent.clock;
  }

  async open({ profile }: WireClient, untitled: boolean): Promise<void> {
    await this.client.request('initialize', profile);
    await this.openSession();
    if (!untitled) this.emit({ type: 'threadName', name: 'Mine' });
    await this.settle();
    this.mark();
  }

  /** Opens one more session; the lab looks at that one from now on. */
  async openSession(): Promise<string> {
    const { sessionId } = await this.client.request('session/new', { cwd: '/w', mcpServers: [] });
    this.sessionId = sessionId;
    return sessionId;
  }

  /** What came up to now is not looked at any more. */
  mark(): void {
    this.#from = this.client.received.length;
  }

  /** Everything that is sent meanwhile arrives in one read of the agent's input. */
  inOneRead(send: () => void): void {
    this.#batching = true;
    send();
    this.#batching = false;
    this.#write();
  }

  #write(): void {
    this.client.raw(this.#written.splice(0).join(''));
  }

  /** The turn that Codex named last. */
  get lastTurn(): string {
    return `turn-${this.codex.of('startTurn').length + this.codex.of('review').length}`;
  }

  /** Sends a prompt: a text, or its blocks. */
  prompt(content: string | readonly unknown[] = 'hello', more: object = {}): SentRequest {
    this.#prompts += 1;
    const prompt = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    return this.request(`p${this.#prompts}`, 'session/prompt', { sessionId: this.sessionId, prompt, ...more });
  }

  steer(content: string | readonly unknown[] = 'more', more: object = {}): SentRequest {
    this.#others += 1;
    const prompt = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    return this.request(`s${this.#others}`, '_session/steering', { sessionId: this.sessionId, prompt, ...more });
  }

  /** Sends any request; its answer is the word `name …`. */
  request(name: string, method: string, params: object): SentRequest {
    const answer = this.client.request(method, params);
    this.#names.set(answer.id, name);
    return { name, id: answer.id, answer };
  }

  close(name = 'close'): SentRequest {
    return this.request(name, 'session/close', { sessionId: this.sessionId });
  }

  cancel(sessionId = this.sessionId): void {
    this.client.notify('session/cancel', { sessionId });
  }

  cancelRequest({ id }: SentRequest): void {
    this.client.notify('$/cancel_request', { requestId: id });
  }

  /** The open request of the agent about a tool call. */
  ask(toolCallId: string): Frame {
    const id = [...this.#asks].findLast(([, name]) => name === toolCallId)?.[0];
    const frame = this.client.received.find((received) => received.method !== undefined && received.id === id);
    if (frame === undefined) throw new Error(`Nothing is asked about ${toolCallId}`);
    return frame;
  }

  answer(toolCallId: string, optionId: string): void {
    this.client.answer(this.ask(toolCallId).id ?? '', { outcome: { outcome: 'selected', optionId } });
  }

  emit(...events: ThreadEvent[]): void {
    for (const event of events) this.codex.emit(this.sessionId, event);
  }

  /** Codex records the user message of a start; on v1 messages have no id of ours. */
  land(turnId: string, start = this.codex.of('startTurn').length - 1): void {
    const clientId = this.codex.of('startTurn')[start]?.params.clientMessageId ?? null;
    this.record(turnId, clientId);
  }

  record(turnId: string, clientId: string | null): void {
    this.emit({ type: 'itemStarted', turnId, item: { type: 'userMessage', id: `user-${turnId}`, clientId } });
  }

  /** Resolves when the agent has done all that it can do without new input. */
  async settle(): Promise<void> {
    for (;;) {
      const before = this.#progress();
      // Two answers to later requests: everything that came before is done.
      for (let round = 0; round < 2; round += 1) await this.client.request('session/close', { sessionId: 'nobody' });
      if (this.#progress() === before) return;
    }
  }

  #progress(): number {
    const barriers = this.client.received.filter((frame) => this.#isBarrier(frame)).length;
    return this.client.received.length - barriers + this.codex.calls.length;
  }

  #isBarrier(frame: Frame): boolean {
    return frame.method === undefined && !this.#names.has(frame.id ?? '') && frame.error === undefined;
  }

  /** Frames since the mark, without those of the lab itself. */
  get frames(): Frame[] {
    return this.client.received.slice(this.#from).filter((frame) => !this.#isBarrier(frame));
  }

  /** Updates of the session since the mark. */
  get updates(): Json[] {
    return this.client.updates(this.sessionId, this.#from);
  }

  /** Updates of one kind since the mark. */
  updatesOf(kind: string): Json[] {
    return this.updates.filter((update) => update.sessionUpdate === kind);
  }

  /** What the client received since the mark, in order. */
  async words(): Promise<string[]> {
    await this.settle();
    return this.frames.map((frame) => this.#word(frame));
  }

  /** The words that the agent had not said at the last call. */
  async news(): Promise<string[]> {
    const words = await this.words();
    this.mark();
    return words;
  }

  #word(frame: Frame): string {
    if (frame.method === 'session/update') return updateWord(frame.params.update);
    if (frame.method === '$/cancel_request') return `withdraw ${this.#asks.get(frame.params.requestId)}`;
    if (frame.method === undefined) return this.#answerWord(frame);
    if (frame.id === undefined || frame.id === null) return frame.method;
    const name = askName(frame);
    this.#asks.set(frame.id, name);
    return frame.method === 'session/request_permission' ? `ask ${name}` : `form ${name}`;
  }

  #answerWord({ id, result, error }: Frame): string {
    const name = this.#names.get(id ?? '') ?? 'answer';
    if (error !== undefined) return `${name} error ${error.code} ${error.message}`;
    const { stopReason, messageId, outcome } = result;
    return `${name} ${stopReason ?? (messageId === undefined ? (outcome ?? 'done') : 'inserted')}`;
  }
}

/** An initialized client with one open session. */
export async function wireLab(client: WireClient | WireClientName, options: WireOptions = {}): Promise<WireLab> {
  const wireClient = typeof client === 'string' ? wireClients[client] : client;
  const lab = new WireLab(wireClient, options);
  await lab.open(wireClient, options.untitled ?? false);
  return lab;
}

/** A prompt whose turn runs and, on v2, whose message is recorded. */
export async function runningPrompt(
  lab: WireLab,
  content: string | readonly unknown[] = 'hello',
): Promise<SentRequest> {
  const starts = lab.codex.of('startTurn').length;
  const prompt = lab.prompt(content);
  await lab.codex.called('startTurn', starts + 1);
  await lab.settle();
  const turnId = lab.lastTurn;
  lab.emit({ type: 'turnStarted', turnId });
  lab.land(turnId);
  await lab.settle();
  lab.mark();
  return prompt;
}

function askName({ method, params }: Frame): string {
  if (method !== 'session/request_permission') return String(params.mode ?? method);
  return params.toolCall?.toolCallId ?? params.subject?.toolCall?.toolCallId ?? '?';
}

function updateWord(update: Json): string {
  switch (update.sessionUpdate) {
    case 'state_update':
      return stateWord(update);
    case 'user_message_chunk':
      return `user ${update.content.text ?? update.content.type}`;
    case 'agent_message_chunk':
      return `text ${update.content.text}`;
    case 'agent_thought_chunk':
      return `thought ${update.content.text}`;
    case 'tool_call':
    case 'tool_call_update':
      return `tool ${update.toolCallId} ${update.status ?? 'changed'}`;
    case 'terminal_update':
      return `terminal ${update.terminalId}${update.exitStatus === undefined ? '' : ' ended'}`;
    case 'session_info_update':
      return `info ${update.title ?? metaKeys(update._meta).join(' ')}`;
    case 'notice':
      return `notice ${update.title}`;
    case 'compaction_update':
      return `compaction ${update.status}`;
    case 'usage_update':
      return `usage ${update.used}/${update.size}`;
    default:
      return update.sessionUpdate;
  }
}

/** What a `session_info_update` tells: keys of ours, without the version of the AIR contract. */
function metaKeys(meta: Json): string[] {
  const { jetbrains, codex, ...others } = meta ?? {};
  const keys = [codex, jetbrains?.air, others].flatMap((part) => Object.keys(part ?? {}));
  return keys.filter((key) => key !== 'version');
}

function stateWord({ state, stopReason, error }: Json): string {
  const failure = error === undefined ? '' : ` ${error.code} ${error.message}`;
  return state === 'idle' && stopReason !== undefined ? `idle ${stopReason}${failure}` : state;
}
