import type {
  ThreadEvent,
  ThreadStatus,
  TokenBreakdown,
  TurnError,
  TurnStatus,
} from '../../domain/thread/thread-event.ts';
import type { TurnRecord } from '../../ports/outbound/codex-runtime.ts';
import type * as wire from './protocol.generated.ts';
import type { ThreadNotifications } from './protocol.ts';
import { NOTICE_TRANSLATIONS } from './translate-global.ts';
import { translateGoal } from './translate-goal.ts';
import { fileChanges, translateItem } from './translate-item.ts';

type EventTranslation<M extends keyof ThreadNotifications> = (params: ThreadNotifications[M]) => ThreadEvent | null;

/** One notification method in the core's words; `null` for a message that has nothing for the core. */
const TRANSLATIONS: { readonly [M in keyof ThreadNotifications]: EventTranslation<M> } = {
  ...NOTICE_TRANSLATIONS,
  'item/agentMessage/delta': delta('messageDelta'),
  'item/commandExecution/outputDelta': delta('commandOutput'),
  'item/plan/delta': delta('planDelta'),
  'item/reasoning/summaryTextDelta': delta('reasoningDelta'),
  'item/reasoning/textDelta': delta('reasoningDelta'),
  'item/reasoning/summaryPartAdded': ({ turnId, itemId }) =>
    isId(turnId) && isId(itemId) ? { type: 'reasoningBreak', turnId, itemId } : null,
  'item/commandExecution/terminalInteraction': ({ turnId, itemId, stdin }) =>
    isId(turnId) && isId(itemId) && typeof stdin === 'string' ? { type: 'commandInput', turnId, itemId, stdin } : null,
  'item/fileChange/patchUpdated': ({ turnId, itemId, changes }) =>
    isId(turnId) && isId(itemId) ? { type: 'patchUpdated', turnId, itemId, changes: fileChanges(changes) } : null,
  'item/mcpToolCall/progress': ({ turnId, itemId, message }) =>
    isId(turnId) && isId(itemId) && typeof message === 'string'
      ? { type: 'mcpProgress', turnId, itemId, message }
      : null,
  'item/started': ({ turnId, item }) => itemEvent('itemStarted', turnId, item),
  'item/completed': ({ turnId, item }) => itemEvent('itemCompleted', turnId, item),
  'turn/started': ({ turn }) => {
    if (!isId(turn?.id)) return null;
    const { id, rootTurnId } = turn;
    return {
      type: 'turnStarted',
      turnId: id,
      ...(isId(rootTurnId) && rootTurnId !== id ? { rootId: rootTurnId } : {}),
    };
  },
  'turn/completed': ({ turn }) =>
    isId(turn?.id)
      ? {
          type: 'turnCompleted',
          turnId: turn.id,
          ...turnRecord(turn),
        }
      : null,
  'turn/plan/updated': ({ turnId, plan }) =>
    isId(turnId)
      ? {
          type: 'planUpdated',
          turnId,
          steps: (plan ?? []).map(({ step, status }) => ({
            step,
            status: status === 'inProgress' ? 'in_progress' : status === 'completed' ? 'completed' : 'pending',
          })),
        }
      : null,
  'turn/diff/updated': ({ turnId, diff }) =>
    isId(turnId) && typeof diff === 'string' ? { type: 'diffUpdated', turnId, diff } : null,
  'thread/compacted': ({ turnId }) => (isId(turnId) ? { type: 'compacted', turnId } : null),
  'thread/goal/updated': ({ goal: wireGoal }) => {
    const goal = translateGoal(wireGoal);
    return goal === null ? null : { type: 'goalUpdated', goal };
  },
  'thread/goal/cleared': () => ({ type: 'goalCleared' }),
  'thread/tokenUsage/updated': ({ turnId, tokenUsage }) =>
    isId(turnId)
      ? {
          type: 'tokenUsage',
          turnId,
          total: tokenBreakdown(tokenUsage.total),
          last: tokenBreakdown(tokenUsage.last),
          contextWindow: tokenUsage.modelContextWindow ?? null,
        }
      : null,
  'thread/status/changed': ({ status }) => {
    const known = threadStatus(status);
    return known === null ? null : { type: 'threadStatus', status: known };
  },
  'thread/archived': () => ({ type: 'threadArchived', archived: true }),
  'thread/unarchived': () => ({ type: 'threadArchived', archived: false }),
  'thread/closed': () => ({ type: 'threadClosed' }),
  'thread/name/updated': ({ threadName }) => ({ type: 'threadName', name: threadName ?? null }),
  error: ({ turnId, error, willRetry }) =>
    isId(turnId) ? { type: 'error', turnId, error: turnError(error), willRetry: willRetry === true } : null,
  'model/rerouted': ({ fromModel, toModel, reason }) => ({
    type: 'modelRerouted',
    from: fromModel,
    to: toModel,
    reason: typeof reason === 'string' ? reason : '',
  }),
  'serverRequest/resolved': ({ requestId }) =>
    isId(requestId) || typeof requestId === 'number' ? { type: 'requestResolved', requestId } : null,
};

