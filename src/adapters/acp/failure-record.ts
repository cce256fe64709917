import type { Notice } from '../../domain/conversation/conversation-update.ts';
import type { FailureAction, FailureCategory, FailureKind } from '../../domain/conversation/failure-kind.ts';
import { failureKind, failureKindNamed, isAuthFailure } from '../../domain/conversation/failure-kind.ts';
import { readableError } from '../../domain/conversation/readable-error.ts';
import { AgentError, CodexLostError } from '../../domain/errors/agent-error.ts';
import type { TurnError } from '../../domain/thread/thread-event.ts';
import type { Failure } from '../../domain/turn/work-ending.ts';

/** `_meta.jetbrains.air.sessionFailure`: one failure; a higher revision of the same id replaces it (S3.175, S11.6). */
export interface FailureRecord {
  readonly id: string;
  readonly revision: number;
  readonly category: FailureCategory;
  readonly severity: 'error' | 'warning';
  readonly title: string;
  readonly details?: string;
  readonly actions: readonly FailureAction[];
}

/** Failures of one turn: they share an id until the turn recovers (S3.178). */
interface Incident {
  readonly id: string;
  revision: number;
  /** Recovered: the next failure of the turn is another incident. */
  closed: boolean;
  /** The failure that ended the turn. */
  terminal: FailureRecord | null;
  /** The client was told outside the answer to its prompt. */
  reported: boolean;
}

/** Turns whose incidents are remembered. */
const turnLimit = 64;
const titleLimit = 240;

/** Failure records of one session, for clients with typed failures (S3.175 to S3.182). */
export class SessionFailures {
  readonly #sessionId: string;
  readonly #numbers: FailureNumbers;
  readonly #incidents = new Map<string, Incident>();
  /** The retry that Codex is at; work of the turn closes it (S3.179). */
  #retry: { readonly incident: Incident; readonly record: FailureRecord } | null = null;
  #lastNotice: FailureRecord | null = null;

  constructor(sessionId: string, numbers: FailureNumbers) {
    this.#sessionId = sessionId;
    this.#numbers = numbers;
  }

  /** Codex tries again by itself (S3.174, S3.177). `null` when nothing is shown. */
  retried(turnId: string, error: TurnError): FailureRecord | null {
    if (isAuthFailure(error)) return null;
    const incident = this.#incident(turnId);
    const record = this.#record(incident, { ...failureKind(error), actions: [] }, 'warning', titleOf(error));
    this.#retry = { incident, record };
    return record;
  }

  /** The running turn failed; the record goes out with the answer to the prompt (S3.180). */
  failed(turnId: string, error: TurnError | null): FailureRecord | null {
    // Any failure ends a row of equal notices, also one that has no record (S3.182).
    this.#lastNotice = null;
    if (isAuthFailure(error)) return null;
    const incident = this.#incident(turnId);
    incident.terminal = this.#record(incident, failureKind(error), 'error', titleOf(error));
    // Another turn may be at a retry of its own, which its work still has to close (S3.179).
    if (this.#retry?.incident === incident) this.#retry = null;
    return incident.terminal;
  }

  /** A failure that belongs to no answer (S3.131). */
  reported(turnId: string, error: TurnError): FailureRecord | null {
    const record = this.failed(turnId, error);
    if (record !== null) this.#incident(turnId).reported = true;
    return record;
  }

  /** The record for the end of work that failed; one failure has one record (S3.171). */
  ended(failure: Failure): FailureRecord | null {
    switch (failure.type) {
      case 'turn':
        return this.#incidents.get(failure.turnId)?.terminal ?? this.failed(failure.turnId, failure.error);
      case 'lost':
        return this.#lost();
      case 'refused':
        return this.#refused(failure.error);
    }
  }

  /**
   * The record for the end of a turn that Codex started by itself; `null` when the client was told before, or when the
   * turn was lost with the app-server: its end alone tells that (S8.66).
   */
  endedWithoutPrompt(failure: Failure): FailureRecord | null {
    if (failure.type === 'lost') return null;
    const told = failure.type === 'turn' && (this.#incidents.get(failure.turnId)?.reported ?? false);
    return told ? null : this.ended(failure);
  }

  /** Advice for a client without notices (S3.182); the same advice again is a new revision. */
  noticed(notice: Notice): FailureRecord {
    const text = noticeText(notice);
    const last = this.#lastNotice;
    const repeated = last !== null && last.title === text.title && last.details === text.details;
    this.#lastNotice = {
      id: repeated ? last.id : this.#numbers.next(`${this.#sessionId}:notice`),
      revision: repeated ? last.revision + 1 : 1,
      category: 'unknown',
      severity: 'warning',
      ...text,
      actions: [],
    };
    return this.#lastNotice;
  }

  /** The turn goes on: returns the record of the retry that helped, if Codex was at one (S3.179). */
  recovered(): FailureRecord | null {
    const retry = this.#retry;
    if (retry === null) return null;
    retry.incident.closed = true;
    this.#retry = null;
    return retry.record;
  }

  /** Work ended well. */
  succeeded(): FailureRecord | null {
    this.#lastNotice = null;
    return this.recovered();
  }

  #incident(turnId: string): Incident {
    const known = this.#incidents.get(turnId);
    if (known !== undefined && !known.closed) return known;
    const id = known === undefined ? `${turnId}:error` : this.#numbers.next(`${turnId}:error`);
    const incident: Incident = { id, revision: 0, closed: false, terminal: null, reported: false };
    this.#incidents.set(turnId, incident);
    const [oldest] = this.#incidents.keys();
    if (this.#incidents.size > turnLimit && oldest !== undefined) this.#incidents.delete(oldest);
    return incident;
  }

  #lost(): FailureRecord {
    return this.#unnamed('transport_lost', 'Connection to Codex was lost.');
  }

