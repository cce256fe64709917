import type { ClientProfile } from '../../src/domain/client/client-profile.ts';
import { availableCommands } from '../../src/domain/commands/available-commands.ts';
import { promptTask } from '../../src/domain/commands/parse-command.ts';
import type { ConversationUpdate } from '../../src/domain/conversation/conversation-update.ts';
import type { FormAsk } from '../../src/domain/interaction/form-ask.ts';
import type { PermissionAsk } from '../../src/domain/interaction/permission-ask.ts';
import { codexInput, parsePrompt } from '../../src/domain/prompt/prompt-mapping.ts';
import { unknownInstructions } from '../../src/domain/session/instructions.ts';
import type { OpenSession } from '../../src/domain/session/open-session.ts';
import { SessionActor } from '../../src/domain/session/session-actor.ts';
import { steerPrompt } from '../../src/domain/session/session-steering.ts';
import { initialSettings } from '../../src/domain/settings/session-settings.ts';
import type { ThreadEvent } from '../../src/domain/thread/thread-event.ts';
import type { AgentMessageItem, CommandItem, FileChangeItem, ThreadItem } from '../../src/domain/thread/thread-item.ts';
import type { PromptEnding } from '../../src/domain/turn/work-ending.ts';
import { AccountLimits } from '../../src/domain/usage/account-limits.ts';
import type { AuthStatus, ClientChannel, OpenUrlAsk, UrlAsk } from '../../src/ports/outbound/client-channel.ts';
import type { Log } from '../../src/ports/outbound/system.ts';
import type { WorkspaceFiles } from '../../src/ports/outbound/workspace-files.ts';
import { FakeClock } from './fake-clock.ts';
import { FakeCodex, fakeModel } from './fake-codex.ts';

/** What the core handed to the client, in order. */
export type Shown =
  | { readonly kind: 'update'; readonly update: ConversationUpdate }
  | { readonly kind: 'inserted'; readonly promptId: string }
  | { readonly kind: 'ended'; readonly promptId: string; readonly ending: PromptEnding }
  | { readonly kind: 'ask'; readonly ask: PermissionAsk }
  | { readonly kind: 'form'; readonly ask: FormAsk }
  | { readonly kind: 'withdraw'; readonly askId: number }
  | { readonly kind: 'endSession' };

export class RecordingChannel implements ClientChannel {
  readonly shown: Shown[] = [];
  readonly statuses: AuthStatus[] = [];
  readonly urls: UrlAsk[] = [];
  readonly urlEnds: string[] = [];

  update(_sessionId: string, update: ConversationUpdate): void {
    this.shown.push({ kind: 'update', update });
  }

  promptInserted(_sessionId: string, promptId: string): void {
    this.shown.push({ kind: 'inserted', promptId });
  }

  promptEnded(_sessionId: string, promptId: string, ending: PromptEnding): void {
    this.shown.push({ kind: 'ended', promptId, ending });
  }

  ask(ask: PermissionAsk): void {
    this.shown.push({ kind: 'ask', ask });
  }

  askForm(ask: FormAsk): void {
    this.shown.push({ kind: 'form', ask });
  }

  withdraw(askId: number): void {
    this.shown.push({ kind: 'withdraw', askId });
  }

  endSession(): void {
    this.shown.push({ kind: 'endSession' });
  }

  authStatus(status: AuthStatus): void {
    this.statuses.push(status);
  }

  askUrl(ask: UrlAsk): OpenUrlAsk {
    this.urls.push(ask);
    return {
      answered: new Promise(() => undefined),
      withdraw: () => this.urlEnds.push(`withdraw ${ask.elicitationId}`),
    };
  }

  completeUrl(elicitationId: string): void {
    this.urlEnds.push(`complete ${elicitationId}`);
  }
}

export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

export function profile(overrides: Partial<ClientProfile> = {}): ClientProfile {
  const protocol = overrides.protocol ?? 2;
  return {
    protocol,
    info: { name: 'lab', title: 'Lab', version: '1', hidesConfigOptions: false },
    air: null,
    commandOutput: protocol === 2 ? 'terminals' : 'delta',
    subagents: 'hidden',
    planUpdates: protocol === 2,
    compaction: protocol === 2,
    notices: protocol === 2,
    booleanOptions: protocol === 2,
    gatewayAuth: false,
    elicitation: { form: false, url: false },
    ...overrides,
  };
}

