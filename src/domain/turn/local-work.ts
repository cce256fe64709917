import { stopAny, withdrawBeside } from './agent-turn.ts';
import { cancelled, cancelReasons, drain, refusedWith } from './ending.ts';
import { cancelQueued, emptyQueue } from './lane.ts';
import { ignored } from './steps.ts';
import type { InPhase, Input, TurnEffect, TurnState, TurnStep } from './turn-state.ts';
import type { CancelReason, WorkOutcome } from './work-ending.ts';

type Local = InPhase<'local'>;

/** T7. */
export function localDone(state: TurnState, work: Local, { attempt }: Input<'localDone'>): TurnStep {
  return work.attempt === attempt ? end(state, work, { type: 'done' }, null, []) : ignored(state);
}

/** The command failed after it was accepted (S2.115). */
export function localFailed(state: TurnState, work: Local, { attempt, error }: Input<'localFailed'>): TurnStep {
  return work.attempt === attempt ? end(state, work, refusedWith(error), null, []) : ignored(state);
}

/** T8: the command is given up, not left to its end (S3.54). */
export function cancelLocal(state: TurnState, work: Local): TurnStep {
  const { emptied, effects } = emptyQueue(state);
  effects.push({ type: 'abortLocal' });
  const agent = stopAny(work.agent, effects);
  return end(emptied, { ...work, agent }, cancelled, cancelReasons.session, effects);
}

/** On v2 the command was answered when it began: its request can no longer be cancelled (S3.59). */
export function cancelLocalPrompt(state: TurnState, work: Local, input: Input<'cancelPrompt'>): TurnStep {
  if (work.promptId !== input.promptId) return cancelQueued(state, input.promptId) ?? ignored(state);
  if (input.by === 'request') return ignored(state);
  const effects: TurnEffect[] = [withdrawBeside(work.agent), { type: 'abortLocal' }];
  return end(state, work, cancelled, cancelReasons.request, effects);
}

function end(
  state: TurnState,
  work: Local,
  outcome: WorkOutcome,
  reason: CancelReason | null,
  effects: TurnEffect[],
): TurnStep {
  const { agent } = work;
  return drain(state, work, { outcome, inserted: true, reason, turnId: null, agent, quiet: false }, effects);
}
