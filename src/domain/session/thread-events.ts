import type { Conversation } from '../conversation/conversation.ts';
import { goalKey } from '../goal/goal.ts';
import type { ServerRequest, ServerRequestRef } from '../interaction/approval-request.ts';
import type { ThreadEvent, ThreadStatus } from '../thread/thread-event.ts';
import type { ThreadItem } from '../thread/thread-item.ts';
import type { Foreground } from '../turn/foreground.ts';
import { toldToStop } from '../turn/interrupt.ts';
import type { Work } from '../turn/turn-state.ts';
import { awaitsActivity, runningTurn } from '../turn/turn-state.ts';
import type { PromptLedger } from './prompt-ledger.ts';
import type { SessionAsks } from './session-asks.ts';
import type { SessionFeatures } from './session-features.ts';
import type { SessionReload } from './session-reload.ts';
import type { SessionWork } from './session-work.ts';
import type { TurnErrors } from './turn-errors.ts';
import type { YoungCommands } from './young-commands.ts';

type Event<Type extends ThreadEvent['type']> = Extract<ThreadEvent, { readonly type: Type }>;

export interface ThreadEventsParts {
  readonly work: SessionWork;
  readonly prompts: PromptLedger;
  readonly foreground: Foreground;
  readonly conversation: Conversation;
  readonly asks: SessionAsks;
  readonly errors: TurnErrors;
  readonly young: YoungCommands;
  readonly features: SessionFeatures;
  readonly reload: SessionReload;
}

/** What each event of a thread means for the work, the conversation and the features of its session, in order (S3.75). */
export class ThreadEvents {
  readonly #parts: ThreadEventsParts;

  constructor(parts: ThreadEventsParts) {
    this.#parts = parts;
  }

  /** One event of Codex. Deltas come first: they are the hot path (architecture, section 3.5). */
  handle(event: ThreadEvent): void {
    const { work, prompts, conversation, asks, young, features, reload } = this.#parts;
    young.observe(event);
    if (reload.followsTurns) this.#whileLoading(event);
    if (work.closing) return this.#whileClosing(event);
    prompts.observe(event);
    switch (event.type) {
      case 'messageDelta':
      case 'reasoningDelta':
      case 'commandOutput':
      case 'planDelta':
        this.#active(event.turnId);
        if (event.type === 'commandOutput') this.#itemRuns(event.turnId, event.itemId);
        else this.#textRuns(event.turnId, event.itemId);
        return conversation.handle(event);
      case 'itemStarted':
      case 'itemCompleted':
        return this.#item(event);
      case 'turnStarted':
        return this.#turnStarted(event);
      case 'turnCompleted':
        return this.#turnCompleted(event);
      case 'error':
        return this.#error(event);
      case 'threadStatus':
        this.#threadStatus(event.status);
        return conversation.handle(event);
      case 'requestResolved':
        return asks.resolved(event.requestId);
      case 'goalUpdated':
        features.goalUpdated(event.goal);
        return work.step({ type: 'goalUpdated', key: goalKey(event.goal) });
      case 'goalCleared':
        return features.goalCleared();
      case 'threadName':
        return features.named(event.name);
      case 'diffUpdated':
        this.#active(event.turnId);
        return features.observe(event);
      default:
        return conversation.handle(event);
    }
  }

  /** A request of Codex; one of a turn that is over or was told to stop is refused (S5.9, S5.13). */
  request(ref: ServerRequestRef, request: ServerRequest): void {
    const { work, errors, asks, reload } = this.#parts;
    const { turnId } = request;
    if (turnId !== null && reload.followsTurns) reload.turnSeen(turnId);
    const stale = turnId !== null && (errors.isOver(turnId) || toldToStop(work.work, turnId));
    if (work.closing || stale) return asks.refuse(ref, request);
    asks.ask(ref, request);
  }

