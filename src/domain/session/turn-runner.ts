import type { CodexGoals, CodexSkills } from '../../ports/outbound/codex-features.ts';
import type {
  CodexLifecycle,
  CodexThreads,
  CodexTurns,
  OpenThread,
  StartThread,
} from '../../ports/outbound/codex-runtime.ts';
import type { Log, Scheduler } from '../../ports/outbound/system.ts';
import { AgentError, CodexLostError, CodexRequestError } from '../errors/agent-error.ts';
import { goalKey } from '../goal/goal.ts';
import type { CollaborationMode, SessionSettings } from '../settings/session-settings.ts';
import { collaborationModeOf } from '../settings/session-settings.ts';
import type { TurnPolicy } from '../settings/turn-policy.ts';
import { turnPolicy } from '../settings/turn-policy-of.ts';
import type { CommandItem } from '../thread/thread-item.ts';
import type { Completion, InterruptRefusal, TurnInput, TurnTimer } from '../turn/turn-state.ts';
import { skillRoots } from '../workspace/workspace.ts';
import { closingError } from './closing-error.ts';
import type { PromptWork } from './prompt-work.ts';
import { reopenError } from './reopen-error.ts';
import type { YoungCommands } from './young-commands.ts';

export interface TurnRunnerPorts {
  readonly lifecycle: CodexLifecycle;
  readonly threads: CodexThreads;
  readonly turns: CodexTurns;
  readonly goals: CodexGoals;
  readonly skills: CodexSkills;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

/** A start request. `wanted`: nobody has cancelled it. */
export interface StartWork {
  readonly attempt: number;
  readonly prompt: PromptWork;
  readonly policy: TurnPolicy;
  readonly clientMessageId: string | null;
  readonly wanted: () => boolean;
}

/** So often a mode that is chosen while the thread is loaded may be another than before (S8.52). */
const mostModeSwitches = 8;

/**
 * Carries out what the turn machine decided for one thread: calls Codex and sets timers. Every result comes back as an
 * input; nothing is decided here.
 */
export class TurnRunner {
  readonly #threadId: string;
  readonly #ports: TurnRunnerPorts;
  #reopen: StartThread;
  readonly #settings: () => SessionSettings;
  readonly #young: YoungCommands;
  readonly #report: (input: TurnInput) => void;
  readonly #timers = new Map<TurnTimer, () => void>();
  /** Commands that are being ended, by process. */
  readonly #ending = new Map<string, Promise<void>>();
  /** Settings that the thread has in Codex; `null` when they are not known to be ours. */
  #applied: TurnPolicy | null;
  #revision = 0;
  /** Process in which the thread was loaded last, `null` once it is gone. `heard`: it was not let go of since. */
  #load: { readonly epoch: number | null; readonly heard: boolean };
  #reopening: Promise<void> | null = null;
  #closed = false;

  constructor(
    thread: {
      readonly threadId: string;
      readonly epoch: number;
      readonly reopen: StartThread;
      /** What the thread was told when it was opened. */
      readonly told: TurnPolicy | null;
    },
    ports: TurnRunnerPorts,
    settings: () => SessionSettings,
    young: YoungCommands,
    report: (input: TurnInput) => void,
  ) {
    this.#threadId = thread.threadId;
    this.#load = { epoch: thread.epoch, heard: true };
    this.#reopen = thread.reopen;
    this.#applied = thread.told;
    this.#settings = settings;
    this.#young = young;
    this.#ports = ports;
    this.#report = report;
  }

  /** What the client is shown, as the thread gets it. */
  get settings(): TurnPolicy {
    return turnPolicy(this.#settings());
  }

  /** How the thread is loaded in another process (S2.51). */
  get reopen(): StartThread {
    return this.#reopen;
  }

  reopenWith(reopen: StartThread): void {
    this.#reopen = reopen;
  }

  /** The thread is loaded now; what it keeps of our settings is not known. */
  threadLoaded({ epoch }: OpenThread): void {
    this.#load = { epoch, heard: true };
    this.#knowing(null);
  }

  /** Perhaps the thread is not loaded any more: the next use loads it. */
  threadUnloaded(): void {
    this.#load = { ...this.#load, heard: false };
  }

  /** The process is gone, perhaps long before the next one begins. */
  threadLost(): void {
    this.#load = { ...this.#load, epoch: null };
  }

  /** The session is gone: whoever opens the thread now has its settings (S8.58). */
  close(): void {
    this.#closed = true;
  }

  /** Makes Codex and the thread ready for a turn (S3.39): a lost process is replaced and the thread loaded again. */
  prepare(attempt: number, policy: TurnPolicy | null): void {
    this.ready(policy).then(
      () => this.#report({ type: 'ready', attempt }),
      (error: unknown) => this.#report({ type: 'notReady', attempt, error: asError(error) }),
    );
  }

  /** Starts what the prompt asks for; a local command has nothing to start (S3.29, S3.110, S3.113, S3.118). */
  start(start: StartWork): void {
    const { attempt } = start;
    this.#started(start).then(
      (started) => this.#report({ type: 'accepted', attempt, ...started }),
      (error: unknown) => this.#report({ type: 'refused', attempt, error: asError(error) }),
    );
  }

