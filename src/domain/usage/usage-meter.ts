import type { ThreadEvent, TokenBreakdown } from '../thread/thread-event.ts';

type TokenUsage = Extract<ThreadEvent, { type: 'tokenUsage' }>;

/**
 * What a thread and the prompt that works in it used so far (S3.161). A value: every function returns the next one,
 * and the same one when nothing changed. Totals are as Codex reports them; results are counts for the client (S3.160).
 */
export interface UsageMeter {
  /** Last known total of the thread; `null` while a loaded thread has not reported one. */
  readonly total: TokenBreakdown | null;
  /** The prompt that is measured, over all turns of its workflow; `null` between prompts. */
  readonly work: MeasuredWork | null;
}

interface MeasuredWork {
  /** Total before the work; `null` when unknown. */
  readonly start: TokenBreakdown | null;
  /** Sum of the calls; `null` before the first. */
  readonly calls: TokenBreakdown | null;
  /** A total went down, so differences of totals mean nothing. */
  readonly decreased: boolean;
  readonly outputSeen: boolean;
}

const nothing: TokenBreakdown = {
  totalTokens: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  outputTokens: 0,
  reasoningOutputTokens: 0,
};

/** Meter of a thread that is new, or of one that was loaded and whose total is not known yet (S3.161). */
export function usageMeter(thread: 'new' | 'loaded'): UsageMeter {
  return { total: thread === 'new' ? nothing : null, work: null };
}

/** A prompt begins to work: its usage counts from here. */
export function beginUsage(meter: UsageMeter): UsageMeter {
  return { ...meter, work: { start: meter.total, calls: null, decreased: false, outputSeen: false } };
}

/** The prompt's work is over; read `workTokens` before. The total of the thread goes on. */
export function endUsage(meter: UsageMeter): UsageMeter {
  return { ...meter, work: null };
}

/** Takes notice of an event of the session's thread (S3.161). Cheap for deltas once the model has answered. */
export function observeUsage(meter: UsageMeter, event: ThreadEvent): UsageMeter {
  if (event.type === 'tokenUsage') return withUpdate(meter, event);
  const { work } = meter;
  if (work === null || work.outputSeen || !isModelOutput(event)) return meter;
  return { ...meter, work: { ...work, outputSeen: true } };
}

/** Tokens that the work used up to now, as the client counts them; `null` when unknown (S3.161, S3.162). */
export function workTokens(meter: UsageMeter): TokenBreakdown | null {
  const { total, work } = meter;
  if (work === null || work.calls === null) return null;
  if (work.start === null || work.decreased || total === null) return tokenCount(work.calls);
  return tokenCount(combine(total, work.start, (end, start) => end - start));
}

/** Codex counts cached and cache-write tokens as input too; the client does not (S3.160, S4.95). */
export function tokenCount(tokens: TokenBreakdown): TokenBreakdown {
  const inputTokens = tokens.inputTokens - tokens.cachedInputTokens - tokens.cacheWriteInputTokens;
  return { ...tokens, inputTokens: Math.max(0, inputTokens) };
}

/** The context meter after a model call, or `null` when the window is not known (S3.164, S4.90, C024). */
export function contextUsage(
  event: TokenUsage,
): { readonly type: 'usage'; readonly used: number; readonly size: number } | null {
  const size = event.contextWindow;
  return size !== null && size > 0 ? { type: 'usage', used: event.last.totalTokens, size } : null;
}

function withUpdate(meter: UsageMeter, event: TokenUsage): UsageMeter {
  const { total, work } = meter;
  if (total !== null && equal(total, event.total)) return meter;
  if (work === null) return { total: event.total, work };
  if (work.start === null && work.calls === null && !work.outputSeen) {
    return { total: event.total, work: { ...work, start: event.total } };
  }
  const calls = combine(work.calls ?? nothing, event.last, (sum, call) => sum + call);
  const decreased = work.decreased || (total !== null && smaller(event.total, total));
  return { total: event.total, work: { ...work, calls, decreased } };
}

/** True for what only a model call brings; the recorded user message and status changes come before it. */
function isModelOutput(event: ThreadEvent): boolean {
  switch (event.type) {
    case 'itemStarted':
    case 'itemCompleted':
      return event.item.type !== 'userMessage';
    case 'messageDelta':
    case 'reasoningDelta':
    case 'reasoningBreak':
    case 'commandOutput':
    case 'commandInput':
    case 'patchUpdated':
    case 'mcpProgress':
    case 'planUpdated':
    case 'planDelta':
    case 'diffUpdated':
      return true;
    case 'turnStarted':
    case 'turnCompleted':
    case 'tokenUsage':
    case 'compacted':
    case 'goalUpdated':
    case 'goalCleared':
    case 'threadStatus':
    case 'threadArchived':
    case 'threadClosed':
    case 'threadName':
    case 'error':
    case 'requestResolved':
    case 'warning':
    case 'configWarning':
    case 'deprecation':
    case 'modelRerouted':
      return false;
  }
}

const fields = Object.keys(nothing) as readonly (keyof TokenBreakdown)[];

function equal(one: TokenBreakdown, other: TokenBreakdown): boolean {
  return fields.every((field) => one[field] === other[field]);
}

function smaller(next: TokenBreakdown, previous: TokenBreakdown): boolean {
  return fields.some((field) => next[field] < previous[field]);
}

function combine(
  one: TokenBreakdown,
  other: TokenBreakdown,
  of: (one: number, other: number) => number,
): TokenBreakdown {
  return {
    totalTokens: of(one.totalTokens, other.totalTokens),
    inputTokens: of(one.inputTokens, other.inputTokens),
    cachedInputTokens: of(one.cachedInputTokens, other.cachedInputTokens),
    cacheWriteInputTokens: of(one.cacheWriteInputTokens, other.cacheWriteInputTokens),
    outputTokens: of(one.outputTokens, other.outputTokens),
    reasoningOutputTokens: of(one.reasoningOutputTokens, other.reasoningOutputTokens),
  };
}
