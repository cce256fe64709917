import type { ClientChannel } from '../../ports/outbound/client-channel.ts';
import type { StartThread, ThreadListener } from '../../ports/outbound/codex-runtime.ts';
import type { ClientProfile } from '../client/client-profile.ts';
import { Conversation } from '../conversation/conversation.ts';
import type { ConversationUpdate } from '../conversation/conversation-update.ts';
import { planModeOf } from '../conversation/plan-texts.ts';
import type { CodexLostError } from '../errors/agent-error.ts';
import { AgentError } from '../errors/agent-error.ts';
import type { ServerRequest, ServerRequestRef } from '../interaction/approval-request.ts';
import type { FormAnswer } from '../interaction/form-ask.ts';
import type { AskAnswer } from '../interaction/permission-ask.ts';
import { optionsDiffer, sessionOptions } from '../settings/option-list.ts';
import type { SessionSettings } from '../settings/session-settings.ts';
import { takesImages } from '../settings/session-settings.ts';
import type { ThreadEvent, ThreadStatus } from '../thread/thread-event.ts';
import type { Activity } from '../turn/foreground.ts';
import { Foreground } from '../turn/foreground.ts';
import { type TurnEnd, turnEnd } from '../turn/turn-end.ts';
import { transition } from '../turn/turn-machine.ts';
import type { Completion, TurnEffect, TurnInput, TurnState, Work } from '../turn/turn-state.ts';
import { awaitsActivity, idleTurnState, runningTurn } from '../turn/turn-state.ts';
import type { WorkOutcome } from '../turn/work-ending.ts';
import { Mailbox } from './mailbox.ts';
import { PromptLedger } from './prompt-ledger.ts';
import type { PromptWork } from './prompt-work.ts';
import type { SessionAsksPorts } from './session-asks.ts';
import { SessionAsks } from './session-asks.ts';
import { SnapshotTimers } from './snapshot-timers.ts';
import { TurnErrors } from './turn-errors.ts';
import type { TurnRunnerPorts } from './turn-runner.ts';
import { TurnRunner } from './turn-runner.ts';
import { TurnWatcher } from './turn-watcher.ts';

export interface SessionActorPorts extends SessionAsksPorts, TurnRunnerPorts {
  readonly channel: ClientChannel;
}

/** A session as it was opened. */
export interface OpenSession {
  readonly sessionId: string;
  readonly epoch: number;
  readonly settings: SessionSettings;
  /** How the thread is loaded again in another app-server process. */
  readonly reopen: StartThread;
}

type ActorInput =
  | { readonly type: 'turn'; readonly input: TurnInput }
  | { readonly type: 'prompt'; readonly prompt: PromptWork }
  | { readonly type: 'event'; readonly event: ThreadEvent }
  | { readonly type: 'request'; readonly ref: ServerRequestRef; readonly request: ServerRequest }
  | { readonly type: 'lost'; readonly cause: CodexLostError }
  | { readonly type: 'answer'; readonly askId: number; readonly answer: AskAnswer }
  | { readonly type: 'form'; readonly askId: number; readonly answer: FormAnswer }
  | { readonly type: 'snapshot'; readonly itemId: string }
  | { readonly type: 'planDue'; readonly itemId: string }
  | { readonly type: 'recorded'; readonly turnId: string; readonly record: Completion | null }
  | { readonly type: 'settings'; readonly change: (settings: SessionSettings) => SessionSettings };

/**
 * One session: everything that happens to it enters the mailbox and is handled in order. The turn machine decides about
 * turns, the conversation shows what Codex reports, the asks wait for the user; this class connects them and gives each
 * thing its place in the order.
 */
export class SessionActor implements ThreadListener {
  readonly sessionId: string;
  readonly #ports: SessionActorPorts;
  readonly #profile: ClientProfile;
  readonly #mailbox = new Mailbox<ActorInput>((input) => this.#handle(input));
  readonly #prompts = new PromptLedger();
  readonly #foreground = new Foreground();
  readonly #conversation: Conversation;
  readonly #asks: SessionAsks;
  readonly #runner: TurnRunner;
  readonly #watcher: TurnWatcher;
  readonly #errors: TurnErrors;
  readonly #snapshots: SnapshotTimers;
  readonly #closers: { resolve: () => void; reject: (error: Error) => void }[] = [];
  #state: TurnState = idleTurnState;
  #settings: SessionSettings;

