import { beforeEach, describe, expect, it } from 'vitest';
import { settled } from '../../support/fake-app-server.ts';
import { exchange, RecordedListener, type RuntimeLab, refusal, runtimeLab } from './runtime-lab.ts';

let lab: RuntimeLab;
beforeEach(async () => {
  lab = await runtimeLab();
});

describe('sample', () => {
  const sample = () => lab.runtime.sampling.sample({ threadId: 't1', turnId: 'turn', prompt: 'What next?' });

  it('S3.194 asks about the turn with high effort', async () => {
    const { params, value } = await exchange(lab, sample(), 'thread/sample', { sourceTurnId: 'turn', text: '{"a":1}' });
    expect(params).toEqual({ threadId: 't1', expectedTurnId: 'turn', prompt: 'What next?', effort: 'high' });
    expect(value).toBe('{"a":1}');
  });

  it('S3.194 no text is none; S3.195 a newer turn is an error', async () => {
    expect((await exchange(lab, sample(), 'thread/sample', { text: null })).value).toBeNull();
    expect((await exchange(lab, sample(), 'thread/sample', {})).value).toBeNull();
    const text = 'sample source turn must be the latest finished turn';
    expect(await refusal(lab, sample(), 'thread/sample', text)).toMatchObject({ message: text });
  });
});

