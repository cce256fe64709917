import { FakeClock } from '../../support/fake-clock.ts';
import { checkAll } from './checks.ts';
import { clientActions } from './client-actions.ts';
import { codexActions, toNextTimer } from './codex-actions.ts';
import type { Call } from './codex-calls.ts';
import { CodexModel } from './codex-model.ts';
import { beganByItself } from './codex-turn.ts';
import type { ScriptLine, Setup } from './script.ts';
import { printScript } from './script.ts';
import type { Step } from './steps.ts';
import type { PromptKind, Subject, SubjectFactory } from './subject.ts';

/** A question that the client saw. `plan`: it is about a plan. */
export interface SeenAsk {
  readonly askId: number;
  readonly plan: boolean;
}

/** What became of a prompt, as far as the client saw. */
export interface SeenPrompt {
  readonly promptId: string;
  readonly kind: PromptKind;
  inserted: boolean;
  ended: boolean;
}

/** One session after another on the same thread; each has its own frames. */
export interface Generation {
  readonly subject: Subject;
  readonly prompts: Map<string, SeenPrompt>;
  readonly asks: SeenAsk[];
  readonly forms: number[];
  /** Asks that are neither answered nor withdrawn. */
  readonly openAsks: Set<number>;
  readonly openForms: Set<number>;
  /** Answered by the client while they were open. */
  readonly answeredAsks: Set<number>;
  /** Prompts that Codex was asked for, and those of them that ended with nothing else running: their idle is due. */
  readonly started: Set<string>;
  readonly owing: Set<string>;
  /** Turns whose end the session heard of, with how much the client had seen then. */
  readonly overAt: Map<string, number>;
  closing: boolean;
  closed: boolean;
  /** Milliseconds that passed since the close was asked for. */
  closingFor: number;
  /** How much of `seen` is in the script, and how much of what Codex told was looked at. */
  looked: number;
  heard: number;
}

const mostRounds = 500;

const actions = { ...clientActions, ...codexActions };

/**
 * A run: Codex, a client, and a session between them. Each step picks one thing that can happen now; what cannot happen
 * now does nothing. Everything that did happen becomes a line of the script.
 */
export class Play {
  readonly setup: Setup;
  readonly clock = new FakeClock();
  readonly codex: CodexModel;
  readonly script: ScriptLine[] = [];
  /** What must not be, in words; reported with the script. */
  readonly faults: string[] = [];
  /** Numbers the prompts, steers, changes of goal and mode, closes and reloads. */
  readonly counters = { prompt: 0, steer: 0, goal: 0, mode: 0, close: 0, reload: 0 };
  /** Every session of the thread, the last one is open. */
  readonly generations: Generation[] = [];
  readonly #create: SubjectFactory;

