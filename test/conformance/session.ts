import type { Frame } from '../support/acp-client.ts';
import type { Scripted } from '../support/model-replies.ts';
import type { AgentWire } from './agent-wire.ts';
import type { Lab } from './lab.ts';

/** How a turn ended, the same for both versions. */
export interface TurnEnd {
  readonly stopReason: string;
  /** v2: the error of a failed turn. */
  readonly error: Frame['params'];
  /** Position of the message that ended it: the response on v1, the idle update on v2. */
  readonly at: number;
}

export interface Turn {
  readonly requestId: number;
  /** Position in the agent's messages when the prompt was sent. */
  readonly from: number;
  /** The result of the prompt request. */
  answer(): Promise<Frame['result']>;
  ended(): Promise<TurnEnd>;
}

/** One open session of an agent, driven alike on v1 and v2. */
export class Session {
  readonly id: string;
  /** The result of `session/new`. */
  readonly opened: Frame['result'];
  readonly agent: AgentWire;
  /** The client's answer to permission requests; `undefined` leaves them open. */
  onPermission: (request: Frame) => unknown = (request) => select(request, 'allow_once');
  readonly #lab: Lab;

  constructor(lab: Lab, agent: AgentWire, opened: Frame['result']) {
    this.#lab = lab;
    this.agent = agent;
    this.opened = opened;
    this.id = opened.sessionId;
    const others = agent.onRequest;
    agent.onRequest = (frame) =>
      frame.method === 'session/request_permission' && frame.params.sessionId === this.id
        ? this.onPermission(frame)
        : others(frame);
  }

  /** Sends a prompt that the model answers with these replies. */
  prompt(...replies: readonly Scripted[]): Turn {
    return this.promptWithText(replies);
  }

  /** Sends a prompt that the model answers with these replies: a text and then other content. */
  promptWithText(replies: readonly Scripted[], content: readonly object[] = [], more: object = {}): Turn {
    return this.promptWith([{ type: 'text', text: this.#lab.script(this.id, replies) }, ...content], more);
  }

  /** Sends a prompt as it is, with more params if given. */
  promptWith(prompt: readonly object[], more: object = {}): Turn {
    const { agent, id: sessionId } = this;
    const from = agent.now;
    const request = agent.client.request('session/prompt', { sessionId, prompt, ...more });
    const answer = (): Promise<Frame['result']> => agent.within(request, 'the answer to session/prompt');
    return {
      requestId: request.id,
      from,
      answer,
      ended: async () => {
        const result = await answer();
        const responded = agent.received.findIndex(
          (frame, index) => index >= from && frame.method === undefined && frame.id === request.id,
        );
        if (this.#lab.version === 1) return { stopReason: result.stopReason, error: undefined, at: responded };
        return this.#idle(result.messageId, from);
      },
    };
  }

  /** The error that a prompt gets. */
  async refused(turn: Turn): Promise<{ readonly code: number; readonly message: string }> {
    const isAnswer = (frame: Frame): boolean => frame.method === undefined && frame.id === turn.requestId;
    const { error } = await this.agent.until(isAnswer, 'the refusal of a prompt', turn.from);
    if (error === undefined) throw new Error('The prompt was not refused');
    return error;
  }

  cancel(more: object = {}): void {
    this.agent.notify('session/cancel', { sessionId: this.id, ...more });
  }

  close(): Promise<Frame['result']> {
    return this.agent.request('session/close', { sessionId: this.id });
  }

  updates(from = 0): readonly Frame['params'][] {
    return this.agent.updates(this.id, from);
  }

  /** State updates of v2. */
  states(from = 0): readonly Frame['params'][] {
    return this.updates(from).filter(({ sessionUpdate }) => sessionUpdate === 'state_update');
  }

  text(from = 0): string {
    return this.agent.client.text(this.id, from);
  }

  /** The first update that matches. */
  async update(matches: (update: Frame['params']) => boolean, what: string, from = 0): Promise<Frame['params']> {
    const fits = ({ method, params }: Frame): boolean =>
      method === 'session/update' && params.sessionId === this.id && matches(params.update);
    return (await this.agent.until(fits, what, from)).params.update;
  }

  /** The first permission request that the session sends. */
  permission(from = 0): Promise<Frame> {
    const fits = ({ method, params }: Frame): boolean =>
      method === 'session/request_permission' && params.sessionId === this.id;
    return this.agent.until(fits, 'a permission request', from);
  }

  setOption(id: string, value: string | boolean): Promise<Frame['result']> {
    const type = typeof value === 'boolean' ? { type: 'boolean' } : this.#lab.version === 2 ? { type: 'id' } : {};
    return this.agent.request('session/set_config_option', { sessionId: this.id, configId: id, value, ...type });
  }

  /** The idle update that ends the turn of a user message. */
  async #idle(messageId: string, from: number): Promise<TurnEnd> {
    const { received } = this.agent;
    const mine = ({ params }: Frame): boolean => params?.update?.messageId === messageId;
    const begun = Math.max(from, received.slice(from).findIndex(mine) + from);
    const isIdle = ({ params }: Frame): boolean =>
      params?.sessionId === this.id && params.update?.state === 'idle' && params.update.stopReason !== undefined;
    const frame = await this.agent.until(isIdle, 'the idle update of a turn', begun);
    const { stopReason, error } = frame.params.update;
    return { stopReason, error, at: received.indexOf(frame) };
  }
}

/** The answer that selects the first option of that kind. */
export function select({ params }: Frame, kind: 'allow_once' | 'reject_once'): unknown {
  const option = params.options.find((candidate: Frame['params']) => candidate.kind === kind);
  return { outcome: { outcome: 'selected', optionId: option?.optionId } };
}
