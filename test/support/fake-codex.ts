import type { McpServerState } from '../../src/domain/commands/mcp-server-state.ts';
import { type CodexLostError, CodexLostError as Lost } from '../../src/domain/errors/agent-error.ts';
import type { Goal } from '../../src/domain/goal/goal.ts';
import type { ServerAnswer, ServerRequest, ServerRequestRef } from '../../src/domain/interaction/approval-request.ts';
import type { ReviewTarget } from '../../src/domain/review/review-target.ts';
import type { ModelInfo } from '../../src/domain/settings/model-info.ts';
import type { TurnPolicy } from '../../src/domain/settings/turn-policy.ts';
import type { ThreadEvent } from '../../src/domain/thread/thread-event.ts';
import type { RateLimit } from '../../src/domain/usage/rate-limit.ts';
import type {
  CodexGoals,
  CodexSampling,
  CodexSkills,
  CodexStatus,
  Skill,
} from '../../src/ports/outbound/codex-features.ts';
import type {
  AccountState,
  BackgroundTerminal,
  ChatGptLoginKind,
  CodexAccounts,
  CodexCatalog,
  CodexClientInfo,
  CodexFeed,
  CodexLifecycle,
  CodexThreads,
  CodexTurns,
  EffectiveConfig,
  GlobalEvent,
  OpenThread,
  PendingLogin,
  PermissionProfile,
  RecordedThread,
  ResumeThread,
  StartThread,
  StartTurn,
  SteerTurn,
  ThreadListener,
  TurnRecord,
} from '../../src/ports/outbound/codex-runtime.ts';

/** A call that the core made, in order; tests assert these instead of private state. */
export type CodexCall =
  | { readonly method: 'introduce'; readonly client: CodexClientInfo }
  | { readonly method: 'startThread'; readonly params: StartThread }
  | { readonly method: 'resumeThread'; readonly threadId: string; readonly params: ResumeThread }
  | { readonly method: 'archive' | 'unsubscribe'; readonly threadId: string }
  | { readonly method: 'terminate'; readonly threadId: string; readonly processId: string }
  | {
      readonly method: 'collaborationMode';
      readonly threadId: string;
      readonly mode: string;
      readonly model: string;
      readonly effort: string | null;
    }
  | { readonly method: 'startTurn'; readonly params: StartTurn }
  | { readonly method: 'steer'; readonly params: SteerTurn }
  | { readonly method: 'compact'; readonly threadId: string }
  | { readonly method: 'review'; readonly threadId: string; readonly target: ReviewTarget }
  | { readonly method: 'applyPolicy'; readonly threadId: string; readonly policy: TurnPolicy }
  | { readonly method: 'listTerminals' | 'readThread' | 'runningTurn'; readonly threadId: string }
  | { readonly method: 'setName'; readonly threadId: string; readonly name: string }
  | { readonly method: 'setGoal'; readonly objective: string | null; readonly status: string }
  | { readonly method: 'clearGoal' | 'readGoal' | 'rateLimits' | 'mcpServers' | 'reconnectMcpServers' }
  | { readonly method: 'listSkills'; readonly directories: readonly string[] }
  | { readonly method: 'useSkillRoots'; readonly roots: readonly string[] }
  | { readonly method: 'sample'; readonly turnId: string; readonly prompt: string }
  | { readonly method: 'makeTitle'; readonly cwd: string; readonly text: string; readonly model: string }
  | { readonly method: 'interrupt'; readonly threadId: string; readonly turnId: string }
  | { readonly method: 'answer'; readonly ref: ServerRequestRef; readonly answer: ServerAnswer }
  | { readonly method: 'login'; readonly apiKey: string }
  | { readonly method: 'startLogin'; readonly kind: ChatGptLoginKind }
  | { readonly method: 'cancelLogin'; readonly loginId: string }
  | { readonly method: 'logout' }
  | { readonly method: 'readTurn'; readonly threadId: string; readonly turnId: string }
  | { readonly method: 'replace' }
  | { readonly method: 'stop' };

/** A call whose answer the test gives, when `codex.manual` names its method. */
export interface HeldCall<Result> {
  resolve(result: Result): void;
  reject(error: Error): void;
}

