import { RequestError } from '@agentclientprotocol/sdk/unstable';
import { AgentError } from '../../domain/errors/agent-error.ts';
import { isJsonObject } from './json-rpc.ts';

/**
 * The JSON-RPC error of whatever a request failed with (S1 section 14.1). Messages are one line (ACP-ERROR-001), except
 * that of 1001, which ends with the tail of stderr (S1.64). Stacks are never sent.
 */
export function toRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  if (error instanceof AgentError) return fromAgentError(error);
  if (isSchemaError(error)) return RequestError.invalidParams(error.format());
  return unexpected(textOf(error));
}

function fromAgentError(error: AgentError): RequestError {
  const { kind, message, data } = error;
  switch (kind) {
    case 'codexLost':
      return new RequestError(1001, message, data);
    case 'sessionNotFound':
      return oneLine(-32002, null, message, data);
    case 'authRequired':
      return oneLine(-32000, 'Authentication required', message, data);
    case 'cancelled':
      return oneLine(-32800, 'Request cancelled', message, data);
    case 'invalidParams':
      return oneLine(-32602, 'Invalid params', message, data);
    case 'invalidRequest':
      return oneLine(-32600, 'Invalid request', message, data);
    case 'internal':
      return data === undefined ? unexpected(message) : oneLine(-32603, 'Internal error', message, data);
  }
}

/** S1.210: a text that is JSON itself becomes the data. */
function unexpected(text: string): RequestError {
  return new RequestError(-32603, 'Internal error', jsonOf(text) ?? { details: text.trim() || 'Unknown error' });
}

/** The first line goes into the message behind the SDK's standard prefix (S2.144), the other lines into the data. */
function oneLine(code: number, prefix: string | null, text: string, data: unknown): RequestError {
  const [first = '', ...others] = text.trim().split(/\r?\n/);
  const rest = others.join('\n').trim();
  return new RequestError(code, prefixed(prefix, first.trim()), rest === '' ? data : withDetails(data, rest));
}

function prefixed(prefix: string | null, line: string): string {
  if (prefix === null) return line || 'Unknown error';
  if (line === '' || line === prefix || line.startsWith(`${prefix}: `)) return line || prefix;
  return `${prefix}: ${line}`;
}

function withDetails(data: unknown, details: string): unknown {
  if (data === undefined) return { details };
  return isJsonObject(data) ? { details, ...data } : data;
}

/** A zod error, of whichever copy of zod; the SDK sends this format too (S1.45). */
function isSchemaError(error: unknown): error is { format(): unknown } {
  return error instanceof Error && error.name === 'ZodError' && 'format' in error && typeof error.format === 'function';
}

function textOf(error: unknown): string {
  if (typeof error === 'string') return error;
  const message = isJsonObject(error) ? error.message : undefined;
  return typeof message === 'string' ? message : '';
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
