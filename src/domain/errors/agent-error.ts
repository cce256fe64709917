/**
 * An error with a meaning for the client. The ACP adapters turn the kind into a JSON-RPC code (S1 section 14.1); the
 * message is for the person who reads it: what failed, why, what to do.
 */
export type AgentErrorKind =
  | 'authRequired'
  | 'cancelled'
  | 'codexLost'
  | 'internal'
  | 'invalidParams'
  | 'invalidRequest'
  | 'sessionNotFound';

export class AgentError extends Error {
  readonly kind: AgentErrorKind;
  /** Structured facts for programs; never secrets. */
  readonly data: unknown;

  constructor(kind: AgentErrorKind, message: string, data?: unknown) {
    super(message);
    this.name = 'AgentError';
    this.kind = kind;
    this.data = data;
  }

  static sessionNotFound(sessionId: string): AgentError {
    return new AgentError('sessionNotFound', `Session ${sessionId} not found`, { sessionId });
  }

  static invalidParams(message: string, data?: unknown): AgentError {
    return new AgentError('invalidParams', message, data);
  }

  static invalidRequest(message: string, data?: unknown): AgentError {
    return new AgentError('invalidRequest', message, data);
  }
}

/** Facts about a lost app-server for error 1001 (S8.15). */
export interface CodexLostData {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly restartable: boolean;
  readonly retryAfterMs?: number;
}

/** The app-server is gone or could not start: error 1001 (S1.64, S1.211). */
export class CodexLostError extends AgentError {
  declare readonly data: CodexLostData;

  constructor(message: string, data: CodexLostData) {
    super('codexLost', message, data);
    this.name = 'CodexLostError';
  }
}

/** An error that Codex answered to one of our requests; its code is not forwarded to clients (S1.210). */
export class CodexRequestError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'CodexRequestError';
    this.code = code;
    this.data = data;
  }
}
