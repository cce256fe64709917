import type { ThreadListener } from '../../ports/outbound/codex-runtime.ts';
import type { Log } from '../../ports/outbound/system.ts';
import type { ClientProfile } from '../client/client-profile.ts';
import type { AvailableCommand } from '../commands/available-command.ts';
import { Conversation } from '../conversation/conversation.ts';
import { planModeOf } from '../conversation/plan-texts.ts';
import type { CodexLostError } from '../errors/agent-error.ts';
import type { SessionContext } from '../feature/session-context.ts';
import type { GoalChange } from '../goal/goal.ts';
import type { ServerRequest, ServerRequestRef } from '../interaction/approval-request.ts';
import type { FormAnswer } from '../interaction/form-ask.ts';
import type { AskAnswer } from '../interaction/permission-ask.ts';
import { optionsDiffer, sessionOptions } from '../settings/option-list.ts';
import type { CollaborationMode, SessionSettings } from '../settings/session-settings.ts';
import { withLoadedMode } from '../settings/session-settings.ts';
import type { ThreadEvent } from '../thread/thread-event.ts';
import { Foreground } from '../turn/foreground.ts';
import type { Completion, TurnInput } from '../turn/turn-state.ts';
import { turnStoppedAs } from '../turn/turn-state.ts';
import type { SessionInstructions } from './instructions.ts';
import { Mailbox } from './mailbox.ts';
import type { OpenSession, SessionActorPorts } from './open-session.ts';
import { PromptLedger } from './prompt-ledger.ts';
import type { PromptWork } from './prompt-work.ts';
import { SessionAsks } from './session-asks.ts';
import { SessionFeatures } from './session-features.ts';
import { SessionReload } from './session-reload.ts';
import { SessionWork } from './session-work.ts';
import { SnapshotTimers } from './snapshot-timers.ts';
import type { SteerOutcome } from './steer-request.ts';
import { ThreadEvents } from './thread-events.ts';
import { TurnErrors } from './turn-errors.ts';
import { TurnRunner } from './turn-runner.ts';
import { YoungCommands } from './young-commands.ts';

type ActorInput =
  | { readonly type: 'turn'; readonly input: TurnInput }
  | { readonly type: 'prompt'; readonly prompt: PromptWork }
  | { readonly type: 'event'; readonly event: ThreadEvent }
  | { readonly type: 'request'; readonly ref: ServerRequestRef; readonly request: ServerRequest }
  | { readonly type: 'lost'; readonly cause: CodexLostError }
  | { readonly type: 'answer'; readonly askId: number; readonly answer: AskAnswer }
  | { readonly type: 'form'; readonly askId: number; readonly answer: FormAnswer }
  | { readonly type: 'snapshot'; readonly itemId: string }
  | { readonly type: 'recorded'; readonly turnId: string; readonly record: Completion | null }
  | { readonly type: 'settings'; readonly change: (settings: SessionSettings) => SessionSettings }
  /** Something of a feature: a result that came back, a timer, a command of the client. */
  | { readonly type: 'apply'; readonly apply: () => void; readonly failed?: (error: Error) => void };

/**
 * One session: everything that happens to it enters the mailbox and is handled in order. This class is the mailbox and
 * its doors; the work (turns), the events of the thread and the features are objects of their own behind it.
 */
