import type { CodexLostError } from '../../domain/errors/agent-error.ts';
import {
  refusal,
  type ServerAnswer,
  type ServerRequest,
  type ServerRequestRef,
} from '../../domain/interaction/approval-request.ts';
import type { NoticeEvent, ThreadEvent, TurnError } from '../../domain/thread/thread-event.ts';
import type { CodexFeed, GlobalEvent, ThreadListener } from '../../ports/outbound/codex-runtime.ts';
import type { Log } from '../../ports/outbound/system.ts';
import type { CodexReceiver } from './codex-supervisor.ts';
import type { NotificationWaits } from './notification-waits.ts';
import type { RpcReceiver } from './rpc-connection.ts';
import { EVENT_TRANSLATIONS } from './translate-event.ts';
import { GLOBAL_TRANSLATIONS } from './translate-global.ts';
import { isApprovalMethod, refusalOf, translateRequest, unsupportedAnswer, wireAnswer } from './translate-request.ts';

type GlobalListener = (event: GlobalEvent) => void;

/** What is kept for a thread that has no listener yet. */
type Buffered = { readonly event: ThreadEvent } | { readonly ref: ServerRequestRef; readonly request: ServerRequest };

/** Answers a request of one process; does nothing when that process is gone. */
export type RespondToCodex = (ref: ServerRequestRef, result: object) => void;

/**
 * Brings what Codex reports to the listener of its thread, in the order of arrival (S1.83, S2.145). One notification
 * costs two map lookups: its method and its thread.
 */
export class ThreadFeed implements CodexFeed, CodexReceiver {
  readonly #respond: RespondToCodex;
  readonly #waits: NotificationWaits;
  readonly #redact: (text: string) => string;
  readonly #log: Log;
  readonly #listeners = new Map<string, ThreadListener>();
  readonly #globalListeners: GlobalListener[] = [];
  readonly #buffers = new Map<string, Buffered[]>();
  #openBuffers = 0;
  /** Notices that were told to everybody. */
  readonly #told = new Set<string>();
  #quiet = 0;
  /** Names of what was ignored, for one debug line each (S4.10). */
  readonly #ignored = new Set<string>();

  /** `redact` masks secrets in what Codex says about failures. */
  constructor(respond: RespondToCodex, waits: NotificationWaits, redact: (text: string) => string, log: Log) {
    this.#respond = respond;
    this.#waits = waits;
    this.#redact = redact;
    this.#log = log;
  }

