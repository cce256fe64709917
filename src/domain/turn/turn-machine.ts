import type { CodexLostError } from '../errors/agent-error.ts';
import { cancelPrompt, cancelSession, stopPrompt } from './cancelling.ts';
import { closing, isClosing, transitionClosing } from './closing.ts';
import { agentOver, cancelled, endRunning, endStarting, endUnstarted, finish, otherTurn, outcomeOf } from './ending.ts';
import { stopAgain, stopConfirmed, stopOnActivity, stopRefused } from './interrupt.ts';
import { admit } from './lane.ts';
import type { AgentTurn, Completion, TurnEffect, TurnInput, TurnState, TurnStep, Work } from './turn-state.ts';
import type { WorkOutcome } from './work-ending.ts';

const none: readonly TurnEffect[] = [];

/**
 * The turn machine: `(state, input) -> (state, effects)`, the table of S3 section 14. It is pure; results of effects
 * come back as inputs and are dropped when the attempt that caused them is no longer current.
 */
export function transition(state: TurnState, input: TurnInput): TurnStep {
  if (isClosing(state.work) || state.work.phase === 'closed') return transitionClosing(state, input);
  switch (input.type) {
    case 'prompt':
      return admit({ ...state, queue: [...state.queue, input.promptId] }, []);
    case 'cancel':
      return cancelSession(state);
    case 'cancelPrompt':
      return cancelPrompt(state, input.promptId, input.by);
    case 'close':
      return closing(state);
    case 'ready':
      return ready(state, input.attempt);
    case 'notReady':
      return notReady(state, input.attempt, input.error);
    case 'accepted':
      return accepted(state, input.attempt, input.turnId);
    case 'refused':
      return refused(state, input.attempt, input.error);
    case 'turnStarted':
      return turnStarted(state, input.turnId);
    case 'turnCompleted':
      return turnCompleted(state, input.turnId, { status: input.status, error: input.error });
    case 'activity':
      return activity(state, input.turnId);
    case 'threadActive':
      return state.work.phase === 'starting' ? { state, effects: [{ type: 'began' }] } : { state, effects: none };
    case 'landed':
      return landed(state, input.promptId);
    case 'interrupted':
      return withStop(state, input.turnId, (stop) => stopConfirmed(stop));
    case 'notInterrupted':
      return withStop(state, input.turnId, (stop, effects) => stopRefused(stop, input.turnId, input.refusal, effects));
    case 'timer':
      return input.timer === 'interrupt' ? retryInterrupts(state) : { state, effects: none };
    case 'lost':
      return lost(state, input.cause);
    case 'released':
    case 'notReleased':
      return { state, effects: none };
  }
}

function ready(state: TurnState, attempt: number): TurnStep {
  const { work } = state;
  if (work.phase !== 'prep' || work.attempt !== attempt) return { state, effects: none };
  const { promptId, agent } = work;
  return {
    state: {
      ...state,
      work: {
        phase: 'starting',
        promptId,
        attempt,
        agent,
        cancelled: null,
        inserted: false,
        started: [],
        completed: new Map(),
      },
    },
    effects: [{ type: 'start', promptId, attempt }],
  };
}

function notReady(state: TurnState, attempt: number, error: Error): TurnStep {
  const { work } = state;
  if (work.phase !== 'prep' || work.attempt !== attempt) return { state, effects: none };
  return endUnstarted(state, work, { type: 'failed', failure: { type: 'refused', error } }, null);
}

/** Codex named the turn (T9, T10): it may have ended already, may be one that was running, or must be stopped. */
function accepted(state: TurnState, attempt: number, turnId: string): TurnStep {
  const { work } = state;
  if (work.phase !== 'starting' || work.attempt !== attempt) return { state, effects: none };
  const effects: TurnEffect[] = [];
  const adopted = work.agent?.turnId === turnId;
  if (!adopted) {
    const agentCompletion = work.agent === null ? undefined : work.completed.get(work.agent.turnId);
    if (agentCompletion !== undefined) {
      effects.push({ type: 'idle', outcome: outcomeOf(work.agent?.turnId ?? '', agentCompletion), promptId: null });
    }
  }
  effects.push({ type: 'began' });
  const other = adopted ? null : otherTurn(work, turnId);
  const base: Extract<Work, { phase: 'running' }> = {
    phase: 'running',
    promptId: work.promptId,
    turnId,
    adopted,
    cancelled: work.cancelled,
    inserted: work.inserted,
    stop: adopted ? (work.agent?.stop ?? null) : null,
    other,
  };
  const completion = work.completed.get(turnId);
  if (completion !== undefined) return finish(state, base, completion, effects);
  if (work.cancelled === null) return { state: { ...state, work: base }, effects };
  return stopPrompt(state, base, work.cancelled, effects);
}

