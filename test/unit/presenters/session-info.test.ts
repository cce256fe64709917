import { describe, expect, it } from 'vitest';
import { PresenterV2 } from '../../../src/adapters/acp-v2/presenter-v2.ts';
import type { Notice } from '../../../src/domain/conversation/conversation-update.ts';
import { noticeOf } from '../../../src/domain/conversation/notice.ts';
import type { SessionOption } from '../../../src/domain/settings/session-option.ts';
import { validateUpdate } from '../../support/acp-schema.ts';
import type { Event, Flow } from './flow.ts';
import { cwd, framesOf, goldenFlows, presenterOf, session } from './flow.ts';
import { profile, profiles } from './profiles.ts';

const info = (codex: object): Record<string, unknown> => ({
  sessionUpdate: 'session_info_update',
  _meta: { codex },
});
const active = { type: 'active', activeFlags: ['waitingOnApproval'] } as const;
const entries = [
  { content: 'Read', priority: 'medium', status: 'completed' },
  { content: 'Fix', priority: 'medium', status: 'in_progress' },
];

const warning: Notice = {
  severity: 'warning',
  title: 'Unknown key foo',
  description: 'in config.toml',
  fallback: { kind: 'text', text: 'Config warning: Unknown key foo\n\nin config.toml\n\n' },
};
const deprecation: Notice = { severity: 'warning', title: 'Old', description: null, fallback: null };
const rerouted: Notice = {
  severity: 'info',
  title: 'Model rerouted',
  description: 'Switched from a to b (load).',
  fallback: { kind: 'thought', text: 'Model rerouted from a to b (load).\n\n' },
};
const record = (revision: number, text: object, n = 1): Record<string, unknown> => ({
  sessionUpdate: 'session_info_update',
  _meta: {
    jetbrains: {
      air: {
        version: 1,
        sessionFailure: {
          id: `s1:notice:id-1:${n}`,
          revision,
          category: 'unknown',
          severity: 'warning',
          ...text,
          actions: [],
        },
      },
    },
  },
});
const message = (text: string): Record<string, unknown> => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
});
const notices = [
  { sessionUpdate: 'notice', severity: 'warning', title: 'Unknown key foo', description: 'in config.toml' },
  { sessionUpdate: 'notice', severity: 'warning', title: 'Unknown key foo', description: 'in config.toml' },
  { sessionUpdate: 'notice', severity: 'warning', title: 'Old' },
  {
    sessionUpdate: 'notice',
    severity: 'info',
    title: 'Model rerouted',
    description: 'Switched from a to b (load).',
  },
];
const thought = {
  sessionUpdate: 'agent_thought_chunk',
  content: { type: 'text', text: 'Model rerouted from a to b (load).\n\n' },
};

const options: readonly SessionOption[] = [
  {
    id: 'model',
    name: 'Model',
    description: 'Model Codex uses for the session',
    category: 'model',
    type: 'select',
    current: 'm',
    values: [{ value: 'm', name: 'M', description: null }],
    grouped: false,
    recommended: 'm',
  },
];
const modelOption = {
  name: 'Model',
  description: 'Model Codex uses for the session',
  category: 'model',
  type: 'select',
  currentValue: 'm',
  options: [{ value: 'm', name: 'M', description: null }],
};
const recommended = { _meta: { jetbrains: { air: { version: 1, recommendedValue: 'm' } } } };