  constructor(session: OpenSession, profile: ClientProfile, ports: SessionActorPorts) {
    this.sessionId = session.sessionId;
    this.#settings = session.settings;
    this.#profile = profile;
    this.#ports = ports;
    const show = (update: ConversationUpdate): void => ports.channel.update(this.sessionId, update);
    this.#errors = new TurnErrors(profile, show, ports.log);
    this.#snapshots = new SnapshotTimers(ports.scheduler, (itemId) => this.#mailbox.post({ type: 'snapshot', itemId }));
    this.#conversation = new Conversation({
      snapshots: profile.commandOutput === 'snapshots',
      show,
      snapshotDue: (itemId) => this.#snapshots.due(itemId),
      planMode: planModeOf(profile),
      planDue: (itemId, ms) => ports.scheduler.after(ms, () => this.#mailbox.post({ type: 'planDue', itemId })),
      stopping: () => runningTurn(this.#state.work)?.stopping === true,
      ignored: (what, itemId) => ports.log.debug(`Ignored ${what} of an item that is not open`, { itemId }),
    });
    this.#asks = new SessionAsks(session.sessionId, ports, {
      tool: (itemId) => this.#conversation.tool(itemId),
      show,
      opened: (askId, itemId) => this.#publish(this.#foreground.waitOpened(askId, itemId)),
      answered: (askId) => this.#publish(this.#foreground.waitAnswered(askId)),
      withdrawn: (askId) => this.#foreground.waitWithdrawn(askId),
    });
    this.#runner = new TurnRunner(
      { threadId: session.sessionId, epoch: session.epoch, reopen: session.reopen },
      ports,
      (input) => this.#mailbox.post({ type: 'turn', input }),
    );
    this.#watcher = new TurnWatcher(
      this.#runner,
      (turnId, record) => this.#mailbox.post({ type: 'recorded', turnId, record }),
      (turnId, completion) => this.#event({ type: 'turnCompleted', turnId, ...completion }),
    );
  }

  get settings(): SessionSettings {
    return this.#settings;
  }

  /** The session is being closed or gone: it takes no prompts any more (S3.67). */
  get closing(): boolean {
    return this.#state.work.phase === 'closing' || this.#state.work.phase === 'closed';
  }

  prompt(prompt: PromptWork): void {
    this.#mailbox.post({ type: 'prompt', prompt });
  }

  /** `session/cancel` (S3.50). */
  cancel(): void {
    this.#turn({ type: 'cancel' });
  }

  /** `$/cancel_request` of a prompt (S3.59). */
  cancelPrompt(promptId: string): void {
    this.#turn({ type: 'cancelPrompt', promptId, by: this.#profile.protocol === 1 ? 'session' : 'request' });
  }

  /** Ends the session; resolves when nothing of it will be published any more (S3.66, S3.67). */
  close(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#state.work.phase === 'closed') return resolve();
      this.#closers.push({ resolve, reject });
      this.#turn({ type: 'close' });
    });
  }

  answerAsk(askId: number, answer: AskAnswer): void {
    this.#mailbox.post({ type: 'answer', askId, answer });
  }

  answerForm(askId: number, answer: FormAnswer): void {
    this.#mailbox.post({ type: 'form', askId, answer });
  }

  /** Changes settings; the client is told the new option list when it differs (S2.98). */
  changeSettings(change: (settings: SessionSettings) => SessionSettings): void {
    this.#mailbox.post({ type: 'settings', change });
  }

  onEvent(event: ThreadEvent): void {
    this.#mailbox.post({ type: 'event', event });
  }

  onRequest(ref: ServerRequestRef, request: ServerRequest): void {
    this.#mailbox.post({ type: 'request', ref, request });
  }

  onLost(cause: CodexLostError): void {
    this.#mailbox.post({ type: 'lost', cause });
  }

  #turn(input: TurnInput): void {
    this.#mailbox.post({ type: 'turn', input });
  }

  #handle(input: ActorInput): void {
    switch (input.type) {
      case 'event':
        return this.#event(input.event);
      case 'turn':
        return this.#turnInput(input.input);
      case 'prompt':
        this.#prompts.add(input.prompt);
        return this.#step({ type: 'prompt', promptId: input.prompt.promptId });
      case 'request':
        return this.#request(input.ref, input.request);
      case 'answer':
        return this.#asks.answer(input.askId, input.answer);
      case 'form':
        return this.#ports.log.debug('Ignored the answer to a form that nobody waits for', { askId: input.askId });
      case 'lost':
        return this.#step({ type: 'lost', cause: input.cause });
      case 'snapshot':
        return this.closing ? undefined : this.#conversation.snapshot(input.itemId);
      case 'planDue':
        return this.closing ? undefined : this.#conversation.flushPlan(input.itemId);
      case 'recorded':
        return this.#watcher.input({ type: 'recorded', turnId: input.turnId, completion: input.record });
      case 'settings':
        return this.#changeSettings(input.change);
    }
  }

  /** Results of effects and timers; some also tell whether a turn is over (S12.5). */
  #turnInput(input: TurnInput): void {
    if (input.type === 'timer' && input.timer === 'watch') return this.#watcher.input({ type: 'timer' });
    this.#step(input);
    if (input.type === 'interrupted') {
      this.#watcher.input({ type: 'witness', turnId: input.turnId, outcome: { status: 'interrupted', error: null } });
    }
  }

  /** One event of Codex. Deltas come first: they are the hot path (architecture, section 3.5). */
  #event(event: ThreadEvent): void {
    if (this.closing) return this.#eventWhileClosing(event);
    this.#prompts.observe(event);
    switch (event.type) {
      case 'messageDelta':
      case 'reasoningDelta':
      case 'commandOutput':
        if (awaitsActivity(this.#state.work)) this.#step({ type: 'activity', turnId: event.turnId });
        this.#itemRuns(event.turnId, event.itemId);
        return this.#conversation.handle(event);
      case 'itemStarted':
      case 'itemCompleted':
        return this.#itemEvent(event);
      case 'turnStarted':
        this.#step({ type: 'turnStarted', turnId: event.turnId });
        return this.#publish(this.#foreground.workSeen());
      case 'turnCompleted':
        this.#asks.turnOver(event.turnId);
        this.#errors.completed(event.turnId);
        return this.#step(event);
      case 'error':
        return this.#error(event);
      case 'threadStatus':
        this.#threadStatus(event.status);
        return this.#conversation.handle(event);
      case 'requestResolved':
        return this.#asks.resolved(event.requestId);
      default:
        return this.#conversation.handle(event);
    }
  }

  /** An idle thread is a witness that its turn is over (S12.5). */
  #threadStatus(status: ThreadStatus): void {
    const turn = runningTurn(this.#state.work);
    switch (status.type) {
      case 'active':
        this.#watcher.input({ type: 'active' });
        if (status.activeFlags.length > 0) return;
        this.#step({ type: 'threadActive' });
        return this.#publish(this.#foreground.workSeen());
      case 'idle':
      case 'systemError': {
        if (turn === null || turn.turnId === null) return;
        const failed = status.type === 'systemError';
        const outcome: Completion = { status: failed ? 'failed' : 'completed', error: null };
        return this.#watcher.input({ type: 'witness', turnId: turn.turnId, outcome });
      }
      case 'notLoaded':
        return;
    }
  }

  /** A session that is being closed shows nothing; only the end of its turn counts (S3.69). */
  #eventWhileClosing(event: ThreadEvent): void {
    if (event.type === 'turnCompleted') this.#step(event);
  }

  #itemEvent(event: Extract<ThreadEvent, { type: 'itemCompleted' | 'itemStarted' }>): void {
    const { item, turnId } = event;
    if (item.type === 'userMessage') {
      const prompt = this.#prompts.admitted?.prompt;
      if (prompt?.messageId === item.clientId) this.#step({ type: 'landed', promptId: prompt.promptId });
      return;
    }
    if (awaitsActivity(this.#state.work)) this.#step({ type: 'activity', turnId });
    if (event.type === 'itemStarted') this.#itemRuns(turnId, item.id);
    this.#conversation.handle(event);
    if (event.type === 'itemCompleted') this.#publish(this.#foreground.itemEnded(item.id));
  }

  /** Only items of the running turn keep the session running: a background command does not (S3.92). */
  #itemRuns(turnId: string, itemId: string): void {
    const { work } = this.#state;
    const current =
      (work.phase === 'running' && work.turnId === turnId) ||
      (work.phase === 'agent' && work.agent.turnId === turnId) ||
      work.phase === 'starting';
    if (current) this.#publish(this.#foreground.itemRuns(itemId));
  }

  #request(ref: ServerRequestRef, request: ServerRequest): void {
    const stale = request.turnId !== null && this.#errors.isOver(request.turnId);
    if (this.closing || stale) return this.#asks.refuse(ref, request);
    this.#asks.ask(ref, request);
  }

  #error(event: Extract<ThreadEvent, { type: 'error' }>): void {
    this.#conversation.handle(event);
    const { work } = this.#state;
    if (work.phase === 'starting') return this.#errors.hold(event);
    const running = work.phase === 'running' ? work.turnId : work.phase === 'agent' ? work.agent.turnId : null;
    this.#errors.tell(event, running);
  }

  #changeSettings(change: (settings: SessionSettings) => SessionSettings): void {
    const before = sessionOptions(this.#settings);
    this.#settings = change(this.#settings);
    const options = sessionOptions(this.#settings);
    if (!this.closing && optionsDiffer(before, options)) this.#show({ type: 'optionsChanged', options });
  }

  #step(input: TurnInput): void {
    const { work } = this.#state;
    const before = runningTurn(work);
    const { state, effects } = transition(this.#state, input);
    this.#state = state;
    for (const effect of effects) this.#run(effect, input, work);
    const after = runningTurn(this.#state.work);
    if (after === null || (before !== null && after.turnId !== before.turnId)) this.#watcher.input({ type: 'over' });
    if (after?.stopping === true) this.#watcher.input({ type: 'stopping', turnId: after.turnId });
  }

  /** `input` led to the effect, `before` was the work until then. */
  #run(effect: TurnEffect, input: TurnInput, before: Work): void {
    switch (effect.type) {
      case 'prepare':
        return this.#prepare(effect.promptId, effect.attempt);
      case 'start':
        return this.#start(effect.attempt);
      case 'interrupt':
        return this.#runner.interrupt(effect.turnId);
      case 'wait':
        return this.#runner.wait(effect.timer, effect.ms);
      case 'stopWaiting':
        return this.#runner.stopWaiting(effect.timer);
      case 'withdrawAsks':
        return this.#asks.withdrawAll();
      case 'began':
        this.#releaseErrors();
        return this.#publishState(this.#foreground.began());
      case 'inserted':
        return this.#inserted(effect.promptId);
      case 'turnOver':
        return this.#turnOver(effect.turnId, turnEnd(effect, input, before));
      case 'endPrompt':
        return this.#endPrompt(effect);
      case 'idle':
        return this.#idle(effect.outcome, effect.promptId);
      case 'release':
        return this.#runner.release();
      case 'closed':
        this.#ports.channel.endSession(this.sessionId);
        for (const closer of this.#closers.splice(0)) closer.resolve();
        return;
      case 'closeFailed':
        for (const closer of this.#closers.splice(0)) closer.reject(effect.error);
        return;
    }
  }

  #prepare(promptId: string, attempt: number): void {
    const admitted = this.#prompts.admit(promptId, this.#settings);
    if (admitted === null) return;
    if (admitted.prompt.hasImage && !takesImages(this.#settings)) {
      const message = 'The current model does not support image input';
      return this.#turn({ type: 'notReady', attempt, error: AgentError.invalidRequest(message, message) });
    }
    this.#runner.prepare(attempt);
  }

  #start(attempt: number): void {
    const { admitted } = this.#prompts;
    if (admitted === null) return;
    const { prompt, policy } = admitted;
    this.#runner.start(attempt, prompt, policy, this.#profile.protocol === 2 ? prompt.messageId : null);
  }

  #inserted(promptId: string): void {
    const prompt = this.#prompts.get(promptId);
    if (prompt === undefined) return;
    this.#show({ type: 'userMessage', messageId: prompt.messageId, blocks: prompt.blocks });
    this.#ports.channel.promptInserted(this.sessionId, promptId, prompt.messageId);
  }

  #turnOver(turnId: string | null, end: TurnEnd): void {
    const stopped = end.status !== 'completed' && end.status !== 'failed';
    if (stopped && turnId !== null) this.#runner.terminate(this.#conversation.liveCommands(turnId));
    this.#conversation.endTurn(turnId, end);
  }

  #endPrompt(effect: Extract<TurnEffect, { type: 'endPrompt' }>): void {
    const { promptId, outcome, inserted, reason } = effect;
    const usage = this.#prompts.end(promptId);
    if (usage !== null) this.#errors.tellFailure(outcome, inserted);
    this.#ports.channel.promptEnded(this.sessionId, promptId, { outcome, usage, inserted, reason });
  }

  #idle(outcome: WorkOutcome, promptId: string | null): void {
    if (promptId === null) this.#errors.tellFailure(outcome, true);
    this.#errors.drop();
    if (!this.#foreground.ended() || this.#profile.protocol === 1) return;
    const usage = promptId === null ? null : this.#prompts.lastUsage;
    this.#show({ type: 'foreground', state: 'idle', ending: { outcome, usage } });
  }

  /** Errors that came before the turn's id was known find their turn now (S3.173). */
  #releaseErrors(): void {
    const { work } = this.#state;
    if (work.phase !== 'running') return;
    this.#errors.release(work.turnId);
  }

  /** Once the work was told to stop, the next state is its `idle` (S5.150). */
  #publish(activity: Activity | null): void {
    if (runningTurn(this.#state.work)?.stopping !== true) this.#publishState(activity);
  }

  #publishState(activity: Activity | null): void {
    if (activity === null || activity === 'idle' || this.#profile.protocol === 1) return;
    this.#show({ type: 'foreground', state: activity });
  }

  #show(update: ConversationUpdate): void {
    this.#ports.channel.update(this.sessionId, update);
  }
}
