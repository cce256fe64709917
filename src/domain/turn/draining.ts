import { everythingLost, stopAny } from './agent-turn.ts';
import { cancelQueued, emptyQueue } from './lane.ts';
import { ignored, step } from './steps.ts';
import type { Draining, Input, TurnState, TurnStep } from './turn-state.ts';

/** Too late for the work, whose end was processed; what waits and what Codex runs beside it is stopped (S3.54 table). */
export function cancelDraining(state: TurnState, work: Draining): TurnStep {
  const { emptied, effects } = emptyQueue(state);
  return step(emptied, { ...work, agent: stopAny(work.agent, effects) }, effects);
}

export function cancelDrainingPrompt(state: TurnState, _work: Draining, input: Input<'cancelPrompt'>): TurnStep {
  return cancelQueued(state, input.promptId) ?? ignored(state);
}

/** R25: the work had ended before. */
export function drainingLost(state: TurnState, work: Draining): TurnStep {
  return step(state, { ...work, agent: null }, everythingLost());
}