  /** The same for what is no prompt; `policy` for turns that Codex starts without our `turn/start` (S2.63). */
  async ready(policy: TurnPolicy | null): Promise<void> {
    await this.#threadReady();
    if (policy !== null && !this.has(policy)) await this.apply(policy);
  }

  /** The thread is loaded in the process that runs. */
  get loaded(): boolean {
    return this.#load.heard && this.#load.epoch === this.#ports.lifecycle.epoch;
  }

  /** What happens in the thread is told, or its process is gone. */
  get heard(): boolean {
    return this.#load.heard || this.#load.epoch !== this.#ports.lifecycle.epoch;
  }

  /** Counts how often the thread's settings in Codex became others, or unknown. */
  get revision(): number {
    return this.#revision;
  }

  /** The settings that the thread was told last; `null` when they are not known. */
  get told(): TurnPolicy | null {
    return this.#applied;
  }

  /** The thread has these settings, or will have them before anything that is sent from now on. */
  has(policy: TurnPolicy): boolean {
    return this.#applied !== null && policyKey(this.#applied) === policyKey(policy);
  }

  /** Gives the thread these settings. */
  async apply(policy: TurnPolicy): Promise<void> {
    await this.#bringing(policy, () => this.#ports.threads.applyPolicy(this.#threadId, policy));
  }

  /** Switches the collaboration mode; the thread gets the model and the effort of the policy, too (S2.87). */
  async switchMode(mode: CollaborationMode, policy: TurnPolicy): Promise<void> {
    if (!this.has(policy)) this.#knowing(null);
    const { model, effort } = policy;
    await this.#ports.threads.setCollaborationMode(this.#threadId, { mode, model, effort });
  }

