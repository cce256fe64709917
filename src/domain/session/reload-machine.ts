import type { OpenThread, RecordedThread } from '../../ports/outbound/codex-runtime.ts';
import { AgentError, CodexLostError, CodexRequestError } from '../errors/agent-error.ts';

/** The call that is under way; its answer is the next input. */
type Step =
  /** Nothing was changed yet: the thread is looked at, whether it may be loaded again. */
  | { readonly name: 'reading' }
  | { readonly name: 'listingTerminals'; readonly recorded: RecordedThread }
  | { readonly name: 'readingTurns'; readonly recorded: RecordedThread }
  /** The thread is let go of; Codex unloads it then, or when it is loaded again, or not at all. */
  | { readonly name: 'unsubscribing'; readonly recorded: RecordedThread; readonly unloaded: boolean }
  /** It is loaded with the new instructions. `again`: it was loaded before. */
  | {
      readonly name: 'loading';
      readonly recorded: RecordedThread | null;
      readonly unloaded: boolean;
      readonly again: boolean;
    }
  /** That failed with `error`: the thread is loaded as it was, so that the session stays usable. */
  | { readonly name: 'restoring'; readonly error: Error }
  /** The thread is loaded, with the new instructions or (`error`) without. */
  | { readonly name: 'findingTurn'; readonly error: Error | null }
  | { readonly name: 'over' };

type Loading = Extract<Step, { readonly name: 'loading' }>;

/** One reload of a thread. `closed`: why it is given up as soon as the call under way is answered (S2.26). */
export interface ReloadState {
  readonly step: Step;
  readonly closed: Error | null;
}

export type ReloadInput =
  | { readonly type: 'read'; readonly thread: RecordedThread }
  | { readonly type: 'terminals'; readonly any: boolean }
  /** The newest turn, when it runs. */
  | { readonly type: 'turn'; readonly turnId: string | null }
  | { readonly type: 'unsubscribed' }
  | { readonly type: 'loaded'; readonly thread: OpenThread }
  /** The call under way failed. */
  | { readonly type: 'failed'; readonly error: Error }
  /** Codex says that the thread is not loaded any more. */
  | { readonly type: 'unloaded' }
  | { readonly type: 'turnStarted' }
  | { readonly type: 'lost'; readonly cause: CodexLostError }
  /** The session is being closed; `error` is what the set-up is answered with. */
  | { readonly type: 'close'; readonly error: Error };

export type ReloadEffect =
  | { readonly type: 'read' | 'listTerminals' | 'findTurn' | 'unsubscribe' }
  /** The thread is not known to be loaded any more, until `loaded` says otherwise. */
  | { readonly type: 'unloaded' }
  | { readonly type: 'load'; readonly instructions: 'new' | 'previous'; readonly recorded: RecordedThread | null }
  | { readonly type: 'loaded'; readonly thread: OpenThread }
  | { readonly type: 'turnFound'; readonly turnId: string }
  /** It is over: the instructions were changed, or not. */
  | { readonly type: 'end'; readonly error: Error | null };

export interface ReloadStep {
  readonly state: ReloadState;
  readonly effects: readonly ReloadEffect[];
}

const texts = {
  busy: 'Cannot change systemPrompt while session work is in progress; retry when idle',
  notIdle: 'Changing systemPrompt requires an idle, persisted session; finish the turn or create a new session',
  terminals: 'Cannot change systemPrompt while background terminals are running',
  notRecorded: 'Changing systemPrompt requires a persisted session; create a new session instead',
  kept: 'Codex kept the existing thread loaded; systemPrompt could not be changed. Retry when idle',
} as const;

/** Why the instructions cannot be changed (S2.55, S2.56). */
export function reloadRefusal(reason: keyof typeof texts): AgentError {
  return AgentError.invalidParams(texts[reason]);
}

/** A reload begins with a look at the thread (S2.54). */
export const beginReload: ReloadStep = {
  state: { step: { name: 'reading' }, closed: null },
  effects: [{ type: 'read' }],
};

/**
 * How the thread of an open session is loaded again with other instructions: `(state, input) -> (state, effects)` (S2.54
 * to S2.58). An answer that does not fit the step belongs to none.
 */
export function reloadTransition(state: ReloadState, input: ReloadInput): ReloadStep {
  const { step } = state;
  switch (input.type) {
    case 'read':
      return step.name === 'reading' ? read(state, input.thread) : stay(state);
    case 'terminals':
      if (step.name !== 'listingTerminals') return stay(state);
      if (input.any) return end(reloadRefusal('terminals'));
      return go(state, { name: 'readingTurns', recorded: step.recorded }, { type: 'findTurn' });
    case 'turn':
      return foundTurn(state, input.turnId);
    case 'unsubscribed':
      if (step.name !== 'unsubscribing') return stay(state);
      if (state.closed !== null) return end(state.closed, [{ type: 'unloaded' }]);
      return load(state, { ...step, again: true });
    case 'loaded':
      return loaded(state, input.thread);
    case 'failed':
      return failed(state, input.error);
    case 'unloaded':
      if (step.name !== 'unsubscribing' && step.name !== 'loading') return stay(state);
      return { state: { ...state, step: { ...step, unloaded: true } }, effects: [] };
    case 'turnStarted':
      return nothingChanged(step) ? end(reloadRefusal('busy')) : stay(state);
    case 'lost':
      // The thread went with its process; the next use loads it there again, as it was (S2.58).
      return step.name === 'over' ? stay(state) : end(state.closed ?? input.cause);
    case 'close':
      return close(state, input.error);
  }
}

