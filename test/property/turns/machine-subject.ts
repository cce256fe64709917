import { CodexLostError } from '../../../src/domain/errors/agent-error.ts';
import { goalKey } from '../../../src/domain/goal/goal.ts';
import type { ServerRequestRef } from '../../../src/domain/interaction/approval-request.ts';
import { interruptRefusal } from '../../../src/domain/session/turn-runner.ts';
import type { ThreadEvent } from '../../../src/domain/thread/thread-event.ts';
import { Foreground } from '../../../src/domain/turn/foreground.ts';
import { transition } from '../../../src/domain/turn/turn-machine.ts';
import type { TurnEffect, TurnInput, TurnState, TurnTimer, WorkKind } from '../../../src/domain/turn/turn-state.ts';
import { idleTurnState } from '../../../src/domain/turn/turn-state.ts';
import type { FakeClock } from '../../support/fake-clock.ts';
import type { Answer, Call } from './codex-calls.ts';
import type { CodexModel, ThreadHearer } from './codex-model.ts';
import type { PromptKind, Subject } from './subject.ts';
import { endedWord, idleWord } from './words.ts';

/** What kind of work a prompt is. */
const workKinds: Readonly<Record<PromptKind, WorkKind>> = {
  text: 'turn',
  report: 'turn',
  compact: 'compact',
  review: 'review',
  'review-branch': 'review',
  goal: 'goal',
  resume: 'goal',
  skills: 'local',
  plan: 'local',
  pause: 'local',
  clear: 'local',
  rename: 'local',
  usage: 'local',
  status: 'local',
};

/** The turn machine alone, with nothing around it but Codex and the clock. */
export class MachineSubject implements Subject, ThreadHearer {
  readonly seen: string[] = [];
  readonly answers = new Map<string, string[]>();
  readonly session = null;
  readonly #codex: CodexModel;
  readonly #clock: FakeClock;
  readonly #transition: typeof transition;
  readonly #kinds = new Map<string, PromptKind>();
  readonly #timers = new Map<TurnTimer, () => void>();
  readonly #plans = new Set<string>();
  readonly #foreground = new Foreground();
  readonly #closes: string[] = [];
  /** Inputs that came while another was handled, as in the mailbox. */
  readonly #waiting: TurnInput[] = [];
  #busy = false;
  #protocol: 1 | 2;
  #state: TurnState = idleTurnState;
  #plan: number | null = null;
  #asks = 0;
  #epoch: number;

  /** `machine` is another one in a test of these tests. */
  constructor(protocol: 1 | 2, codex: CodexModel, clock: FakeClock, machine = transition) {
    this.#protocol = protocol;
    this.#codex = codex;
    this.#clock = clock;
    this.#transition = machine;
    this.#epoch = codex.epoch;
    codex.hearer = this;
  }

