import type { ThreadEvent } from '../thread/thread-event.ts';
import type { CommandItem, FileChangeItem, ThreadItem, ToolItem } from '../thread/thread-item.ts';
import type { ConversationUpdate } from './conversation-update.ts';
import { Messages } from './messages.ts';
import { noticeOf } from './notice.ts';
import { OutputTail } from './output-tail.ts';
import { RecentIds } from './recent-ids.ts';
import { StreamedText } from './streamed-text.ts';

/** A tool call that the client sees as open. */
interface OpenTool {
  readonly turnId: string;
  item: ToolItem;
  /** Output chunks that were shown; `null` before the first (S4.140). */
  streamed: StreamedText | null;
  /** Kept only for clients that get snapshots. */
  readonly tail: OutputTail | null;
}

export interface ConversationOptions {
  /** The client gets snapshots of command output instead of a stream (S12.1). */
  readonly snapshots: boolean;
  readonly show: (update: ConversationUpdate) => void;
  /** A command has output that no snapshot showed yet. */
  readonly snapshotDue: (itemId: string) => void;
  readonly ignored: (what: string, itemId: string) => void;
}

/**
 * Turns the events of a thread into what the client is shown. It keeps only what is needed to show everything once and
 * to close what was opened: flags per open item, never the whole text (S4.16, S4.17). Turns are not its business.
 */
