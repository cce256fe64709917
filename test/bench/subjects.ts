import { deltaNumbers } from '../support/model-replies.ts';
import { isObject, type JsonObject } from '../support/model-request.ts';
import { LineClient, limited, type RpcMessage } from './line-client.ts';

/** Text of the model as it came to the client. */
export interface ReceivedText {
  readonly at: number;
  /** Numbers of the deltas that begin in it; an agent may merge several. */
  readonly deltas: readonly number[];
}

/** A started process that can hold a conversation. */
export interface Subject {
  readonly client: LineClient;
  /** Name and version, as it says of itself. */
  readonly title: string;
  initialize(limitMs?: number): Promise<void>;
  openSession(cwd: string): Promise<void>;
  /** Resolves when the turn is over. */
  turn(prompt: string): Promise<void>;
  /** The text that came since the last call. */
  takeText(): readonly ReceivedText[];
}

export interface SubjectStart {
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

const TURN_LIMIT_MS = 180_000;

/** An ACP agent, over v1: the version that every agent speaks. */
export class AcpSubject implements Subject {
  readonly client: LineClient;
  title = '';
  #sessionId: unknown;

  constructor(start: SubjectStart) {
    this.client = new LineClient({ ...start, textMark: '"agent_message_chunk"', onNotification: () => undefined });
  }

  async initialize(limitMs?: number): Promise<void> {
    const introduction = {
      protocolVersion: 1,
      clientInfo: { name: 'bench', title: 'Bench', version: '1.0.0' },
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    };
    const answer = await this.client.request('initialize', introduction, limitMs);
    const { name = '', version = '' } = at(answer, 'agentInfo');
    this.title = `${String(name)} ${String(version)}`;
  }

  async openSession(cwd: string): Promise<void> {
    const answer = await this.client.request('session/new', { cwd, mcpServers: [] });
    this.#sessionId = isObject(answer) ? answer.sessionId : undefined;
  }

  async turn(prompt: string): Promise<void> {
    const params = { sessionId: this.#sessionId, prompt: [{ type: 'text', text: prompt }] };
    const answer = await this.client.request('session/prompt', params, TURN_LIMIT_MS);
    if (!isObject(answer) || answer.stopReason !== 'end_turn') {
      throw this.client.problem(`the turn ended with ${JSON.stringify(answer)}`);
    }
  }

  takeText(): readonly ReceivedText[] {
    return this.client.takeText().map(({ at: arrived, line }) => {
      const { text } = at(JSON.parse(line.toString('utf8')), 'params', 'update', 'content');
      return { at: arrived, deltas: deltaNumbers(String(text)) };
    });
  }
}

/** `codex app-server` without an agent before it: what is left when everything of an agent is taken away. */
export class AppServerSubject implements Subject {
  readonly client: LineClient;
  title = 'codex app-server';
  #threadId: unknown;
  #turnEnded: (turn: JsonObject) => void = () => undefined;

  constructor(start: SubjectStart) {
    this.client = new LineClient({
      ...start,
      textMark: '"item/agentMessage/delta"',
      onNotification: (message) => this.#notification(message),
    });
  }

  async initialize(): Promise<void> {
    const answer = await this.client.request('initialize', {
      clientInfo: { name: 'bench', title: 'Bench', version: '1.0.0' },
      capabilities: { experimentalApi: true },
    });
    const version = /\/(\d+\.\d+\.\d+)/.exec(isObject(answer) ? String(answer.userAgent) : '')?.[1];
    if (version !== undefined) this.title = `codex app-server ${version}`;
    this.client.notify('initialized');
  }

  async openSession(cwd: string): Promise<void> {
    this.#threadId = at(await this.client.request('thread/start', { cwd }), 'thread').id;
  }

  async turn(prompt: string): Promise<void> {
    const { promise, settle } = limited(TURN_LIMIT_MS, () => this.client.problem('the turn did not end'));
    this.#turnEnded = settle.resolve;
    await this.client.request('turn/start', {
      threadId: this.#threadId,
      input: [{ type: 'text', text: prompt, text_elements: [] }],
    });
    const turn = await promise;
    if (!isObject(turn) || turn.status !== 'completed') {
      throw this.client.problem(`the turn ended with ${JSON.stringify(turn)}`);
    }
  }

  takeText(): readonly ReceivedText[] {
    return this.client.takeText().map(({ at: arrived, line }) => {
      const { delta } = at(JSON.parse(line.toString('utf8')), 'params');
      return { at: arrived, deltas: deltaNumbers(String(delta)) };
    });
  }

  #notification({ method, params }: RpcMessage): void {
    if (method === 'turn/completed') this.#turnEnded(at(params, 'turn'));
  }
}

/** The object at a path; empty when there is none. */
function at(value: unknown, ...path: readonly string[]): JsonObject {
  const [key, ...rest] = path;
  if (!isObject(value)) return {};
  return key === undefined ? value : at(value[key], ...rest);
}
