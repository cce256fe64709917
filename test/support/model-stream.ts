import { setTimeout as delay, setImmediate as nextTick } from 'node:timers/promises';
import { type Gate, type Reply, type ReplyItem, type ToolCall, toolCall, type Usage, words } from './model-replies.ts';
import type { JsonObject, ModelRequest } from './model-request.ts';

/** Plays a scripted reply as the events of a Responses stream. */

/** One text delta and when it was written (`performance.now()` of this process). */
export interface DeltaMark {
  readonly seq: number;
  readonly at: number;
}

export interface StreamSink {
  /** Resolves at once, or when the connection takes more. */
  write(type: string, event: JsonObject): void | Promise<void>;
  /** Aborted when the reader is gone; waits end then. */
  readonly signal: AbortSignal;
  mark(mark: DeltaMark): void;
}

/** Deltas written in a row before other work of the process (a client in the same process) gets its turn. */
const DELTAS_PER_TICK = 32;

export class ReaderGone extends Error {}

export async function playReply(reply: Reply, request: ModelRequest, idTag: string, sink: StreamSink): Promise<void> {
  // A call that the request does not offer fails here, before the stream has begun: the turn gets a plain HTTP error.
  for (const item of reply.items) if (item.kind === 'tool' || item.kind === 'script') toolCall(item, request);
  const stream = new ReplyStream(request, idTag, sink);
  await stream.event('response.created', { response: stream.response('in_progress') });
  for (const item of reply.items) await stream.item(item);
  switch (reply.ending.kind) {
    case 'completed':
      await stream.event('response.completed', {
        response: { ...stream.response('completed'), output: stream.output, usage: usageObject(reply.usage) },
      });
      return;
    case 'failed':
      await stream.event('response.failed', {
        response: { ...stream.response('failed'), error: reply.ending.error, usage: null },
      });
      return;
    case 'incomplete':
      await stream.event('response.incomplete', {
        response: { ...stream.response('incomplete'), incomplete_details: { reason: reply.ending.reason } },
      });
      return;
    case 'cut':
      return;
  }
}

class ReplyStream {
  readonly output: JsonObject[] = [];
  private sequence = 0;
  private deltaCount = 0;

  constructor(
    private readonly request: ModelRequest,
    private readonly idTag: string,
    private readonly sink: StreamSink,
  ) {}

  response(status: string): JsonObject {
    return { id: `resp_${this.idTag}`, object: 'response', model: this.request.model, status };
  }

  event(type: string, fields: JsonObject): void | Promise<void> {
    if (this.sink.signal.aborted) throw new ReaderGone();
    return this.sink.write(type, { type, sequence_number: this.sequence++, ...fields });
  }

  async item(item: ReplyItem): Promise<void> {
    switch (item.kind) {
      case 'text':
        return this.text(item);
      case 'reasoning':
        return this.reasoning(item.summary, item.raw);
      case 'tool':
      case 'script':
        return this.call(toolCall(item, this.request));
      case 'raw':
        return this.raw(item.item);
      case 'pause':
        return this.pause(item.gate);
    }
  }

  private async text(item: Extract<ReplyItem, { kind: 'text' }>): Promise<void> {
    const id = this.id('msg');
    const message = {
      type: 'message',
      id,
      role: 'assistant',
      ...(item.phase === undefined ? {} : { phase: item.phase }),
    };
    const at = { item_id: id, output_index: this.output.length, content_index: 0 };
    await this.added({ ...message, status: 'in_progress', content: [] });
    await this.event('response.content_part.added', {
      ...at,
      part: { type: 'output_text', text: '', annotations: [] },
    });
    for (const [index, delta] of item.deltas.entries()) {
      for (const stop of item.pauses) if (stop.after === index) await this.pause(stop.gate);
      if (index > 0 && item.delayMs > 0) await this.wait(item.delayMs);
      else if (index % DELTAS_PER_TICK === DELTAS_PER_TICK - 1) await nextTick();
      this.sink.mark({ seq: this.deltaCount++, at: performance.now() });
      const written = this.event('response.output_text.delta', { ...at, delta });
      if (written !== undefined) await written;
    }
    for (const stop of item.pauses) if (stop.after >= item.deltas.length) await this.pause(stop.gate);
    const part = { type: 'output_text', text: item.deltas.join(''), annotations: [] };
    await this.event('response.output_text.done', { ...at, text: part.text });
    await this.event('response.content_part.done', { ...at, part });
    await this.done({ ...message, status: 'completed', content: [part] });
  }

