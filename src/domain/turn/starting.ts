import { agentPassed, everythingLost, stopAgent, withdrawBeside } from './agent-turn.ts';
import { compactionFollows, compactionTurn, compactsIn } from './compaction-start.ts';
import { cancelled, endStarting, finish, idleOfAgent, otherTurn, refusedWith, turnOver } from './ending.ts';
import { goalMatched, goalReported, goalTaken, goalTurn, goalTurnLimitMs } from './goal-start.ts';
import { retryInterrupts, stopConfirmed } from './interrupt.ts';
import { cancelQueued, emptyQueue } from './lane.ts';
import { stopPrompt } from './running.ts';
import { ignored, step } from './steps.ts';
import type { AgentTurn, Completion, Input, Running, Starting, TurnEffect, TurnState, TurnStep } from './turn-state.ts';
import type { WorkOutcome } from './work-ending.ts';

/** Codex took the request (T9, T10); it has named the turn, or the turn is known when it begins (S3.110, S3.119). */
export function accepted(state: TurnState, work: Starting, input: Input<'accepted'>): TurnStep {
  if (work.attempt !== input.attempt) return ignored(state);
  const { turnId, goalKey } = input;
  const effects: TurnEffect[] = [];
  const taken = insert({ ...work, accepted: true }, effects);
  if (turnId !== null) return run(state, taken, turnId, effects);
  if (taken.kind === 'compact') {
    const begun = compactionTurn(taken);
    if (begun !== null) return run(state, taken, begun, effects);
    const last = [...taken.completed.values()].at(-1);
    if (last === undefined) return step(state, taken, effects);
    return step(state, { ...taken, cutOff: last }, [...effects, compactionFollows]);
  }
  if (taken.goal === null || goalKey === undefined) return step(state, taken, effects);
  const goal = goalTaken(taken.goal, goalKey);
  const other = goalTurn(goal, taken.started) === null ? otherTurn(taken, null) : null;
  const stopped = other !== null && taken.stopToo.includes(other.turnId);
  const agent = stopped ? stopAgent(other, effects) : taken.agent;
  return awaitGoalTurn(state, { ...taken, goal, agent }, effects);
}

/** A command counts as recorded when Codex took it; a text when its user message was recorded (S3.40). */
function insert(work: Starting, effects: TurnEffect[]): Starting {
  if (work.kind === 'turn' || work.inserted || work.cancelled === 'request') return work;
  effects.push({ type: 'began' }, { type: 'inserted', promptId: work.promptId });
  return { ...work, inserted: true };
}

/** T11, R5. */
export function refused(state: TurnState, work: Starting, { attempt, error }: Input<'refused'>): TurnStep {
  if (work.attempt !== attempt) return ignored(state);
  return endStarting(state, work, work.cancelled === null ? refusedWith(error) : cancelled, []);
}

/** The turn is known: it may have ended already, may be one that was running, or must be stopped. */
function run(state: TurnState, work: Starting, turnId: string, effects: TurnEffect[]): TurnStep {
  const { promptId, kind, report, attempt, inserted, second } = work;
  const adopted = work.agent?.turnId === turnId;
  if (!adopted) idleOfAgent(work, effects);
  effects.push({ type: 'began' });
  if (kind === 'goal') effects.push({ type: 'stopWaiting', timer: 'goal' });
  if (work.cutOff !== null) effects.push({ type: 'stopWaiting', timer: 'compaction' });
  const child = kind === 'review' ? work.children.get(turnId) : undefined;
  const startedId = child ?? (work.started.includes(turnId) ? turnId : null);
  const completion = work.completed.get(turnId);
  const running: Running = {
    phase: 'running',
    promptId,
    kind,
    report,
    attempt,
    turnId,
    startedId,
    registered: adopted || startedId !== null,
    adopted,
    cancelled: work.cancelled,
    inserted,
    second,
    reviewing: work.reviewing.includes(turnId),
    compacting: kind === 'compact' && compactsIn(work, turnId),
    stop: adopted ? (work.agent?.stop ?? null) : null,
    other: adopted ? null : otherTurn(work, startedId ?? turnId),
  };
  const { other } = running;
  const alone = other === null || !work.stopToo.includes(other.turnId);
  const next: Running = alone ? running : { ...running, other: stopAgent(other, effects) };
  if (completion !== undefined) return finish(state, next, completion, effects);
  if (work.cancelled === null) return step(state, next, effects);
  return stopPrompt(state, next, work.cancelled, effects);
}

