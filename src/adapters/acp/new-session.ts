import type { ClientProfile } from '../../domain/client/client-profile.ts';
import type { NewSessionRequest } from '../../domain/session/session-opening.ts';
import type { OpenedSession } from '../../domain/session/session-service.ts';
import type { AgentParts } from './agent-parts.ts';
import { isJsonObject, type JsonObject, type RequestId } from './json-rpc.ts';
import type { SessionDirectories } from './session-directories.ts';

/** Params of the set-ups that both versions have. */
interface NewSessionParams {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[] | null | undefined;
  readonly mcpServers?: readonly unknown[] | null | undefined;
  readonly systemPrompt?: unknown;
  readonly _meta?: Readonly<Record<string, unknown>> | null | undefined;
}

/**
 * Opens a session for a client. What Codex reports about it is held until the client has the response, because it does
 * not know the id earlier (S1.202, S2.41).
 */
export function openSession(
  parts: AgentParts,
  profile: ClientProfile,
  directories: SessionDirectories,
  params: NewSessionParams,
  requestId: RequestId,
): Promise<OpenedSession> {
  return parts.sessions.open(newSessionRequest(params), profile, (sessionId) => {
    directories.set(sessionId, params.cwd);
    parts.channel.beginSession(sessionId);
    parts.delivery.hold(sessionId, requestId, 'drop');
    tellOpened(parts, sessionId, requestId, 'new');
  });
}

/** Opens a recorded session; the client knows its id, so nothing of it is held (S2.45). */
export function resumeSession(
  parts: AgentParts,
  profile: ClientProfile,
  directories: SessionDirectories,
  params: NewSessionParams & { readonly sessionId: string },
  requestId: RequestId,
): Promise<OpenedSession> {
  const { sessionId, cwd } = params;
  tellOpened(parts, sessionId, requestId, 'loaded');
  return parts.sessions.resume(sessionId, newSessionRequest(params), profile, () => {
    directories.set(sessionId, cwd);
    parts.channel.beginSession(sessionId);
  });
}

/** What a session tells by itself follows the answer to its set-up (S2.40). */
function tellOpened(
  { delivery, sessions }: AgentParts,
  sessionId: string,
  requestId: RequestId,
  thread: 'loaded' | 'new',
): void {
  delivery.afterResponse(requestId, (success) => (success ? sessions.opened(sessionId, thread) : undefined));
}

function newSessionRequest(params: NewSessionParams): NewSessionRequest {
  const meta = objectOf(params._meta);
  const air = objectOf(objectOf(meta.jetbrains).air);
  return {
    cwd: params.cwd,
    ...('additionalDirectories' in params ? { additionalDirectories: params.additionalDirectories } : {}),
    legacyRoots: meta.additionalRoots,
    mcpServers: params.mcpServers ?? [],
    systemPrompt: params.systemPrompt,
    customInstructions: air.customInstructions,
  };
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
