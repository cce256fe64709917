import type {
  CreateElicitationRequest,
  RequestPermissionRequest,
  SessionUpdate,
  ToolCallContent,
} from '@agentclientprotocol/sdk/experimental/v2/unstable';
import type { ClientProfile } from '../../domain/client/client-profile.ts';
import { hasAir } from '../../domain/client/client-profile.ts';
import type { ConversationUpdate } from '../../domain/conversation/conversation-update.ts';
import { isAuthFailure } from '../../domain/conversation/failure-kind.ts';
import { readableError } from '../../domain/conversation/readable-error.ts';
import { sessionTitle } from '../../domain/conversation/session-title.ts';
import { endStatus, startStatus } from '../../domain/conversation/tool-status.ts';
import type { FormAsk } from '../../domain/interaction/form-ask.ts';
import type { PermissionAsk } from '../../domain/interaction/permission-ask.ts';
import { askToolCallId } from '../../domain/interaction/permission-ask.ts';
import type { CommandItem, ToolItem } from '../../domain/thread/thread-item.ts';
import type { WorkEnding } from '../../domain/turn/work-ending.ts';
import { compactionUpdate, isCompactionProgress } from '../acp/compaction-report.ts';
import { fileChangeReportMetadata } from '../acp/file-change-report-metadata.ts';
import { formElicitation } from '../acp/form-elicitation.ts';
import { goalMetadata } from '../acp/goal-metadata.ts';
import type { OutgoingUpdate } from '../acp/outgoing-update.ts';
import { nothing, whole } from '../acp/outgoing-update.ts';
import { planReviewEnd } from '../acp/plan-review-call.ts';
import type { Presenter } from '../acp/presenter.ts';
import { SessionMetadata } from '../acp/session-metadata.ts';
import { suggestionMetadata } from '../acp/suggestion-metadata.ts';
import type { ToolReport } from '../acp/tool-report-filter.ts';
import { ToolReportFilter } from '../acp/tool-report-filter.ts';
import { availableCommands } from './available-commands.ts';
import { commandEnd, commandFacts, hasTerminal, terminalEnd, terminalOutput, terminalStart } from './command-v2.ts';
import { agentText, correctedText, oneOffText, thought, userMessage } from './message-v2.ts';
import { permissionRequest } from './permission-v2.ts';
import { planSteps, planText } from './plan-v2.ts';
import { PublishedFailures } from './published-failures.ts';
import { configOptions } from './settings-v2.ts';
import { idleUpdate } from './state-update-v2.ts';
import { toolCallsV2 } from './tool-call-v2.ts';

type Outgoing = OutgoingUpdate<SessionUpdate>;
type Report = ToolReport<ToolCallContent>;
type Meta = Record<string, unknown>;
type Update<Type extends ConversationUpdate['type']> = Extract<ConversationUpdate, { readonly type: Type }>;

export interface PresenterV2Parts {
  /** Directory that a session's relative paths belong to. */
  readonly cwdOf: (sessionId: string) => string;
  readonly uuid: () => string;
}

/** What an ACP v2 client is shown. AIR clients get the same reports and some metadata more (S4.5). One per connection. */
export class PresenterV2 implements Presenter {
  readonly #profile: ClientProfile;
  readonly #cwdOf: (sessionId: string) => string;
  readonly #uuid: () => string;
  readonly #filter = new ToolReportFilter<ToolCallContent>({ comparesMeta: false });
  readonly #metadata = new SessionMetadata();
  /** `null` for clients without typed failures. */
  readonly #failures: PublishedFailures | null;
  /** Sessions whose thread is known not to run (S3.131). */
  readonly #resting = new Set<string>();

  constructor(profile: ClientProfile, parts: PresenterV2Parts) {
    this.#profile = profile;
    this.#cwdOf = parts.cwdOf;
    this.#uuid = parts.uuid;
    this.#failures = hasAir(profile, 'sessionFailure') ? new PublishedFailures(parts.uuid(), this.#metadata) : null;
  }