/** A thread that is not loaded is loaded; one that is has to be idle and recorded (S2.54, S2.55). */
function read(state: ReloadState, recorded: RecordedThread): ReloadStep {
  if (recorded.status === 'notLoaded') return load(state, { recorded, unloaded: true, again: false });
  if (recorded.status !== 'idle' || !recorded.persisted) return end(reloadRefusal('notIdle'));
  return go(state, { name: 'listingTerminals', recorded }, { type: 'listTerminals' });
}

function foundTurn(state: ReloadState, turnId: string | null): ReloadStep {
  const { step } = state;
  switch (step.name) {
    case 'readingTurns': {
      if (turnId !== null) return end(reloadRefusal('busy'));
      const next = { name: 'unsubscribing', recorded: step.recorded, unloaded: false } as const;
      return go(state, next, { type: 'unsubscribe' });
    }
    case 'findingTurn': {
      const found: ReloadEffect[] = turnId === null ? [] : [{ type: 'turnFound', turnId }];
      return end(state.closed ?? step.error, found);
    }
    default:
      return stay(state);
  }
}

function load(state: ReloadState, { recorded, unloaded, again }: Omit<Loading, 'name'>): ReloadStep {
  const effect = { type: 'load', instructions: 'new', recorded } as const;
  return go(state, { name: 'loading', recorded, unloaded, again }, effect);
}

/** Codex takes other instructions only for a thread that it had unloaded (S2.56). */
function loaded(state: ReloadState, thread: OpenThread): ReloadStep {
  const { step } = state;
  if (step.name !== 'loading' && step.name !== 'restoring') return stay(state);
  const error = step.name === 'restoring' ? step.error : step.unloaded ? null : reloadRefusal('kept');
  return {
    state: { ...state, step: { name: 'findingTurn', error } },
    // A turn may have begun while nobody listened. Codex answers after it has told what belongs to the loaded thread, its
    // usage and its goal (S12.17).
    effects: [{ type: 'loaded', thread }, { type: 'findTurn' }],
  };
}

function failed(state: ReloadState, error: Error): ReloadStep {
  const { step, closed } = state;
  // Without its process there is nothing to load (S2.58).
  if (error instanceof CodexLostError && step.name !== 'over') return end(closed ?? error);
  switch (step.name) {
    case 'over':
      return stay(state);
    case 'reading':
      // `thread/resume` tells why (S2.37).
      return load(state, { recorded: null, unloaded: false, again: false });
    case 'listingTerminals':
      return end(error);
    case 'readingTurns':
      return end(isUnrecorded(error) ? reloadRefusal('notRecorded') : error);
    case 'unsubscribing':
      return closed === null ? restore(state, step.recorded, error) : end(closed);
    case 'loading':
      return closed === null && step.again ? restore(state, step.recorded, error) : end(closed ?? error);
    case 'restoring':
      return end(closed ?? step.error);
    case 'findingTurn':
      return end(closed ?? step.error);
  }
}

function restore(state: ReloadState, recorded: RecordedThread | null, error: Error): ReloadStep {
  return go(state, { name: 'restoring', error }, { type: 'load', instructions: 'previous', recorded });
}

/**
 * What was begun is not finished. A thread that is being loaded has to be let go of once it is, with the turn that runs in
 * it: whoever closes the session sees to that (S2.26, S3.68).
 */
function close(state: ReloadState, error: Error): ReloadStep {
  switch (state.step.name) {
    case 'over':
      return stay(state);
    case 'findingTurn':
    case 'loading':
    case 'restoring':
    case 'unsubscribing':
      return { state: { ...state, closed: error }, effects: [] };
    case 'listingTerminals':
    case 'reading':
    case 'readingTurns':
      return end(error);
  }
}

/** What Codex tells now may be about a turn that began while nobody listened (S2.25). */
export function followsTurns({ step: { name } }: ReloadState): boolean {
  return name === 'loading' || name === 'restoring' || name === 'findingTurn';
}

/** The thread is as it was before. */
function nothingChanged({ name }: Step): boolean {
  return name === 'reading' || name === 'listingTerminals' || name === 'readingTurns';
}

/** Codex says so of a thread whose first message has not come yet, and of one whose recording is gone (S2.55). */
function isUnrecorded(error: Error): boolean {
  if (!(error instanceof CodexRequestError)) return false;
  return error.message.includes('not materialized') || error.message.includes('no rollout found');
}

function go(state: ReloadState, step: Step, effect: ReloadEffect): ReloadStep {
  return { state: { ...state, step }, effects: [effect] };
}

function end(error: Error | null, before: readonly ReloadEffect[] = []): ReloadStep {
  return { state: { step: { name: 'over' }, closed: null }, effects: [...before, { type: 'end', error }] };
}

function stay(state: ReloadState): ReloadStep {
  return { state, effects: [] };
}
