import type { AcpClient, Frame } from '../support/acp-client.ts';
import { answerPermission, type PermissionRequest } from './permission.ts';
import type { Screen } from './screen.ts';
import type { Transcript } from './transcript.ts';

export interface ConversationSetting {
  readonly client: AcpClient;
  readonly screen: Screen;
  readonly transcript: Transcript;
  readonly version: 1 | 2;
  readonly workspace: string;
  readonly prompt: string;
  /** The key of the real model; `null` with the scripted one. */
  readonly apiKey: string | null;
  /** The person at the terminal answers the agent's questions. */
  readonly interactive: boolean;
}

export interface ConversationResult {
  readonly stopReason: string;
  readonly error: string | null;
  readonly permissions: number;
  readonly usage: string;
  /** Milliseconds by step, in order. */
  readonly times: Readonly<Record<string, number>>;
}

/** What a client of the agent does, step by step: the part of the demo to read first. */
export async function converse(setting: ConversationSetting): Promise<ConversationResult> {
  const { client, screen, transcript, version, workspace, apiKey } = setting;
  const { style } = screen;
  const arrivals = watch(client, transcript);
  const times: Record<string, number> = {};
  let permissions = 0;
  client.onRequest = (frame) => {
    if (frame.method !== 'session/request_permission' || frame.id === undefined || frame.id === null) return undefined;
    const { id } = frame;
    permissions += 1;
    const how = {
      screen,
      interactive: setting.interactive,
      careful: apiKey !== null,
      placeOf: (path: string) => transcript.place(path),
    };
    answerPermission(frame.params as PermissionRequest, how).then(
      (answer) => client.answer(id, answer),
      (error: unknown) => arrivals.fail(error),
    );
    return undefined;
  };

  async function call(method: string, note: string, params: unknown) {
    screen.line('→', `${method.padEnd(16)} ${style.dim(note)}`, style.green);
    const sentAt = performance.now();
    const result = await arrivals.orFailure(client.request(method, params));
    times[method] = arrivals.last - sentAt;
    return result;
  }

  const hello = await call('initialize', `by a small ACP client, protocol version ${version}`, introduction(version));
  const agent = hello.info ?? hello.agentInfo;
  screen.line('←', `${agent.name} ${agent.version} ${ms(style.dim, times.initialize)}`, style.green);

  if (apiKey !== null) {
    const login = { methodId: 'api-key', _meta: { 'api-key': { apiKey } } };
    await call(version === 1 ? 'authenticate' : 'auth/login', 'with the key of the environment', login);
  }

  const opened = await call('session/new', workspace, { cwd: workspace, mcpServers: [] });
  const { sessionId } = opened;
  screen.line('←', `${settingsOf(opened)} ${ms(style.dim, times['session/new'])}`, style.green);
  arrivals.show();
  screen.gap();

  screen.flow('prompt', 'You', setting.prompt, { label: style.bold, text: style.bold });
  const promptedAt = performance.now();
  arrivals.firstText = Number.NaN;
  const answered = client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: setting.prompt }] });
  // v1 answers a prompt at the end of its turn; v2 when it was taken, and says `idle` at the end.
  const response = await arrivals.orFailure(answered);
  const end = version === 1 ? response : (await arrivals.orFailure(arrivals.idle)).params.update;
  const endedAt = arrivals.last;
  times['first text'] = arrivals.firstText - promptedAt;
  times.turn = endedAt - promptedAt;
  screen.gap();
  return {
    stopReason: end.stopReason,
    error: end.error?.message ?? null,
    permissions,
    usage: usageOf(end.usage),
    times,
  };
}

function introduction(version: 1 | 2): object {
  const info = { name: 'demo', title: 'Demo client', version: '1.0.0' };
  if (version === 2) return { protocolVersion: 2, info, capabilities: {} };
  const clientCapabilities = {
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
    _meta: { terminal_output: true },
  };
  return { protocolVersion: 1, clientInfo: info, clientCapabilities };
}

/** Shows every update as it comes and knows when things came. */
function watch(client: AcpClient, transcript: Transcript) {
  let fail: (error: unknown) => void = () => undefined;
  let idle: (frame: Frame) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => undefined);
  // What follows the answer to `session/new` at once is read before the answer was printed.
  let waiting: Frame['params'][] | null = [];
  const arrivals = {
    last: 0,
    firstText: Number.NaN,
    idle: new Promise<Frame>((resolve) => {
      idle = resolve;
    }),
    fail: (error: unknown) => fail(error),
    /** The session is known: shows what came for it, and from now on everything at once. */
    show: () => {
      for (const update of waiting ?? []) transcript.update(update);
      waiting = null;
    },
    orFailure: <T>(promise: Promise<T>): Promise<T> => Promise.race([promise, failed]),
  };
  const validate = client.onFrame;
  client.onFrame = (frame, requestMethod) => {
    arrivals.last = performance.now();
    const update = frame.method === 'session/update' ? frame.params.update : null;
    if (update !== null) {
      if (String(update.sessionUpdate).startsWith('agent_')) arrivals.firstText ||= arrivals.last;
      if (waiting === null) transcript.update(update);
      else waiting.push(update);
    }
    validate(frame, requestMethod);
    if (update?.sessionUpdate === 'state_update' && update.state === 'idle') idle(frame);
  };
  return arrivals;
}

interface Choice {
  readonly id?: string;
  readonly configId?: string;
  readonly currentValue?: unknown;
  readonly options?: readonly { readonly value: string; readonly name: string }[];
}

/** Model and mode of a new session, as v2 (options) or v1 (models and modes) tell them. */
function settingsOf(opened: {
  readonly sessionId: string;
  readonly configOptions?: readonly Choice[];
  readonly models?: { readonly currentModelId: string };
  readonly modes?: { readonly currentModeId: string };
}): string {
  const chosen = (name: string): string | undefined => {
    const option = opened.configOptions?.find(({ id, configId }) => (configId ?? id) === name);
    return option?.options?.find(({ value }) => value === option.currentValue)?.name;
  };
  const model = chosen('model') ?? opened.models?.currentModelId;
  const mode = chosen('mode') ?? opened.modes?.currentModeId;
  return [`session ${opened.sessionId.slice(0, 8)}`, model && `model ${model}`, mode && `mode ${mode}`]
    .filter(Boolean)
    .join(', ');
}

function usageOf(usage: Readonly<Record<string, number>> | undefined): string {
  if (usage === undefined) return '';
  const { inputTokens = 0, cachedReadTokens = 0, outputTokens = 0 } = usage;
  const count = (tokens: number): string => tokens.toLocaleString('en-US');
  return `${count(inputTokens + cachedReadTokens)} tokens in (${count(cachedReadTokens)} cached), ${count(outputTokens)} out`;
}

function ms(paint: (text: string) => string, time: number | undefined): string {
  return paint(`in ${Math.round(time ?? 0)} ms`);
}
