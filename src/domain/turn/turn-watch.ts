import type { Completion } from './turn-state.ts';

/** A witness said that the turn is over; its completion may still be on the way for so long, in milliseconds (S12.5). */
export const witnessLimitMs = 2000;

/** A cancelled turn has so long to end, and Codex so long to tell what became of it, in milliseconds (S12.6). */
export const cancelLimitMs = 5000;

/** Interrupts of one cancel, after which a Codex that goes on with the turn counts as wedged. */
const maxRounds = 3;

/** Why a turn is watched: something said that it is over, or it was told to stop. */
export type WatchReason =
  | { readonly type: 'cancel'; readonly round: number }
  /** How the turn ends if nothing is recorded about it. */
  | { readonly type: 'witness'; readonly outcome: Completion };

/**
 * Watches for a completion that never comes (S12.5, S12.6). Silence is no reason to watch: a turn that is only slow is
 * never ended here.
 */
export type Watch =
  | { readonly phase: 'off' }
  /** `turnId: null`: a cancelled start that Codex has not answered yet. */
  | { readonly phase: 'waiting'; readonly turnId: string | null; readonly reason: WatchReason }
  /** Codex was asked what it recorded. `witness`: what was said since, which the record may not know yet. */
  | {
      readonly phase: 'reading';
      readonly turnId: string | null;
      readonly reason: WatchReason;
      readonly witness: Completion | null;
    };

export const watchOff: Watch = { phase: 'off' };

export type WatchInput =
  /** Codex said in another way that the turn is over. */
  | { readonly type: 'witness'; readonly turnId: string; readonly outcome: Completion }
  /** The thread works again: an earlier witness meant something else. */
  | { readonly type: 'active' }
  /** The turn was told to stop. */
  | { readonly type: 'stopping'; readonly turnId: string | null }
  /** No turn runs, or another one. */
  | { readonly type: 'over' }
  | { readonly type: 'timer' }
  /** What Codex recorded of the turn; `null` when there is nothing, or it could not be read. */
  | { readonly type: 'recorded'; readonly turnId: string; readonly completion: Completion | null };

export type WatchEffect =
  | { readonly type: 'wait'; readonly ms: number }
  | { readonly type: 'stopWaiting' }
  | { readonly type: 'read'; readonly turnId: string }
  /** The turn goes on: it is told to stop once more. */
  | { readonly type: 'insist' }
  /** The turn is over after all. */
  | { readonly type: 'complete'; readonly turnId: string; readonly completion: Completion }
  /** Codex no longer answers: start another process (S8.7). */
  | { readonly type: 'replaceCodex' };

export interface WatchStep {
  readonly watch: Watch;
  readonly effects: readonly WatchEffect[];
}

const interrupted: Completion = { status: 'interrupted', error: null };

/** `(watch, input) -> (watch, effects)`. */
export function observe(watch: Watch, input: WatchInput): WatchStep {
  switch (input.type) {
    case 'witness': {
      const { turnId, outcome } = input;
      if (watch.phase === 'off') return waiting(turnId, { type: 'witness', outcome }, witnessLimitMs);
      if (watch.turnId !== turnId) return same(watch);
      // A cancelled turn that seems to be over need not be waited for that long.
      if (watch.phase === 'waiting' && watch.reason.type === 'cancel')
        return waiting(turnId, watch.reason, witnessLimitMs);
      return same(watch.phase === 'reading' ? { ...watch, witness: outcome } : watch);
    }
    case 'active':
      if (watch.phase === 'reading') return same({ ...watch, witness: null });
      return watch.phase === 'waiting' && watch.reason.type === 'witness' ? off() : same(watch);
    case 'stopping':
      return stopping(watch, input.turnId);
    case 'over':
      return watch.phase === 'off' ? same(watch) : off();
    case 'timer':
      return timer(watch);
    case 'recorded':
      if (watch.phase !== 'reading' || watch.turnId !== input.turnId) return same(watch);
      return recorded(input.turnId, watch, input.completion);
  }
}

/** A turn that a witness had called over is being stopped: what was seen of it stays, its limit is now that of a cancel. */
function stopping(watch: Watch, turnId: string | null): WatchStep {
  const reason: WatchReason = { type: 'cancel', round: 1 };
  if (watch.phase === 'off') return waiting(turnId, reason, cancelLimitMs);
  if (watch.reason.type === 'cancel') return same(watch);
  return same({ ...watch, reason });
}

function timer(watch: Watch): WatchStep {
  switch (watch.phase) {
    case 'off':
      return same(watch);
    case 'waiting': {
      const { turnId } = watch;
      const limit: WatchEffect = { type: 'wait', ms: cancelLimitMs };
      const effects: WatchEffect[] = turnId === null ? [limit] : [{ type: 'read', turnId }, limit];
      return { watch: { ...watch, phase: 'reading', witness: null }, effects };
    }
    case 'reading':
      if (watch.reason.type === 'witness' && watch.turnId !== null) return ended(watch.turnId, watch.reason.outcome);
      return { watch: watchOff, effects: [{ type: 'replaceCodex' }] };
  }
}

function recorded(turnId: string, watch: Extract<Watch, { phase: 'reading' }>, record: Completion | null): WatchStep {
  const { reason, witness } = watch;
  if (record !== null && record.status !== 'inProgress') return ended(turnId, record);
  if (record === null) return ended(turnId, reason.type === 'witness' ? reason.outcome : interrupted);
  // The turn may have ended after its record was read.
  if (witness !== null) {
    const next: WatchReason = reason.type === 'cancel' ? reason : { type: 'witness', outcome: witness };
    return waiting(turnId, next, witnessLimitMs);
  }
  if (reason.type === 'witness') return off();
  if (reason.round >= maxRounds) {
    return { watch: watchOff, effects: [{ type: 'stopWaiting' }, { type: 'replaceCodex' }] };
  }
  const step = waiting(turnId, { type: 'cancel', round: reason.round + 1 }, cancelLimitMs);
  return { watch: step.watch, effects: [...step.effects, { type: 'insist' }] };
}

function waiting(turnId: string | null, reason: WatchReason, ms: number): WatchStep {
  return { watch: { phase: 'waiting', turnId, reason }, effects: [{ type: 'wait', ms }] };
}

function ended(turnId: string, completion: Completion): WatchStep {
  return { watch: watchOff, effects: [{ type: 'stopWaiting' }, { type: 'complete', turnId, completion }] };
}

function off(): WatchStep {
  return { watch: watchOff, effects: [{ type: 'stopWaiting' }] };
}

function same(watch: Watch): WatchStep {
  return { watch, effects: [] };
}