function refused(state: TurnState, attempt: number, error: Error): TurnStep {
  const { work } = state;
  if (work.phase !== 'starting' || work.attempt !== attempt) return { state, effects: none };
  const outcome: WorkOutcome =
    work.cancelled === null ? { type: 'failed', failure: { type: 'refused', error } } : cancelled;
  return endStarting(state, work, outcome, []);
}

function turnStarted(state: TurnState, turnId: string): TurnStep {
  const { work } = state;
  switch (work.phase) {
    case 'idle':
      return {
        state: { ...state, work: { phase: 'agent', agent: { turnId, stop: null } } },
        effects: [{ type: 'began' }],
      };
    case 'agent': {
      if (work.agent.turnId === turnId) return activity(state, turnId);
      // A later turn is a witness that the earlier one is over (S12.5).
      const effects: TurnEffect[] = [
        { type: 'turnOver', turnId: work.agent.turnId, interrupted: false },
        { type: 'idle', outcome: { type: 'done' }, promptId: null },
        { type: 'began' },
      ];
      return { state: { ...state, work: { phase: 'agent', agent: { turnId, stop: null } } }, effects };
    }
    case 'prep':
      return {
        state: { ...state, work: { ...work, agent: { turnId, stop: null } } },
        effects: [{ type: 'began' }],
      };
    case 'starting': {
      const effects: TurnEffect[] = [];
      const agentCompletion = work.agent === null ? undefined : work.completed.get(work.agent.turnId);
      let next = work;
      if (work.agent !== null && agentCompletion !== undefined && work.agent.turnId !== turnId) {
        // The agent turn ended and another began before the answer: it was not adopted.
        effects.push({ type: 'idle', outcome: outcomeOf(work.agent.turnId, agentCompletion), promptId: null });
        next = { ...work, agent: null };
      }
      effects.push({ type: 'began' });
      return { state: { ...state, work: { ...next, started: [...work.started, turnId] } }, effects };
    }
    case 'running':
      if (work.turnId === turnId) return activity(state, turnId);
      return { state: { ...state, work: { ...work, other: { turnId, stop: null } } }, effects: none };
    case 'closing':
    case 'closed':
      return { state, effects: none };
  }
}

function turnCompleted(state: TurnState, turnId: string, completion: Completion): TurnStep {
  const { work } = state;
  switch (work.phase) {
    case 'agent': {
      if (work.agent.turnId !== turnId) return { state, effects: none };
      const effects = agentOver(work.agent, completion);
      return admit({ ...state, work: { phase: 'idle' } }, effects);
    }
    case 'prep': {
      if (work.agent?.turnId !== turnId) return { state, effects: none };
      return { state: { ...state, work: { ...work, agent: null } }, effects: agentOver(work.agent, completion) };
    }
    case 'starting': {
      const completed = new Map(work.completed).set(turnId, completion);
      return {
        state: { ...state, work: { ...work, completed } },
        effects: [{ type: 'turnOver', turnId, interrupted: completion.status === 'interrupted' }],
      };
    }
    case 'running': {
      if (work.turnId === turnId) return finish(state, work, completion, []);
      const over: TurnEffect = { type: 'turnOver', turnId, interrupted: completion.status === 'interrupted' };
      const next = work.other?.turnId === turnId ? { ...work, other: null } : work;
      return { state: { ...state, work: next }, effects: [over] };
    }
    case 'idle':
    case 'closing':
    case 'closed':
      return { state, effects: none };
  }
}

