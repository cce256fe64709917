import { CodexLostError } from '../errors/agent-error.ts';
import { requestStop } from './interrupt.ts';
import { admit, free } from './lane.ts';
import { step } from './steps.ts';
import type {
  AgentTurn,
  Completion,
  Draining,
  Holder,
  InPhase,
  Input,
  ReportCall,
  Running,
  Starting,
  TurnEffect,
  TurnState,
  TurnStep,
} from './turn-state.ts';
import type { CancelReason, WorkOutcome } from './work-ending.ts';

/** Whoever asked for the cancel gives a prompt that never ran its reason (S3.52, S3.59). */
export const cancelReasons = { session: 'sessionCancelled', request: 'requestCancelled' } as const;

/** The outcome of work that was stopped. */
export const cancelled: WorkOutcome = { type: 'cancelled' };

/** The outcome of work that was refused or could not be done. */
export function refusedWith(error: Error): WorkOutcome {
  return { type: 'failed', failure: { type: 'refused', error } };
}

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

/** Closes what a turn left open; one that was told to stop is cancelled, whatever Codex says of it (S3.55). */
export function turnOver(turnId: string, { status, error }: Completion, stopped: boolean): TurnEffect {
  const ended = status === 'inProgress' ? 'completed' : status;
  const end = stopped && ended !== 'interrupted' ? 'cancelled' : ended;
  return { type: 'turnOver', turnId, end: { status: end, error: error?.message ?? null } };
}

/** A turn that runs beside the prompt's own: an agent turn from before, or one that began meanwhile (R2, T33). */
export function otherTurn(work: Starting, turnId: string | null): AgentTurn | null {
  if (work.agent !== null && !work.completed.has(work.agent.turnId)) return work.agent;
  const began = work.started.find((id) => id !== turnId && !work.completed.has(id));
  return began === undefined ? null : { turnId: began, stop: null };
}

/** End of a turn without prompt: it gets an `idle` of its own (T26). */
export function agentOver(agent: AgentTurn, completion: Completion): TurnEffect[] {
  return [
    turnOver(agent.turnId, completion, agent.stop !== null),
    { type: 'idle', outcome: agent.stop === null ? outcomeOf(agent.turnId, completion) : cancelled, promptId: null },
  ];
}

/** End of the prompt's turn: a cancel that was seen before wins over any status (T15, T19 to T21, S3.55). */
export function finish(state: TurnState, work: Running, completion: Completion, effects: TurnEffect[]): TurnStep {
  effects.push(turnOver(work.turnId, completion, work.cancelled !== null));
  if (work.cancelled === null && completion.status === 'completed' && completion.plan === true && !work.second) {
    return reviewPlan(state, work, effects);
  }
  const outcome = work.cancelled === null ? outcomeOf(work.turnId, completion) : cancelled;
  return endRunning(state, work, outcome, effects);
}

/** T20: the user is asked about the plan before the work is over. */
function reviewPlan(state: TurnState, work: Running, effects: TurnEffect[]): TurnStep {
  const { promptId, kind, report, attempt, turnId, inserted, other } = work;
  stopRetrying(work, effects);
  effects.push({ type: 'reviewPlan', promptId, turnId });
  const next = { phase: 'planReview', promptId, kind, report, attempt, turnId, inserted, step: 'asking', agent: other };
  return step(state, next as InPhase<'planReview'>, effects);
}

/** Ends the prompt of a running turn (S3.37, S3.96). */
export function endRunning(state: TurnState, work: Running, outcome: WorkOutcome, effects: TurnEffect[]): TurnStep {
  const { inserted, turnId, other } = work;
  const reason = work.cancelled === null ? null : cancelReasons[work.cancelled];
  stopRetrying(work, effects);
  return drain(state, work, { outcome, inserted, reason, turnId, agent: other, quiet: false }, effects);
}

/** A turn beside ours that is to be told again needs the timer, too. */
export function stopRetrying(work: Running, effects: TurnEffect[]): void {
  if (work.stop?.status === 'waiting' && work.other?.stop?.status !== 'waiting')
    effects.push({ type: 'stopWaiting', timer: 'interrupt' });
}

