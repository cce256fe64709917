import type { CodexLostError } from '../errors/agent-error.ts';
import type { TurnError, TurnStatus } from '../thread/thread-event.ts';
import type { GoalStart } from './goal-start.ts';
import type { TurnEnd } from './turn-end.ts';
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
  /** The turn proposed a plan that the user has to decide about (S3.128). */
  readonly plan?: boolean;
}

/** What a prompt does once it has the lane (S3.31). Only `turn` takes the prompt's text to Codex as it is. */
export type WorkKind = 'compact' | 'goal' | 'local' | 'review' | 'turn';

/** A prompt with a place in the lane. */
export interface Place {
  readonly promptId: string;
  readonly kind: WorkKind;
  /** The client wants a report of changed files before the end (S3.197). */
  readonly report: boolean;
}

/** The prompt that holds the lane; `attempt` numbers its starts, and a result of an older one is dropped. */
export interface Holder extends Place {
  readonly attempt: number;
}

/** A prompt whose start request is on its way, or was answered without naming a turn. */
export interface Starting extends Holder {
  readonly phase: 'starting';
  readonly agent: AgentTurn | null;
  readonly cancelled: CancelledBy | null;
  readonly inserted: boolean;
  /** The turn carries out an approved plan: the second of its workflow (S3.130). */
  readonly second: boolean;
  /** Codex took the request; the turn of a compaction or a goal has no id before it starts. */
  readonly accepted: boolean;
  /** The thread became active since the request was taken. */
  readonly active: boolean;
  /** Only of a goal. */
  readonly goal: GoalStart | null;
  /** Turns that began since the request was sent; one of them may be ours. */
  readonly started: readonly string[];
  /** Turns that had begun when the session was cancelled: those that turn out not to be ours are stopped too (S3.57). */
  readonly stopToo: readonly string[];
  /** Completions that came before the answer (S3.77). */
  readonly completed: ReadonlyMap<string, Completion>;
  /** How a turn ended that was not the compaction, which follows soon (S3.110). */
  readonly cutOff: Completion | null;
  /** Turns in which a compaction has begun. */
  readonly compacting: readonly string[];
  /** Turns whose reviewer has begun (S3.115). */
  readonly reviewing: readonly string[];
  /** The last turn that each turn led to: C of a review, by P (S3.114). */
  readonly children: ReadonlyMap<string, string>;
}

/** A prompt whose turn is known. */
export interface Running extends Holder {
  readonly phase: 'running';
  /** The id that items and completion carry: P of a review (S3.114). */
  readonly turnId: string;
  /** The id of the last `turn/started`, which an interrupt needs: C of a review. `null` before (S3 `Registering`). */
  readonly startedId: string | null;
  /** Codex showed a sign of the turn: it can be steered and interrupted. */
  readonly registered: boolean;
  /** The prompt joined a turn that was already running (S3.47). */
  readonly adopted: boolean;
  readonly cancelled: CancelledBy | null;
  readonly inserted: boolean;
  readonly second: boolean;
  /** The reviewer has begun (S3.115). */
  readonly reviewing: boolean;
  /** The compaction has begun: this is its turn (S3.110). */
  readonly compacting: boolean;
  readonly stop: Stop | null;
  /** A turn of Codex that began beside ours; it becomes the work when ours ends (T33). */
  readonly other: AgentTurn | null;
}

/** The user decides about a plan; no turn of the workflow runs (S3.128). */
export interface PlanReviewing extends Holder {
  readonly phase: 'planReview';
  readonly turnId: string;
  readonly inserted: boolean;
  /** `switching`: approved, and Codex is being told to leave plan mode before the second turn. */
  readonly step: 'asking' | 'switching';
  readonly agent: AgentTurn | null;
}

/** The work is over but for the report of changed files, which the answer waits for (S3.78, S3.197). */
export interface Draining extends Holder {
  readonly phase: 'draining';
  readonly outcome: WorkOutcome;
  readonly inserted: boolean;
  readonly reason: CancelReason | null;
  /** The last turn of the workflow; `null` when none ran. */
  readonly turnId: string | null;
  readonly agent: AgentTurn | null;
  /** Nothing of the work was visible beside an agent turn: its state stays (S3.43). */
  readonly quiet: boolean;
}

