import { cancelled, otherTurn } from './ending.ts';
import { goalTurnLimitMs } from './goal-start.ts';
import { notInterrupted, requestStop, stopAgain, stopConfirmed, stopRefused } from './interrupt.ts';
import { free } from './lane.ts';
import { ignored, step } from './steps.ts';
import type { AgentTurn, InPhase, Input, TurnEffect, TurnState, TurnStep, Work } from './turn-state.ts';

/** How long a close waits for the end of the running turn, and for Codex to let go of the thread, in milliseconds. */
export const closeLimitMs = 5000;

type Closing = InPhase<'closing'>;

/** T30. Puts the fence up: ends everything that waits and stops what runs (S3.67 steps 1 to 5). */
export function closing(state: TurnState, work: Exclude<Work, { phase: 'closed' | 'closing' }>): TurnStep {
  const effects: TurnEffect[] = [{ type: 'withdrawAsks' }];
  for (const { promptId } of state.queue) effects.push(endPrompt(promptId, false));
  endHolder(work, effects);
  const { attempt, turn } = leftRunning(work, effects);
  const nameless = work.phase === 'starting' && work.accepted;
  const reloading = work.phase === 'reloading';
  if (reloading) effects.push({ type: 'abandonReload' });
  const next: Closing = {
    phase: 'closing',
    promptId: visiblePrompt(work),
    attempt,
    nameless,
    reloading,
    turn,
    gaveUp: false,
    releasing: false,
  };
  if (turn !== null || attempt !== null || reloading) effects.push({ type: 'wait', timer: 'close', ms: closeLimitMs });
  return releaseWhenQuiet({ ...state, queue: [] }, next, effects);
}

/** The prompt whose end the last `idle` tells, with what it used (S3.97); one that waits still has shown nothing. */
function visiblePrompt(work: Exclude<Work, { phase: 'closed' | 'closing' }>): string | null {
  switch (work.phase) {
    case 'agent':
    case 'idle':
    case 'prep':
    case 'reloading':
      return null;
    case 'draining':
    case 'local':
    case 'planReview':
    case 'running':
    case 'starting':
      return work.promptId;
  }
}

/** Ends the prompt that holds the lane without waiting for its turn (S3.67 step 5, R13). */
function endHolder(work: Exclude<Work, { phase: 'closed' | 'closing' }>, effects: TurnEffect[]): void {
  switch (work.phase) {
    case 'agent':
    case 'idle':
    case 'reloading':
      return;
    case 'prep':
      effects.push(endPrompt(work.promptId, false));
      return;
    case 'draining':
      report(work, null, effects);
      effects.push({
        type: 'endPrompt',
        promptId: work.promptId,
        outcome: work.outcome,
        inserted: work.inserted,
        reason: work.reason,
        turnId: work.turnId,
      });
      return;
    case 'local':
      effects.push({ type: 'abortLocal' });
      report(work, null, effects);
      effects.push(endPrompt(work.promptId, true));
      return;
    case 'starting':
      if (work.goal !== null) effects.push({ type: 'stopWaiting', timer: 'goal' });
      if (work.cutOff !== null) effects.push({ type: 'stopWaiting', timer: 'compaction' });
      report(work, null, effects);
      effects.push(endPrompt(work.promptId, work.inserted));
      return;
    case 'planReview':
    case 'running':
      report(work, work.turnId, effects);
      effects.push(endPrompt(work.promptId, work.inserted));
      return;
  }
}

function report(
  { report: wanted, promptId, attempt }: InPhase<'draining' | 'local' | 'planReview' | 'running' | 'starting'>,
  turnId: string | null,
  effects: TurnEffect[],
): void {
  if (wanted) effects.push({ type: 'report', promptId, attempt, turnId, end: 'cancelled' });
}

function endPrompt(promptId: string, inserted: boolean): TurnEffect {
  return { type: 'endPrompt', promptId, outcome: cancelled, inserted, reason: 'sessionClosed', turnId: null };
}