  /** Usage is told again of a turn that is long over (S3.161); every other event of a turn says that it runs. */
  #whileLoading(event: ThreadEvent): void {
    if (!('turnId' in event) || event.type === 'turnStarted' || event.type === 'tokenUsage') return;
    this.#parts.reload.turnSeen(event.turnId);
  }

  /** A session that is being closed shows nothing; only its turns count (S3.69). */
  #whileClosing(event: ThreadEvent): void {
    const { work, errors } = this.#parts;
    if (event.type !== 'turnCompleted' && event.type !== 'turnStarted') return;
    if (event.type === 'turnCompleted') errors.over(event.turnId);
    work.step(event);
  }

  #turnStarted(event: Event<'turnStarted'>): void {
    const { work, foreground, errors, features, reload } = this.#parts;
    const { turnId, rootId } = event;
    // A start that is told after the end begins nothing: no second end would follow.
    if (errors.isOver(turnId)) return;
    const before = work.work;
    features.turnStarted(turnId);
    reload.turnStarted();
    work.step(event);
    work.publish(foreground.workSeen());
    // A later turn tells that the one before is over (S12.5); the child of a review does not, nor does a turn that began
    // before ours.
    const child = before.phase === 'running' && before.kind === 'review' && before.turnId === rootId;
    if (before.phase === 'running' && before.registered && before.turnId !== turnId && !child) {
      const outcome = errors.unrecorded(before.turnId, 'completed');
      work.watcher.input({ type: 'witness', turnId: before.turnId, outcome });
    }
  }

  #turnCompleted(event: Event<'turnCompleted'>): void {
    const { work, asks, errors, features } = this.#parts;
    const { turnId } = event;
    asks.turnOver(turnId);
    features.observe(event);
    const ended = errors.explained(turnId, event);
    const completion = errors.repeatsReview(event) ? { ...event, status: 'completed' as const, error: null } : ended;
    errors.over(turnId);
    const plan = completion.status === 'completed' && features.hasPlan(turnId);
    work.step({ ...completion, plan });
  }

  #item(event: Event<'itemCompleted' | 'itemStarted'>): void {
    const { work, conversation, foreground, features } = this.#parts;
    const { item, turnId } = event;
    if (item.type === 'userMessage') return this.#userMessage(turnId, item.clientId);
    this.#active(turnId);
    if (item.type === 'compaction' && event.type === 'itemStarted') work.step({ type: 'compacting', turnId });
    if (item.type === 'reviewEntered') work.step({ type: 'reviewing', turnId });
    if (event.type === 'itemStarted') return this.#itemStarted(event);
    conversation.handle(event);
    if (item.type === 'reviewExited') this.#textsCut(turnId);
    if (item.type === 'agentMessage') features.messageCompleted(turnId, item);
    work.publish(foreground.itemEnded(item.id));
    if (item.type === 'compaction') this.#compacted(turnId);
  }

  #itemStarted(event: Event<'itemStarted'>): void {
    const { conversation, errors } = this.#parts;
    const { item, turnId } = event;
    if (isText(item)) {
      this.#textRuns(turnId, item.id);
      return conversation.handle(event);
    }
    // Nobody would close what a turn that is over opens; its end, if it comes, is shown whole (C008, S3.80).
    if (errors.isOver(turnId)) return;
    this.#itemRuns(turnId, item.id);
    conversation.handle(event);
  }

  /** The end of the item tells that the turn of a compaction is over (S12.5). */
  #compacted(turnId: string): void {
    const { work } = this.#parts;
    if (work.work.phase !== 'running' || work.work.kind !== 'compact' || work.work.turnId !== turnId) return;
    work.watcher.input({ type: 'witness', turnId, outcome: { status: 'completed', error: null } });
  }

  #userMessage(turnId: string, clientId: string | null): void {
    const { work, prompts, features } = this.#parts;
    this.#textsCut(turnId);
    const prompt = prompts.admitted?.prompt;
    if (clientId === null) return;
    if (prompt?.messageId === clientId) work.step({ type: 'landed', promptId: prompt.promptId });
    else features.recorded(clientId);
  }

  #active(turnId: string): void {
    const { work, errors } = this.#parts;
    if (awaitsActivity(work.work) && !errors.isOver(turnId)) work.step({ type: 'activity', turnId });
  }

  /** Only items of the running turn keep the session running: a background command does not (S3.92). */
  #itemRuns(turnId: string, itemId: string): void {
    const { work, foreground } = this.#parts;
    if (this.#isCurrent(turnId)) work.publish(foreground.itemRuns(turnId, itemId));
  }

  #textRuns(turnId: string, itemId: string): void {
    const { work, foreground } = this.#parts;
    if (this.#isCurrent(turnId)) work.publish(foreground.textRuns(turnId, itemId));
  }

  /** Texts that Codex was streaming will not complete: input cut them off, or the reviewer is done (S3.5, S3.9). */
  #textsCut(turnId: string): void {
    const { work, foreground } = this.#parts;
    if (this.#isCurrent(turnId)) work.publish(foreground.textsCut());
  }

  #isCurrent(turnId: string): boolean {
    const { work } = this.#parts.work;
    switch (work.phase) {
      case 'running':
        return work.turnId === turnId;
      case 'agent':
        return work.agent.turnId === turnId;
      case 'starting':
        return !this.#parts.errors.isOver(turnId);
      case 'draining':
      case 'local':
      case 'planReview':
      case 'prep':
      case 'reloading':
        return work.agent?.turnId === turnId;
      case 'closed':
      case 'closing':
      case 'idle':
        return false;
    }
  }

  /** An idle thread is a witness that its turn is over (S12.5). */
  #threadStatus(status: ThreadStatus): void {
    const { work, foreground, reload, errors } = this.#parts;
    switch (status.type) {
      case 'active':
        work.watcher.input({ type: 'active' });
        if (status.activeFlags.length > 0) return;
        work.step({ type: 'threadActive' });
        return work.publish(foreground.workSeen());
      case 'idle':
      case 'systemError': {
        const turn = runningTurn(work.work);
        work.step({ type: 'threadIdle' });
        if (turn === null || turn.turnId === null) return;
        const outcome = errors.unrecorded(turn.turnId, status.type === 'systemError' ? 'failed' : 'completed');
        return work.watcher.input({ type: 'witness', turnId: turn.turnId, outcome });
      }
      case 'notLoaded':
        return reload.threadUnloaded();
    }
  }

  #error(event: Event<'error'>): void {
    const { work, errors, conversation } = this.#parts;
    // A compaction that failed is closed before its failure is told (S4.135).
    conversation.handle(event);
    const now = work.work;
    const { turnId, willRetry, error } = event;
    errors.seen(event);
    if (now.phase === 'starting' && now.agent?.turnId !== turnId) {
      errors.hold(event);
      if (willRetry) return;
      // R15: the review may fail before its request is answered.
      if (now.kind === 'review' && !now.reviewing.includes(turnId)) errors.reviewFailed(turnId, error);
      return work.step({ type: 'turnFailed', turnId, error });
    }
    const running = runningTurn(now)?.turnId ?? null;
    errors.tell(event, running, tellsAgentEnd(now));
    if (willRetry) return;
    const startOfReview = now.phase === 'running' && now.kind === 'review' && now.turnId === turnId && !now.reviewing;
    if (!startOfReview) return;
    errors.reviewFailed(turnId, error);
    work.step({ type: 'turnFailed', turnId, error });
  }
}

/** The end of an agent turn is told; inside a workflow it is not (S3.96). */
function tellsAgentEnd(work: Work): boolean {
  switch (work.phase) {
    case 'draining':
    case 'local':
    case 'planReview':
      return false;
    case 'starting':
      return !work.inserted;
    case 'agent':
    case 'closed':
    case 'closing':
    case 'idle':
    case 'prep':
    case 'reloading':
    case 'running':
      return true;
  }
}

/** What the model says, as against what it does. */
function isText(item: ThreadItem): boolean {
  return item.type === 'agentMessage' || item.type === 'plan' || item.type === 'reasoning';
}
