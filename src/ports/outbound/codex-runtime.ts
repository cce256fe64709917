import type { CodexLostError } from '../../domain/errors/agent-error.ts';
import type { ServerAnswer, ServerRequest, ServerRequestRef } from '../../domain/interaction/approval-request.ts';
import type { CodexInput } from '../../domain/prompt/prompt-block.ts';
import type { ReviewTarget } from '../../domain/review/review-target.ts';
import type { RecordedAccess } from '../../domain/settings/agent-mode.ts';
import type { ModelInfo } from '../../domain/settings/model-info.ts';
import type { ConfiguredWriteAccess, TurnPolicy } from '../../domain/settings/turn-policy.ts';
import type {
  NoticeEvent,
  ThreadEvent,
  ThreadStatus,
  TurnError,
  TurnStatus,
} from '../../domain/thread/thread-event.ts';
import type { RateLimit } from '../../domain/usage/rate-limit.ts';
import { token } from './service-identifier.ts';

/*
 * What the core needs of Codex, split by need. All calls may reject with `CodexLostError` (the app-server is gone:
 * error 1001) or `CodexRequestError` (Codex answered an error).
 */

/** Who we say we are to Codex; fields come from the ACP client, with our own as fall-back (S1.78). */
export interface CodexClientInfo {
  readonly name: string;
  readonly title: string;
  readonly version: string;
}

/** Life of the app-server process (S1.63, S1.81, S8 section 2). */
export interface CodexLifecycle {
  /** Number of the installed process; a thread loaded in an older one is not known to this one. */
  readonly epoch: number;
  /** Makes sure that a process runs and has been introduced; starts a new one when the last is gone. */
  ready(): Promise<void>;
  /** Introduces us with the facts of the ACP client, once per process, and remembers them for later processes. */
  introduce(client: CodexClientInfo): Promise<void>;
  /**
   * Gives up a process that no longer answers; the next `ready` starts another. Threads loaded in it are lost (S12.6).
   * Never rejects.
   */
  replace(): Promise<void>;
  /** Ends the process for good; nothing is started afterwards (S1.50). */
  stop(): Promise<void>;
}

export interface StartThread {
  readonly cwd: string;
  readonly modelProvider: string | null;
  /** Complete thread config (S2.18). */
  readonly config: Readonly<Record<string, unknown>>;
  readonly developerInstructions: string | null;
}

/** A thread that Codex opened. */
export interface OpenThread {
  readonly threadId: string;
  readonly model: string;
  readonly effort: string | null;
  readonly serviceTier: string | null;
  readonly activeProfileId: string | null;
  readonly active: boolean;
  /** Name of a recorded thread, and how its first message begins. */
  readonly name: string | null;
  readonly preview: string | null;
  readonly collaborationMode: string | null;
  /** Access that a recorded thread had; `null` for a new one (S12.8). */
  readonly recorded: RecordedAccess | null;
  /** Process in which the thread is loaded. */
  readonly epoch: number;
}

/** How a recorded thread is loaded. */
export interface ResumeThread extends StartThread {
  /**
   * What the thread may do from its first turn on, which may begin with the load itself (S12.8); `null` leaves it as it
   * was recorded. Only access and approvals count here.
   */
  readonly policy: TurnPolicy | null;
  /** Model and effort of the recording, to be sent with another provider than it had (S2.22). */
  readonly keep: { readonly model: string | null; readonly effort: string | null } | null;
}

/** What Codex knows of a thread that may not be loaded (S2.22). */
export interface RecordedThread {
  readonly modelProvider: string | null;
  readonly model: string | null;
  readonly effort: string | null;
  /** How it stands in the running process; `null` for a status that is new to us (S2.54). */
  readonly status: ThreadStatus['type'] | null;
  /** It has a place on the disk, where its first turn is recorded (S2.55). */
  readonly persisted: boolean;
}

/** How a recorded turn stands. */
export interface TurnRecord {
  readonly status: TurnStatus;
  readonly error: TurnError | null;
}

