import { runningTurn, type TurnEffect, type TurnInput, type Work } from './turn-state.ts';

/**
 * How a turn ended for what it left open: as Codex said, `cancelled` when it was told to stop and ended in whatever
 * way (S3.55), `lost` when the app-server died. `error` is Codex's reason for a failure.
 */
export interface TurnEnd {
  readonly status: 'cancelled' | 'completed' | 'failed' | 'interrupted' | 'lost';
  readonly error: string | null;
}

/** The end behind a `turnOver`, from the input that led to it and the work before that input. */
export function turnEnd(effect: Extract<TurnEffect, { type: 'turnOver' }>, input: TurnInput, before: Work): TurnEnd {
  if (input.type === 'lost') return { status: isStopping(before, null) ? 'cancelled' : 'lost', error: null };
  if (effect.interrupted) return { status: 'interrupted', error: null };
  if (isStopping(before, effect.turnId)) return { status: 'cancelled', error: null };
  if (input.type !== 'turnCompleted' || input.turnId !== effect.turnId || input.status !== 'failed') {
    return { status: 'completed', error: null };
  }
  return { status: 'failed', error: input.error?.message ?? null };
}

/** A turn that is not named, here or there, may be any. Closing stops all. */
function isStopping(work: Work, turnId: string | null): boolean {
  if (work.phase === 'closing') return true;
  const running = runningTurn(work);
  if (running === null || !running.stopping) return false;
  return turnId === null || running.turnId === null || running.turnId === turnId;
}