export class SessionActor implements ThreadListener {
  readonly sessionId: string;
  readonly #profile: ClientProfile;
  readonly #log: Log;
  readonly #mailbox = new Mailbox<ActorInput>(
    (input) => this.#handle(input),
    (input, error) => this.#failed(input, error),
  );
  readonly #foreground = new Foreground();
  readonly #conversation: Conversation;
  readonly #asks: SessionAsks;
  readonly #work: SessionWork;
  readonly #features: SessionFeatures;
  readonly #reload: SessionReload;
  readonly #events: ThreadEvents;
  readonly #context: SessionContext;
  #settings: SessionSettings;

  constructor(session: OpenSession, profile: ClientProfile, ports: SessionActorPorts) {
    this.sessionId = session.sessionId;
    this.#settings = session.settings;
    this.#profile = profile;
    this.#log = ports.log;
    const context = this.#contextOf(ports);
    this.#context = context;
    const prompts = new PromptLedger(session.thread);
    const foreground = this.#foreground;
    const errors = new TurnErrors(profile, (update) => context.show(update), ports.log);
    const snapshots = new SnapshotTimers(ports.scheduler, (itemId) => this.#mailbox.post({ type: 'snapshot', itemId }));
    this.#conversation = new Conversation({
      snapshots: profile.commandOutput === 'snapshots',
      show: (update) => context.show(update),
      snapshotDue: (itemId) => snapshots.due(itemId),
      planMode: planModeOf(profile),
      planDue: (itemId, ms) => context.after(ms, () => this.#conversation.flushPlan(itemId)),
      failureEndsAll: profile.protocol === 2,
      explained: (turnId) => this.#work.stopping || errors.failed(turnId),
      ignored: (what, itemId) => ports.log.debug(`Ignored ${what} of an item that is not open`, { itemId }),
    });
    this.#asks = new SessionAsks(session.sessionId, ports, {
      tool: (itemId) => this.#conversation.tool(itemId),
      show: (update) => context.show(update),
      opened: (askId, itemId) => this.#work.publish(foreground.waitOpened(askId, itemId)),
      answered: (askId) => this.#work.publish(foreground.waitAnswered(askId)),
      withdrawn: (askId) => foreground.waitWithdrawn(askId),
    });
    const young = new YoungCommands(ports.clock);
    const runner = new TurnRunner(
      { ...session, threadId: session.sessionId },
      ports,
      () => this.#settings,
      young,
      (input) => this.#turn(input),
    );
    this.#features = new SessionFeatures({
      session,
      ports,
      context,
      prompts,
      foreground,
      runner,
      conversation: this.#conversation,
      asks: this.#asks,
      work: () => this.#work,
      post: (input) => this.#turn(input),
      postAny: (apply) => this.#apply(apply),
      changeSettings: (change) => this.#changeSettings(change),
    });
    this.#reload = new SessionReload(
      {
        sessionId: session.sessionId,
        ports,
        runner,
        post: (apply) => this.#apply(apply),
        ask: () => this.#work.step({ type: 'reload' }),
        over: () => this.#turn({ type: 'reloaded' }),
        busy: () => this.#features.busy,
        withdrawAsks: () => this.#features.withdrawAsks(),
        turnFound: (turnId) => this.#events.handle({ type: 'turnStarted', turnId }),
        unheard: () => this.#conversation.unheard(),
        threadLoaded: ({ collaborationMode }, again) => {
          if (again) this.#changeSettings((settings) => withLoadedMode(settings, collaborationMode));
          else this.#features.threadLoaded(collaborationMode);
        },
      },
      session.instructions,
    );
    this.#work = new SessionWork({
      context,
      channel: ports.channel,
      prompts,
      runner,
      foreground,
      conversation: this.#conversation,
      errors,
      features: this.#features,
      reload: () => this.#reload,
      post: (input) => this.#turn(input),
      recorded: (turnId, record) => this.#mailbox.post({ type: 'recorded', turnId, record }),
      complete: (turnId, completion) => this.#events.handle({ type: 'turnCompleted', turnId, ...completion }),
    });
    this.#events = new ThreadEvents({
      work: this.#work,
      prompts,
      foreground,
      conversation: this.#conversation,
      asks: this.#asks,
      errors,
      young,
      features: this.#features,
      reload: this.#reload,
    });
  }

  get settings(): SessionSettings {
    return this.#settings;
  }

  /** The session is being closed or gone: it takes no prompts any more (S3.67). */
  get closing(): boolean {
    return this.#work.closing;
  }

  /** What the session was told to tell Codex (S2.52). */
  get instructions(): SessionInstructions {
    return this.#reload.instructions;
  }

  /** The instructions are being changed: a client gets nothing but the end of the session (S2.57, S3.22). */
  get reloading(): boolean {
    return this.#work.reloading;
  }

  /** Changes the instructions; resolves when Codex has them, and fails when they stay as they were (S2.53 to S2.58). */
  changeInstructions(instructions: SessionInstructions): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#apply(() => this.#reload.change({ instructions, resolve, reject }), reject);
    });
  }

  prompt(prompt: PromptWork): void {
    this.#mailbox.post({ type: 'prompt', prompt });
  }

  /** `session/cancel` (S3.50). */
  cancel(): void {
    this.#apply(() => this.#features.cancelSteers());
    this.#turn({ type: 'cancel' });
  }

  /** `$/cancel_request` of a prompt (S3.59). */
  cancelPrompt(promptId: string): void {
    this.#turn({ type: 'cancelPrompt', promptId, by: this.#profile.protocol === 1 ? 'session' : 'request' });
  }

  /** Gives running work more input; resolves once it is known what became of it (S3.141). */
  steer(prompt: PromptWork, promptRequired: boolean): Promise<SteerOutcome> {
    return new Promise((resolve, reject) => {
      this.#apply(() => this.#features.steer({ prompt, promptRequired, resolve, reject }), reject);
    });
  }

  /** Changes the goal beside whatever runs; resolves once Codex took it and the client was told (S3.122, S3.123). */
  controlGoal(change: GoalChange): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#apply(() => this.#features.controlGoal(change, resolve, reject), reject);
    });
  }

  /** Ends the session; resolves when nothing of it will be published any more (S3.66, S3.67). */
  close(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#work.work.phase === 'closed') return resolve();
      this.#work.awaitClose({ resolve, reject });
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

  /**
   * The same for a client that is told when it holds: at once, or while Codex pursues a goal once Codex has them. What
   * Codex refuses is taken back.
   */
  changeOption(change: (settings: SessionSettings) => SessionSettings): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#apply(() => this.#features.changeOption(change, resolve, reject), reject);
    });
  }

  /** Changes the collaboration mode; resolves when Codex has it and the client was told (S2.87). */
  changeCollaborationMode(mode: CollaborationMode): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#apply(() => this.#features.changeCollaborationMode(mode, resolve, reject), reject);
    });
  }

  /** The skills of Codex changed (S2.136). */
  skillsChanged(): void {
    this.#apply(() => this.#features.skillsChanged());
  }

  /** The session is open for the client: what follows the set-up begins (S3.125). */
  opened(thread: 'loaded' | 'new'): void {
    this.#apply(() => this.#features.opened(thread));
  }

  /** The thread was loaded while a turn of it ran: the session starts as running, without an update (S3.90). */
  runs(turnId: string): void {
    this.#apply(() => {
      this.#foreground.began();
      this.#work.step({ type: 'turnStarted', turnId });
    });
  }

  /** Tells a client that opens a recorded session how it stands, before its answer (S2.45, S3.101, S12.17). */
  tellState(commands: readonly AvailableCommand[] | null): void {
    this.#apply(() => {
      this.#features.tellCommands(commands);
      const state = this.#foreground.activity;
      this.#context.show({ type: 'snapshot', title: this.#features.title, state });
    });
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

  #apply(apply: () => void, failed?: (error: Error) => void): void {
    this.#mailbox.post({ type: 'apply', apply, ...(failed === undefined ? {} : { failed }) });
  }

  #handle(input: ActorInput): void {
    this.#dispatch(input);
    this.#features.workMayHaveChanged();
  }

  /** One thing that cannot be handled must not stop what follows (S3.75); whoever waits for it hears it (S5.16). */
  #failed(input: ActorInput, cause: unknown): void {
    const error = cause instanceof Error ? cause : new Error(String(cause));
    const { sessionId } = this;
    this.#log.error('An input of a session could not be handled', { sessionId, type: input.type, exception: error });
    if (input.type === 'request') this.#asks.failed(input.ref, input.request);
    if (input.type === 'apply') input.failed?.(error);
  }

  #dispatch(input: ActorInput): void {
    switch (input.type) {
      case 'event':
        return this.#events.handle(input.event);
      case 'turn':
        return this.#turnInput(input.input);
      case 'prompt':
        return this.#work.prompt(input.prompt);
      case 'request':
        return this.#events.request(input.ref, input.request);
      case 'answer':
        return this.#features.answered(input.askId, input.answer);
      case 'form':
        return this.#features.formAnswered(input.askId, input.answer);
      case 'lost':
        this.#features.codexLost();
        this.#reload.lost(input.cause);
        return this.#work.step({ type: 'lost', cause: input.cause });
      case 'snapshot':
        return this.closing ? undefined : this.#conversation.snapshot(input.itemId);
      case 'recorded':
        return this.#work.watcher.input({ type: 'recorded', turnId: input.turnId, completion: input.record });
      case 'settings':
        return this.#changeSettings(input.change);
      case 'apply':
        return input.apply();
    }
  }

  /** Results of effects and timers; some also tell whether a turn is over (S12.5). */
  #turnInput(input: TurnInput): void {
    if (input.type === 'timer' && input.timer === 'watch') return this.#work.watcher.input({ type: 'timer' });
    this.#work.step(input);
    const turnId = input.type === 'interrupted' ? turnStoppedAs(this.#work.work, input.turnId) : null;
    if (turnId === null) return;
    this.#work.watcher.input({ type: 'witness', turnId, outcome: { status: 'interrupted', error: null } });
  }

  #changeSettings(change: (settings: SessionSettings) => SessionSettings): void {
    const before = sessionOptions(this.#settings);
    this.#settings = change(this.#settings);
    const options = sessionOptions(this.#settings);
    if (!this.closing && optionsDiffer(before, options)) this.#context.show({ type: 'optionsChanged', options });
  }

  #contextOf(ports: SessionActorPorts): SessionContext {
    const whileOpen = (action: () => void): void => this.#apply(() => (this.closing ? undefined : action()));
    return {
      sessionId: this.sessionId,
      profile: this.#profile,
      settings: () => this.#settings,
      show: (update) => ports.channel.update(this.sessionId, update),
      settle: (work, then, failed) => {
        work.then(
          (result) => whileOpen(() => then(result)),
          (error: unknown) => whileOpen(() => failed(error instanceof Error ? error : new Error(String(error)))),
        );
      },
      after: (ms, action) => ports.scheduler.after(ms, () => whileOpen(action)),
    };
  }
}
