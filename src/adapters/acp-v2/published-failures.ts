import type { ConversationUpdate } from '../../domain/conversation/conversation-update.ts';
import type { WorkEnding } from '../../domain/turn/work-ending.ts';
import type { FailureRecord } from '../acp/failure-record.ts';
import { FailureRecords } from '../acp/failure-record.ts';
import type { SessionMetadata } from '../acp/session-metadata.ts';

type Meta = Record<string, unknown>;

/** Key of `jetbrains.air` that holds the record. */
const key = 'sessionFailure';

/** What the end of work says about failures: session metadata to publish, and the record for `idle`. */
export interface FailureEnding {
  readonly meta: Meta | null;
  readonly record: FailureRecord | null;
}

/**
 * Failure records of v2 clients with typed failures. A record in a session's metadata is taken back when its turn goes
 * on, or when a prompt that began with it succeeds (S3.179); what belongs to a prompt's end goes out with `idle`.
 */
export class PublishedFailures {
  readonly #records: FailureRecords;
  readonly #metadata: SessionMetadata;
  /** Records that stood in the metadata when the running work began. */
  readonly #knownAtStart = new Map<string, unknown>();

  constructor(epoch: string, metadata: SessionMetadata) {
    this.#records = new FailureRecords(epoch);
    this.#metadata = metadata;
  }

  turnError(sessionId: string, update: Extract<ConversationUpdate, { type: 'turnError' }>): Meta | null {
    const failures = this.#records.of(sessionId);
    switch (update.scope) {
      case 'fatal':
        failures.failed(update.turnId, update.error);
        return null;
      case 'retry':
        return this.#publish(sessionId, failures.retried(update.turnId, update.error));
      case 'other':
        return this.#publish(sessionId, failures.reported(update.turnId, update.error));
    }
  }

  /** Work runs; it may have been running before and waited for the user. */
  running(sessionId: string): void {
    if (this.#knownAtStart.has(sessionId)) return;
    this.#knownAtStart.set(sessionId, this.#metadata.airValue(sessionId, key));
  }

  /** The turn produces something; returns what takes its retry warning back. */
  recovered(sessionId: string): Meta | null {
    return this.#takeBack(sessionId, this.#records.of(sessionId).recovered());
  }

  /** A turn without prompt has no answer: its failure is published for the session (S3.131). */
  ended(sessionId: string, ending: WorkEnding): FailureEnding {
    const known = this.#knownAtStart.get(sessionId);
    this.#knownAtStart.delete(sessionId);
    const failures = this.#records.of(sessionId);
    const { outcome, usage } = ending;
    switch (outcome.type) {
      case 'cancelled':
        return { meta: null, record: null };
      case 'done': {
        const recovered = this.#takeBack(sessionId, failures.succeeded());
        return { meta: recovered ?? this.#takeBack(sessionId, known), record: null };
      }
      case 'failed': {
        if (usage !== null) return { meta: null, record: failures.ended(outcome.failure) };
        return { meta: this.#publish(sessionId, failures.endedWithoutPrompt(outcome.failure)), record: null };
      }
    }
  }

  forgetSession(sessionId: string): void {
    this.#records.forgetSession(sessionId);
    this.#knownAtStart.delete(sessionId);
  }

  #publish(sessionId: string, record: FailureRecord | null): Meta | null {
    return record === null ? null : this.#metadata.air(sessionId, { [key]: record });
  }

  /** Only the very record: a newer one, or a newer revision, stays. */
  #takeBack(sessionId: string, record: unknown): Meta | null {
    if (record === null || record === undefined) return null;
    return this.#metadata.airValue(sessionId, key) === record ? this.#metadata.withoutAir(sessionId, key) : null;
  }
}
