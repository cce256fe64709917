import type { CodexFeed, CodexLifecycle, GlobalEvent } from '../../ports/outbound/codex-runtime.ts';
import type { AccountService } from '../account/account-service.ts';
import type { ClientProfile } from '../client/client-profile.ts';
import type { AvailableCommand } from '../commands/available-command.ts';
import { promptTask } from '../commands/parse-command.ts';
import { AgentError } from '../errors/agent-error.ts';
import { reloadingError } from '../errors/reloading-error.ts';
import type { GoalChange } from '../goal/goal.ts';
import type { FormAnswer } from '../interaction/form-ask.ts';
import type { AskAnswer } from '../interaction/permission-ask.ts';
import { codexInput, hasImage, parsePrompt } from '../prompt/prompt-mapping.ts';
import { changeMode, changeOption, requireOffered } from '../settings/change-option.ts';
import { settingsView } from '../settings/option-list.ts';
import type { SettingsView } from '../settings/session-option.ts';
import { withDirectories } from '../settings/session-settings.ts';
import type { NoticeEvent } from '../thread/thread-event.ts';
import { closingError } from './closing-error.ts';
import { listCommands } from './command-list.ts';
import type { OpenSession, SessionActorPorts } from './open-session.ts';
import { resumeError } from './resume-error.ts';
import { SessionActor } from './session-actor.ts';
import type { NewSessionRequest, OpenedThreadSession, SessionOpening, SessionPlan } from './session-opening.ts';
import { planSession } from './session-opening.ts';
import { SessionSetups } from './session-setups.ts';
import { steerPrompt } from './session-steering.ts';
import type { SteerOutcome, SteerRequest } from './steer-request.ts';

export interface SessionServicePorts extends SessionActorPorts {
  readonly lifecycle: CodexLifecycle;
  readonly feed: CodexFeed;
}

/** A session that was just opened. */
export interface OpenedSession {
  readonly sessionId: string;
  readonly settings: SettingsView;
  /** For the answer to the set-up; `null` when the client is told otherwise or they could not be listed (S2.42, S2.43). */
  readonly commands: readonly AvailableCommand[] | null;
}

/** A change of one config option; `type` is what a v2 client says about the value (S2.92). */
export interface OptionChangeRequest {
  readonly optionId: string;
  readonly value: boolean | string;
  readonly type: string | null;
}

/** A prompt of the client, not checked yet. `reportId` as in `PromptWork` (S3.196). */
export interface PromptRequest {
  readonly promptId: string;
  readonly content: readonly unknown[];
  readonly reportId: string | null;
}

interface RegisteredSession {
  readonly actor: SessionActor;
  readonly detach: () => void;
}

/** Notices kept for the first session (S4.9). */
const keptNotices = 32;

/** The sessions of the connection and what a client can ask of them. */
export class SessionService {
  readonly #ports: SessionServicePorts;
  readonly #accounts: AccountService;
  readonly #opening: SessionOpening;
  readonly #sessions = new Map<string, RegisteredSession>();
  /** Notices that came while no session was open; the first that opens shows them (S4.9). */
  #notices: NoticeEvent[] = [];
  readonly #setups = new SessionSetups();
  #steers = 0;

  constructor(ports: SessionServicePorts, accounts: AccountService, opening: SessionOpening) {
    this.#ports = ports;
    this.#accounts = accounts;
    this.#opening = opening;
    ports.feed.onGlobal((event) => {
      this.#global(event);
    });
  }

