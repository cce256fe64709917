import type {
  CreateElicitationRequest,
  RequestPermissionRequest,
  SessionUpdate,
  ToolCallContent,
} from '@agentclientprotocol/sdk/unstable';
import type { ClientProfile } from '../../domain/client/client-profile.ts';
import { hasAir } from '../../domain/client/client-profile.ts';
import type { ConversationUpdate, Notice } from '../../domain/conversation/conversation-update.ts';
import { isAuthFailure } from '../../domain/conversation/failure-kind.ts';
import { readableError } from '../../domain/conversation/readable-error.ts';
import { sessionTitle } from '../../domain/conversation/session-title.ts';
import { endStatus, startStatus } from '../../domain/conversation/tool-status.ts';
import type { FormAsk } from '../../domain/interaction/form-ask.ts';
import type { PermissionAsk } from '../../domain/interaction/permission-ask.ts';
import { askToolCallId } from '../../domain/interaction/permission-ask.ts';
import type { CommandItem, ToolItem } from '../../domain/thread/thread-item.ts';
import type { WorkEnding } from '../../domain/turn/work-ending.ts';
import { airMeta } from '../acp/air-metadata.ts';
import { compactionUpdate, isCompactionProgress } from '../acp/compaction-report.ts';
import type { FailureRecord, SessionFailures } from '../acp/failure-record.ts';
import { FailureRecords } from '../acp/failure-record.ts';
import { fileChangeReportMetadata } from '../acp/file-change-report-metadata.ts';
import { formElicitation } from '../acp/form-elicitation.ts';
import { goalMetadata } from '../acp/goal-metadata.ts';
import type { OutgoingUpdate } from '../acp/outgoing-update.ts';
import { nothing, whole } from '../acp/outgoing-update.ts';
import { planReviewEnd } from '../acp/plan-review-call.ts';
import type { Presenter } from '../acp/presenter.ts';
import { suggestionMetadata } from '../acp/suggestion-metadata.ts';
import type { ToolReport } from '../acp/tool-report-filter.ts';
import { ToolReportFilter } from '../acp/tool-report-filter.ts';
import { availableCommands } from './available-commands.ts';
import type { CommandEnd } from './command-v1.ts';
import { CommandReportsV1 } from './command-v1.ts';
import { compactedNotice, compactionCall } from './compaction-v1.ts';
import { agentText, thought } from './message-v1.ts';
import { permissionRequest } from './permission-v1.ts';
import { planSteps, planText } from './plan-v1.ts';
import { configOptions } from './settings-v1.ts';
import { toolCallsV1 } from './tool-call-v1.ts';

type Outgoing = OutgoingUpdate<SessionUpdate>;
type Report = ToolReport<ToolCallContent>;
type Meta = Record<string, unknown>;
type Update<Type extends ConversationUpdate['type']> = Extract<ConversationUpdate, { readonly type: Type }>;

export interface PresenterV1Parts {
  /** Directory that a session's relative paths belong to. */
  readonly cwdOf: (sessionId: string) => string;
  readonly uuid: () => string;
}

/** What an ACP v1 client is shown: plain, with a terminal channel, or AIR (S4.1). One per connection. */
export class PresenterV1 implements Presenter {
  readonly #profile: ClientProfile;
  readonly #cwdOf: (sessionId: string) => string;
  readonly #typedFailures: boolean;
  readonly #commands: CommandReportsV1;
  readonly #filter: ToolReportFilter<ToolCallContent>;
  readonly #failures: FailureRecords;
  /** Sessions whose thread is known not to run (S3.131). */
  readonly #resting = new Set<string>();

  constructor(profile: ClientProfile, parts: PresenterV1Parts) {
    this.#profile = profile;
    this.#cwdOf = parts.cwdOf;
    this.#typedFailures = hasAir(profile, 'sessionFailure');
    this.#commands = new CommandReportsV1(profile);
    this.#filter = new ToolReportFilter({ comparesMeta: profile.air !== null });
    this.#failures = new FailureRecords(parts.uuid());
  }

  /** Failure records of a session, for the answer to its prompt. */
  failures(sessionId: string): SessionFailures {
    return this.#failures.of(sessionId);
  }