  present(sessionId: string, update: ConversationUpdate): readonly Outgoing[] {
    switch (update.type) {
      case 'agentText':
        if (update.messageId === null) return oneOffText(update.text, this.#uuid);
        return this.#work(sessionId, agentText(update.messageId, update.text, update.phase, this.#profile));
      case 'agentTextCorrected':
        return correctedText(update.messageId, update.text);
      case 'thought':
        return this.#work(sessionId, thought(update.messageId, update.text, this.#uuid));
      case 'userMessage':
        return userMessage(update.messageId, update.blocks);
      case 'toolStarted':
        return this.#work(sessionId, this.#toolStarted(sessionId, update.item));
      case 'toolEnded':
        return this.#work(sessionId, this.#toolEnded(sessionId, update));
      case 'toolAborted':
        return this.#toolAborted(sessionId, update.item);
      case 'toolResumed':
        return this.#toolResumed(sessionId, update.itemId);
      case 'commandOutput':
        return this.#work(sessionId, this.#output(sessionId, update.item, update.data));
      case 'commandInput':
        return this.#output(sessionId, update.item, `\n${update.stdin}\n`);
      case 'commandSnapshot':
        // Every v2 client can show terminals.
        return nothing;
      case 'patchChanged':
        return this.#work(sessionId, this.#patchChanged(sessionId, update));
      case 'mcpProgress':
        return this.#work(sessionId, this.#mcpProgress(sessionId, update));
      case 'plan':
        return this.#work(sessionId, planSteps(update.steps));
      case 'planText':
        return this.#work(sessionId, planText(update));
      case 'planReviewed':
        // Nothing follows the end of a review.
        return this.#progress(sessionId, planReviewEnd(update));
      case 'compaction': {
        const frames = whole(compactionUpdate(update));
        return isCompactionProgress(update) ? this.#work(sessionId, frames) : frames;
      }
      case 'goal':
        if (this.#profile.air === null) return nothing;
        return info(this.#metadata.air(sessionId, { goal: goalMetadata(update.goal) }));
      case 'suggestions':
        if (this.#profile.air === null) return nothing;
        return info(this.#metadata.own(sessionId, suggestionMetadata(update.texts)));
      case 'fileChangeReport':
        return this.#fileChangeReport(sessionId, update);
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
        else this.#atRest(sessionId);
        return info(this.#metadata.codex(sessionId, { threadStatus: update.status }));
      case 'threadArchived':
        return info(this.#metadata.codex(sessionId, { archived: update.archived }));
      case 'threadClosed':
        return info(this.#metadata.codex(sessionId, { closed: true }));
      case 'turnError':
        return this.#turnError(sessionId, update);
      case 'notice':
        return notice(update);
      case 'optionsChanged':
        return this.#optionsChanged(update);
      case 'snapshot':
        return this.#snapshot(sessionId, update);
      case 'foreground':
        return this.#foreground(sessionId, update);
    }
  }

  presentAsk(ask: PermissionAsk): RequestPermissionRequest {
    const { sessionId, subject } = ask;
    const shown = this.#filter.content(sessionId, askToolCallId(subject));
    const { request, toolCall } = permissionRequest(ask, this.#profile, this.#cwdOf(sessionId), shown);
    this.#filter.asked(sessionId, toolCall);
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
    this.#metadata.forgetSession(sessionId);
    this.#failures?.forgetSession(sessionId);
    this.#resting.delete(sessionId);
  }

  /** What a client that opens the session has to know of it: title, all metadata, state (S2.45, S3.101). */
  #snapshot(sessionId: string, { title, state }: Update<'snapshot'>): readonly Outgoing[] {
    const metadata = this.#metadata.snapshot(sessionId);
    const updates: readonly SessionUpdate[] = [
      { sessionUpdate: 'session_info_update', title: sessionTitle(title), _meta: null },
      ...(metadata === null ? [] : [{ sessionUpdate: 'session_info_update', _meta: metadata } satisfies SessionUpdate]),
      currentState(state),
    ];
    return updates.map((update) => ({ kind: 'update', update }));
  }

  #toolStarted(sessionId: string, item: ToolItem): readonly Outgoing[] {
    const report = this.#startOf(sessionId, item);
    if (!this.#filter.isOpen(sessionId, item.id)) return [...terminalOf(item), ...this.#started(sessionId, report)];
    // A second start is news about an open call (S4.119); its `_meta` says what the first one said.
    const { _meta, ...facts } = report;
    return this.#changed(sessionId, facts);
  }

  #toolEnded(sessionId: string, update: Update<'toolEnded'>): readonly Outgoing[] {
    const { item, started, streamed, missed } = update;
    const late = this.#filter.isFinished(sessionId, item.id);
    const known = started || late;
    if (item.type === 'command') {
      const status = endStatus(item.status);
      // A call that had its end already gets no output again (S4.108).
      if (late) return this.#changed(sessionId, { toolCallId: item.id, status });
      const end = { ...commandEnd(item), status };
      // The whole output replaces what was streamed, so it also brings what came before the stream into its place.
      const output = streamed && missed === undefined ? null : item.output;
      const terminal = hasTerminal(item) ? whole(terminalEnd(item, item.exitCode, output)) : nothing;
      if (started) return [...terminal, ...this.#changed(sessionId, end)];
      return [...terminalOf(item), ...terminal, ...this.#started(sessionId, { ...commandFacts(item), ...end })];
    }
    // An image is shown whole at its start (S4.83).
    if (item.type === 'imageView' && known) return nothing;
    const cwd = this.#cwdOf(sessionId);
    const end = toolCallsV2.end(item, this.#profile, cwd);
    if (known) return this.#changed(sessionId, end);
    return this.#started(sessionId, { ...toolCallsV2.start(item, this.#profile, cwd), ...end });
  }

  #toolAborted(sessionId: string, item: ToolItem): readonly Outgoing[] {
    if (this.#filter.isFinished(sessionId, item.id)) return nothing;
    const terminal = item.type === 'command' && hasTerminal(item) ? whole(terminalEnd(item, null, null)) : nothing;
    return [...terminal, ...this.#changed(sessionId, { toolCallId: item.id, status: 'failed' })];
  }

  /** Only a started call can go on; one that the ask named first starts by itself (S5.55). */
  #toolResumed(sessionId: string, toolCallId: string): readonly Outgoing[] {
    if (!this.#filter.isOpen(sessionId, toolCallId)) return nothing;
    return this.#changed(sessionId, { toolCallId, status: 'in_progress' });
  }

  /** Output and input of a command; nothing follows its end (S4.50, S4.108). */
  #output(sessionId: string, item: CommandItem, data: string): readonly Outgoing[] {
    const outgoing = terminalOutput(item, data);
    return outgoing === null || this.#filter.isFinished(sessionId, item.id) ? nothing : [outgoing];
  }

  #patchChanged(sessionId: string, update: Update<'patchChanged'>): readonly Outgoing[] {
    const fields = toolCallsV2.fileChanges(update.changes, this.#profile, this.#cwdOf(sessionId));
    return this.#progress(sessionId, { toolCallId: update.item.id, ...fields });
  }

  #mcpProgress(sessionId: string, update: Update<'mcpProgress'>): readonly Outgoing[] {
    const data = update.message.trim();
    if (data === '') return nothing;
    return this.#progress(sessionId, { toolCallId: update.itemId, _meta: { mcp_output_delta: { data } } });
  }

  /** One report for a prompt (S11.12): it is told, but not kept and told again with what changes later. */
  #fileChangeReport(sessionId: string, update: Update<'fileChangeReport'>): readonly Outgoing[] {
    if (!hasAir(this.#profile, 'agentFileChangeReport')) return nothing;
    const agentFileChangeReport = fileChangeReportMetadata(update.report);
    return info(this.#metadata.airEvent(sessionId, { agentFileChangeReport }));
  }

  #startOf(sessionId: string, item: ToolItem): Report {
    if (item.type !== 'command') return toolCallsV2.start(item, this.#profile, this.#cwdOf(sessionId));
    return { ...commandFacts(item), status: startStatus(item.status) };
  }

  /** v2 has no create: the first update of a call is a whole one, always with a title (S4.114). */
  #started(sessionId: string, report: Report): readonly Outgoing[] {
    this.#filter.started(sessionId, report);
    return whole({ sessionUpdate: 'tool_call_update', title: '', ...report });
  }

  /** News of a running call; dropped once the call has ended. */
  #progress(sessionId: string, report: Report): readonly Outgoing[] {
    return this.#filter.isFinished(sessionId, report.toolCallId) ? nothing : this.#changed(sessionId, report);
  }

  /** An update with what is new in it. */
  #changed(sessionId: string, report: Report): readonly Outgoing[] {
    const changed = this.#filter.changed(sessionId, report);
    return changed === null ? nothing : whole({ sessionUpdate: 'tool_call_update', ...changed });
  }

  /** The thread runs no more: an error that Codex retried is past (S4.93). */
  #atRest(sessionId: string): void {
    this.#resting.add(sessionId);
    this.#metadata.dropCodex(sessionId, 'error');
  }

  #turnError(sessionId: string, update: Update<'turnError'>): readonly Outgoing[] {
    const { turnId, error, scope } = update;
    if (isAuthFailure(error)) return nothing;
    if (this.#failures !== null) return metaInfo(this.#failures.turnError(sessionId, update));
    if (scope === 'fatal') return oneOffText(`${readableError(error.message) || 'Turn failed'}\n\n`, this.#uuid);
    if (scope === 'other' && this.#resting.has(sessionId)) return nothing;
    const { message, info: codexErrorInfo, details: additionalDetails } = error;
    const willRetry = scope === 'retry';
    const shown = { message, codexErrorInfo, additionalDetails, turnId, willRetry };
    return info(this.#metadata.codex(sessionId, { error: shown }));
  }

  #optionsChanged(update: Update<'optionsChanged'>): readonly Outgoing[] {
    if (this.#profile.info.hidesConfigOptions) return nothing;
    const options = configOptions(update.options, this.#profile);
    return whole({ sessionUpdate: 'config_option_update', configOptions: options });
  }

  #foreground(sessionId: string, update: Update<'foreground'>): readonly Outgoing[] {
    switch (update.state) {
      case 'idle':
        return this.#idle(sessionId, update.ending);
      case 'running':
        this.#failures?.running(sessionId);
        return whole(currentState('running'));
      case 'requires_action':
        return whole(currentState('requires_action'));
    }
  }

  /** Work is over: `idle` is its last frame (S3.96). */
  #idle(sessionId: string, ending: WorkEnding): readonly Outgoing[] {
    this.#filter.endTurn(sessionId);
    const published = this.#failures?.ended(sessionId, ending) ?? { meta: null, record: null };
    return [...metaInfo(published.meta), ...whole(idleUpdate(ending, published.record))];
  }

  /** Frames of a turn that goes on: a retry helped, so its warning is taken back first (S3.179). */
  #work(sessionId: string, frames: readonly Outgoing[]): readonly Outgoing[] {
    const recovered = this.#failures?.recovered(sessionId) ?? null;
    return recovered === null ? frames : [...info(recovered), ...frames];
  }
}

function info(meta: Meta): readonly Outgoing[] {
  return whole({ sessionUpdate: 'session_info_update', _meta: meta });
}

function metaInfo(meta: Meta | null): readonly Outgoing[] {
  return meta === null ? nothing : info(meta);
}

/** The terminal of a command that the client does not know yet. */
function terminalOf(item: ToolItem): readonly Outgoing[] {
  return item.type === 'command' && hasTerminal(item) ? whole(terminalStart(item)) : nothing;
}

function notice({ notice: { severity, title, description } }: Update<'notice'>): readonly Outgoing[] {
  const described = description === null ? {} : { description };
  return whole({ sessionUpdate: 'notice', severity, title, ...described });
}

/** A state without anything about how it came to be (S3.101). */
function currentState(state: Update<'snapshot'>['state']): SessionUpdate {
  switch (state) {
    case 'idle':
      return { sessionUpdate: 'state_update', state: 'idle' };
    case 'running':
      return { sessionUpdate: 'state_update', state: 'running' };
    case 'requires_action':
      return { sessionUpdate: 'state_update', state: 'requires_action' };
  }
}