export function beginsWhileStarting(state: TurnState, work: Starting, input: Input<'turnStarted'>): TurnStep {
  const { turnId, rootId } = input;
  const effects: TurnEffect[] = [];
  // The agent turn is over and another began before the answer: it was not adopted.
  const passed = work.agent !== null && work.agent.turnId !== turnId;
  const next = passed ? withoutAgent(work, work.agent, effects) : work;
  effects.push({ type: 'began' });
  const begun: Starting = {
    ...next,
    started: [...work.started, turnId],
    children: rootId === undefined ? work.children : new Map(work.children).set(rootId, turnId),
  };
  // S3.110: the first turn after the request is the compaction, perhaps before the answer to the request.
  if (work.kind === 'compact' && work.accepted) return run(state, begun, turnId, effects);
  if (begun.goal === null || goalTurn(begun.goal, begun.started) === null) return step(state, begun, effects);
  return run(state, begun, turnId, effects);
}

/** The agent turn is over, even if its completion never came (S12.5). */
function withoutAgent(work: Starting, agent: AgentTurn, effects: TurnEffect[]): Starting {
  if (work.completed.has(agent.turnId)) {
    idleOfAgent(work, effects);
    return { ...work, agent: null };
  }
  effects.push(agentPassed(agent));
  const completed = new Map(work.completed).set(agent.turnId, { status: 'completed', error: null });
  idleOfAgent({ ...work, completed }, effects);
  return { ...work, completed, agent: null };
}

/** Kept until it is known whose it is (S3.77). */
export function endsWhileStarting(state: TurnState, work: Starting, completion: Input<'turnCompleted'>): TurnStep {
  const { turnId, status, error, plan } = completion;
  const kept = { status, error, ...(plan === undefined ? {} : { plan }) };
  const ofAgent = work.agent?.turnId === turnId;
  const stopped = work.cancelled !== null || (ofAgent && work.agent.stop !== null);
  const effects = [turnOver(turnId, kept, stopped)];
  const agent = ofAgent ? withoutRetries(work.agent) : work.agent;
  const completed = new Map(work.completed).set(turnId, kept);
  const next: Starting = { ...work, agent, completed };
  return ofAgent && work.goal !== null ? awaitFirstTurn(state, next, effects) : step(state, next, effects);
}

/** Nobody interrupts a turn that is over (S3.62). */
function withoutRetries(agent: AgentTurn): AgentTurn {
  return agent.stop === null ? agent : { ...agent, stop: stopConfirmed(agent.stop) };
}

/** R15: the review failed before its request was answered. */
export function failsWhileStarting(state: TurnState, work: Starting, input: Input<'turnFailed'>): TurnStep {
  if (work.kind !== 'review' || work.reviewing.includes(input.turnId)) return ignored(state);
  const failed = { status: 'failed', error: input.error } as const;
  return step(state, { ...work, completed: new Map(work.completed).set(input.turnId, failed) });
}

export function reviewsWhileStarting(state: TurnState, work: Starting, { turnId }: Input<'reviewing'>): TurnStep {
  return step(state, { ...work, reviewing: [...work.reviewing, turnId] });
}

/** The goal was reported; the turn after this report is its turn (S3.119). */
export function goalUpdated(state: TurnState, work: Starting, { key }: Input<'goalUpdated'>): TurnStep {
  if (work.goal === null) return ignored(state);
  const goal = goalReported(work.goal, key, work.started.length);
  if (goal === work.goal) return ignored(state);
  const next: Starting = { ...work, goal };
  return next.accepted ? awaitGoalTurn(state, next, []) : step(state, next);
}

function awaitGoalTurn(state: TurnState, work: Starting, effects: TurnEffect[]): TurnStep {
  const turnId = work.goal === null ? null : goalTurn(work.goal, work.started);
  if (turnId !== null) return run(state, work, turnId, effects);
  // A report that never comes is bounded as well (S3.119).
  if (!work.active) effects.push({ type: 'wait', timer: 'goal', ms: goalTurnLimitMs });
  return step(state, work, effects);
}

/** Work is seen; while the thread is active the turn of a goal may take its time (S3.119). */
export function activeWhileStarting(state: TurnState, work: Starting): TurnStep {
  const effects: TurnEffect[] = [{ type: 'began' }];
  if (work.goal !== null) effects.push({ type: 'stopWaiting', timer: 'goal' });
  return step(state, { ...work, active: true }, effects);
}

/** The item of the compaction counts like the start of its turn (S3.110); before the answer it is only kept. */
export function compactsWhileStarting(state: TurnState, work: Starting, { turnId }: Input<'compacting'>): TurnStep {
  if (work.kind !== 'compact' || work.completed.has(turnId)) return ignored(state);
  const next: Starting = { ...work, compacting: [...work.compacting, turnId] };
  return work.accepted ? run(state, next, turnId, []) : step(state, next);
}

