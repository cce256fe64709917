import { describe, expect, it } from 'vitest';
import { parseClientProfile } from '../../../src/adapters/acp/client-profile-parser.ts';
import type { ClientReply } from '../../../src/adapters/acp/client-requests.ts';
import { formElicitation, parseFormAnswer } from '../../../src/adapters/acp/form-elicitation.ts';
import type { ClientProfile } from '../../../src/domain/client/client-profile.ts';
import type { FormAsk } from '../../../src/domain/interaction/form-ask.ts';
import type { FormQuestion } from '../../../src/domain/interaction/question-fields.ts';
import { questionFields } from '../../../src/domain/interaction/question-fields.ts';
import { validateAgentFrame } from '../../support/acp-schema.ts';
import { profiles } from '../../support/profiles.ts';
import { presenterOf } from '../presenters/flow.ts';

const clients: readonly [string, ClientProfile][] = [
  ['plainV1', parseClientProfile(1, profiles.plainV1)],
  ['airV1', parseClientProfile(1, profiles.airV1)],
  ['plainV2', parseClientProfile(2, profiles.plainV2)],
  ['airV2', parseClientProfile(2, profiles.airV2)],
];

const [[, plain], [, air]] = clients as [[string, ClientProfile], [string, ClientProfile]];

const pick: FormQuestion = {
  key: 'pick',
  title: 'Which one?',
  description: 'Pick',
  choices: [
    { value: 'Left', description: 'go left' },
    { value: 'Right', description: '' },
  ],
  other: true,
  secret: false,
  required: true,
};

const text: FormQuestion = { ...pick, key: 'text', title: 'Why?', description: '', choices: [], other: false };

function ask(questions: readonly FormQuestion[], overrides: Partial<FormAsk> = {}): FormAsk {
  return {
    askId: 1,
    sessionId: 's',
    itemId: null,
    message: 'Please answer.',
    fields: questionFields(questions),
    delivery: { type: 'async' },
    ...overrides,
  };
}

const properties = (form: FormAsk, client: ClientProfile): Record<string, object> =>
  formElicitation(form, client).requestedSchema.properties;

describe('formElicitation', () => {
  it('S3.153 S5.116 a form that holds nothing up: no tool call, nothing required', () => {
    const optional = { ...text, required: false };
    expect(formElicitation(ask([optional]), plain)).toEqual({
      sessionId: 's',
      mode: 'form',
      message: 'Please answer.',
      requestedSchema: {
        type: 'object',
        properties: {
          text: { type: 'string', title: 'Why?', _meta: { codex: { isOther: false, isSecret: false } } },
        },
      },
      _meta: { codex: { delivery: 'async' } },
    });
  });

  it('S5.106 S5.107 a form that Codex waits for: its tool call, its time, all questions required', () => {
    const waiting = ask([pick, text], { itemId: 'call-1', delivery: { type: 'blocking', autoResolutionMs: null } });
    expect(formElicitation(waiting, plain)).toMatchObject({
      toolCallId: 'call-1',
      requestedSchema: { required: ['pick', 'text'] },
      _meta: { codex: { autoResolutionMs: null } },
    });
  });

  it('S5.107 S5.108 other clients than AIR get a choice for other answers, and the note', () => {
    expect(Object.entries(properties(ask([pick, text]), plain))).toEqual([
      [
        'pick',
        {
          type: 'string',
          title: 'Which one?',
          description: 'Pick',
          oneOf: [
            { const: 'Left', title: 'Left', description: 'go left' },
            { const: 'Right', title: 'Right' },
            {
              const: 'None of the above',
              title: 'None of the above',
              description: 'Provide a different answer in the note field.',
            },
          ],
          _meta: { codex: { isOther: true, isSecret: false } },
        },
      ],
      [
        'pick_note',
        {
          type: 'string',
          title: 'Additional answer or note',
          _meta: { codex: { questionId: 'pick', role: 'user_note', isSecret: false } },
        },
      ],
      ['text', { type: 'string', title: 'Why?', _meta: { codex: { isOther: false, isSecret: false } } }],
    ]);
  });

  it('S5.108 AIR gets its own marks on the note instead of that choice', () => {
    const { pick: question, pick_note: note } = properties(ask([pick]), air);
    expect(question).toMatchObject({ oneOf: [{ const: 'Left' }, { const: 'Right' }] });
    expect(note).toEqual({
      type: 'string',
      title: 'Additional answer or note',
      _meta: {
        codex: { questionId: 'pick', role: 'user_note', isSecret: false },
        _askUserQuestionCustomAnswer: true,
        jetbrains: { air: { version: 1, customAnswer: true } },
      },
    });
  });

  it('S5.108 no second choice for other answers when Codex offers it, and none where other answers are not taken', () => {
    const offered = { ...pick, choices: [{ value: 'None of the above', description: '' }] };
    expect(properties(ask([offered]), plain).pick).toMatchObject({
      oneOf: [{ const: 'None of the above', title: 'None of the above' }],
    });
    const closed = properties(ask([{ ...pick, other: false }]), plain);
    expect(Object.keys(closed)).toEqual(['pick']);
    expect(closed.pick).toMatchObject({ oneOf: [{ const: 'Left' }, { const: 'Right' }] });
  });

  it('S5.107 S5.108 secrets are marked on the question and its note', () => {
    expect(properties(ask([{ ...pick, secret: true }]), air)).toMatchObject({
      pick: { _meta: { codex: { isSecret: true } } },
      pick_note: { _meta: { codex: { isSecret: true } } },
    });
  });

  it('S5.112 names of object members are fields like others', () => {
    const keys = ['__proto__', 'constructor'];
    const form = formElicitation(ask(keys.map((key) => ({ ...text, key }))), plain);
    expect(Object.keys(JSON.parse(JSON.stringify(form)).requestedSchema.properties)).toEqual(keys);
  });

  it.each(clients)('S4.6 the frame for %s fits the schema of its version, AIR keys only for AIR', (_name, client) => {
    const forms = [
      ask([pick, { ...text, required: false }]),
      ask([pick, text], { itemId: 'call-1', delivery: { type: 'blocking', autoResolutionMs: 1000 } }),
    ];
    for (const form of forms) {
      const params = presenterOf(client).presentForm(form);
      expect(params).toEqual(formElicitation(form, client));
      const frame = { jsonrpc: '2.0', id: 0, method: 'elicitation/create', params };
      expect(validateAgentFrame(client.protocol, frame)).toEqual([]);
      expect(JSON.stringify(frame).includes('jetbrains')).toBe(client.air !== null);
    }
  });
});

