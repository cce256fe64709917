import { expect, it } from 'vitest';
import type { CompactionReport } from '../../../src/adapters/acp/compaction-report.ts';
import type { Event, Flow } from './flow.ts';
import { framesOf, goldenFlows, presenterOf } from './flow.ts';
import { featureProfiles, profile } from './profiles.ts';

const report = (status: CompactionReport['status'], more: Partial<CompactionReport> = {}): CompactionReport => ({
  type: 'compaction',
  compactionId: 'k',
  status,
  error: null,
  reported: true,
  ...more,
});
const done: Event = { type: 'foreground', state: 'idle', ending: { outcome: { type: 'cancelled' }, usage: null } };

const update = (more: object): Record<string, unknown> => ({
  sessionUpdate: 'compaction_update',
  compactionId: 'k',
  ...more,
});
const start = {
  sessionUpdate: 'tool_call',
  toolCallId: 'k',
  kind: 'think',
  title: 'Compact conversation',
  status: 'in_progress',
};
const air = { _meta: { jetbrains: { air: { version: 1, contextCompaction: { version: 1 } } } } };
const end = (status: string): Record<string, unknown> => ({
  sessionUpdate: 'tool_call_update',
  toolCallId: 'k',
  status,
});
const able = 'zedFullV1 airFullV1 airNoneFullV1';
const plain = 'plainV1 zedV1 deltaV1';
const airCalls = 'airV1 airNoneV1';
const idle = { sessionUpdate: 'state_update', state: 'idle', stopReason: 'cancelled' };

const flows: readonly Flow[] = [
  {
    name: 'S3.166 S3.167 S4.134 a compaction',
    events: [report('in_progress'), report('completed')],
    frames: {
      [`${able} plainV2 airV2`]: [update({ status: 'in_progress' }), update({ status: 'completed' })],
      [plain]: [start, end('completed')],
      // The `_meta` of the end says what the start said (S4.104).
      [airCalls]: [{ ...start, ...air }, end('completed')],
    },
  },
  {
    name: 'S3.166 S3.167 S4.135 a compaction that failed',
    events: [report('in_progress'), report('failed', { error: 'No room' })],
    frames: {
      [`${able} plainV2 airV2`]: [update({ status: 'in_progress' }), update({ status: 'failed', error: 'No room' })],
      [plain]: [start, end('failed')],
      [airCalls]: [{ ...start, ...air }, end('failed')],
    },
  },
  {
    name: 'S3.166 S3.167 a cancelled one; S4.109 an end after the end of the turn says everything again',
    events: [report('in_progress'), done, report('cancelled')],
    frames: {
      [able]: [update({ status: 'in_progress' }), update({ status: 'cancelled' })],
      'plainV2 airV2': [update({ status: 'in_progress' }), idle, update({ status: 'cancelled' })],
      [plain]: [start, { ...start, ...end('failed') }],
      [airCalls]: [
        { ...start, ...air },
        { ...start, ...air, ...end('failed') },
      ],
    },
  },
  {
    name: 'S3.168 S4.134 of which only the end is known',
    events: [report('completed', { compactionId: 'compaction:t1', reported: false })],
    frames: {
      [`${able} plainV2 airV2`]: [{ ...update({ status: 'completed' }), compactionId: 'compaction:t1' }],
      rest: [
        {
          sessionUpdate: 'agent_message_chunk',
          content: { type: 'text', text: "*Context compacted to fit the model's context window.*\n\n" },
        },
      ],
    },
  },
];

goldenFlows(flows, featureProfiles);

const call = (events: readonly Event[]): object[] => framesOf(presenterOf(featureProfiles.airV1), events);

it('S3.168 a client with notices but without compactions gets a notice', () => {
  const client = profile(1, 'snapshots', { notices: true });
  expect(framesOf(presenterOf(client), [report('completed', { reported: false })])).toEqual([
    {
      sessionUpdate: 'notice',
      severity: 'info',
      title: 'Context compacted',
      description: "Conversation compacted to fit the model's context window.",
    },
  ]);
});

it('S3.168 with a tool call there is no second report', () => {
  const client = profile(1, 'snapshots', { notices: true });
  expect(framesOf(presenterOf(client), [report('in_progress'), report('completed')])).toEqual([
    start,
    end('completed'),
  ]);
});

it('S3.167 S4.135 a tool call has one start and one end', () => {
  const first = report('in_progress');
  expect(call([first, first, report('completed'), report('completed'), report('failed')])).toEqual([
    { ...start, ...air },
    end('completed'),
  ]);
});

it('S3.167 the end of a call that the client does not know is a whole call', () => {
  expect(call([report('completed')])).toEqual([{ ...start, ...air, status: 'completed' }]);
});

it.each(['failed', 'cancelled'] as const)('S3.168 a compaction that nobody saw and that %s is not shown', (status) => {
  expect(call([report(status, { reported: false })])).toEqual([]);
});

it.each([
  ['in_progress', true],
  ['completed', true],
  ['failed', false],
  ['cancelled', false],
] as const)('S3.179 a compaction that is %s shows that a retry helped: %s', (status, helped) => {
  const error = { message: 'Reconnecting', info: 'other', details: null };
  const retry: Event = { type: 'turnError', turnId: 't1', error, scope: 'retry' };
  const frames = framesOf(presenterOf(featureProfiles.airV2), [retry, report(status)]).slice(1);
  const takenBack = { sessionUpdate: 'session_info_update', _meta: { jetbrains: null } };
  expect(frames).toEqual([...(helped ? [takenBack] : []), update({ status })]);
});