export class Conversation {
  readonly #options: ConversationOptions;
  readonly #tools = new Map<string, OpenTool>();
  /** Tool calls that ended: nothing comes after the end, also not a late end of one that was closed for Codex (S4.108). */
  readonly #ended = new RecentIds(1024);
  readonly #messages: Messages;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.#messages = new Messages(options.show);
  }

  /** The open tool call with this id, for the ask about it (S5.40). */
  tool(itemId: string): ToolItem | null {
    return this.#tools.get(itemId)?.item ?? null;
  }

  /** Commands of a turn that have a live process. */
  liveCommands(turnId: string | null): CommandItem[] {
    const commands: CommandItem[] = [];
    for (const open of this.#tools.values()) {
      if ((turnId === null || open.turnId === turnId) && open.item.type === 'command' && open.item.processId !== null) {
        commands.push(open.item);
      }
    }
    return commands;
  }

  /** Shows one event. Events that show nothing (turns, statuses of requests) are handled elsewhere. */
  handle(event: ThreadEvent): void {
    const { show } = this.#options;
    switch (event.type) {
      case 'messageDelta':
        return this.#messages.messageDelta(event.turnId, event.itemId, event.delta);
      case 'reasoningDelta':
        return this.#messages.reasoningDelta(event.turnId, event.itemId, event.delta);
      case 'reasoningBreak':
        return this.#messages.reasoningBreak(event.itemId);
      case 'commandOutput':
        return this.#commandOutput(event.itemId, event.delta);
      case 'commandInput':
        return this.#commandInput(event.itemId, event.stdin);
      case 'itemStarted':
        return this.#started(event.turnId, event.item);
      case 'itemCompleted':
        return this.#completed(event.turnId, event.item);
      case 'patchUpdated':
        return this.#patchUpdated(event.itemId, event.changes);
      case 'mcpProgress': {
        const message = event.message.trim();
        if (message !== '' && this.#tools.has(event.itemId))
          show({ type: 'mcpProgress', itemId: event.itemId, message });
        return;
      }
      case 'planUpdated':
        return show({ type: 'plan', steps: event.steps });
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
      case 'planDelta':
      case 'diffUpdated':
      case 'compacted':
      case 'goalUpdated':
      case 'goalCleared':
      case 'error':
      case 'requestResolved':
      case 'turnCompleted':
      case 'turnStarted':
        return;
    }
  }

  /** Shows the tail of a running command, if it changed (S12.1). */
  snapshot(itemId: string): void {
    const open = this.#tools.get(itemId);
    const tail = open?.tail?.take() ?? null;
    if (open !== undefined && open.item.type === 'command' && tail !== null) {
      this.#options.show({ type: 'commandSnapshot', item: open.item, tail });
    }
  }

  /**
   * A turn is over: whatever it left open is closed as failed (S5.55b, C008). A command whose process lives on in the
   * background keeps its tool call, unless the turn was interrupted. `turnId: null` means everything.
   */
  endTurn(turnId: string | null, interrupted: boolean): void {
    for (const [itemId, open] of this.#tools) {
      if (turnId !== null && open.turnId !== turnId) continue;
      const background = !interrupted && open.item.type === 'command' && open.item.processId !== null;
      if (background) continue;
      this.#tools.delete(itemId);
      this.#ended.add(itemId);
      this.#options.show({ type: 'toolAborted', item: open.item });
    }
    this.#messages.endTurn(turnId);
  }

  #started(turnId: string, item: ThreadItem): void {
    switch (item.type) {
      case 'agentMessage':
        return this.#messages.messageStarted(turnId, item);
      case 'reasoning':
        return this.#messages.reasoningStarted(turnId, item);
      case 'compaction':
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
        return this.#toolStarted(turnId, item);
    }
  }

  #toolStarted(turnId: string, item: ToolItem): void {
    if (this.#ended.has(item.id)) return this.#options.ignored('start after end', item.id);
    const open = this.#tools.get(item.id);
    if (open !== undefined) {
      open.item = item;
      return;
    }
    const tail = this.#options.snapshots && item.type === 'command' ? new OutputTail() : null;
    this.#tools.set(item.id, { turnId, item, streamed: null, tail });
    this.#options.show({ type: 'toolStarted', item });
  }

  #completed(turnId: string, item: ThreadItem): void {
    switch (item.type) {
      case 'agentMessage':
        return this.#messages.messageCompleted(turnId, item);
      case 'reasoning':
        return this.#messages.reasoningCompleted(turnId, item);
      case 'compaction':
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
        return this.#toolCompleted(item);
    }
  }

  #toolCompleted(item: ToolItem): void {
    if (this.#ended.has(item.id)) return this.#options.ignored('second end', item.id);
    const open = this.#tools.get(item.id);
    this.#tools.delete(item.id);
    this.#ended.add(item.id);
    const streamed = open?.streamed ?? null;
    const missed = item.type === 'command' ? (streamed?.missedBeginningOf(item.output ?? '') ?? null) : null;
    this.#options.show({
      type: 'toolEnded',
      item,
      started: open !== undefined,
      streamed: streamed !== null,
      ...(missed === null ? {} : { missed }),
    });
  }

  #commandOutput(itemId: string, delta: string): void {
    if (delta === '') return;
    const open = this.#tools.get(itemId);
    if (open === undefined || open.item.type !== 'command') return this.#options.ignored('output', itemId);
    if (open.tail !== null) {
      open.tail.append(delta);
      this.#options.snapshotDue(itemId);
      return;
    }
    open.streamed ??= new StreamedText();
    open.streamed.append(delta);
    this.#options.show({ type: 'commandOutput', item: open.item, data: delta });
  }

  #commandInput(itemId: string, stdin: string): void {
    if (stdin === '') return;
    const open = this.#tools.get(itemId);
    if (open === undefined || open.item.type !== 'command') return this.#options.ignored('input', itemId);
    if (open.tail !== null) {
      open.tail.append(`\n${stdin}\n`);
      this.#options.snapshotDue(itemId);
      return;
    }
    this.#options.show({ type: 'commandInput', item: open.item, stdin });
  }

  #patchUpdated(itemId: string, changes: FileChangeItem['changes']): void {
    const open = this.#tools.get(itemId);
    if (open === undefined || open.item.type !== 'fileChange') return;
    const item: FileChangeItem = { ...open.item, changes };
    open.item = item;
    this.#options.show({ type: 'patchChanged', item, changes });
  }
}