  attach(threadId: string, listener: ThreadListener): () => void {
    this.#listeners.set(threadId, listener);
    const buffered = this.#buffers.get(threadId) ?? [];
    this.#buffers.delete(threadId);
    for (const entry of buffered) {
      if ('event' in entry) this.#guard(() => listener.onEvent(entry.event));
      else this.#ask(listener, entry.ref, entry.request);
    }
    return () => {
      if (this.#listeners.get(threadId) === listener) this.#listeners.delete(threadId);
    };
  }

  buffer(): () => void {
    this.#openBuffers += 1;
    let open = true;
    return () => {
      if (!open) return;
      open = false;
      this.#openBuffers -= 1;
      if (this.#openBuffers === 0) this.#dropBuffers();
    };
  }

  onGlobal(listener: GlobalListener): void {
    this.#globalListeners.push(listener);
  }

  /**
   * Keeps back notices that were told before until the returned function is called: every thread that Codex starts
   * makes it complain about the same configuration again, also a thread that no client knows of (S3.193).
   */
  holdRepeatedNotices(): () => void {
    this.#quiet += 1;
    let open = true;
    return () => {
      if (open) this.#quiet -= 1;
      open = false;
    };
  }

  forProcess(epoch: number): RpcReceiver {
    return {
      onNotification: (method, params) => this.#onNotification(method, params),
      onRequest: (id, method, params) => this.#onRequest({ epoch, id }, method, params),
    };
  }

  onLost(cause: CodexLostError): void {
    // Nothing of a dead process can be answered (S8.72a).
    this.#buffers.clear();
    for (const listener of [...this.#listeners.values()]) this.#guard(() => listener.onLost(cause));
    this.#guard(() => this.#waits.onLost(cause));
  }

  #onNotification(method: string, params: unknown): void {
    const threadId = threadOf(params);
    if (threadId === null) return this.#onGlobalNotification(method, params);
    const translate = EVENT_TRANSLATIONS.get(method);
    if (translate === undefined) return this.#ignore(`notification ${method}`);
    const listener = this.#listeners.get(threadId);
    if (listener === undefined && this.#openBuffers === 0) return;
    const event = this.#translate(translate, method, params);
    if (event === null) this.#ignore(whatOf(method, params));
    else if (listener !== undefined) listener.onEvent(this.#redacted(event));
    else this.#keep(threadId, { event: this.#redacted(event) });
  }

  #onGlobalNotification(method: string, params: unknown): void {
    this.#waits.onNotification(method, params);
    const translate = GLOBAL_TRANSLATIONS.get(method);
    if (translate === undefined) return this.#ignore(`notification ${method}`);
    const event = this.#translate(translate, method, params);
    if (event === null) return;
    const shown = this.#redacted(event);
    if (isNotice(shown) && this.#isRepeated(shown)) return;
    for (const listener of this.#globalListeners) this.#guard(() => listener(shown));
  }

  #isRepeated(notice: NoticeEvent): boolean {
    const text = JSON.stringify(notice);
    if (this.#quiet > 0 && this.#told.has(text)) return true;
    this.#told.add(text);
    return false;
  }

  #onRequest(ref: ServerRequestRef, method: string, params: unknown): boolean {
    if (!isApprovalMethod(method)) {
      const answer = unsupportedAnswer(method);
      this.#log.warn('Codex asked something that is not supported', { method });
      if (answer !== undefined) this.#respond(ref, answer);
      return answer !== undefined;
    }
    const threadId = threadOf(params);
    const request = threadId === null ? null : translateRequest(method, params);
    if (threadId === null || request === null) {
      this.#refuse(ref, refusalOf(method), 'malformed request');
      return true;
    }
    const listener = this.#listeners.get(threadId);
    if (listener !== undefined) this.#ask(listener, ref, request);
    else if (this.#openBuffers > 0) this.#keep(threadId, { ref, request });
    else this.#refuse(ref, refusal(request), 'no open session for its thread');
    return true;
  }

  /** A listener that fails has not decided: the request is refused (S5.16). */
  #ask(listener: ThreadListener, ref: ServerRequestRef, request: ServerRequest): void {
    try {
      listener.onRequest(ref, request);
    } catch (error) {
      this.#log.error('[SYSTEM_ERROR] A request of Codex could not be handled', { exception: error });
      this.#refuse(ref, refusal(request), 'internal error');
    }
  }

  #refuse(ref: ServerRequestRef, answer: ServerAnswer, reason: string): void {
    this.#log.warn('A request of Codex was refused', { type: answer.type, id: ref.id, reason });
    this.#respond(ref, wireAnswer(answer));
  }

  /** Failures and warnings may repeat what a server was sent (C036); everything else passes as it is. */
  #redacted<Event extends GlobalEvent | ThreadEvent>(event: Event): Event {
    switch (event.type) {
      case 'error':
        return { ...event, error: this.#redactedError(event.error) };
      case 'turnCompleted':
        return event.error === null ? event : { ...event, error: this.#redactedError(event.error) };
      case 'warning':
        return { ...event, message: this.#redact(event.message) };
      case 'configWarning':
      case 'deprecation': {
        const details = event.details === null ? null : this.#redact(event.details);
        return { ...event, summary: this.#redact(event.summary), details };
      }
      default:
        return event;
    }
  }

  #redactedError(error: TurnError): TurnError {
    const details = error.details === null ? null : this.#redact(error.details);
    return { ...error, message: this.#redact(error.message), details };
  }

  #keep(threadId: string, entry: Buffered): void {
    const entries = this.#buffers.get(threadId);
    if (entries === undefined) this.#buffers.set(threadId, [entry]);
    else entries.push(entry);
  }

  /** Events that nobody came for are gone; requests among them are refused. */
  #dropBuffers(): void {
    const entries = [...this.#buffers.values()].flat();
    this.#buffers.clear();
    for (const entry of entries) {
      if ('request' in entry) this.#refuse(entry.ref, refusal(entry.request), 'no open session for its thread');
    }
  }

  #translate<T>(translate: (params: unknown) => T | null, method: string, params: unknown): T | null {
    try {
      return translate(params);
    } catch (error) {
      this.#log.debug('A malformed notification of Codex was skipped', { method, exception: error });
      return null;
    }
  }

  #ignore(what: string): void {
    if (this.#ignored.has(what)) return;
    this.#ignored.add(what);
    this.#log.debug(`Ignored ${what} of Codex`);
  }

  /** One listener's failure is not the next one's. */
  #guard(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#log.error('[SYSTEM_ERROR] An event of Codex could not be handled', { exception: error });
    }
  }
}

function threadOf(params: unknown): string | null {
  if (typeof params !== 'object' || params === null) return null;
  const { threadId } = params as { readonly threadId?: unknown };
  return typeof threadId === 'string' && threadId !== '' ? threadId : null;
}

function isNotice(event: GlobalEvent): event is NoticeEvent {
  switch (event.type) {
    case 'configWarning':
    case 'deprecation':
    case 'modelRerouted':
    case 'warning':
      return true;
    case 'accountChanged':
    case 'rateLimitsChanged':
    case 'skillsChanged':
      return false;
  }
}

/** Name of what has nothing for the core: an item type (S4.10), else the method. */
function whatOf(method: string, params: unknown): string {
  const { item } = params as { readonly item?: { readonly type?: unknown } };
  return typeof item?.type === 'string' ? `item type ${item.type}` : `notification ${method}`;
}
