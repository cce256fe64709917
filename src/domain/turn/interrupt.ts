import type { InterruptRefusal, Stop, TurnEffect } from './turn-state.ts';

/** Delays before the retries of an interrupt, in milliseconds (S3.61). */
export const interruptDelays: readonly number[] = [25, 50, 100, 200, 400];

/** Asks Codex to stop a turn, unless that is already under way or done (S3.60). */
export function requestStop(stop: Stop | null, turnId: string, effects: TurnEffect[]): Stop {
  if (stop !== null && stop.status !== 'exhausted') return stop;
  effects.push({ type: 'interrupt', turnId });
  return { target: turnId, tries: stop?.tries ?? 0, status: 'sent' };
}

/** Codex accepted the interrupt. */
export function stopConfirmed(stop: Stop): Stop {
  return { ...stop, status: 'done' };
}

/**
 * Codex refused the interrupt: wait and try again while the turn may still be unregistered; a mismatch that names the
 * turn we asked for tells which id is running now (S3.61). Any other refusal ends the attempts.
 */
export function stopRefused(stop: Stop, turnId: string, refusal: InterruptRefusal, effects: TurnEffect[]): Stop {
  if (stop.status !== 'sent') return stop;
  if (refusal.type === 'other' || (refusal.type === 'mismatch' && refusal.expected !== turnId))
    return stopConfirmed(stop);
  const target = refusal.type === 'mismatch' ? refusal.found : stop.target;
  const delay = interruptDelays[stop.tries];
  if (delay === undefined) return { ...stop, target, status: 'exhausted' };
  effects.push({ type: 'wait', timer: 'interrupt', ms: delay });
  return { target, tries: stop.tries + 1, status: 'waiting' };
}

/** The delay is over: try again. */
export function stopAgain(stop: Stop, effects: TurnEffect[]): Stop {
  if (stop.status !== 'waiting') return stop;
  effects.push({ type: 'interrupt', turnId: stop.target });
  return { ...stop, status: 'sent' };
}

/** The turn showed a sign of life: one more attempt when the retries were used up (S3.65). */
export function stopOnActivity(stop: Stop, turnId: string, effects: TurnEffect[]): Stop {
  if (stop.status !== 'exhausted') return stop;
  effects.push({ type: 'interrupt', turnId });
  return { ...stop, target: turnId, status: 'sent' };
}
