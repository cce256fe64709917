import type { Goal } from '../../../src/domain/goal/goal.ts';
import type { ServerRequest, ServerRequestRef } from '../../../src/domain/interaction/approval-request.ts';
import type { ThreadEvent } from '../../../src/domain/thread/thread-event.ts';
import type { TurnRecord } from '../../../src/ports/outbound/codex-runtime.ts';
import type { Answer, Call, OpenCall } from './codex-calls.ts';
import { done, inWords, isOutsideCodex, lost, refusal, startsTurn } from './codex-calls.ts';
import type { Turn, TurnKind } from './codex-turn.ts';
import { beganByItself, isKnown, isRegular, newTurn, told } from './codex-turn.ts';

/** Who hears of the thread: the session. */
export interface ThreadHearer {
  onEvent(event: ThreadEvent): void;
  onRequest(ref: ServerRequestRef, request: ServerRequest): void;
  onLost(cause: ReturnType<typeof lost>): void;
}

const stoppedReport = 'Reviewer failed to output a response.';
const stoppedMessage = 'Review was interrupted. Please re-run /review and wait for it to complete.';

/**
 * One thread of Codex 0.171 as test/integration/codex-facts shows it: starts are answered before their turn is
 * registered, one turn runs at a time, a start beside it joins it, a compaction or a review interrupts it, goals go on by
 * themselves. Nothing happens by itself: each method is one thing that Codex does, and returns it in words, or `null`
 * when it cannot happen now.
 */
export class CodexModel {
  /** The turn that runs, and one that was accepted and is not registered (S3.1). */
  turn: Turn | null = null;
  next: Turn | null = null;
  /** Milliseconds since `next` was accepted. */
  nextFor = 0;
  /** The client closes the session: what it waits for is vague then. */
  closing = false;
  goal: Goal | null = null;
  /** A turn of the goal begins once nothing else runs; it is unwanted when its prompt was cancelled. */
  goalDue = false;
  goalUnwanted = false;
  /** A goal is reached with its next turn, so that a run comes to its end. */
  goalsEnd = false;
  planMode = false;
  epoch = 1;
  /** The thread is loaded in the process; and it tells us what happens. */
  loaded = true;
  subscribed = true;
  hearer: ThreadHearer | null = null;
  readonly open: OpenCall[] = [];
  /** What Codex told and we did not hear yet, in order. */
  readonly pipe: ThreadEvent[] = [];
  /** What we heard, in order. */
  readonly heard: ThreadEvent[] = [];
  /** Every turn there was, by its ids. */
  readonly turns = new Map<string, Turn>();
  /** How turns ended. */
  readonly over = new Map<string, TurnRecord>();
  /** Server requests with the number of answers that each got. */
  readonly asks = new Map<ServerRequestRef, number>();
  /** The last status of the thread came when it was known whose the turn is, so that it says something about it. */
  witnessed = false;
  readonly #called: (call: Call) => void;
  #turns = 0;
  #requests = 0;

  /** `called` hears of every call when it is made. */
  constructor(called: (call: Call) => void) {
    this.#called = called;
  }

  /** Nothing is under way in Codex. */
  get quiet(): boolean {
    return this.turn === null && this.next === null && this.pipe.length === 0 && !this.goalDue;
  }

  call(call: Call, answered: (result: Answer | Error) => void): void {
    this.#called(call);
    this.open.push({ call, answered, result: null, unwanted: 'no', alone: false, heard: this.heard.length });
  }

  /** Codex takes a call; its answer may still be on the way while it acts. */
  take(open: OpenCall, variant: number): string | null {
    const { call } = open;
    if (open.result !== null || (startsTurn(call) && this.next !== null)) return null;
    // Codex takes calls in order; of modes that order counts.
    const first = this.open.find((other) => other.call.method === call.method);
    if (call.method === 'setMode' && first !== open) return null;
    open.result = this.#take(open, variant);
    return inWords(call);
  }

