import { beforeEach, describe, expect, it } from 'vitest';
import { settled } from '../../support/fake-app-server.ts';
import { RecordedListener, type RuntimeLab, runtimeLab } from './runtime-lab.ts';

const APPROVAL = 'item/commandExecution/requestApproval';

let lab: RuntimeLab;
beforeEach(async () => {
  lab = await runtimeLab();
});

const started = (threadId: string, turnId: string) => ({
  method: 'turn/started',
  params: { threadId, turn: { id: turnId } },
});
const approval = (id: number | string, threadId: string) => ({
  id,
  method: APPROVAL,
  params: { threadId, turnId: 'turn', itemId: 'item' },
});
const answers = () => lab.codex.received.filter((message) => message.method === undefined);

describe('thread feed', () => {
  it('S1.83 brings events to the listener of their thread, in order, and nothing to others', async () => {
    const one = new RecordedListener();
    const two = new RecordedListener();
    lab.runtime.feed.attach('one', one);
    lab.runtime.feed.attach('two', two);
    lab.codex.say(
      started('one', 'a'),
      started('three', 'x'),
      started('two', 'b'),
      approval(0, 'one'),
      started('one', 'c'),
    );
    await settled();
    expect(one.heard).toEqual([
      { type: 'turnStarted', turnId: 'a' },
      'commandApproval',
      { type: 'turnStarted', turnId: 'c' },
    ]);
    expect(two.heard).toEqual([{ type: 'turnStarted', turnId: 'b' }]);
  });

  it('S1.83 a detached listener hears nothing; an older detach does not touch the newer listener', async () => {
    const first = new RecordedListener();
    const second = new RecordedListener();
    const detachFirst = lab.runtime.feed.attach('t', first);
    const detachSecond = lab.runtime.feed.attach('t', second);
    detachFirst();
    lab.codex.say(started('t', 'a'));
    await settled();
    detachSecond();
    lab.codex.say(started('t', 'b'));
    await settled();
    expect(first.heard).toEqual([]);
    expect(second.heard).toEqual([{ type: 'turnStarted', turnId: 'a' }]);
  });

  it('S3.76 S2.145 keeps events and requests of a thread without listener while a buffer is open', async () => {
    lab.codex.say(started('t', 'lost'));
    await settled();
    const release = lab.runtime.feed.buffer();
    const releaseOther = lab.runtime.feed.buffer();
    lab.codex.say(started('t', 'a'), approval(1, 't'));
    await settled();
    release();
    release();
    lab.codex.say(started('t', 'b'));
    await settled();
    const listener = new RecordedListener();
    lab.runtime.feed.attach('t', listener);
    lab.codex.say(started('t', 'c'));
    await settled();
    releaseOther();
    expect(listener.heard).toEqual([
      { type: 'turnStarted', turnId: 'a' },
      'commandApproval',
      { type: 'turnStarted', turnId: 'b' },
      { type: 'turnStarted', turnId: 'c' },
    ]);
    expect(answers()).toEqual([]);
  });

  it('S3.76 S2.145 S5.6 requests that nobody came for are refused when the last buffer is released', async () => {
    const release = lab.runtime.feed.buffer();
    lab.codex.say(approval('1', 't'));
    await settled();
    expect(answers()).toEqual([]);
    release();
    await settled();
    expect(answers()).toEqual([{ id: '1', result: { decision: 'cancel' } }]);
    const listener = new RecordedListener();
    lab.runtime.feed.attach('t', listener);
    expect(listener.heard).toEqual([]);
  });

  it('S3.69 S5.7 S1.82 without a listener every request is refused at once', async () => {
    const params = { threadId: 't', turnId: 'turn', itemId: 'item' };
    lab.codex.say(
      { id: 0, method: APPROVAL, params },
      { id: 1, method: 'item/fileChange/requestApproval', params },
      { id: 2, method: 'item/permissions/requestApproval', params },
      { id: 3, method: 'mcpServer/elicitation/request', params: { threadId: 't', turnId: null } },
      { id: 4, method: 'item/tool/requestUserInput', params },
    );
    await settled();
    expect(answers()).toEqual([
      { id: 0, result: { decision: 'cancel' } },
      { id: 1, result: { decision: 'cancel' } },
      { id: 2, result: { permissions: {}, scope: 'turn', strictAutoReview: false } },
      { id: 3, result: { action: 'cancel', content: null, _meta: null } },
      { id: 4, result: { answers: {} } },
    ]);
  });

  it('S5.16 a malformed request and a listener that fails are refusals', async () => {
    lab.runtime.feed.attach('t', {
      onEvent: () => {},
      onRequest: () => {
        throw new Error('broken');
      },
      onLost: () => {},
    });
    lab.codex.say(
      { id: 0, method: APPROVAL, params: { threadId: 't' } },
      { id: 1, method: APPROVAL },
      approval(2, 't'),
    );
    await settled();
    expect(answers()).toEqual([0, 1, 2].map((id) => ({ id, result: { decision: 'cancel' } })));
  });

  it('S5.5 unsupported requests have their answers, unknown ones get -32601', async () => {
    lab.codex.say({ id: 0, method: 'item/tool/call', params: {} }, { id: 1, method: 'currentTime/read', params: {} });
    await settled();
    expect(answers()).toEqual([
      { id: 0, result: expect.objectContaining({ success: false }) },
      { id: 1, error: { code: -32601, message: 'Unhandled method currentTime/read' } },
    ]);
  });

  it('S3.183 events without a thread go to every global listener', async () => {
    const heard: unknown[] = [];
    lab.runtime.feed.onGlobal(() => {
      throw new Error('broken');
    });
    lab.runtime.feed.onGlobal((event) => heard.push(event));
    lab.codex.say(
      { method: 'configWarning', params: { summary: 's', details: null } },
      { method: 'warning', params: { threadId: null, message: 'w' } },
      { method: 'account/updated', params: { authMode: null, planType: null, reason: null } },
      { method: 'warning', params: {} },
    );
    await settled();
    expect(heard).toEqual([
      { type: 'configWarning', summary: 's', details: null },
      { type: 'warning', message: 'w' },
      { type: 'accountChanged', authMode: null, planType: null, reason: null },
    ]);
  });

  it('S4.10 S3.15 what is unknown or malformed is ignored, with one debug line for each kind', async () => {
    const listener = new RecordedListener();
    lab.runtime.feed.attach('t', listener);
    const unknown = { method: 'thread/search/partial', params: { threadId: 't' } };
    const item = { method: 'item/started', params: { threadId: 't', turnId: 'a', item: { type: 'sleep', id: 's' } } };
    const malformed = { method: 'thread/tokenUsage/updated', params: { threadId: 't', turnId: 'a' } };
    lab.codex.say(unknown, unknown, item, item, { method: 'future/thing' }, malformed, started('t', 'a'));
    await settled();
    expect(listener.heard).toEqual([{ type: 'turnStarted', turnId: 'a' }]);
    const ignored = lab.log.lines('debug').filter((line) => line.startsWith('Ignored'));
    expect(ignored.slice(0, 3)).toEqual([
      'Ignored notification thread/search/partial of Codex',
      'Ignored item type sleep of Codex',
      'Ignored notification future/thing of Codex',
    ]);
    expect(ignored).toHaveLength(4);
  });

  it('S8.5 the loss comes after every earlier event and before the requests fail', async () => {
    const listener = new RecordedListener();
    lab.runtime.feed.attach('t', {
      onEvent: () => {},
      onRequest: () => {},
      onLost: () => {
        throw new Error('broken');
      },
    });
    lab.runtime.feed.attach('u', listener);
    const models = lab.runtime.catalog.models().catch(() => listener.heard.push('models failed'));
    lab.codex.exitOnly(1);
    lab.codex.say(started('u', 'last'));
    lab.codex.endOutput();
    await models;
    expect(listener.heard).toEqual([
      { type: 'turnStarted', turnId: 'last' },
      expect.stringMatching(/^lost: The Codex app-server exited with code 1\./),
      'models failed',
    ]);
  });

  it('S5.6 S8.72a an answer never reaches another process', async () => {
    const listener = new RecordedListener();
    lab.runtime.feed.attach('t', listener);
    lab.codex.say(approval(0, 't'));
    await settled();
    lab.codex.exit(1);
    await settled();
    await lab.runtime.lifecycle.ready();
    lab.codex.say(approval(0, 't'));
    await settled();
    const [old, fresh] = listener.requests;
    if (old === undefined || fresh === undefined) throw new Error('Two requests were expected');
    lab.runtime.turns.answer(old.ref, { type: 'commandApproval', decision: 'accept' });
    expect(answers()).toEqual([]);
    lab.runtime.turns.answer(fresh.ref, { type: 'commandApproval', decision: 'decline' });
    await settled();
    expect(answers()).toEqual([{ id: 0, result: { decision: 'decline' } }]);
  });
});
