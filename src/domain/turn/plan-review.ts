import { everythingLost, stopAny, withdrawBeside } from './agent-turn.ts';
import { cancelled, cancelReasons, drain, refusedWith } from './ending.ts';
import { cancelQueued, emptyQueue } from './lane.ts';
import { unansweredStart } from './prep.ts';
import { ignored, step } from './steps.ts';
import type { InPhase, Input, PlanReviewing, Starting, TurnEffect, TurnState, TurnStep } from './turn-state.ts';
import type { CancelReason, WorkOutcome } from './work-ending.ts';

/** T22: Codex leaves plan mode first; a cancel until then starts nothing. */
export function planApproved(state: TurnState, work: PlanReviewing): TurnStep {
  if (work.step !== 'asking') return ignored(state);
  const attempt = state.attempts + 1;
  return step({ ...state, attempts: attempt }, { ...work, step: 'switching', attempt }, [
    { type: 'leavePlanMode', attempt },
  ]);
}

/** T22: the second turn of the same workflow, an ordinary one whatever the first was. */
export function modeSwitched(state: TurnState, work: PlanReviewing, { attempt }: Input<'modeSwitched'>): TurnStep {
  if (work.step !== 'switching' || work.attempt !== attempt) return ignored(state);
  const { promptId, report, inserted, agent } = work;
  const starting: Starting = {
    ...unansweredStart,
    promptId,
    kind: 'turn',
    report,
    attempt,
    agent,
    inserted,
    second: true,
    goal: null,
  };
  return step(state, starting, [{ type: 'startPlan', promptId, attempt }]);
}

export function modeNotSwitched(
  state: TurnState,
  work: PlanReviewing,
  { attempt, error }: Input<'modeNotSwitched'>,
): TurnStep {
  if (work.step !== 'switching' || work.attempt !== attempt) return ignored(state);
  return end(state, work, refusedWith(error), null, []);
}

/** T23. */
export function planKept(state: TurnState, work: PlanReviewing): TurnStep {
  return work.step === 'asking' ? end(state, work, { type: 'done' }, null, []) : ignored(state);
}

/** T24. */
export function cancelPlanReview(state: TurnState, work: PlanReviewing): TurnStep {
  const { emptied, effects } = emptyQueue(state);
  const agent = stopAny(work.agent, effects);
  return end(emptied, { ...work, agent }, cancelled, cancelReasons.session, effects);
}

/** On v2 a prompt that was answered can no longer be cancelled by its request (S3.59). */
export function cancelPlanReviewPrompt(
  state: TurnState,
  work: PlanReviewing,
  { promptId, by }: Input<'cancelPrompt'>,
): TurnStep {
  if (work.promptId !== promptId) return cancelQueued(state, promptId) ?? ignored(state);
  if (by === 'request' && work.inserted) return ignored(state);
  return end(state, work, cancelled, cancelReasons.request, [withdrawBeside(work.agent)]);
}

/** R27. */
export function planReviewLost(state: TurnState, work: PlanReviewing, { cause }: Input<'lost'>): TurnStep {
  const failed: WorkOutcome = { type: 'failed', failure: { type: 'lost', cause } };
  return end(state, { ...work, agent: null }, failed, null, everythingLost());
}

function end(
  state: TurnState,
  work: InPhase<'planReview'>,
  outcome: WorkOutcome,
  reason: CancelReason | null,
  effects: TurnEffect[],
): TurnStep {
  const { inserted, turnId, agent } = work;
  return drain(state, work, { outcome, inserted, reason, turnId, agent, quiet: false }, effects);
}
