import { CodexRequestError } from '../../domain/errors/agent-error.ts';
import type { ServerAnswer, ServerRequestRef } from '../../domain/interaction/approval-request.ts';
import type { CodexInput } from '../../domain/prompt/prompt-block.ts';
import type { ReviewTarget } from '../../domain/review/review-target.ts';
import type { RecordedAccess } from '../../domain/settings/agent-mode.ts';
import type { SandboxPolicy, TurnPolicy } from '../../domain/settings/turn-policy.ts';
import type {
  BackgroundTerminal,
  CodexThreads,
  CodexTurns,
  OpenThread,
  RecordedThread,
  ResumeThread,
  StartThread,
  StartTurn,
  SteerTurn,
  TurnRecord,
} from '../../ports/outbound/codex-runtime.ts';
import { allPages } from './all-pages.ts';
import type * as wire from './protocol.generated.ts';
import type { CallCodex } from './protocol.ts';
import type { RespondToCodex } from './thread-feed.ts';
import { threadStatus, turnRecord } from './translate-event.ts';
import { wireAnswer } from './translate-request.ts';
import { isUnknownThread } from './unknown-thread.ts';

/** Threads of the running app-server. */
export class CodexThreadClient implements CodexThreads {
  readonly #call: CallCodex;
  readonly #epoch: () => number;

  constructor(call: CallCodex, epoch: () => number) {
    this.#call = call;
    this.#epoch = epoch;
  }

  /** S2.19. */
  async start(params: StartThread): Promise<OpenThread> {
    const epoch = this.#epoch();
    const opened = await this.#call('thread/start', {
      config: params.config,
      modelProvider: params.modelProvider,
      cwd: params.cwd,
      ...instructions(params),
    });
    return openThread(opened, epoch);
  }

  /** S2.20. */
  async resume(threadId: string, params: ResumeThread): Promise<OpenThread> {
    const epoch = this.#epoch();
    const { modelProvider, keep, cwd } = params;
    const effort = keep?.effort ?? null;
    const opened = await this.#call('thread/resume', {
      threadId,
      excludeTurns: true,
      config: effort === null ? params.config : { ...params.config, model_reasoning_effort: effort },
      cwd,
      ...(modelProvider === null ? {} : { modelProvider }),
      ...(keep === null || keep.model === null ? {} : { model: keep.model }),
      ...(params.policy === null ? {} : resumePermissions(params.policy)),
      ...instructions(params),
    });
    const collaborationMode = opened.collaborationMode?.mode ?? null;
    return { ...openThread(opened, epoch), collaborationMode, recorded: recordedAccess(opened) };
  }

  async readThread(threadId: string): Promise<RecordedThread> {
    const { thread } = await this.#call('thread/read', { threadId });
    return {
      modelProvider: thread.modelProvider ?? null,
      model: thread.model ?? null,
      effort: thread.reasoningEffort ?? null,
      status: threadStatus(thread.status)?.type ?? null,
      persisted: typeof thread.path === 'string' && thread.path !== '',
    };
  }

  async runningTurn(threadId: string): Promise<string | null> {
    const { data } = await this.#call('thread/turns/list', {
      threadId,
      limit: 1,
      sortDirection: 'desc',
      itemsView: 'notLoaded',
    });
    const [turn] = data;
    return turn !== undefined && turn.status === 'inProgress' ? turn.id : null;
  }

  /** Turns that end late are among the newest (S12.5). */
  async readTurn(threadId: string, turnId: string): Promise<TurnRecord | null> {
    const { data } = await this.#call('thread/turns/list', {
      threadId,
      limit: 20,
      sortDirection: 'desc',
      itemsView: 'notLoaded',
    });
    const turn = data.find(({ id }) => id === turnId);
    return turn === undefined ? null : turnRecord(turn);
  }

  async unsubscribe(threadId: string): Promise<void> {
    try {
      await this.#call('thread/unsubscribe', { threadId });
    } catch (error) {
      if (!isUnknownThread(error)) throw error;
    }
  }

  /** S3.72. A thread without a recording has nothing to archive. */
  async archive(threadId: string): Promise<void> {
    try {
      await this.#call('thread/archive', { threadId });
    } catch (error) {
      if (!isUnknownThread(error) && !hasNoRecording(error)) throw error;
    }
  }

  /** A thread that Codex does not know has none: its session can be closed (S3.71). */
  async listTerminals(threadId: string): Promise<readonly BackgroundTerminal[]> {
    try {
      const terminals = await allPages((cursor) => this.#call('thread/backgroundTerminals/list', { threadId, cursor }));
      return terminals.map(({ itemId, processId }) => ({ itemId, processId }));
    } catch (error) {
      if (isUnknownThread(error)) return [];
      throw error;
    }
  }

  async terminateTerminal(threadId: string, processId: string): Promise<void> {
    try {
      await this.#call('thread/backgroundTerminals/terminate', { threadId, processId });
    } catch (error) {
      if (!isUnknownThread(error)) throw error;
    }
  }

  async setName(threadId: string, name: string): Promise<void> {
    await this.#call('thread/name/set', { threadId, name });
  }

  /** S2.63. */
  async applyPolicy(threadId: string, policy: TurnPolicy): Promise<void> {
    const { summary: _, runtimeWorkspaceRoots: __, ...settings } = wirePolicy(policy);
    await this.#call('thread/settings/update', { threadId, ...settings });
  }

  /** S2.87. */
  async setCollaborationMode(
    threadId: string,
    mode: { mode: string; model: string; effort: string | null },
  ): Promise<void> {
    await this.#call('thread/settings/update', {
      threadId,
      collaborationMode: {
        mode: mode.mode,
        settings: { model: mode.model, reasoning_effort: mode.effort, developer_instructions: null },
      },
    });
  }
}

