import type { CodexThreads, OpenThread, RecordedThread } from '../../ports/outbound/codex-runtime.ts';
import type { Log } from '../../ports/outbound/system.ts';
import type { CodexLostError } from '../errors/agent-error.ts';
import { reloadingError } from '../errors/reloading-error.ts';
import type { ReloadRefusal } from '../turn/turn-state.ts';
import { closingError } from './closing-error.ts';
import type { SessionInstructions } from './instructions.ts';
import type { ReloadEffect, ReloadInput, ReloadState, ReloadStep } from './reload-machine.ts';
import { beginReload, followsTurns, reloadRefusal, reloadTransition } from './reload-machine.ts';
import { resumedProvider } from './session-opening.ts';
import type { TurnRunner } from './turn-runner.ts';

/** A change of the instructions that a set-up asks for, and who waits to hear what became of it. */
export interface InstructionChange {
  readonly instructions: SessionInstructions;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export interface SessionReloadParts {
  readonly sessionId: string;
  readonly ports: { readonly threads: CodexThreads; readonly log: Log };
  readonly runner: TurnRunner;
  /** Brings the result of a call back through the mailbox, also while the session is being closed. */
  readonly post: (apply: () => void) => void;
  /** Asks the turn machine, which answers with `begin` or `refuse`. */
  readonly ask: () => void;
  /** The lane is open again. */
  readonly over: () => void;
  /** Steers or changes of the goal are under way: each may begin a turn. */
  readonly busy: () => boolean;
  /** Waits on the user end with the thread that asked. */
  readonly withdrawAsks: () => void;
  readonly turnFound: (turnId: string) => void;
  /** What happens in the thread is not told from now on, until it is loaded. */
  readonly unheard: () => void;
  /** `again`: the process had the thread before, with everything that it was told. */
  readonly threadLoaded: (thread: OpenThread, again: boolean) => void;
}

/** The change that is under way. */
interface Run {
  readonly change: InstructionChange;
  /** The thread was loaded in the process when the change began. */
  readonly wasLoaded: boolean;
  state: ReloadState;
}

/**
 * Changes the instructions of an open session: its thread is loaded again with others (S2.53 to S2.58). It is called
 * from the mailbox only. When it may begin is decided by the turn machine (R30), what is done by `reloadTransition`.
 */
export class SessionReload {
  readonly #parts: SessionReloadParts;
  #instructions: SessionInstructions;
  /** The change that the turn machine is being asked about. */
  #asked: InstructionChange | null = null;
  #run: Run | null = null;
  /** The turn that was seen to run when nothing had told its start. */
  #seen: string | null = null;

  constructor(parts: SessionReloadParts, instructions: SessionInstructions) {
    this.#parts = parts;
    this.#instructions = instructions;
  }

  /** What is known of the session's instructions (S2.52). */
  get instructions(): SessionInstructions {
    return this.#instructions;
  }

