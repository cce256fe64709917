import { AgentError } from '../errors/agent-error.ts';
import { jsonObject } from '../json/json-object.ts';
import type { GatewayRouting } from '../provider/routing.ts';

/** A checked request to sign in. */
export type LoginRequest =
  | { readonly type: 'chatgpt'; readonly kind: 'browser' | 'deviceCode' }
  | { readonly type: 'apiKey'; readonly apiKey: string | null }
  | { readonly type: 'gateway'; readonly routing: GatewayRouting };

/** Headers that every request to a gateway carries; the client's own win (S1.169). */
const gatewayHeaders = { 'X-Client-Feature-ID': 'codex' };

/**
 * Reads the parameters of `authenticate` or `auth/login` (S1.146, S1.155, S1.169). `environmentKey` is the API key of the
 * environment, used when the request carries none (S1.23). Everything is checked before anything changes (S1.149).
 */
export function parseLoginRequest(methodId: string, meta: unknown, environmentKey: () => string | null): LoginRequest {
  switch (methodId) {
    case 'api-key':
      return { type: 'apiKey', apiKey: requestKey(meta) ?? environmentKey() };
    case 'chat-gpt':
      return { type: 'chatgpt', kind: 'browser' };
    case 'chat-gpt-device-code':
      return { type: 'chatgpt', kind: 'deviceCode' };
    case 'gateway':
      return { type: 'gateway', routing: parseGateway(meta) };
    default:
      throw AgentError.invalidParams(`Unsupported authentication method: ${methodId}`, { methodId });
  }
}

function requestKey(meta: unknown): string | null {
  const key = field(field(meta, 'api-key'), 'apiKey');
  if (key === undefined || key === null) return null;
  if (typeof key !== 'string') throw AgentError.invalidParams('apiKey must be a string');
  return key.trim() === '' ? null : key.trim();
}

function parseGateway(meta: unknown): GatewayRouting {
  const gateway = field(meta, 'gateway');
  if (typeof gateway !== 'object' || gateway === null) throw AgentError.invalidRequest('gateway settings are missing');
  const baseUrl = field(gateway, 'baseUrl');
  if (typeof baseUrl !== 'string' || baseUrl.trim() === '') {
    throw AgentError.invalidParams('baseUrl must be a non-empty string');
  }
  if (!/^https?:\/\/[^\s/]/i.test(baseUrl)) throw AgentError.invalidParams('baseUrl must be an http or https URL');
  const headers = field(gateway, 'headers') ?? {};
  if (typeof headers !== 'object' || Array.isArray(headers))
    throw AgentError.invalidParams('headers must be an object');
  const checked: Record<string, string> = { ...gatewayHeaders };
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string') throw AgentError.invalidParams(`the header ${name} must be a string`);
    checked[name] = value;
  }
  const name = field(gateway, 'providerName');
  return {
    providerId: 'custom-gateway',
    name: typeof name === 'string' && name.trim() !== '' ? name : 'User-provided gateway',
    baseUrl,
    headers: checked,
  };
}

function field(value: unknown, name: string): unknown {
  return jsonObject(value)?.[name];
}
