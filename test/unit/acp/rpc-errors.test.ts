import { RequestError } from '@agentclientprotocol/sdk/unstable';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toRequestError } from '../../../src/adapters/acp/rpc-errors.ts';
import { AgentError, CodexLostError, CodexRequestError } from '../../../src/domain/errors/agent-error.ts';

const wire = (error: unknown): unknown => JSON.parse(JSON.stringify(toRequestError(error).toErrorResponse()));
const zodError = z.object({ cwd: z.string() }).safeParse({}).error;

describe('toRequestError', () => {
  it.each([
    [
      'authRequired without reason',
      new AgentError('authRequired', ''),
      { code: -32000, message: 'Authentication required' },
    ],
    [
      'authRequired as said',
      new AgentError('authRequired', 'Authentication required'),
      { code: -32000, message: 'Authentication required' },
    ],
    [
      'S1.151 authRequired with reason',
      new AgentError('authRequired', 'Sign-in did not complete', { methodId: 'chat-gpt' }),
      { code: -32000, message: 'Authentication required: Sign-in did not complete', data: { methodId: 'chat-gpt' } },
    ],
    [
      'S2.3 sessionNotFound',
      AgentError.sessionNotFound('s1'),
      { code: -32002, message: 'Session s1 not found', data: { sessionId: 's1' } },
    ],
    [
      'S1.214 invalidRequest',
      AgentError.invalidRequest('Session is archived: s', { reason: 'archived' }),
      { code: -32600, message: 'Invalid request: Session is archived: s', data: { reason: 'archived' } },
    ],
    [
      'S1.100 invalidParams',
      AgentError.invalidParams('cwd must be an absolute path'),
      { code: -32602, message: 'Invalid params: cwd must be an absolute path' },
    ],
    [
      'S2.144 a prefix is not doubled',
      AgentError.invalidParams('Invalid params: x'),
      { code: -32602, message: 'Invalid params: x' },
    ],
    ['S1.230 cancelled', new AgentError('cancelled', ''), { code: -32800, message: 'Request cancelled' }],
    [
      'S1.204 cancelled with reason',
      new AgentError('cancelled', 'Session setup was cancelled'),
      { code: -32800, message: 'Request cancelled: Session setup was cancelled' },
    ],
    [
      'S1.195 internal',
      new AgentError('internal', 'Codex could not list hooks'),
      { code: -32603, message: 'Internal error', data: { details: 'Codex could not list hooks' } },
    ],
    [
      'S1.155 internal with facts',
      new AgentError('internal', 'CODEX_API_KEY is not set', { envVars: ['CODEX_API_KEY'] }),
      { code: -32603, message: 'Internal error: CODEX_API_KEY is not set', data: { envVars: ['CODEX_API_KEY'] } },
    ],
    [
      'S1.178 internal with data only',
      new AgentError('internal', '', 'text'),
      { code: -32603, message: 'Internal error', data: 'text' },
    ],
  ])('S1 section 14.1 %s', (_name, error, expected) => {
    expect(wire(error)).toEqual(expected);
  });

  it('S1.64 S1.211 1001 keeps its message, with the tail of stderr, and its data', () => {
    const data = { exitCode: 3, signal: null, restartable: true };
    const message = 'Codex process has exited with code 3:\nError: bad\nconfig';
    expect(wire(new CodexLostError(message, data))).toEqual({ code: 1001, message, data });
  });

  it('ACP-ERROR-001 other messages are one non-empty line, the rest goes into the data', () => {
    expect(wire(AgentError.invalidRequest('\n first \r\nsecond\n\nthird\n'))).toEqual({
      code: -32600,
      message: 'Invalid request: first',
      data: { details: 'second\n\nthird' },
    });
    expect(wire(AgentError.invalidParams('a\nb', { field: 'x' }))).toEqual({
      code: -32602,
      message: 'Invalid params: a',
      data: { field: 'x', details: 'b' },
    });
    expect(wire(new AgentError('sessionNotFound', ''))).toEqual({ code: -32002, message: 'Unknown error' });
  });

  it('S1.210 an error of Codex is internal; its code and data are not forwarded', () => {
    expect(wire(new CodexRequestError(-32000, 'thread not found: x', { secret: 1 }))).toEqual({
      code: -32603,
      message: 'Internal error',
      data: { details: 'thread not found: x' },
    });
  });

  it.each([
    ['an error', new TypeError('x is not a function\nline two'), { details: 'x is not a function\nline two' }],
    ['a text', 'broken', { details: 'broken' }],
    ['an object with a message', { message: 'odd' }, { details: 'odd' }],
    ['nothing', undefined, { details: 'Unknown error' }],
    ['an error without text', new Error(''), { details: 'Unknown error' }],
    ['a text that is JSON', new Error('{"a":1}'), { a: 1 }],
  ])('S1.210 %s is internal, without stack', (_name, error, data) => {
    expect(wire(error)).toEqual({ code: -32603, message: 'Internal error', data });
  });

  it('S1.210 a request error is sent as it is', () => {
    const error = new RequestError(-32022, 'Unsupported protocol version', { requested: 0 });
    expect(toRequestError(error)).toBe(error);
  });

  it('S1.45 schema errors have the format of the SDK', () => {
    expect(wire(zodError)).toEqual({
      code: -32602,
      message: 'Invalid params',
      data: { _errors: [], cwd: { _errors: ['Invalid input: expected string, received undefined'] } },
    });
  });
});