describe('parseFormAnswer', () => {
  const form = ask([pick, { ...text, key: '__proto__' }]);
  const result = (value: unknown): ClientReply => ({ ok: true, result: value });

  it('S5.81 S5.87 S5.173 accept carries what came for the fields of the form, and nothing else', () => {
    const content = JSON.parse('{"pick":"Left","pick_note":1,"__proto__":"x","toString":"y","more":"z"}');
    expect(parseFormAnswer(form, result({ action: 'accept', content, _meta: { persist: 'always' } }))).toEqual({
      type: 'accepted',
      values: new Map<string, unknown>([
        ['pick', 'Left'],
        ['pick_note', 1],
        ['__proto__', 'x'],
      ]),
    });
  });

  it.each([
    ['without content', { action: 'accept' }, { type: 'accepted', values: new Map() }],
    ['with null as content', { action: 'accept', content: null }, { type: 'accepted', values: new Map() }],
    ['with inherited members only', { action: 'accept', content: {} }, { type: 'accepted', values: new Map() }],
    ['that declines', { action: 'decline', content: { pick: 'Left' } }, { type: 'declined' }],
    ['that cancels', { action: 'cancel' }, { type: 'cancelled' }],
    [
      'with a list as content',
      { action: 'accept', content: ['Left'] },
      { type: 'failed', reason: 'The content of the form is no object' },
    ],
    [
      'with a text as content',
      { action: 'accept', content: 'Left' },
      { type: 'failed', reason: 'The content of the form is no object' },
    ],
    ['of an unknown action', { action: '_later', content: {} }, { type: 'failed', reason: 'The action is unknown' }],
    ['of an action in another case', { action: 'Accept' }, { type: 'failed', reason: 'The action is unknown' }],
    ['without action', { content: { pick: 'Left' } }, { type: 'failed', reason: 'The answer has no action' }],
    ['that is null', null, { type: 'failed', reason: 'The answer has no action' }],
    ['that is a list', [{ action: 'accept' }], { type: 'failed', reason: 'The answer has no action' }],
  ])('S5.16 S5.81 an answer %s', (_name, value, answer) => {
    expect(parseFormAnswer(form, result(value))).toEqual(answer);
  });

  it('S5.16 an error of the client is a failure', () => {
    const reply: ClientReply = { ok: false, code: -32601, reason: 'no' };
    expect(parseFormAnswer(form, reply)).toEqual({ type: 'failed', reason: 'no' });
  });
});
