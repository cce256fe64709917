import { describe, expect, it } from 'vitest';
import { EVENT_TRANSLATIONS } from '../../../src/adapters/codex-app-server/translate-event.ts';
import { GLOBAL_TRANSLATIONS } from '../../../src/adapters/codex-app-server/translate-global.ts';

const event = (method: string, params: object): unknown =>
  EVENT_TRANSLATIONS.get(method)?.({ threadId: 't', ...params });

const IDS = { turnId: 'turn', itemId: 'item' };
const GOAL = {
  objective: 'Ship it',
  status: 'active',
  tokenBudget: 1000,
  tokensUsed: 5,
  timeUsedSeconds: 2,
  createdAt: 10,
  updatedAt: 11,
};
const LIMIT = {
  limitId: 'codex',
  limitName: null,
  primary: { usedPercent: 40, windowDurationMins: 300, resetsAt: 99 },
  secondary: null,
  credits: { hasCredits: true, unlimited: false, balance: '7' },
  individualLimit: { limit: '10', used: '3', remainingPercent: 70, resetsAt: 99 },
  spendControlReached: false,
  planType: 'pro',
};
const USAGE = {
  totalTokens: 6,
  inputTokens: 3,
  cachedInputTokens: 2,
  cacheWriteInputTokens: 1,
  outputTokens: 3,
  reasoningOutputTokens: 1,
};

