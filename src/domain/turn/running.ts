import { agentPassed, agentSeen, everythingLost, stopAgent, withdrawBeside } from './agent-turn.ts';
import { awaitCompaction, isCutOff } from './compaction-start.ts';
import { cancelled, cancelReasons, endRunning, finish, turnOver } from './ending.ts';
import { requestStop, stopOnActivity, stopWithout } from './interrupt.ts';
import { cancelQueued, emptyQueue, free } from './lane.ts';
import { ignored, step } from './steps.ts';
import type { CancelledBy, Input, Running, TurnEffect, TurnState, TurnStep } from './turn-state.ts';
import type { WorkOutcome } from './work-ending.ts';

/** A turn begins: ours (T13), the reviewer's, which an interrupt has to name (S3.114), or one of Codex beside ours (T33). */
export function beginsWhileRunning(state: TurnState, work: Running, begun: Input<'turnStarted'>): TurnStep {
  const { turnId, rootId } = begun;
  const effects: TurnEffect[] = [];
  if (work.other?.turnId === turnId) return ignored(state);
  if (work.other !== null) effects.push(agentPassed(work.other));
  const ours = work.turnId === turnId || (work.kind === 'review' && work.turnId === rootId);
  if (!ours) return step(state, { ...work, other: { turnId, stop: null } }, effects);
  return retryStop(state, { ...work, startedId: turnId, registered: true, other: null }, turnId, effects);
}

/** A sign of life: the turn is registered, and an interrupt that had given up tries again (S3.65). */
export function active(state: TurnState, work: Running, { turnId }: Input<'activity'>): TurnStep {
  const effects: TurnEffect[] = [];
  if (work.turnId !== turnId) {
    const other = agentSeen(work.other, turnId, effects);
    return step(state, other === work.other ? work : { ...work, other }, effects);
  }
  return retryStop(state, work.registered ? work : { ...work, registered: true }, work.startedId ?? turnId, effects);
}

function retryStop(state: TurnState, work: Running, target: string, effects: TurnEffect[]): TurnStep {
  const stop = work.stop === null ? null : stopOnActivity(work.stop, target, effects);
  return step(state, stop === work.stop ? work : { ...work, stop }, effects);
}

/** T15, T19. */
export function endsWhileRunning(state: TurnState, work: Running, completion: Input<'turnCompleted'>): TurnStep {
  const { turnId } = completion;
  if (work.turnId === turnId) {
    return isCutOff(work, completion) ? awaitCompaction(state, work, completion) : finish(state, work, completion, []);
  }
  const over = turnOver(turnId, completion, work.other?.turnId === turnId && work.other.stop !== null);
  const other = work.other?.turnId === turnId ? null : work.other;
  const effects: TurnEffect[] = [over];
  const stop = work.stop === null ? null : stopWithout(work.stop, turnId, work.turnId, effects);
  const same = other === work.other && stop === work.stop;
  return step(state, same ? work : { ...work, other, stop }, effects);
}

/** S3.115: a review that cannot begin has no completion. */
export function failsWhileRunning(state: TurnState, work: Running, { turnId, error }: Input<'turnFailed'>): TurnStep {
  if (work.kind !== 'review' || work.turnId !== turnId || work.reviewing) return ignored(state);
  return finish(state, work, { status: 'failed', error }, []);
}

export function reviewsWhileRunning(state: TurnState, work: Running, { turnId }: Input<'reviewing'>): TurnStep {
  return work.turnId === turnId ? step(state, { ...work, reviewing: true }) : ignored(state);
}

export function compactsWhileRunning(state: TurnState, work: Running, { turnId }: Input<'compacting'>): TurnStep {
  return work.turnId === turnId ? step(state, { ...work, compacting: true }) : ignored(state);
}

/** T14, T18. */
export function cancelRunning(state: TurnState, work: Running): TurnStep {
  const { emptied, effects } = emptyQueue(state);
  const other = work.other === null ? null : stopAgent(work.other, effects);
  return stopPrompt(emptied, { ...work, other }, 'session', effects);
}

/** `$/cancel_request` of one prompt; after its insertion it has no effect on v2 (S3.59). */
export function cancelRunningPrompt(
  state: TurnState,
  work: Running,
  { promptId, by }: Input<'cancelPrompt'>,
): TurnStep {
  if (work.promptId !== promptId) return cancelQueued(state, promptId) ?? ignored(state);
  if (work.cancelled !== null || (work.inserted && by === 'request')) return ignored(state);
  const { turnId, stop, adopted, other } = work;
  const goesOn = by === 'request' && adopted ? { turnId, stop } : other;
  return stopPrompt(state, work, by, [withdrawBeside(goesOn)]);
}

/**
 * Stops the prompt's turn. One that the prompt only joined goes on as Codex's own when the prompt alone is cancelled
 * (S3.59); `session/cancel` stops it.
 */
export function stopPrompt(state: TurnState, work: Running, by: CancelledBy, effects: TurnEffect[]): TurnStep {
  const { promptId, turnId, inserted } = work;
  if (by === 'request' && work.adopted) {
    effects.push({ type: 'endPrompt', promptId, outcome: cancelled, inserted, reason: cancelReasons.request, turnId });
    return free(state, { turnId, stop: work.stop }, effects);
  }
  const stop = requestStop(work.stop, work.startedId ?? turnId, effects);
  return step(state, { ...work, cancelled: work.cancelled ?? by, stop }, effects);
}

/** T28, T29, R26. */
export function runningLost(state: TurnState, work: Running, { cause }: Input<'lost'>): TurnStep {
  const failed: WorkOutcome = { type: 'failed', failure: { type: 'lost', cause } };
  const outcome = work.cancelled === null ? failed : cancelled;
  return endRunning(state, { ...work, other: null }, outcome, everythingLost(work.cancelled !== null));
}
