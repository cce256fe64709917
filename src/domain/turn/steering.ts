import type { CodexLostError } from '../errors/agent-error.ts';
import type { SteerRefusal } from './steer-refusal.ts';
import type { AgentTurn, Work } from './turn-state.ts';

/** More input that waits for its turn (S3.141). */
export interface Steer {
  readonly steerId: string;
  /** The client keeps the text when nothing runs. */
  readonly promptRequired: boolean;
}

/**
 * The steers of a session, one at a time and independent of the lane. `waiting`: for the id of a start or for the end of
 * a turn that is being stopped; `sent`: Codex was asked; `own`: it has a place in the lane for a turn of its own, which
 * has not begun.
 */
export interface SteerState {
  readonly current:
    | { readonly phase: 'own' | 'waiting'; readonly steer: Steer }
    | {
        readonly phase: 'sent';
        readonly steer: Steer;
        readonly turnId: string;
        /** Asked again after Codex named another running turn (S3.143). */
        readonly retried: boolean;
        /** `session/cancel` came meanwhile: nothing new is started for it. */
        readonly cancelled: boolean;
      }
    | null;
  readonly queue: readonly Steer[];
}

export const noSteers: SteerState = { current: null, queue: [] };

/** Which turn takes a steer now (S3.142). `pending`: it will be known; `none`: nothing runs that can take it. */
export type SteerTarget =
  | { readonly type: 'turn'; readonly turnId: string }
  | { readonly type: 'pending' }
  | { readonly type: 'none' }
  | { readonly type: 'closing' };

export type SteerInput =
  | { readonly type: 'steer'; readonly steer: Steer }
  /** The work of the session may have changed. */
  | { readonly type: 'work' }
  | { readonly type: 'taken'; readonly steerId: string }
  | { readonly type: 'refused'; readonly steerId: string; readonly refusal: SteerRefusal }
  /** Its own turn runs, or came to nothing. */
  | { readonly type: 'begun'; readonly steerId: string }
  /** `session/cancel`. */
  | { readonly type: 'cancel' };

export type SteerEffect =
  | { readonly type: 'send'; readonly steerId: string; readonly turnId: string }
  | {
      readonly type: 'settle';
      readonly steerId: string;
      readonly outcome: 'failed' | 'injected' | 'promptRequired';
      /** The turn that it went into. */
      readonly turnId: string | null;
    }
  /** Start a turn of its own, through the lane (S3.144). */
  | { readonly type: 'newTurn'; readonly steerId: string }
  | { readonly type: 'refuse'; readonly steerId: string; readonly reason: 'cancelled' | 'closing' | 'image' }
  /** It failed with Codex: nobody knows whether the text arrived, so it is not sent again (S8.67). */
  | { readonly type: 'lose'; readonly steerId: string; readonly cause: CodexLostError };

export interface SteerStep {
  readonly state: SteerState;
  readonly effects: readonly SteerEffect[];
}

/** `(state, input, target) -> (state, effects)`: section 9 of S3. */
export function steer(state: SteerState, input: SteerInput, target: SteerTarget): SteerStep {
  const { current } = state;
  switch (input.type) {
    case 'steer':
      return advance({ ...state, queue: [...state.queue, input.steer] }, target, []);
    case 'work':
      return advance(state, target, []);
    case 'taken': {
      const { steerId } = input;
      if (current?.phase !== 'sent' || current.steer.steerId !== steerId) return { state, effects: [] };
      const { turnId } = current;
      return advance({ ...state, current: null }, target, [{ type: 'settle', steerId, outcome: 'injected', turnId }]);
    }
    case 'refused':
      if (current?.phase !== 'sent' || current.steer.steerId !== input.steerId) return { state, effects: [] };
      return refused(state, current, input.refusal, target);
    case 'begun':
      if (current?.phase !== 'own' || current.steer.steerId !== input.steerId) return { state, effects: [] };
      return advance({ ...state, current: null }, target, []);
    case 'cancel':
      return cancel(state);
  }
}

type Sent = Extract<NonNullable<SteerState['current']>, { phase: 'sent' }>;

