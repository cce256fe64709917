/** How one app-server process ended (S8.10). */
export interface ExitRecord {
  readonly epoch: number;
  readonly pid: number | null;
  readonly code: number | null;
  readonly signal: string | null;
  /** Why it could not be started, or why it was given up. */
  readonly error: string | null;
  /** We stopped it on purpose; anything else is a crash. */
  readonly intentional: boolean;
  /** Wall-clock time in milliseconds. */
  readonly at: number;
  readonly uptimeMs: number;
  readonly stderr: string;
}

/** Exit code of the Windows loader when the Visual C++ runtime is missing (S8.14). */
const RUNTIME_MISSING = 3221225781;

export function isRuntimeMissing(exit: ExitRecord): boolean {
  return exit.code === RUNTIME_MISSING;
}

/** Verb phrase that follows "The Codex app-server " (S8.12). Error beats signal, signal beats code (S8.13). */
export function exitCause(exit: ExitRecord): string {
  const memory = ', which usually means it ran out of memory';
  if (exit.error !== null) {
    return exit.pid === null ? `could not be started (${exit.error})` : `stopped responding (${exit.error})`;
  }
  if (exit.signal !== null) return `was killed by ${exit.signal}${exit.signal === 'SIGKILL' ? memory : ''}`;
  return `exited with code ${exit.code ?? 'unknown'}${exit.code === 137 ? memory : ''}`;
}
