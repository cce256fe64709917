import { type LoginRequest, parseLoginRequest } from '../domain/account/login-request.ts';
import type { SessionDefaults } from '../domain/session/session-opening.ts';
import { token } from '../ports/outbound/service-identifier.ts';

/** What the environment decides about the agent, in the words of the parts that use it. */
export interface AgentConfig {
  readonly identity: { readonly name: string; readonly version: string };
  readonly noBrowser: boolean;
  /** API key of the environment, read at each login (S1.14, S1.15). */
  readonly environmentKey: () => string | null;
  readonly defaultLogin: (() => LoginRequest) | null;
  readonly sessions: SessionDefaults;
}

export const AgentConfig = token<AgentConfig>('AgentConfig');

/**
 * The login of `DEFAULT_AUTH_REQUEST` (S1.13); `null` when there is none or it cannot run by itself. A malformed one is
 * told with the first operation that needs it, as any failed login.
 */
export function defaultLogin(
  request: { readonly methodId: string; readonly meta: unknown } | null,
  environmentKey: () => string | null,
): (() => LoginRequest) | null {
  return request === null ? null : () => parseLoginRequest(request.methodId, request.meta, environmentKey);
}
