import type { CodexGoals } from '../../ports/outbound/codex-features.ts';
import type { Log } from '../../ports/outbound/system.ts';
import { AgentError } from '../errors/agent-error.ts';
import type { SessionContext } from '../feature/session-context.ts';
import type { Goal, GoalChange } from '../goal/goal.ts';
import { goalDiffers, goalKey, goalRequest } from '../goal/goal.ts';

/** Codex tells of a cleared goal right after its answer; so long it is waited for, in milliseconds. */
const clearedLimitMs = 1000;

/** A change that a client waits for. */
interface OpenControl {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  /** Goals that Codex told of since it was asked. */
  readonly told: Set<string>;
}

/**
 * The goal of one session: clients that follow goals get a snapshot of it when it changes, and every client may change
 * it, also during a turn (S3.122 to S3.125).
 */
export class GoalTracker {
  readonly #context: SessionContext;
  readonly #goals: CodexGoals;
  readonly #log: Log;
  readonly #controls = new Set<OpenControl>();
  /** Clears that Codex accepted and whose event is still out. */
  readonly #clears = new Set<() => void>();
  /** Counts what Codex told: an answer that was asked for before is old news (R22). */
  #revision = 0;
  #clearedAt = 0;
  /** What the client was told last; `undefined` before the first snapshot. */
  #published: Goal | null | undefined;
  #closed = false;
  /** The goal was paused and set active again while the thread was loaded: the client must not see that (S12.8). */
  #held: boolean;

  constructor(context: SessionContext, goals: CodexGoals, log: Log, held = false) {
    this.#context = context;
    this.#goals = goals;
    this.#log = log;
    this.#held = held;
  }

  /** A change of the goal is under way. */
  get busy(): boolean {
    return this.#controls.size > 0;
  }

  /** The session is open and its answer is out: the client learns the goal, or that there is none (S3.125). */
  opened(): void {
    if (!this.#follows()) return;
    const revision = this.#revision;
    this.#context.settle(
      this.#goals.read(this.#context.sessionId),
      (goal) => {
        if (revision === this.#revision) this.#publish(goal);
      },
      (error) => this.#log.info('The goal could not be read', this.#about(error)),
    );
  }

  /** `thread/goal/updated`. */
  updated(goal: Goal): void {
    if (this.#held && goal.status === 'paused') return;
    this.#held = false;
    this.#revision += 1;
    for (const { told } of this.#controls) told.add(goalKey(goal));
    this.#publishChange(goal);
  }

  /** `thread/goal/cleared`. */
  cleared(): void {
    this.#held = false;
    this.#revision += 1;
    this.#clearedAt = this.#revision;
    this.#publishChange(null);
    for (const done of this.#clears) done();
  }

  /**
   * Changes the goal. Settles when Codex accepted the change and the client was told, whether a turn follows or not
   * (S3.122); fails as Codex refuses, and with `cancelled` when the session is closed before.
   */
  control(change: GoalChange): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(closedError());
      const control: OpenControl = { resolve, reject, told: new Set() };
      this.#controls.add(control);
      if (change.action === 'clear') this.#clear(control);
      else this.#set(change, control);
    });
  }

  /** The session is closed: nothing comes back any more, and whoever waits is told. */
  close(): void {
    this.#closed = true;
    this.abandon();
  }

  /** The session was being closed and stays open: who waits is told, since answers that came meanwhile are lost (S3.71). */
  abandon(): void {
    for (const control of this.#controls) this.#fail(control, closedError());
  }

  #set(change: Exclude<GoalChange, { action: 'clear' }>, control: OpenControl): void {
    this.#context.settle(
      this.#goals.set(this.#context.sessionId, goalRequest(change)),
      (goal) => {
        // The event of this change comes before those of later ones: without it, what was told meanwhile is older.
        if (!control.told.has(goalKey(goal))) this.#publishChange(goal);
        this.#succeed(control);
      },
      (error) => this.#fail(control, error),
    );
  }

  #clear(control: OpenControl): void {
    const revision = this.#revision;
    this.#context.settle(
      this.#goals.clear(this.#context.sessionId),
      (had) => {
        if (!had || this.#clearedAt > revision) return this.#succeed(control);
        this.#awaitCleared(control);
      },
      (error) => this.#fail(control, error),
    );
  }

  /**
   * A last usage report may come before the event (S3.11), so the answer alone publishes nothing: the client would see
   * the goal come back for a moment.
   */
  #awaitCleared(control: OpenControl): void {
    const done = (): void => {
      this.#clears.delete(done);
      stopWaiting();
      this.#succeed(control);
    };
    const revision = this.#revision;
    const stopWaiting = this.#context.after(clearedLimitMs, () => {
      // Without the event the answer has to do, unless there is a goal again.
      if (revision === this.#revision) this.cleared();
      else done();
    });
    this.#clears.add(done);
  }

  #succeed(control: OpenControl): void {
    if (this.#controls.delete(control)) control.resolve();
  }

  #fail(control: OpenControl, error: Error): void {
    if (this.#controls.delete(control)) control.reject(error);
  }

  #publishChange(goal: Goal | null): void {
    if (this.#published === undefined || goalDiffers(this.#published, goal)) this.#publish(goal);
  }

  #publish(goal: Goal | null): void {
    if (!this.#follows()) return;
    this.#published = goal;
    this.#context.show({ type: 'goal', goal });
  }

  /** Only AIR follows goals (S3.124). */
  #follows(): boolean {
    return this.#context.profile.air !== null;
  }

  #about(error: Error): Readonly<Record<string, unknown>> {
    return { sessionId: this.#context.sessionId, reason: error.message };
  }
}

function closedError(): AgentError {
  return new AgentError('cancelled', 'The session was closed before its goal was changed.');
}