/**
 * The foreground work of a session: the states of S3 section 14. `Registering` is `running` before the first sign of
 * the turn; `Stopping` is `starting` or `running` with `cancelled`; `Waiting` concerns only what a v2 client sees and is
 * the foreground's; `Lost` has no duration, because what the app-server took down ends in the same step.
 */
export type Work =
  /**
   * `active`: Codex said that the thread works, and has not named the turn yet. `stopNext`: the user cancelled in that
   * moment, so the turn is stopped when it begins (S3.57).
   */
  | { readonly phase: 'idle'; readonly active?: boolean; readonly stopNext?: boolean }
  /** Only an agent turn runs; the lane is free. */
  | { readonly phase: 'agent'; readonly agent: AgentTurn }
  /**
   * A prompt holds the lane and waits for Codex and its thread. `ready`: only for the end of an agent turn that is being
   * stopped, or that a compaction or a review would disturb (S3.54, S3.111, S3.117). `active` and `stopNext` as in `idle`.
   */
  | (Holder & {
      readonly phase: 'prep';
      readonly agent: AgentTurn | null;
      readonly active: boolean;
      readonly stopNext: boolean;
      readonly ready: boolean;
    })
  /** A local command works (S3.33). */
  | (Holder & { readonly phase: 'local'; readonly agent: AgentTurn | null })
  | Starting
  | Running
  | PlanReviewing
  | Draining
  /**
   * The thread is loaded again with other instructions: nobody has the lane, and no prompt gets it before that is over
   * (S2.57, S3.22). `active` and `stopNext` as in `idle`.
   */
  | {
      readonly phase: 'reloading';
      readonly agent: AgentTurn | null;
      readonly active: boolean;
      readonly stopNext: boolean;
    }
  /** The session is being closed: frames of its turn are dropped (S3.67 to S3.69). */
  | {
      readonly phase: 'closing';
      /** The prompt that was ended by the close; the last `idle` has its usage (S3.97). */
      readonly promptId: string | null;
      /** A start whose answer is still out; its turn is interrupted when the id arrives (S3.68). */
      readonly attempt: number | null;
      /** That start was taken and gets no name before its turn begins: what begins next counts as its turn. */
      readonly nameless: boolean;
      /** The thread is still being loaded again; whoever does that lets go of it (S2.26). */
      readonly reloading: boolean;
      readonly turn: AgentTurn | null;
      /** Codex will not stop the turn: the close goes on without its end (S3.70). */
      readonly gaveUp: boolean;
      readonly releasing: boolean;
    }
  /** `agent`: the turn of a start that Codex answered too late for the close (S3.68). */
  | { readonly phase: 'closed'; readonly agent: AgentTurn | null };

export interface TurnState {
  readonly work: Work;
  /** Prompts that wait for the lane, in arrival order (S3.36). */
  readonly queue: readonly Place[];
  /** Numbers the starts; a result of an older one is dropped. */
  readonly attempts: number;
}

export const idleTurnState: TurnState = { work: { phase: 'idle' }, queue: [], attempts: 0 };

/** Why an interrupt was refused (S3.2). */
export type InterruptRefusal =
  | { readonly type: 'unregistered' }
  | { readonly type: 'mismatch'; readonly expected: string; readonly found: string }
  | { readonly type: 'other' };

export type TurnTimer = 'close' | 'compaction' | 'goal' | 'interrupt' | 'watch';

