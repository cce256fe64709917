import { describe, expect, it } from 'vitest';
import { AcpClientChannel } from '../../../src/adapters/acp/client-channel.ts';
import { ClientRequests } from '../../../src/adapters/acp/client-requests.ts';
import { Delivery } from '../../../src/adapters/acp/delivery.ts';
import type { RequestId } from '../../../src/adapters/acp/json-rpc.ts';
import { Outbox } from '../../../src/adapters/acp/outbox.ts';
import type { OutgoingUpdate } from '../../../src/adapters/acp/outgoing-update.ts';
import type { Presenter } from '../../../src/adapters/acp/presenter.ts';
import type { PromptReplies } from '../../../src/adapters/acp/prompt-replies.ts';
import type { ConversationUpdate } from '../../../src/domain/conversation/conversation-update.ts';
import type { FormAnswer, FormAsk } from '../../../src/domain/interaction/form-ask.ts';
import type { AskAnswer, PermissionAsk } from '../../../src/domain/interaction/permission-ask.ts';
import type { PromptEnding } from '../../../src/domain/turn/work-ending.ts';
import { settled } from './support/event-loop.ts';
import { FakeLog } from './support/fake-log.ts';
import { FakeOutput } from './support/fake-output.ts';

/** Shows text as chunks and titles as whole updates, under a name that tells presenters apart. */
class FakePresenter implements Presenter {
  readonly forgotten: unknown[] = [];
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  present(_sessionId: string, update: ConversationUpdate): readonly OutgoingUpdate[] {
    switch (update.type) {
      case 'agentText':
        return [{ kind: 'chunk', key: this.#name, text: update.text, build: (text) => ({ [this.#name]: text }) }];
      case 'title':
        return [{ kind: 'update', update: { title: update.title } }];
      case 'threadClosed':
        throw new Error('cannot show this');
      default:
        return [];
    }
  }

  presentAsk(ask: PermissionAsk): object {
    if (ask.options.length === 0) throw new Error('no options');
    return { sessionId: ask.sessionId, askId: ask.askId };
  }

  presentForm(ask: FormAsk): object {
    if (ask.fields.length === 0) throw new Error('no fields');
    return { sessionId: ask.sessionId, formId: ask.askId };
  }

  forgetAsk(ask: PermissionAsk): void {
    this.forgotten.push(ask.askId);
  }

  forgetSession(sessionId: string): void {
    this.forgotten.push(sessionId);
  }
}

class FakePrompts implements PromptReplies {
  readonly calls: unknown[] = [];
  answers: RequestId | undefined;

  inserted(promptId: string, messageId: string): RequestId | undefined {
    this.calls.push(['inserted', promptId, messageId]);
    return this.answers;
  }

  ended(promptId: string, ending: PromptEnding): RequestId | undefined {
    this.calls.push(['ended', promptId, ending]);
    return this.answers;
  }
}

const text = (value: string): ConversationUpdate => ({ type: 'agentText', messageId: 'm', text: value, phase: null });
const title = (value: string): ConversationUpdate => ({ type: 'title', title: value });
const ending: PromptEnding = { outcome: { type: 'done' }, usage: null, inserted: false, reason: null };
const ask = (askId: number, sessionId = 's'): PermissionAsk => ({
  askId,
  sessionId,
  subject: {
    type: 'fileChange',
    approval: { type: 'fileChangeApproval', turnId: 't', itemId: 'i', reason: null, grantRoot: null },
    item: null,
  },
  options: [
    { optionId: 'yes', name: 'Yes', kind: 'allow_once', answer: { type: 'fileChangeApproval', decision: 'accept' } },
    { optionId: 'no', name: 'No', kind: 'reject_once', answer: { type: 'fileChangeApproval', decision: 'decline' } },
  ],
});

const form = (askId: number, sessionId = 's'): FormAsk => ({
  askId,
  sessionId,
  itemId: null,
  message: 'Please answer.',
  fields: [
    {
      type: 'question',
      key: 'q',
      title: 'Q',
      description: '',
      choices: [],
      other: false,
      noteKey: null,
      secret: false,
      required: false,
    },
  ],
  delivery: { type: 'async' },
});

function open(): {
  channel: AcpClientChannel;
  delivery: Delivery;
  requests: ClientRequests;
  output: FakeOutput;
  log: FakeLog;
  presenter: FakePresenter;
  prompts: FakePrompts;
  answers: [string, number, AskAnswer][];
  forms: [string, number, FormAnswer][];
  shown(): unknown[];
} {
  const output = new FakeOutput();
  const log = new FakeLog();
  const outbox = new Outbox(output, { broken: () => {}, fault: () => {} });
  const delivery = new Delivery(log);
  const requests = new ClientRequests(outbox, delivery.gates, log);
  const answers: [string, number, AskAnswer][] = [];
  const forms: [string, number, FormAnswer][] = [];
  const channel = new AcpClientChannel({
    outbox,
    delivery,
    requests,
    log,
    onAskSettled: (sessionId, askId, answer) => answers.push([sessionId, askId, answer]),
    onFormSettled: (sessionId, askId, answer) => forms.push([sessionId, askId, answer]),
  });
  const presenter = new FakePresenter('text');
  const prompts = new FakePrompts();
  channel.attach(presenter, prompts);
  const shown = (): unknown[] => output.frames.map((frame) => frame.params?.update ?? frame.params ?? frame);
  return { channel, delivery, requests, output, log, presenter, prompts, answers, forms, shown };
}

describe('AcpClientChannel', () => {
  it('S12.15 updates leave in the order they were made, adjacent text merged', async () => {
    const { channel, output } = open();
    channel.update('s', text('a'));
    channel.update('s', text('b'));
    channel.update('s', title('T'));
    channel.update('s', { type: 'usage', used: 1, size: 2 });
    channel.update('s', text('c'));
    await settled();
    expect(output.frames).toEqual([
      { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update: { text: 'ab' } } },
      { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update: { title: 'T' } } },
      { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update: { text: 'c' } } },
    ]);
  });

