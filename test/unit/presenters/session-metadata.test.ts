import { describe, expect, it } from 'vitest';
import { goalMetadata } from '../../../src/adapters/acp/goal-metadata.ts';
import { PresenterV2 } from '../../../src/adapters/acp-v2/presenter-v2.ts';
import type { Goal } from '../../../src/domain/goal/goal.ts';
import type { FileChangeReport, ReportFailure } from '../../../src/domain/report/file-change-report.ts';
import { validateUpdate } from '../../support/acp-schema.ts';
import type { Event, Flow } from './flow.ts';
import { cwd, framesOf, goldenFlows, presenterOf } from './flow.ts';
import { featureProfiles, profiles } from './profiles.ts';

const goal: Goal = {
  objective: '  Ship it\n',
  status: 'active',
  tokenBudget: null,
  tokensUsed: 7,
  timeUsedSeconds: 3,
  createdAt: 1_700_000_000,
  updatedAt: 1_700_000_005,
};
const shownGoal = {
  objective: 'Ship it',
  status: 'active',
  tokenBudget: null,
  tokensUsed: 7,
  timeUsedSeconds: 3,
  createdAt: 1_700_000_000_000,
  updatedAt: 1_700_000_005_000,
  controlMethod: '_session/goal',
};
const report: FileChangeReport = { type: 'reported', requestId: 'r', paths: ['/w/a'], truncated: true };
const shownReport = {
  version: 1,
  requestId: 'r',
  status: 'reported',
  paths: ['/w/a'],
  declaredComplete: false,
  truncated: true,
  uncertainty:
    'Codex turn diffs may omit same-content renames and changes made outside apply_patch, including shell commands, ' +
    'version-control commands, generators, and child processes.',
};
const told = (more: FileChangeReport = report): Event => ({ type: 'fileChangeReport', report: more });
const suggested = (...texts: string[]): Event => ({ type: 'suggestions', texts });
const error = { message: 'Busy', info: 'serverOverloaded', details: null };
const failed: Event = { type: 'turnError', turnId: 't9', error, scope: 'other' };

const info = (meta: object): Record<string, unknown> => ({ sessionUpdate: 'session_info_update', _meta: meta });
const air = (payload: object): object => ({ jetbrains: { air: { version: 1, ...payload } } });
const suggestions = (...texts: string[]): object => ({
  promptSuggestions: { suggestions: texts.map((text) => ({ text })) },
});
const record = {
  sessionFailure: {
    id: 't9:error',
    revision: 1,
    category: 'service',
    severity: 'error',
    title: 'Busy',
    actions: ['retry'],
  },
};
const airAny = 'airV1 airNoneV1 airV2 airFullV1 airNoneFullV1';

const flows: readonly Flow[] = [
  {
    name: 'S3.124 S3.125 S11.7 a goal, and none any more, are for AIR',
    events: [
      { type: 'goal', goal },
      { type: 'goal', goal: null },
    ],
    frames: { [airAny]: [info(air({ goal: shownGoal })), info(air({ goal: null }))], rest: [] },
  },
  {
    name: 'S3.195 suggestions are for AIR; an empty list takes them back',
    events: [suggested('Run it', 'Test it'), suggested()],
    frames: { [airAny]: [info(suggestions('Run it', 'Test it')), info(suggestions())], rest: [] },
  },
  {
    name: 'S3.197 S3.201 S11.12 the file change report is for AIR that declared it',
    events: [told()],
    frames: { 'airV1 airV2 airFullV1': [info(air({ agentFileChangeReport: shownReport }))], rest: [] },
  },
  {
    name: 'S4.93 S3.124 S3.197 what v2 keeps goes along with every change of its key, the report only once',
    events: [
      { type: 'goal', goal },
      failed,
      suggested('Run it'),
      told(),
      { type: 'goal', goal: null },
      { type: 'threadArchived', archived: true },
    ],
    frames: {
      'airV1 airFullV1': [
        info(air({ goal: shownGoal })),
        info(air(record)),
        info(suggestions('Run it')),
        info(air({ agentFileChangeReport: shownReport })),
        info(air({ goal: null })),
        info({ codex: { archived: true } }),
      ],
      airV2: [
        info(air({ goal: shownGoal })),
        info(air({ goal: shownGoal, ...record })),
        info(suggestions('Run it')),
        info(air({ goal: shownGoal, ...record, agentFileChangeReport: shownReport })),
        info(air({ goal: null, ...record })),
        info({ codex: { archived: true } }),
      ],
      'airNoneV1 airNoneFullV1': [
        info(air({ goal: shownGoal })),
        info({ codex: { error: codexError() } }),
        info(suggestions('Run it')),
        info(air({ goal: null })),
        info({ codex: { archived: true } }),
      ],
      plainV2: [info({ codex: { error: codexError() } }), info({ codex: { error: codexError(), archived: true } })],
      rest: [info({ codex: { error: codexError() } }), info({ codex: { archived: true } })],
    },
  },
];

