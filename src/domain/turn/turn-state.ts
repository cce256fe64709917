import type { CodexLostError } from '../errors/agent-error.ts';
import type { TurnError, TurnStatus } from '../thread/thread-event.ts';
import type { CancelReason, WorkOutcome } from './work-ending.ts';

/**
 * Interruption of one turn, with the retries of S3.61: Codex refuses to interrupt a turn that it has not registered
 * yet. `exhausted` means that the retries are used up; the next sign of the turn tries once more (S3.65).
 */
export interface Stop {
  readonly target: string;
  readonly tries: number;
  readonly status: 'done' | 'exhausted' | 'sent' | 'waiting';
}

/** A turn that Codex started by itself (S3 terms: agent turn). */
export interface AgentTurn {
  readonly turnId: string;
  readonly stop: Stop | null;
}

/** Who asked to stop the prompt: `session/cancel`, or `$/cancel_request` of this prompt alone (S3.50, S3.59). */
export type CancelledBy = 'request' | 'session';

/** How a turn ended, kept while nobody knows yet whose it is (S3.77). */
export interface Completion {
  readonly status: TurnStatus;
  readonly error: TurnError | null;
}

/**
 * The foreground work of a session: the states of S3 section 14. `Draining` is not here, because events are handled
 * one after another: when a completion is handled, everything before it was shown. `Registering` is `running` before
 * the first sign of the turn.
 */
export type Work =
  | { readonly phase: 'idle' }
  /** Only an agent turn runs; the lane is free. */
  | { readonly phase: 'agent'; readonly agent: AgentTurn }
  /** A prompt holds the lane and waits for Codex and its thread. */
  | { readonly phase: 'prep'; readonly promptId: string; readonly attempt: number; readonly agent: AgentTurn | null }
  /** The start request is on its way. */
  | {
      readonly phase: 'starting';
      readonly promptId: string;
      readonly attempt: number;
      readonly agent: AgentTurn | null;
      readonly cancelled: CancelledBy | null;
      readonly inserted: boolean;
      /** Turns that began since the request was sent; one of them may be ours. */
      readonly started: readonly string[];
      /** Completions that came before the answer (S3.77). */
      readonly completed: ReadonlyMap<string, Completion>;
    }
  | {
      readonly phase: 'running';
      readonly promptId: string;
      readonly turnId: string;
      /** The prompt joined a turn that was already running (S3.47). */
      readonly adopted: boolean;
      readonly cancelled: CancelledBy | null;
      readonly inserted: boolean;
      readonly stop: Stop | null;
      /** A turn of Codex that began beside ours; it becomes the work when ours ends (T33). */
      readonly other: AgentTurn | null;
    }
  /** The session is being closed: frames of its turn are dropped (S3.67 to S3.69). */
  | {
      readonly phase: 'closing';
      /** A start whose answer is still out; its turn is interrupted when the id arrives (S3.68). */
      readonly attempt: number | null;
      readonly turn: AgentTurn | null;
      readonly releasing: boolean;
    }
  | { readonly phase: 'closed' };

export interface TurnState {
  readonly work: Work;
  /** Prompts that wait for the lane, in arrival order (S3.36). */
  readonly queue: readonly string[];
  /** Numbers the starts; a result of an older one is dropped. */
  readonly attempts: number;
}

export const idleTurnState: TurnState = { work: { phase: 'idle' }, queue: [], attempts: 0 };

/** Why an interrupt was refused (S3.2). */
export type InterruptRefusal =
  | { readonly type: 'unregistered' }
  | { readonly type: 'mismatch'; readonly expected: string; readonly found: string }
  | { readonly type: 'other' };

export type TurnTimer = 'close' | 'interrupt' | 'watch';

