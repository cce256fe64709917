import { agentOver, cancelled, turnOver } from './ending.ts';
import { requestStop, stopOnActivity } from './interrupt.ts';
import { admit, emptyQueue } from './lane.ts';
import { ignored, step } from './steps.ts';
import type { AgentTurn, InPhase, Input, Starting, TurnEffect, TurnState, TurnStep } from './turn-state.ts';

/*
 * Turns that Codex starts by itself. They do not take the lane; work that holds it keeps the one that runs beside it.
 */

/** Work that an agent turn can run beside. */
type Beside = InPhase<'draining' | 'local' | 'planReview' | 'prep' | 'reloading'>;

/** T25. */
export function agentBegins(state: TurnState, work: InPhase<'idle'>, { turnId }: Input<'turnStarted'>): TurnStep {
  const effects: TurnEffect[] = [{ type: 'began' }];
  const agent: AgentTurn = { turnId, stop: null };
  return step(state, { phase: 'agent', agent: work.stopNext === true ? stopAgent(agent, effects) : agent }, effects);
}

/** Codex works on something that has no name yet. */
export function activeWhileIdle(state: TurnState, work: InPhase<'idle'>): TurnStep {
  return step(state, { ...work, active: true });
}

/** It came to rest without a turn. */
export function restsWhileIdle(state: TurnState): TurnStep {
  return step(state, { phase: 'idle' });
}

/** Another turn began: the one before is over, whatever became of its completion (S12.5). */
export function nextAgentBegins(state: TurnState, work: InPhase<'agent'>, { turnId }: Input<'turnStarted'>): TurnStep {
  if (work.agent.turnId === turnId) return agentActive(state, work, { type: 'activity', turnId });
  return step(state, { phase: 'agent', agent: { turnId, stop: null } }, [
    agentPassed(work.agent),
    { type: 'idle', outcome: work.agent.stop === null ? { type: 'done' } : cancelled, promptId: null },
    { type: 'began' },
  ]);
}

/** T26. */
export function agentEnds(state: TurnState, work: InPhase<'agent'>, completion: Input<'turnCompleted'>): TurnStep {
  if (work.agent.turnId !== completion.turnId) return ignored(state);
  return admit({ ...state, work: { phase: 'idle' } }, agentOver(work.agent, completion));
}

/** T27. */
export function cancelAgent(state: TurnState, work: InPhase<'agent'>): TurnStep {
  const { emptied, effects } = emptyQueue(state);
  const agent = stopAgent(work.agent, effects);
  return step(emptied, { phase: 'agent', agent }, effects);
}

/** T28 for an agent turn. */
export function agentLost(state: TurnState, work: InPhase<'agent'>, { cause }: Input<'lost'>): TurnStep {
  const outcome =
    work.agent.stop === null ? ({ type: 'failed', failure: { type: 'lost', cause } } as const) : cancelled;
  const effects = [...everythingLost(work.agent.stop !== null), { type: 'idle', outcome, promptId: null } as const];
  return admit({ ...state, work: { phase: 'idle' } }, effects);
}

/** A sign of life: retries an interrupt that had given up (S3.65). */
export function agentActive(state: TurnState, work: InPhase<'agent'>, { turnId }: Input<'activity'>): TurnStep {
  const effects: TurnEffect[] = [];
  return step(state, { ...work, agent: agentSeen(work.agent, turnId, effects) }, effects);
}

/** The same beside work. */
export function besideActive(state: TurnState, work: Beside | Starting, { turnId }: Input<'activity'>): TurnStep {
  const effects: TurnEffect[] = [];
  return step(state, { ...work, agent: agentSeen(work.agent, turnId, effects) }, effects);
}

/** An agent turn after a sign of the turn `turnId`. */
export function agentSeen<Turn extends AgentTurn | null>(agent: Turn, turnId: string, effects: TurnEffect[]): Turn {
  if (agent === null || agent.turnId !== turnId || agent.stop === null) return agent;
  return { ...agent, stop: stopOnActivity(agent.stop, turnId, effects) };
}

/** A turn of Codex begins beside work that runs none itself: its content is shown, its state waits (T33). */
export function besideBegins(state: TurnState, work: Beside, { turnId }: Input<'turnStarted'>): TurnStep {
  if (work.agent?.turnId === turnId) return ignored(state);
  const effects = work.agent === null ? [] : [agentPassed(work.agent)];
  return step(state, { ...work, agent: { turnId, stop: null } }, effects);
}

/** A later turn began: the agent turn before it is over, whatever became of its completion (S12.5). */
export function agentPassed(agent: AgentTurn): TurnEffect {
  return turnOver(agent.turnId, { status: 'completed', error: null }, agent.stop !== null);
}

/** Such a turn ends; the foreground belongs to the work (S3.96). */
export function besideEnds(state: TurnState, work: Beside, completion: Input<'turnCompleted'>): TurnStep {
  const { turnId } = completion;
  const over = turnOver(turnId, completion, work.agent?.turnId === turnId && work.agent.stop !== null);
  return step(state, work.agent?.turnId === turnId ? { ...work, agent: null } : work, [over]);
}

/** Tells an agent turn to stop. */
export function stopAgent(agent: AgentTurn, effects: TurnEffect[]): AgentTurn {
  return { ...agent, stop: requestStop(agent.stop, agent.turnId, effects) };
}

/** The same for one that may not be there. */
export function stopAny(agent: AgentTurn | null, effects: TurnEffect[]): AgentTurn | null {
  return agent === null ? null : stopAgent(agent, effects);
}

/** What the cancel of one prompt begins with: a turn that goes on beside it keeps its asks (S3.58, S3.59). */
export function withdrawBeside(agent: AgentTurn | null): TurnEffect {
  if (agent === null || agent.stop !== null) return { type: 'withdrawAsks' };
  return { type: 'withdrawAsks', spare: agent.turnId };
}

/** What every loss of the app-server begins with (T28); `stopped`: what ran was being cancelled (R26). */
export function everythingLost(stopped = false): TurnEffect[] {
  return [
    { type: 'stopWaiting', timer: 'interrupt' },
    { type: 'withdrawAsks' },
    { type: 'turnOver', turnId: null, end: { status: stopped ? 'cancelled' : 'lost', error: null } },
  ];
}
