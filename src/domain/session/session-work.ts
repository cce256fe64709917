import type { ClientChannel } from '../../ports/outbound/client-channel.ts';
import type { ClientProfile } from '../client/client-profile.ts';
import type { Conversation } from '../conversation/conversation.ts';
import { AgentError } from '../errors/agent-error.ts';
import type { SessionContext } from '../feature/session-context.ts';
import { takesImages } from '../settings/session-settings.ts';
import type { Activity, Foreground } from '../turn/foreground.ts';
import { transition } from '../turn/turn-machine.ts';
import type { Completion, ReportCall, TurnEffect, TurnInput, TurnState, Work } from '../turn/turn-state.ts';
import { idleTurnState, runningTurn } from '../turn/turn-state.ts';
import type { PromptEnding, WorkOutcome } from '../turn/work-ending.ts';
import { OverdueTurns } from './overdue-turns.ts';
import type { PromptLedger } from './prompt-ledger.ts';
import type { PromptWork } from './prompt-work.ts';
import type { SessionReload } from './session-reload.ts';
import type { TurnErrors } from './turn-errors.ts';
import type { TurnRunner } from './turn-runner.ts';
import { TurnWatcher } from './turn-watcher.ts';

/** The end of a prompt that had the lane. */
export interface EndedPrompt {
  readonly prompt: PromptWork;
  readonly outcome: WorkOutcome;
  readonly inserted: boolean;
  /** The last turn of the workflow; `null` when Codex ran none. */
  readonly turnId: string | null;
}

/** What the work of a session asks of the session's features, each at its place in the order. */
export interface WorkFeatures {
  /** Codex is about to be asked, or the local command is about to run (S3.39). */
  promptStarts(prompt: PromptWork): void;
  runLocal(prompt: PromptWork, attempt: number): void;
  abortLocal(): void;
  reviewPlan(turnId: string): void;
  leavePlanMode(attempt: number): void;
  startPlan(attempt: number): void;
  report(call: ReportCall): void;
  /** `spare`: a turn that goes on. */
  withdrawAsks(spare?: string): void;
  turnOver(turnId: string | null): void;
  /** Called before the prompt is answered, and right after. */
  promptEnding(ended: EndedPrompt): void;
  promptEnded(ended: EndedPrompt, ending: PromptEnding): void;
  closed(): void;
  /** The session stays open; what came back while it was closing is lost (S3.71). */
  closeFailed(): void;
}

export interface SessionWorkParts {
  readonly context: SessionContext;
  readonly channel: ClientChannel;
  readonly prompts: PromptLedger;
  readonly runner: TurnRunner;
  readonly foreground: Foreground;
  readonly conversation: Conversation;
  readonly errors: TurnErrors;
  readonly features: WorkFeatures;
  readonly reload: () => SessionReload;
  /** Puts an input at the end of the mailbox. */
  readonly post: (input: TurnInput) => void;
  readonly recorded: (turnId: string, record: Completion | null) => void;
  readonly complete: (turnId: string, completion: Completion) => void;
}

/** The turn machine of a session with everything that its effects touch. */
export class SessionWork {
  readonly watcher: TurnWatcher;
  readonly #parts: SessionWorkParts;
  readonly #profile: ClientProfile;
  readonly #closers: { resolve: () => void; reject: (error: Error) => void }[] = [];
  readonly #overdue = new OverdueTurns();
  #state: TurnState = idleTurnState;
  /** The prompt that ended last was the turn of a steer (S3.144). */
  #unanswered = false;

  constructor(parts: SessionWorkParts) {
    this.#parts = parts;
    this.#profile = parts.context.profile;
    const insist = (): void => this.step({ type: 'insist' });
    this.watcher = new TurnWatcher(parts.runner, parts.recorded, parts.complete, insist);
  }

  get work(): Work {
    return this.#state.work;
  }

  /** The session is being closed or gone (S3.67). */
  get closing(): boolean {
    return this.work.phase === 'closing' || this.work.phase === 'closed';
  }

  /** The instructions of the session are being changed (S3.22). */
  get reloading(): boolean {
    return this.work.phase === 'reloading';
  }

  /** The running work was told to stop. */
  get stopping(): boolean {
    return runningTurn(this.work)?.stopping === true;
  }

  /** Takes a prompt into the lane (S3.36). */
  prompt(prompt: PromptWork): void {
    this.#parts.prompts.add(prompt);
    const { promptId, task, reportId } = prompt;
    this.step({ type: 'prompt', promptId, kind: task.type, report: reportId !== null });
  }