/** The turn that Codex still runs, told to stop, and the start that it has not answered yet (S3.68). */
function leftRunning(
  work: Exclude<Work, { phase: 'closed' | 'closing' }>,
  effects: TurnEffect[],
): Pick<Closing, 'attempt' | 'turn'> {
  const stopped = (turn: AgentTurn | null, target = turn?.turnId): AgentTurn | null =>
    turn === null || target === undefined ? null : { ...turn, stop: requestStop(turn.stop, target, effects) };
  switch (work.phase) {
    case 'idle':
      return { attempt: null, turn: null };
    case 'starting': {
      // Also one that began beside the start.
      return { attempt: work.attempt, turn: stopped(otherTurn(work, null)) };
    }
    case 'running': {
      const { turnId, stop, startedId, other } = work;
      // One that began after ours is the one that runs, whatever became of the completion of ours (S12.5).
      if (startedId !== null && other !== null) return { attempt: null, turn: stopped(other) };
      return { attempt: null, turn: stopped({ turnId, stop }, startedId ?? turnId) };
    }
    case 'agent':
    case 'draining':
    case 'local':
    case 'planReview':
    case 'prep':
    case 'reloading':
      return { attempt: null, turn: stopped(work.agent) };
  }
}

/** Lets go of the thread once nothing of it runs any more (S3.67 step 7). */
function releaseWhenQuiet(state: TurnState, work: Closing, effects: TurnEffect[]): TurnStep {
  const runs = work.turn !== null && !work.gaveUp;
  if (work.releasing || runs || work.attempt !== null || work.reloading) return step(state, work, effects);
  // A Codex that does not answer must not keep the session open.
  effects.push({ type: 'release' }, { type: 'wait', timer: 'close', ms: closeLimitMs });
  return step(state, { ...work, releasing: true }, effects);
}

/** R11: the turn of a start that was on its way is stale; one without a name is awaited for a moment. */
export function acceptedWhileClosing(state: TurnState, work: Closing, input: Input<'accepted'>): TurnStep {
  if (!work.releasing && work.attempt !== input.attempt) return ignored(state);
  const { turnId } = input;
  if (turnId === null) {
    if (work.releasing) return ignored(state);
    return step(state, { ...work, nameless: true }, [{ type: 'wait', timer: 'close', ms: goalTurnLimitMs }]);
  }
  const effects: TurnEffect[] = [];
  // The prompt may have joined a turn that was told to stop before (S3.60).
  const told = work.turn?.turnId === turnId ? work.turn.stop : null;
  const stop = requestStop(told, turnId, effects);
  return step(state, { ...work, attempt: null, gaveUp: false, turn: { turnId, stop } }, effects);
}

export function refusedWhileClosing(state: TurnState, work: Closing, { attempt }: Input<'refused'>): TurnStep {
  return work.attempt === attempt ? releaseWhenQuiet(state, { ...work, attempt: null }, []) : ignored(state);
}

/** Whatever begins now would run on unseen: it is stale from its start (S3.68, S3.12). */
export function beginsWhileClosing(state: TurnState, work: Closing, begun: Input<'turnStarted'>): TurnStep {
  const { turnId, rootId } = begun;
  // The turn that is awaited, or its child that the next interrupt names already.
  if (work.turn !== null && (work.turn.turnId === turnId || work.turn.stop?.target === turnId)) return ignored(state);
  const effects: TurnEffect[] = [];
  const stop = requestStop(null, turnId, effects);
  // The child of a review, which its interrupt has to name.
  if (work.turn !== null && work.turn.turnId === rootId) {
    return step(state, { ...work, gaveUp: false, turn: { ...work.turn, stop } }, effects);
  }
  // One that follows the turn that is awaited.
  if (work.turn !== null) return step(state, work, effects);
  const attempt = work.nameless ? null : work.attempt;
  return step(state, { ...work, attempt, gaveUp: false, turn: { turnId, stop } }, effects);
}

export function endsWhileClosing(state: TurnState, work: Closing, { turnId }: Input<'turnCompleted'>): TurnStep {
  return work.turn?.turnId === turnId ? releaseWhenQuiet(state, { ...work, turn: null }, []) : ignored(state);
}

/** An interrupt was answered; a Codex that will not stop the turn does not hold up the close (S3.70). */
export function interruptEndedWhileClosing(
  state: TurnState,
  work: Closing,
  input: Input<'interrupted' | 'notInterrupted'>,
): TurnStep {
  const { turn } = work;
  if (turn === null || turn.stop === null || turn.stop.target !== input.turnId) return ignored(state);
  const effects: TurnEffect[] = [];
  const stop =
    input.type === 'interrupted'
      ? stopConfirmed(turn.stop)
      : stopRefused(turn.stop, turn.turnId, input.refusal, effects);
  const gaveUp = stop.status === 'exhausted' || (input.type === 'notInterrupted' && stop.status === 'done');
  return releaseWhenQuiet(state, { ...work, gaveUp, turn: { ...turn, stop } }, effects);
}

