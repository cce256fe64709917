import {
  activeWhileIdle,
  agentActive,
  agentBegins,
  agentEnds,
  agentLost,
  besideActive,
  besideBegins,
  besideEnds,
  cancelAgent,
  everythingLost,
  nextAgentBegins,
  restsWhileIdle,
} from './agent-turn.ts';
import {
  acceptedWhileClosing,
  beginsWhileClosing,
  closedLost,
  closing,
  closingLost,
  closingTimer,
  endsWhileClosing,
  interruptEndedWhileClosing,
  lateStart,
  notInterruptedAfterClose,
  notReleased,
  refusedWhileClosing,
  refusePrompt,
  released,
  reloadedLate,
  reloadedWhileClosing,
} from './closing.ts';
import { cancelDraining, cancelDrainingPrompt, drainingLost } from './draining.ts';
import { reported } from './ending.ts';
import { insist, interrupted, notInterrupted, retryInterrupts } from './interrupt.ts';
import { cancelIdle, cancelWaiting, enqueue } from './lane.ts';
import { cancelLocal, cancelLocalPrompt, localDone, localFailed } from './local-work.ts';
import {
  cancelPlanReview,
  cancelPlanReviewPrompt,
  modeNotSwitched,
  modeSwitched,
  planApproved,
  planKept,
  planReviewLost,
} from './plan-review.ts';
import {
  activeInPrep,
  agentBeginsInPrep,
  agentEndsInPrep,
  cancelPrep,
  cancelPrepPrompt,
  notReady,
  prepLost,
  ready,
  restsInPrep,
} from './prep.ts';
import {
  activeWhileReloading,
  beginsWhileReloading,
  cancelReloading,
  endsWhileReloading,
  refuseReload,
  refuseWhileReloading,
  reload,
  reloaded,
  reloadingLost,
  restsWhileReloading,
} from './reloading.ts';
import {
  active,
  beginsWhileRunning,
  cancelRunning,
  cancelRunningPrompt,
  compactsWhileRunning,
  endsWhileRunning,
  failsWhileRunning,
  reviewsWhileRunning,
  runningLost,
} from './running.ts';
import {
  accepted,
  activeWhileStarting,
  beginsWhileStarting,
  cancelStarting,
  cancelStartingPrompt,
  compactsWhileStarting,
  endsWhileStarting,
  failsWhileStarting,
  goalUpdated,
  idleWhileStarting,
  landed,
  refused,
  reviewsWhileStarting,
  startingLost,
  startingTimer,
} from './starting.ts';
import { ignored, step } from './steps.ts';
import type { InPhase, Input, TurnInput, TurnState, TurnStep, Work } from './turn-state.ts';

type Transition<Phase extends Work['phase'], Type extends TurnInput['type']> = (
  state: TurnState,
  work: InPhase<Phase>,
  input: Input<Type>,
) => TurnStep;

type Transitions = {
  readonly [Phase in Work['phase']]: { readonly [Type in TurnInput['type']]?: Transition<Phase, Type> };
};

/** A row whose phase is not known. */
type Row = { readonly [Type in TurnInput['type']]?: (state: TurnState, work: never, input: never) => TurnStep };

/** What happens in every phase that runs a turn or may run one. */
const interrupts = {
  interrupted,
  notInterrupted,
  insist, // S12.6
  timer: retryInterrupts,
} as const;

/** R30: something runs, or is about to. */
const busy = { reload: refuseReload('busy') } as const;

/** A turn of Codex beside work that runs none itself (T33). */
const beside = { turnStarted: besideBegins, turnCompleted: besideEnds, activity: besideActive } as const;

/**
 * The table of S3 section 14: from a phase, with an input, to the next phase and its effects. What a row does not name
 * means nothing there and is ignored: a result of something that is over, or an event of a turn that nobody waits for.
 */