  get rest(): { readonly phase: string; readonly queue: number } {
    return { phase: this.#state.work.phase, queue: this.#state.queue.length };
  }

  prompt(promptId: string, kind: PromptKind): void {
    this.#kinds.set(promptId, kind);
    this.#input({ type: 'prompt', promptId, kind: workKinds[kind], report: kind === 'report' });
  }

  cancel(): void {
    this.#input({ type: 'cancel' });
  }

  cancelPrompt(promptId: string): void {
    this.#input({ type: 'cancelPrompt', promptId, by: this.#protocol === 1 ? 'session' : 'request' });
  }

  close(name: string): void {
    this.answers.set(name, []);
    this.#closes.push(name);
    this.#input({ type: 'close' });
  }

  decidePlan(askId: number, approved: boolean): void {
    if (this.#plan !== askId) return;
    this.#reviewed(approved ? 'approved' : 'kept');
    this.#input({ type: approved ? 'planApproved' : 'planKept' });
  }

  flush(): void {
    return undefined;
  }

  /** The machine asks nobody. */
  onRequest(ref: ServerRequestRef): void {
    this.#codex.answered(ref);
  }

  onLost(cause: Parameters<ThreadHearer['onLost']>[0]): void {
    this.#input({ type: 'lost', cause });
  }

  /** What thread-events.ts makes of an event for the machine. */
  onEvent(event: ThreadEvent): void {
    switch (event.type) {
      case 'turnStarted':
        return this.#input(event);
      case 'turnCompleted': {
        const plan = event.status === 'completed' && this.#codex.planMode && this.#plans.delete(event.turnId);
        return this.#input({ ...event, plan });
      }
      case 'goalUpdated':
        return this.#input({ type: 'goalUpdated', key: goalKey(event.goal) });
      case 'error':
        return event.willRetry
          ? undefined
          : this.#input({ type: 'turnFailed', turnId: event.turnId, error: event.error });
      case 'threadStatus':
        return this.#input({ type: event.status.type === 'active' ? 'threadActive' : 'threadIdle' });
      case 'itemStarted':
      case 'itemCompleted':
        return this.#item(event);
      case 'messageDelta':
      case 'diffUpdated':
        return this.#input({ type: 'activity', turnId: event.turnId });
      default:
        return undefined;
    }
  }

  #item({ turnId, item }: Extract<ThreadEvent, { type: 'itemCompleted' | 'itemStarted' }>): void {
    if (item.type === 'userMessage') {
      const promptId = /^message-(p\d+)$/.exec(item.clientId ?? '')?.[1];
      return promptId === undefined ? undefined : this.#input({ type: 'landed', promptId });
    }
    if (item.type === 'plan') this.#plans.add(turnId);
    this.#input({ type: 'activity', turnId });
    if (item.type === 'reviewEntered') this.#input({ type: 'reviewing', turnId });
    if (item.type === 'compaction') this.#input({ type: 'compacting', turnId });
  }

  #input(input: TurnInput): void {
    this.#waiting.push(input);
    if (this.#busy) return;
    this.#busy = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const { state, effects } = this.#transition(this.#state, next);
      this.#state = state;
      for (const effect of effects) this.#run(effect);
    }
    this.#busy = false;
  }

