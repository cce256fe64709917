import type { Frame } from '../../support/acp-client.ts';
import { type AgentInMemory, agentWith } from '../../support/agent-with.ts';
import { profiles } from '../../support/profiles.ts';
import { events, message } from '../../support/session-lab.ts';
import type { Version } from './race-lab.ts';

export type ProfileName = 'airV1' | 'airV2' | 'plainV1' | 'plainV2';

export function versionOf(name: ProfileName): Version {
  return name.endsWith('1') ? 1 : 2;
}

/** A session of the whole agent in memory, for races in which the frames matter. Starts wait for their answer. */
export class WireRace {
  readonly agent: AgentInMemory;
  readonly sessionId: string;
  readonly #version: Version;

  private constructor(agent: AgentInMemory, sessionId: string, version: Version) {
    this.agent = agent;
    this.sessionId = sessionId;
    this.#version = version;
  }

  static async open(name: ProfileName): Promise<WireRace> {
    const version = versionOf(name);
    const agent = agentWith({ version });
    await agent.client.request('initialize', profiles[name]);
    const { sessionId } = await agent.client.request('session/new', { cwd: '/w', mcpServers: [] });
    for (const method of ['startTurn', 'interrupt', 'makeTitle', 'sample'] as const) agent.codex.manual.add(method);
    const race = new WireRace(agent, sessionId, version);
    await race.settled();
    return race;
  }

  /** Sends a prompt; the answer settles the promise. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results freely
  prompt(text = 'hello'): Promise<any> & { id: number } {
    const { client } = this.agent;
    return client.request('session/prompt', { sessionId: this.sessionId, prompt: [{ type: 'text', text }] });
  }

  cancel(): void {
    this.agent.client.notify('session/cancel', { sessionId: this.sessionId });
  }

  cancelRequest(requestId: number): void {
    this.agent.client.notify('$/cancel_request', { requestId });
  }

  /** Codex was asked to start so many turns. */
  async asked(times: number): Promise<void> {
    await this.agent.codex.called('startTurn', times);
  }

  async names(turnId: string): Promise<void> {
    this.agent.codex.heldStarts.shift()?.resolve({ turnId });
    await this.settled();
  }

  begins(turnId: string): void {
    this.agent.codex.emit(this.sessionId, events.started(turnId));
  }

  /** Codex records the user message of the last prompt that it was asked to run. */
  lands(turnId: string): void {
    const clientId = this.agent.codex.of('startTurn').at(-1)?.params.clientMessageId ?? null;
    const item = { type: 'userMessage', id: `user-${turnId}`, clientId } as const;
    this.agent.codex.emit(this.sessionId, { type: 'itemStarted', turnId, item });
  }

  says(text: string, turnId: string): void {
    const itemId = `m-${turnId}`;
    this.agent.codex.emit(this.sessionId, events.delta(turnId, text, itemId));
    this.agent.codex.emit(this.sessionId, events.itemCompleted(turnId, message(itemId, text)));
  }

  fails(reason: string, turnId: string): void {
    const error = { message: reason, info: null, details: null };
    this.agent.codex.emit(this.sessionId, { type: 'error', turnId, error, willRetry: false });
  }

  ends(turnId: string, status: 'completed' | 'failed' | 'interrupted' = 'completed', reason?: string): void {
    this.agent.codex.emit(this.sessionId, events.completed(turnId, status, reason));
  }

  /** Everything that is under way has been read, decided and written. */
  async settled(): Promise<void> {
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  }

  get place(): number {
    return this.agent.client.received.length;
  }

  /** Frames from a place on as words; on v1 there is neither state nor echo. */
  frames(from: number): string[] {
    return this.agent.client.received.slice(from).map(word);
  }

  /** What a client of this version sees of v2's words. */
  visible(words: readonly string[]): string[] {
    return words.filter((shown) => this.#version === 2 || !/^(running|idle|user )/.test(shown));
  }
}

function word(frame: Frame): string {
  if (frame.method === undefined) {
    if (frame.error !== undefined) return `error ${frame.error.code}`;
    return `answer ${frame.result?.stopReason ?? (frame.result?.messageId === undefined ? '' : 'message')}`.trim();
  }
  if (frame.method !== 'session/update') return frame.method;
  const { update } = frame.params;
  switch (update.sessionUpdate) {
    case 'state_update':
      return update.state === 'idle' ? `idle ${update.stopReason}` : update.state;
    case 'user_message_chunk':
      return `user ${update.content.text}`;
    case 'agent_message_chunk':
      return `text ${update.content.text}`;
    default:
      return update.sessionUpdate;
  }
}
