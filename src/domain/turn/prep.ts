import { everythingLost, stopAgent } from './agent-turn.ts';
import { agentOver, cancelled, cancelReasons, endUnstarted, unstartedWith } from './ending.ts';
import { goalAsked } from './goal-start.ts';
import { cancelQueued, emptyQueue } from './lane.ts';
import { ignored, step } from './steps.ts';
import type { AgentTurn, InPhase, Input, Starting, TurnEffect, TurnState, TurnStep } from './turn-state.ts';

type Prep = InPhase<'prep'>;

/** Codex and the thread are ready (T3, T4). */
export function ready(state: TurnState, work: Prep, { attempt }: Input<'ready'>): TurnStep {
  if (work.attempt !== attempt) return ignored(state);
  if (work.kind === 'local') return beginLocal(state, work);
  return waitsForAgent(work) ? step(state, { ...work, ready: true }) : begin(state, work, []);
}

/** T6. */
export function notReady(state: TurnState, work: Prep, { attempt, error }: Input<'notReady'>): TurnStep {
  return work.attempt === attempt ? endUnstarted(state, work, unstartedWith(error), null) : ignored(state);
}

/**
 * A compaction or a review would interrupt what Codex does by itself (S3.111, S3.117); a start would join a turn that is
 * being stopped, and be stopped with it (S3.54, R8). What Codex works on counts before it has a name.
 */
function waitsForAgent({ kind, agent, active, stopNext }: Prep): boolean {
  const stopping = agent === null ? stopNext : agent.stop !== null;
  return stopping || ((active || agent !== null) && (kind === 'compact' || kind === 'review'));
}

/** T3: the command is shown as a prompt of its own, then it works. */
function beginLocal(state: TurnState, work: Prep): TurnStep {
  const { promptId, kind, report, attempt, agent } = work;
  return step(state, { phase: 'local', promptId, kind, report, attempt, agent }, [
    { type: 'inserted', promptId },
    { type: 'began' },
    { type: 'runLocal', promptId, attempt },
  ]);
}

/** T4. */
function begin(state: TurnState, work: Prep, effects: TurnEffect[]): TurnStep {
  const { promptId, kind, report, attempt, agent } = work;
  effects.push({ type: 'start', promptId, attempt });
  const starting: Starting = {
    ...unansweredStart,
    promptId,
    kind,
    report,
    attempt,
    agent,
    // The thread works: a goal's turn begins after that (S3.119).
    active: agent !== null,
    inserted: false,
    second: false,
    goal: kind === 'goal' ? goalAsked : null,
  };
  return step(state, starting, effects);
}

/** A start request that was just sent. */
export const unansweredStart = {
  phase: 'starting',
  cancelled: null,
  accepted: false,
  active: false,
  started: [],
  completed: new Map<string, never>(),
  stopToo: [],
  cutOff: null,
  compacting: [],
  reviewing: [],
  children: new Map<string, never>(),
} as const;

/** Codex works on something that has no name yet. */
export function activeInPrep(state: TurnState, work: Prep): TurnStep {
  return work.agent === null ? step(state, { ...work, active: true }) : ignored(state);
}

/** It came to rest without a turn. */
export function restsInPrep(state: TurnState, work: Prep): TurnStep {
  if (!work.active) return ignored(state);
  const next: Prep = { ...work, active: false, stopNext: false };
  return work.ready ? begin(state, next, []) : step(state, next);
}

/** Another turn of Codex begins while the prompt waits. */
export function agentBeginsInPrep(state: TurnState, work: Prep, { turnId }: Input<'turnStarted'>): TurnStep {
  const effects: TurnEffect[] = [];
  if (work.agent?.turnId === turnId) return ignored(state);
  if (work.agent !== null) {
    effects.push(...agentOver(work.agent, { status: 'completed', error: null }));
  }
  effects.push({ type: 'began' });
  const begun: AgentTurn = { turnId, stop: null };
  const agent = work.stopNext ? stopAgent(begun, effects) : begun;
  const next: Prep = { ...work, agent, active: false, stopNext: false };
  return next.ready && !waitsForAgent(next) ? begin(state, next, effects) : step(state, next, effects);
}

/** The agent turn is over; work that waited for that begins (S3.111). */
export function agentEndsInPrep(state: TurnState, work: Prep, completion: Input<'turnCompleted'>): TurnStep {
  if (work.agent?.turnId !== completion.turnId) return ignored(state);
  const effects = agentOver(work.agent, completion);
  const next: Prep = { ...work, agent: null };
  return work.ready ? begin(state, next, effects) : step(state, next, effects);
}

/** T5: nothing was sent to Codex. */
export function cancelPrep(state: TurnState, work: Prep): TurnStep {
  const { emptied, effects } = emptyQueue(state);
  const { promptId, active } = work;
  effects.push({
    type: 'endPrompt',
    promptId,
    outcome: cancelled,
    inserted: false,
    reason: cancelReasons.session,
    turnId: null,
  });
  if (work.agent === null) return step(emptied, { phase: 'idle', active, stopNext: active }, effects);
  return step(emptied, { phase: 'agent', agent: stopAgent(work.agent, effects) }, effects);
}

/** T5 for `$/cancel_request`: an agent turn goes on. */
export function cancelPrepPrompt(state: TurnState, work: Prep, { promptId }: Input<'cancelPrompt'>): TurnStep {
  if (work.promptId === promptId) return endUnstarted(state, work, cancelled, cancelReasons.request);
  return cancelQueued(state, promptId) ?? ignored(state);
}

/** A prompt that was ready is made ready again with the next process; of one that was not the call for it fails. */
export function prepLost(state: TurnState, work: Prep, { cause }: Input<'lost'>): TurnStep {
  const effects = everythingLost();
  const { agent } = work;
  if (agent !== null) {
    const failed = { type: 'failed', failure: { type: 'lost', cause } } as const;
    effects.push({ type: 'idle', outcome: agent.stop === null ? failed : cancelled, promptId: null });
  }
  // What was ready is not any more.
  const left: Prep = { ...work, agent: null, active: false, stopNext: false };
  if (!work.ready) return step(state, left, effects);
  const attempt = state.attempts + 1;
  effects.push({ type: 'prepare', promptId: work.promptId, attempt });
  return { state: { ...state, attempts: attempt, work: { ...left, ready: false, attempt } }, effects };
}
