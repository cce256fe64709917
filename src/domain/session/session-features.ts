import type { AvailableCommand } from '../commands/available-command.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { ProposedPlan } from '../conversation/plan-texts.ts';
import type { SessionContext } from '../feature/session-context.ts';
import type { Goal, GoalChange } from '../goal/goal.ts';
import type { FormAnswer } from '../interaction/form-ask.ts';
import type { AskAnswer } from '../interaction/permission-ask.ts';
import { codexInput, parsePrompt } from '../prompt/prompt-mapping.ts';
import { AsyncQuestions } from '../question/async-questions.ts';
import type { CollaborationMode, SessionSettings } from '../settings/session-settings.ts';
import { PromptSuggestions } from '../suggestion/prompt-suggestions.ts';
import type { ThreadEvent } from '../thread/thread-event.ts';
import type { AgentMessageItem } from '../thread/thread-item.ts';
import { SessionTitles } from '../title/session-titles.ts';
import { servesTitleModel } from '../title/title-model.ts';
import type { Foreground } from '../turn/foreground.ts';
import type { ReportCall, TurnInput } from '../turn/turn-state.ts';
import type { PromptEnding } from '../turn/work-ending.ts';
import { closingError } from './closing-error.ts';
import { CollaborationModes } from './collaboration-modes.ts';
import { CommandList } from './command-list.ts';
import { Echoes } from './echoes.ts';
import { FileChangeReports } from './file-change-reports.ts';
import { leftPausedNotice } from './goal-hold.ts';
import { GoalSettings } from './goal-settings.ts';
import { GoalTracker } from './goal-tracker.ts';
import { leftOutNotice } from './left-out-notice.ts';
import type { OpenLocalCommand } from './local-commands.ts';
import { LocalCommands } from './local-commands.ts';
import { sessionPorts } from './local-ports.ts';
import type { OpenSession, SessionActorPorts } from './open-session.ts';
import { PlanReviews } from './plan-reviews.ts';
import type { PromptLedger } from './prompt-ledger.ts';
import type { PromptWork } from './prompt-work.ts';
import type { SessionAsks } from './session-asks.ts';
import type { OpenSteer } from './session-steering.ts';
import { SessionSteering } from './session-steering.ts';
import type { EndedPrompt, SessionWork, WorkFeatures } from './session-work.ts';
import { TurnModels } from './turn-models.ts';
import type { TurnRunner } from './turn-runner.ts';

export interface SessionFeaturesParts {
  readonly session: OpenSession;
  readonly ports: SessionActorPorts;
  readonly context: SessionContext;
  readonly prompts: PromptLedger;
  readonly foreground: Foreground;
  readonly runner: TurnRunner;
  readonly conversation: Conversation;
  readonly asks: SessionAsks;
  readonly work: () => SessionWork;
  readonly post: (input: TurnInput) => void;
  /** The same for any result, also while the session is being closed. */
  readonly postAny: (apply: () => void) => void;
  readonly changeSettings: (change: (settings: SessionSettings) => SessionSettings) => void;
}

/** Plans that are kept for a turn whose start is not answered yet. */
const keptPlans = 16;

/** What the second turn of a plan's workflow is told (S3.130). */
const implementation = [{ type: 'text', text: 'Implement the approved plan.' }];

/**
 * The features of a session beside its turns, each in an object of its own: this class gives each of them its place in
 * the order of things. It is called from the mailbox only.
 */
export class SessionFeatures implements WorkFeatures {
  readonly #parts: SessionFeaturesParts;
  readonly #echoes: Echoes;
  readonly #steering: SessionSteering;
  readonly #planReviews: PlanReviews;
  readonly #questions: AsyncQuestions;
  readonly #goals: GoalTracker;
  readonly #goalSettings: GoalSettings;
  readonly #modes: CollaborationModes;
  readonly #models: TurnModels;
  readonly #titles: SessionTitles;
  readonly #suggestions: PromptSuggestions;
  readonly #commands: CommandList;
  readonly #locals: LocalCommands;
  readonly #reports: FileChangeReports;
  /** Goal controls that wait for the thread. */
  readonly #controls = new Set<(error: Error) => void>();
  #local: OpenLocalCommand | null = null;
  /** The last plans of turns that are over, by turn: which one is the prompt's own may not be known yet (S3.77). */
  readonly #plans = new Map<string, ProposedPlan>();

