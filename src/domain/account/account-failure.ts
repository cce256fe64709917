import { CodexRequestError } from '../errors/agent-error.ts';

const unavailable = ['workspace routing discovery failed', 'workspace routing discovery timed out'];
const authFailed = [
  'workspace routing discovery unauthorized (401)',
  'selected workspace missing from routing discovery',
  'workspace routing requires a ChatGPT account id',
];

/** What a failed `account/read` means (S1.171, S1.172): no answer about the login, a login that does not work, or else. */
export function accountFailure(error: unknown): 'authFailed' | 'other' | 'unavailable' {
  if (!(error instanceof CodexRequestError)) return 'other';
  if (unavailable.includes(error.message)) return 'unavailable';
  return authFailed.includes(error.message) ? 'authFailed' : 'other';
}