type Manual =
  | 'applyPolicy'
  | 'compact'
  | 'interrupt'
  | 'listSkills'
  | 'listTerminals'
  | 'makeTitle'
  | 'readGoal'
  | 'readThread'
  | 'readTurn'
  | 'ready'
  | 'resumeThread'
  | 'review'
  | 'runningTurn'
  | 'sample'
  | 'setGoal'
  | 'setName'
  | 'collaborationMode'
  | 'startTurn'
  | 'steer'
  | 'unsubscribe';

export const fakeModel: ModelInfo = {
  id: 'gpt-test',
  model: 'gpt-test',
  displayName: 'GPT-Test',
  description: 'A model of the tests.',
  efforts: [
    { effort: 'low', description: 'Fast' },
    { effort: 'high', description: 'Deep' },
  ],
  defaultEffort: 'low',
  inputModalities: ['text', 'image'],
  supportsFast: false,
  isDefault: true,
};

/**
 * Codex in memory behind all its ports. By default every call succeeds at once and turns are named `turn-1`, `turn-2`;
 * methods in `manual` wait for the test. Events are sent with `emit`, server requests with `request`.
 */
export class FakeCodex implements CodexLifecycle, CodexThreads, CodexTurns, CodexFeed, CodexAccounts, CodexCatalog {
  /** The features, whose method names clash with those of the other ports. */
  readonly goals: CodexGoals = {
    set: (_threadId, { objective, status }) => {
      this.#record({ method: 'setGoal', objective: objective ?? null, status });
      const now = this.goal;
      const next: Goal = {
        objective: objective ?? now?.objective ?? '',
        status,
        tokenBudget: now?.tokenBudget ?? null,
        tokensUsed: 0,
        timeUsedSeconds: 0,
        createdAt: 1,
        updatedAt: (now?.updatedAt ?? 0) + 1,
      };
      this.goal = next;
      return this.#answer('setGoal', this.heldGoals, next);
    },
    clear: () => {
      this.#record({ method: 'clearGoal' });
      const had = this.goal !== null;
      this.goal = null;
      return Promise.resolve(had);
    },
    read: () => {
      this.#record({ method: 'readGoal' });
      return this.#answer('readGoal', this.heldGoalReads, this.goal);
    },
  };
  readonly skills: CodexSkills = {
    list: (directories) => {
      this.#record({ method: 'listSkills', directories });
      return this.#answer('listSkills', this.heldSkills, this.skillList);
    },
    useRoots: (roots) => {
      this.#record({ method: 'useSkillRoots', roots });
      return Promise.resolve();
    },
  };
  readonly status: CodexStatus = {
    rateLimits: () => {
      this.#record({ method: 'rateLimits' });
      return Promise.resolve(this.limits);
    },
    mcpServers: () => {
      this.#record({ method: 'mcpServers' });
      return Promise.resolve(this.mcpServerStates);
    },
    reconnectMcpServers: () => {
      this.#record({ method: 'reconnectMcpServers' });
      return Promise.resolve();
    },
  };
  readonly sampling: CodexSampling = {
    sample: ({ turnId, prompt }) => {
      this.#record({ method: 'sample', turnId, prompt });
      return this.#answer('sample', this.heldSamples, null);
    },
    title: ({ cwd, text, model }) => {
      this.#record({ method: 'makeTitle', cwd, text, model });
      return this.#answer('makeTitle', this.heldTitles, null);
    },
  };
  goal: Goal | null = null;
  /** What Codex recorded of threads that are loaded again. */
  recordedThread: RecordedThread = {
    modelProvider: 'openai',
    model: null,
    effort: null,
    status: 'idle',
    persisted: true,
  };
  /** Codex does not unload threads that nobody listens to, when they are loaded again. */
  keepsThreads = false;
  readonly heldReadThreads: HeldCall<RecordedThread>[] = [];
  readonly heldTerminals: HeldCall<readonly BackgroundTerminal[]>[] = [];
  readonly heldRunningTurns: HeldCall<string | null>[] = [];
  recorded: Partial<OpenThread> = {};
  /** Turn that runs in a thread when it is loaded again. */
  activeTurn: string | null = null;
  readonly heldResumes: HeldCall<OpenThread>[] = [];
  skillList: readonly Skill[] = [];
  limits: readonly RateLimit[] = [];
  mcpServerStates: readonly McpServerState[] = [];
  readonly heldGoals: HeldCall<Goal>[] = [];
  readonly heldGoalReads: HeldCall<Goal | null>[] = [];
  readonly heldSkills: HeldCall<readonly Skill[]>[] = [];
  readonly heldSamples: HeldCall<string | null>[] = [];
  readonly heldTitles: HeldCall<string | null>[] = [];
  readonly heldSteers: HeldCall<{ turnId: string }>[] = [];
  readonly heldCompacts: HeldCall<void>[] = [];
  readonly heldReviews: HeldCall<{ turnId: string }>[] = [];
  readonly heldNames: HeldCall<void>[] = [];
  readonly heldModes: HeldCall<void>[] = [];
  readonly heldPolicies: HeldCall<void>[] = [];
  readonly calls: CodexCall[] = [];
  readonly manual = new Set<Manual>();
  readonly heldStarts: HeldCall<{ turnId: string }>[] = [];
  readonly heldInterrupts: HeldCall<void>[] = [];
  /** ChatGPT logins that wait for the user. */
  readonly pendingLogins: HeldCall<{ success: boolean }>[] = [];
  readonly heldReads: HeldCall<TurnRecord | null>[] = [];
  /** What is recorded of turns. */
  readonly records = new Map<string, TurnRecord>();
  readonly heldReady: HeldCall<void>[] = [];
  readonly heldUnsubscribes: HeldCall<void>[] = [];
  epoch = 1;
  account: AccountState = { account: { type: 'apiKey' }, requiresLogin: true };
  modelList: readonly ModelInfo[] = [fakeModel];
  profiles: readonly PermissionProfile[] = [];
  terminals: readonly BackgroundTerminal[] = [];
  startFailure: Error | null = null;
  archiveFailure: Error | null = null;
  effectiveConfig: EffectiveConfig = {
    modelProvider: null,
    approvalPolicy: null,
    approvalsReviewer: null,
    developerInstructions: null,
    defaultPermissions: null,
    mcpServerNames: [],
    writeAccess: null,
    untrustedRoots: [],
  };
  readonly #listeners = new Map<string, ThreadListener>();
  readonly #buffered = new Map<string, ThreadEvent[]>();
  readonly #globals: ((event: GlobalEvent) => void)[] = [];
  readonly #waiters: (() => void)[] = [];
  #openBuffers = 0;
  readonly #attached = new Set<string>();
  readonly #unsubscribed = new Set<string>();
  #threads = 0;
  #turns = 0;
  #requests = 0;