  constructor(parts: SessionFeaturesParts) {
    this.#parts = parts;
    const { session, ports, context, foreground } = parts;
    this.#echoes = new Echoes((messageId, blocks) => context.show({ type: 'userMessage', messageId, blocks }));
    this.#models = new TurnModels({ ...parts, work: () => parts.work().work });
    this.#steering = new SessionSteering({
      context,
      models: this.#models,
      turns: ports.turns,
      echoes: this.#echoes,
      work: () => parts.work().work,
      enqueue: (prompt) => parts.work().prompt(prompt),
    });
    this.#planReviews = new PlanReviews({
      context,
      channel: ports.channel,
      nextAskId: ports.nextAskId,
      opened: (askId) => parts.work().publish(foreground.waitOpened(askId, null)),
      answered: (askId) => parts.work().publish(foreground.waitAnswered(askId)),
      withdrawn: (askId) => foreground.waitWithdrawn(askId),
      decided: (decision) => parts.work().step({ type: decision === 'approved' ? 'planApproved' : 'planKept' }),
    });
    this.#questions = new AsyncQuestions(context, {
      channel: ports.channel,
      log: ports.log,
      nextAskId: ports.nextAskId,
      steer: (turnId, text, readable, done, failed) => this.#steerReply({ turnId, text, readable, done, failed }),
    });
    this.#goals = new GoalTracker(context, ports.goals, ports.log, session.goal === 'continued');
    this.#goalSettings = new GoalSettings({ ...parts, goals: ports.goals, log: ports.log });
    this.#modes = new CollaborationModes({ ...parts, log: ports.log, post: parts.postAny });
    this.#titles = new SessionTitles(context, ports, session.title, () => servesTitleModel(null));
    this.#suggestions = new PromptSuggestions(context, ports.sampling, ports.promptSuggestions);
    this.#commands = new CommandList(context, ports);
    if (session.commands !== null) this.#commands.published(session.commands);
    this.#locals = new LocalCommands(context, {
      ...sessionPorts(parts),
      rename: (title) => this.#titles.rename(title),
      togglePlanMode: () => new Promise((resolve, reject) => this.#modes.toggle({ resolve, reject })),
    });
    this.#reports = new FileChangeReports(context, ports.files);
  }

  /** The client has the answer to the set-up: what it is told by itself follows (S2.40, S3.125). */
  opened(thread: 'loaded' | 'new'): void {
    const { context, session } = this.#parts;
    if (session.goal === 'leftPaused') context.show({ type: 'notice', notice: leftPausedNotice() });
    if (thread === 'loaded') this.#goals.opened();
    else if (context.profile.protocol === 1) this.#commands.promptEnded();
  }

  /** The commands of a session that is opened again: an update on v1, a part of the answer on v2 (S2.42, S12.17). */
  tellCommands(commands: readonly AvailableCommand[] | null): void {
    if (commands === null) return;
    if (this.#parts.context.profile.protocol === 1) this.#commands.tell(commands);
    else this.#commands.published(commands);
  }

  /** The title that the client was shown; `null` when it has none. */
  get title(): string | null {
    return this.#titles.shown;
  }

  steer(steer: OpenSteer): void {
    this.#steering.take(steer);
  }

  /** `session/cancel` reached the session: steers that wait are like queued prompts (S3.144). */
  cancelSteers(): void {
    this.#steering.cancel();
  }

  controlGoal(change: GoalChange, resolve: () => void, reject: (error: Error) => void): void {
    const { context, work } = this.#parts;
    if (work().closing) return reject(closingError(context.sessionId));
    this.#controls.add(reject);
    this.#whenReadyFor(
      change,
      () => {
        this.#controls.delete(reject);
        this.#goals.control(change).then(resolve, reject);
      },
      (error) => {
        this.#controls.delete(reject);
        reject(error);
      },
    );
  }

  /** The turn of a goal runs with what the client is shown, also when that changed meanwhile (S2.63, S12.8). */
  #whenReadyFor(change: GoalChange, ready: () => void, failed: (error: Error) => void): void {
    const { context, runner } = this.#parts;
    const starts = change.action === 'set' || change.action === 'resume';
    context.settle(
      runner.ready(starts ? runner.settings : null),
      () => {
        if (!starts || runner.has(runner.settings)) ready();
        else this.#whenReadyFor(change, ready, failed);
      },
      failed,
    );
  }

  /** Steers or changes of the goal are under way: each of them may begin a turn. */
  get busy(): boolean {
    return this.#steering.busy || this.#controls.size > 0 || this.#goals.busy;
  }

  changeOption(
    change: (settings: SessionSettings) => SessionSettings,
    resolve: () => void,
    reject: (error: Error) => void,
  ): void {
    const { context, work } = this.#parts;
    if (work().closing) return reject(closingError(context.sessionId));
    this.#goalSettings.change(change, { resolve, reject });
  }

  changeCollaborationMode(mode: CollaborationMode, resolve: () => void, reject: (error: Error) => void): void {
    this.#modes.change(mode, { resolve, reject });
  }

  /** A process that did not have the thread loaded it for other instructions. */
  threadLoaded(collaborationMode: string | null): void {
    this.#modes.threadLoaded(collaborationMode);
  }

  skillsChanged(): void {
    this.#commands.skillsChanged();
  }

  answered(askId: number, answer: AskAnswer): void {
    if (!this.#planReviews.answer(askId, answer)) this.#parts.asks.answer(askId, answer);
  }

  formAnswered(askId: number, answer: FormAnswer): void {
    this.#questions.answered(askId, answer);
  }

  /** Something happened: steers that wait for the work may go on. */
  workMayHaveChanged(): void {
    this.#steering.workChanged();
    this.#modes.settle();
    this.#goalSettings.settle();
  }

  codexLost(): void {
    this.#parts.runner.threadLost();
    this.#titles.codexReplaced();
    this.#suggestions.turnStarted();
  }

  turnStarted(turnId: string): void {
    this.#models.began(turnId);
    this.#suggestions.turnStarted();
  }

  goalUpdated(goal: Goal): void {
    this.#goals.updated(goal);
    this.#goalSettings.updated(goal);
    this.#locals.goalUpdated(goal);
  }

  goalCleared(): void {
    this.#goals.cleared();
    this.#goalSettings.cleared();
    this.#locals.goalCleared();
  }

  named(name: string | null): void {
    this.#titles.named(name);
  }

  /** What the turns change is followed for the report of changed files. */
  observe(event: Extract<ThreadEvent, { type: 'diffUpdated' | 'turnCompleted' }>): void {
    this.#reports.observe(event);
  }

  /** Codex recorded a user message that is not the prompt's own. */
  recorded(messageId: string): void {
    this.#echoes.recorded(messageId);
  }

  /** Questions of a turn that is being stopped are not asked any more. */
  messageCompleted(turnId: string, item: AgentMessageItem): void {
    if (!this.#parts.work().stopping) this.#questions.messageCompleted(turnId, item);
  }

  /** The turn ended with a plan that the user has to decide about (S3.128). */
  hasPlan(turnId: string): boolean {
    const plan = this.#parts.conversation.planOf(turnId);
    if (plan !== null) this.#plans.set(turnId, plan);
    const [oldest] = this.#plans.keys();
    if (this.#plans.size > keptPlans && oldest !== undefined) this.#plans.delete(oldest);
    return plan !== null && this.#parts.context.settings().collaborationMode === 'plan';
  }

  promptStarts(prompt: PromptWork): void {
    this.#suggestions.promptAdmitted();
    this.#reports.begin(prompt.reportId);
    const notice = leftOutNotice(prompt);
    if (notice !== null) this.#parts.context.show({ type: 'notice', notice });
  }

  runLocal(prompt: PromptWork, attempt: number): void {
    const { post } = this.#parts;
    if (prompt.task.type !== 'local') return;
    this.#local = this.#locals.run(prompt.task.command, {
      done: () => post({ type: 'localDone', attempt }),
      failed: (error) => post({ type: 'localFailed', attempt, error }),
    });
  }

  abortLocal(): void {
    this.#local?.cancel();
    this.#local = null;
  }

  reviewPlan(turnId: string): void {
    const plan = this.#plans.get(turnId);
    this.#plans.clear();
    if (plan !== undefined) this.#planReviews.ask(plan);
  }

  leavePlanMode(attempt: number): void {
    const { admitted } = this.#parts.prompts;
    if (admitted !== null) this.#modes.leavePlanMode(attempt, admitted.policy);
  }

  startPlan(attempt: number): void {
    const { prompts, runner, context, ports } = this.#parts;
    const { admitted } = prompts;
    if (admitted === null) return;
    const messageId = ports.ids.uuid();
    const blocks = parsePrompt(implementation);
    this.#echoes.expect(messageId, { turnId: null, blocks });
    const prompt: PromptWork = { ...admitted.prompt, task: { type: 'turn' }, input: codexInput(blocks) };
    const clientMessageId = context.profile.protocol === 2 ? messageId : null;
    runner.start({ attempt, prompt, policy: admitted.policy, clientMessageId, wanted: () => true });
  }

  report({ attempt, turnId, end }: ReportCall): void {
    const reported = (): void => this.#parts.post({ type: 'reported', attempt });
    if (end !== 'cancelled') return this.#reports.finish(turnId, end, reported);
    this.#reports.cancel();
    reported();
  }

  withdrawAsks(spare?: string): void {
    this.#parts.asks.withdrawAll(spare);
    this.#planReviews.withdraw();
    this.#questions.withdrawAll(spare);
  }

  turnOver(turnId: string | null): void {
    this.#echoes.turnOver(turnId);
    if (turnId !== null) this.#questions.turnOver(turnId);
  }

  promptEnding({ prompt, outcome, inserted }: EndedPrompt): void {
    const { context } = this.#parts;
    this.#titles.promptEnded({
      ordinary: prompt.task.type === 'turn',
      inserted: inserted || context.profile.protocol === 1,
      normal: outcome.type === 'done',
      texts: prompt.blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])),
    });
  }

  promptEnded({ prompt, outcome, turnId }: EndedPrompt, ending: PromptEnding): void {
    this.#steering.promptEnded(prompt.promptId, ending, turnId !== null);
    if (prompt.task.type !== 'turn' || outcome.type !== 'done') return;
    const planMode = this.#parts.context.settings().collaborationMode === 'plan';
    this.#suggestions.promptEnded({ ordinary: true, turnId, status: 'completed', planMode });
    this.#commands.promptEnded();
  }

  closed(): void {
    this.#parts.runner.close();
    this.#titles.close();
    this.#suggestions.close();
    this.#goals.close();
    this.#goalSettings.abandon();
    this.#modes.abandon();
    this.#abandonControls();
    this.#steering.close();
  }

  /** What came back while the session was being closed is lost: whoever waits is told. */
  #abandonControls(): void {
    for (const reject of this.#controls) reject(closingError(this.#parts.context.sessionId));
    this.#controls.clear();
  }

  closeFailed(): void {
    this.#goals.abandon();
    this.#goalSettings.abandon();
    this.#modes.closeFailed();
    this.#abandonControls();
    this.#steering.close();
  }

  /** A reply to questions goes into the turn that asked, and nowhere else (S3.154, S3.155). */
  #steerReply({ turnId, text, readable, done, failed }: Reply): void {
    const { context, ports } = this.#parts;
    const messageId = ports.ids.uuid();
    const blocks = parsePrompt([{ type: 'text', text: readable }]);
    this.#echoes.expect(messageId, { turnId, blocks, landed: done, lost: failed });
    const input = [{ type: 'text', text } as const];
    context.settle(
      ports.turns.steer({ threadId: context.sessionId, turnId, input, clientMessageId: messageId }),
      () => (this.#echoes.taken(messageId) ? undefined : failed()),
      () => {
        this.#echoes.forget(messageId);
        failed();
      },
    );
  }
}

interface Reply {
  readonly turnId: string;
  readonly text: string;
  readonly readable: string;
  readonly done: () => void;
  readonly failed: () => void;
}