  /** Somebody waits for the session to be closed; `close` itself is an input. */
  awaitClose(closer: { resolve: () => void; reject: (error: Error) => void }): void {
    this.#closers.push(closer);
  }

  step(input: TurnInput): void {
    const before = runningTurn(this.work);
    this.#observe(input);
    const { state, effects } = transition(this.#state, this.#asKnown(input));
    this.#state = state;
    for (const effect of effects) this.#run(effect);
    const after = runningTurn(this.work);
    if (after === null || (before !== null && after.turnId !== before.turnId)) this.watcher.input({ type: 'over' });
    if (after?.stopping === true) this.watcher.input({ type: 'stopping', turnId: after.turnId });
    const turnId = after?.turnId ?? null;
    if (turnId === null || turnId === before?.turnId || !this.#overdue.has(turnId)) return;
    const outcome = this.#parts.errors.unrecorded(turnId, 'completed');
    this.watcher.input({ type: 'witness', turnId, outcome });
  }

  #observe(input: TurnInput): void {
    switch (input.type) {
      case 'turnStarted':
        return this.#overdue.began(input.turnId, input.rootId);
      case 'turnCompleted':
        return this.#overdue.ended(input.turnId);
      case 'threadActive':
        return this.#overdue.active();
      case 'threadIdle':
        return this.#overdue.rest();
      case 'lost':
        return this.#overdue.lost();
      default:
        return;
    }
  }

  /** Publishes a foreground state; once the work was told to stop, the next one is its `idle` (S5.150). */
  publish(activity: Activity | null): void {
    if (!this.stopping) this.#publishState(activity);
  }

  /**
   * Codex refuses to interrupt a turn that it has not registered with the name of the one before, even when that has
   * just ended: it names nothing that could be interrupted instead (S3.61).
   */
  #asKnown(input: TurnInput): TurnInput {
    if (input.type !== 'notInterrupted' || input.refusal.type !== 'mismatch') return input;
    return this.#parts.errors.isOver(input.refusal.found) ? { ...input, refusal: { type: 'unregistered' } } : input;
  }

  #run(effect: TurnEffect): void {
    const { features, runner, channel, context, reload } = this.#parts;
    switch (effect.type) {
      case 'prepare':
        return this.#prepare(effect.promptId, effect.attempt);
      case 'start':
        return this.#start(effect.attempt);
      case 'runLocal':
        return this.#runLocal(effect.attempt);
      case 'abortLocal':
        return features.abortLocal();
      case 'reviewPlan':
        return features.reviewPlan(effect.turnId);
      case 'leavePlanMode':
        return features.leavePlanMode(effect.attempt);
      case 'startPlan':
        return features.startPlan(effect.attempt);
      case 'report':
        return features.report(effect);
      case 'interrupt':
        return runner.interrupt(effect.turnId);
      case 'wait':
        return runner.wait(effect.timer, effect.ms);
      case 'stopWaiting':
        return runner.stopWaiting(effect.timer);
      case 'withdrawAsks':
        return features.withdrawAsks(effect.spare);
      case 'began':
        this.#releaseErrors();
        return this.#publishState(this.#parts.foreground.began());
      case 'inserted':
        return this.#inserted(effect.promptId);
      case 'turnOver':
        return this.#turnOver(effect);
      case 'endPrompt':
        return this.#endPrompt(effect);
      case 'idle':
        return this.#idle(effect.outcome, effect.promptId);
      case 'reload':
        return reload().begin();
      case 'refuseReload':
        return reload().refuse(effect.reason);
      case 'abandonReload':
        return reload().abandon();
      case 'release':
        return runner.release();
      case 'closed':
        features.closed();
        channel.endSession(context.sessionId);
        for (const closer of this.#closers.splice(0)) closer.resolve();
        return;
      case 'closeFailed':
        features.closeFailed();
        for (const closer of this.#closers.splice(0)) closer.reject(effect.error);
        return;
    }
  }

  /** Settings are fixed now (S12.7); an image needs a model that takes it (S3.25). */
  #prepare(promptId: string, attempt: number): void {
    const { prompts, context, runner, post } = this.#parts;
    const admitted = prompts.admit(promptId, context.settings());
    if (admitted === null) return;
    const { hasImage, task } = admitted.prompt;
    if (hasImage && task.type === 'turn' && !takesImages(context.settings())) {
      return post({ type: 'notReady', attempt, error: imageRefused() });
    }
    // `turn/start` brings the settings along; other starts do not (S2.63).
    const brings = task.type === 'turn' || task.type === 'local';
    runner.prepare(attempt, brings ? null : admitted.policy);
  }