export type TurnInput =
  | ({ readonly type: 'prompt' } & Place)
  | { readonly type: 'cancel' }
  /** `by: 'session'` also stops a turn that the prompt only joined (v1), `'request'` leaves it running (v2, S3.59). */
  | { readonly type: 'cancelPrompt'; readonly promptId: string; readonly by: CancelledBy }
  | { readonly type: 'close' }
  /** The client set the session up again with other instructions; and that is over, however it ended (S2.53, S2.57). */
  | { readonly type: 'reload' }
  | { readonly type: 'reloaded' }
  /** The thread can take a turn, or cannot (S3.39). */
  | { readonly type: 'ready'; readonly attempt: number }
  | { readonly type: 'notReady'; readonly attempt: number; readonly error: Error }
  /** Codex took the start request. `turnId: null`: the turn has no name yet; `goalKey` names the goal (S3.119). */
  | {
      readonly type: 'accepted';
      readonly attempt: number;
      readonly turnId: string | null;
      readonly goalKey?: string;
    }
  | { readonly type: 'refused'; readonly attempt: number; readonly error: Error }
  | { readonly type: 'localDone'; readonly attempt: number }
  | { readonly type: 'localFailed'; readonly attempt: number; readonly error: Error }
  /** `rootId`: the turn that led to this one, when there is one: C of a review names P (S3.114). */
  | { readonly type: 'turnStarted'; readonly turnId: string; readonly rootId?: string }
  | {
      readonly type: 'turnCompleted';
      readonly turnId: string;
      readonly status: TurnStatus;
      readonly error: TurnError | null;
      readonly plan?: boolean;
    }
  /** Codex gave the turn up with an error that is not retried; a review may get no completion then (S3.115). */
  | { readonly type: 'turnFailed'; readonly turnId: string; readonly error: TurnError }
  /** The reviewer of a turn has begun (S3.115). */
  | { readonly type: 'reviewing'; readonly turnId: string }
  /** The item of a compaction started in a turn (S3.110). */
  | { readonly type: 'compacting'; readonly turnId: string }
  | { readonly type: 'goalUpdated'; readonly key: string }
  /** An item event of a turn. */
  | { readonly type: 'activity'; readonly turnId: string }
  /** The thread became active with nothing waiting (S3.42), or came to rest. */
  | { readonly type: 'threadActive' }
  | { readonly type: 'threadIdle' }
  /** Codex recorded the user message of a prompt (S3.40). */
  | { readonly type: 'landed'; readonly promptId: string }
  | { readonly type: 'planApproved' }
  | { readonly type: 'planKept' }
  /** Codex left plan mode, or refused to (S3.130). */
  | { readonly type: 'modeSwitched'; readonly attempt: number }
  | { readonly type: 'modeNotSwitched'; readonly attempt: number; readonly error: Error }
  /** The report of changed files was shown (S3.197). */
  | { readonly type: 'reported'; readonly attempt: number }
  | { readonly type: 'interrupted'; readonly turnId: string }
  | { readonly type: 'notInterrupted'; readonly turnId: string; readonly refusal: InterruptRefusal }
  /** The turn goes on although it was told to stop (S12.6). */
  | { readonly type: 'insist' }
  | { readonly type: 'timer'; readonly timer: TurnTimer }
  | { readonly type: 'lost'; readonly cause: CodexLostError }
  | { readonly type: 'released' }
  | { readonly type: 'notReleased'; readonly error: Error };

/** How the report of changed files has to end (S3.198). `turnId: null`: no turn of Codex ran. */
export interface ReportCall {
  readonly promptId: string;
  readonly attempt: number;
  readonly turnId: string | null;
  readonly end: 'cancelled' | 'failed' | 'normal';
}

/** Why the instructions of a session cannot be changed now (S2.55, S2.57, S2.26). */
export type ReloadRefusal = 'busy' | 'closing' | 'reloading';

