import { reloadingError } from '../errors/reloading-error.ts';
import { everythingLost, stopAgent, stopAny } from './agent-turn.ts';
import { agentOver, cancelled, refusedWith } from './ending.ts';
import { admit, emptyQueue } from './lane.ts';
import { ignored, step } from './steps.ts';
import type { InPhase, Input, ReloadRefusal, TurnEffect, TurnState, TurnStep, Work } from './turn-state.ts';

/*
 * The thread is loaded again with other instructions (S2.53 to S2.58, R30). What is done for that is decided in
 * `reload-machine.ts`; here it only keeps the lane shut. Turns that Codex begins by itself meanwhile are followed.
 */

type Reloading = InPhase<'reloading'>;

/** Nothing runs and nothing waits: the lane is shut. */
export function reload(state: TurnState, work: InPhase<'idle'>): TurnStep {
  // Codex works on something that has no name yet.
  if (work.active === true) return refuseReload('busy')(state);
  return step(state, { phase: 'reloading', agent: null, active: false, stopNext: false }, [{ type: 'reload' }]);
}

/** R30. */
export function refuseReload(reason: ReloadRefusal): (state: TurnState) => TurnStep {
  return (state) => step(state, state.work, [{ type: 'refuseReload', reason }]);
}

/** S3.22: the prompt gets no place in the lane. */
export function refuseWhileReloading(state: TurnState, _work: Work, { promptId }: Input<'prompt'>): TurnStep {
  const outcome = refusedWith(reloadingError());
  return step(state, state.work, [
    { type: 'endPrompt', promptId, outcome, inserted: false, reason: null, turnId: null },
  ]);
}

/** The lane is open again, for whatever became of the reload (S2.57). */
export function reloaded(state: TurnState, { agent, active, stopNext }: Reloading): TurnStep {
  const work: Work = agent === null ? { phase: 'idle', active, stopNext } : { phase: 'agent', agent };
  return admit({ ...state, work }, []);
}

export function activeWhileReloading(state: TurnState, work: Reloading): TurnStep {
  return step(state, { ...work, active: true });
}

export function restsWhileReloading(state: TurnState, work: Reloading): TurnStep {
  return step(state, { ...work, active: false, stopNext: false });
}

/** A turn of Codex: one that began just before, or the next one of a goal (S2.25). */
export function beginsWhileReloading(state: TurnState, work: Reloading, { turnId }: Input<'turnStarted'>): TurnStep {
  const { agent, stopNext } = work;
  if (agent?.turnId === turnId) return ignored(state);
  const effects: TurnEffect[] = agent === null ? [] : agentOver(agent, { status: 'completed', error: null });
  effects.push({ type: 'began' });
  const begun = { turnId, stop: null };
  const next = stopNext ? stopAgent(begun, effects) : begun;
  return step(state, { ...work, agent: next, active: false, stopNext: false }, effects);
}

export function endsWhileReloading(state: TurnState, work: Reloading, end: Input<'turnCompleted'>): TurnStep {
  if (work.agent?.turnId !== end.turnId) return ignored(state);
  return step(state, { ...work, agent: null }, agentOver(work.agent, end));
}

/** `session/cancel` stops what Codex does by itself; the reload goes on. */
export function cancelReloading(state: TurnState, work: Reloading): TurnStep {
  const { emptied, effects } = emptyQueue(state);
  return step(emptied, { ...work, agent: stopAny(work.agent, effects), stopNext: work.active }, effects);
}

/** The reload ends by itself: all its calls fail (S2.58). */
export function reloadingLost(state: TurnState, work: Reloading, { cause }: Input<'lost'>): TurnStep {
  const { agent } = work;
  const effects = everythingLost(agent !== null && agent.stop !== null);
  if (agent !== null) {
    const failed = { type: 'failed', failure: { type: 'lost', cause } } as const;
    effects.push({ type: 'idle', outcome: agent.stop === null ? failed : cancelled, promptId: null });
  }
  return step(state, { ...work, agent: null, active: false, stopNext: false }, effects);
}