const flows: readonly Flow[] = [
  {
    name: 'S4.89 S3.86 the step list, also when it is empty',
    events: [
      {
        type: 'plan',
        steps: [
          { step: 'Read', status: 'completed' },
          { step: 'Fix', status: 'in_progress' },
        ],
      },
      { type: 'plan', steps: [] },
    ],
    frames: {
      'plainV2 airV2': [
        { sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'codex-structured-plan', entries } },
        { sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'codex-structured-plan', entries: [] } },
      ],
      rest: [
        { sessionUpdate: 'plan', entries },
        { sessionUpdate: 'plan', entries: [] },
      ],
    },
  },
  {
    name: 'S4.90 S4.91 context usage and title',
    events: [
      { type: 'usage', used: 150, size: 1000 },
      { type: 'title', title: ' Fix\n the   bug ' },
      { type: 'title', title: '  ' },
      { type: 'title', title: null },
    ],
    frames: {
      rest: [
        { sessionUpdate: 'usage_update', used: 150, size: 1000 },
        { sessionUpdate: 'session_info_update', title: 'Fix the bug' },
        { sessionUpdate: 'session_info_update', title: null },
        { sessionUpdate: 'session_info_update', title: null },
      ],
    },
  },
  {
    name: 'S3.85 S4.92 S4.93 what Codex says of the thread; v2 repeats what stands beside it',
    events: [
      { type: 'threadStatus', status: active },
      { type: 'threadArchived', archived: true },
      { type: 'threadStatus', status: { type: 'idle' } },
      { type: 'threadClosed' },
    ],
    frames: {
      'plainV2 airV2': [
        info({ threadStatus: active }),
        info({ threadStatus: active, archived: true }),
        info({ threadStatus: { type: 'idle' }, archived: true }),
        info({ threadStatus: { type: 'idle' }, archived: true, closed: true }),
      ],
      rest: [
        info({ threadStatus: active }),
        info({ archived: true }),
        info({ threadStatus: { type: 'idle' } }),
        info({ closed: true }),
      ],
    },
  },
  {
    name: 'S4.136 S3.181 S3.182 advice: notices, else records for typed failures, else text',
    events: [warning, warning, deprecation, rerouted].map((notice) => ({ type: 'notice', notice }) as const),
    frames: {
      'plainV2 airV2': notices,
      airV1: [
        record(1, { title: 'Unknown key foo — in config.toml' }),
        record(2, { title: 'Unknown key foo — in config.toml' }),
        record(1, { title: 'Old' }, 2),
        thought,
      ],
      rest: [
        message('Config warning: Unknown key foo\n\nin config.toml\n\n'),
        message('Config warning: Unknown key foo\n\nin config.toml\n\n'),
        thought,
      ],
    },
  },
  {
    name: 'S2.98 S2.99 S2.72 S2.79 the option list, with the keys of the version',
    events: [{ type: 'optionsChanged', options }],
    frames: {
      plainV2: [{ sessionUpdate: 'config_option_update', configOptions: [{ configId: 'model', ...modelOption }] }],
      airV2: [
        {
          sessionUpdate: 'config_option_update',
          configOptions: [{ configId: 'model', ...modelOption, ...recommended }],
        },
      ],
      airV1: [
        { sessionUpdate: 'config_option_update', configOptions: [{ id: 'model', ...modelOption, ...recommended }] },
      ],
      rest: [{ sessionUpdate: 'config_option_update', configOptions: [{ id: 'model', ...modelOption }] }],
    },
  },
];

goldenFlows(flows);

describe('session info', () => {
  it.each([1, 2] as const)('S2.74 the JetBrains 2026.1 client gets no option updates: v%i', (version) => {
    const old = profile(version, version === 1 ? 'snapshots' : 'terminals', {
      info: { name: 'JetBrains', title: null, version: '2026.1', hidesConfigOptions: true },
    });
    expect(framesOf(presenterOf(old), [{ type: 'optionsChanged', options }])).toEqual([]);
  });

  it('S4.136 notices win over records on v1 too', () => {
    const both = { ...profiles.airV1, notices: true };
    expect(framesOf(presenterOf(both), [{ type: 'notice', notice: warning }])).toEqual([notices[0]]);
  });

  it.each([
    [{ type: 'warning', message: ' ' }, 'Codex warning'],
    [{ type: 'configWarning', summary: '', details: null }, 'Configuration warning'],
    [{ type: 'deprecation', summary: '', details: null }, 'Deprecated configuration'],
  ] as const)('S3.181 a notice always has a title, also while nothing runs: %j', (event, title) => {
    const idle: Event = { type: 'threadStatus', status: { type: 'idle' } };
    const notice: Event = { type: 'notice', notice: noticeOf(event) };
    const [, frame] = framesOf(presenterOf(profiles.plainV2), [idle, notice]);
    expect(frame).toEqual({ sessionUpdate: 'notice', severity: 'warning', title });
    expect(validateUpdate(2, frame)).toEqual([]);
  });

  it('S3.182 a long notice has its details apart', () => {
    const long: Notice = { ...warning, description: 'd'.repeat(240) };
    expect(framesOf(presenterOf(profiles.airV1), [{ type: 'notice', notice: long }])).toEqual([
      record(1, { title: 'Unknown key foo', details: 'd'.repeat(240) }),
    ]);
  });

  it('S2.45 S3.101 a session that is opened again starts with its title and all its metadata', () => {
    const presenter = new PresenterV2(profiles.airV2, { cwdOf: () => cwd, uuid: () => 'id' });
    const error = { message: 'Reconnecting', info: 'other', details: null };
    framesOf(presenter, [
      { type: 'threadStatus', status: active },
      { type: 'turnError', turnId: 't1', error, scope: 'retry' },
    ]);
    const frames = framesOf(presenter, [{ type: 'snapshot', title: 'Fix', state: 'running' }]);
    expect(frames).toMatchObject([
      { sessionUpdate: 'session_info_update', title: 'Fix', _meta: null },
      { _meta: { codex: { threadStatus: active }, jetbrains: { air: { sessionFailure: { id: 't1:error' } } } } },
      { sessionUpdate: 'state_update', state: 'running' },
    ]);
    for (const frame of frames) expect(validateUpdate(2, frame)).toEqual([]);
    presenter.forgetSession(session);
    expect(framesOf(presenter, [{ type: 'snapshot', title: null, state: 'idle' }])).toEqual([
      { sessionUpdate: 'session_info_update', title: null, _meta: null },
      { sessionUpdate: 'state_update', state: 'idle' },
    ]);
  });
});
