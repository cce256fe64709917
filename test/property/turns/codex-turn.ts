import type { ServerRequestRef } from '../../../src/domain/interaction/approval-request.ts';
import type { ThreadEvent, TurnError } from '../../../src/domain/thread/thread-event.ts';
import type { ThreadItem } from '../../../src/domain/thread/thread-item.ts';
import { command } from '../../support/session-lab.ts';
import type { Unwanted } from './codex-calls.ts';

/** Who began a turn. An `agent` turn and the turn of a goal begin by themselves. */
export type TurnKind = 'agent' | 'compact' | 'goal' | 'prompt' | 'review';

/** A turn of the model: P of a review; `child` is C, the id that `turn/started` has (S3.9). */
export interface Turn {
  readonly id: string;
  readonly kind: TurnKind;
  readonly child: string;
  /** The turn that led to it: P for C, and the one in which a goal was set. */
  readonly root: string | null;
  /** Prompts and steers whose start made the turn, or joined it. */
  readonly names: string[];
  /** Those of them who take it for their own: nobody had told them that it runs (R2). */
  readonly owners: string[];
  /** Messages that were taken and not recorded yet; `null` is one without an id (v1). */
  readonly inputs: (string | null)[];
  /** Commands that run, and those that live on in the background. */
  readonly commands: string[];
  readonly background: string[];
  readonly asks: ServerRequestRef[];
  /** A review that cannot begin (S3.10). */
  readonly broken: boolean;
  /** How far Codex is with a compaction or a review. */
  stage: number;
  items: number;
  planned: boolean;
  /** An interrupt was accepted. */
  stopped: boolean;
  /** Codex refused to interrupt it, for no reason that passes. */
  stubborn: boolean;
  unwanted: Unwanted;
  /** How much was heard when its id was told by an answer, when it was (S2.25). */
  foundAt: number | null;
}

export function newTurn(id: string, kind: TurnKind, overrides: Partial<Turn> = {}): Turn {
  return {
    id,
    kind,
    child: kind === 'review' ? `${id}c` : id,
    root: kind === 'review' ? id : null,
    names: [],
    owners: [],
    inputs: [],
    commands: [],
    background: [],
    asks: [],
    broken: false,
    stage: 0,
    items: 0,
    planned: false,
    stopped: false,
    stubborn: false,
    unwanted: 'no',
    foundAt: null,
    ...overrides,
  };
}

/** A turn that takes more input (S3.3, S3.4). */
export function isRegular({ kind }: Turn): boolean {
  return kind === 'agent' || kind === 'goal' || kind === 'prompt';
}

/** A turn that began by itself; nobody knows of it before it is told. */
export function beganByItself({ kind }: Turn): boolean {
  return kind === 'agent' || kind === 'goal';
}

/** The session knows that the turn runs, having heard so much. */
export function isKnown(turn: Turn, heard: readonly ThreadEvent[]): boolean {
  if (!beganByItself(turn)) return true;
  if (turn.foundAt !== null && turn.foundAt <= heard.length) return true;
  return heard.some((event) => event.type === 'turnStarted' && event.turnId === turn.id);
}

const failure: TurnError = { message: 'The model failed.', info: null, details: null };

/** What Codex tells, one event each. */
export const told = {
  active: { type: 'threadStatus', status: { type: 'active', activeFlags: [] } },
  idle: { type: 'threadStatus', status: { type: 'idle' } },
  systemError: { type: 'threadStatus', status: { type: 'systemError' } },
  started: ({ child, root }: Turn): ThreadEvent =>
    root === null ? { type: 'turnStarted', turnId: child } : { type: 'turnStarted', turnId: child, rootId: root },
  failure: (turnId: string): ThreadEvent => ({ type: 'error', turnId, error: failure, willRetry: false }),
  retry: (turnId: string): ThreadEvent => ({ type: 'error', turnId, error: failure, willRetry: true }),
  completed: (turnId: string, status: 'completed' | 'failed' | 'interrupted'): ThreadEvent => ({
    type: 'turnCompleted',
    turnId,
    status,
    error: status === 'failed' ? failure : null,
  }),
  item: (turnId: string, item: ThreadItem): readonly [ThreadEvent, ThreadEvent] => [
    { type: 'itemStarted', turnId, item },
    { type: 'itemCompleted', turnId, item },
  ],
  landed: (turnId: string, clientId: string | null): readonly ThreadEvent[] =>
    told.item(turnId, { type: 'userMessage', id: `user-${clientId ?? 'x'}`, clientId }),
  /** The report of a review, twice (S3.116), or what stands for it in one that was stopped (S3.9). */
  report: (turnId: string, text: string, message: string): readonly ThreadEvent[] => [
    ...told.item(turnId, { type: 'reviewExited', id: `${turnId}-exited`, text }),
    ...told.item(turnId, { type: 'agentMessage', id: `${turnId}-report`, text: message, phase: null, hidden: false }),
  ],
  commandStarted: (turnId: string, id: string, processId: string | null): ThreadEvent => ({
    type: 'itemStarted',
    turnId,
    item: command(id, { processId }),
  }),
  commandEnded: (turnId: string, id: string): ThreadEvent => ({
    type: 'itemCompleted',
    turnId,
    item: command(id, { status: 'completed', exitCode: 0, processId: null }),
  }),
} as const satisfies Record<string, unknown>;

/** An event in words, for the script of a run. */
export function eventInWords(event: ThreadEvent): string {
  switch (event.type) {
    case 'threadStatus':
      return `thread ${event.status.type}`;
    case 'turnStarted':
      return `turn ${event.turnId} started`;
    case 'turnCompleted':
      return `turn ${event.turnId} ${event.status}`;
    case 'itemStarted':
    case 'itemCompleted': {
      const { item } = event;
      const name = item.type === 'userMessage' ? `user message ${item.clientId ?? 'without id'}` : item.id;
      return `${name} ${event.type === 'itemStarted' ? 'starts' : 'ends'}`;
    }
    case 'error':
      return `${event.willRetry ? 'retry' : 'error'} of ${event.turnId}`;
    case 'goalUpdated':
      return `goal ${event.goal.status}`;
    case 'messageDelta':
    case 'planDelta':
      return `text of ${event.itemId}`;
    case 'requestResolved':
      return `request ${event.requestId} resolved`;
    default:
      return event.type;
  }
}
