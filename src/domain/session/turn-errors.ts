import type { Log } from '../../ports/outbound/system.ts';
import { type ClientProfile, hasAir } from '../client/client-profile.ts';
import type { ConversationUpdate } from '../conversation/conversation-update.ts';
import { RecentIds } from '../conversation/recent-ids.ts';
import type { ThreadEvent, TurnError } from '../thread/thread-event.ts';
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
  #reviewError: TurnError | null = null;

  constructor(profile: ClientProfile, show: (update: ConversationUpdate) => void, log: Log) {
    this.#profile = profile;
    this.#show = show;
    this.#log = log;
  }

  /** `running` is the turn that runs now; an error of another turn is not its failure (S3.131). */
  tell(event: ErrorEvent, running: string | null): void {
    const { turnId, error } = event;
    const fatal = !event.willRetry && turnId === running;
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

  /** Tells about the failure of work, unless an error event has told it already. */
  tellFailure(outcome: WorkOutcome, inserted: boolean, localCommand: string | null): void {
    if (outcome.type !== 'failed') return;
    const { failure } = outcome;
    if (failure.type === 'turn') {
      if (!this.#first(failure.turnId)) return;
      this.#show({ type: 'turnError', turnId: failure.turnId, error: failure.error ?? unexplained, scope: 'fatal' });
      return;
    }
    // v2 has answered the prompt already: the text is all that tells why (S3.45).
    if (!inserted || this.#profile.protocol === 1 || hasAir(this.#profile, 'sessionFailure')) return;
    this.#show({ type: 'agentText', messageId: null, text: failureText(failure, localCommand), phase: null });
  }

  /** The turn is over, whoever said so: its completion, its record or its failure to begin. */
  over(turnId: string): void {
    this.#over.add(turnId);
  }

  /** A review failed to begin: Codex before 0.171 says so again as the failure of the next turn (S3.115). */
  reviewFailed(error: TurnError): void {
    this.#reviewError = error;
  }

  /** True when a completion only repeats the failure of a review: the turn itself went well (S3.115). */
  repeatsReview(event: Extract<ThreadEvent, { type: 'turnCompleted' }>): boolean {
    const before = this.#reviewError;
    this.#reviewError = null;
    if (before === null || event.status !== 'failed' || event.error === null || this.#told.has(event.turnId)) {
      return false;
    }
    return event.error.message === before.message && sameInfo(event.error.info, before.info);
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

/** S3.45, S8.61. */
function failureText(failure: Exclude<Failure, { type: 'turn' }>, localCommand: string | null): string {
  if (failure.type === 'lost') return 'Connection to Codex was lost.';
  const [line = ''] = failure.error.message.split('\n', 1);
  if (localCommand === null) return line === '' ? 'The prompt failed.' : line;
  return `The '/${localCommand}' command failed${line === '' ? '.' : `: ${line}`}`;
}

/** Codex' structured errors are texts or small objects. */
function sameInfo(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
