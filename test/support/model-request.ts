import type { IncomingHttpHeaders } from 'node:http';

/**
 * What Codex asks the model, read from the body of `POST {base}/responses`.
 *
 * Two shapes of the tool list exist: `tools` (gpt-5.5) and an `additional_tools` item in `input` whose tools stand in
 * namespaces (the newer models). Readers of this file see one flat list.
 */

export type JsonObject = { readonly [key: string]: unknown };

/**
 * Why the request was sent. Everything but `turn` is answered aside (see `ModelServer.aside`), so that scripted replies
 * are used up by ordinary requests only.
 */
export type RequestKind = 'turn' | SideKind;
export type SideKind = 'title' | 'suggestion' | 'compaction' | 'guardian';

export interface OfferedTool {
  /** `function` takes a JSON object, `custom` takes free text; others (`web_search`, …) run at the provider. */
  readonly type: string;
  readonly name: string;
  /** `collaboration`, `clock`, `mcp__server`, …; absent for tools without one and for those of `functions`. */
  readonly namespace?: string;
  readonly description: string;
  readonly parameters?: JsonObject;
}

export interface ToolOutput {
  readonly callId: string;
  /** The text of the output; images and other parts are left out. */
  readonly text: string;
}

export interface ModelRequest {
  readonly body: JsonObject;
  readonly headers: IncomingHttpHeaders;
  readonly kind: RequestKind;
  readonly model: string;
  /** Text of the last `user` message: the prompt, or the input that steered the turn. */
  readonly lastUserText: string;
  /** Texts of all `user` messages, oldest first (the first ones are context that Codex wrote). */
  readonly userTexts: readonly string[];
  readonly tools: readonly OfferedTool[];
  /** Outputs of tool calls, oldest first. */
  readonly toolOutputs: readonly ToolOutput[];
  /** JSON schema of the wanted answer, if one was asked for. */
  readonly outputSchema?: JsonObject;
  readonly threadId: string;
  /**
   * The thread that the user knows the request by: reviewers and samples run on a hidden thread of their own, for the
   * thread that is named here. Other subagents have threads that are shown; theirs is the same as `threadId`.
   */
  readonly ownerThreadId: string;
  readonly turnId: string;
  /** The decoded `x-codex-turn-metadata`: `request_kind`, `sandbox_mode`, `reasoning_effort`, … */
  readonly metadata: JsonObject;
}

export interface ReadOptions {
  /** Models that only helper turns use; a request for one of them counts as a title request. */
  readonly sideModels: readonly string[];
}

export function readModelRequest(body: JsonObject, headers: IncomingHttpHeaders, options: ReadOptions): ModelRequest {
  const input = list(body.input).filter(isObject);
  const clientMetadata = object(body.client_metadata);
  const metadata = parseObject(
    string(clientMetadata['x-codex-turn-metadata']) || header(headers, 'x-codex-turn-metadata'),
  );
  const format = object(object(body.text).format);
  const outputSchema = isObject(format.schema) ? format.schema : undefined;
  const userTexts = input.filter((item) => item.type === 'message' && item.role === 'user').map(messageText);
  const model = string(body.model);
  const threadId = string(clientMetadata.thread_id) || header(headers, 'thread-id');
  return {
    body,
    headers,
    kind: requestKind(model, metadata, headers, outputSchema, options),
    model,
    lastUserText: userTexts.at(-1) ?? '',
    userTexts,
    tools: offeredTools(body, input),
    toolOutputs: input.filter(isToolOutput).map(toolOutput),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    threadId,
    ownerThreadId: owner(metadata) || threadId,
    turnId: string(clientMetadata.turn_id),
    metadata,
  };
}

/** The tool of that name: `exec_command`, `collaboration.spawn_agent`, `mcp__server__tool`. */
export function findTool(tools: readonly OfferedTool[], name: string): OfferedTool | undefined {
  return tools.find((tool) => tool.name === name || qualifiedNames(tool).includes(name));
}

/** Code mode: the model writes JavaScript that calls the tools. */
export function codeModeTool(tools: readonly OfferedTool[]): OfferedTool | undefined {
  return tools.find((tool) => tool.type === 'custom' && tool.name === 'exec');
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function parseObject(json: string): JsonObject {
  if (json === '') return {};
  try {
    return object(JSON.parse(json));
  } catch {
    return {};
  }
}

function requestKind(
  model: string,
  metadata: JsonObject,
  headers: IncomingHttpHeaders,
  schema: JsonObject | undefined,
  options: ReadOptions,
): RequestKind {
  const properties = object(schema?.properties);
  if ('suggestion' in properties || metadata.thread_source === 'thread_sample') return 'suggestion';
  if ('title' in properties) return 'title';
  if (metadata.request_kind === 'compaction') return 'compaction';
  if (header(headers, 'x-openai-subagent') === 'guardian') return 'guardian';
  return options.sideModels.includes(model) ? 'title' : 'turn';
}

function owner(metadata: JsonObject): string {
  if (metadata.subagent_kind === 'review') return string(metadata.parent_thread_id);
  return metadata.thread_source === 'thread_sample' ? string(metadata.forked_from_thread_id) : '';
}

function offeredTools(body: JsonObject, input: readonly JsonObject[]): OfferedTool[] {
  const additional = input.filter((item) => item.type === 'additional_tools').flatMap((item) => list(item.tools));
  return [...list(body.tools), ...additional].filter(isObject).flatMap((tool) => flatten(tool, undefined));
}

function flatten(tool: JsonObject, namespace: string | undefined): OfferedTool[] {
  const name = string(tool.name) || string(tool.type);
  if (tool.type === 'namespace') {
    // `functions` is the namespace of tools without one: calls do not name it.
    const inner = name === 'functions' ? undefined : name;
    return list(tool.tools)
      .filter(isObject)
      .flatMap((nested) => flatten(nested, inner));
  }
  return [
    {
      type: string(tool.type),
      name,
      ...(namespace === undefined ? {} : { namespace }),
      description: string(tool.description),
      ...(isObject(tool.parameters) ? { parameters: tool.parameters } : {}),
    },
  ];
}

function qualifiedNames(tool: OfferedTool): string[] {
  const { namespace, name } = tool;
  return namespace === undefined ? [] : [`${namespace}.${name}`, `${namespace}__${name}`, `${namespace}${name}`];
}

function isToolOutput(item: JsonObject): boolean {
  return item.type === 'function_call_output' || item.type === 'custom_tool_call_output';
}

function toolOutput(item: JsonObject): ToolOutput {
  const { output } = item;
  return { callId: string(item.call_id), text: typeof output === 'string' ? output : partsText(output) };
}

function messageText(item: JsonObject): string {
  return partsText(item.content);
}

function partsText(parts: unknown): string {
  return list(parts)
    .filter(isObject)
    .map((part) => string(part.text))
    .filter((text) => text !== '')
    .join('\n');
}

function header(headers: IncomingHttpHeaders, name: string): string {
  return string(headers[name]);
}

function object(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function string(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
