import type { ThreadEvent } from '../thread/thread-event.ts';
import type { CommandItem, ThreadItem, ToolItem } from '../thread/thread-item.ts';
import type { TurnEnd } from '../turn/turn-end.ts';
import { Compactions } from './compactions.ts';
import { Messages } from './messages.ts';
import { noticeOf } from './notice.ts';
import type { PlanMode, ProposedPlan } from './plan-texts.ts';
import { PlanTexts } from './plan-texts.ts';
import { ReviewTexts } from './review-texts.ts';
import type { ToolCallsOptions } from './tool-calls.ts';
import { ToolCalls } from './tool-calls.ts';

export interface ConversationOptions extends ToolCallsOptions {
  /** How the client is told the text of a plan (S3.127). */
  readonly planMode: PlanMode;
  /** The text of a plan is to be reported in so many milliseconds, by `flushPlan`. Asked once until then. */
  readonly planDue: (itemId: string, ms: number) => void;
  /** A failed turn ends its commands in the background, too: v2 (S3.79, S4.56). */
  readonly failureEndsAll: boolean;
  /** The client knows why the turn has no outcome: it was told to stop, or its failure was told (S3.56, S3.171). */
  readonly explained: (turnId: string) => boolean;
}

/**
 * Turns the events of a thread into what the client is shown. It keeps only what is needed to show everything once and
 * to close what was opened (S4.16, S4.17). Turns are not its business.
 */
export class Conversation {
  readonly #show: ConversationOptions['show'];
  readonly #tools: ToolCalls;
  readonly #messages: Messages;
  readonly #reviews: ReviewTexts;
  readonly #plans: PlanTexts;
  readonly #compactions: Compactions;
  readonly #failureEndsAll: boolean;

  constructor(options: ConversationOptions) {
    const { show } = options;
    this.#show = show;
    this.#failureEndsAll = options.failureEndsAll;
    this.#tools = new ToolCalls(options);
    this.#messages = new Messages(show);
    this.#reviews = new ReviewTexts(this.#messages, show, options.explained);
    this.#plans = new PlanTexts({ mode: options.planMode, show, due: options.planDue });
    this.#compactions = new Compactions(show);
  }

  /** The open tool call with this id, for the ask about it (S5.40). */
  tool(itemId: string): ToolItem | null {
    return this.#tools.item(itemId);
  }

  /** Commands of a turn that have a live process. */
  liveCommands(turnId: string | null): CommandItem[] {
    return this.#tools.liveCommands(turnId);
  }

  /** Shows one event. Events that show nothing (turns, statuses of requests) are handled elsewhere. */
  handle(event: ThreadEvent): void {
    const show = this.#show;
    switch (event.type) {
      case 'messageDelta':
        return this.#reviews.messageDelta(event.turnId, event.itemId, event.delta);
      case 'reasoningDelta':
        return this.#messages.reasoningDelta(event.turnId, event.itemId, event.delta);
      case 'reasoningBreak':
        return this.#messages.reasoningBreak(event.itemId);
      case 'commandOutput':
        return this.#tools.commandOutput(event.itemId, event.delta);
      case 'commandInput':
        return this.#tools.commandInput(event.itemId, event.stdin);
      case 'itemStarted':
        return this.#started(event.turnId, event.item);
      case 'itemCompleted':
        return this.#completed(event.turnId, event.item);
      case 'patchUpdated':
        return this.#tools.patchUpdated(event.itemId, event.changes);
      case 'mcpProgress':
        return this.#tools.mcpProgress(event.itemId, event.message);
      case 'planDelta':
        return this.#plans.delta(event.turnId, event.itemId, event.delta);
      case 'planUpdated':
        return show({ type: 'plan', steps: event.steps });
      case 'compacted':
        return this.#compactions.compacted(event.turnId);
      case 'error':
        // The error itself is a matter of its turn.
        return event.willRetry ? undefined : this.#compactions.turnError(event.turnId, event.error.message);
      case 'tokenUsage':
        if (event.contextWindow !== null && event.contextWindow > 0) {
          show({ type: 'usage', used: event.last.totalTokens, size: event.contextWindow });
        }
        return;
      case 'threadName':
        return show({ type: 'title', title: event.name });
      case 'threadStatus':
        return show({ type: 'threadStatus', status: event.status });
      case 'threadArchived':
        return show({ type: 'threadArchived', archived: event.archived });
      case 'threadClosed':
        return show({ type: 'threadClosed' });
      case 'warning':
      case 'configWarning':
      case 'deprecation':
      case 'modelRerouted':
        return show({ type: 'notice', notice: noticeOf(event) });
      case 'diffUpdated':
      case 'goalUpdated':
      case 'goalCleared':
      case 'requestResolved':
      case 'turnCompleted':
      case 'turnStarted':
        return;
    }
  }

  /** Shows the tail of a running command, if it changed (S12.1). */
  snapshot(itemId: string): void {
    this.#tools.snapshot(itemId);
  }

  /** Reports the text of a plan, if it grew (S3.127). */
  flushPlan(itemId: string): void {
    this.#plans.flush(itemId);
  }

  /** The last plan that the turn proposed, for its review; told once, before another turn ends (S3.128). */
  planOf(turnId: string): ProposedPlan | null {
    return this.#plans.planOf(turnId);
  }

  /**
   * A turn is over: whatever it left open is closed, compactions first (S4.135), and what it held back is shown (C008).
   * A command whose process lives on in the background keeps its tool call, unless the turn was interrupted or Codex
   * died, or for v2 failed. `turnId: null` means everything.
   */
  endTurn(turnId: string | null, end: TurnEnd): void {
    this.#compactions.turnOver(turnId, end.status, end.error);
    this.#tools.endTurn(turnId, end.status === 'completed' || (end.status === 'failed' && !this.#failureEndsAll));
    this.#reviews.endTurn(turnId);
    this.#plans.endTurn(turnId);
    this.#messages.endTurn(turnId);
  }

  /** Ends may not be told: nothing that is open now outlives its turn. */
  unheard(): void {
    this.#tools.unheard();
  }

  #started(turnId: string, item: ThreadItem): void {
    switch (item.type) {
      case 'agentMessage':
        return this.#messages.messageStarted(turnId, item);
      case 'reasoning':
        return this.#messages.reasoningStarted(turnId, item);
      case 'compaction':
        return this.#compactions.itemStarted(turnId, item.id);
      case 'plan':
      case 'reviewEntered':
      case 'reviewExited':
      case 'userMessage':
        return;
      case 'command':
      case 'fileChange':
      case 'imageView':
      case 'mcpTool':
      case 'webSearch':
        return this.#tools.started(turnId, item);
    }
  }

  #completed(turnId: string, item: ThreadItem): void {
    switch (item.type) {
      case 'agentMessage':
        return this.#reviews.messageCompleted(turnId, item);
      case 'reasoning':
        return this.#messages.reasoningCompleted(turnId, item);
      case 'compaction':
        return this.#compactions.itemCompleted(turnId, item.id);
      case 'plan':
        return this.#plans.completed(turnId, item);
      case 'reviewExited':
        return this.#reviews.exited(turnId, item);
      case 'reviewEntered':
      case 'userMessage':
        return;
      case 'command':
      case 'fileChange':
      case 'imageView':
      case 'mcpTool':
      case 'webSearch':
        return this.#tools.completed(item);
    }
  }
}