  /** Calls of one method, oldest first. */
  of<Method extends CodexCall['method']>(method: Method): Extract<CodexCall, { method: Method }>[] {
    return this.calls.filter((call): call is Extract<CodexCall, { method: Method }> => call.method === method);
  }

  /** Waits until a method was called so often. */
  async called(method: CodexCall['method'], times = 1): Promise<void> {
    while (this.of(method).length < times) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  /** Of a thread that had a listener, only what comes in `buffer` time is kept; one that is new may be early. */
  emit(threadId: string, event: ThreadEvent): void {
    const listener = this.#listeners.get(threadId);
    if (listener !== undefined) listener.onEvent(event);
    else if (this.#openBuffers > 0 || !this.#attached.has(threadId))
      this.#buffered.set(threadId, [...(this.#buffered.get(threadId) ?? []), event]);
  }

  /** An event that is lost when nobody listens. */
  emitIfHeard(threadId: string, event: ThreadEvent): void {
    this.#listeners.get(threadId)?.onEvent(event);
  }

  /** Sends a server request; its answer is the `answer` call with the returned ref. */
  request(threadId: string, request: ServerRequest): ServerRequestRef {
    const ref = { epoch: this.epoch, id: this.#requests };
    this.#requests += 1;
    this.#listeners.get(threadId)?.onRequest(ref, request);
    return ref;
  }

  emitGlobal(event: GlobalEvent): void {
    for (const listener of this.#globals) listener(event);
  }

  /** The process dies: listeners hear it first, then what waits for an answer fails (S8.5). */
  crash(
    message = 'The Codex app-server exited with code 1. The agent starts it again on the next request.',
  ): CodexLostError {
    const cause = new Lost(message, { exitCode: 1, signal: null, restartable: true });
    this.epoch += 1;
    for (const listener of [...this.#listeners.values()]) listener.onLost(cause);
    const lists = [
      this.heldStarts,
      this.heldInterrupts,
      this.heldSteers,
      this.heldCompacts,
      this.heldReviews,
      this.heldGoals,
      this.heldNames,
      this.heldModes,
      this.heldPolicies,
      this.heldSamples,
      this.heldResumes,
      this.heldTitles,
      this.heldReadThreads,
      this.heldTerminals,
      this.heldRunningTurns,
      this.heldUnsubscribes,
    ];
    for (const list of lists) for (const held of list.splice(0)) held.reject(cause);
    return cause;
  }

  ready(): Promise<void> {
    return this.#answer('ready', this.heldReady, undefined);
  }

  introduce(client: CodexClientInfo): Promise<void> {
    this.#record({ method: 'introduce', client });
    return this.startFailure === null ? Promise.resolve() : Promise.reject(this.startFailure);
  }

  replace(): Promise<void> {
    this.#record({ method: 'replace' });
    this.crash('The Codex app-server stopped responding. The agent starts it again on the next request.');
    return Promise.resolve();
  }

  readTurn(threadId: string, turnId: string): Promise<TurnRecord | null> {
    this.#record({ method: 'readTurn', threadId, turnId });
    return this.#answer('readTurn', this.heldReads, this.records.get(turnId) ?? null);
  }

  stop(): Promise<void> {
    this.#record({ method: 'stop' });
    return Promise.resolve();
  }

  start(params: StartThread): Promise<OpenThread>;
  start(params: StartTurn): Promise<{ turnId: string }>;
  start(params: StartThread | StartTurn): Promise<OpenThread | { turnId: string }> {
    if (!('threadId' in params)) return this.#startThread(params);
    this.#record({ method: 'startTurn', params });
    this.#turns += 1;
    return this.#answer('startTurn', this.heldStarts, { turnId: `turn-${this.#turns}` });
  }

  resume(threadId: string, params: ResumeThread): Promise<OpenThread> {
    this.#record({ method: 'resumeThread', threadId, params });
    // As Codex 0.171 does: a thread that was let go of is unloaded when it is loaded again.
    if (this.#unsubscribed.delete(threadId) && !this.keepsThreads && !this.manual.has('resumeThread')) {
      this.emitIfHeard(threadId, { type: 'threadStatus', status: { type: 'notLoaded' } });
      this.emitIfHeard(threadId, { type: 'threadStatus', status: { type: 'idle' } });
    }
    return this.#answer('resumeThread', this.heldResumes, this.openThread(threadId));
  }

  /** A recorded thread as it is when it was loaded. */
  openThread(threadId: string): OpenThread {
    return { ...this.#thread(threadId), active: this.activeTurn !== null, ...this.recorded };
  }

  unsubscribe(threadId: string): Promise<void> {
    this.#record({ method: 'unsubscribe', threadId });
    this.#unsubscribed.add(threadId);
    return this.#answer('unsubscribe', this.heldUnsubscribes, undefined);
  }

  listTerminals(threadId: string): Promise<readonly BackgroundTerminal[]> {
    this.#record({ method: 'listTerminals', threadId });
    return this.#answer('listTerminals', this.heldTerminals, this.terminals);
  }

  terminateTerminal(threadId: string, processId: string): Promise<void> {
    this.#record({ method: 'terminate', threadId, processId });
    return Promise.resolve();
  }

  setCollaborationMode(
    threadId: string,
    { mode, model, effort }: Parameters<CodexThreads['setCollaborationMode']>[1],
  ): Promise<void> {
    this.#record({ method: 'collaborationMode', threadId, mode, model, effort });
    return this.#answer('collaborationMode', this.heldModes, undefined);
  }

  archive(threadId: string): Promise<void> {
    this.#record({ method: 'archive', threadId });
    return this.archiveFailure === null ? Promise.resolve() : Promise.reject(this.archiveFailure);
  }

  applyPolicy(threadId: string, policy: TurnPolicy): Promise<void> {
    this.#record({ method: 'applyPolicy', threadId, policy });
    return this.#answer('applyPolicy', this.heldPolicies, undefined);
  }

  readThread(threadId: string): Promise<RecordedThread> {
    this.#record({ method: 'readThread', threadId });
    return this.#answer('readThread', this.heldReadThreads, this.recordedThread);
  }

  runningTurn(threadId: string): Promise<string | null> {
    this.#record({ method: 'runningTurn', threadId });
    return this.#answer('runningTurn', this.heldRunningTurns, this.activeTurn);
  }

  setName(threadId: string, name: string): Promise<void> {
    this.#record({ method: 'setName', threadId, name });
    return this.#answer('setName', this.heldNames, undefined);
  }

  steer(params: SteerTurn): Promise<{ turnId: string }> {
    this.#record({ method: 'steer', params });
    return this.#answer('steer', this.heldSteers, { turnId: params.turnId });
  }

  compact(threadId: string): Promise<void> {
    this.#record({ method: 'compact', threadId });
    return this.#answer('compact', this.heldCompacts, undefined);
  }

  review(threadId: string, target: ReviewTarget): Promise<{ turnId: string }> {
    this.#record({ method: 'review', threadId, target });
    this.#turns += 1;
    return this.#answer('review', this.heldReviews, { turnId: `turn-${this.#turns}` });
  }

  interrupt(threadId: string, turnId: string): Promise<void> {
    this.#record({ method: 'interrupt', threadId, turnId });
    return this.#answer('interrupt', this.heldInterrupts, undefined);
  }

  answer(ref: ServerRequestRef, answer: ServerAnswer): void {
    this.#record({ method: 'answer', ref, answer });
  }

  attach(threadId: string, listener: ThreadListener): () => void {
    this.#listeners.set(threadId, listener);
    this.#attached.add(threadId);
    const buffered = this.#buffered.get(threadId) ?? [];
    this.#buffered.delete(threadId);
    for (const event of buffered) listener.onEvent(event);
    return () => {
      if (this.#listeners.get(threadId) === listener) this.#listeners.delete(threadId);
    };
  }

  buffer(): () => void {
    this.#openBuffers += 1;
    return () => {
      this.#openBuffers -= 1;
    };
  }

  onGlobal(listener: (event: GlobalEvent) => void): void {
    this.#globals.push(listener);
  }

  read(): Promise<AccountState> {
    return Promise.resolve(this.account);
  }

  startChatGptLogin(kind: ChatGptLoginKind): Promise<PendingLogin> {
    this.#record({ method: 'startLogin', kind });
    const loginId = `login-${this.of('startLogin').length}`;
    const completed = new Promise<{ success: boolean }>((resolve, reject) => {
      this.pendingLogins.push({ resolve, reject });
    });
    return Promise.resolve({
      loginId,
      url: `https://auth.example/${loginId}`,
      userCode: kind === 'deviceCode' ? 'ABCD-1234' : null,
      completed,
      cancel: () => {
        this.#record({ method: 'cancelLogin', loginId });
        return Promise.resolve();
      },
    });
  }

  loginWithApiKey(apiKey: string): Promise<{ success: boolean }> {
    this.#record({ method: 'login', apiKey });
    this.account = { account: { type: 'apiKey' }, requiresLogin: true };
    return Promise.resolve({ success: true });
  }

  logout(): Promise<void> {
    this.#record({ method: 'logout' });
    this.account = { account: null, requiresLogin: true };
    return Promise.resolve();
  }

  models(): Promise<readonly ModelInfo[]> {
    return Promise.resolve(this.modelList);
  }

  permissionProfiles(): Promise<readonly PermissionProfile[]> {
    return Promise.resolve(this.profiles);
  }

  config(): Promise<EffectiveConfig> {
    return Promise.resolve(this.effectiveConfig);
  }

  #startThread(params: StartThread): Promise<OpenThread> {
    this.#record({ method: 'startThread', params });
    this.#threads += 1;
    return Promise.resolve(this.#thread(`thread-${this.#threads}`));
  }

  #thread(threadId: string): OpenThread {
    return {
      threadId,
      model: 'gpt-test',
      effort: 'low',
      serviceTier: null,
      activeProfileId: null,
      active: false,
      name: null,
      preview: null,
      collaborationMode: null,
      recorded: null,
      epoch: this.epoch,
    };
  }

  #answer<Result>(method: Manual, held: HeldCall<Result>[], result: Result): Promise<Result> {
    if (!this.manual.has(method)) return Promise.resolve(result);
    return new Promise<Result>((resolve, reject) => held.push({ resolve, reject }));
  }

  #record(call: CodexCall): void {
    this.calls.push(call);
    for (const waiter of this.#waiters.splice(0)) waiter();
  }
}