describe('notifications in the words of the core', () => {
  it.each([
    ['item/agentMessage/delta', { ...IDS, delta: 'a' }, { type: 'messageDelta', ...IDS, delta: 'a' }],
    [
      'item/reasoning/textDelta',
      { ...IDS, delta: 'a', contentIndex: 0 },
      { type: 'reasoningDelta', ...IDS, delta: 'a' },
    ],
    ['item/reasoning/summaryTextDelta', { ...IDS, delta: 'a' }, { type: 'reasoningDelta', ...IDS, delta: 'a' }],
    ['item/reasoning/summaryPartAdded', { ...IDS, summaryIndex: 1 }, { type: 'reasoningBreak', ...IDS }],
    ['item/commandExecution/outputDelta', { ...IDS, delta: '\n' }, { type: 'commandOutput', ...IDS, delta: '\n' }],
    [
      'item/commandExecution/terminalInteraction',
      { ...IDS, processId: 'p', stdin: 'y' },
      { type: 'commandInput', ...IDS, stdin: 'y' },
    ],
    [
      'item/fileChange/patchUpdated',
      { ...IDS, changes: [{ path: '/a', kind: { type: 'update', move_path: '/b' }, diff: '@@' }] },
      { type: 'patchUpdated', ...IDS, changes: [{ path: '/a', kind: 'update', movePath: '/b', diff: '@@' }] },
    ],
    ['item/mcpToolCall/progress', { ...IDS, message: 'half' }, { type: 'mcpProgress', ...IDS, message: 'half' }],
    [
      'turn/plan/updated',
      {
        turnId: 'turn',
        explanation: null,
        plan: [
          { step: 'a', status: 'completed' },
          { step: 'b', status: 'inProgress' },
          { step: 'c', status: 'pending' },
        ],
      },
      {
        type: 'planUpdated',
        turnId: 'turn',
        steps: [
          { step: 'a', status: 'completed' },
          { step: 'b', status: 'in_progress' },
          { step: 'c', status: 'pending' },
        ],
      },
    ],
    ['turn/started', { turn: { id: 'turn', status: 'inProgress' } }, { type: 'turnStarted', turnId: 'turn' }],
    ['turn/started', { turn: { id: 'turn', rootTurnId: 'turn' } }, { type: 'turnStarted', turnId: 'turn' }],
    [
      'turn/started',
      { turn: { id: 'child', rootTurnId: 'review' } },
      { type: 'turnStarted', turnId: 'child', rootId: 'review' },
    ],
    [
      'turn/completed',
      { turn: { id: 'turn', status: 'completed', error: null, items: [{ type: 'weird' }] } },
      { type: 'turnCompleted', turnId: 'turn', status: 'completed', error: null },
    ],
    [
      'turn/completed',
      {
        turn: {
          id: 'turn',
          status: 'failed',
          error: { message: 'm', codexErrorInfo: { futureError: {} }, additionalDetails: 'd', misalignment: null },
        },
      },
      {
        type: 'turnCompleted',
        turnId: 'turn',
        status: 'failed',
        error: { message: 'm', info: { futureError: {} }, details: 'd' },
      },
    ],
    [
      'turn/completed',
      { turn: { id: 'turn', status: 'aFutureEnd' } },
      { type: 'turnCompleted', turnId: 'turn', status: 'failed', error: null },
    ],
    [
      'error',
      { turnId: 'turn', willRetry: true, error: { message: 'm', codexErrorInfo: 'other', additionalDetails: null } },
      { type: 'error', turnId: 'turn', willRetry: true, error: { message: 'm', info: 'other', details: null } },
    ],
    [
      'thread/tokenUsage/updated',
      { turnId: 'turn', tokenUsage: { total: USAGE, last: USAGE, modelContextWindow: 100 } },
      { type: 'tokenUsage', turnId: 'turn', total: USAGE, last: USAGE, contextWindow: 100 },
    ],
    [
      'thread/status/changed',
      { status: { type: 'active', activeFlags: ['waitingOnApproval'] } },
      { type: 'threadStatus', status: { type: 'active', activeFlags: ['waitingOnApproval'] } },
    ],
    ['thread/status/changed', { status: { type: 'idle' } }, { type: 'threadStatus', status: { type: 'idle' } }],
    ['item/plan/delta', { ...IDS, delta: '# Plan' }, { type: 'planDelta', ...IDS, delta: '# Plan' }],
    [
      'turn/diff/updated',
      { turnId: 'turn', diff: 'diff --git a/x b/x' },
      { type: 'diffUpdated', turnId: 'turn', diff: 'diff --git a/x b/x' },
    ],
    ['turn/diff/updated', { turnId: 'turn', diff: '' }, { type: 'diffUpdated', turnId: 'turn', diff: '' }],
    ['thread/compacted', { turnId: 'turn' }, { type: 'compacted', turnId: 'turn' }],
    ['thread/goal/updated', { turnId: null, goal: { threadId: 't', ...GOAL } }, { type: 'goalUpdated', goal: GOAL }],
    [
      'thread/goal/updated',
      { turnId: 'turn', goal: { objective: 'Ship it', status: 'aFutureStatus' } },
      {
        type: 'goalUpdated',
        goal: {
          objective: 'Ship it',
          status: 'aFutureStatus',
          tokenBudget: null,
          tokensUsed: 0,
          timeUsedSeconds: 0,
          createdAt: 0,
          updatedAt: 0,
        },
      },
    ],
    ['thread/goal/cleared', {}, { type: 'goalCleared' }],
    ['thread/archived', {}, { type: 'threadArchived', archived: true }],
    ['thread/unarchived', {}, { type: 'threadArchived', archived: false }],
    ['thread/closed', {}, { type: 'threadClosed' }],
    ['thread/name/updated', { threadName: 'A' }, { type: 'threadName', name: 'A' }],
    ['thread/name/updated', {}, { type: 'threadName', name: null }],
    ['serverRequest/resolved', { requestId: 0 }, { type: 'requestResolved', requestId: 0 }],
    ['serverRequest/resolved', { requestId: '0' }, { type: 'requestResolved', requestId: '0' }],
    ['warning', { message: 'w' }, { type: 'warning', message: 'w' }],
    [
      'model/rerouted',
      { turnId: 'turn', fromModel: 'a', toModel: 'b', reason: 'highRiskCyberActivity' },
      { type: 'modelRerouted', from: 'a', to: 'b', reason: 'highRiskCyberActivity' },
    ],
    [
      'item/started',
      { turnId: 'turn', item: { type: 'imageView', id: 'item', path: '/i.png' }, startedAtMs: 1 },
      { type: 'itemStarted', turnId: 'turn', item: { type: 'imageView', id: 'item', path: '/i.png' } },
    ],
    [
      'item/completed',
      { turnId: 'turn', item: { type: 'userMessage', id: 'item', clientId: 'mine', content: [] } },
      { type: 'itemCompleted', turnId: 'turn', item: { type: 'userMessage', id: 'item', clientId: 'mine' } },
    ],
  ])('S3.1 S3.11 S3.127 S3.168 S3.199 S4.18 %s', (method, params, expected) => {
    expect(event(method, params)).toEqual(expected);
  });

  it('S4.10 items of other types and states that are new say nothing', () => {
    expect(event('item/started', { turnId: 'turn', item: { type: 'sleep', id: 'item' } })).toBeNull();
    expect(event('item/completed', { turnId: 'turn', item: { type: 'constructor', id: 'item' } })).toBeNull();
    expect(event('thread/status/changed', { status: { type: 'dreaming' } })).toBeNull();
    for (const method of ['thread/search/partial', 'thread/section/changed', 'toString']) {
      expect(EVENT_TRANSLATIONS.has(method)).toBe(false);
    }
  });

  it('S3.15 messages without the ids that they need are skipped', () => {
    const needNone = [
      'model/rerouted',
      'thread/archived',
      'thread/closed',
      'thread/goal/cleared',
      'thread/name/updated',
      'thread/unarchived',
    ];
    for (const method of EVENT_TRANSLATIONS.keys()) {
      if (!needNone.includes(method)) expect(event(method, {}), method).toBeNull();
    }
  });

  it('S3.183 S1.189 S2.136 events without a thread', () => {
    const global = (method: string, params: object): unknown => GLOBAL_TRANSLATIONS.get(method)?.(params);
    expect(global('account/updated', { authMode: 'apikey', planType: null, reason: 'workspaceRoutingReady' })).toEqual({
      type: 'accountChanged',
      authMode: 'apikey',
      planType: null,
      reason: 'workspaceRoutingReady',
    });
    expect(global('warning', { threadId: null, message: 'w' })).toEqual({ type: 'warning', message: 'w' });
    expect(global('configWarning', { summary: 's', details: 'd', path: '/p' })).toEqual({
      type: 'configWarning',
      summary: 's',
      details: 'd',
    });
    expect(global('deprecationNotice', { summary: 's' })).toEqual({ type: 'deprecation', summary: 's', details: null });
    expect(global('skills/changed', {})).toEqual({ type: 'skillsChanged' });
    expect(global('account/login/completed', { loginId: null, success: true })).toBeNull();
  });

  it('S3.165 a limit of the account, complete and with what Codex may leave out', () => {
    const limit = (rateLimits: unknown): unknown =>
      GLOBAL_TRANSLATIONS.get('account/rateLimits/updated')?.({ rateLimits });
    expect(limit({ ...LIMIT, normalModelSlug: null, rateLimitReachedType: null })).toEqual({
      type: 'rateLimitsChanged',
      limit: {
        ...LIMIT,
        primary: { usedPercent: 40, minutes: 300, resetsAt: 99 },
        credits: { unlimited: false, balance: '7' },
      },
    });
    expect(limit({ primary: { usedPercent: 1 }, secondary: {}, credits: {} })).toEqual({
      type: 'rateLimitsChanged',
      limit: {
        limitId: null,
        limitName: null,
        primary: { usedPercent: 1, minutes: null, resetsAt: null },
        secondary: null,
        credits: { unlimited: false, balance: null },
        individualLimit: null,
        spendControlReached: null,
        planType: null,
      },
    });
    expect(limit(undefined)).toBeNull();
  });
});
