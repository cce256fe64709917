import { CodexLostError } from '../../src/domain/errors/agent-error.ts';
import { transition } from '../../src/domain/turn/turn-machine.ts';
import type {
  CancelledBy,
  InterruptRefusal,
  TurnEffect,
  TurnInput,
  TurnState,
  TurnTimer,
  Work,
  WorkKind,
} from '../../src/domain/turn/turn-state.ts';
import { idleTurnState } from '../../src/domain/turn/turn-state.ts';

type Phase = Work['phase'];

export const crash = new CodexLostError('gone', { exitCode: 1, signal: null, restartable: true });

/** Codex has not registered the turn yet, and an error that no retry helps against (S3.2). */
export const unregistered: InterruptRefusal = { type: 'unregistered' };
export const refusedOtherwise: InterruptRefusal = { type: 'other' };

export function mismatch(expected: string, found: string): InterruptRefusal {
  return { type: 'mismatch', expected, found };
}

/**
 * The turn machine alone: inputs go in, and every method gives back the effects as short words, in order. Prompts are
 * `p1`, `p2` …; the attempts that their starts are numbered with are 1, 2 … in the order of admission.
 */
export class TurnLab {
  state: TurnState = idleTurnState;
  #prompts = 0;

  get phase(): Phase {
    return this.state.work.phase;
  }

  /** The work, for what its phase alone does not say. */
  get work(): Work {
    return this.state.work;
  }

  get waiting(): readonly string[] {
    return this.state.queue.map(({ promptId }) => promptId);
  }

  /** The number of the last start. */
  get attempt(): number {
    return this.state.attempts;
  }

  send(input: TurnInput): string[] {
    const { state, effects } = transition(this.state, input);
    this.state = state;
    return effects.map(word);
  }

  /** True when the input means nothing now: neither effects nor another state. */
  ignores(input: TurnInput): boolean {
    const { state, effects } = transition(this.state, input);
    return effects.length === 0 && JSON.stringify(state, plain) === JSON.stringify(this.state, plain);
  }

  prompt(kind: WorkKind = 'turn', report = false): string[] {
    this.#prompts += 1;
    return this.send({ type: 'prompt', promptId: `p${this.#prompts}`, kind, report });
  }

  ready(attempt = this.attempt): string[] {
    return this.send({ type: 'ready', attempt });
  }

  notReady(error = new Error('not ready'), attempt = this.attempt): string[] {
    return this.send({ type: 'notReady', attempt, error });
  }

  /** Codex took the start; `goalKey` names the goal of a goal's start. */
  accepted(turnId: string | null, goalKey?: string, attempt = this.attempt): string[] {
    return this.send({ type: 'accepted', attempt, turnId, ...(goalKey === undefined ? {} : { goalKey }) });
  }

  refused(error = new Error('refused'), attempt = this.attempt): string[] {
    return this.send({ type: 'refused', attempt, error });
  }

  started(turnId: string, rootId?: string): string[] {
    return this.send({ type: 'turnStarted', turnId, ...(rootId === undefined ? {} : { rootId }) });
  }

  compacts(turnId: string): string[] {
    return this.send({ type: 'compacting', turnId });
  }

  completed(turnId: string, status: 'completed' | 'failed' | 'interrupted' = 'completed', plan = false): string[] {
    return this.send({ type: 'turnCompleted', turnId, status, error: null, plan });
  }

  failed(turnId: string): string[] {
    return this.send({ type: 'turnFailed', turnId, error: { message: 'broken', info: null, details: null } });
  }

  active(turnId: string): string[] {
    return this.send({ type: 'activity', turnId });
  }

  landed(promptId: string): string[] {
    return this.send({ type: 'landed', promptId });
  }

  cancel(): string[] {
    return this.send({ type: 'cancel' });
  }

  cancelPrompt(promptId: string, by: CancelledBy): string[] {
    return this.send({ type: 'cancelPrompt', promptId, by });
  }

  interrupted(turnId: string): string[] {
    return this.send({ type: 'interrupted', turnId });
  }

  notInterrupted(turnId: string, refusal: InterruptRefusal): string[] {
    return this.send({ type: 'notInterrupted', turnId, refusal });
  }