  constructor(setup: Setup, create: SubjectFactory) {
    this.setup = setup;
    this.#create = create;
    this.codex = new CodexModel((call) => this.#called(call));
    this.reopen();
  }

  get now(): Generation {
    const last = this.generations.at(-1);
    if (last === undefined) throw new Error('no session');
    return last;
  }

  /** Opens the thread again: a new session of it. */
  reopen(): void {
    const subject = this.#create(this.setup, this.codex, this.clock);
    this.generations.push({
      subject,
      prompts: new Map(),
      asks: [],
      forms: [],
      openAsks: new Set(),
      openForms: new Set(),
      answeredAsks: new Set(),
      started: new Set(),
      owing: new Set(),
      overAt: new Map(),
      closing: false,
      closed: false,
      closingFor: 0,
      looked: 0,
      heard: this.codex.heard.length,
    });
  }

  /** Plays one step; false when it cannot happen now. */
  async do(step: Step): Promise<boolean> {
    const [name, n] = step;
    const text = actions[name](this, n);
    if (text === null) return false;
    const flushed = this.now.subject.flush();
    if (flushed !== undefined) await flushed;
    this.script.push({ step, text, saw: this.#look() });
    return true;
  }

  async all(steps: readonly Step[]): Promise<this> {
    for (const step of steps) await this.do(step);
    return this;
  }

  /** Everything that is under way comes to its end, with nobody asking for anything new. */
  async settle(): Promise<void> {
    this.codex.goalsEnd = true;
    for (let round = 0; round < mostRounds; round += 1) {
      const next = this.#nextToSettle();
      if (next === null) return;
      if (!(await this.do(next))) throw this.failure(`does not come to rest: ${next.join(' ')} does nothing`);
    }
    throw this.failure('does not come to rest');
  }

  /** Settles; then a last prompt must come through, and everything must have happened as often as it has to. */
  async finish(): Promise<void> {
    await this.settle();
    if (this.now.closed) {
      await this.do(['reopen', 0]);
      await this.settle();
    }
    const last = `p${this.counters.prompt + 1}`;
    await this.do(['prompt', 0]);
    await this.settle();
    if (!this.now.subject.seen.includes(`ended ${last} done`)) this.faults.push(`the last prompt ${last} is not done`);
    checkAll(this);
    if (this.faults.length > 0) throw this.failure(this.faults.join('\n'));
  }

  failure(message: string): Error {
    return new Error(`${message}\n\n${printScript(this.setup, this.script)}\n`);
  }

  /** The step that brings a run nearer to its end; `null` when nothing is left. */
  #nextToSettle(): Step | null {
    const { codex, clock, now } = this;
    const { turn } = codex;
    if (codex.pipe.length > 0) return ['hear', 19];
    if (codex.next !== null) return ['advance', 1];
    if (codex.open.length > 0) return ['answer', 0];
    const [ask] = now.openAsks;
    if (ask !== undefined)
      return now.asks.some(({ askId, plan }) => askId === ask && plan) ? ['keep', 0] : ['reject', 0];
    if (turn === null) {
      if (codex.goalDue && codex.loaded) return ['advance', 1];
      if ([...codex.turns.values()].some(({ background }) => background.length > 0)) return ['endCommand', 0];
      return clock.waiting > 0 ? ['tick', toNextTimer] : null;
    }
    if (turn.unwanted !== 'must' || turn.stopped) return ['advance', 1];
    if (clock.waiting > 0) return ['tick', toNextTimer];
    this.faults.push(`${turn.id} runs on, though it was to be stopped`);
    turn.unwanted = 'may';
    return ['advance', 1];
  }

  /**
   * An interrupt is only for a turn that somebody wants to stop, and that is not known to be over (S3.62). A session that
   * is being closed stops every start that is answered then (S3.68).
   */
  #called(call: Call): void {
    if (call.method === 'start' || call.method === 'review') this.now.started.add(call.name);
    if (call.method !== 'interrupt' || this.now.closing) return;
    const turn = this.codex.turns.get(call.turnId);
    if (turn === undefined) this.faults.push(`interrupt of ${call.turnId}, which is no turn`);
    else if (this.now.overAt.has(turn.id)) this.faults.push(`interrupt of ${call.turnId}, which is over`);
    else if (turn.unwanted === 'no') this.faults.push(`interrupt of ${call.turnId}, which nobody asked to stop`);
  }

  /** What the client saw since the last look. */
  #look(): string[] {
    const now = this.now;
    const { seen } = now.subject;
    const saw = seen.slice(now.looked);
    now.looked = seen.length;
    for (const word of saw) this.#note(now, word);
    for (const event of this.codex.heard.slice(now.heard)) {
      if (event.type === 'turnCompleted') now.overAt.set(event.turnId, seen.length);
    }
    now.heard = this.codex.heard.length;
    return saw;
  }

  /** A turn whose end was not told, and that is not of the prompt, or was only joined by it. */
  #anotherRuns(promptId: string): boolean {
    const { codex, now } = this;
    const others = [...codex.turns.values()].filter((turn) => beganByItself(turn) || !turn.names.includes(promptId));
    return others.some(({ id }) => !now.overAt.has(id));
  }

  #note(now: Generation, word: string): void {
    const [kind, id = '', about] = word.split(' ');
    const prompt = now.prompts.get(id);
    switch (kind) {
      case 'inserted':
        if (prompt !== undefined) prompt.inserted = true;
        return;
      case 'ended':
        if (prompt !== undefined) prompt.ended = true;
        if (now.started.has(id) && !this.#anotherRuns(id)) now.owing.add(id);
        return;
      case 'ask':
        now.asks.push({ askId: Number(id), plan: about === 'plan' });
        now.openAsks.add(Number(id));
        return;
      case 'form':
        now.forms.push(Number(id));
        now.openForms.add(Number(id));
        return;
      case 'withdraw':
        now.openAsks.delete(Number(id));
        now.openForms.delete(Number(id));
        return;
      case 'endSession':
        now.closed = true;
        return;
    }
  }
}