  present(sessionId: string, update: ConversationUpdate): readonly Outgoing[] {
    switch (update.type) {
      case 'agentText':
        if (update.messageId !== null) this.#worked(sessionId);
        return agentText(update.messageId, update.text, update.phase, this.#profile);
      case 'agentTextCorrected':
        return agentText(update.messageId, update.missing ?? '', update.phase, this.#profile);
      case 'thought':
        this.#worked(sessionId);
        return thought(update.messageId, update.text);
      case 'userMessage':
      case 'snapshot':
        return nothing;
      case 'toolStarted':
        this.#worked(sessionId);
        return this.#toolStarted(sessionId, update.item);
      case 'toolEnded':
        this.#worked(sessionId);
        return this.#toolEnded(sessionId, update);
      case 'toolAborted':
        return this.#toolAborted(sessionId, update.item);
      case 'toolResumed':
        return this.#toolResumed(sessionId, update.itemId);
      case 'commandOutput':
        this.#worked(sessionId);
        return this.#terminal(sessionId, update.item, this.#commands.output(update.item, update.data));
      case 'commandInput':
        return this.#terminal(sessionId, update.item, this.#commands.input(update.item, update.stdin));
      case 'commandSnapshot':
        this.#worked(sessionId);
        return this.#progress(sessionId, this.#commands.snapshot(update.item, update.tail));
      case 'patchChanged':
        this.#worked(sessionId);
        return this.#patchChanged(sessionId, update);
      case 'mcpProgress':
        this.#worked(sessionId);
        return this.#mcpProgress(sessionId, update);
      case 'plan':
        this.#worked(sessionId);
        return planSteps(update.steps);
      case 'planText':
        this.#worked(sessionId);
        return planText(update, this.#profile);
      case 'planReviewed':
        // Nothing follows the end of a review.
        return this.#progress(sessionId, planReviewEnd(update));
      case 'compaction':
        if (isCompactionProgress(update)) this.#worked(sessionId);
        return this.#compaction(sessionId, update);
      case 'goal':
        return this.#profile.air === null ? nothing : info(airMeta({ goal: goalMetadata(update.goal) }));
      case 'suggestions':
        return this.#profile.air === null ? nothing : info(suggestionMetadata(update.texts));
      case 'fileChangeReport':
        if (!hasAir(this.#profile, 'agentFileChangeReport')) return nothing;
        return info(airMeta({ agentFileChangeReport: fileChangeReportMetadata(update.report) }));
      case 'commands': {
        const commands = availableCommands(update.commands, this.#profile);
        return whole({ sessionUpdate: 'available_commands_update', availableCommands: commands });
      }
      case 'usage':
        return whole({ sessionUpdate: 'usage_update', used: update.used, size: update.size });
      case 'title':
        return whole({ sessionUpdate: 'session_info_update', title: sessionTitle(update.title) });
      case 'threadStatus':
        if (update.status.type === 'active') this.#resting.delete(sessionId);
        else this.#resting.add(sessionId);
        return info({ codex: { threadStatus: update.status } });
      case 'threadArchived':
        return info({ codex: { archived: update.archived } });
      case 'threadClosed':
        return info({ codex: { closed: true } });
      case 'turnError':
        return this.#turnError(sessionId, update);
      case 'notice':
        return this.#notice(sessionId, update.notice);
      case 'optionsChanged':
        return this.#optionsChanged(update);
      case 'foreground':
        return update.state === 'idle' ? this.#ended(sessionId, update.ending) : nothing;
    }
  }

  presentAsk(ask: PermissionAsk): RequestPermissionRequest {
    const { sessionId, subject } = ask;
    const shown = this.#filter.content(sessionId, askToolCallId(subject));
    const request = permissionRequest(ask, this.#profile, this.#cwdOf(sessionId), shown);
    this.#filter.asked(sessionId, request.toolCall);
    return request;
  }

  presentForm(ask: FormAsk): CreateElicitationRequest {
    return formElicitation(ask, this.#profile);
  }

  forgetAsk(ask: PermissionAsk): void {
    this.#filter.forget(ask.sessionId, askToolCallId(ask.subject));
  }

  forgetSession(sessionId: string): void {
    this.#filter.forgetSession(sessionId);
    this.#failures.forgetSession(sessionId);
    this.#resting.delete(sessionId);
  }

  #toolStarted(sessionId: string, item: ToolItem): readonly Outgoing[] {
    const report = this.#startOf(sessionId, item);
    if (!this.#filter.isOpen(sessionId, item.id)) return this.#started(sessionId, report);
    // A second start is news about an open call (S4.119); its `_meta` says what the first one said.
    const { _meta, ...facts } = report;
    return this.#changed(sessionId, facts);
  }

  #toolEnded(sessionId: string, update: Update<'toolEnded'>): readonly Outgoing[] {
    const { item, started, streamed, missed } = update;
    const late = this.#filter.isFinished(sessionId, item.id);
    if (item.type === 'command') {
      return this.#commandEnded(sessionId, item, this.#commands.end(item, streamed, missed), started || late, late);
    }
    // An image is shown whole at its start (S4.83).
    if (item.type === 'imageView' && (started || late)) return nothing;
    const cwd = this.#cwdOf(sessionId);
    const end = toolCallsV1.end(item, this.#profile, cwd);
    if (started || late) return this.#changed(sessionId, end);
    return this.#started(sessionId, { ...toolCallsV1.start(item, this.#profile, cwd), ...end });
  }

  #commandEnded(
    sessionId: string,
    item: CommandItem,
    end: CommandEnd,
    started: boolean,
    late: boolean,
  ): readonly Outgoing[] {
    const status = endStatus(item.status);
    // A call that had its end already gets no output again (S4.108).
    if (late) return this.#changed(sessionId, { toolCallId: item.id, status });
    if (started) return this.#changed(sessionId, { ...end.report, status, ...metaOf(end.terminal) });
    // Clients make a terminal of a start and fill it with updates (S4.54).
    const start = this.#started(sessionId, { ...this.#commands.facts(item), ...end.report, status });
    if (Object.keys(end.terminal).length === 0) return start;
    return [
      ...start,
      ...whole<SessionUpdate>({ sessionUpdate: 'tool_call_update', toolCallId: item.id, _meta: end.terminal }),
    ];
  }

  #toolAborted(sessionId: string, item: ToolItem): readonly Outgoing[] {
    if (this.#filter.isFinished(sessionId, item.id)) return nothing;
    const terminal = item.type === 'command' ? this.#commands.aborted(item) : {};
    return this.#changed(sessionId, { toolCallId: item.id, status: 'failed', ...metaOf(terminal) });
  }

  /** Only a started call can go on; one that the ask named first starts by itself (S5.55). */
  #toolResumed(sessionId: string, toolCallId: string): readonly Outgoing[] {
    if (!this.#filter.isOpen(sessionId, toolCallId)) return nothing;
    return this.#changed(sessionId, { toolCallId, status: 'in_progress' });
  }

  /** Output and input of a command; nothing follows its end (S4.50, S4.108). */
  #terminal(sessionId: string, item: CommandItem, outgoing: Outgoing | null): readonly Outgoing[] {
    return outgoing === null || this.#filter.isFinished(sessionId, item.id) ? nothing : [outgoing];
  }

  #patchChanged(sessionId: string, update: Update<'patchChanged'>): readonly Outgoing[] {
    const fields = toolCallsV1.fileChanges(update.changes, this.#profile, this.#cwdOf(sessionId));
    return this.#progress(sessionId, { toolCallId: update.item.id, ...fields });
  }

  /** Progress of an MCP tool; AIR does not show it (S4.77). */
  #mcpProgress(sessionId: string, update: Update<'mcpProgress'>): readonly Outgoing[] {
    const data = update.message.trim();
    if (data === '' || this.#profile.air !== null) return nothing;
    return this.#progress(sessionId, { toolCallId: update.itemId, _meta: { mcp_output_delta: { data } } });
  }

  #startOf(sessionId: string, item: ToolItem): Report {
    if (item.type !== 'command') return toolCallsV1.start(item, this.#profile, this.#cwdOf(sessionId));
    return { ...this.#commands.facts(item), status: startStatus(item.status) };
  }

  #started(sessionId: string, report: Report): readonly Outgoing[] {
    this.#filter.started(sessionId, report);
    return whole({ sessionUpdate: 'tool_call', title: '', ...report });
  }

  /** News of a running call; dropped once the call has ended. */
  #progress(sessionId: string, report: Report | null): readonly Outgoing[] {
    if (report === null || this.#filter.isFinished(sessionId, report.toolCallId)) return nothing;
    return this.#changed(sessionId, report);
  }

  /** An update with what is new in it. */
  #changed(sessionId: string, report: Report): readonly Outgoing[] {
    const changed = this.#filter.changed(sessionId, report);
    return changed === null ? nothing : whole({ sessionUpdate: 'tool_call_update', ...changed });
  }

  #turnError(sessionId: string, update: Update<'turnError'>): readonly Outgoing[] {
    const { turnId, error, scope } = update;
    if (isAuthFailure(error)) return nothing;
    if (this.#typedFailures) {
      const failures = this.#failures.of(sessionId);
      switch (scope) {
        case 'fatal':
          failures.failed(turnId, error);
          return nothing;
        case 'retry':
          return failureInfo(failures.retried(turnId, error));
        case 'other':
          return failureInfo(failures.reported(turnId, error));
      }
    }
    if (scope === 'fatal') return this.#text(`${readableError(error.message) || 'Turn failed'}\n\n`);
    if (scope === 'other' && this.#resting.has(sessionId)) return nothing;
    const { message, info: codexErrorInfo, details: additionalDetails } = error;
    const willRetry = scope === 'retry';
    return info({ codex: { error: { message, codexErrorInfo, additionalDetails, turnId, willRetry } } });
  }

  /** Notices win over failure records, and those over texts (S4.136). */
  #notice(sessionId: string, notice: Notice): readonly Outgoing[] {
    const { severity, title, description, fallback } = notice;
    if (this.#profile.notices) {
      const described = description === null ? {} : { description };
      return whole({ sessionUpdate: 'notice', severity, title, ...described });
    }
    if (this.#typedFailures && severity === 'warning') return failureInfo(this.#failures.of(sessionId).noticed(notice));
    if (fallback === null) return nothing;
    return fallback.kind === 'text' ? this.#text(fallback.text) : thought(null, fallback.text);
  }

  /** A compaction for a client that knows no compaction updates is a tool call, or a notice of its end (S3.167, S3.168). */
  #compaction(sessionId: string, update: Update<'compaction'>): readonly Outgoing[] {
    const { compactionId, status, reported } = update;
    if (this.#profile.compaction) return whole(compactionUpdate(update));
    const starts = status === 'in_progress';
    if (!starts && !reported) return status === 'completed' ? this.#notice(sessionId, compactedNotice) : nothing;
    const call = compactionCall(update, this.#profile);
    if (this.#filter.isOpen(sessionId, compactionId)) return starts ? nothing : this.#changed(sessionId, call);
    if (!starts && this.#filter.isFinished(sessionId, compactionId)) return nothing;
    return this.#started(sessionId, call);
  }

  /** A text that Codex does not know. */
  #text(text: string): readonly Outgoing[] {
    return agentText(null, text, null, this.#profile);
  }

  #optionsChanged(update: Update<'optionsChanged'>): readonly Outgoing[] {
    if (this.#profile.info.hidesConfigOptions) return nothing;
    const options = configOptions(update.options, this.#profile);
    return whole({ sessionUpdate: 'config_option_update', configOptions: options });
  }

  /**
   * Work is over. v1 has no state for it; a turn without prompt or of a steer has no answer to carry its failure either
   * (S3.131, S3.144).
   */
  #ended(sessionId: string, ending: WorkEnding): readonly Outgoing[] {
    this.#filter.endTurn(sessionId);
    if (!this.#typedFailures) return nothing;
    const failures = this.#failures.of(sessionId);
    const { outcome, usage, unanswered } = ending;
    const answered = usage !== null && unanswered !== true;
    if (outcome.type === 'done') failures.succeeded();
    if (outcome.type !== 'failed' || answered) return nothing;
    return failureInfo(failures.endedWithoutPrompt(outcome.failure));
  }

  /** The turn produces something: a retry helped (S3.179). */
  #worked(sessionId: string): void {
    if (this.#typedFailures) this.#failures.of(sessionId).recovered();
  }
}

function info(meta: Meta): readonly Outgoing[] {
  return whole({ sessionUpdate: 'session_info_update', _meta: meta });
}

function failureInfo(record: FailureRecord | null): readonly Outgoing[] {
  return record === null ? nothing : info(airMeta({ sessionFailure: record }));
}

function metaOf(meta: Meta): { _meta?: Meta } {
  return Object.keys(meta).length === 0 ? {} : { _meta: meta };
}
