import { isAuthFailure } from '../../domain/conversation/failure-kind.ts';
import { readableError } from '../../domain/conversation/readable-error.ts';
import { AgentError, CodexRequestError } from '../../domain/errors/agent-error.ts';
import type { Failure } from '../../domain/turn/work-ending.ts';
import { toRequestError } from './rpc-errors.ts';

/** A JSON-RPC error before it is sent. */
export interface ErrorDescriptor {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The whole error that answers a request which failed like this (S1.210). */
export function requestError(error: Error): ErrorDescriptor {
  const { code, message, data } = toRequestError(error);
  return data === undefined ? { code, message } : { code, message, data };
}

/** The error of failed v2 work: a code and a text for people, never data or stderr (S3.99, S1.221). */
export function foregroundError(failure: Failure): { code: number; message: string } {
  switch (failure.type) {
    case 'turn':
      return turnError(failure);
    case 'lost':
      return { code: 1001, message: 'Connection to Codex was lost.' };
    case 'refused':
      return refusedError(failure.error);
  }
}

function turnError(failure: Extract<Failure, { type: 'turn' }>): { code: number; message: string } {
  if (isAuthFailure(failure.error)) return { code: -32000, message: 'Authentication required' };
  const text = readableError(failure.error?.message ?? '');
  return { code: -32603, message: text.trim() === '' ? 'Codex turn failed.' : text };
}

function refusedError(error: Error): { code: number; message: string } {
  const unexpected = { code: -32603, message: 'Codex encountered an internal error.' };
  if (error instanceof CodexRequestError) {
    const text = readableError(error.message);
    return text.trim() === '' ? unexpected : { code: -32603, message: text };
  }
  if (!(error instanceof AgentError) || error.kind === 'internal') return unexpected;
  if (error.kind === 'codexLost') return { code: 1001, message: 'Connection to Codex was lost.' };
  const { code, message } = toRequestError(error);
  return { code, message };
}