export type TurnInput =
  | { readonly type: 'prompt'; readonly promptId: string }
  | { readonly type: 'cancel' }
  /** `by: 'session'` also stops a turn that the prompt only joined (v1), `'request'` leaves it running (v2, S3.59). */
  | { readonly type: 'cancelPrompt'; readonly promptId: string; readonly by: CancelledBy }
  | { readonly type: 'close' }
  /** The thread can take a turn, or cannot (S3.39). */
  | { readonly type: 'ready'; readonly attempt: number }
  | { readonly type: 'notReady'; readonly attempt: number; readonly error: Error }
  | { readonly type: 'accepted'; readonly attempt: number; readonly turnId: string }
  | { readonly type: 'refused'; readonly attempt: number; readonly error: Error }
  | { readonly type: 'turnStarted'; readonly turnId: string }
  | {
      readonly type: 'turnCompleted';
      readonly turnId: string;
      readonly status: TurnStatus;
      readonly error: TurnError | null;
    }
  /** An item event of a turn. */
  | { readonly type: 'activity'; readonly turnId: string }
  /** The thread became active with nothing waiting (S3.42). */
  | { readonly type: 'threadActive' }
  /** Codex recorded the user message of a prompt (S3.40). */
  | { readonly type: 'landed'; readonly promptId: string }
  | { readonly type: 'interrupted'; readonly turnId: string }
  | { readonly type: 'notInterrupted'; readonly turnId: string; readonly refusal: InterruptRefusal }
  | { readonly type: 'timer'; readonly timer: TurnTimer }
  | { readonly type: 'lost'; readonly cause: CodexLostError }
  | { readonly type: 'released' }
  | { readonly type: 'notReleased'; readonly error: Error };

export type TurnEffect =
  /** Make Codex and the thread ready, then report `ready` or `notReady`. */
  | { readonly type: 'prepare'; readonly promptId: string; readonly attempt: number }
  | { readonly type: 'start'; readonly promptId: string; readonly attempt: number }
  | { readonly type: 'interrupt'; readonly turnId: string }
  | { readonly type: 'wait'; readonly timer: TurnTimer; readonly ms: number }
  | { readonly type: 'stopWaiting'; readonly timer: TurnTimer }
  /** Withdraw every open ask of the session and answer Codex with the refusing value (S5.21). */
  | { readonly type: 'withdrawAsks' }
  /** Work became visible: v2 `running` (S3.42). */
  | { readonly type: 'began' }
  | { readonly type: 'inserted'; readonly promptId: string }
  /** The turn is over: close what it left open (S5.55b). */
  | { readonly type: 'turnOver'; readonly turnId: string | null; readonly interrupted: boolean }
  | {
      readonly type: 'endPrompt';
      readonly promptId: string;
      readonly outcome: WorkOutcome;
      readonly inserted: boolean;
      readonly reason: CancelReason | null;
    }
  /** The work is over; v2 `idle` when it was visible (S3.96). `promptId` is null for an agent turn. */
  | { readonly type: 'idle'; readonly outcome: WorkOutcome; readonly promptId: string | null }
  /** Stop background terminals and unsubscribe the thread (S3.67 step 7). */
  | { readonly type: 'release' }
  | { readonly type: 'closed' }
  | { readonly type: 'closeFailed'; readonly error: Error };

/** The next state of a session's turn work, and what has to be done for it, in order. */
export interface TurnStep {
  readonly state: TurnState;
  readonly effects: readonly TurnEffect[];
}

/** An interrupt has given up and waits for a sign of the turn (S3.65); lets the hot path skip the machine otherwise. */
export function awaitsActivity(work: Work): boolean {
  if (work.phase === 'running') return work.stop?.status === 'exhausted';
  return work.phase === 'agent' && work.agent.stop?.status === 'exhausted';
}

/**
 * The turn that runs now, whoever started it, and whether it was told to stop. `turnId: null` is a turn whose start was
 * cancelled before Codex named it.
 */
export function runningTurn(work: Work): { readonly turnId: string | null; readonly stopping: boolean } | null {
  switch (work.phase) {
    case 'running':
      return { turnId: work.turnId, stopping: work.stop !== null };
    case 'agent':
      return { turnId: work.agent.turnId, stopping: work.agent.stop !== null };
    case 'starting':
      return work.cancelled === null ? null : { turnId: null, stopping: true };
    case 'closed':
    case 'closing':
    case 'idle':
    case 'prep':
      return null;
  }
}