  #run(effect: TurnEffect): void {
    switch (effect.type) {
      case 'prepare':
        return this.#prepare(effect.attempt);
      case 'start':
        return this.#start(effect.promptId, effect.attempt);
      case 'startPlan':
        return this.#call({ method: 'start', name: 'plan', clientId: this.#clientId('plan') }, effect.attempt);
      case 'runLocal': {
        const { attempt } = effect;
        return this.#codex.call({ method: 'local' }, (result) =>
          this.#input(
            result instanceof Error ? { type: 'localFailed', attempt, error: result } : { type: 'localDone', attempt },
          ),
        );
      }
      case 'leavePlanMode': {
        const { attempt } = effect;
        return this.#codex.call({ method: 'setMode', mode: 'default' }, (result) =>
          this.#input(
            result instanceof Error
              ? { type: 'modeNotSwitched', attempt, error: result }
              : { type: 'modeSwitched', attempt },
          ),
        );
      }
      case 'interrupt':
        return this.#interrupt(effect.turnId);
      case 'report': {
        const { attempt } = effect;
        this.seen.push(`report ${effect.promptId}`);
        if (effect.end === 'cancelled') return this.#input({ type: 'reported', attempt });
        return this.#codex.call({ method: 'disk' }, () => this.#input({ type: 'reported', attempt }));
      }
      case 'wait':
        return this.#wait(effect.timer, effect.ms);
      case 'stopWaiting':
        this.#timers.get(effect.timer)?.();
        this.#timers.delete(effect.timer);
        return;
      case 'withdrawAsks':
        if (this.#plan === null) return;
        this.seen.push(`withdraw ${this.#plan}`);
        return this.#reviewed('withdrawn');
      case 'reviewPlan':
        this.#asks += 1;
        this.#plan = this.#asks;
        this.seen.push(`ask ${this.#plan} plan ${effect.turnId}-plan`);
        return;
      case 'began':
        if (this.#foreground.began() !== null) this.seen.push('running');
        return;
      case 'inserted':
        this.seen.push(`user message-${effect.promptId}`, `inserted ${effect.promptId}`);
        return;
      case 'endPrompt':
        this.seen.push(endedWord(effect.promptId, effect.outcome));
        return;
      case 'idle':
        if (this.#foreground.ended(false)) this.seen.push(idleWord(effect.outcome));
        return;
      case 'abandonReload':
      case 'abortLocal':
      case 'refuseReload':
      case 'reload':
      case 'turnOver':
        return;
      case 'release':
        return this.#codex.call({ method: 'unsubscribe' }, (result) =>
          this.#input(
            result instanceof Error && !(result instanceof CodexLostError)
              ? { type: 'notReleased', error: result }
              : { type: 'released' },
          ),
        );
      case 'closed':
        this.seen.push('endSession');
        return this.#closeEnded('closed');
      case 'closeFailed':
        return this.#closeEnded('not closed');
    }
  }

  #prepare(attempt: number): void {
    const answered = (result: Answer | Error): void => {
      if (result instanceof Error) return this.#input({ type: 'notReady', attempt, error: result });
      if (this.#epoch === this.#codex.epoch) return this.#input({ type: 'ready', attempt });
      const { epoch } = this.#codex;
      this.#codex.call({ method: 'resume' }, (resumed) => {
        if (!(resumed instanceof Error)) this.#epoch = epoch;
        this.#input(
          resumed instanceof Error ? { type: 'notReady', attempt, error: resumed } : { type: 'ready', attempt },
        );
      });
    };
    this.#codex.call({ method: 'ready' }, answered);
  }

  #start(promptId: string, attempt: number): void {
    const kind = this.#kinds.get(promptId) ?? 'text';
    switch (workKinds[kind]) {
      case 'compact':
        return this.#call({ method: 'compact' }, attempt);
      case 'review':
        return this.#call({ method: 'review', name: promptId, broken: kind === 'review-branch' }, attempt);
      case 'goal': {
        const objective = kind === 'goal' ? promptId : null;
        return this.#call({ method: 'setGoal', objective, status: 'active', prompted: true }, attempt);
      }
      case 'local':
      case 'turn':
        return this.#call({ method: 'start', name: promptId, clientId: this.#clientId(promptId) }, attempt);
    }
  }

  /** Only v2 names its messages (S3.29). */
  #clientId(name: string): string | null {
    return this.#protocol === 2 ? `message-${name}` : null;
  }

  #call(call: Call, attempt: number): void {
    this.#codex.call(call, (result) => {
      if (result instanceof Error) return this.#input({ type: 'refused', attempt, error: result });
      const { turnId, goal } = result;
      this.#input({ type: 'accepted', attempt, turnId, ...(goal === null ? {} : { goalKey: goalKey(goal) }) });
    });
  }

  #interrupt(turnId: string): void {
    this.#codex.call({ method: 'interrupt', turnId }, (result) =>
      this.#input(
        result instanceof Error
          ? { type: 'notInterrupted', turnId, refusal: interruptRefusal(result) }
          : { type: 'interrupted', turnId },
      ),
    );
  }

  #wait(timer: TurnTimer, ms: number): void {
    this.#timers.get(timer)?.();
    this.#timers.set(
      timer,
      this.#clock.after(ms, () => {
        this.#timers.delete(timer);
        this.#input({ type: 'timer', timer });
      }),
    );
  }

  #reviewed(outcome: 'approved' | 'kept' | 'withdrawn'): void {
    const asked = this.seen.findLast((word) => word.startsWith(`ask ${this.#plan} plan `));
    this.seen.push(`planReviewed ${asked?.split(' ')[3]} ${outcome}`);
    this.#plan = null;
  }

  #closeEnded(how: string): void {
    for (const name of this.#closes.splice(0)) this.answers.get(name)?.push(how);
  }
}
