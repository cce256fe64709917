import { admit, free } from './lane.ts';
import type { AgentTurn, Completion, TurnEffect, TurnState, TurnStep, Work } from './turn-state.ts';
import type { CancelReason, WorkOutcome } from './work-ending.ts';

/** Whoever asked for the cancel gives a prompt that never ran its reason (S3.52, S3.59). */
export const cancelReasons = { session: 'sessionCancelled', request: 'requestCancelled' } as const;

/** The outcome of work that was stopped. */
export const cancelled: WorkOutcome = { type: 'cancelled' };

/** What a completion means for the work, when nobody stopped it (S3.98). */
export function outcomeOf(turnId: string, completion: Completion): WorkOutcome {
  switch (completion.status) {
    case 'completed':
    case 'inProgress':
      return { type: 'done' };
    case 'interrupted':
      return cancelled;
    case 'failed':
      return { type: 'failed', failure: { type: 'turn', turnId, error: completion.error } };
  }
}

/** A turn that runs beside the prompt's own: an agent turn from before, or one that began meanwhile (R2, T33). */
export function otherTurn(work: Extract<Work, { phase: 'starting' }>, turnId: string): AgentTurn | null {
  if (work.agent !== null && !work.completed.has(work.agent.turnId)) return work.agent;
  const began = work.started.find((id) => id !== turnId && !work.completed.has(id));
  return began === undefined ? null : { turnId: began, stop: null };
}

/** End of a turn without prompt: it gets an `idle` of its own (T26). */
export function agentOver(agent: AgentTurn, completion: Completion): TurnEffect[] {
  return [
    { type: 'turnOver', turnId: agent.turnId, interrupted: completion.status === 'interrupted' },
    { type: 'idle', outcome: agent.stop === null ? outcomeOf(agent.turnId, completion) : cancelled, promptId: null },
  ];
}

/** End of the prompt's turn: a cancel that was seen before wins over any status (S3.55). */
export function finish(
  state: TurnState,
  work: Extract<Work, { phase: 'running' }>,
  completion: Completion,
  effects: TurnEffect[],
): TurnStep {
  const outcome = work.cancelled === null ? outcomeOf(work.turnId, completion) : cancelled;
  effects.push({ type: 'turnOver', turnId: work.turnId, interrupted: completion.status === 'interrupted' });
  return endRunning(state, work, outcome, effects);
}

/** Ends the prompt of a running turn: its answer first, then the state, then whoever is next (S3.37, S3.96). */
export function endRunning(
  state: TurnState,
  work: Extract<Work, { phase: 'running' }>,
  outcome: WorkOutcome,
  effects: TurnEffect[],
): TurnStep {
  const { promptId, inserted } = work;
  const reason = work.cancelled === null ? null : cancelReasons[work.cancelled];
  if (work.stop?.status === 'waiting') effects.push({ type: 'stopWaiting', timer: 'interrupt' });
  effects.push({ type: 'endPrompt', promptId, outcome, inserted, reason }, { type: 'idle', outcome, promptId });
  return free(state, work.other, effects);
}

/** Ends a prompt whose start request came to nothing (T11, R5, R24). */
export function endStarting(
  state: TurnState,
  work: Extract<Work, { phase: 'starting' }>,
  outcome: WorkOutcome,
  effects: TurnEffect[],
): TurnStep {
  const reason = work.cancelled === null ? null : cancelReasons[work.cancelled];
  effects.push({ type: 'endPrompt', promptId: work.promptId, outcome, inserted: work.inserted, reason });
  const agent = otherTurn(work, '');
  if (agent === null) effects.push({ type: 'idle', outcome, promptId: work.promptId });
  return free(state, agent, effects);
}

/** Ends a prompt that started nothing; an agent turn that runs beside it is left alone (T5, T6). */
export function endUnstarted(
  state: TurnState,
  work: Extract<Work, { phase: 'prep' }>,
  outcome: WorkOutcome,
  reason: CancelReason | null,
): TurnStep {
  const effects: TurnEffect[] = [{ type: 'endPrompt', promptId: work.promptId, outcome, inserted: false, reason }];
  const next: Work = work.agent === null ? { phase: 'idle' } : { phase: 'agent', agent: work.agent };
  return admit({ ...state, work: next }, effects);
}
