import { codeModeTool, findTool, type JsonObject, type ModelRequest, type OfferedTool } from './model-request.ts';

/**
 * What the scripted model says, as small data. `model-stream.ts` turns it into Responses events, `model-server.ts`
 * sends it. A test reads like the turn it stands for:
 *
 *     server.enqueue(reply(reasoning(['Looking around.']), runCommand('ls')), text('Two files.'));
 */

export interface Usage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
  readonly total: number;
}

export const DEFAULT_USAGE: Usage = { input: 100, cached: 20, output: 30, reasoning: 5, total: 150 };

/** A point in a reply where the model waits until the test lets it go on. */
export interface Gate {
  /**
   * Resolves when the stream has come to the gate: everything before it was written. Codex may not have read it yet;
   * a test that needs that waits for the frame it expects.
   */
  readonly reached: Promise<void>;
  readonly opened: Promise<void>;
  open(): void;
  /** Called by the stream; a test waits for `reached`. */
  arrive(): void;
}

export function hold(): Gate {
  const reached = signal();
  const opened = signal();
  return { reached: reached.promise, opened: opened.promise, open: opened.fire, arrive: reached.fire };
}

export interface TextItem {
  readonly kind: 'text';
  readonly deltas: readonly string[];
  readonly delayMs: number;
  readonly phase?: 'commentary' | 'final_answer';
  /** Gates, each with the number of deltas that are sent before it. */
  readonly pauses: readonly { readonly after: number; readonly gate: Gate }[];
  /** The same text with a stop at the gate; by default in the middle of the deltas, at least one before it. */
  pauseAt(gate: Gate, afterDeltas?: number): TextItem;
}

export interface ReasoningItem {
  readonly kind: 'reasoning';
  readonly summary: readonly string[];
  readonly raw?: string;
}

export interface ToolItem {
  readonly kind: 'tool';
  readonly name: string;
  /** Set for a tool that a request without code mode may offer on search only: it can be called all the same. */
  readonly namespace?: string;
  readonly input: JsonObject | string;
}

/** JavaScript for `exec`; only for models in code mode. */
export interface ScriptItem {
  readonly kind: 'script';
  readonly code: string;
}

/** An output item sent as it is: `web_search_call`, `image_generation_call`, … */
export interface RawItem {
  readonly kind: 'raw';
  readonly item: JsonObject;
}

export interface PauseItem {
  readonly kind: 'pause';
  readonly gate: Gate;
}

export type ReplyItem = TextItem | ReasoningItem | ToolItem | ScriptItem | RawItem | PauseItem;

export type Ending =
  | { readonly kind: 'completed' }
  | { readonly kind: 'failed'; readonly error: { readonly code: string; readonly message: string } }
  | { readonly kind: 'incomplete'; readonly reason: string }
  /** No terminal event; `abrupt` also breaks the connection. */
  | { readonly kind: 'cut'; readonly abrupt: boolean };

export interface Reply {
  readonly kind: 'reply';
  readonly items: readonly ReplyItem[];
  readonly ending: Ending;
  readonly usage: Usage;
  readonly headers: Readonly<Record<string, string>>;
}

export interface HttpFailure {
  readonly kind: 'failure';
  readonly status: number;
  readonly body: JsonObject | string;
  readonly headers: Readonly<Record<string, string>>;
}

export type Scripted = Reply | HttpFailure | ReplyItem;

// --- text and reasoning ---

export interface TextOptions {
  /** How many deltas, or the deltas themselves. Default: one per word. */
  readonly deltas?: number | readonly string[];
  /** Time before each delta but the first. */
  readonly delayMs?: number;
  readonly phase?: 'commentary' | 'final_answer';
}

export function text(content: string, options: TextOptions = {}): TextItem {
  return textItem({
    deltas: split(content, options.deltas),
    delayMs: options.delayMs ?? 0,
    ...(options.phase === undefined ? {} : { phase: options.phase }),
    pauses: [],
  });
}

export interface DeltaStreamOptions {
  readonly count: number;
  /** Characters per delta (default 32); a delta begins with its sequence number: `[17] ……`. */
  readonly size?: number;
  /** Default 0: as fast as the connection takes them. */
  readonly delayMs?: number;
}

/** Numbered deltas for measurements; `RecordedRequest.deltas` says when each was written. */
export function deltaStream(options: DeltaStreamOptions): TextItem {
  const size = options.size ?? 32;
  const deltas = Array.from({ length: options.count }, (_, index) => `[${index}] `.padEnd(size, '.'));
  return text('', { deltas, delayMs: options.delayMs ?? 0 });
}

