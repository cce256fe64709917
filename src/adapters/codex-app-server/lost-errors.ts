import { CodexLostError } from '../../domain/errors/agent-error.ts';
import type { StartPermit } from './crash-window.ts';
import { type ExitRecord, exitCause, isRuntimeMissing } from './exit-record.ts';

/** What else matters for the text of a loss (S8.15 ff.). */
export interface LossContext {
  readonly shuttingDown: boolean;
  readonly forProviderChange: boolean;
  /** The handshake had succeeded. */
  readonly introduced: boolean;
  readonly permit: StartPermit;
  readonly windowMs: number;
}

type Refusal = Extract<StartPermit, { type: 'refused' }>;

/** The error that everything fails with that waited on a process, the first text that applies (S8.14 to S8.22). */
export function lossOf(exit: ExitRecord, context: LossContext): CodexLostError {
  const facts = { exitCode: exit.code, signal: exit.signal };
  if (isRuntimeMissing(exit)) return runtimeMissing(exit);
  if (context.shuttingDown) {
    const text = `The Codex app-server ${exitCause(exit)}. The agent is shutting down.`;
    return new CodexLostError(withStderr(text, exit), { ...facts, restartable: false });
  }
  if (context.forProviderChange) {
    const text = 'The Codex app-server was restarted for a provider change while this request ran. Try again.';
    return new CodexLostError(text, { ...facts, restartable: true });
  }
  if (context.permit.type === 'refused') return crashLimitReached(context.permit, context.windowMs, exit);
  if (!context.introduced) return lostBeforeHandshake(exit);
  const text = `The Codex app-server ${exitCause(exit)}. The agent starts it again on the next request.`;
  return new CodexLostError(withStderr(text, exit), { ...facts, restartable: true });
}

/** S8.17, S8.18: no promise of a restart. */
function lostBeforeHandshake(exit: ExitRecord): CodexLostError {
  const byItself = exit.error === null && exit.signal === null;
  const text = `Codex process ${byItself ? 'has ' : ''}${exitCause(exit)}`;
  return new CodexLostError(exit.stderr === '' ? text : `${text}:\n${exit.stderr}`, {
    exitCode: exit.code,
    signal: exit.signal,
    restartable: true,
  });
}

/** S8.20. `exit` is the last crash, when its process is known. */
export function crashLimitReached(refusal: Refusal, windowMs: number, exit: ExitRecord | null): CodexLostError {
  const text =
    `The Codex app-server crashed ${refusal.crashes} times in the last ${durationText(windowMs)} ` +
    `(last: it ${refusal.lastCause}), so the agent stopped restarting it. ` +
    `Restart the agent, or try again in ${durationText(refusal.retryAfterMs)}.`;
  return new CodexLostError(exit === null ? text : withStderr(text, exit), {
    exitCode: exit?.code ?? null,
    signal: exit?.signal ?? null,
    restartable: false,
    retryAfterMs: refusal.retryAfterMs,
  });
}

/** S8.14. */
export function runtimeMissing(exit: ExitRecord): CodexLostError {
  return new CodexLostError('VC++ redistributable should be installed', {
    exitCode: exit.code,
    signal: exit.signal,
    restartable: false,
  });
}

/** S8.21. */
export function connectionLost(): CodexLostError {
  return new CodexLostError(
    'The connection to the Codex app-server was lost. The agent starts it again on the next request.',
    { exitCode: null, signal: null, restartable: true },
  );
}

/** S8.23. */
export function shuttingDown(): CodexLostError {
  return new CodexLostError('The Codex app-server is not available: the agent is shutting down.', {
    exitCode: null,
    signal: null,
    restartable: false,
  });
}

/** S8.24; the first process was not restarted. */
export function handshakeTimedOut(restarted: boolean): CodexLostError {
  const text =
    `The ${restarted ? 'restarted ' : ''}Codex app-server did not answer initialize within 30 s. ` +
    'The agent starts it again on the next request.';
  return new CodexLostError(text, { exitCode: null, signal: null, restartable: true });
}

/** S8.25: the process could not even be tried. */
export function spawnThrew(message: string, permit: StartPermit): CodexLostError {
  return new CodexLostError(`The Codex app-server could not be started: ${message}`, {
    exitCode: null,
    signal: null,
    restartable: permit.type === 'allowed',
    ...(permit.type === 'refused' ? { retryAfterMs: permit.retryAfterMs } : {}),
  });
}

function withStderr(text: string, exit: ExitRecord): string {
  return exit.stderr === '' ? text : `${text}\n${exit.stderr}`;
}

/** Whole seconds below two minutes, else whole minutes, rounded up (S8.29). */
function durationText(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(ms / 60_000)} min`;
}
