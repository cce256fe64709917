import { createHash } from 'node:crypto';
import type { ToolStatus } from '../../domain/conversation/tool-status.ts';

/** What is said about a tool call at once: all of it at its start, what changed later. */
export interface ToolReport<Content> {
  readonly toolCallId: string;
  name?: string;
  title?: string;
  kind?: 'edit' | 'execute' | 'read' | 'search' | 'switch_mode' | 'think';
  status?: ToolStatus;
  content?: Content[];
  locations?: { path: string }[];
  rawInput?: unknown;
  rawOutput?: unknown;
  _meta?: Record<string, unknown>;
}

/** Fields that are still compared when a call is finished (S4.106). */
const lastingFields = ['title', 'kind', 'status', 'name'] as const;
const comparedFields = [...lastingFields, 'content', 'locations', 'rawInput', 'rawOutput'] as const;

/** Parts of `_meta` that are events, not facts: never compared (S4.104), never sent after the end (S4.108). */
const outputKeys = new Set(['terminal_output', 'terminal_output_delta', 'terminal_input', 'mcp_output_delta']);
const endKeys = new Set([...outputKeys, 'terminal_exit']);

const finishedLimit = 1024;
const snapshotLimit = 64 * 1024;

interface OpenCall {
  /** False while only a permission request named the call. */
  started: boolean;
  /** Snapshots of what the client knows, by field. */
  readonly known: Map<string, string>;
}

/**
 * Keeps tool call updates to what changed (S4.101 to S4.121). It remembers, per session and call, what the client was
 * told last, as JSON; large values as a hash. Output never passes through here, so deltas cost nothing.
 */
export class ToolReportFilter<Content> {
  readonly #comparesMeta: boolean;
  readonly #open = new Map<string, Map<string, OpenCall>>();
  /** What is known of finished calls, oldest first; keyed by session and call. */
  readonly #finished = new Map<string, Map<string, string>>();

  /** `comparesMeta`: top-level keys of `_meta` are compared too, the contract of AIR on v1 (S4.104). */
  constructor(options: { readonly comparesMeta: boolean }) {
    this.#comparesMeta = options.comparesMeta;
  }

  /** The client saw the start of the call and no final status. */
  isOpen(sessionId: string, toolCallId: string): boolean {
    return this.#open.get(sessionId)?.get(toolCallId)?.started ?? false;
  }

  isFinished(sessionId: string, toolCallId: string): boolean {
    if (this.#open.get(sessionId)?.has(toolCallId) === true) return false;
    return this.#finished.has(finishedKey(sessionId, toolCallId));
  }

  /** The content that the client shows of a call, as far as it is still known (S5.34b). */
  content(sessionId: string, toolCallId: string): Content[] {
    const snapshot = this.#open.get(sessionId)?.get(toolCallId)?.known.get('content');
    return snapshot === undefined || !snapshot.startsWith('[') ? [] : JSON.parse(snapshot);
  }

  /** A start is sent whole and replaces what was known (S4.102). */
  started(sessionId: string, report: ToolReport<Content>): void {
    this.#finished.delete(finishedKey(sessionId, report.toolCallId));
    this.#record(sessionId, report, { started: true, known: new Map() });
  }

  /** A permission request counts as a report and is sent whole (S4.105). */
  asked(sessionId: string, report: ToolReport<Content>): void {
    if (this.isFinished(sessionId, report.toolCallId)) return;
    const call = this.#open.get(sessionId)?.get(report.toolCallId) ?? { started: false, known: new Map() };
    this.#record(sessionId, report, call);
  }

  /** What of an update is new to the client; `null` when nothing is (S4.103, S4.107, S4.108). */
  changed(sessionId: string, report: ToolReport<Content>): ToolReport<Content> | null {
    const finished = this.isFinished(sessionId, report.toolCallId)
      ? this.#finished.get(finishedKey(sessionId, report.toolCallId))
      : undefined;
    if (finished !== undefined) return news(report, finished, lastingFields, endKeys, false);
    const call = this.#open.get(sessionId)?.get(report.toolCallId) ?? { started: true, known: new Map() };
    const { known } = call;
    const changed = news(report, known, comparedFields, noKeys, this.#comparesMeta);
    this.#keep(sessionId, report, { started: true, known });
    return changed;
  }

  /** The next report of the call is complete again: its question failed or was cancelled (S4.105). */
  forget(sessionId: string, toolCallId: string): void {
    this.#open.get(sessionId)?.get(toolCallId)?.known.clear();
  }

  /** A turn is over: later updates carry every field again (S4.109). What still runs stays known as running. */
  endTurn(sessionId: string): void {
    const calls = this.#open.get(sessionId);
    if (calls === undefined) return;
    for (const [toolCallId, call] of calls) {
      if (call.started) call.known.clear();
      else calls.delete(toolCallId);
    }
  }

  forgetSession(sessionId: string): void {
    this.#open.delete(sessionId);
    const prefix = finishedKey(sessionId, '');
    for (const key of this.#finished.keys()) if (key.startsWith(prefix)) this.#finished.delete(key);
  }

  #record(sessionId: string, report: ToolReport<Content>, call: OpenCall): void {
    news(report, call.known, comparedFields, noKeys, this.#comparesMeta);
    this.#keep(sessionId, report, call);
  }

  /** Files the call where its status puts it (S4.106). */
  #keep(sessionId: string, report: ToolReport<Content>, call: OpenCall): void {
    let calls = this.#open.get(sessionId);
    if (report.status !== 'completed' && report.status !== 'failed') {
      if (calls === undefined) {
        calls = new Map();
        this.#open.set(sessionId, calls);
      }
      calls.set(report.toolCallId, call);
      return;
    }
    calls?.delete(report.toolCallId);
    const lasting = new Map<string, string>();
    for (const field of lastingFields) {
      const snapshot = call.known.get(field);
      if (snapshot !== undefined) lasting.set(field, snapshot);
    }
    this.#finished.set(finishedKey(sessionId, report.toolCallId), lasting);
    const [oldest] = this.#finished.keys();
    if (this.#finished.size > finishedLimit && oldest !== undefined) this.#finished.delete(oldest);
  }
}

const noKeys: ReadonlySet<string> = new Set();

/** Takes out of a report what is known or may not pass, and notes the rest as known. `null` when nothing is left. */
function news<Content>(
  report: ToolReport<Content>,
  known: Map<string, string>,
  fields: readonly (typeof comparedFields)[number][],
  dropped: ReadonlySet<string>,
  comparesMeta: boolean,
): ToolReport<Content> | null {
  const { _meta: meta, ...changed } = report;
  for (const field of fields) {
    if (changed[field] !== undefined && !isNews(known, field, changed[field])) delete changed[field];
  }
  const metaNews = Object.entries(meta ?? {}).filter(([key, value]) => {
    if (dropped.has(key)) return false;
    return !comparesMeta || outputKeys.has(key) || isNews(known, `_meta.${key}`, value);
  });
  const whole = metaNews.length === 0 ? changed : { ...changed, _meta: Object.fromEntries(metaNews) };
  return Object.keys(whole).length === 1 ? null : whole;
}

function isNews(known: Map<string, string>, field: string, value: unknown): boolean {
  const json = JSON.stringify(value) ?? '';
  const snapshot =
    json.length > snapshotLimit ? `${json.length}:${createHash('sha256').update(json).digest('base64')}` : json;
  if (known.get(field) === snapshot) return false;
  known.set(field, snapshot);
  return true;
}

function finishedKey(sessionId: string, toolCallId: string): string {
  return `${sessionId}\n${toolCallId}`;
}
