import type { CommandItem, FileChangeItem, ToolItem } from '../thread/thread-item.ts';
import type { ConversationUpdate } from './conversation-update.ts';
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
  /** `background`: it outlived its turn. `unheard`: it ends with its turn at the latest, for its end may have been missed. */
  state: 'background' | 'running' | 'unheard';
}

export interface ToolCallsOptions {
  /** The client gets snapshots of command output instead of a stream (S12.1). */
  readonly snapshots: boolean;
  readonly show: (update: ConversationUpdate) => void;
  /** A command has output that no snapshot showed yet. */
  readonly snapshotDue: (itemId: string) => void;
  readonly ignored: (what: string, itemId: string) => void;
}

/** The tool calls of a thread: each is opened once, closed once, and silent afterwards (S4.16, S4.108). */
export class ToolCalls {
  readonly #options: ToolCallsOptions;
  readonly #open = new Map<string, OpenTool>();
  /** Tool calls that ended: nothing comes after the end, also not a late end of one that was closed for Codex (S4.108). */
  readonly #ended = new RecentIds(1024);

  constructor(options: ToolCallsOptions) {
    this.#options = options;
  }

  /** The open tool call with this id, for the ask about it (S5.40). */
  item(itemId: string): ToolItem | null {
    return this.#open.get(itemId)?.item ?? null;
  }

  /** Commands of a turn that have a live process. */
  liveCommands(turnId: string | null): CommandItem[] {
    const commands: CommandItem[] = [];
    for (const { turnId: owner, item } of this.#open.values()) {
      if ((turnId === null || owner === turnId) && item.type === 'command' && item.processId !== null) {
        commands.push(item);
      }
    }
    return commands;
  }

  started(turnId: string, item: ToolItem): void {
    if (this.#ended.has(item.id)) return this.#options.ignored('start after end', item.id);
    const open = this.#open.get(item.id);
    if (open !== undefined) {
      open.item = item;
      return;
    }
    const tail = this.#options.snapshots && item.type === 'command' ? new OutputTail() : null;
    this.#open.set(item.id, { turnId, item, streamed: null, tail, state: 'running' });
    this.#options.show({ type: 'toolStarted', item });
  }

  completed(item: ToolItem): void {
    if (this.#ended.has(item.id)) return this.#options.ignored('second end', item.id);
    const open = this.#open.get(item.id);
    this.#open.delete(item.id);
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

  commandOutput(itemId: string, delta: string): void {
    if (delta === '') return;
    const open = this.#open.get(itemId);
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

  commandInput(itemId: string, stdin: string): void {
    if (stdin === '') return;
    const open = this.#open.get(itemId);
    if (open === undefined || open.item.type !== 'command') return this.#options.ignored('input', itemId);
    if (open.tail !== null) {
      open.tail.append(`\n${stdin}\n`);
      this.#options.snapshotDue(itemId);
      return;
    }
    this.#options.show({ type: 'commandInput', item: open.item, stdin });
  }

  patchUpdated(itemId: string, changes: FileChangeItem['changes']): void {
    const open = this.#open.get(itemId);
    if (open === undefined || open.item.type !== 'fileChange') return;
    const item: FileChangeItem = { ...open.item, changes };
    open.item = item;
    this.#options.show({ type: 'patchChanged', item, changes });
  }

  mcpProgress(itemId: string, text: string): void {
    const message = text.trim();
    if (message !== '' && this.#open.has(itemId)) this.#options.show({ type: 'mcpProgress', itemId, message });
  }

  /** Shows the tail of a running command, if it changed (S12.1). */
  snapshot(itemId: string): void {
    const open = this.#open.get(itemId);
    const tail = open?.tail?.take() ?? null;
    if (open !== undefined && open.item.type === 'command' && tail !== null) {
      this.#options.show({ type: 'commandSnapshot', item: open.item, tail });
    }
  }

  /** The ends of what is open now may not be told; what has no turn any more has nothing else that would close it. */
  unheard(): void {
    for (const open of this.#open.values()) {
      if (open.state === 'background') this.#abort(open);
      else open.state = 'unheard';
    }
  }

  /**
   * Closes what a turn left open, as failed (S5.55b, C008). With `background` a command whose process lives on keeps
   * its tool call, unless its end may have been missed. `turnId: null` means every turn.
   */
  endTurn(turnId: string | null, background: boolean): void {
    for (const open of this.#open.values()) {
      if (turnId !== null && open.turnId !== turnId) continue;
      const lives = open.item.type === 'command' && open.item.processId !== null && open.state !== 'unheard';
      if (background && lives) open.state = 'background';
      else this.#abort(open);
    }
  }

  #abort({ item }: OpenTool): void {
    this.#open.delete(item.id);
    this.#ended.add(item.id);
    this.#options.show({ type: 'toolAborted', item });
  }
}