export interface BackgroundTerminal {
  readonly itemId: string;
  readonly processId: string;
}

/** Threads: open, release, background terminals. */
export interface CodexThreads {
  start(params: StartThread): Promise<OpenThread>;
  /** Loads a recorded thread again without its history (S2.20). */
  resume(threadId: string, params: ResumeThread): Promise<OpenThread>;
  /** What Codex knows of a thread, loaded or not (S2.22, S2.54). */
  readThread(threadId: string): Promise<RecordedThread>;
  /**
   * The newest turn of a thread, when it runs; `null` otherwise (S3.90). Fails with `CodexRequestError` when nothing of
   * the thread is recorded (S2.55).
   */
  runningTurn(threadId: string): Promise<string | null>;
  /** Stops delivery of a thread's events. A thread that Codex does not know counts as done (S3.71). */
  unsubscribe(threadId: string): Promise<void>;
  /** Takes a thread off the lists; one that Codex does not know counts as done (S3.72). */
  archive(threadId: string): Promise<void>;
  /** What Codex recorded of a turn; `null` when it knows none of that id (S12.5). */
  readTurn(threadId: string, turnId: string): Promise<TurnRecord | null>;
  listTerminals(threadId: string): Promise<readonly BackgroundTerminal[]>;
  terminateTerminal(threadId: string, processId: string): Promise<void>;
  /** Names the thread; its event tells every listener (S2.124). */
  setName(threadId: string, name: string): Promise<void>;
  /** Settings for turns that no `turn/start` begins: reviews, compactions, goals (S2.63). */
  applyPolicy(threadId: string, policy: TurnPolicy): Promise<void>;
  /** Switches plan mode of a thread (S2.87). */
  setCollaborationMode(threadId: string, mode: { mode: string; model: string; effort: string | null }): Promise<void>;
}

export interface StartTurn {
  readonly threadId: string;
  readonly input: readonly CodexInput[];
  /** Id that the recorded user message carries back (S3.5); `null` on v1. */
  readonly clientMessageId: string | null;
  readonly policy: TurnPolicy;
}

/** More input for a running turn (S3.3). */
export interface SteerTurn {
  readonly threadId: string;
  readonly turnId: string;
  readonly input: readonly CodexInput[];
  /** Id that the recorded user message carries back (S3.5). */
  readonly clientMessageId: string;
}

/** Turns of a thread (S3 section 1). */
export interface CodexTurns {
  /** Answers before the turn is registered; the id may be that of a turn that already ran (S3.1, S3.4). */
  start(params: StartTurn): Promise<{ readonly turnId: string }>;
  /** Fails with `CodexRequestError` while the turn is not registered (S3.2). */
  interrupt(threadId: string, turnId: string): Promise<void>;
  /** Gives the running turn more input; fails with `CodexRequestError` when it is not that turn (S3.3). */
  steer(params: SteerTurn): Promise<{ readonly turnId: string }>;
  /** Summarises the conversation in a turn that Codex names only when it starts (S3.8). */
  compact(threadId: string): Promise<void>;
  /** Starts a review; the id is the one that its items and its completion carry (S3.9). */
  review(threadId: string, target: ReviewTarget): Promise<{ readonly turnId: string }>;
  /** Answers a server request; ignored when its process is gone (S5.6). Never throws. */
  answer(ref: ServerRequestRef, answer: ServerAnswer): void;
}

/** Listener for everything that Codex reports of one thread, called in arrival order. */
export interface ThreadListener {
  onEvent(event: ThreadEvent): void;
  onRequest(ref: ServerRequestRef, request: ServerRequest): void;
  /** The process is gone; everything it had reported before was delivered (S8.5). */
  onLost(cause: CodexLostError): void;
}

/** Delivery of thread events. */
export interface CodexFeed {
  /**
   * Routes a thread's events to the listener, starting with what was buffered for it (S2.145). Returns the detach
   * function; requests for a thread without listener are refused at once (S5.7).
   */
  attach(threadId: string, listener: ThreadListener): () => void;
  /** Keeps events of threads without listener until the returned function is called (S2.145). */
  buffer(): () => void;
  /** Events that belong to no thread (S3.183). */
  onGlobal(listener: (event: GlobalEvent) => void): void;
}

