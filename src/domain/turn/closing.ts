import { requestStop, stopAgain, stopConfirmed, stopRefused } from './interrupt.ts';
import type { AgentTurn, TurnEffect, TurnInput, TurnState, TurnStep, Work } from './turn-state.ts';

/** How long a close waits for the end of the running turn, and for Codex to let go of the thread, in milliseconds. */
export const closeLimitMs = 5000;

type Closing = Extract<Work, { phase: 'closing' }>;

const none: readonly TurnEffect[] = [];

export function isClosing(work: Work): work is Closing {
  return work.phase === 'closing';
}

/** Puts the fence up: ends everything that waits and stops what runs (S3.67 steps 1 to 5). */
export function closing(state: TurnState): TurnStep {
  const { work } = state;
  const effects: TurnEffect[] = [{ type: 'withdrawAsks' }];
  const end = (promptId: string, inserted: boolean): void => {
    effects.push({ type: 'endPrompt', promptId, outcome: { type: 'cancelled' }, inserted, reason: 'sessionClosed' });
  };
  for (const promptId of state.queue) end(promptId, false);
  let attempt: number | null = null;
  let turn: AgentTurn | null = null;
  switch (work.phase) {
    case 'agent':
      turn = work.agent;
      break;
    case 'prep':
      turn = work.agent;
      end(work.promptId, false);
      break;
    case 'starting':
      turn = work.agent !== null && !work.completed.has(work.agent.turnId) ? work.agent : null;
      attempt = work.attempt;
      end(work.promptId, work.inserted);
      break;
    case 'running':
      turn = { turnId: work.turnId, stop: work.stop };
      end(work.promptId, work.inserted);
      break;
    case 'idle':
    case 'closing':
    case 'closed':
      break;
  }
  if (turn !== null) turn = { ...turn, stop: requestStop(turn.stop, turn.turnId, effects) };
  const next: Closing = { phase: 'closing', attempt, turn, releasing: false };
  if (turn !== null || attempt !== null) effects.push({ type: 'wait', timer: 'close', ms: closeLimitMs });
  return releaseWhenQuiet({ ...state, queue: [], work: next }, next, effects);
}

/** Lets go of the thread once nothing of it runs any more (S3.67 step 7). */
function releaseWhenQuiet(state: TurnState, work: Closing, effects: TurnEffect[]): TurnStep {
  if (work.releasing || work.turn !== null || work.attempt !== null) return { state: { ...state, work }, effects };
  // A Codex that does not answer must not keep the session open.
  effects.push({ type: 'release' }, { type: 'wait', timer: 'close', ms: closeLimitMs });
  return { state: { ...state, work: { ...work, releasing: true } }, effects };
}

/** Inputs while a session is being closed, and after (T30 to T32). */
export function transitionClosing(state: TurnState, input: TurnInput): TurnStep {
  const { work } = state;
  if (work.phase === 'closed') return afterClose(state, input);
  if (work.phase !== 'closing') return { state, effects: none };
  const effects: TurnEffect[] = [];
  switch (input.type) {
    case 'prompt':
      return { state, effects: [refusePrompt(input.promptId)] };
    case 'accepted': {
      if (work.releasing) return afterClose(state, input);
      if (work.attempt !== input.attempt) return { state, effects };
      const stop = requestStop(null, input.turnId, effects);
      return { state: { ...state, work: { ...work, attempt: null, turn: { turnId: input.turnId, stop } } }, effects };
    }
    case 'refused':
      if (work.attempt !== input.attempt) return { state, effects };
      return releaseWhenQuiet(state, { ...work, attempt: null }, effects);
    case 'turnCompleted':
      if (work.turn?.turnId !== input.turnId) return { state, effects };
      return releaseWhenQuiet(state, { ...work, turn: null }, effects);
    case 'interrupted':
    case 'notInterrupted': {
      const { turn } = work;
      if (turn === null || turn.stop === null || turn.stop.target !== input.turnId) return { state, effects };
      const stop =
        input.type === 'interrupted'
          ? stopConfirmed(turn.stop)
          : stopRefused(turn.stop, input.turnId, input.refusal, effects);
      // Codex will not stop it: the close goes on all the same (S3.70).
      const gaveUp = stop.status === 'exhausted' || (input.type === 'notInterrupted' && stop.status === 'done');
      return releaseWhenQuiet(state, { ...work, turn: gaveUp ? null : { ...turn, stop } }, effects);
    }
    case 'timer': {
      if (input.timer === 'close' && work.releasing) return over(state, effects);
      if (input.timer === 'close') return releaseWhenQuiet(state, { ...work, turn: null, attempt: null }, effects);
      const { turn } = work;
      if (turn === null || turn.stop === null) return { state, effects };
      return {
        state: { ...state, work: { ...work, turn: { ...turn, stop: stopAgain(turn.stop, effects) } } },
        effects,
      };
    }
    case 'lost':
      effects.push({ type: 'stopWaiting', timer: 'interrupt' });
      return over(state, effects);
    case 'released':
      return work.releasing ? over(state, effects) : { state, effects };
    case 'notReleased':
      if (!work.releasing) return { state, effects };
      effects.push(
        { type: 'stopWaiting', timer: 'close' },
        { type: 'turnOver', turnId: null, interrupted: true },
        { type: 'idle', outcome: { type: 'cancelled' }, promptId: null },
        { type: 'closeFailed', error: input.error },
      );
      return { state: { ...state, work: { phase: 'idle' } }, effects };
    case 'activity':
    case 'cancel':
    case 'cancelPrompt':
    case 'close':
    case 'landed':
    case 'notReady':
    case 'ready':
    case 'threadActive':
    case 'turnStarted':
      return { state, effects };
  }
}

function over(state: TurnState, effects: TurnEffect[]): TurnStep {
  effects.push(
    { type: 'stopWaiting', timer: 'close' },
    { type: 'turnOver', turnId: null, interrupted: true },
    { type: 'idle', outcome: { type: 'cancelled' }, promptId: null },
    { type: 'closed' },
  );
  return { state: { ...state, work: { phase: 'closed' } }, effects };
}

/** A start that is answered after the session is gone must not run on unseen (S3.68); a late prompt is refused. */
function afterClose(state: TurnState, input: TurnInput): TurnStep {
  switch (input.type) {
    case 'accepted':
      return { state, effects: [{ type: 'interrupt', turnId: input.turnId }] };
    case 'prompt':
      return { state, effects: [refusePrompt(input.promptId)] };
    default:
      return { state, effects: none };
  }
}

function refusePrompt(promptId: string): TurnEffect {
  return { type: 'endPrompt', promptId, outcome: { type: 'cancelled' }, inserted: false, reason: 'sessionClosing' };
}