  /** The answer arrives. */
  answer(open: OpenCall, variant: number): string | null {
    if (open.result === null && this.take(open, variant) === null) return null;
    const { result, call } = open;
    if (result === null) return null;
    this.open.splice(this.open.indexOf(open), 1);
    open.answered(result);
    if (result instanceof Error) return `${inWords(call)} with the error "${result.message}"`;
    const found = call.method === 'runningTurn' && result.turnId !== null ? this.turns.get(result.turnId) : undefined;
    if (found !== undefined) found.foundAt ??= this.heard.length;
    return `${inWords(call)}${result.turnId === null ? '' : ` with ${result.turnId}`}`;
  }

  refuse(open: OpenCall, message: string): string | null {
    // Codex knows which turn runs in a thread that it has just loaded.
    if (open.result !== null || (open.call.method === 'runningTurn' && this.turn !== null)) return null;
    open.result = refusal(message);
    return this.answer(open, 0);
  }

  #take(open: OpenCall, variant: number): Answer | Error {
    const { call } = open;
    const needsThread = !isOutsideCodex(call) && call.method !== 'resume' && call.method !== 'readThread';
    if (!this.loaded && needsThread) return refusal('thread not found');
    switch (call.method) {
      case 'start':
        return this.#start(call.name, call.clientId, open);
      case 'compact':
        this.next = this.#newTurn('compact', { unwanted: open.unwanted });
        return done;
      case 'review': {
        const { name, broken } = call;
        this.next = this.#newTurn('review', { names: [name], owners: [name], broken, unwanted: open.unwanted });
        return { ...done, turnId: this.next.id };
      }
      case 'interrupt':
        return this.#interrupt(call.turnId, variant);
      case 'steer':
        return this.#steer(call.turnId, call.clientId);
      case 'setGoal':
        return this.#setGoal(call.objective, call.status, variant, open);
      case 'clearGoal': {
        const cleared = this.goal !== null;
        this.goal = null;
        this.goalDue = false;
        if (cleared) this.#tell({ type: 'goalCleared' });
        return { ...done, cleared };
      }
      case 'setMode':
        this.planMode = call.mode === 'plan';
        return done;
      case 'readTurn':
        // Known and mended elsewhere: what comes of a turn after its record was read.
        this.hear(this.pipe.length);
        return { ...done, record: this.#record(call.turnId) };
      case 'setName':
        this.#tell({ type: 'threadName', name: call.title });
        return done;
      case 'readThread':
        this.hear(this.pipe.length);
        if (!this.loaded) return { ...done, status: 'notLoaded' };
        return { ...done, status: this.turn === null && this.next === null ? 'idle' : 'active' };
      case 'runningTurn':
        this.hear(this.pipe.length);
        return { ...done, turnId: (this.turn ?? this.next)?.child ?? null };
      case 'resume':
        this.#unload();
        this.loaded = true;
        this.subscribed = true;
        this.goalDue = this.goal?.status === 'active';
        return { ...done, status: this.turn === null ? 'idle' : 'active' };
      case 'unsubscribe':
        this.subscribed = false;
        return done;
      case 'disk':
      case 'local':
      case 'ready':
      case 'sample':
      case 'skills':
        return done;
    }
  }