  change(change: InstructionChange): void {
    if (this.#run === null && this.#parts.busy()) return change.reject(reloadRefusal('busy'));
    this.#asked = change;
    this.#parts.ask();
    this.#asked = null;
  }

  /** The turn machine shut the lane. */
  begin(): void {
    if (this.#asked === null) return;
    const run: Run = { change: this.#asked, wasLoaded: this.#parts.runner.loaded, state: beginReload.state };
    this.#run = run;
    this.#take(run, beginReload);
  }

  /** R30. */
  refuse(reason: ReloadRefusal): void {
    this.#asked?.reject(refusal(reason, this.#parts.sessionId));
  }

  /** The thread is being loaded, or has to be after a reload that failed: a turn may run that began while nobody listened. */
  get followsTurns(): boolean {
    return this.#run === null ? !this.#parts.runner.heard : followsTurns(this.#run.state);
  }

  /** Something of a turn is told or asked: this is how such a turn is known before its content is shown (S2.25). */
  turnSeen(turnId: string): void {
    if (this.#seen === turnId) return;
    this.#seen = turnId;
    this.#parts.turnFound(turnId);
  }

  /** Codex says that the thread is not loaded any more. */
  threadUnloaded(): void {
    this.#input({ type: 'unloaded' });
  }

  turnStarted(): void {
    this.#input({ type: 'turnStarted' });
  }

  lost(cause: CodexLostError): void {
    this.#input({ type: 'lost', cause });
  }

  /** The session is being closed (S2.26). */
  abandon(): void {
    this.#input({ type: 'close', error: closingError(this.#parts.sessionId) });
  }

  #input(input: ReloadInput, run = this.#run): void {
    if (run !== null) this.#take(run, reloadTransition(run.state, input));
  }

  #take(run: Run, { state, effects }: ReloadStep): void {
    run.state = state;
    for (const effect of effects) this.#do(run, effect);
  }

  #do(run: Run, effect: ReloadEffect): void {
    const { sessionId, ports, runner, withdrawAsks, threadLoaded, turnFound, unheard } = this.#parts;
    const { threads } = ports;
    switch (effect.type) {
      case 'read':
        return this.#call(run, threads.readThread(sessionId), (thread) => ({ type: 'read', thread }));
      case 'listTerminals':
        return this.#call(run, threads.listTerminals(sessionId), ({ length }) => ({
          type: 'terminals',
          any: length > 0,
        }));
      case 'findTurn':
        return this.#call(run, threads.runningTurn(sessionId), (turnId) => ({ type: 'turn', turnId }));
      case 'unsubscribe':
        withdrawAsks();
        return this.#call(run, threads.unsubscribe(sessionId), () => ({ type: 'unsubscribed' }));
      case 'load':
        runner.threadUnloaded();
        unheard();
        return this.#call(run, this.#load(run, effect.instructions, effect.recorded), (thread) => ({
          type: 'loaded',
          thread,
        }));
      case 'unloaded':
        return runner.threadUnloaded();
      case 'loaded':
        runner.threadLoaded(effect.thread);
        return threadLoaded(effect.thread, run.wasLoaded);
      case 'turnFound':
        return turnFound(effect.turnId);
      case 'end':
        return this.#end(run, effect.error);
    }
  }

  /** The provider is only sent when it is another than that of the recording (S2.22). */
  #load(run: Run, instructions: 'new' | 'previous', recorded: RecordedThread | null): Promise<OpenThread> {
    const { sessionId, ports, runner } = this.#parts;
    const { reopen } = runner;
    const { developer } = instructions === 'new' ? run.change.instructions : this.#instructions;
    const provider =
      reopen.modelProvider === null
        ? { modelProvider: null, keep: null }
        : resumedProvider(recorded, reopen.modelProvider, reopen);
    // A goal may go on with the load: not wider than is shown (S12.8).
    const policy = runner.settings;
    return ports.threads.resume(sessionId, { ...reopen, ...provider, developerInstructions: developer, policy });
  }

  #end(run: Run, error: Error | null): void {
    const { runner, over, ports, sessionId } = this.#parts;
    const { change } = run;
    this.#run = null;
    if (error === null) {
      this.#instructions = change.instructions;
      runner.reopenWith({ ...runner.reopen, developerInstructions: change.instructions.developer });
    } else {
      ports.log.info('The instructions of a session were not changed', { sessionId, reason: error.message });
    }
    over();
    if (error === null) change.resolve();
    else change.reject(error);
  }

  #call<Result>(run: Run, call: Promise<Result>, input: (result: Result) => ReloadInput): void {
    const { post } = this.#parts;
    call.then(
      (result) => post(() => this.#input(input(result), run)),
      (error: unknown) => post(() => this.#input({ type: 'failed', error: asError(error) }, run)),
    );
  }
}

function refusal(reason: ReloadRefusal, sessionId: string): Error {
  switch (reason) {
    case 'busy':
      return reloadRefusal('busy');
    case 'closing':
      return closingError(sessionId);
    case 'reloading':
      return reloadingError();
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
