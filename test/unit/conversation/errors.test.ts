import { describe, expect, it } from 'vitest';
import { failureKind, isAuthFailure } from '../../../src/domain/conversation/failure-kind.ts';
import { readableError } from '../../../src/domain/conversation/readable-error.ts';

const explained =
  "The current provider can't read this thread's earlier reasoning, which another provider or account encrypted. " +
  'This happens after the provider changes in a thread. Switch back to the previous provider or start a new thread.';
const json = (value: unknown): string => JSON.stringify(value);
const encrypted = 'invalid_encrypted_content';
const envelope = { type: 'error', status: 429, error: { type: 'rate_limit_error', message: 'Slow down' } };

describe('readable errors', () => {
  const cases: readonly [string, string, string][] = [
    ['S1.218 a text', 'No such model', 'No such model'],
    [
      'S1.218 S1.171 ChatGPT out of reach',
      'workspace routing discovery timed out',
      "Codex can't reach chatgpt.com to look up your ChatGPT workspace. Check your network connection and any proxy, VPN, " +
        'or firewall that blocks chatgpt.com, then try again. (workspace routing discovery timed out)',
    ],
    ['S1.218 unreadable reasoning', json({ error: { code: encrypted } }), explained],
    [
      'S1.218 unreadable reasoning behind a router',
      json({ error: { metadata: { provider_error_code: encrypted } } }),
      explained,
    ],
    [
      'S1.218 unreadable reasoning, nested',
      json({ error: { metadata: { raw: json({ error: { code: encrypted } }) } } }),
      explained,
    ],
    ['S1.218 service envelope', json(envelope), 'Slow down'],
    [
      'S3.170 a bare body of HTTP 400',
      json({ error: { message: 'Bad', type: 'invalid_request_error', code: null, param: null } }),
      'Bad',
    ],
    ['S1.218 another key', json({ ...envelope, more: 1 }), json({ ...envelope, more: 1 })],
    ['S1.218 another status', json({ ...envelope, status: 200 }), json({ ...envelope, status: 200 })],
    [
      'S1.218 an unknown type',
      json({ ...envelope, error: { type: 'x', message: 'y' } }),
      json({ ...envelope, error: { type: 'x', message: 'y' } }),
    ],
    ['S1.218 a blank message', json({ error: { message: ' ' } }), json({ error: { message: ' ' } })],
    ['S1.218 no error object', '{"error":"x"}', '{"error":"x"}'],
    ['S1.218 JSON that is no object', '[1]', '[1]'],
    ['S1.218 broken JSON', '{"error":', '{"error":'],
    ['S1.218 JSON null', 'null', 'null'],
  ];
  it.each(cases)('%s', (_name, text, expected) => {
    expect(readableError(text)).toBe(expected);
  });
});

describe('failure kinds', () => {
  const status = (httpStatusCode: number | null, name = 'responseTooManyFailedAttempts'): object => ({
    [name]: { httpStatusCode },
  });
  const cases: readonly [unknown, string, string, readonly string[]][] = [
    ['unauthorized', 'auth_required', 'access', ['login']],
    [status(401), 'auth_required', 'access', ['login']],
    [status(429), 'rate_limited', 'limit', ['retry']],
    [status(503), 'transport_lost', 'connection', ['retry', 'new_session']],
    [status(null, 'httpConnectionFailed'), 'transport_lost', 'connection', ['retry', 'new_session']],
    [status(null, 'responseStreamConnectionFailed'), 'transport_lost', 'connection', ['retry', 'new_session']],
    [status(null, 'responseStreamDisconnected'), 'transport_lost', 'connection', ['retry', 'new_session']],
    ['rateLimitExceeded', 'rate_limited', 'limit', ['retry']],
    ['usageLimitExceeded', 'quota_exhausted', 'limit', []],
    ['contextWindowExceeded', 'context_exhausted', 'limit', ['new_session']],
    ['sessionBudgetExceeded', 'budget_exhausted', 'limit', ['new_session']],
    ['serverOverloaded', 'overloaded', 'service', ['retry']],
    ['cyberPolicy', 'policy_denied', 'request', []],
    ['misalignmentPolicyViolation', 'policy_denied', 'request', []],
    ['badRequest', 'bad_request', 'request', []],
    ['internalServerError', 'internal_error', 'service', ['retry', 'new_session']],
    ['flexUnavailable', 'provider_error', 'service', ['retry']],
    ['tooManyDenials', 'provider_error', 'service', ['retry']],
    ['threadRollbackFailed', 'provider_error', 'service', ['retry']],
    ['sandboxError', 'provider_error', 'service', ['retry']],
    [{ activeTurnNotSteerable: { turnKind: 'review' } }, 'provider_error', 'service', ['retry']],
    ['other', 'provider_error', 'service', ['retry']],
    [null, 'provider_error', 'service', ['retry']],
    [7, 'provider_error', 'service', ['retry']],
    ['fromTheFuture', 'provider_error', 'service', ['retry']],
    ['toString', 'provider_error', 'service', ['retry']],
  ];
  it.each(cases)('S1.220 S3.176 %j', (info, name, category, actions) => {
    expect(failureKind({ message: 'm', info, details: null })).toEqual({ name, category, actions });
  });

  it.each([
    ['bioPolicy', 'policy_denied'],
    ['inferenceHookDenied', 'policy_denied'],
    ['policyCapacityUnavailable', 'overloaded'],
    ['modelNotFound', 'bad_request'],
  ])('S1.222 name of Codex 0.171: %s', (info, name) => {
    expect(failureKind({ message: 'm', info, details: null }).name).toBe(name);
  });

  it('S1.220 order: login, then workspace routing, then 429, then the name', () => {
    const routing = 'x workspace routing discovery failed y';
    expect(failureKind({ message: routing, info: status(429), details: null }).name).toBe('transport_lost');
    expect(failureKind({ message: routing, info: 'unauthorized', details: null }).name).toBe('transport_lost');
    expect(failureKind({ message: routing, info: status(401), details: null }).name).toBe('auth_required');
  });

  it('S1.193 tells a missing login', () => {
    expect(isAuthFailure({ message: '', info: 'unauthorized', details: null })).toBe(true);
    expect(isAuthFailure({ message: '', info: 'other', details: null })).toBe(false);
    expect(isAuthFailure(null)).toBe(false);
  });
});
