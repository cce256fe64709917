import { cancelled, cancelReasons, endUnstarted } from './ending.ts';
import { requestStop } from './interrupt.ts';
import { free } from './lane.ts';
import type { AgentTurn, CancelledBy, TurnEffect, TurnState, TurnStep, Work } from './turn-state.ts';

const none: readonly TurnEffect[] = [];

/** `session/cancel`: withdraws, empties the queue, stops whatever runs (S3.51). */
export function cancelSession(state: TurnState): TurnStep {
  const { work } = state;
  const effects: TurnEffect[] = [{ type: 'withdrawAsks' }];
  for (const promptId of state.queue) {
    effects.push({ type: 'endPrompt', promptId, outcome: cancelled, inserted: false, reason: cancelReasons.session });
  }
  const emptied: TurnState = { ...state, queue: [] };
  switch (work.phase) {
    case 'agent': {
      const agent = stopAgent(work.agent, effects);
      return { state: { ...emptied, work: { phase: 'agent', agent } }, effects };
    }
    case 'prep': {
      const { promptId } = work;
      effects.push({ type: 'endPrompt', promptId, outcome: cancelled, inserted: false, reason: cancelReasons.session });
      const next: Work =
        work.agent === null ? { phase: 'idle' } : { phase: 'agent', agent: stopAgent(work.agent, effects) };
      return { state: { ...emptied, work: next }, effects };
    }
    case 'starting': {
      const agent = work.agent === null ? null : stopAgent(work.agent, effects);
      return { state: { ...emptied, work: { ...work, agent, cancelled: 'session' } }, effects };
    }
    case 'running': {
      const other = work.other === null ? null : stopAgent(work.other, effects);
      return stopPrompt(emptied, { ...work, other }, 'session', effects);
    }
    case 'idle':
    case 'closing':
    case 'closed':
      return { state: emptied, effects };
  }
}

/** `$/cancel_request` of one prompt; after its insertion it has no effect on v2 (S3.59). */
export function cancelPrompt(state: TurnState, promptId: string, by: CancelledBy): TurnStep {
  const { work } = state;
  if (state.queue.includes(promptId)) {
    const queue = state.queue.filter((id) => id !== promptId);
    return {
      state: { ...state, queue },
      effects: [{ type: 'endPrompt', promptId, outcome: cancelled, inserted: false, reason: cancelReasons.request }],
    };
  }
  if (work.phase === 'prep' && work.promptId === promptId) {
    return endUnstarted(state, work, cancelled, cancelReasons.request);
  }
  if ((work.phase !== 'starting' && work.phase !== 'running') || work.promptId !== promptId || work.inserted) {
    return { state, effects: none };
  }
  if (work.cancelled !== null) return { state, effects: none };
  const effects: TurnEffect[] = [{ type: 'withdrawAsks' }];
  if (work.phase === 'starting') return { state: { ...state, work: { ...work, cancelled: by } }, effects };
  return stopPrompt(state, work, by, effects);
}

/**
 * Stops the prompt's turn. One that the prompt only joined goes on as Codex's own when the prompt alone is cancelled
 * (S3.59); `session/cancel` stops it.
 */
export function stopPrompt(
  state: TurnState,
  work: Extract<Work, { phase: 'running' }>,
  by: CancelledBy,
  effects: TurnEffect[],
): TurnStep {
  if (by === 'request' && work.adopted) {
    const { promptId } = work;
    const reason = cancelReasons.request;
    effects.push({ type: 'endPrompt', promptId, outcome: cancelled, inserted: work.inserted, reason });
    return free(state, { turnId: work.turnId, stop: work.stop }, effects);
  }
  const stop = requestStop(work.stop, work.turnId, effects);
  return { state: { ...state, work: { ...work, cancelled: work.cancelled ?? by, stop } }, effects };
}

export function stopAgent(agent: AgentTurn, effects: TurnEffect[]): AgentTurn {
  return { ...agent, stop: requestStop(agent.stop, agent.turnId, effects) };
}
