import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as say from '../../support/model-replies.ts';
import { type ModelServer, startModelServer } from '../../support/model-server.ts';

type Json = Record<string, unknown>;

const PLAIN_TOOLS = [
  { type: 'function', name: 'exec_command', parameters: { type: 'object' } },
  { type: 'custom', name: 'apply_patch' },
];

/** The tool list of the newer models: in `input`, in namespaces, code mode first. */
const CODE_MODE = {
  type: 'additional_tools',
  role: 'developer',
  tools: [
    { type: 'namespace', name: 'functions', tools: [{ type: 'custom', name: 'exec', description: 'Run JavaScript' }] },
    { type: 'namespace', name: 'collaboration', tools: [{ type: 'function', name: 'spawn_agent' }] },
  ],
};

describe('scripted model server', () => {
  let server: ModelServer;

  beforeEach(async () => {
    server = await startModelServer();
  });

  afterEach(async () => {
    await server.close();
  });

  describe('replies', () => {
    it('streams the scripted text as deltas and completes with the default usage', async () => {
      server.enqueue(say.text('Hello brave world'));

      const events = await ask('hi');

      expect(deltas(events)).toEqual(['Hello', ' brave', ' world']);
      expect(events.map((event) => event.type)).toEqual([
        'response.created',
        'response.output_item.added',
        'response.content_part.added',
        ...Array(3).fill('response.output_text.delta'),
        'response.output_text.done',
        'response.content_part.done',
        'response.output_item.done',
        'response.completed',
      ]);
      expect(last(events).response).toMatchObject({
        usage: {
          input_tokens: 100,
          input_tokens_details: { cached_tokens: 20 },
          output_tokens: 30,
          output_tokens_details: { reasoning_tokens: 5 },
          total_tokens: 150,
        },
      });
    });

    it('uses one reply per request, then the default text', async () => {
      server.enqueue(say.text('first'), say.text('second'));

      expect([await answer('a'), await answer('b'), await answer('c')]).toEqual(['first', 'second', 'Done.']);
      expect(server.pending).toBe(0);
    });

    it('splits text as told', () => {
      expect(say.text('abcdef', { deltas: 3 }).deltas).toEqual(['ab', 'cd', 'ef']);
      expect(say.text('', { deltas: ['a', '\n\nb'] }).deltas).toEqual(['a', '\n\nb']);
      expect(say.text('one  two\nthree ').deltas).toEqual(['one', '  two', '\nthree ']);
    });

    it('sends reasoning parts before the text of the same reply, with the usage of the reply', async () => {
      server.enqueue(say.withUsage(say.reply(say.reasoning(['Look.', 'Think.']), say.text('Done')), { input: 7 }));

      const events = await ask('hi');

      expect(doneItems(events)).toMatchObject([
        { type: 'reasoning', summary: [{ text: 'Look.' }, { text: 'Think.' }] },
        { type: 'message', content: [{ text: 'Done' }] },
      ]);
      expect(last(events).response).toMatchObject({ usage: { input_tokens: 7, total_tokens: 150 } });
    });

    it('gives replies by request when a responder is set, and leaves the others to the queue', async () => {
      server.enqueue(say.text('queued'));
      server.respondWith((request) => (request.lastUserText === 'to a' ? say.text('for a') : undefined));

      expect([await answer('to b'), await answer('to a')]).toEqual(['queued', 'for a']);
    });

    it('starts a new script on demand', async () => {
      server.enqueue(say.text('old'));
      server.respondWith(() => say.text('old too'));
      server.script(say.text('new'));

      expect(await answer('hi')).toBe('new');
    });
  });

  describe('tool calls', () => {
    it('sends plain tools in the form they are offered in', async () => {
      server.enqueue(
        say.reply(
          say.runCommand('ls', { escalate: 'May I?', prefixRule: ['ls'] }),
          say.applyPatch('*** Delete File: a.txt'),
          say.mcpCall('docs', 'search', { query: 'x' }),
        ),
      );

      const [command, patch, mcp] = doneItems(await ask('hi', { tools: PLAIN_TOOLS }));

      expect(command).toMatchObject({ type: 'function_call', name: 'exec_command' });
      expect(JSON.parse(String(command?.arguments))).toEqual({
        cmd: 'ls',
        sandbox_permissions: 'require_escalated',
        justification: 'May I?',
        prefix_rule: ['ls'],
      });
      expect(patch).toMatchObject({
        type: 'custom_tool_call',
        name: 'apply_patch',
        input: '*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n',
      });
      expect(mcp).toMatchObject({ type: 'function_call', namespace: 'mcp__docs', name: 'search' });
    });

    it('writes JavaScript for models in code mode, and calls what is offered beside it directly', async () => {
      server.enqueue(
        say.reply(
          say.runCommand('ls', { yieldMs: 500 }),
          say.mcpCall('my-docs', 'search', { query: 'x' }),
          say.functionCall('collaboration.spawn_agent', { task_name: 'a' }),
        ),
      );

      expect(doneItems(await ask('hi', { input: [CODE_MODE] }))).toMatchObject([
        {
          type: 'custom_tool_call',
          name: 'exec',
          input: 'text(await tools.exec_command({"cmd":"ls","yield_time_ms":500}));\n',
        },
        { name: 'exec', input: 'text(await tools.mcp__my_docs__search({"query":"x"}));\n' },
        { type: 'function_call', namespace: 'collaboration', name: 'spawn_agent' },
      ]);
    });

    it('fails the request and keeps the error when the script calls a tool that is not offered', async () => {
      server.enqueue(say.updatePlan([['Look', 'pending']]));

      const response = await post('hi', { tools: PLAIN_TOOLS });

      expect(response.status).toBe(400);
      expect(server.scriptErrors.map((error) => error.message)).toEqual([
        'No tool update_plan in the request; it offers exec_command, apply_patch',
      ]);
    });
  });

  describe('helper requests', () => {
    it('answers titles and suggestions aside', async () => {
      server.enqueue(say.text('kept'));

      const title = await answer('name it', { text: { format: schemaFormat('title') } });
      const suggestion = await answer('what next', { text: { format: schemaFormat('suggestion') } });
      const sample = await answer('what next', metadata({ thread_source: 'thread_sample' }));
      const small = await answer('name it', { model: 'gpt-5.6-luna' });

      expect(JSON.parse(title)).toEqual({ title: 'Scripted title' });
      expect(JSON.parse(small)).toEqual({ title: 'Scripted title' });
      expect(JSON.parse(suggestion)).toEqual({ suggestion: 'Run the tests' });
      expect(JSON.parse(sample)).toEqual({ suggestion: 'Run the tests' });
      expect(server.requests.map((request) => request.kind)).toEqual(['title', 'suggestion', 'suggestion', 'title']);
      expect(server.turnRequests).toEqual([]);
      expect(await answer('hi')).toBe('kept');
    });

    it('takes another answer for a kind, or makes it an ordinary request', async () => {
      server.enqueue(say.text('queued'));
      server.aside('title', say.text('{"title":"Mine"}'));
      server.aside('compaction', undefined);

      expect(await answer('name it', { text: { format: schemaFormat('title') } })).toBe('{"title":"Mine"}');
      expect(await answer('compact', metadata({ request_kind: 'compaction' }))).toBe('queued');
    });
  });

  describe('gates', () => {
    it('stops in the middle of a text until the gate is opened', async () => {
      const gate = say.hold();
      server.enqueue(say.text('one two three four').pauseAt(gate, 1));

      const reader = events(await post('hi'));
      await gate.reached;
      const before: Json[] = [];
      while (deltas(before).length < 1) before.push(await next(reader));
      gate.open();
      const after: Json[] = [];
      for await (const event of reader) after.push(event);

      expect(deltas(before)).toEqual(['one']);
      expect(deltas(after)).toEqual([' two', ' three', ' four']);
      expect(await server.requests[0]?.finished).toBe('sent');
    });

    it('stops before the first item and lets another request pass', async () => {
      const gate = say.hold();
      server.enqueue(say.reply(say.pause(gate), say.text('late')), say.text('early'));

      const held = answer('a');
      await gate.reached;
      expect(await answer('b')).toBe('early');
      gate.open();
      expect(await held).toBe('late');
    });

    it('says that the reader went away at a gate', async () => {
      const gate = say.hold();
      const abort = new AbortController();
      server.enqueue(say.text('one two').pauseAt(gate));

      const response = await post('hi', {}, abort.signal);
      await gate.reached;
      abort.abort();

      expect(response.status).toBe(200);
      expect(await server.requests[0]?.finished).toBe('gone');
      expect(server.scriptErrors).toEqual([]);
    });
  });

  describe('failures', () => {
    it('answers with the HTTP error', async () => {
      server.enqueue(say.failure(429, { error: { message: 'Slow down' } }, { 'retry-after': '1' }));

      const response = await post('hi');

      expect([response.status, response.headers.get('retry-after')]).toEqual([429, '1']);
      expect(await response.json()).toEqual({ error: { message: 'Slow down' } });
    });

    it('ends with response.failed', async () => {
      server.enqueue(say.failedEvent({ code: 'server_is_overloaded', message: 'Busy' }, say.text('part')));

      const streamed = await ask('hi');

      expect(deltas(streamed)).toEqual(['part']);
      expect(last(streamed)).toMatchObject({
        type: 'response.failed',
        response: { error: { code: 'server_is_overloaded', message: 'Busy' } },
      });
    });

    it('ends the stream without a terminal event', async () => {
      server.enqueue(say.cutStream(say.text('part')));

      expect(last(await ask('hi')).type).toBe('response.output_item.done');
    });

    it('breaks the connection after the items', async () => {
      server.enqueue(say.dropConnection(say.text('part')));

      const seen: Json[] = [];
      const read = async (): Promise<void> => {
        for await (const event of events(await post('hi'))) seen.push(event);
      };

      await expect(read()).rejects.toThrow();
      expect(deltas(seen)).toEqual(['part']);
    });
  });

  describe('records', () => {
    it('keeps what was asked, with tool outputs', async () => {
      await ask('do it', {
        input: [
          user('<environment_context>'),
          user('do it'),
          { type: 'function_call_output', call_id: 'c1', output: 'plain' },
          { type: 'custom_tool_call_output', call_id: 'c2', output: [{ type: 'input_text', text: 'a' }] },
        ],
        client_metadata: { thread_id: 't1', turn_id: 'u1' },
      });

      expect(server.requests[0]).toMatchObject({
        kind: 'turn',
        model: 'gpt-test',
        threadId: 't1',
        turnId: 'u1',
        lastUserText: 'do it',
        toolOutputs: [
          { callId: 'c1', text: 'plain' },
          { callId: 'c2', text: 'a' },
        ],
      });
    });

    it('knows for whom a hidden thread asks', async () => {
      const ids = { thread_id: 'hidden', parent_thread_id: 'parent', forked_from_thread_id: 'source' };
      const ask = (more: Json): Promise<unknown> =>
        answer('hi', {
          client_metadata: { ...(metadata({ ...ids, ...more }).client_metadata as Json), thread_id: 'hidden' },
        });
      await ask({ subagent_kind: 'review' });
      await ask({ thread_source: 'thread_sample' });
      await ask({ subagent_kind: 'other' });

      expect(server.requests.map((request) => request.ownerThreadId)).toEqual(['parent', 'source', 'hidden']);
      expect(server.requests.map((request) => request.threadId)).toEqual(['hidden', 'hidden', 'hidden']);
    });

    it('numbers the deltas of a stream and marks when each was written', async () => {
      server.enqueue(say.deltaStream({ count: 500, size: 20 }));

      const text = await answer('go');

      expect(say.deltaNumbers(text)).toEqual(Array.from({ length: 500 }, (_, index) => index));
      const marks = server.requests[0]?.deltas ?? [];
      expect(marks.map((mark) => mark.seq)).toEqual(say.deltaNumbers(text));
      expect(marks.every((mark, index) => index === 0 || mark.at >= (marks[index - 1]?.at ?? 0))).toBe(true);
    });

    it('waits for a request that matches', async () => {
      const waiting = server.waitForRequest((request) => request.lastUserText === 'second');
      await answer('first');
      await answer('second');

      expect((await waiting).index).toBe(1);
      expect((await server.waitForRequest()).index).toBe(0);
      await expect(server.waitForRequest((request) => request.index === 9, 1)).rejects.toThrow('turn "second"');
    });

    it('lists models, or fails to', async () => {
      server.listModels(['m1', 'm2']);
      const listed = (await (await fetch(`${server.baseUrl}/models`)).json()) as { data: Json[] };
      server.listModels(say.failure(503));
      const failed = await fetch(`${server.baseUrl}/models`);

      expect(listed.data.map((model) => model.id)).toEqual(['m1', 'm2']);
      expect(failed.status).toBe(503);
      expect(server.http.map((request) => `${request.method} ${request.path}`)).toEqual([
        'GET /v1/models',
        'GET /v1/models',
      ]);
    });
  });

  function post(prompt: string, body: Json = {}, signal?: AbortSignal): Promise<Response> {
    const input = Array.isArray(body.input) ? body.input : [];
    return fetch(`${server.baseUrl}/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-test', stream: true, ...body, input: [...input, user(prompt)] }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  async function ask(prompt: string, body: Json = {}): Promise<Json[]> {
    const all: Json[] = [];
    for await (const event of events(await post(prompt, body))) all.push(event);
    return all;
  }

  async function answer(prompt: string, body: Json = {}): Promise<string> {
    return deltas(await ask(prompt, body)).join('');
  }
});

function user(text: string): Json {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}

function schemaFormat(property: string): Json {
  return { type: 'json_schema', name: 'answer', schema: { type: 'object', properties: { [property]: {} } } };
}

function metadata(values: Json): Json {
  return { client_metadata: { 'x-codex-turn-metadata': JSON.stringify(values) } };
}

async function* events(response: Response): AsyncGenerator<Json> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) yield JSON.parse(block.slice(block.indexOf('\ndata: ') + 7)) as Json;
  }
}

async function next(reader: AsyncGenerator<Json>): Promise<Json> {
  const { value, done } = await reader.next();
  if (done) throw new Error('The stream ended');
  return value;
}

function deltas(all: readonly Json[]): string[] {
  return all.filter((event) => event.type === 'response.output_text.delta').map((event) => String(event.delta));
}

function doneItems(all: readonly Json[]): Json[] {
  return all.filter((event) => event.type === 'response.output_item.done').map((event) => event.item as Json);
}

function last(all: readonly Json[]): Json {
  return all.at(-1) ?? {};
}