  /** Errors that tell the client what to do are answered as such; they need no record. */
  #refused(error: Error): FailureRecord | null {
    if (error instanceof CodexLostError) return this.#lost();
    if (error instanceof AgentError && error.kind !== 'internal') return null;
    return this.#unnamed('internal_error', 'Codex encountered an internal error.');
  }

  #unnamed(name: 'internal_error' | 'transport_lost', title: string): FailureRecord {
    const incident = { id: this.#numbers.next(`${this.#sessionId}:error`), revision: 0 };
    return this.#record(incident, failureKindNamed(name), 'error', title);
  }

  #record(
    incident: Pick<Incident, 'id' | 'revision'>,
    kind: Pick<FailureKind, 'actions' | 'category'>,
    severity: FailureRecord['severity'],
    title: string,
  ): FailureRecord {
    this.#lastNotice = null;
    incident.revision += 1;
    const { id, revision } = incident;
    return { id, revision, category: kind.category, severity, title, actions: kind.actions };
  }
}

/** Numbers of a process, so that no id comes twice, not even when a session is opened again (S3.178). */
class FailureNumbers {
  readonly #epoch: string;
  #last = 0;

  constructor(epoch: string) {
    this.#epoch = epoch;
  }

  next(scope: string): string {
    this.#last += 1;
    return `${scope}:${this.#epoch}:${this.#last}`;
  }
}

/** Failure records of a connection; the epoch tells its ids from those of other processes (S3.178). */
export class FailureRecords {
  readonly #numbers: FailureNumbers;
  readonly #sessions = new Map<string, SessionFailures>();

  constructor(epoch: string) {
    this.#numbers = new FailureNumbers(epoch);
  }

  of(sessionId: string): SessionFailures {
    let failures = this.#sessions.get(sessionId);
    if (failures === undefined) {
      failures = new SessionFailures(sessionId, this.#numbers);
      this.#sessions.set(sessionId, failures);
    }
    return failures;
  }

  forgetSession(sessionId: string): void {
    this.#sessions.delete(sessionId);
  }
}

/** Both in the title if that stays short; a notice that is a title only is told as it is (S3.182). */
function noticeText({ title, description }: Notice): { readonly title: string; readonly details?: string } {
  if (description === null || description.trim() === '') return { title };
  const joined = `${title} — ${description}`;
  return joined.length <= titleLimit ? { title: joined } : { title, details: description };
}

function titleOf(error: TurnError | null): string {
  const title = readableError(error?.message ?? '');
  return title.trim() === '' ? 'Turn failed' : title;
}
