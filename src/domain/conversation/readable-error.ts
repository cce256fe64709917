const unreadableReasoning =
  "The current provider can't read this thread's earlier reasoning, which another provider or account encrypted. " +
  'This happens after the provider changes in a thread. Switch back to the previous provider or start a new thread.';

const workspaceRouting = ['workspace routing discovery failed', 'workspace routing discovery timed out'];

/** Error types of the model service whose envelope is taken off (S3.170). */
const serviceErrorTypes = new Set([
  'invalid_request_error',
  'server_error',
  'rate_limit_error',
  'insufficient_quota',
  'authentication_error',
  'permission_error',
  'not_found_error',
  'conflict_error',
  'overloaded_error',
]);
const serviceErrorKeys = new Set(['type', 'message', 'code', 'param']);

type JsonObject = Readonly<Record<string, unknown>>;

/** True for the two texts that say that ChatGPT could not be reached (S1.171). */
export function isWorkspaceRoutingFailure(text: string): boolean {
  return workspaceRouting.some((part) => text.includes(part));
}

/** An error text of Codex for people: explained, or freed from JSON around it (S1.218, S3.170). */
export function readableError(text: string): string {
  if (isWorkspaceRoutingFailure(text)) {
    return (
      "Codex can't reach chatgpt.com to look up your ChatGPT workspace. Check your network connection and any proxy, " +
      `VPN, or firewall that blocks chatgpt.com, then try again. (${text})`
    );
  }
  const body = parsedObject(text);
  if (body === null) return text;
  if (namesUnreadableReasoning(body)) return unreadableReasoning;
  return serviceMessage(body) ?? text;
}

/** The code stands at the error itself, or where a router in between put it. */
function namesUnreadableReasoning(body: JsonObject): boolean {
  const error = object(body.error);
  if (error === null) return false;
  if (error.code === 'invalid_encrypted_content') return true;
  const metadata = object(error.metadata);
  if (metadata === null) return false;
  if (metadata.provider_error_code === 'invalid_encrypted_content') return true;
  const raw = typeof metadata.raw === 'string' ? parsedObject(metadata.raw) : object(metadata.raw);
  return raw !== null && namesUnreadableReasoning(raw);
}

/** The message in a service error envelope, or in the bare body that Codex reports for HTTP 400. */
function serviceMessage(body: JsonObject): string | null {
  const error = object(body.error);
  if (error === null || typeof error.message !== 'string' || error.message.trim() === '') return null;
  if (!Object.keys(error).every((key) => serviceErrorKeys.has(key))) return null;
  const bare = Object.keys(body).length === 1;
  return bare || isEnvelope(body, error) ? error.message : null;
}

function isEnvelope(body: JsonObject, error: JsonObject): boolean {
  const { type, status } = body;
  return (
    Object.keys(body).length === 3 &&
    type === 'error' &&
    typeof status === 'number' &&
    status >= 400 &&
    status <= 599 &&
    typeof error.type === 'string' &&
    serviceErrorTypes.has(error.type)
  );
}

function parsedObject(text: string): JsonObject | null {
  if (!text.trimStart().startsWith('{')) return null;
  try {
    return object(JSON.parse(text));
  } catch {
    return null;
  }
}

function object(value: unknown): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
}