  timer(timer: TurnTimer): string[] {
    return this.send({ type: 'timer', timer });
  }

  goal(key: string): string[] {
    return this.send({ type: 'goalUpdated', key });
  }

  close(): string[] {
    return this.send({ type: 'close' });
  }

  lost(): string[] {
    return this.send({ type: 'lost', cause: crash });
  }

  /** A prompt whose start request is on its way. */
  starting(kind: WorkKind = 'turn', report = false): this {
    this.prompt(kind, report);
    this.ready();
    return this;
  }

  /** A prompt whose turn is known and not registered. */
  registering(turnId = 't1'): this {
    this.starting().accepted(turnId);
    return this;
  }

  /** A prompt that Codex recorded in its running turn. */
  running(turnId = 't1', report = false): this {
    this.starting('turn', report).accepted(turnId);
    this.started(turnId);
    this.landed(`p${this.#prompts}`);
    return this;
  }

  /** A review `P` with its child `C`. */
  reviewing(): this {
    this.starting('review').accepted('P');
    this.send({ type: 'reviewing', turnId: 'P' });
    this.started('C', 'P');
    return this;
  }

  /** The user is asked about a plan. */
  planReview(report = false): this {
    this.running('t1', report).completed('t1', 'completed', true);
    return this;
  }

  /** The approved plan's mode change is on its way. */
  switching(): this {
    this.planReview().send({ type: 'planApproved' });
    return this;
  }

  local(report = false): this {
    return this.starting('local', report);
  }

  /** The report of changed files is being made. */
  draining(): this {
    this.running('t1', true).completed('t1');
    return this;
  }

  agent(turnId = 'a1'): this {
    this.started(turnId);
    return this;
  }

  /** The thread is loaded again with other instructions. */
  reloading(): this {
    this.send({ type: 'reload' });
    return this;
  }

  /** The turn of the session was told to stop. */
  closing(): this {
    this.running().close();
    return this;
  }

  /** Codex is asked to let go of the thread. */
  releasing(): this {
    this.close();
    return this;
  }

  closed(): this {
    this.close();
    this.send({ type: 'released' });
    return this;
  }
}

/** Maps are compared by their entries. */
function plain(_key: string, value: unknown): unknown {
  return value instanceof Map ? [...value] : value;
}

function word(effect: TurnEffect): string {
  switch (effect.type) {
    case 'prepare':
    case 'start':
    case 'startPlan':
    case 'runLocal':
      return `${effect.type} ${effect.promptId}#${effect.attempt}`;
    case 'leavePlanMode':
      return `leavePlanMode #${effect.attempt}`;
    case 'reviewPlan':
      return `reviewPlan ${effect.promptId} ${effect.turnId}`;
    case 'report':
      return `report ${effect.promptId} ${effect.end}`;
    case 'interrupt':
      return `interrupt ${effect.turnId}`;
    case 'wait':
      return `wait ${effect.timer} ${effect.ms}`;
    case 'stopWaiting':
      return `stopWaiting ${effect.timer}`;
    case 'inserted':
      return `inserted ${effect.promptId}`;
    case 'turnOver':
      return `turnOver ${effect.turnId ?? 'all'} ${effect.end.status}`;
    case 'endPrompt': {
      const { promptId, reason, inserted } = effect;
      return [`end ${promptId}`, outcomeWord(effect.outcome), reason ?? [], inserted ? 'inserted' : []]
        .flat()
        .join(' ');
    }
    case 'idle':
      return `idle ${outcomeWord(effect.outcome)}`;
    case 'closeFailed':
      return `closeFailed ${effect.error.message}`;
    case 'refuseReload':
      return `refuseReload ${effect.reason}`;
    case 'abandonReload':
    case 'abortLocal':
    case 'began':
    case 'closed':
    case 'release':
    case 'reload':
      return effect.type;
    case 'withdrawAsks':
      return effect.spare === undefined ? effect.type : `${effect.type} but ${effect.spare}`;
  }
}

function outcomeWord(outcome: Extract<TurnEffect, { type: 'idle' }>['outcome']): string {
  return outcome.type === 'failed' ? `failed:${outcome.failure.type}` : outcome.type;
}