/** Parts of the session that a test opens in another way. */
export interface LabReplacements {
  readonly session?: Partial<OpenSession>;
}

/** A disk without links and repositories. */
const noFiles: WorkspaceFiles = {
  flavour: 'posix',
  repositoryRoot: () => Promise.resolve(null),
  resolveDirectory: (directory) => Promise.resolve(directory),
};

/** One session over a fake Codex, with the frames that the core produced as short readable words. */
export class SessionLab {
  readonly codex = new FakeCodex();
  readonly clock = new FakeClock();
  readonly channel = new RecordingChannel();
  readonly actor: SessionActor;
  readonly threadId = 'thread-1';
  /** What became of steers. */
  readonly steered: string[] = [];
  readonly #client: ClientProfile;
  #asks = 0;
  #prompts = 0;
  #ids = 0;
  #steers = 0;

  constructor(client: ClientProfile = profile(), replaced: LabReplacements = {}) {
    this.#client = client;
    const workspace = { cwd: '/w', additionalDirectories: [] };
    this.actor = new SessionActor(
      {
        sessionId: this.threadId,
        epoch: 1,
        settings: initialSettings({
          open: { model: 'gpt-test', effort: 'low', serviceTier: null, activeProfileId: null },
          models: [fakeModel],
          profiles: [],
          config: { approvalPolicy: null, approvalsReviewer: null },
          initialModeId: null,
          workspace,
          accountIsApiKey: false,
        }),
        instructions: unknownInstructions,
        reopen: { cwd: '/w', modelProvider: null, config: {}, developerInstructions: null },
        told: null,
        goal: 'untouched',
        requestedMcpServers: [],
        thread: 'new',
        // Tests of turns are not about titles.
        title: { origin: 'explicit' },
        commands: availableCommands([]),
        ...replaced.session,
      },
      client,
      {
        channel: this.channel,
        lifecycle: this.codex,
        threads: this.codex,
        turns: this.codex,
        goals: this.codex.goals,
        skills: this.codex.skills,
        status: this.codex.status,
        sampling: this.codex.sampling,
        accounts: this.codex,
        scheduler: this.clock,
        clock: this.clock,
        log: silentLog,
        files: noFiles,
        limits: new AccountLimits(),
        logout: () => this.codex.logout(),
        provider: () => null,
        promptSuggestions: true,
        ids: {
          uuid: () => {
            this.#ids += 1;
            return `id-${this.#ids}`;
          },
        },
        nextAskId: () => {
          this.#asks += 1;
          return this.#asks;
        },
      },
    );
    this.codex.attach(this.threadId, this.actor);
  }

  prompt(text = 'hello', reportId: string | null = null): string {
    this.#prompts += 1;
    const promptId = `p${this.#prompts}`;
    const blocks = parsePrompt([{ type: 'text', text }]);
    const { task, ignored } = promptTask(blocks);
    this.actor.prompt({
      promptId,
      requested: true,
      messageId: `message-${promptId}`,
      blocks,
      input: codexInput(blocks),
      hasImage: false,
      task,
      ignoredBlocks: ignored,
      reportId,
    });
    return promptId;
  }

  /** More input for running work; the result comes back as a word in `steered`. */
  steer(text = 'more', promptRequired = false): string {
    this.#steers += 1;
    const steerId = `s${this.#steers}`;
    const blocks = parsePrompt([{ type: 'text', text }]);
    const content = { blocks, input: codexInput(blocks), hasImage: false };
    this.actor.steer(steerPrompt(steerId, `message-${steerId}`, content), promptRequired).then(
      (outcome) => this.steered.push(`${steerId} ${outcome}`),
      (error: unknown) => this.steered.push(`${steerId} ${error instanceof Error ? error.message : String(error)}`),
    );
    return steerId;
  }

  emit(...events: ThreadEvent[]): void {
    for (const event of events) this.codex.emit(this.threadId, event);
  }

