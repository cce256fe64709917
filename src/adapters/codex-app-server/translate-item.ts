import type {
  AsyncQuestion,
  CommandAction,
  CommandSource,
  FileChange,
  ItemStatus,
  MessagePhase,
  ThreadItem,
  WebSearchAction,
} from '../../domain/thread/thread-item.ts';
import type * as wire from './protocol.generated.ts';

type ItemTranslation<T extends wire.ThreadItem['type']> = (item: Extract<wire.ThreadItem, { type: T }>) => ThreadItem;

/*
 * The fields are read with care: the types say what Codex 0.171 sends, another Codex (CODEX_PATH) may leave some out.
 */
const TRANSLATIONS: { readonly [T in wire.ThreadItem['type']]: ItemTranslation<T> } = {
  agentMessage: (item) => ({
    type: 'agentMessage',
    id: item.id,
    text: item.text ?? '',
    phase: messagePhase(item.phase),
    hidden: isHidden(item.moderation),
    ...asyncQuestions(item),
  }),
  commandExecution: (item) => ({
    type: 'command',
    id: item.id,
    command: item.command ?? '',
    cwd: item.cwd ?? '',
    processId: item.processId ?? null,
    source: commandSource(item.source),
    status: itemStatus(item.status),
    actions: commandActions(item.commandActions),
    output: item.aggregatedOutput ?? null,
    exitCode: item.exitCode ?? null,
  }),
  contextCompaction: ({ id }) => ({ type: 'compaction', id }),
  enteredReviewMode: ({ id, review }) => ({ type: 'reviewEntered', id, text: review ?? '' }),
  exitedReviewMode: ({ id, review }) => ({ type: 'reviewExited', id, text: review ?? '' }),
  fileChange: (item) => ({
    type: 'fileChange',
    id: item.id,
    changes: fileChanges(item.changes),
    status: itemStatus(item.status),
  }),
  imageView: (item) => ({ type: 'imageView', id: item.id, path: item.path ?? '' }),
  mcpToolCall: (item) => ({
    type: 'mcpTool',
    id: item.id,
    server: item.server ?? '',
    tool: item.tool ?? '',
    arguments: item.arguments,
    status: itemStatus(item.status),
    result: item.result ?? null,
    error: item.error ?? null,
  }),
  plan: ({ id, text }) => ({ type: 'plan', id, text: text ?? '' }),
  reasoning: (item) => ({
    type: 'reasoning',
    id: item.id,
    summary: item.summary ?? [],
    content: item.content ?? [],
  }),
  userMessage: (item) => ({ type: 'userMessage', id: item.id, clientId: item.clientId ?? null }),
  webSearch: (item) => ({
    type: 'webSearch',
    id: item.id,
    query: item.query ?? '',
    action: webSearchAction(item.action),
  }),
};

const BY_TYPE = new Map<string, (item: never) => ThreadItem>(Object.entries(TRANSLATIONS));

/** The item in the core's words; `null` for an item type that the core does not handle or an item without id. */
export function translateItem(item: wire.ThreadItem): ThreadItem | null {
  if (typeof item?.id !== 'string') return null;
  // The table pairs every type with the translation of that type.
  return BY_TYPE.get(item.type)?.(item as never) ?? null;
}

export function commandActions(actions: readonly wire.CommandAction[] | null | undefined): readonly CommandAction[] {
  return (actions ?? []).map((action): CommandAction => {
    switch (action.type) {
      case 'read':
        return { type: 'read', command: action.command, path: action.path };
      case 'listFiles':
        return { type: 'listFiles', command: action.command, path: action.path ?? null };
      case 'search':
        return { type: 'search', command: action.command, query: action.query ?? null, path: action.path ?? null };
      default:
        return { type: 'unknown', command: action.command };
    }
  });
}

/** Diffs stay as Codex wrote them; the core takes off the tail of a move (S4.59). */
export function fileChanges(changes: readonly wire.FileUpdateChange[] | null | undefined): readonly FileChange[] {
  return (changes ?? []).map(({ path, kind, diff }) => ({
    path,
    kind: kind.type,
    movePath: kind.type === 'update' ? (kind.move_path ?? null) : null,
    diff,
  }));
}

const STATUSES: ReadonlySet<string> = new Set<ItemStatus>([
  'inProgress',
  'completed',
  'failed',
  'declined',
  'interrupted',
]);

/** A status that is new to us is final: nothing is known to follow it. */
function itemStatus(status: string): ItemStatus {
  return STATUSES.has(status) ? (status as ItemStatus) : 'failed';
}

const PHASES: ReadonlySet<string> = new Set<MessagePhase>(['commentary', 'partial_answer', 'final_answer']);

function messagePhase(phase: string | null | undefined): MessagePhase | null {
  return phase !== null && phase !== undefined && PHASES.has(phase) ? (phase as MessagePhase) : null;
}

const SOURCES: ReadonlySet<string> = new Set<CommandSource>([
  'agent',
  'userShell',
  'unifiedExecStartup',
  'unifiedExecInteraction',
]);

function commandSource(source: string): CommandSource {
  return SOURCES.has(source) ? (source as CommandSource) : 'agent';
}

/** S4.23. */
function isHidden(moderation: wire.AgentMessageModeration | null | undefined): boolean {
  const mode = moderation?.display?.mode;
  return mode === 'hide' || mode === 'block';
}

/** Questions that may be answered while Codex works on; questions of another delivery hold up the turn (S3.151). */
function asyncQuestions({ delivery, questions }: Extract<wire.ThreadItem, { type: 'agentMessage' }>): {
  readonly questions?: readonly AsyncQuestion[];
} {
  if (delivery !== 'async') return {};
  const asked = (questions ?? []).filter(({ title }) => typeof title === 'string');
  return asked.length === 0
    ? {}
    : { questions: asked.map(({ title, options }) => ({ title, options: options ?? [] })) };
}

function webSearchAction(action: wire.WebSearchAction | null | undefined): WebSearchAction | null {
  switch (action?.type) {
    case undefined:
      return null;
    case 'search':
      return { type: 'search', query: action.query ?? null, queries: action.queries ?? null };
    case 'openPage':
      return { type: 'openPage', url: action.url ?? null };
    case 'findInPage':
      return { type: 'findInPage', url: action.url ?? null, pattern: action.pattern ?? null };
    default:
      return { type: 'other' };
  }
}