describe('title', () => {
  const title = () => lab.runtime.sampling.title({ cwd: '/w', text: 'Fix the tests', model: 'gpt-5.6-luna' });
  const say = (method: string, params: object) => lab.codex.say({ method, params: { threadId: 'title', ...params } });
  const message = (text: string, fields: object = {}) =>
    say('item/completed', { turnId: 'turn', item: { type: 'agentMessage', id: 'm', text, phase: null, ...fields } });
  const completed = (status = 'completed') => say('turn/completed', { turn: { id: 'turn', status } });
  const asked = (method: string) => lab.codex.methods.filter((one) => one === method).length;

  async function answer(method: string, result: object): Promise<void> {
    await settled();
    lab.codex.answer(method, result);
    await settled();
  }

  /** Up to the running turn. */
  async function running(servers: object = {}): Promise<void> {
    await answer('config/read', { config: { mcp_servers: servers }, layers: null });
    await answer('thread/start', { thread: { id: 'title', status: { type: 'idle' } }, model: 'gpt-5.6-luna' });
    await answer('turn/start', { turn: { id: 'turn', status: 'inProgress' } });
  }

  it('S3.191 S3.193 one turn in a thread of its own that can do nothing else', async () => {
    const call = title();
    await running({ docs: { url: 'http://d' }, 'odd.name': { command: 'x' } });
    expect(lab.codex.lastRequest('config/read').params).toEqual({ cwd: '/w', includeLayers: false });
    expect(lab.codex.lastRequest('thread/start').params).toEqual({
      cwd: '/w',
      ephemeral: true,
      model: 'gpt-5.6-luna',
      approvalPolicy: 'never',
      sandbox: 'read-only',
      environments: [],
      config: {
        features: { apps: false, goals: false, hooks: false, plugins: false, shell_tool: false },
        web_search: 'disabled',
        notify: [],
        mcp_servers: { docs: { enabled: false }, 'odd.name': { enabled: false } },
      },
      developerInstructions: expect.stringContaining('3 to 7 words in sentence case'),
    });
    expect(lab.codex.lastRequest('turn/start').params).toEqual({
      threadId: 'title',
      input: [{ type: 'text', text: 'Fix the tests', text_elements: [] }],
      model: 'gpt-5.6-luna',
      outputSchema: {
        type: 'object',
        properties: { title: { type: 'string' } },
        required: ['title'],
        additionalProperties: false,
      },
    });
    message('Let me see.', { phase: 'commentary' });
    message('{"title":" Repair of the tests "}');
    message('Done.', { phase: 'commentary' });
    completed();
    expect(await call).toBe('Repair of the tests');
    await settled();
    expect(lab.codex.lastRequest('thread/unsubscribe').params).toEqual({ threadId: 'title' });
    expect(asked('turn/interrupt')).toBe(0);
    expect(lab.clock.waiting).toBe(0);
  });

  it.each([
    ['no answer', () => completed()],
    ['an answer that is not JSON', () => [message('Repair of the tests'), completed()]],
    ['an answer of another form', () => [message('{"name":"x"}'), completed()]],
    ['a title that is no text', () => [message('{"title":7}'), completed()]],
    ['an empty title', () => [message('{"title":"  "}'), completed()]],
    [
      'an answer that must not be shown',
      () => [message('{"title":"x"}', { moderation: { display: { mode: 'hide' } } }), completed()],
    ],
    ['a failed turn', () => [message('{"title":"x"}'), completed('failed')]],
    ['an interrupted turn', () => completed('interrupted')],
  ])('S3.193 %s gives no title, and the thread is let go of', async (_case, happen) => {
    const call = title();
    await running();
    happen();
    expect(await call).toBeNull();
    await settled();
    expect(asked('thread/unsubscribe')).toBe(1);
  });

  it('S3.193 an answer that comes before the start is answered counts', async () => {
    const call = title();
    await answer('config/read', { config: {}, layers: null });
    await answer('thread/start', { thread: { id: 'title' }, model: 'gpt-5.6-luna' });
    message('{"title":"Early"}');
    completed();
    await answer('turn/start', { turn: { id: 'turn' } });
    expect(await call).toBe('Early');
    expect(asked('turn/interrupt')).toBe(0);
  });

  it('S3.193 requests of the thread are refused while and after it runs', async () => {
    const call = title();
    await running();
    const params = { threadId: 'title', turnId: 'turn', itemId: 'item' };
    lab.codex.say(
      { id: 0, method: 'item/commandExecution/requestApproval', params },
      { id: 1, method: 'mcpServer/elicitation/request', params },
    );
    await settled();
    completed();
    expect(await call).toBeNull();
    lab.codex.say({ id: 2, method: 'item/fileChange/requestApproval', params });
    await answer('thread/unsubscribe', { status: 'unsubscribed' });
    lab.codex.say({ id: 3, method: 'item/fileChange/requestApproval', params });
    await settled();
    expect(lab.codex.received.filter(({ method }) => method === undefined)).toEqual([
      { id: 0, result: { decision: 'cancel' } },
      { id: 1, result: { action: 'cancel', content: null, _meta: null } },
      { id: 2, result: { decision: 'cancel' } },
      { id: 3, result: { decision: 'cancel' } },
    ]);
  });

  it('S3.193 nobody else hears of it, and other threads go on', async () => {
    const other = new RecordedListener();
    const everybody: unknown[] = [];
    lab.runtime.feed.attach('other', other);
    lab.runtime.feed.onGlobal((event) => everybody.push(event));
    const outdated = { method: 'deprecationNotice', params: { summary: 'old key', details: null } };
    lab.codex.say(outdated);
    const call = title();
    await answer('config/read', { config: {}, layers: null });
    lab.codex.say(outdated, { method: 'configWarning', params: { summary: 'new one', details: null } });
    say('warning', { message: 'of the title' });
    await answer('thread/start', { thread: { id: 'title' }, model: 'gpt-5.6-luna' });
    lab.codex.say({ method: 'turn/started', params: { threadId: 'other', turn: { id: 'o' } } });
    await answer('turn/start', { turn: { id: 'turn' } });
    message('{"title":"Quiet"}');
    completed();
    expect(await call).toBe('Quiet');
    expect(other.heard).toEqual([{ type: 'turnStarted', turnId: 'o' }]);
    expect(everybody).toEqual([
      { type: 'deprecation', summary: 'old key', details: null },
      { type: 'configWarning', summary: 'new one', details: null },
    ]);
    lab.codex.say(outdated);
    await settled();
    expect(everybody).toHaveLength(3);
  });

  it('S3.193 what Codex complains about again after the start of the thread is not told either, until its turn begins', async () => {
    const everybody: unknown[] = [];
    lab.runtime.feed.onGlobal((event) => everybody.push(event));
    const outdated = { method: 'deprecationNotice', params: { summary: 'old key', details: null } };
    lab.codex.say(outdated);
    const call = title();
    await answer('config/read', { config: {}, layers: null });
    await answer('thread/start', { thread: { id: 'title' }, model: 'gpt-5.6-luna' });
    lab.codex.say(outdated);
    await answer('turn/start', { turn: { id: 'turn' } });
    lab.codex.say(outdated);
    expect(everybody).toHaveLength(1);
    say('turn/started', { turn: { id: 'turn' } });
    await settled();
    lab.codex.say(outdated);
    expect(everybody).toHaveLength(2);
    completed();
    expect(await call).toBeNull();
  });

  it('S3.193 a thread that could not be started keeps back nothing', async () => {
    const everybody: unknown[] = [];
    lab.runtime.feed.onGlobal((event) => everybody.push(event));
    const outdated = { method: 'deprecationNotice', params: { summary: 'old key', details: null } };
    lab.codex.say(outdated);
    const call = title();
    await answer('config/read', { config: {}, layers: null });
    lab.codex.refuse('thread/start', 'No');
    await expect(call).rejects.toThrow('No');
    await settled();
    lab.codex.say(outdated);
    expect(everybody).toHaveLength(2);
  });

  it('S3.193 a turn that takes too long is stopped, and its thread let go of', async () => {
    const call = title();
    await running();
    lab.clock.advance(29_999);
    await settled();
    expect(asked('turn/interrupt')).toBe(0);
    lab.clock.advance(1);
    expect(await call).toBeNull();
    await settled();
    expect(lab.codex.lastRequest('turn/interrupt').params).toEqual({ threadId: 'title', turnId: 'turn' });
    await settled();
    expect(asked('thread/unsubscribe')).toBe(0);
    lab.codex.refuse('turn/interrupt', 'no active turn to interrupt');
    await settled();
    expect(asked('thread/unsubscribe')).toBe(1);
  });

  it('S3.193 a thread that opens too late is let go of without a turn', async () => {
    const call = title();
    await answer('config/read', { config: {}, layers: null });
    lab.clock.advance(30_000);
    expect(await call).toBeNull();
    await answer('thread/start', { thread: { id: 'title' }, model: 'gpt-5.6-luna' });
    expect(asked('turn/start')).toBe(0);
    expect(asked('thread/unsubscribe')).toBe(1);
  });

  it('S3.193 with a configuration that comes too late no thread is opened', async () => {
    const call = title();
    await settled();
    lab.clock.advance(30_000);
    expect(await call).toBeNull();
    await answer('config/read', { config: {}, layers: null });
    expect(asked('thread/start')).toBe(0);
  });

  it('S3.193 a refused turn is an error, and the thread is let go of', async () => {
    const call = title();
    await answer('config/read', { config: {}, layers: null });
    await answer('thread/start', { thread: { id: 'title' }, model: 'gpt-5.6-luna' });
    expect(await refusal(lab, call, 'turn/start', 'unknown model')).toMatchObject({ message: 'unknown model' });
    await settled();
    expect(asked('thread/unsubscribe')).toBe(1);
    expect(lab.clock.waiting).toBe(0);
  });

  it('S3.193 a refused thread is an error, and nothing is left to let go of', async () => {
    const call = title();
    await answer('config/read', { config: {}, layers: null });
    expect(await refusal(lab, call, 'thread/start', 'no')).toMatchObject({ message: 'no' });
    expect(asked('thread/unsubscribe')).toBe(0);
  });

  it('S3.193 S8.5 the loss of Codex ends it', async () => {
    const call = title().catch((error: Error) => error.name);
    await running();
    lab.codex.exit(1);
    expect(await call).toBe('CodexLostError');
    expect(lab.clock.waiting).toBe(0);
  });
});
