import type { Log } from '../../ports/outbound/system.ts';
import { type ClientProfile, hasAir } from '../client/client-profile.ts';
import type { ConversationUpdate } from '../conversation/conversation-update.ts';
import { readableError } from '../conversation/readable-error.ts';
import { RecentIds } from '../conversation/recent-ids.ts';
import type { ThreadEvent, TurnError } from '../thread/thread-event.ts';
import type { Completion } from '../turn/turn-state.ts';
import type { Failure, WorkOutcome } from '../turn/work-ending.ts';

type ErrorEvent = Extract<ThreadEvent, { type: 'error' }>;

/** Turns that ended are remembered up to this number, for late requests and items (S5.9, S3.80). */
const rememberedTurns = 64;

/** A failed turn for which Codex gave no reason (S3 table 12.2). */
const unexplained: TurnError = { message: 'Turn failed', info: null, details: null };

/** Tells the client about the errors of turns, each failure once (S3.171, S3 table 12.2). */
export class TurnErrors {
  readonly #profile: ClientProfile;
  readonly #show: (update: ConversationUpdate) => void;
  readonly #told = new RecentIds(rememberedTurns);
  readonly #over = new RecentIds(rememberedTurns);
  readonly #log: Log;
  readonly #held: ErrorEvent[] = [];
  /** What Codex said of turns that failed, until they are over. */
  readonly #fatal = new Map<string, TurnError>();
  #reviewError: { readonly turnId: string; readonly error: TurnError } | null = null;

  constructor(profile: ClientProfile, show: (update: ConversationUpdate) => void, log: Log) {
    this.#profile = profile;
    this.#show = show;
    this.#log = log;
  }

  /** A turn fails with it, even if its end says less (S1.193, S1.219). */
  seen({ turnId, error, willRetry }: ErrorEvent): void {
    if (willRetry || this.#over.has(turnId)) return;
    this.#fatal.set(turnId, error);
    const [oldest] = this.#fatal.keys();
    if (this.#fatal.size > rememberedTurns && oldest !== undefined) this.#fatal.delete(oldest);
  }

  /** A failure that the end of a turn gives no reason for has that of its error. */
  explained<End extends Completion>(turnId: string, end: End): End {
    if (end.status !== 'failed' || end.error !== null) return end;
    return { ...end, error: this.#fatal.get(turnId) ?? null };
  }

  /** How a turn ended that nothing is recorded of: not well when Codex said that it failed (C007, S12.5). */
  unrecorded(turnId: string, status: 'completed' | 'failed'): Completion {
    const error = this.#fatal.get(turnId) ?? null;
    return { status: error === null ? status : 'failed', error };
  }

  /**
   * `running` is the turn that runs now; an error of another turn is not its failure (S3.131). `endTold`: its end will be
   * told, and takes the failure of a typed client along.
   */
  tell(event: ErrorEvent, running: string | null, endTold = true): void {
    const { turnId, error } = event;
    const carried = endTold || !hasAir(this.#profile, 'sessionFailure');
    const fatal = !event.willRetry && turnId === running && carried;
    if (fatal && !this.#first(turnId)) return;
    const scope = event.willRetry ? 'retry' : fatal ? 'fatal' : 'other';
    this.#show({ type: 'turnError', turnId, error, scope });
  }

  /** Keeps an error that came before anybody knows whose it is (S3.173). */
  hold(event: ErrorEvent): void {
    this.#held.push(event);
  }

  /** The turn has its id: tells what was kept. */
  release(running: string): void {
    for (const event of this.#held.splice(0)) this.tell(event, running);
  }

  /** A command ended without a turn: what was kept is told for the session (S3.173). */
  releaseToSession(): void {
    for (const event of this.#held.splice(0)) this.tell(event, null);
  }

  /** The work is over; errors that found no turn are not told (S3.173). */
  drop(): void {
    for (const { turnId, error } of this.#held.splice(0)) {
      if (this.#told.has(turnId)) continue;
      this.#log.warn('An error of Codex belongs to no turn and was not shown', { turnId, reason: error.message });
    }
  }

  /**
   * Tells about the failure of work, unless an error event has told it already. `unanswered`: no answer to a prompt will
   * tell it, because the prompt was answered before (S3.45) or there was none (S3.144).
   */
  tellFailure(outcome: WorkOutcome, unanswered: boolean, localCommand: string | null): void {
    if (outcome.type !== 'failed') return;
    const { failure } = outcome;
    if (failure.type === 'turn') {
      if (!this.#first(failure.turnId)) return;
      this.#show({ type: 'turnError', turnId: failure.turnId, error: failure.error ?? unexplained, scope: 'fatal' });
      return;
    }
    // The text is all that tells why.
    if (!unanswered || hasAir(this.#profile, 'sessionFailure')) return;
    this.#show({ type: 'agentText', messageId: null, text: failureText(failure, localCommand), phase: null });
  }

  /** The turn is over, whoever said so: its completion, its record or its failure to begin. */
  over(turnId: string): void {
    this.#over.add(turnId);
    this.#fatal.delete(turnId);
  }

  /** A review failed to begin: Codex before 0.171 says so again as the failure of the next turn (S3.115). */
  reviewFailed(turnId: string, error: TurnError): void {
    this.#reviewError = { turnId, error };
  }

  /** True when a completion only repeats the failure of a review: the turn itself went well (S3.115). */
  repeatsReview(event: Extract<ThreadEvent, { type: 'turnCompleted' }>): boolean {
    const { turnId, status, error } = event;
    const before = this.#reviewError;
    this.#reviewError = null;
    // A turn that has a completion of its own was no review that could not begin.
    if (before === null || before.turnId === turnId) return false;
    // One that came before it was known whose it is counts as well.
    if (status !== 'failed' || error === null || this.#fatal.has(turnId)) return false;
    return error.message === before.error.message && sameInfo(error.info, before.error.info);
  }

  /** The failure of a turn was told, or will be as soon as it is known whose it is. */
  failed(turnId: string): boolean {
    return this.#told.has(turnId) || this.#held.some((event) => event.turnId === turnId && !event.willRetry);
  }

  isOver(turnId: string): boolean {
    return this.#over.has(turnId);
  }

  /** True the first time for a turn. */
  #first(turnId: string): boolean {
    if (this.#told.has(turnId)) return false;
    this.#told.add(turnId);
    return true;
  }
}

/** S3.45, S3.170, S8.61. */
function failureText(failure: Exclude<Failure, { type: 'turn' }>, localCommand: string | null): string {
  if (failure.type === 'lost') return 'Connection to Codex was lost.';
  const [line = ''] = readableError(failure.error.message).split('\n', 1);
  if (localCommand === null) return line === '' ? 'The prompt failed.' : line;
  return `The '/${localCommand}' command failed${line === '' ? '.' : `: ${line}`}`;
}

/** Codex' structured errors are texts or small objects. */
function sameInfo(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