  it('S4.8 what cannot be presented is logged and the rest goes on', async () => {
    const { channel, log, shown } = open();
    channel.update('s', { type: 'threadClosed' });
    channel.update('s', text('a'));
    await settled();
    expect(shown()).toEqual([{ text: 'a' }]);
    expect(log.lines.map(({ level }) => level)).toEqual(['error']);
  });

  it('S1.202 updates and asks of a session that is held follow its response, in order', async () => {
    const { channel, delivery, shown } = open();
    channel.beginSession('s');
    delivery.hold('s', 1, 'drop');
    channel.update('s', text('a'));
    channel.ask(ask(1));
    channel.update('s', text('b'));
    channel.update('t', text('other'));
    await settled();
    expect(shown()).toEqual([{ text: 'other' }]);
    delivery.respond(1, true, () => {});
    await settled();
    expect(shown().slice(1)).toEqual([{ text: 'a' }, { sessionId: 's', askId: 1 }, { text: 'b' }]);
  });

  it('S1 section 13: what a session shows after a prompt was answered follows that response', async () => {
    const { channel, delivery, prompts, shown } = open();
    channel.promptInserted('s', 'p', 'm');
    channel.update('s', text('1'));
    prompts.answers = 7;
    channel.update('s', text('2'));
    channel.promptEnded('s', 'p', ending);
    channel.update('s', text('3'));
    await settled();
    expect(shown()).toEqual([{ text: '12' }]);
    delivery.respond(7, false, () => {});
    await settled();
    expect(shown()).toEqual([{ text: '12' }, { text: '3' }]);
    expect(prompts.calls).toEqual([
      ['inserted', 'p', 'm'],
      ['ended', 'p', ending],
    ]);
  });

  it('S1.206 a session that ended shows and asks nothing until it is opened again', async () => {
    const { channel, presenter, answers, shown } = open();
    channel.update('s', text('a'));
    channel.endSession('s');
    channel.update('s', text('b'));
    channel.ask(ask(1));
    await settled();
    expect(shown()).toEqual([{ text: 'a' }]);
    expect(answers).toEqual([['s', 1, { type: 'failed', reason: 'The session is closed' }]]);
    expect(presenter.forgotten).toEqual(['s']);
    channel.beginSession('s');
    channel.update('s', text('c'));
    await settled();
    expect(shown()).toEqual([{ text: 'a' }, { text: 'c' }]);
  });