  private async reasoning(summary: readonly string[], raw: string | undefined): Promise<void> {
    const id = this.id('rs');
    const at = { item_id: id, output_index: this.output.length };
    await this.added({ type: 'reasoning', id, summary: [] });
    for (const [index, content] of summary.entries()) {
      const part = { ...at, summary_index: index };
      await this.event('response.reasoning_summary_part.added', { ...part, part: { type: 'summary_text', text: '' } });
      for (const delta of words(content)) {
        await this.event('response.reasoning_summary_text.delta', { ...part, delta });
      }
      await this.event('response.reasoning_summary_text.done', { ...part, text: content });
      await this.event('response.reasoning_summary_part.done', {
        ...part,
        part: { type: 'summary_text', text: content },
      });
    }
    if (raw !== undefined) await this.event('response.reasoning_text.delta', { ...at, content_index: 0, delta: raw });
    await this.done({
      type: 'reasoning',
      id,
      summary: summary.map((content) => ({ type: 'summary_text', text: content })),
      ...(raw === undefined ? {} : { content: [{ type: 'reasoning_text', text: raw }] }),
      encrypted_content: null,
    });
  }

  private async call(call: ToolCall): Promise<void> {
    const custom = call.type === 'custom';
    const id = this.id(custom ? 'ctc' : 'fc');
    const argument = custom ? 'input' : 'arguments';
    const events = custom ? 'response.custom_tool_call_input' : 'response.function_call_arguments';
    const at = { item_id: id, output_index: this.output.length };
    const item = {
      type: custom ? 'custom_tool_call' : 'function_call',
      id,
      call_id: this.id('call'),
      name: call.name,
      ...(call.namespace === undefined ? {} : { namespace: call.namespace }),
    };
    await this.added({ ...item, status: 'in_progress', [argument]: '' });
    for (const delta of call.input.match(/[\s\S]{1,64}/g) ?? []) await this.event(`${events}.delta`, { ...at, delta });
    await this.event(`${events}.done`, { ...at, [argument]: call.input });
    await this.done({ ...item, status: 'completed', [argument]: call.input });
  }

  private async raw(item: JsonObject): Promise<void> {
    const identified = { id: this.id('item'), ...item };
    await this.added(identified);
    await this.done(identified);
  }

  private async pause(gate: Gate): Promise<void> {
    gate.arrive();
    await this.orGone(gate.opened);
  }

  private async wait(ms: number): Promise<void> {
    await this.orGone(delay(ms, undefined, { signal: this.sink.signal }));
  }

  private async orGone(wait: Promise<void>): Promise<void> {
    const { signal } = this.sink;
    if (signal.aborted) throw new ReaderGone();
    let stop = (): void => undefined;
    const gone = new Promise<never>((_, reject) => {
      stop = () => reject(new ReaderGone());
      signal.addEventListener('abort', stop, { once: true });
    });
    try {
      await Promise.race([wait, gone]);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  private added(item: JsonObject): void | Promise<void> {
    return this.event('response.output_item.added', { output_index: this.output.length, item });
  }

  private done(item: JsonObject): void | Promise<void> {
    const written = this.event('response.output_item.done', { output_index: this.output.length, item });
    this.output.push(item);
    return written;
  }

  private id(prefix: string): string {
    return `${prefix}_${this.idTag}_${this.output.length}`;
  }
}

function usageObject(usage: Usage): JsonObject {
  return {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cached },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.total,
  };
}