  /**
   * Opens a new session (S2.14, S2.16). `beforeEvents` is called with the id before any event of the session can be
   * published, so that the caller can hold them until the client knows the id (S1.202, S2.145).
   */
  async open(
    request: NewSessionRequest,
    profile: ClientProfile,
    beforeEvents: (sessionId: string) => void,
  ): Promise<OpenedSession> {
    const plan = planSession(request);
    await this.#ports.lifecycle.ready();
    const account = await this.#accounts.ensureLogin();
    const stopBuffering = this.#ports.feed.buffer();
    try {
      const [opened, commands] = await Promise.all([
        this.#opening.open(plan, account),
        profile.protocol === 2 ? listCommands(plan.workspace, this.#ports) : null,
      ]);
      const sessionId = opened.thread.threadId;
      beforeEvents(sessionId);
      this.#install(plan, opened, profile, commands, 'new');
      return { sessionId, settings: settingsView(opened.settings), commands };
    } finally {
      stopBuffering();
    }
  }

  /**
   * Opens a recorded session without its history (S2.20, S2.30). `beforeEvents` is called before anything of it can be
   * published. Set-ups of one session run one after another (S2.32).
   */
  resume(
    sessionId: string,
    request: NewSessionRequest,
    profile: ClientProfile,
    beforeEvents: (sessionId: string) => void,
  ): Promise<OpenedSession> {
    // Not behind a change of the instructions, as behind other set-ups (S2.57).
    if (this.#sessions.get(sessionId)?.actor.reloading === true) return Promise.reject(reloadingError());
    return this.#setups.run(sessionId, () => this.#resume(sessionId, request, profile, beforeEvents));
  }

  /** The client has the answer to the set-up: what the session tells by itself may follow (S2.40). */
  opened(sessionId: string, thread: 'loaded' | 'new'): void {
    this.#sessions.get(sessionId)?.actor.opened(thread);
  }

  async #resume(
    sessionId: string,
    request: NewSessionRequest,
    profile: ClientProfile,
    beforeEvents: (sessionId: string) => void,
  ): Promise<OpenedSession> {
    const plan = planSession(request);
    const generation = this.#setups.generationOf(sessionId);
    await this.#ports.lifecycle.ready();
    const account = await this.#accounts.ensureLogin();
    const list = listCommands(plan.workspace, this.#ports);
    const open = this.#sessions.get(sessionId);
    if (open !== undefined) return this.#rejoin(plan, open.actor, list, generation, beforeEvents);
    this.#requireOpenable(sessionId, generation);
    let stopBuffering = (): void => undefined;
    try {
      // Not earlier: what Codex told before belongs to a former generation (S3.73). Not later: a goal turn may begin
      // within milliseconds (S2.25, S3.76).
      const loading = (): void => {
        stopBuffering = this.#ports.feed.buffer();
      };
      const [opened, commands] = await Promise.all([this.#opening.resume(sessionId, plan, account, loading), list]);
      if (this.#setups.generationOf(sessionId) !== generation) {
        await this.#ports.threads.unsubscribe(sessionId);
        throw closingError(sessionId);
      }
      beforeEvents(sessionId);
      const actor = this.#install(plan, opened, profile, commands, 'loaded');
      actor.tellState(commands);
      return { sessionId, settings: settingsView(opened.settings), commands };
    } catch (error) {
      throw resumeError(sessionId, error);
    } finally {
      stopBuffering();
    }
  }

  /**
   * A session that is open here goes on as it is (S2.30, R38), but for other instructions (S2.53); v2 clients are told how
   * it stands (S2.45).
   */
  async #rejoin(
    plan: SessionPlan,
    actor: SessionActor,
    list: Promise<readonly AvailableCommand[] | null>,
    generation: number,
    beforeEvents: (sessionId: string) => void,
  ): Promise<OpenedSession> {
    const { sessionId } = actor;
    const instructions = await this.#opening.changedInstructions(actor.instructions, plan);
    this.#requireOpenable(sessionId, generation);
    if (instructions !== null) {
      await actor.changeInstructions(instructions).catch((error: unknown) => {
        throw resumeError(sessionId, error);
      });
    }
    const commands = await list;
    this.#requireOpenable(sessionId, generation);
    beforeEvents(sessionId);
    actor.changeSettings((settings) => withDirectories(settings, plan.workspace.additionalDirectories));
    actor.tellState(commands);
    return { sessionId, settings: settingsView(actor.settings), commands };
  }

  /** A session that is being closed, or was closed meanwhile, is not opened (S2.26, R12). */
  #requireOpenable(sessionId: string, generation: number): void {
    const closing = this.#sessions.get(sessionId)?.actor.closing === true;
    if (closing || this.#setups.generationOf(sessionId) !== generation) throw closingError(sessionId);
  }

  /** Makes the session and lets it have its events, the notices that nobody heard first (S2.145, S4.9). */
  #install(
    plan: SessionPlan,
    { thread, settings, instructions, reopen, running, told, goal }: OpenedThreadSession,
    profile: ClientProfile,
    commands: readonly AvailableCommand[] | null,
    kind: 'loaded' | 'new',
  ): SessionActor {
    const sessionId = thread.threadId;
    const session: OpenSession = {
      sessionId,
      epoch: thread.epoch,
      settings,
      instructions,
      told,
      goal,
      reopen,
      requestedMcpServers: Object.keys(plan.servers.configured),
      thread: kind,
      title: kind === 'new' ? { origin: 'unset' } : { origin: 'unknown', shown: thread.name || thread.preview },
      commands,
    };
    const actor = new SessionActor(session, profile, this.#ports);
    if (running !== null) actor.runs(running);
    this.#sessions.set(sessionId, { actor, detach: this.#ports.feed.attach(sessionId, actor) });
    for (const notice of this.#notices.splice(0)) actor.onEvent(notice);
    return actor;
  }

  /** Takes a prompt at once; its end is reported through the client channel (S3.36). Throws when it cannot be taken. */
  prompt(sessionId: string, request: PromptRequest): void {
    const { actor } = this.#session(sessionId);
    const { promptId, content, reportId } = request;
    const blocks = parsePrompt(content);
    const { task, ignored } = promptTask(blocks);
    actor.prompt({
      promptId,
      requested: true,
      messageId: this.#ports.ids.uuid(),
      blocks,
      input: codexInput(blocks),
      hasImage: hasImage(blocks),
      task,
      ignoredBlocks: ignored,
      reportId,
    });
  }

  /** Gives running work more input (S3.140, S3.141). */
  async steer(sessionId: string, { content, promptRequired }: SteerRequest): Promise<SteerOutcome> {
    const { actor } = this.#session(sessionId);
    const blocks = parsePrompt(content);
    this.#steers += 1;
    const prompt = steerPrompt(`steer-${this.#steers}`, this.#ports.ids.uuid(), {
      blocks,
      input: codexInput(blocks),
      hasImage: hasImage(blocks),
    });
    return actor.steer(prompt, promptRequired);
  }

  /** Changes the goal of a session (S3.122). */
  async controlGoal(sessionId: string, change: GoalChange): Promise<void> {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) throw AgentError.invalidParams(`Unknown session: ${sessionId}`);
    if (session.actor.reloading) throw reloadingError();
    await session.actor.controlGoal(change);
  }

  /** A session that is not open has nothing to cancel (S3.50). */
  cancel(sessionId: string): void {
    this.#sessions.get(sessionId)?.actor.cancel();
  }

  cancelPrompt(sessionId: string, promptId: string): void {
    this.#sessions.get(sessionId)?.actor.cancelPrompt(promptId);
  }

  answerAsk(sessionId: string, askId: number, answer: AskAnswer): void {
    this.#sessions.get(sessionId)?.actor.answerAsk(askId, answer);
  }

  answerForm(sessionId: string, askId: number, answer: FormAnswer): void {
    this.#sessions.get(sessionId)?.actor.answerForm(askId, answer);
  }

  /** Ends a session; one that is not open counts as closed (S3.66). */
  async close(sessionId: string): Promise<void> {
    const session = this.#sessions.get(sessionId);
    if (session !== undefined || this.#setups.isUnderWay(sessionId)) this.#setups.closed(sessionId);
    if (session === undefined) return;
    await session.actor.close();
    session.detach();
    if (this.#sessions.get(sessionId) === session) this.#sessions.delete(sessionId);
  }

  /** Ends a session, if it is open, and takes its thread off the lists (S3.72). */
  async delete(sessionId: string): Promise<void> {
    await this.close(sessionId);
    await this.#ports.lifecycle.ready();
    await this.#ports.threads.archive(sessionId);
  }

  /** Changes one option and returns the settings after it (S2.91, S2.92). */
  async setOption(sessionId: string, request: OptionChangeRequest): Promise<SettingsView> {
    const { actor } = this.#session(sessionId);
    if (request.type !== null) requireOffered(actor.settings, request.optionId, request.type);
    const { collaborationMode } = changeOption(actor.settings, request.optionId, request.value);
    if (collaborationMode === null) {
      await actor.changeOption((settings) => changeOption(settings, request.optionId, request.value).settings);
    } else {
      await actor.changeCollaborationMode(collaborationMode);
    }
    return settingsView(actor.settings);
  }

  /** Changes the mode (S2.64). */
  async setMode(sessionId: string, modeId: string): Promise<void> {
    const { actor } = this.#session(sessionId);
    changeMode(actor.settings, modeId);
    await actor.changeOption((settings) => changeMode(settings, modeId));
  }

  /** What belongs to no thread concerns every session (S3.183, S3.165, S2.136). */
  #global(event: GlobalEvent): void {
    switch (event.type) {
      case 'accountChanged':
        return;
      case 'rateLimitsChanged':
        return this.#ports.limits.update(event.limit);
      case 'skillsChanged':
        for (const { actor } of this.#sessions.values()) actor.skillsChanged();
        return;
      case 'warning':
      case 'configWarning':
      case 'deprecation':
      case 'modelRerouted':
        return this.#notice(event);
    }
  }

  #notice(event: NoticeEvent): void {
    for (const { actor } of this.#sessions.values()) actor.onEvent(event);
    if (this.#sessions.size === 0) this.#notices = [...this.#notices, event].slice(-keptNotices);
  }

  /** A session that takes prompts, steers and changes (S3.21, S3.22). */
  #session(sessionId: string): RegisteredSession {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) throw AgentError.sessionNotFound(sessionId);
    if (session.actor.reloading) throw reloadingError();
    return session;
  }
}