  it('S1.205 S1.206 what was made before the end still follows the response, asks that wait do not', async () => {
    const { channel, delivery, prompts, shown } = open();
    prompts.answers = 7;
    channel.promptEnded('s', 'p', ending);
    channel.update('s', text('last'));
    channel.ask(ask(1));
    channel.endSession('s');
    channel.update('s', text('never'));
    delivery.respond(7, true, () => {});
    await settled();
    expect(shown()).toEqual([{ text: 'last' }]);
  });

  it('S5.20 the end of a session withdraws what is still open in it', async () => {
    const { channel, requests, answers, shown } = open();
    channel.ask(ask(1));
    channel.ask(ask(2, 't'));
    channel.endSession('s');
    await settled();
    expect(shown().slice(2)).toEqual([{ requestId: 0 }]);
    requests.receive({ id: 0, result: { outcome: { outcome: 'selected', optionId: 'yes' } } });
    expect(answers).toEqual([]);
  });

  it.each([
    [
      { result: { outcome: { outcome: 'selected', optionId: 'yes', _meta: {} } } },
      { type: 'selected', optionId: 'yes' },
      false,
    ],
    [{ result: { outcome: { outcome: 'selected', optionId: 'no' } } }, { type: 'selected', optionId: 'no' }, true],
    [{ result: { outcome: { outcome: 'selected', optionId: 'Yes' } } }, { type: 'selected', optionId: 'Yes' }, true],
    [{ result: { outcome: { outcome: 'cancelled' } } }, { type: 'cancelled' }, true],
    [
      { result: { outcome: { outcome: 'selected', optionId: 1 } } },
      { type: 'failed', reason: 'The selection names no option' },
      true,
    ],
    [
      { result: { outcome: { outcome: '_later', optionId: 'yes' } } },
      { type: 'failed', reason: 'The outcome is unknown' },
      true,
    ],
    [
      { result: { outcome: 'selected', optionId: 'yes' } },
      { type: 'failed', reason: 'The answer has no outcome' },
      true,
    ],
    [{ result: null }, { type: 'failed', reason: 'The answer has no outcome' }, true],
    [{ error: { code: -32601, message: 'no' } }, { type: 'failed', reason: 'no' }, true],
  ])('S5.16 S5.17 S5.39 reads the answer %j', (members, answer, forgets) => {
    const { channel, requests, presenter, answers } = open();
    channel.ask(ask(5));
    requests.receive({ jsonrpc: '2.0', id: 0, ...members });
    expect(answers).toEqual([['s', 5, answer]]);
    expect(presenter.forgotten).toEqual(forgets ? [5] : []);
  });

  it('S5.20 S5.21 S5.22 a withdrawn ask is cancelled once and its late answer changes nothing', async () => {
    const { channel, requests, presenter, answers, shown } = open();
    channel.ask(ask(5));
    channel.withdraw(5);
    channel.withdraw(5);
    requests.receive({ id: 0, result: { outcome: { outcome: 'selected', optionId: 'yes' } } });
    await settled();
    expect(shown()).toEqual([{ sessionId: 's', askId: 5 }, { requestId: 0 }]);
    expect(answers).toEqual([]);
    expect(presenter.forgotten).toEqual([5]);
  });

  it('S5.16 an ask that cannot be presented, or has lost its client, is refused', async () => {
    const { channel, requests, answers } = open();
    channel.ask({ ...ask(1), options: [] });
    channel.ask(ask(2));
    requests.close();
    channel.ask(ask(3));
    await settled();
    expect(answers).toEqual([
      ['s', 2, { type: 'failed', reason: 'The ACP connection is closed' }],
      ['s', 1, { type: 'failed', reason: 'The request could not be presented' }],
      ['s', 3, { type: 'failed', reason: 'The ACP connection is closed' }],
    ]);
  });

