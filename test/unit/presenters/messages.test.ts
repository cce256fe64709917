import { expect, it } from 'vitest';
import type { Flow } from './flow.ts';
import { goldenFlows, presenterOf, session, updateOf } from './flow.ts';
import { command } from './items.ts';
import { profileNames, profiles } from './profiles.ts';

const message = (text: string, messageId?: string): Record<string, unknown> => ({
  sessionUpdate: 'agent_message_chunk',
  ...(messageId === undefined ? {} : { messageId }),
  content: { type: 'text', text },
});
const thought = (text: string, messageId?: string): Record<string, unknown> => ({
  ...message(text, messageId),
  sessionUpdate: 'agent_thought_chunk',
});
const phase = (name: string): object => ({ _meta: { jetbrains: { air: { version: 1, phase: name } } } });

const flows: readonly Flow[] = [
  {
    name: 'S4.18 S4.21 text of the agent; its phase is for AIR',
    events: [
      { type: 'agentText', messageId: 'msg_1', text: 'Looking ', phase: 'commentary' },
      { type: 'agentText', messageId: 'msg_1', text: 'at it', phase: null },
      { type: 'agentText', messageId: 'msg_1', text: '', phase: null },
    ],
    frames: {
      'airV1 airNoneV1 airV2': [{ ...message('Looking ', 'msg_1'), ...phase('commentary') }, message('at it', 'msg_1')],
      rest: [message('Looking ', 'msg_1'), message('at it', 'msg_1')],
    },
  },
  {
    name: 'S3.83 S4.118 a text that Codex does not know has no id on v1 and a fresh one on v2',
    events: [
      { type: 'agentText', messageId: null, text: 'Hello', phase: null },
      { type: 'thought', messageId: null, text: 'Hm' },
    ],
    frames: {
      plainV2: [message('Hello', 'id-1'), thought('Hm', 'id-2')],
      // The first id is the epoch of failure records.
      airV2: [message('Hello', 'id-2'), thought('Hm', 'id-3')],
      rest: [message('Hello'), thought('Hm')],
    },
  },
  {
    name: 'S4.22 S4.23 a corrected message is replaced on v2; v1 gets the missing end, or nothing',
    events: [
      { type: 'agentTextCorrected', messageId: 'a', text: 'Hello you', missing: ' you', phase: 'final_answer' },
      { type: 'agentTextCorrected', messageId: 'b', text: 'Other', missing: null, phase: null },
      { type: 'agentTextCorrected', messageId: 'c', text: '', missing: null, phase: null },
    ],
    frames: {
      'plainV2 airV2': [
        { sessionUpdate: 'agent_message', messageId: 'a', content: [{ type: 'text', text: 'Hello you' }] },
        { sessionUpdate: 'agent_message', messageId: 'b', content: [{ type: 'text', text: 'Other' }] },
        { sessionUpdate: 'agent_message', messageId: 'c', content: [] },
      ],
      'airV1 airNoneV1': [{ ...message(' you', 'a'), ...phase('final_answer') }],
      rest: [message(' you', 'a')],
    },
  },
  {
    name: 'S4.27 reasoning is thought, without metadata',
    events: [
      { type: 'thought', messageId: 'rs_1', text: 'First' },
      { type: 'thought', messageId: 'rs_1', text: '' },
      { type: 'thought', messageId: 'rs_1', text: '\n\n' },
    ],
    frames: { rest: [thought('First', 'rs_1'), thought('\n\n', 'rs_1')] },
  },
  {
    name: 'S4.31 S4.32 a prompt is echoed on v2, block by block as it was received',
    events: [
      {
        type: 'userMessage',
        messageId: 'u1',
        blocks: [
          { type: 'text', text: 'Hi', raw: { type: 'text', text: 'Hi', annotations: { priority: 1 } } },
          {
            type: 'resourceLink',
            uri: 'file:///w/a.ts',
            name: 'a.ts',
            raw: { type: 'resource_link', uri: 'file:///w/a.ts', name: 'a.ts' },
          },
        ],
      },
    ],
    frames: {
      'plainV2 airV2': [
        {
          sessionUpdate: 'user_message_chunk',
          messageId: 'u1',
          content: { type: 'text', text: 'Hi', annotations: { priority: 1 } },
        },
        {
          sessionUpdate: 'user_message_chunk',
          messageId: 'u1',
          content: { type: 'resource_link', uri: 'file:///w/a.ts', name: 'a.ts' },
        },
      ],
      rest: [],
    },
  },
];

goldenFlows(flows);

it.each(profileNames)(
  'S4.14 chunks merge within one message and phase, or one terminal, and in no other case: %s',
  (name) => {
    const presenter = presenterOf(profiles[name]);
    const keys = (
      [
        { type: 'agentText', messageId: 'a', text: '1', phase: null },
        { type: 'agentText', messageId: 'a', text: '2', phase: null },
        { type: 'agentText', messageId: 'a', text: '3', phase: 'commentary' },
        { type: 'agentText', messageId: 'b', text: '4', phase: null },
        { type: 'thought', messageId: 'a', text: '5' },
        { type: 'commandOutput', item: command(), data: '6' },
      ] as const
    ).flatMap((update) => presenter.present(session, update).map((out) => (out.kind === 'chunk' ? out.key : null)));
    expect(keys[0]).toBe(keys[1]);
    expect(new Set(keys).size).toBe(keys.length - 1);
    expect(keys).not.toContain(null);
  },
);

it.each(profileNames)('S4.14 one-off texts are never merged: %s', (name) => {
  const presenter = presenterOf(profiles[name]);
  const out = presenter.present(session, { type: 'agentText', messageId: null, text: 'Hi', phase: null });
  expect(out.map(({ kind }) => kind)).toEqual(['update']);
});

it('S4.110 output of v2 is encoded after merging, so no character is torn', () => {
  const [out] = presenterOf(profiles.plainV2).present(session, {
    type: 'commandOutput',
    item: command(),
    data: '\ud83d',
  });
  if (out?.kind !== 'chunk') throw new Error('not a chunk');
  expect(updateOf({ ...out, text: `${out.text}\ude00é` })).toMatchObject({
    data: Buffer.from('😀é').toString('base64'),
  });
});