/** What belongs to no thread. */
export type GlobalEvent = AccountChanged | NoticeEvent | RateLimitsChanged | SkillsChanged;

/** `account/rateLimits/updated` (S3.165). */
export interface RateLimitsChanged {
  readonly type: 'rateLimitsChanged';
  readonly limit: RateLimit;
}

/** `skills/changed`: the lists of all sessions may differ (S2.136). */
export interface SkillsChanged {
  readonly type: 'skillsChanged';
}

/** `account/updated`: the login of this Codex home changed, perhaps by another client (S1.189). */
export interface AccountChanged {
  readonly type: 'accountChanged';
  /** `null` when nobody is logged in. */
  readonly authMode: string | null;
  readonly planType: string | null;
  readonly reason: string | null;
}

export type CodexAccount =
  | { readonly type: 'apiKey' }
  | { readonly type: 'chatgpt'; readonly email: string | null; readonly plan: string | null }
  | { readonly type: 'external'; readonly name: string };

export interface AccountState {
  readonly account: CodexAccount | null;
  readonly requiresLogin: boolean;
}

/** A sign-in to ChatGPT that waits for the user (S1.161, S1.166). */
export interface PendingLogin {
  readonly loginId: string;
  /** Page that the user has to open. */
  readonly url: string;
  /** One-time code to enter there; `null` for the login in a browser. */
  readonly userCode: string | null;
  /** Settles when Codex reports the end of this very login, also if it did before; fails when Codex is lost. */
  readonly completed: Promise<{ readonly success: boolean }>;
  /** Gives the login up; a failure of that is only logged (S1.162). Never rejects. */
  cancel(): Promise<void>;
}

export type ChatGptLoginKind = 'browser' | 'deviceCode';

/** Login state of Codex (S1 section 10). */
export interface CodexAccounts {
  /** With `refresh` Codex renews its token first, which shows whether the login still works (S1.160). */
  read(refresh?: boolean): Promise<AccountState>;
  startChatGptLogin(kind: ChatGptLoginKind): Promise<PendingLogin>;
  /** Stores an API key and waits until Codex confirmed the login. */
  loginWithApiKey(apiKey: string): Promise<{ readonly success: boolean }>;
  /** Logs out and waits at most 2 s for the confirmation (S1.176). */
  logout(): Promise<void>;
}

export interface PermissionProfile {
  readonly id: string;
  readonly description: string | null;
}

export interface EffectiveConfig {
  readonly modelProvider: string | null;
  readonly approvalPolicy: unknown;
  readonly approvalsReviewer: string | null;
  readonly developerInstructions: unknown;
  readonly defaultPermissions: string | null;
  /** Names of MCP servers that any config layer defines (S2.155). */
  readonly mcpServerNames: readonly string[];
  /** What the user's config grants in modes that may write (`sandbox_workspace_write`, C059). */
  readonly writeAccess: ConfiguredWriteAccess | null;
  /** Project roots that the user called untrusted; opening a session does not change that (C035). */
  readonly untrustedRoots: readonly string[];
}

/** What Codex offers and how it is configured. */
export interface CodexCatalog {
  models(): Promise<readonly ModelInfo[]>;
  /** Profiles that the user may choose; built-ins are left out (S2.60). */
  permissionProfiles(cwd: string): Promise<readonly PermissionProfile[]>;
  config(cwd: string | null): Promise<EffectiveConfig>;
}

export const CodexLifecycle = token<CodexLifecycle>('CodexLifecycle');
export const CodexThreads = token<CodexThreads>('CodexThreads');
export const CodexTurns = token<CodexTurns>('CodexTurns');
export const CodexFeed = token<CodexFeed>('CodexFeed');
export const CodexAccounts = token<CodexAccounts>('CodexAccounts');
export const CodexCatalog = token<CodexCatalog>('CodexCatalog');