/** The sequence numbers of the `deltaStream` deltas that begin in this text. */
export function deltaNumbers(content: string): number[] {
  return [...content.matchAll(/\[(\d+)\] /g)].map((match) => Number(match[1]));
}

/** The text in words, each with the space before it. */
export function words(content: string): readonly string[] {
  return content.match(/\s*\S+\s*$|\s*\S+/g) ?? [content];
}

export function reasoning(summary: readonly string[], options: { readonly raw?: string } = {}): ReasoningItem {
  return { kind: 'reasoning', summary, ...(options.raw === undefined ? {} : { raw: options.raw }) };
}

// --- tools ---

/**
 * A call of the offered tool of that name (`update_plan`, `collaboration.spawn_agent`); in code mode of the nested one,
 * when the tool is not offered directly.
 */
export function functionCall(name: string, args: JsonObject = {}): ToolItem {
  return { kind: 'tool', name, input: args };
}

export function customCall(name: string, input: string): ToolItem {
  return { kind: 'tool', name, input };
}

export interface CommandOptions {
  /** Ask to run outside the sandbox, with the question shown to the user. */
  readonly escalate?: string;
  /** Reusable approval prefix, only with `escalate`. */
  readonly prefixRule?: readonly string[];
  readonly workdir?: string;
  readonly tty?: boolean;
  readonly login?: boolean;
  readonly shell?: string;
  /** How long the command may run before the model gets its output so far (250 to 30000). */
  readonly yieldMs?: number;
  readonly maxOutputTokens?: number;
}

export function runCommand(cmd: string, options: CommandOptions = {}): ToolItem {
  const escalation =
    options.escalate === undefined
      ? {}
      : {
          sandbox_permissions: 'require_escalated',
          justification: options.escalate,
          prefix_rule: options.prefixRule,
        };
  const args = {
    cmd,
    ...escalation,
    workdir: options.workdir,
    tty: options.tty,
    login: options.login,
    shell: options.shell,
    yield_time_ms: options.yieldMs,
    max_output_tokens: options.maxOutputTokens,
  };
  return functionCall('exec_command', defined(args));
}

/** Input for a command that still runs; without characters it polls. */
export function writeStdin(sessionId: number, chars = '', options: { readonly yieldMs?: number } = {}): ToolItem {
  return functionCall('write_stdin', defined({ session_id: sessionId, chars, yield_time_ms: options.yieldMs }));
}

/** The whole patch text; `*** Begin Patch` and `*** End Patch` are added when they are missing. */
export function applyPatch(patch: string): ToolItem {
  const body = patch.trimStart().startsWith('*** Begin Patch')
    ? patch
    : `*** Begin Patch\n${patch.trimEnd()}\n*** End Patch\n`;
  return customCall('apply_patch', body);
}

export type PlanStatus = 'pending' | 'in_progress' | 'completed';

/** Offered only with `[tools.update_plan] enabled = true`. */
export function updatePlan(
  steps: readonly (readonly [step: string, status: PlanStatus])[],
  explanation?: string,
): ToolItem {
  const plan = steps.map(([step, status]) => ({ step, status }));
  return functionCall('update_plan', defined({ explanation, plan }));
}

/** The tool of an MCP server. */
export function mcpCall(server: string, tool: string, args: JsonObject = {}): ToolItem {
  return { kind: 'tool', name: tool, namespace: `mcp__${server}`, input: args };
}

export function script(code: string): ScriptItem {
  return { kind: 'script', code };
}

export function rawItem(item: JsonObject): RawItem {
  return { kind: 'raw', item };
}

// --- replies ---

export function reply(...items: readonly ReplyItem[]): Reply {
  return { kind: 'reply', items, ending: { kind: 'completed' }, usage: DEFAULT_USAGE, headers: {} };
}

export function toReply(scripted: Reply | ReplyItem): Reply {
  return scripted.kind === 'reply' ? scripted : reply(scripted);
}

export function withUsage(scripted: Reply | ReplyItem, usage: Partial<Usage>): Reply {
  const base = toReply(scripted);
  return { ...base, usage: { ...base.usage, ...usage } };
}

/** Response headers, e.g. `x-codex-primary-used-percent`. */
export function withHeaders(scripted: Reply | ReplyItem, headers: Readonly<Record<string, string>>): Reply {
  return { ...toReply(scripted), headers };
}