  #start(attempt: number): void {
    const { prompts, features, runner } = this.#parts;
    const { admitted } = prompts;
    if (admitted === null) return;
    const { prompt, policy } = admitted;
    features.promptStarts(prompt);
    const clientMessageId = this.#profile.protocol === 2 ? prompt.messageId : null;
    const wanted = (): boolean => {
      const { work } = this;
      return work.phase === 'starting' && work.attempt === attempt && work.cancelled === null;
    };
    runner.start({ attempt, prompt, policy, clientMessageId, wanted });
  }

  #runLocal(attempt: number): void {
    const { prompts, features } = this.#parts;
    const { admitted } = prompts;
    if (admitted === null) return;
    features.promptStarts(admitted.prompt);
    features.runLocal(admitted.prompt, attempt);
  }

  #inserted(promptId: string): void {
    const { prompts, channel, context } = this.#parts;
    const prompt = prompts.get(promptId);
    if (prompt === undefined) return;
    context.show({ type: 'userMessage', messageId: prompt.messageId, blocks: prompt.blocks });
    channel.promptInserted(context.sessionId, promptId, prompt.messageId);
  }

  #turnOver(effect: Extract<TurnEffect, { type: 'turnOver' }>): void {
    const { turnId, end } = effect;
    const { runner, conversation, errors, foreground, features } = this.#parts;
    if (turnId !== null) errors.over(turnId);
    const stopped = end.status === 'interrupted' || end.status === 'cancelled';
    if (stopped && turnId !== null) runner.terminate(conversation.liveCommands(turnId));
    conversation.endTurn(turnId, end);
    foreground.turnOver(turnId);
    features.turnOver(turnId);
  }

  #endPrompt(effect: Extract<TurnEffect, { type: 'endPrompt' }>): void {
    const { promptId, outcome, inserted, reason, turnId } = effect;
    const { prompts, errors, channel, context, features } = this.#parts;
    const prompt = prompts.get(promptId);
    const usage = prompts.end(promptId);
    // A steer whose turn did not run is answered with the error.
    this.#unanswered = prompt?.requested === false && turnId !== null;
    const answered = this.#profile.protocol === 2 && inserted;
    if (usage !== null) errors.tellFailure(outcome, answered || this.#unanswered, localName(prompt));
    if (turnId === null && usage !== null) {
      // The answer tells why a prompt did not run.
      if (prompt?.task.type === 'turn') errors.drop();
      else errors.releaseToSession();
    }
    const ending: PromptEnding = { outcome, usage, inserted, reason };
    const ended: EndedPrompt | null = prompt === undefined ? null : { prompt, outcome, inserted, turnId };
    if (ended !== null) features.promptEnding(ended);
    channel.promptEnded(context.sessionId, promptId, ending);
    if (ended !== null) features.promptEnded(ended, ending);
  }

  #idle(outcome: WorkOutcome, promptId: string | null): void {
    const { errors, foreground, prompts, context } = this.#parts;
    // Nothing is told of a turn of Codex that was lost with it but its end (S8.66).
    if (promptId === null) errors.tellFailure(outcome, false, null);
    errors.drop();
    const visible = foreground.ended(promptId !== null && runningTurn(this.work) !== null);
    // The end of Codex is told also when nothing of the prompt was visible before (S3.43, R24).
    if (!visible && !(outcome.type === 'failed' && outcome.failure.type === 'lost')) return;
    const usage = promptId === null ? null : prompts.lastUsage;
    const unanswered = promptId !== null && this.#unanswered ? ({ unanswered: true } as const) : {};
    context.show({ type: 'foreground', state: 'idle', ending: { outcome, usage, ...unanswered } });
  }

  /** Errors that came before the turn's id was known find their turn now (S3.173). */
  #releaseErrors(): void {
    const { work } = this;
    if (work.phase === 'running') this.#parts.errors.release(work.turnId);
  }

  #publishState(activity: Activity | null): void {
    if (activity === null || activity === 'idle') return;
    this.#parts.context.show({ type: 'foreground', state: activity });
  }
}

/** S3.25. */
export function imageRefused(): AgentError {
  const message = 'The current model does not support image input';
  return AgentError.invalidRequest(message, message);
}

/** The name of a local command, for the text about its failure (S3.45). */
function localName(prompt: PromptWork | undefined): string | null {
  return prompt?.task.type === 'local' ? prompt.task.name : null;
}