/** The thread went active and came to rest without a turn of ours: there will be none (S3.119, S12.5). */
export function idleWhileStarting(state: TurnState, work: Starting): TurnStep {
  const nameless = work.kind === 'goal' || work.kind === 'compact';
  if (!nameless || !work.active) return ignored(state);
  if (!work.accepted) return step(state, { ...work, active: false });
  if (work.goal === null) return endWithoutTurn(state, work);
  if (work.agent === null && goalMatched(work.goal)) return endWithoutTurn(state, work);
  // Only what ran before has ended.
  return awaitFirstTurn(state, work, []);
}

/** What kept the thread busy has ended: the goal's turn has its second from now on. */
function awaitFirstTurn(state: TurnState, work: Starting, effects: TurnEffect[]): TurnStep {
  if (work.accepted) effects.push({ type: 'wait', timer: 'goal', ms: goalTurnLimitMs });
  return step(state, { ...work, active: false }, effects);
}

/** R23: no turn of the goal began in time; or no compaction after a turn that was not it. */
export function startingTimer(state: TurnState, work: Starting, input: Input<'timer'>): TurnStep {
  if (input.timer === 'compaction') return work.cutOff === null ? ignored(state) : endCutOff(state, work, work.cutOff);
  if (input.timer !== 'goal') return retryInterrupts(state, work, input);
  return work.goal !== null && work.accepted ? endWithoutTurn(state, work) : ignored(state);
}

/** It counts after all. */
function endCutOff(state: TurnState, work: Starting, { status }: Completion): TurnStep {
  const done = work.cancelled === null && status === 'completed';
  return endStarting(state, work, done ? { type: 'done' } : cancelled, []);
}

function endWithoutTurn(state: TurnState, work: Starting): TurnStep {
  return endStarting(state, work, work.cancelled === null ? { type: 'done' } : cancelled, []);
}

/** T12: the turn is stopped when its id is known. */
export function cancelStarting(state: TurnState, work: Starting): TurnStep {
  const { emptied, effects } = emptyQueue(state);
  // Nobody interrupts a turn that is over (S3.62).
  const over = work.agent !== null && work.completed.has(work.agent.turnId);
  const runs = work.accepted && work.goal !== null ? otherTurn(work, null) : over ? null : work.agent;
  const agent = runs === null ? work.agent : stopAgent(runs, effects);
  return step(emptied, { ...work, agent, stopToo: work.started, cancelled: work.cancelled ?? 'session' }, effects);
}

/** The same for `$/cancel_request`; after insertion it has no effect on v2 (S3.59). */
export function cancelStartingPrompt(
  state: TurnState,
  work: Starting,
  { promptId, by }: Input<'cancelPrompt'>,
): TurnStep {
  if (work.promptId !== promptId) return cancelQueued(state, promptId) ?? ignored(state);
  if (work.cancelled !== null || (work.inserted && by === 'request')) return ignored(state);
  const next: Starting = { ...work, cancelled: by };
  // Codex has the goal; its turn follows a turn that this cancel leaves running, however long that takes (S3.57).
  const before = work.accepted && work.goal !== null ? otherTurn(work, null) : null;
  if (before !== null) return endStarting(state, next, cancelled, [withdrawBeside(before)]);
  // On v1 a turn that the prompt joins is stopped with it.
  const stopsAgent = by === 'session' && work.kind === 'turn';
  return step(state, next, [withdrawBeside(stopsAgent ? null : work.agent)]);
}

/** S3.40: the user message of the prompt was recorded. */
export function landed<W extends Running | Starting>(
  state: TurnState,
  work: W,
  { promptId }: Input<'landed'>,
): TurnStep {
  // A prompt that was cancelled by its own request shows nothing any more (S3.59, R10).
  if (work.promptId !== promptId || work.inserted || work.cancelled === 'request') return ignored(state);
  return step(state, { ...work, inserted: true }, [{ type: 'began' }, { type: 'inserted', promptId }]);
}

/** R24, R26. */
export function startingLost(state: TurnState, work: Starting, { cause }: Input<'lost'>): TurnStep {
  const failed: WorkOutcome = { type: 'failed', failure: { type: 'lost', cause } };
  const outcome = work.cancelled === null ? failed : cancelled;
  return endStarting(state, { ...work, agent: null, started: [] }, outcome, everythingLost(work.cancelled !== null));
}