/** Translation of the params of a thread's notification. */
export type TranslateEvent = (params: unknown) => ThreadEvent | null;

/**
 * Translations by method. Params come as Codex sent them, with the types of the protocol: the table pairs every method
 * with the translation of its own params.
 */
export const EVENT_TRANSLATIONS: ReadonlyMap<string, TranslateEvent> = new Map(
  Object.entries(TRANSLATIONS as Readonly<Record<string, TranslateEvent>>),
);

interface TextDelta {
  readonly turnId: string;
  readonly itemId: string;
  readonly delta: string;
}

function delta(
  type: 'commandOutput' | 'messageDelta' | 'planDelta' | 'reasoningDelta',
): (params: TextDelta) => ThreadEvent | null {
  return ({ turnId, itemId, delta: text }) =>
    isId(turnId) && isId(itemId) && typeof text === 'string' ? { type, turnId, itemId, delta: text } : null;
}

/** `null` for an item of a type that the core does not handle (S4.10). */
function itemEvent(
  type: 'itemCompleted' | 'itemStarted',
  turnId: string,
  wireItem: wire.ThreadItem,
): ThreadEvent | null {
  if (!isId(turnId)) return null;
  const item = translateItem(wireItem);
  return item === null ? null : { type, turnId, item };
}

/** Thread status in the core's words; `null` for a kind of status that is new to us. */
export function threadStatus(status: wire.ThreadStatus): ThreadStatus | null {
  switch (status?.type) {
    case 'active':
      return { type: 'active', activeFlags: status.activeFlags ?? [] };
    case 'idle':
    case 'notLoaded':
    case 'systemError':
      return { type: status.type };
    default:
      return null;
  }
}

/** How a turn stands, as an event or a record tells it. */
export function turnRecord(turn: wire.Turn): TurnRecord {
  return {
    status: turnStatus(turn.status),
    error: turn.error === null || turn.error === undefined ? null : turnError(turn.error),
  };
}

function turnStatus(status: string): TurnStatus {
  switch (status) {
    case 'completed':
    case 'interrupted':
    case 'failed':
    case 'inProgress':
      return status;
    default:
      // A turn that ended in a way that is new to us did not succeed as far as we know.
      return 'failed';
  }
}

function turnError(error: wire.TurnError): TurnError {
  return {
    message: typeof error?.message === 'string' ? error.message : 'Codex reported an error without a text.',
    info: error?.codexErrorInfo ?? null,
    details: error?.additionalDetails ?? null,
  };
}

function tokenBreakdown(tokens: wire.TokenUsageBreakdown): TokenBreakdown {
  return {
    totalTokens: tokens.totalTokens ?? 0,
    inputTokens: tokens.inputTokens ?? 0,
    cachedInputTokens: tokens.cachedInputTokens ?? 0,
    cacheWriteInputTokens: tokens.cacheWriteInputTokens ?? 0,
    outputTokens: tokens.outputTokens ?? 0,
    reasoningOutputTokens: tokens.reasoningOutputTokens ?? 0,
  };
}

function isId(id: unknown): id is string {
  return typeof id === 'string' && id !== '';
}
