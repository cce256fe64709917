import type { ClientProfile } from '../../domain/client/client-profile.ts';
import type { FormAnswer, FormAsk, FormDelivery, QuestionField } from '../../domain/interaction/form-ask.ts';
import { formKeys } from '../../domain/interaction/form-ask.ts';
import { otherChoice } from '../../domain/interaction/question-answer.ts';
import { airMeta, type Meta } from './air-metadata.ts';
import type { ClientReply } from './client-requests.ts';
import { isJsonObject } from './json-rpc.ts';

interface ChoiceSchema {
  const: string;
  title: string;
  description?: string;
}

interface TextSchema {
  type: 'string';
  title: string;
  description?: string;
  oneOf?: ChoiceSchema[];
  _meta: Meta;
}

/** Params of `elicitation/create` in form mode; the shape is the same in both versions of ACP. */
export interface FormElicitation {
  sessionId: string;
  toolCallId?: string;
  mode: 'form';
  message: string;
  requestedSchema: { type: 'object'; properties: Record<string, TextSchema>; required?: string[] };
  _meta: Meta;
}

/** A form as an elicitation (S3.153, S5.106, S5.116). Only for clients that declared the mode. */
export function formElicitation(ask: FormAsk, profile: ClientProfile): FormElicitation {
  const { sessionId, itemId, message, fields, delivery } = ask;
  const required = fields.filter((field) => field.required).map(({ key }) => key);
  return {
    sessionId,
    ...(itemId === null ? {} : { toolCallId: itemId }),
    mode: 'form',
    message,
    requestedSchema: {
      type: 'object',
      // Keys come from Codex; `fromEntries` makes own members of all of them (S5.112).
      properties: Object.fromEntries(fields.flatMap((field) => questionProperties(field, profile))),
      ...(required.length === 0 ? {} : { required }),
    },
    _meta: { codex: deliveryMeta(delivery) },
  };
}

/**
 * Reads the client's reply to a form strictly: only `accept` with an object, or without content, accepts. Members that
 * the form does not have are dropped (S5.81, S5.87, S5.173).
 */
export function parseFormAnswer(ask: FormAsk, reply: ClientReply): FormAnswer {
  if (!reply.ok) return { type: 'failed', reason: reply.reason };
  const { result } = reply;
  switch (isJsonObject(result) ? result.action : undefined) {
    case 'accept': {
      const content = isJsonObject(result) ? (result.content ?? {}) : {};
      if (!isJsonObject(content)) return { type: 'failed', reason: 'The content of the form is no object' };
      const keys = formKeys(ask.fields).filter((key) => Object.hasOwn(content, key));
      return { type: 'accepted', values: new Map(keys.map((key) => [key, content[key]])) };
    }
    case 'decline':
      return { type: 'declined' };
    case 'cancel':
      return { type: 'cancelled' };
    case undefined:
      return { type: 'failed', reason: 'The answer has no action' };
    default:
      return { type: 'failed', reason: 'The action is unknown' };
  }
}

function deliveryMeta(delivery: FormDelivery): Meta {
  switch (delivery.type) {
    case 'async':
      return { delivery: 'async' };
    case 'blocking':
      return { autoResolutionMs: delivery.autoResolutionMs };
  }
}

/** The property of a question, and that of its note right after it (S5.107, S5.108). */
function questionProperties(field: QuestionField, profile: ClientProfile): [string, TextSchema][] {
  const { key, title, description, other, noteKey, secret } = field;
  const choices = choiceSchemas(field, profile);
  const question: TextSchema = {
    type: 'string',
    title,
    ...(description === '' ? {} : { description }),
    ...(choices.length === 0 ? {} : { oneOf: choices }),
    _meta: { codex: { isOther: other, isSecret: secret } },
  };
  if (noteKey === null) return [[key, question]];
  const codex = { codex: { questionId: key, role: 'user_note', isSecret: secret } };
  const air = profile.air === null ? {} : airMeta({ customAnswer: true }, { _askUserQuestionCustomAnswer: true });
  const note: TextSchema = { type: 'string', title: 'Additional answer or note', _meta: { ...codex, ...air } };
  return [
    [key, question],
    [noteKey, note],
  ];
}

/** AIR offers an answer of one's own by itself; others get a choice for it (S5.108). */
function choiceSchemas({ choices, noteKey }: QuestionField, profile: ClientProfile): ChoiceSchema[] {
  const schemas = choices.map(({ value, description }) => ({
    const: value,
    title: value,
    ...(description === '' ? {} : { description }),
  }));
  const offered = choices.some(({ value }) => value === otherChoice);
  if (noteKey === null || profile.air !== null || offered) return schemas;
  const description = 'Provide a different answer in the note field.';
  return [...schemas, { const: otherChoice, title: otherChoice, description }];
}