  /** Lets promises that are already settled run their course; no time passes. */
  async turnOver(): Promise<void> {
    for (let index = 0; index < 20; index += 1) await Promise.resolve();
  }

  /** What the client was shown, a word or two for each thing. */
  get words(): string[] {
    // A v1 client has no foreground state; only its presenter hears of it.
    const seen = this.#client.protocol === 2 ? this.channel.shown : this.channel.shown.filter(isNoState);
    return seen.map(word);
  }
}

function isNoState(shown: Shown): boolean {
  return shown.kind !== 'update' || shown.update.type !== 'foreground';
}

function word(shown: Shown): string {
  switch (shown.kind) {
    case 'update':
      return updateWord(shown.update);
    case 'inserted':
      return `inserted ${shown.promptId}`;
    case 'ended': {
      const { outcome } = shown.ending;
      return `ended ${shown.promptId} ${outcome.type === 'failed' ? `failed:${outcome.failure.type}` : outcome.type}`;
    }
    case 'ask':
      return `ask ${shown.ask.askId}`;
    case 'form':
      return `form ${shown.ask.askId}`;
    case 'withdraw':
      return `withdraw ${shown.askId}`;
    case 'endSession':
      return 'endSession';
  }
}

function updateWord(update: ConversationUpdate): string {
  switch (update.type) {
    case 'foreground':
      return update.state === 'idle' ? `idle:${update.ending.outcome.type}` : update.state;
    case 'agentText':
      return `text ${update.text}`;
    case 'thought':
      return `thought ${update.text}`;
    case 'toolStarted':
    case 'toolEnded':
    case 'toolAborted':
      return `${update.type} ${update.item.id}`;
    case 'toolResumed':
      return `toolResumed ${update.itemId}`;
    case 'commandOutput':
      return `output ${update.data}`;
    case 'userMessage':
      return `user ${update.messageId}`;
    case 'turnError':
      return `error:${update.scope} ${update.error.message}`;
    default:
      return update.type;
  }
}

export function command(id: string, overrides: Partial<CommandItem> = {}): CommandItem {
  return {
    type: 'command',
    id,
    command: `/bin/bash -lc 'run ${id}'`,
    cwd: '/w',
    processId: 'process-1',
    source: 'unifiedExecStartup',
    status: 'inProgress',
    actions: [{ type: 'unknown', command: `run ${id}` }],
    output: null,
    exitCode: null,
    ...overrides,
  };
}

export function fileChange(id: string, overrides: Partial<FileChangeItem> = {}): FileChangeItem {
  return {
    type: 'fileChange',
    id,
    changes: [{ path: '/w/a.txt', kind: 'add', movePath: null, diff: 'a\n' }],
    status: 'inProgress',
    ...overrides,
  };
}

export function message(id: string, text: string): AgentMessageItem {
  return { type: 'agentMessage', id, text, phase: null, hidden: false };
}

export const compaction = { type: 'compaction', id: 'compaction' } as const;

export const events = {
  /** `rootId`: the review whose reviewer this turn is. */
  started: (turnId: string, rootId?: string): ThreadEvent => ({
    type: 'turnStarted',
    turnId,
    ...(rootId === undefined ? {} : { rootId }),
  }),
  completed: (
    turnId: string,
    status: 'completed' | 'failed' | 'interrupted' = 'completed',
    reason?: string,
  ): ThreadEvent => ({
    type: 'turnCompleted',
    turnId,
    status,
    error: reason === undefined ? null : { message: reason, info: null, details: null },
  }),
  landed: (turnId: string, promptId: string): ThreadEvent => ({
    type: 'itemStarted',
    turnId,
    item: { type: 'userMessage', id: `user-${promptId}`, clientId: `message-${promptId}` },
  }),
  delta: (turnId: string, delta: string, itemId = 'm1'): ThreadEvent => ({
    type: 'messageDelta',
    turnId,
    itemId,
    delta,
  }),
  itemStarted: (turnId: string, item: ThreadItem): ThreadEvent => ({
    type: 'itemStarted',
    turnId,
    item,
  }),
  itemCompleted: (turnId: string, item: AgentMessageItem | CommandItem | FileChangeItem): ThreadEvent => ({
    type: 'itemCompleted',
    turnId,
    item,
  }),
};