/** Turns of the running app-server. */
export class CodexTurnClient implements CodexTurns {
  readonly #call: CallCodex;
  readonly #respond: RespondToCodex;

  constructor(call: CallCodex, respond: RespondToCodex) {
    this.#call = call;
    this.#respond = respond;
  }

  /** S3.29. */
  async start({ threadId, input, clientMessageId, policy }: StartTurn): Promise<{ readonly turnId: string }> {
    const { turn } = await this.#call('turn/start', {
      threadId,
      input: input.map(wireInput),
      ...wirePolicy(policy),
      ...(clientMessageId === null ? {} : { clientUserMessageId: clientMessageId }),
    });
    return { turnId: turn.id };
  }

  async interrupt(threadId: string, turnId: string): Promise<void> {
    await this.#call('turn/interrupt', { threadId, turnId });
  }

  async steer({ threadId, turnId, input, clientMessageId }: SteerTurn): Promise<{ readonly turnId: string }> {
    const answer = await this.#call('turn/steer', {
      threadId,
      expectedTurnId: turnId,
      input: input.map(wireInput),
      clientUserMessageId: clientMessageId,
    });
    return { turnId: answer.turnId };
  }

  async compact(threadId: string): Promise<void> {
    await this.#call('thread/compact/start', { threadId });
  }

  /** S3.113. */
  async review(threadId: string, target: ReviewTarget): Promise<{ readonly turnId: string }> {
    const { turn } = await this.#call('review/start', {
      threadId,
      delivery: 'inline',
      target: target.type === 'commit' ? { ...target, title: null } : target,
    });
    return { turnId: turn.id };
  }

  answer(ref: ServerRequestRef, answer: ServerAnswer): void {
    this.#respond(ref, wireAnswer(answer));
  }
}

function instructions({ developerInstructions }: StartThread): Pick<wire.ThreadStartParams, 'developerInstructions'> {
  return developerInstructions === null ? {} : { developerInstructions };
}

function openThread(opened: wire.ThreadResumeResponse | wire.ThreadStartResponse, epoch: number): OpenThread {
  return {
    threadId: opened.thread.id,
    model: opened.model,
    effort: opened.reasoningEffort ?? null,
    serviceTier: opened.serviceTier ?? null,
    activeProfileId: opened.activePermissionProfile?.id ?? null,
    active: threadStatus(opened.thread.status)?.type === 'active',
    name: opened.thread.name ?? null,
    preview: opened.thread.preview ?? null,
    collaborationMode: null,
    recorded: null,
    epoch,
  };
}

/** Sandboxes that are new to us count as the narrowest. */
function recordedAccess(opened: wire.ThreadResumeResponse): RecordedAccess | null {
  const sandbox = opened.sandbox?.type;
  switch (sandbox) {
    case 'dangerFullAccess':
    case 'readOnly':
    case 'workspaceWrite':
      return { sandbox, approvalsReviewer: opened.approvalsReviewer ?? null };
    case 'externalSandbox':
      return { sandbox: 'readOnly', approvalsReviewer: opened.approvalsReviewer ?? null };
    case undefined:
      return null;
  }
}

function wireInput(input: CodexInput): wire.UserInput {
  return input.type === 'text'
    ? { type: 'text', text: input.text, text_elements: [] }
    : { type: 'image', url: input.url };
}

/** A profile excludes a sandbox policy. */
function wirePolicy(policy: TurnPolicy): Omit<wire.TurnStartParams, 'input' | 'threadId'> {
  const { access } = policy;
  return {
    approvalPolicy: policy.approvalPolicy,
    approvalsReviewer: policy.approvalsReviewer,
    summary: policy.summary,
    effort: policy.effort,
    model: policy.model,
    serviceTier: policy.serviceTier,
    ...(access.type === 'profile'
      ? { permissions: access.profileId, runtimeWorkspaceRoots: access.workspaceRoots }
      : { sandboxPolicy: access.sandbox }),
  };
}

/** A load takes a sandbox by its name only: the directories follow with the settings. */
function resumePermissions({
  access,
  approvalPolicy,
  approvalsReviewer,
}: TurnPolicy): Pick<wire.ThreadResumeParams, 'approvalPolicy' | 'approvalsReviewer' | 'permissions' | 'sandbox'> {
  return {
    approvalPolicy,
    approvalsReviewer,
    ...(access.type === 'profile' ? { permissions: access.profileId } : { sandbox: sandboxMode(access.sandbox) }),
  };
}

function sandboxMode({ type }: SandboxPolicy): wire.SandboxMode {
  switch (type) {
    case 'dangerFullAccess':
      return 'danger-full-access';
    case 'readOnly':
      return 'read-only';
    case 'workspaceWrite':
      return 'workspace-write';
  }
}

function hasNoRecording(error: unknown): boolean {
  return error instanceof CodexRequestError && error.message.includes('no rollout found');
}