function landed(state: TurnState, promptId: string): TurnStep {
  const { work } = state;
  if ((work.phase !== 'starting' && work.phase !== 'running') || work.promptId !== promptId) {
    return { state, effects: none };
  }
  // A prompt that was cancelled by its own request shows nothing any more (S3.59, R10).
  if (work.inserted || work.cancelled === 'request') return { state, effects: none };
  return {
    state: { ...state, work: { ...work, inserted: true } },
    effects: [{ type: 'began' }, { type: 'inserted', promptId }],
  };
}

/** A sign of life of a turn: retries an interrupt that had given up (S3.65). */
function activity(state: TurnState, turnId: string): TurnStep {
  const { work } = state;
  if (work.phase === 'running' && work.turnId === turnId && work.stop?.status === 'exhausted') {
    const effects: TurnEffect[] = [];
    return { state: { ...state, work: { ...work, stop: stopOnActivity(work.stop, turnId, effects) } }, effects };
  }
  if (work.phase === 'agent' && work.agent.turnId === turnId && work.agent.stop?.status === 'exhausted') {
    const effects: TurnEffect[] = [];
    const agent = { turnId, stop: stopOnActivity(work.agent.stop, turnId, effects) };
    return { state: { ...state, work: { phase: 'agent', agent } }, effects };
  }
  return { state, effects: none };
}

type StopChange = (stop: NonNullable<AgentTurn['stop']>, effects: TurnEffect[]) => NonNullable<AgentTurn['stop']>;

/** Applies a result to the interruption that it belongs to; a result for a turn that is over changes nothing (S3.62). */
function withStop(state: TurnState, turnId: string, change: StopChange): TurnStep {
  return eachStop(state, (stop, effects) => (stop.target === turnId ? change(stop, effects) : stop));
}

function retryInterrupts(state: TurnState): TurnStep {
  return eachStop(state, stopAgain);
}

function eachStop(state: TurnState, change: StopChange): TurnStep {
  const { work } = state;
  const effects: TurnEffect[] = [];
  const changeAgent = (agent: AgentTurn): AgentTurn =>
    agent.stop === null ? agent : { ...agent, stop: change(agent.stop, effects) };
  switch (work.phase) {
    case 'agent':
      return { state: { ...state, work: { phase: 'agent', agent: changeAgent(work.agent) } }, effects };
    case 'prep':
    case 'starting': {
      if (work.agent === null) return { state, effects };
      return { state: { ...state, work: { ...work, agent: changeAgent(work.agent) } }, effects };
    }
    case 'running': {
      const stop = work.stop === null ? null : change(work.stop, effects);
      const other = work.other === null ? null : changeAgent(work.other);
      return { state: { ...state, work: { ...work, stop, other } }, effects };
    }
    case 'idle':
    case 'closing':
    case 'closed':
      return { state, effects };
  }
}

/** The app-server died (T28, T29): what ran ends now; what waits goes on with a new process. */
function lost(state: TurnState, cause: CodexLostError): TurnStep {
  const { work } = state;
  const failed: WorkOutcome = { type: 'failed', failure: { type: 'lost', cause } };
  const effects: TurnEffect[] = [
    { type: 'stopWaiting', timer: 'interrupt' },
    { type: 'withdrawAsks' },
    { type: 'turnOver', turnId: null, interrupted: true },
  ];
  switch (work.phase) {
    case 'idle':
      return { state, effects };
    case 'agent':
      effects.push({ type: 'idle', outcome: work.agent.stop === null ? failed : cancelled, promptId: null });
      return admit({ ...state, work: { phase: 'idle' } }, effects);
    case 'prep':
      if (work.agent !== null) effects.push({ type: 'idle', outcome: failed, promptId: null });
      return { state: { ...state, work: { ...work, agent: null } }, effects };
    case 'starting':
      return endStarting(
        state,
        { ...work, agent: null, started: [] },
        work.cancelled === null ? failed : cancelled,
        effects,
      );
    case 'running':
      return endRunning(state, { ...work, other: null }, work.cancelled === null ? failed : cancelled, effects);
    case 'closing':
    case 'closed':
      return { state, effects: none };
  }
}