  async #started({
    attempt,
    prompt: { task, input },
    policy,
    clientMessageId,
    wanted,
  }: StartWork): Promise<Omit<Extract<TurnInput, { type: 'accepted' }>, 'attempt' | 'type'>> {
    const { turns, goals } = this.#ports;
    const threadId = this.#threadId;
    // Other settings may have been told since the prompt was made ready (S12.7).
    if (task.type !== 'turn' && !this.has(policy)) {
      await this.apply(policy);
      if (!wanted()) throw new Error('The prompt was cancelled before it was sent to Codex');
    }
    switch (task.type) {
      case 'turn':
        return this.#bringing(policy, () => turns.start({ threadId, input, clientMessageId, policy }));
      case 'compact':
        await turns.compact(threadId);
        return { turnId: null };
      case 'review':
        return turns.review(threadId, task.target);
      case 'goal': {
        const { change } = task;
        const goal = await goals.set(threadId, {
          status: 'active',
          ...(change.action === 'set' ? { objective: change.objective } : {}),
        });
        return { turnId: null, goalKey: goalKey(goal) };
      }
      case 'local':
        throw new Error(`/${task.name} starts no turn (attempt ${attempt})`);
    }
  }

  interrupt(turnId: string): void {
    this.#ports.turns.interrupt(this.#threadId, turnId).then(
      () => this.#report({ type: 'interrupted', turnId }),
      (error: unknown) => {
        const refusal = interruptRefusal(error);
        if (refusal.type === 'other') {
          this.#ports.log.warn('Codex did not interrupt the turn', { turnId, reason: asError(error).message });
        }
        this.#report({ type: 'notInterrupted', turnId, refusal });
      },
    );
  }

  wait(timer: TurnTimer, ms: number): void {
    this.stopWaiting(timer);
    this.#timers.set(
      timer,
      this.#ports.scheduler.after(ms, () => {
        this.#timers.delete(timer);
        this.#report({ type: 'timer', timer });
      }),
    );
  }

  stopWaiting(timer: TurnTimer): void {
    this.#timers.get(timer)?.();
    this.#timers.delete(timer);
  }

  /** Asks what Codex recorded of a turn (S12.5). A read that fails tells nothing. */
  readTurn(turnId: string, told: (record: Completion | null) => void): void {
    this.#ports.threads.readTurn(this.#threadId, turnId).then(told, (error: unknown) => {
      this.#ports.log.warn('The recorded turn could not be read', { turnId, reason: asError(error).message });
      told(null);
    });
  }

  /** Codex no longer answers: gives its process up (S12.6). */
  replaceCodex(): void {
    this.#ports.log.error('Codex did not end a cancelled turn and no longer answers; it is replaced');
    void this.#ports.lifecycle.replace();
  }

  /** Ends the processes of commands whose turn was stopped: an interrupt leaves them running (ACP-CANCEL-204). */
  terminate(commands: readonly CommandItem[]): void {
    for (const { processId, id } of commands) {
      if (processId === null) continue;
      this.#end(id, processId).catch((error: unknown) => {
        this.#ports.log.warn('A command of a stopped turn could not be ended', {
          itemId: id,
          reason: asError(error).message,
        });
      });
    }
  }

  /** Ends a command once that ends all of it. */
  #end(itemId: string, processId: string): Promise<void> {
    const ending = this.#ending.get(processId) ?? this.#terminated(processId, this.#young.restMs(itemId));
    this.#ending.set(processId, ending);
    const over = (): boolean => this.#ending.delete(processId);
    ending.then(over, over);
    return ending;
  }

  async #terminated(processId: string, afterMs: number): Promise<void> {
    const { threads, scheduler } = this.#ports;
    if (afterMs > 0) await new Promise<void>((resolve) => scheduler.after(afterMs, resolve));
    await threads.terminateTerminal(this.#threadId, processId);
  }

  /** Ends what the thread still runs in the background and lets go of it (S3.67 step 7). */
  release(): void {
    this.#release().then(
      () => this.#report({ type: 'released' }),
      (error: unknown) => {
        // A dead app-server has nothing left to release (S3.70).
        if (error instanceof CodexLostError) this.#report({ type: 'released' });
        else this.#report({ type: 'notReleased', error: asError(error) });
      },
    );
  }

  /** Codex takes settings in the order in which they are sent: the newest count. Refused ones are not known to be there. */
  async #bringing<Result>(policy: TurnPolicy, send: () => Promise<Result>): Promise<Result> {
    this.#knowing(policy);
    try {
      return await send();
    } catch (error) {
      this.#knowing(null);
      throw error;
    }
  }

  #knowing(applied: TurnPolicy | null): void {
    this.#applied = applied;
    this.#revision += 1;
  }

  async #threadReady(): Promise<void> {
    const { lifecycle } = this.#ports;
    await lifecycle.ready();
    if (this.#closed) throw closingError(this.#threadId);
    if (this.loaded) return this.#useSkills();
    this.#reopening ??= this.#loadAgain().finally(() => {
      this.#reopening = null;
    });
    await this.#reopening;
    await this.#useSkills();
  }

  /** Skills of the session's further directories; a failure costs only them (S3.27). */
  async #useSkills(): Promise<void> {
    try {
      await this.#ports.skills.useRoots(skillRoots(this.#settings().workspace));
    } catch (error) {
      if (error instanceof CodexLostError) throw error;
      this.#ports.log.warn('The skill folders could not be set', { reason: asError(error).message });
    }
  }

  async #loadAgain(): Promise<void> {
    try {
      // A goal goes on with the load: not wider than is shown (S12.8).
      const params = { ...this.#reopen, keep: null, policy: this.settings };
      const thread = await this.#ports.threads.resume(this.#threadId, params);
      if (!this.heard) await this.#findTurn();
      await this.#bringMode(thread);
      this.threadLoaded(thread);
    } catch (error) {
      throw reopenError(this.#threadId, error);
    }
  }

  /** The mode that is shown holds, also one that is chosen meanwhile (S2.87, S8.52). */
  async #bringMode(thread: OpenThread): Promise<void> {
    let mode = collaborationModeOf(thread.collaborationMode);
    for (let switches = 0; mode !== this.#settings().collaborationMode; switches += 1) {
      if (this.#closed) throw closingError(this.#threadId);
      if (switches === mostModeSwitches) throw new AgentError('internal', 'The collaboration mode does not settle');
      mode = this.#settings().collaborationMode;
      await this.switchMode(mode, this.settings);
    }
  }

  /** A turn may have begun while nobody heard of the thread (S2.25). */
  async #findTurn(): Promise<void> {
    // A thread that was never recorded cannot tell its turns, and has none.
    const turnId = await this.#ports.threads.runningTurn(this.#threadId).catch((error: unknown) => {
      if (error instanceof CodexLostError) throw error;
      return null;
    });
    if (turnId !== null) this.#report({ type: 'turnStarted', turnId });
  }

  async #release(): Promise<void> {
    const { threads } = this.#ports;
    if (!this.loaded) return;
    const terminals = await threads.listTerminals(this.#threadId);
    await Promise.all(terminals.map(({ itemId, processId }) => this.#end(itemId, processId)));
    await threads.unsubscribe(this.#threadId);
  }
}

/** What an interrupt error means (S3.2, S1.215). */
export function interruptRefusal(error: unknown): InterruptRefusal {
  if (!(error instanceof CodexRequestError)) return { type: 'other' };
  if (error.message.includes('no active turn to interrupt')) return { type: 'unregistered' };
  const mismatch = /expected active turn id `?([^\s`]+)`? but found `?([^\s`]+)`?/.exec(error.message);
  const [, expected, found] = mismatch ?? [];
  return expected === undefined || found === undefined ? { type: 'other' } : { type: 'mismatch', expected, found };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** Two policies with the same key are the same. */
function policyKey(policy: TurnPolicy): string {
  return JSON.stringify(policy);
}