export type TurnEffect =
  /** Make Codex and the thread ready, then report `ready` or `notReady`. */
  | { readonly type: 'prepare'; readonly promptId: string; readonly attempt: number }
  | { readonly type: 'start'; readonly promptId: string; readonly attempt: number }
  /** Run the local command, then report `localDone` or `localFailed`; or give it up (S3.54). */
  | { readonly type: 'runLocal'; readonly promptId: string; readonly attempt: number }
  | { readonly type: 'abortLocal' }
  /** Ask the user about the plan (S3.128). */
  | { readonly type: 'reviewPlan'; readonly promptId: string; readonly turnId: string }
  /** Leave plan mode, then report `modeSwitched` or `modeNotSwitched`; then start the second turn (S3.130). */
  | { readonly type: 'leavePlanMode'; readonly attempt: number }
  | { readonly type: 'startPlan'; readonly promptId: string; readonly attempt: number }
  | ({ readonly type: 'report' } & ReportCall)
  | { readonly type: 'interrupt'; readonly turnId: string }
  | { readonly type: 'wait'; readonly timer: TurnTimer; readonly ms: number }
  | { readonly type: 'stopWaiting'; readonly timer: TurnTimer }
  /**
   * Withdraw every open ask of the session and answer Codex with the refusing value (S5.21). `spare`: a turn that the
   * cancel of one prompt leaves running keeps its asks (S3.59).
   */
  | { readonly type: 'withdrawAsks'; readonly spare?: string }
  /** Work became visible: v2 `running` (S3.42). */
  | { readonly type: 'began' }
  | { readonly type: 'inserted'; readonly promptId: string }
  /** The turn is over: close what it left open (S5.55b). `turnId: null` is everything. */
  | { readonly type: 'turnOver'; readonly turnId: string | null; readonly end: TurnEnd }
  | {
      readonly type: 'endPrompt';
      readonly promptId: string;
      readonly outcome: WorkOutcome;
      readonly inserted: boolean;
      readonly reason: CancelReason | null;
      /** Last turn of the workflow; `null` when Codex ran none for it. */
      readonly turnId: string | null;
    }
  /** The work is over; v2 `idle` when it was visible (S3.96). `promptId` is null for an agent turn. */
  | { readonly type: 'idle'; readonly outcome: WorkOutcome; readonly promptId: string | null }
  /** Load the thread again with other instructions, then report `reloaded`; or do not, and tell the client why (R30). */
  | { readonly type: 'reload' }
  | { readonly type: 'refuseReload'; readonly reason: ReloadRefusal }
  /** The session is being closed: what was begun is not finished, and the thread is let go of (S2.26). */
  | { readonly type: 'abandonReload' }
  /** Stop background terminals and unsubscribe the thread (S3.67 step 7). */
  | { readonly type: 'release' }
  | { readonly type: 'closed' }
  | { readonly type: 'closeFailed'; readonly error: Error };

/** The next state of a session's turn work, and what has to be done for it, in order. */
export interface TurnStep {
  readonly state: TurnState;
  readonly effects: readonly TurnEffect[];
}

/** The work in one phase. */
export type InPhase<Phase extends Work['phase']> = Extract<Work, { readonly phase: Phase }>;

/** One kind of input. */
export type Input<Type extends TurnInput['type']> = Extract<TurnInput, { readonly type: Type }>;

/** A sign of the turn is awaited by the machine; lets the hot path skip it otherwise (S3.65). */
export function awaitsActivity(work: Work): boolean {
  switch (work.phase) {
    case 'running':
      return !work.registered || work.stop?.status === 'exhausted' || work.other?.stop?.status === 'exhausted';
    case 'agent':
    case 'draining':
    case 'local':
    case 'planReview':
    case 'prep':
    case 'reloading':
    case 'starting':
      return work.agent?.stop?.status === 'exhausted';
    case 'closed':
    case 'closing':
    case 'idle':
      return false;
  }
}

/**
 * The turn that runs now, whoever started it, and whether it was told to stop. `turnId: null` is a turn whose start was
 * cancelled before Codex named it.
 */
export function runningTurn(work: Work): { readonly turnId: string | null; readonly stopping: boolean } | null {
  switch (work.phase) {
    case 'running':
      return { turnId: work.turnId, stopping: work.stop !== null };
    case 'starting':
      if (work.cancelled !== null) return { turnId: null, stopping: true };
      // One whose completion is lost must not become the work after a start that comes to nothing (S12.5).
      return work.agent === null || work.completed.has(work.agent.turnId) ? null : runningAgent(work.agent);
    case 'agent':
    case 'draining':
    case 'local':
    case 'planReview':
    case 'prep':
    case 'reloading':
      return runningAgent(work.agent);
    case 'closed':
    case 'closing':
    case 'idle':
      return null;
  }
}

function runningAgent(agent: AgentTurn | null): { readonly turnId: string; readonly stopping: boolean } | null {
  return agent === null ? null : { turnId: agent.turnId, stopping: agent.stop !== null };
}

/** The running turn that an interrupt of `target` was meant for: a review is interrupted with another id than its own. */
export function turnStoppedAs(work: Work, target: string): string | null {
  switch (work.phase) {
    case 'running':
      return work.stop?.target === target ? work.turnId : null;
    case 'agent':
    case 'draining':
    case 'local':
    case 'planReview':
    case 'prep':
    case 'reloading':
      return work.agent?.stop?.target === target ? work.agent.turnId : null;
    case 'closed':
    case 'closing':
    case 'idle':
    case 'starting':
      return null;
  }
}