/** An agent turn that ended meanwhile was not joined; inside a workflow its end is not told (S3.96). */
export function idleOfAgent(work: Starting, effects: TurnEffect[]): void {
  const { agent } = work;
  const completion = agent === null ? undefined : work.completed.get(agent.turnId);
  if (agent === null || completion === undefined || work.inserted) return;
  const outcome = agent.stop === null ? outcomeOf(agent.turnId, completion) : cancelled;
  effects.push({ type: 'idle', outcome, promptId: null });
}

/** Ends a prompt whose start request came to nothing (T11, R5, R23, R24). */
export function endStarting(state: TurnState, work: Starting, outcome: WorkOutcome, effects: TurnEffect[]): TurnStep {
  const { inserted } = work;
  const reason = work.cancelled === null ? null : cancelReasons[work.cancelled];
  if (work.goal !== null) effects.push({ type: 'stopWaiting', timer: 'goal' });
  if (work.cutOff !== null) effects.push({ type: 'stopWaiting', timer: 'compaction' });
  idleOfAgent(work, effects);
  const other = otherTurn(work, null);
  const agent =
    other !== null && work.stopToo.includes(other.turnId)
      ? { ...other, stop: requestStop(other.stop, other.turnId, effects) }
      : other;
  // A prompt that was refused beside a running agent turn leaves that turn's state alone.
  const quiet = agent !== null && !inserted;
  return drain(state, work, { outcome, inserted, reason, turnId: null, agent, quiet }, effects);
}

/** The outcome of work that could not begin; a Codex that died with it is told as such (S3.43, S8.63). */
export function unstartedWith(error: Error): WorkOutcome {
  if (!(error instanceof CodexLostError)) return refusedWith(error);
  return { type: 'failed', failure: { type: 'lost', cause: error } };
}

/** Ends a prompt that started nothing; an agent turn that runs beside it is left alone (T5, T6). */
export function endUnstarted(
  state: TurnState,
  work: InPhase<'prep'>,
  outcome: WorkOutcome,
  reason: CancelReason | null,
): TurnStep {
  const { promptId, agent, active, stopNext } = work;
  const effects: TurnEffect[] = [{ type: 'endPrompt', promptId, outcome, inserted: false, reason, turnId: null }];
  if (agent !== null) return free(state, agent, effects);
  // Only of a Codex that died something is to be told.
  if (outcome.type === 'failed' && outcome.failure.type === 'lost') effects.push({ type: 'idle', outcome, promptId });
  return admit({ ...state, work: { phase: 'idle', active, stopNext } }, effects);
}

interface Ending {
  readonly outcome: WorkOutcome;
  readonly inserted: boolean;
  readonly reason: CancelReason | null;
  /** The last turn of the workflow; `null` when none ran. */
  readonly turnId: string | null;
  readonly agent: AgentTurn | null;
  readonly quiet: boolean;
}

/** T21: the answer waits for the report of changed files, if the client wants one (S3.78, S3.197). */
export function drain(state: TurnState, holder: Holder, ending: Ending, effects: TurnEffect[]): TurnStep {
  const { promptId, kind, report, attempt } = holder;
  const work: Draining = { phase: 'draining', promptId, kind, report, attempt, ...ending };
  if (!report) return endDrained(state, work, effects);
  effects.push({ type: 'report', promptId, attempt, turnId: ending.turnId, end: reportEnd(ending.outcome) });
  return step(state, work, effects);
}

function reportEnd(outcome: WorkOutcome): ReportCall['end'] {
  switch (outcome.type) {
    case 'done':
      return 'normal';
    case 'cancelled':
      return 'cancelled';
    case 'failed':
      return 'failed';
  }
}

/** The prompt's answer first, then the state, then whoever is next (S3.37, S3.38, S3.96). */
export function endDrained(state: TurnState, work: Draining, effects: TurnEffect[]): TurnStep {
  const { promptId, outcome, inserted, reason, turnId, agent } = work;
  effects.push({ type: 'endPrompt', promptId, outcome, inserted, reason, turnId });
  // The turn beside a quiet end may be over by now: then nobody else ends what is visible.
  if (!work.quiet || agent === null) effects.push({ type: 'idle', outcome, promptId });
  return free(state, agent, effects);
}

/** The report of changed files was shown. */
export function reported(state: TurnState, work: Draining, { attempt }: Input<'reported'>): TurnStep {
  return work.attempt === attempt ? endDrained(state, work, []) : step(state, work);
}
