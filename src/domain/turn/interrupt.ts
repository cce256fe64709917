import { ignored, step } from './steps.ts';
import type {
  AgentTurn,
  InPhase,
  Input,
  InterruptRefusal,
  Stop,
  TurnEffect,
  TurnState,
  TurnStep,
  Work,
} from './turn-state.ts';

/** Delays before the retries of an interrupt, in milliseconds (S3.61). */
const firstDelay = 25;
export const interruptDelays: readonly number[] = [firstDelay, 50, 100, 200, 400];

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
 * turn we asked for tells which id is running now (S3.61). Without one the next attempt is for the turn itself, `ownId`,
 * again. Any other refusal ends the attempts.
 */
export function stopRefused(stop: Stop, ownId: string, refusal: InterruptRefusal, effects: TurnEffect[]): Stop {
  if (stop.status !== 'sent') return stop;
  if (refusal.type === 'other' || (refusal.type === 'mismatch' && refusal.expected !== stop.target)) {
    return stopConfirmed(stop);
  }
  const target = refusal.type === 'mismatch' ? refusal.found : ownId;
  const delay = interruptDelays[stop.tries];
  if (delay === undefined) return { ...stop, target, status: 'exhausted' };
  effects.push({ type: 'wait', timer: 'interrupt', ms: delay });
  return { target, tries: stop.tries + 1, status: 'waiting' };
}

/** A turn is over that Codex had named as the running one: the next attempt is for the turn itself again (S3.61, S3.62). */
export function stopWithout(stop: Stop, overId: string, ownId: string, effects: TurnEffect[]): Stop {
  if (stop.target !== overId) return stop;
  if (stop.status !== 'waiting') effects.push({ type: 'wait', timer: 'interrupt', ms: firstDelay });
  return { ...stop, target: ownId, status: 'waiting' };
}

/** The delay is over: try again, with the id that began last if one is known (S3.61). */
export function stopAgain(stop: Stop, startedId: string | null, effects: TurnEffect[]): Stop {
  if (stop.status !== 'waiting') return stop;
  const target = startedId ?? stop.target;
  effects.push({ type: 'interrupt', turnId: target });
  return { ...stop, target, status: 'sent' };
}

/** The turn showed a sign of life: one more attempt when the retries were used up (S3.65). */
export function stopOnActivity(stop: Stop, turnId: string, effects: TurnEffect[]): Stop {
  if (stop.status !== 'exhausted') return stop;
  effects.push({ type: 'interrupt', turnId });
  return { ...stop, target: turnId, status: 'sent' };
}

/** The turn was told to stop, or will be as soon as its id is known: nobody is asked for it any more (S5.13). */
export function toldToStop(work: Work, turnId: string): boolean {
  switch (work.phase) {
    case 'running':
      if (turnId === work.turnId || turnId === work.startedId) return work.stop !== null;
      return work.other?.turnId === turnId && work.other.stop !== null;
    case 'starting':
      if (turnId === work.agent?.turnId) return work.agent.stop !== null;
      return work.cancelled !== null;
    case 'agent':
    case 'draining':
    case 'local':
    case 'planReview':
    case 'prep':
    case 'reloading':
      return work.agent?.turnId === turnId && work.agent.stop !== null;
    case 'closed':
    case 'closing':
    case 'idle':
      return false;
  }
}

/** Work whose turn, or the turn beside it, can be told to stop. */
type Stoppable = InPhase<
  'agent' | 'closed' | 'draining' | 'local' | 'planReview' | 'prep' | 'reloading' | 'running' | 'starting'
>;

/** Codex took the interrupt; a result for a turn that is over changes nothing (S3.62). */
export function interrupted(state: TurnState, work: Stoppable, { turnId }: Input<'interrupted'>): TurnStep {
  return eachStop(state, work, (stop) =>
    stop.target === turnId && stop.status === 'sent' ? stopConfirmed(stop) : stop,
  );
}

/** Codex refused it. */
export function notInterrupted(
  state: TurnState,
  work: Stoppable,
  { turnId, refusal }: Input<'notInterrupted'>,
): TurnStep {
  return eachStop(state, work, (stop, ids, effects) =>
    stop.target === turnId ? stopRefused(stop, ids.started ?? ids.own, refusal, effects) : stop,
  );
}

/** The delay before a retry is over. */
export function retryInterrupts(state: TurnState, work: Stoppable, { timer }: Input<'timer'>): TurnStep {
  if (timer !== 'interrupt') return ignored(state);
  return eachStop(state, work, (stop, { started }, effects) => stopAgain(stop, started, effects));
}

/** A turn that goes on is told to stop once more, with the id that it began with (S12.6). */
export function insist(state: TurnState, work: Stoppable): TurnStep {
  return eachStop(state, work, (_stop, { own, started }, effects) => requestStop(null, started ?? own, effects));
}

/** The id of the turn that is stopped, and the one that an interrupt needs once it began (S3.114). */
interface StopIds {
  readonly own: string;
  readonly started: string | null;
}

type StopChange = (stop: Stop, ids: StopIds, effects: TurnEffect[]) => Stop;

function eachStop(state: TurnState, work: Stoppable, change: StopChange): TurnStep {
  const effects: TurnEffect[] = [];
  const changed = <Turn extends AgentTurn | null>(turn: Turn): Turn =>
    turn === null || turn.stop === null
      ? turn
      : { ...turn, stop: change(turn.stop, { own: turn.turnId, started: null }, effects) };
  if (work.phase === 'agent') return step(state, { ...work, agent: changed(work.agent) }, effects);
  if (work.phase !== 'running') return step(state, { ...work, agent: changed(work.agent) }, effects);
  const ids: StopIds = { own: work.turnId, started: work.startedId };
  const stop = work.stop === null ? null : change(work.stop, ids, effects);
  return step(state, { ...work, stop, other: changed(work.other) }, effects);
}