/** S3.143. */
function refused(state: SteerState, sent: Sent, refusal: SteerRefusal, target: SteerTarget): SteerStep {
  const { steerId } = sent.steer;
  const idle: SteerState = { ...state, current: null };
  if (sent.cancelled) return advance(idle, target, [{ type: 'refuse', steerId, reason: 'cancelled' }]);
  if (refusal.type === 'lost') return advance(idle, target, [{ type: 'lose', steerId, cause: refusal.cause }]);
  if (refusal.type === 'image') return advance(idle, target, [{ type: 'refuse', steerId, reason: 'image' }]);
  if (refusal.type === 'mismatch' && !sent.retried) {
    const turnId = refusal.found;
    return {
      state: { ...state, current: { ...sent, turnId, retried: true } },
      effects: [{ type: 'send', steerId, turnId }],
    };
  }
  const sameTurn = target.type === 'turn' && target.turnId === sent.turnId;
  if (refusal.type === 'other' && sameTurn) {
    return advance(idle, target, [{ type: 'settle', steerId, outcome: 'failed', turnId: null }]);
  }
  // The turn is over for Codex, even if its end has not arrived here.
  const effect = withoutTurn(sent.steer, target);
  return advance({ ...state, current: after(effect, sent.steer) }, target, [effect]);
}

/** What waits is like a queued prompt: it never starts (S3.144). One in the lane ends there; what was sent may still land. */
function cancel(state: SteerState): SteerStep {
  const { current } = state;
  const waiting = [...(current?.phase === 'waiting' ? [current.steer] : []), ...state.queue];
  const effects = waiting.map(({ steerId }): SteerEffect => ({ type: 'refuse', steerId, reason: 'cancelled' }));
  if (current?.phase === 'own') return { state: { current, queue: [] }, effects };
  const sent = current?.phase === 'sent' ? { ...current, cancelled: true } : null;
  return { state: { current: sent, queue: [] }, effects };
}

/** Takes the next steer, and each one as far as it gets. */
function advance(state: SteerState, target: SteerTarget, effects: SteerEffect[]): SteerStep {
  let { current, queue } = state;
  for (;;) {
    if (current === null) {
      const [next, ...rest] = queue;
      if (next === undefined) break;
      current = { phase: 'waiting', steer: next };
      queue = rest;
    }
    if (current.phase !== 'waiting' || target.type === 'pending') break;
    const { steer: waiting }: { steer: Steer } = current;
    if (target.type === 'turn') {
      const { steerId } = waiting;
      current = { phase: 'sent', steer: waiting, turnId: target.turnId, retried: false, cancelled: false };
      effects.push({ type: 'send', steerId, turnId: target.turnId });
      break;
    }
    const effect = withoutTurn(waiting, target);
    effects.push(effect);
    current = after(effect, waiting);
  }
  return { state: { current, queue }, effects };
}

/** A turn of its own is awaited: the next steer may go into it (S3.141). */
function after(effect: SteerEffect, own: Steer): SteerState['current'] {
  return effect.type === 'newTurn' ? { phase: 'own', steer: own } : null;
}

function withoutTurn({ steerId, promptRequired }: Steer, target: SteerTarget): SteerEffect {
  if (target.type === 'closing') return { type: 'refuse', steerId, reason: 'closing' };
  if (promptRequired) return { type: 'settle', steerId, outcome: 'promptRequired', turnId: null };
  return { type: 'newTurn', steerId };
}

/** The turn that a steer goes to (S3.142). A turn that is being stopped takes none: its end decides. */
export function steerTarget(work: Work): SteerTarget {
  switch (work.phase) {
    case 'running':
      if (work.cancelled !== null || !work.registered) return { type: 'pending' };
      return { type: 'turn', turnId: work.turnId };
    case 'agent':
      return agentTarget(work.agent) ?? { type: 'pending' };
    case 'prep':
      return agentTarget(work.agent) ?? { type: 'pending' };
    case 'starting':
      return { type: 'pending' };
    case 'planReview':
      // Once the plan is approved, the start that carries it out is pending.
      return agentTarget(work.agent) ?? { type: work.step === 'switching' ? 'pending' : 'none' };
    case 'draining':
    case 'local':
    case 'reloading':
      return agentTarget(work.agent) ?? { type: 'none' };
    case 'idle':
      return { type: 'none' };
    case 'closed':
    case 'closing':
      return { type: 'closing' };
  }
}

function agentTarget(agent: AgentTurn | null): SteerTarget | null {
  return agent === null || agent.stop !== null ? null : { type: 'turn', turnId: agent.turnId };
}