export function closingTimer(state: TurnState, work: Closing, { timer }: Input<'timer'>): TurnStep {
  const effects: TurnEffect[] = [];
  const { turn } = work;
  switch (timer) {
    case 'close':
      if (work.releasing) return over(state, work);
      return releaseWhenQuiet(state, { ...work, gaveUp: true, attempt: null, reloading: false }, effects);
    case 'interrupt':
      if (turn === null || turn.stop === null) return ignored(state);
      return step(state, { ...work, turn: { ...turn, stop: stopAgain(turn.stop, null, effects) } }, effects);
    case 'compaction':
    case 'goal':
    case 'watch':
      return ignored(state);
  }
}

/** Nobody else works with the thread any more: it can be let go of (S2.26). */
export function reloadedWhileClosing(state: TurnState, work: Closing): TurnStep {
  if (work.reloading) return releaseWhenQuiet(state, { ...work, reloading: false }, []);
  return step(state, work, [{ type: 'release' }]);
}

/** Codex loaded the thread too late for the close: it is let go of now. */
export function reloadedLate(state: TurnState, work: InPhase<'closed'>): TurnStep {
  return step(state, work, [{ type: 'release' }]);
}

/** A dead app-server has nothing to release (S3.70). */
export function closingLost(state: TurnState, work: Closing): TurnStep {
  return over(state, { ...work, turn: null });
}

/** T31. */
export function released(state: TurnState, work: Closing): TurnStep {
  return work.releasing ? over(state, work) : ignored(state);
}

/** T32: the session stays open (S3.71), with the turn that Codex still runs. */
export function notReleased(state: TurnState, work: Closing, { error }: Input<'notReleased'>): TurnStep {
  if (!work.releasing) return ignored(state);
  return free(state, work.turn, [
    { type: 'stopWaiting', timer: 'close' },
    { type: 'turnOver', turnId: null, end: { status: 'cancelled', error: null } },
    { type: 'idle', outcome: cancelled, promptId: work.promptId },
    { type: 'closeFailed', error },
  ]);
}

function over(state: TurnState, { turn, promptId }: Closing): TurnStep {
  const effects: TurnEffect[] = [];
  if (turn?.stop?.status !== 'waiting') effects.push({ type: 'stopWaiting', timer: 'interrupt' });
  effects.push(
    { type: 'stopWaiting', timer: 'close' },
    { type: 'turnOver', turnId: null, end: { status: 'cancelled', error: null } },
    { type: 'idle', outcome: cancelled, promptId },
    { type: 'closed' },
  );
  return step(state, { phase: 'closed', agent: turn }, effects);
}

/**
 * A start that is answered after the session is gone must not run on unseen (S3.68): Codex may not have registered its
 * turn yet, so it is told as often as any other.
 */
export function lateStart(state: TurnState, _work: Work, { turnId }: Input<'accepted'>): TurnStep {
  if (turnId === null) return ignored(state);
  const effects: TurnEffect[] = [];
  const stop = requestStop(null, turnId, effects);
  return step(state, { phase: 'closed', agent: { turnId, stop } }, effects);
}

/**
 * Codex did not stop the turn. When it runs another one by now, that is not ours: the thread may be open again (S3.62,
 * S3.73).
 */
export function notInterruptedAfterClose(
  state: TurnState,
  work: InPhase<'closed'>,
  input: Input<'notInterrupted'>,
): TurnStep {
  if (input.refusal.type === 'mismatch') return step(state, { ...work, agent: null });
  return notInterrupted(state, work, input);
}

/** With the app-server went whatever was still to be stopped (S3.64). */
export function closedLost(state: TurnState): TurnStep {
  return step(state, { phase: 'closed', agent: null }, [{ type: 'stopWaiting', timer: 'interrupt' }]);
}

/** S3.67 step 1: a closing session takes no prompts. */
export function refusePrompt(state: TurnState, _work: Work, { promptId }: Input<'prompt'>): TurnStep {
  return step(state, state.work, [
    { type: 'endPrompt', promptId, outcome: cancelled, inserted: false, reason: 'sessionClosing', turnId: null },
  ]);
}
