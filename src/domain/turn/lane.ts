import { ignored, step } from './steps.ts';
import type { AgentTurn, InPhase, Input, TurnEffect, TurnState, TurnStep, Work } from './turn-state.ts';

/** A prompt takes its place in the lane and is admitted at once when the lane is free (T1, T2, S3.36). */
export function enqueue(state: TurnState, _work: Work, { type: _, ...place }: Input<'prompt'>): TurnStep {
  return admit({ ...state, queue: [...state.queue, place] }, []);
}

/** Gives the lane to the next prompt when it is free (T1, T2). */
export function admit(state: TurnState, effects: TurnEffect[]): TurnStep {
  const { work } = state;
  const [place, ...queue] = state.queue;
  if (place === undefined || (work.phase !== 'idle' && work.phase !== 'agent')) return { state, effects };
  const attempt = state.attempts + 1;
  const agent = work.phase === 'agent' ? work.agent : null;
  const { active = false, stopNext = false } = work.phase === 'idle' ? work : {};
  effects.push({ type: 'prepare', promptId: place.promptId, attempt });
  return {
    state: {
      work: { phase: 'prep', ...place, attempt, agent, active, stopNext, ready: false },
      queue,
      attempts: attempt,
    },
    effects,
  };
}

/** The lane is free again: what Codex runs by itself becomes the work, and the next prompt is admitted. */
export function free(state: TurnState, agent: AgentTurn | null, effects: TurnEffect[]): TurnStep {
  if (agent !== null) effects.push({ type: 'began' });
  const work: Work = agent === null ? { phase: 'idle' } : { phase: 'agent', agent };
  return admit({ ...state, work }, effects);
}

/** `$/cancel_request` of a prompt that waits in the lane; whoever holds it goes on (S3.59). */
export function cancelQueued(state: TurnState, promptId: string): TurnStep | null {
  if (!state.queue.some((place) => place.promptId === promptId)) return null;
  const queue = state.queue.filter((place) => place.promptId !== promptId);
  const effect: TurnEffect = {
    type: 'endPrompt',
    promptId,
    outcome: { type: 'cancelled' },
    inserted: false,
    reason: 'requestCancelled',
    turnId: null,
  };
  return { state: { ...state, queue }, effects: [effect] };
}

/** `$/cancel_request` while no prompt holds the lane: only one that waits can be meant. */
export function cancelWaiting(state: TurnState, _work: Work, { promptId }: Input<'cancelPrompt'>): TurnStep {
  return cancelQueued(state, promptId) ?? ignored(state);
}

/** What every cancel begins with: waits on the user are withdrawn and the queue is rejected (S3.51, S3.52). */
export function emptyQueue(state: TurnState): { readonly emptied: TurnState; readonly effects: TurnEffect[] } {
  const effects: TurnEffect[] = [{ type: 'withdrawAsks' }];
  for (const { promptId } of state.queue) {
    effects.push({
      type: 'endPrompt',
      promptId,
      outcome: { type: 'cancelled' },
      inserted: false,
      reason: 'sessionCancelled',
      turnId: null,
    });
  }
  return { emptied: { ...state, queue: [] }, effects };
}

/** `session/cancel` while nothing runs still withdraws what waits for the user (S3.58). */
export function cancelIdle(state: TurnState, work: InPhase<'idle'>): TurnStep {
  const { emptied, effects } = emptyQueue(state);
  return step(emptied, work.active === true ? { ...work, stopNext: true } : work, effects);
}