const transitions: Transitions = {
  idle: {
    prompt: enqueue, // T1
    turnStarted: agentBegins, // T25
    threadActive: activeWhileIdle,
    threadIdle: restsWhileIdle,
    cancel: cancelIdle,
    reload, // R30
    close: closing, // T30
    lost: (state) => step(state, { phase: 'idle' }, everythingLost()),
  },
  agent: {
    ...interrupts,
    ...busy,
    prompt: enqueue, // T2
    turnStarted: nextAgentBegins,
    turnCompleted: agentEnds, // T26
    activity: agentActive,
    cancel: cancelAgent, // T27
    cancelPrompt: cancelWaiting,
    close: closing, // T30
    lost: agentLost, // T28, T29
  },
  prep: {
    ...interrupts,
    ...busy,
    prompt: enqueue,
    ready, // T3, T4
    notReady, // T6
    turnStarted: agentBeginsInPrep,
    turnCompleted: agentEndsInPrep,
    threadActive: activeInPrep,
    threadIdle: restsInPrep,
    activity: besideActive,
    cancel: cancelPrep, // T5
    cancelPrompt: cancelPrepPrompt, // T5
    close: closing, // T30
    lost: prepLost,
  },
  local: {
    ...interrupts,
    ...busy,
    ...beside,
    prompt: enqueue,
    localDone, // T7
    localFailed,
    cancel: cancelLocal, // T8
    cancelPrompt: cancelLocalPrompt, // T8
    close: closing, // T30
    lost: (state, work) => step(state, { ...work, agent: null }, everythingLost()),
  },
  starting: {
    ...interrupts,
    ...busy,
    timer: startingTimer,
    prompt: enqueue,
    accepted, // T9, T10, T15
    refused, // T11
    turnStarted: beginsWhileStarting,
    turnCompleted: endsWhileStarting, // T15
    turnFailed: failsWhileStarting,
    reviewing: reviewsWhileStarting,
    goalUpdated,
    activity: besideActive,
    compacting: compactsWhileStarting,
    threadActive: activeWhileStarting,
    threadIdle: idleWhileStarting,
    landed,
    cancel: cancelStarting, // T12
    cancelPrompt: cancelStartingPrompt, // T12
    close: closing, // T30
    lost: startingLost, // T28, T29
  },
  running: {
    ...interrupts,
    ...busy,
    prompt: enqueue,
    turnStarted: beginsWhileRunning, // T13
    turnCompleted: endsWhileRunning, // T15, T19, T20, T21
    turnFailed: failsWhileRunning,
    reviewing: reviewsWhileRunning,
    compacting: compactsWhileRunning,
    activity: active, // T13
    landed,
    cancel: cancelRunning, // T14, T18
    cancelPrompt: cancelRunningPrompt, // T14, T18
    close: closing, // T30
    lost: runningLost, // T28, T29
  },
  planReview: {
    ...interrupts,
    ...busy,
    ...beside, // T33
    prompt: enqueue,
    planApproved, // T22
    modeSwitched, // T22
    modeNotSwitched,
    planKept, // T23
    cancel: cancelPlanReview, // T24
    cancelPrompt: cancelPlanReviewPrompt, // T24
    close: closing, // T30
    lost: planReviewLost, // T28, T29
  },
  draining: {
    ...interrupts,
    ...busy,
    ...beside, // T33
    prompt: enqueue,
    reported, // T21
    cancel: cancelDraining,
    cancelPrompt: cancelDrainingPrompt,
    close: closing, // T30
    lost: drainingLost,
  },
  reloading: {
    ...interrupts,
    prompt: refuseWhileReloading, // S3.22
    reload: refuseReload('reloading'), // S2.57
    reloaded,
    turnStarted: beginsWhileReloading,
    turnCompleted: endsWhileReloading,
    activity: besideActive,
    threadActive: activeWhileReloading,
    threadIdle: restsWhileReloading,
    cancel: cancelReloading,
    close: closing, // T30
    lost: reloadingLost,
  },
  closing: {
    prompt: refusePrompt,
    reload: refuseReload('closing'), // S2.26
    reloaded: reloadedWhileClosing,
    accepted: acceptedWhileClosing,
    refused: refusedWhileClosing,
    turnStarted: beginsWhileClosing,
    turnCompleted: endsWhileClosing,
    interrupted: interruptEndedWhileClosing,
    notInterrupted: interruptEndedWhileClosing,
    timer: closingTimer,
    released, // T31
    notReleased, // T32
    lost: closingLost, // T31
  },
  closed: {
    ...interrupts,
    notInterrupted: notInterruptedAfterClose,
    prompt: refusePrompt,
    reload: refuseReload('closing'),
    reloaded: reloadedLate,
    accepted: lateStart,
    lost: closedLost,
  },
};

/** True when a phase does something with this kind of input; the others mean nothing there. */
export function takes(phase: Work['phase'], type: TurnInput['type']): boolean {
  const row: Row = transitions[phase];
  return row[type] !== undefined;
}

/**
 * The turn machine: `(state, input) -> (state, effects)`. It is pure; results of effects come back as inputs and are
 * dropped when the attempt that caused them is no longer current.
 */
export function transition(state: TurnState, input: TurnInput): TurnStep {
  const row: Row = transitions[state.work.phase];
  const transit = row[input.type];
  // The table pairs each phase and input with a function of just these two; TypeScript cannot follow that through.
  return transit === undefined ? ignored(state) : transit(state, state.work as never, input as never);
}
