import type { AgentTurn, TurnEffect, TurnState, TurnStep, Work } from './turn-state.ts';

/** Gives the lane to the next prompt when it is free (T1, T2). */
export function admit(state: TurnState, effects: TurnEffect[]): TurnStep {
  const { work } = state;
  const [promptId, ...queue] = state.queue;
  if (promptId === undefined || (work.phase !== 'idle' && work.phase !== 'agent')) return { state, effects };
  const attempt = state.attempts + 1;
  effects.push({ type: 'prepare', promptId, attempt });
  const agent = work.phase === 'agent' ? work.agent : null;
  return { state: { work: { phase: 'prep', promptId, attempt, agent }, queue, attempts: attempt }, effects };
}

/** The lane is free again: what Codex runs by itself becomes the work, and the next prompt is admitted. */
export function free(state: TurnState, agent: AgentTurn | null, effects: TurnEffect[]): TurnStep {
  if (agent !== null) effects.push({ type: 'began' });
  const work: Work = agent === null ? { phase: 'idle' } : { phase: 'agent', agent };
  return admit({ ...state, work }, effects);
}