/** A stop between items: before the first one the stream has begun but nothing was said. */
export function pause(gate: Gate): PauseItem {
  return { kind: 'pause', gate };
}

/** An HTTP error in place of a stream. A string is sent as it is; the default is an OpenAI error object. */
export function failure(
  status: number,
  body: JsonObject | string = { error: { message: `Scripted failure ${status}`, type: 'scripted', code: null } },
  headers: Readonly<Record<string, string>> = {},
): HttpFailure {
  return { kind: 'failure', status, body, headers };
}

/** The items, then `response.failed`. */
export function failedEvent(error: { code: string; message: string }, ...items: readonly ReplyItem[]): Reply {
  return { ...reply(...items), ending: { kind: 'failed', error } };
}

/** The items, then `response.incomplete` (e.g. `max_output_tokens`). */
export function incomplete(reason: string, ...items: readonly ReplyItem[]): Reply {
  return { ...reply(...items), ending: { kind: 'incomplete', reason } };
}

/** The items, then the stream ends without `response.completed`. */
export function cutStream(...items: readonly ReplyItem[]): Reply {
  return { ...reply(...items), ending: { kind: 'cut', abrupt: false } };
}

/** The items, then the connection breaks. */
export function dropConnection(...items: readonly ReplyItem[]): Reply {
  return { ...reply(...items), ending: { kind: 'cut', abrupt: true } };
}

// --- from an item to the form that the request offers ---

export type ToolCall =
  | { readonly type: 'function'; readonly name: string; readonly namespace?: string; readonly input: string }
  | { readonly type: 'custom'; readonly name: string; readonly namespace?: string; readonly input: string };

/** Throws when the request offers neither the tool nor code mode: the test scripts something a model cannot say. */
export function toolCall(item: ToolItem | ScriptItem, request: ModelRequest): ToolCall {
  const exec = codeModeTool(request.tools);
  if (item.kind === 'script') {
    if (exec === undefined) throw new Error(`No code mode in the request; it offers ${toolNames(request.tools)}`);
    return { type: 'custom', name: exec.name, input: item.code };
  }
  const name = item.namespace === undefined ? item.name : `${item.namespace}__${item.name}`;
  const offered = findTool(request.tools, name);
  if (offered !== undefined) return directCall(offered, item.input);
  if (exec !== undefined) return { type: 'custom', name: exec.name, input: nestedCall(name, item.input) };
  if (item.namespace === undefined) {
    throw new Error(`No tool ${name} in the request; it offers ${toolNames(request.tools)}`);
  }
  return directCall({ type: 'function', name: item.name, namespace: item.namespace, description: '' }, item.input);
}

function directCall(tool: OfferedTool, input: JsonObject | string): ToolCall {
  const target = { name: tool.name, ...(tool.namespace === undefined ? {} : { namespace: tool.namespace }) };
  if (tool.type === 'custom') {
    return { type: 'custom', ...target, input: typeof input === 'string' ? input : JSON.stringify(input) };
  }
  return { type: 'function', ...target, input: JSON.stringify(typeof input === 'string' ? { input } : input) };
}

/** Code mode has every tool as a method, its name made a JavaScript identifier. */
function nestedCall(name: string, input: JsonObject | string): string {
  return `text(await tools.${name.replace(/\W/g, '_')}(${JSON.stringify(input)}));\n`;
}

function toolNames(tools: readonly OfferedTool[]): string {
  return tools.map((tool) => (tool.namespace === undefined ? tool.name : `${tool.namespace}.${tool.name}`)).join(', ');
}

function textItem(data: Omit<TextItem, 'kind' | 'pauseAt'>): TextItem {
  return {
    kind: 'text',
    ...data,
    pauseAt: (gate, afterDeltas = Math.max(1, Math.floor(data.deltas.length / 2))) =>
      textItem({ ...data, pauses: [...data.pauses, { after: afterDeltas, gate }] }),
  };
}

function split(content: string, deltas: TextOptions['deltas']): readonly string[] {
  if (deltas === undefined) return words(content);
  if (typeof deltas !== 'number') return deltas;
  const size = Math.max(1, Math.ceil(content.length / deltas));
  return Array.from({ length: Math.ceil(content.length / size) }, (_, index) =>
    content.slice(index * size, (index + 1) * size),
  );
}

function defined(values: Record<string, unknown>): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function signal(): { promise: Promise<void>; fire: () => void } {
  let fire = (): void => undefined;
  const promise = new Promise<void>((resolve) => {
    fire = resolve;
  });
  return { promise, fire };
}
