/**
 * The things a Codex thread is made of, in our own words. The Codex adapter translates the app-server's items into
 * these once; nothing behind the adapter knows the wire types. Item types that we do not show are absent (S4.10).
 */

/** How an item stands. `inProgress` is the only status that is not final. */
export type ItemStatus = 'inProgress' | 'completed' | 'failed' | 'declined' | 'interrupted';

/** Part of an answer that a message belongs to (S4.21). */
export type MessagePhase = 'commentary' | 'partial_answer' | 'final_answer';

/** What Codex recognised a command to do; exactly one known action makes a plain command (S4.37). */
export type CommandAction =
  | { readonly type: 'read'; readonly command: string; readonly path: string }
  | { readonly type: 'listFiles'; readonly command: string; readonly path: string | null }
  | { readonly type: 'search'; readonly command: string; readonly query: string | null; readonly path: string | null }
  | { readonly type: 'unknown'; readonly command: string };

/** Where a command came from; names the tool that ran it (S4.40). */
export type CommandSource = 'agent' | 'userShell' | 'unifiedExecStartup' | 'unifiedExecInteraction';

/** A shell command that Codex runs. */
export interface CommandItem {
  readonly type: 'command';
  readonly id: string;
  readonly command: string;
  readonly cwd: string;
  /** Identifies the process behind the command while it lives; `null` when there is none. */
  readonly processId: string | null;
  readonly source: CommandSource;
  readonly status: ItemStatus;
  readonly actions: readonly CommandAction[];
  /** Whole output, only at completion; `null` means none was kept. */
  readonly output: string | null;
  readonly exitCode: number | null;
}

/** One file of a patch. `diff` is the whole text for `add` and `delete`, hunks for `update` (S4.59). */
export interface FileChange {
  readonly path: string;
  readonly kind: 'add' | 'delete' | 'update';
  /** New path of a moved file, only for `update`. */
  readonly movePath: string | null;
  readonly diff: string;
}

/** A patch that Codex applies to files. */
export interface FileChangeItem {
  readonly type: 'fileChange';
  readonly id: string;
  readonly changes: readonly FileChange[];
  readonly status: ItemStatus;
}

/** A message of the agent to the user. */
export interface AgentMessageItem {
  readonly type: 'agentMessage';
  readonly id: string;
  readonly text: string;
  readonly phase: MessagePhase | null;
  /** Codex asked not to show the text (S4.23). */
  readonly hidden: boolean;
  /** Questions that may be answered while Codex works on; only of a message that was delivered so (S3.151). */
  readonly questions?: readonly AsyncQuestion[];
}

/** A question that does not hold up the turn (S3.151). */
export interface AsyncQuestion {
  readonly title: string;
  /** Choices; empty for a question that is answered in the user's own words. */
  readonly options: readonly string[];
}

/** A piece of reasoning: summary parts, or raw parts when there is no summary. */
export interface ReasoningItem {
  readonly type: 'reasoning';
  readonly id: string;
  readonly summary: readonly string[];
  readonly content: readonly string[];
}

/** Input of a user that Codex recorded; `clientId` is the message id that we gave it (S3.5). */
export interface UserMessageItem {
  readonly type: 'userMessage';
  readonly id: string;
  readonly clientId: string | null;
}

/** A tool of an MCP server that Codex calls. Values stay as Codex gave them (S4.76). */
export interface McpToolItem {
  readonly type: 'mcpTool';
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly arguments: unknown;
  readonly status: ItemStatus;
  readonly result: unknown;
  readonly error: unknown;
}

/** A web search; `action` is what the model did with it (S4.81). */
export interface WebSearchItem {
  readonly type: 'webSearch';
  readonly id: string;
  readonly query: string;
  readonly action: WebSearchAction | null;
}

export type WebSearchAction =
  | { readonly type: 'search'; readonly query: string | null; readonly queries: readonly string[] | null }
  | { readonly type: 'openPage'; readonly url: string | null }
  | { readonly type: 'findInPage'; readonly url: string | null; readonly pattern: string | null }
  | { readonly type: 'other' };

/** An image that the agent looked at (S4.83). */
export interface ImageViewItem {
  readonly type: 'imageView';
  readonly id: string;
  readonly path: string;
}

/** Codex summarises the conversation to win room in the context (S3.166). */
export interface CompactionItem {
  readonly type: 'compaction';
  readonly id: string;
}

/** A plan that Codex proposes in plan mode; the text is complete only at completion (S3.127). */
export interface PlanItem {
  readonly type: 'plan';
  readonly id: string;
  readonly text: string;
}

/** The reviewer began, or has ended with its report (S3.9). */
export interface ReviewItem {
  readonly type: 'reviewEntered' | 'reviewExited';
  readonly id: string;
  /** What is reviewed, or the text of the review. */
  readonly text: string;
}

/** Every item that the core handles. */
export type ThreadItem =
  | AgentMessageItem
  | CommandItem
  | CompactionItem
  | FileChangeItem
  | ImageViewItem
  | McpToolItem
  | PlanItem
  | ReasoningItem
  | ReviewItem
  | UserMessageItem
  | WebSearchItem;

/** Items that a client sees as a tool call. */
export type ToolItem = CommandItem | FileChangeItem | ImageViewItem | McpToolItem | WebSearchItem;