function codexError(): object {
  return {
    message: 'Busy',
    codexErrorInfo: 'serverOverloaded',
    additionalDetails: null,
    turnId: 't9',
    willRetry: false,
  };
}

goldenFlows(flows, featureProfiles);

describe('a goal', () => {
  it.each([
    ['active', 'active'],
    ['paused', 'paused'],
    ['blocked', 'blocked'],
    ['complete', 'complete'],
    ['usageLimited', 'limited'],
    ['budgetLimited', 'limited'],
    ['toString', 'blocked'],
  ])('S3.124 S11.7 that is %s is %s', (status, shown) => {
    expect(goalMetadata({ ...goal, status, tokenBudget: 9 })).toEqual({ ...shownGoal, status: shown, tokenBudget: 9 });
  });
});

describe('the file change report', () => {
  it.each<ReportFailure>(['cancelled', 'invalidOutput', 'notReported', 'providerError'])(
    'S3.197 S3.198 can be missing: %s',
    (reason) => {
      const frames = framesOf(presenterOf(profiles.airV1), [told({ type: 'unavailable', requestId: 'r', reason })]);
      const agentFileChangeReport = { version: 1, requestId: 'r', status: 'unavailable', reason };
      expect(frames).toEqual([info(air({ agentFileChangeReport }))]);
    },
  );

  it('S3.197 S3.200 an empty one', () => {
    const frames = framesOf(presenterOf(profiles.airV2), [told({ ...report, paths: [], truncated: false })]);
    expect(frames).toEqual([info(air({ agentFileChangeReport: { ...shownReport, paths: [], truncated: false } }))]);
  });
});

describe('the metadata of a session that is opened again', () => {
  const snapshotAfter = (events: readonly Event[]): unknown => {
    const presenter = new PresenterV2(profiles.airV2, { cwdOf: () => cwd, uuid: () => 'id' });
    framesOf(presenter, events);
    const frames = framesOf(presenter, [{ type: 'snapshot', title: null, state: 'idle' }]);
    for (const frame of frames) expect(validateUpdate(2, frame)).toEqual([]);
    const [, metadata] = frames;
    return metadata !== undefined && '_meta' in metadata ? metadata._meta : undefined;
  };

  it('S2.45 S4.93 is what stands: goal, suggestions and thread, but not the report of a prompt', () => {
    const archived: Event = { type: 'threadArchived', archived: true };
    expect(snapshotAfter([{ type: 'goal', goal }, suggested('Run it'), archived, told()])).toEqual({
      ...suggestions('Run it'),
      ...air({ goal: shownGoal }),
      codex: { archived: true },
    });
  });

  it('S2.45 S3.195 a suggestion that was taken back does not come back', () => {
    expect(snapshotAfter([suggested('Run it'), suggested()])).toEqual(suggestions());
  });

  it('S2.45 S3.197 is nothing when only a report was told', () => {
    expect(snapshotAfter([told()])).toBeUndefined();
  });

  it('S4.93 a client that patches by top-level key ends with what the snapshot says, the last report aside', () => {
    const events: Event[] = [
      { type: 'goal', goal },
      suggested('Run it'),
      failed,
      { type: 'threadArchived', archived: true },
      told(),
      suggested(),
      { type: 'goal', goal: null },
    ];
    const stored: Record<string, unknown> = {};
    for (const frame of framesOf(presenterOf(profiles.airV2), events)) {
      if ('_meta' in frame) Object.assign(stored, frame._meta);
    }
    expect(stored).toEqual(snapshotAfter(events));
  });
});
