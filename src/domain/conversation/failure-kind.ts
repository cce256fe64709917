import type { TurnError } from '../thread/thread-event.ts';
import { isWorkspaceRoutingFailure } from './readable-error.ts';

export type FailureCategory = 'access' | 'connection' | 'limit' | 'request' | 'service' | 'unknown';
export type FailureAction = 'login' | 'new_session' | 'retry';

export type FailureName =
  | 'auth_required'
  | 'bad_request'
  | 'budget_exhausted'
  | 'context_exhausted'
  | 'internal_error'
  | 'overloaded'
  | 'policy_denied'
  | 'provider_error'
  | 'quota_exhausted'
  | 'rate_limited'
  | 'transport_lost';

/** What a failure is about and what the user can do (S1.220, S3.176). */
export interface FailureKind {
  readonly name: FailureName;
  readonly category: FailureCategory;
  readonly actions: readonly FailureAction[];
}

const kinds: Readonly<Record<FailureName, FailureKind>> = {
  auth_required: { name: 'auth_required', category: 'access', actions: ['login'] },
  bad_request: { name: 'bad_request', category: 'request', actions: [] },
  budget_exhausted: { name: 'budget_exhausted', category: 'limit', actions: ['new_session'] },
  context_exhausted: { name: 'context_exhausted', category: 'limit', actions: ['new_session'] },
  internal_error: { name: 'internal_error', category: 'service', actions: ['retry', 'new_session'] },
  overloaded: { name: 'overloaded', category: 'service', actions: ['retry'] },
  policy_denied: { name: 'policy_denied', category: 'request', actions: [] },
  provider_error: { name: 'provider_error', category: 'service', actions: ['retry'] },
  quota_exhausted: { name: 'quota_exhausted', category: 'limit', actions: [] },
  rate_limited: { name: 'rate_limited', category: 'limit', actions: ['retry'] },
  transport_lost: { name: 'transport_lost', category: 'connection', actions: ['retry', 'new_session'] },
};

/** Names of Codex; a name that is not here is a `provider_error` (S1.222). */
const names: ReadonlyMap<string, FailureName> = new Map<string, FailureName>([
  ['unauthorized', 'auth_required'],
  ['rateLimitExceeded', 'rate_limited'],
  ['usageLimitExceeded', 'quota_exhausted'],
  ['contextWindowExceeded', 'context_exhausted'],
  ['sessionBudgetExceeded', 'budget_exhausted'],
  ['serverOverloaded', 'overloaded'],
  ['policyCapacityUnavailable', 'overloaded'],
  ['cyberPolicy', 'policy_denied'],
  ['misalignmentPolicyViolation', 'policy_denied'],
  ['bioPolicy', 'policy_denied'],
  ['inferenceHookDenied', 'policy_denied'],
  ['badRequest', 'bad_request'],
  ['modelNotFound', 'bad_request'],
  ['internalServerError', 'internal_error'],
  ['httpConnectionFailed', 'transport_lost'],
  ['responseStreamConnectionFailed', 'transport_lost'],
  ['responseStreamDisconnected', 'transport_lost'],
  ['responseTooManyFailedAttempts', 'transport_lost'],
]);

export function failureKindNamed(name: FailureName): FailureKind {
  return kinds[name];
}

/** Kind of an error that Codex reported; the checks are made in the order of S1.220. */
export function failureKind(error: TurnError | null): FailureKind {
  if (error === null) return kinds.provider_error;
  const status = httpStatus(error.info);
  if (status === 401) return kinds.auth_required;
  if (isWorkspaceRoutingFailure(error.message)) return kinds.transport_lost;
  if (status === 429) return kinds.rate_limited;
  return kinds[names.get(infoName(error.info) ?? '') ?? 'provider_error'];
}

/** The login is missing or no longer accepted: the client has to log in, nothing is shown (S1.193). */
export function isAuthFailure(error: TurnError | null): boolean {
  return failureKind(error).name === 'auth_required';
}

/** Name of Codex' structured error: a string, or the only key of an object. */
function infoName(info: unknown): string | null {
  if (typeof info === 'string') return info;
  return typeof info === 'object' && info !== null ? (Object.keys(info)[0] ?? null) : null;
}

/** HTTP status in the details of a structured error. */
function httpStatus(info: unknown): number | null {
  if (typeof info !== 'object' || info === null) return null;
  for (const details of Object.values(info)) {
    if (typeof details === 'object' && details !== null && 'httpStatusCode' in details) {
      return typeof details.httpStatusCode === 'number' ? details.httpStatusCode : null;
    }
  }
  return null;
}