  /** A thread at rest that nobody listens to is unloaded before it is loaded again; only its status is told (S2.56). */
  #unload(): void {
    if (!this.loaded || this.subscribed || this.turn !== null || this.next !== null) return;
    this.hear(this.pipe.length);
    this.#tell({ type: 'threadStatus', status: { type: 'notLoaded' } }, told.idle);
    this.subscribed = true;
    this.hear(this.pipe.length);
  }

  /** S3.1, S3.4. */
  #start(name: string, clientId: string | null, { unwanted, alone, heard }: OpenCall): Answer | Error {
    const { turn } = this;
    if (turn !== null && !isRegular(turn)) return refusal('failed to submit turn input: ActiveTurnNotSteerable');
    if (turn !== null) {
      const known = isKnown(turn, this.heard.slice(0, heard));
      turn.names.push(name);
      if (!known) turn.owners.push(name);
      if (turn.unwanted !== 'must' && unwanted !== 'no' && !(alone && known)) turn.unwanted = unwanted;
      turn.inputs.push(clientId);
      return { ...done, turnId: turn.id };
    }
    this.next = this.#newTurn('prompt', { names: [name], owners: [name], inputs: [clientId], unwanted });
    return { ...done, turnId: this.next.id };
  }

  /** S3.2, S3.9: a review is known by its child, or, before that is announced, by nothing or by P. */
  #interrupt(turnId: string, variant: number): Answer | Error {
    const { turn, next } = this;
    const entered = next?.kind === 'review' && next.stage > 0 && turn === null ? next : null;
    if (entered !== null && variant % 2 === 1) {
      if (turnId !== entered.id) return mismatch(turnId, entered.id);
      this.next = null;
      this.#end(entered, 'interrupted', false);
      return done;
    }
    if (turn === null) return refusal('no active turn to interrupt');
    if (turn.child !== turnId) {
      if (turn.unwanted === 'no') turn.unwanted = 'may';
      return mismatch(turnId, turn.child);
    }
    turn.stopped = true;
    return done;
  }

  /** S3.3. */
  #steer(turnId: string, clientId: string): Answer | Error {
    const turn = this.turn ?? (this.next?.kind === 'prompt' ? this.next : null);
    if (turn === null) return refusal('no active turn to steer');
    if (turn.id !== turnId) return refusal(`expected active turn id \`${turnId}\` but found \`${turn.id}\``);
    if (!isRegular(turn)) return refusal(`cannot steer a ${turn.kind} turn`);
    turn.inputs.push(clientId);
    return { ...done, turnId };
  }

  /** S3.11; now and then no turn follows (S3.119). */
  #setGoal(objective: string | null, status: 'active' | 'paused', variant: number, open: OpenCall): Answer | Error {
    if (objective === null && this.goal === null) return refusal('cannot update goal for thread: no goal exists');
    const goal = this.#changeGoal({ status, ...(objective === null ? {} : { objective }) });
    this.goalDue = status === 'active' && this.turn?.kind !== 'goal' && variant % 5 !== 4;
    this.goalUnwanted ||= open.unwanted !== 'no';
    return { ...done, goal };
  }

  #changeGoal(change: Partial<Goal>): Goal {
    const now = this.goal;
    const first: Goal = {
      objective: '',
      status: 'active',
      tokenBudget: null,
      tokensUsed: 0,
      timeUsedSeconds: 0,
      createdAt: 1,
      updatedAt: 0,
    };
    const goal: Goal = { ...(now ?? first), ...change, updatedAt: (now?.updatedAt ?? 0) + 1 };
    this.goal = goal;
    this.#tell({ type: 'goalUpdated', goal });
    return goal;
  }

  #record(turnId: string): TurnRecord | null {
    const runs = this.turn?.id === turnId || this.next?.id === turnId;
    return this.over.get(turnId) ?? (runs ? { status: 'inProgress', error: null } : null);
  }

  /** Codex does the next thing of its own. */
  advance(): string | null {
    const { turn, next } = this;
    if (next !== null) return this.#begin(next);
    if (turn !== null) return this.#advanceTurn(turn);
    if (!this.goalDue || !this.loaded) return null;
    const unwanted = this.goalUnwanted ? 'may' : 'no';
    this.goalDue = false;
    this.goalUnwanted = false;
    return this.#beginTurn(this.#newTurn('goal', { unwanted }));
  }

  /** A turn that nobody asked for. */
  agentTurn(): string | null {
    if (this.turn !== null || this.next !== null || this.goalDue || !this.loaded) return null;
    // It may be taken for the turn of a goal that got none.
    const unwanted = this.goalUnwanted ? 'may' : 'no';
    const root = [...this.turns.values()].findLast(({ kind }) => kind !== 'review')?.id ?? null;
    return this.#beginTurn(this.#newTurn('agent', { unwanted, root }));
  }

  #begin(next: Turn): string | null {
    if (this.turn !== null) return this.#end(this.turn, 'interrupted');
    if (next.broken) {
      this.next = null;
      this.#tell(told.systemError, told.failure(next.id));
      return `gives the review ${next.id} up`;
    }
    if (next.kind === 'review' && next.stage === 0) {
      next.stage = 1;
      this.#tell(...told.item(next.id, { type: 'reviewEntered', id: `${next.id}-entered`, text: 'changes' }));
      return `enters the review ${next.id}`;
    }
    this.next = null;
    this.nextFor = 0;
    next.stage = 0;
    return this.#beginTurn(next);
  }

  #beginTurn(turn: Turn): string {
    this.turn = turn;
    // A compaction has no id: a close or a cancel takes this turn for it, and waits for no other.
    if (beganByItself(turn)) {
      for (const open of this.open) if (open.call.method === 'compact') open.unwanted = 'may';
    }
    this.#tell(told.active, told.started(turn));
    return `begins the ${turn.kind} turn ${turn.child}`;
  }

  #advanceTurn(turn: Turn): string | null {
    if (turn.stopped) return this.#end(turn, 'interrupted');
    if (turn.asks.length > 0 || this.#isToBeCut(turn)) return null;
    const input = turn.inputs.shift();
    if (input !== undefined) {
      this.#tell(...told.landed(turn.id, input));
      return `records the message ${input ?? 'without id'} in ${turn.id}`;
    }
    const { kind, stage } = turn;
    turn.stage += 1;
    if (kind === 'compact' && stage < 2) {
      const event = told.item(turn.id, { type: 'compaction', id: `${turn.id}-compaction` })[stage];
      if (event !== undefined) this.#tell(event);
      return stage === 0 ? `begins to compact in ${turn.id}` : `has compacted in ${turn.id}`;
    }
    if (kind === 'review' && stage === 0) {
      this.#tell(...told.report(turn.id, `${turn.id} is fine.`, `${turn.id} is fine.`));
      return `has reviewed in ${turn.id}`;
    }
    return this.#end(turn, 'completed');
  }

  /** The turn ends whatever it still had to do; input that waits is dropped (S3.146). */
  finish(status: 'completed' | 'failed'): string | null {
    const { turn } = this;
    if (turn === null || (turn.asks.length > 0 && !turn.stopped) || this.#isToBeCut(turn)) return null;
    return this.#end(turn, turn.stopped && status === 'completed' ? 'interrupted' : status);
  }

  /** A turn takes longer than a request is on its way: one that a compaction will interrupt does not end before. */
  #isToBeCut(turn: Turn): boolean {
    const compacts = this.next?.kind === 'compact' || this.open.some(({ call }) => call.method === 'compact');
    return compacts && beganByItself(turn) && !turn.stopped;
  }

  #end(turn: Turn, status: 'completed' | 'failed' | 'interrupted', announced = true): string {
    const { id, kind } = turn;
    // For the same reason we have heard of its beginning.
    if (beganByItself(turn) && status !== 'interrupted') this.hear(this.pipe.length);
    if (this.turn === turn) this.turn = null;
    for (const ref of turn.asks.splice(0)) this.#tell({ type: 'requestResolved', requestId: ref.id });
    this.#endGoal(turn, status);
    if (status === 'failed') this.#tell(told.systemError, told.failure(id));
    if (kind === 'review' && status !== 'completed') this.#tell(...told.report(id, stoppedReport, stoppedMessage));
    if (status !== 'failed' && announced) this.#tell(told.idle);
    const end = told.completed(id, status);
    this.#tell(end);
    if (end.type === 'turnCompleted') this.over.set(id, { status: end.status, error: end.error });
    return `ends ${id}: ${status}`;
  }

  /** S3.11: a goal goes on after every turn but one of its own that was interrupted. */
  #endGoal({ kind }: Turn, status: 'completed' | 'failed' | 'interrupted'): void {
    if (this.goal?.status !== 'active') return;
    if (kind === 'goal' && status === 'failed') this.#changeGoal({ status: 'blocked' });
    else if (kind === 'goal' && status === 'completed' && this.goalsEnd) this.#changeGoal({ status: 'complete' });
    else this.goalDue = kind !== 'goal' || status !== 'interrupted';
  }

  /** Something of the running turn. */
  tellOf(tell: (turn: Turn) => readonly ThreadEvent[] | null): boolean {
    const { turn } = this;
    const events = turn === null ? null : tell(turn);
    if (events === null) return false;
    this.#tell(...events);
    return true;
  }

  tell(...events: ThreadEvent[]): void {
    this.#tell(...events);
  }

  #tell(...events: ThreadEvent[]): void {
    this.pipe.push(...events);
  }

  /** Commands that run on in the background; of those that are over the end was told before. */
  terminals(): { readonly itemId: string; readonly processId: string }[] {
    if (this.closing) return [];
    this.hear(this.pipe.length);
    return [...this.turns.values()].flatMap((turn) => turn.background.map((itemId) => ({ itemId, processId: itemId })));
  }

  /** We hear of so many events. */
  hear(count: number): ThreadEvent[] {
    const events = this.pipe.splice(0, count);
    for (const event of events) {
      // Only the status of a thread is told when nobody listens, and a session that is closed hears nothing.
      const told = this.subscribed || event.type === 'threadStatus';
      if (told || this.closing) this.heard.push(event);
      if (event.type === 'threadStatus') this.witnessed = !this.open.some(({ call }) => startsTurn(call));
      if (told) this.hearer?.onEvent(event);
    }
    return events;
  }

  /** A server request, which is told behind everything else. */
  ask(request: ServerRequest, turn: Turn | null): void {
    this.hear(this.pipe.length);
    this.#requests += 1;
    const ref: ServerRequestRef = { epoch: this.epoch, id: this.#requests };
    turn?.asks.push(ref);
    if (this.hearer === null || !this.subscribed) return;
    this.asks.set(ref, 0);
    this.hearer.onRequest(ref, request);
  }

  /** The session answered a server request. */
  answered(ref: ServerRequestRef): void {
    this.asks.set(ref, (this.asks.get(ref) ?? 0) + 1);
    const asks = this.turn?.asks ?? [];
    const index = asks.indexOf(ref);
    if (index >= 0) asks.splice(index, 1);
  }

  /** The process dies: what it did not tell is lost, open calls fail (S8.5). */
  die(): void {
    const cause = lost();
    this.epoch += 1;
    this.turn = null;
    this.next = null;
    this.goalDue = false;
    for (const turn of this.turns.values()) turn.background.splice(0);
    // The mode is recorded with the next turn only.
    this.planMode = false;
    this.loaded = false;
    this.subscribed = false;
    this.pipe.splice(0);
    this.hearer?.onLost(cause);
    const failing = this.open.filter(({ call }) => !isOutsideCodex(call));
    for (const open of failing) {
      this.open.splice(this.open.indexOf(open), 1);
      open.answered(cause);
    }
  }

  #newTurn(kind: TurnKind, overrides: Partial<Turn> = {}): Turn {
    this.#turns += 1;
    const turn = newTurn(`t${this.#turns}`, kind, overrides);
    this.turns.set(turn.id, turn).set(turn.child, turn);
    return turn;
  }
}

function mismatch(expected: string, found: string): Error {
  return refusal(`expected active turn id ${expected} but found ${found}`);
}