  it('S3.153 a form follows what was shown before it, and its answer comes back with its id', async () => {
    const { channel, requests, output, answers, forms, presenter } = open();
    channel.update('s', text('a'));
    channel.askForm(form(5));
    channel.update('s', text('b'));
    await settled();
    expect(output.frames.map((frame) => frame.method)).toEqual([
      'session/update',
      'elicitation/create',
      'session/update',
    ]);
    expect(output.frames[1]?.params).toEqual({ sessionId: 's', formId: 5 });
    requests.receive({ jsonrpc: '2.0', id: 0, result: { action: 'accept', content: { q: 'yes', other: 'no' } } });
    expect(forms).toEqual([['s', 5, { type: 'accepted', values: new Map([['q', 'yes']]) }]]);
    expect(answers).toEqual([]);
    expect(presenter.forgotten).toEqual([]);
  });

  it('S1.202 a form of a session that is held follows its response', async () => {
    const { channel, delivery, shown } = open();
    channel.beginSession('s');
    delivery.hold('s', 1, 'drop');
    channel.askForm(form(5));
    await settled();
    expect(shown()).toEqual([]);
    delivery.respond(1, true, () => {});
    await settled();
    expect(shown().at(-1)).toEqual({ sessionId: 's', formId: 5 });
  });

  it('S3.156 S5.21 S5.22 a withdrawn form is cancelled once and its late answer changes nothing', async () => {
    const { channel, requests, forms, shown, log } = open();
    channel.askForm(form(5));
    channel.withdraw(5);
    channel.withdraw(5);
    requests.receive({ id: 0, result: { action: 'accept', content: { q: 'yes' } } });
    await settled();
    expect(shown()).toEqual([{ sessionId: 's', formId: 5 }, { requestId: 0 }]);
    expect(forms).toEqual([]);
    expect(log.lines).toEqual([]);
  });

  it('S3.67 S3.156 S5.20 the end of a session withdraws its forms and asks none any more', async () => {
    const { channel, requests, forms, shown } = open();
    channel.askForm(form(1));
    channel.ask(ask(2));
    channel.askForm(form(3, 't'));
    channel.endSession('s');
    channel.askForm(form(4));
    await settled();
    expect(shown().slice(3)).toEqual([{ requestId: 0 }, { requestId: 1 }]);
    requests.receive({ id: 0, result: { action: 'accept', content: {} } });
    requests.receive({ id: 2, result: { action: 'decline' } });
    expect(forms).toEqual([
      ['s', 4, { type: 'failed', reason: 'The session is closed' }],
      ['t', 3, { type: 'declined' }],
    ]);
  });

  it('S5.16 a form that cannot be presented, or has lost its client, has failed', async () => {
    const { channel, requests, forms, log } = open();
    channel.askForm({ ...form(1), fields: [] });
    channel.askForm(form(2));
    requests.close();
    await settled();
    expect(forms).toEqual([
      ['s', 2, { type: 'failed', reason: 'The ACP connection is closed' }],
      ['s', 1, { type: 'failed', reason: 'The request could not be presented' }],
    ]);
    expect(log.lines.map(({ level }) => level)).toEqual(['error']);
  });

  it('S1.95 open sessions keep the format they were opened with when initialize is repeated', async () => {
    const { channel, prompts, presenter, shown } = open();
    channel.beginSession('s');
    const second = new FakePresenter('second');
    channel.attach(second, prompts);
    channel.update('s', text('a'));
    channel.update('t', text('b'));
    channel.beginSession('s');
    channel.update('s', text('c'));
    await settled();
    expect(shown()).toEqual([{ text: 'a' }, { second: 'b' }, { second: 'c' }]);
    expect(presenter.forgotten).toEqual(['s']);
  });

  it('S1.185 S1.188 pushes the login status, before the answer to initialize the last one only and after it', async () => {
    const { channel, output } = open();
    channel.authStatus({ kind: 'none', label: 'Not logged in' });
    channel.authStatus({ kind: 'api_key', label: 'OpenAI API key' });
    await settled();
    expect(output.frames).toEqual([]);
    channel.connected();
    channel.authStatus({ kind: 'none', label: 'Not logged in' });
    await settled();
    const push = (authStatus: object): object => ({
      jsonrpc: '2.0',
      method: '_auth/status_update',
      params: { authStatus },
    });
    expect(output.frames).toEqual([
      push({ kind: 'api_key', label: 'OpenAI API key' }),
      push({ kind: 'none', label: 'Not logged in' }),
    ]);
  });
});
