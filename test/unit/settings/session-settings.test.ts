import { expect, it } from 'vitest';
import {
  initialSettings,
  takesImages,
  withAccount,
  withModels,
} from '../../../src/domain/settings/session-settings.ts';
import { turnPolicy } from '../../../src/domain/settings/turn-policy-of.ts';
import { models, settings, setup } from './settings-facts.ts';

const open = setup().open;

it('S2.61 S2.103 starts with what Codex opened the thread with', () => {
  expect(settings()).toEqual({
    mode: 'agent',
    collaborationMode: 'default',
    model: 'gpt-6.1-sol',
    effort: 'low',
    fast: false,
    models,
    profiles: [],
    approvalPolicy: null,
    approvalsReviewer: null,
    writeAccess: { writableRoots: [], networkAccess: false, excludeTmpdirEnvVar: false, excludeSlashTmp: false },
    workspace: { cwd: '/w', additionalDirectories: [] },
    accountIsApiKey: false,
  });
});

it('S2.61 takes INITIAL_AGENT_MODE', () => {
  expect(settings({ initialModeId: 'agent-full-access' }).mode).toBe('agent-full-access');
});

it.each([
  ['fast', true],
  ['priority', true],
  ['flex', false],
  [null, false],
])('S2.85 service tier %s means fast mode %s', (serviceTier, fast) => {
  expect(settings({ open: { ...open, serviceTier } }).fast).toBe(fast);
});

it.each([
  ['plan', 'plan'],
  ['default', 'default'],
  [null, 'default'],
  ['execute', 'default'],
])('S2.88 collaboration mode %s of the thread is shown as %s', (collaborationMode, shown) => {
  expect(settings({ open: { ...open, collaborationMode } }).collaborationMode).toBe(shown);
});

it.each([
  ['on-request', 'on-request'],
  [{ granular: { rules: true } }, { granular: { rules: true } }],
  ['', null],
  [null, null],
  [undefined, null],
  [{ other: 1 }, null],
  [7, null],
])('S2 section 6.1 reads the configured approval policy %j as %j', (approvalPolicy, expected) => {
  expect(settings({ config: { approvalPolicy, approvalsReviewer: null } }).approvalPolicy).toEqual(expected);
});

it('S2.30 keeps mode, model and fast flag of an open session, and takes the collaboration mode of the response', () => {
  const previous = { ...settings(), mode: 'read-only', model: 'gpt-6-astra', effort: 'ultra', fast: true };
  const reopened = initialSettings(setup({ previous, open: { ...open, collaborationMode: 'plan' } }));
  expect(reopened).toMatchObject({
    mode: 'read-only',
    model: 'gpt-6-astra',
    effort: 'ultra',
    fast: true,
    collaborationMode: 'plan',
  });
});

it('S2.88 keeps the known collaboration mode when Codex says none', () => {
  const previous = { ...settings(), collaborationMode: 'plan' } as const;
  expect(initialSettings(setup({ previous })).collaborationMode).toBe('plan');
});

it('S2.30 leaves a profile mode whose profile is gone', () => {
  const previous = { ...settings(), mode: 'permission-profile:gone' };
  expect(initialSettings(setup({ previous })).mode).toBe('agent');
});

it('S2.107 recomputes model and effort from a new listing', () => {
  const chosen = { ...settings(), model: 'gpt-6-astra', effort: 'ultra' };
  expect(withModels(chosen, models, ['vega'])).toMatchObject({ model: 'vega', effort: 'medium' });
  expect(withModels(chosen, models, null)).toEqual(chosen);
  expect(withModels(chosen, [], null)).toMatchObject({ model: 'gpt-6-astra', effort: 'ultra', models: [] });
});

it.each([
  ['gpt-6.1-sol', true],
  ['vega', false],
  ['house-model', true],
])('S2.106 S3.25 model %s takes images: %s', (model, takes) => {
  expect(takesImages({ ...settings(), model })).toBe(takes);
});

const workspace = { cwd: '/w', additionalDirectories: ['/x', '/y'] };
const written = { type: 'workspaceWrite', networkAccess: false, excludeTmpdirEnvVar: false, excludeSlashTmp: false };

it.each([
  ['read-only', 'on-request', 'user', { type: 'readOnly', networkAccess: false }],
  ['workspace-write', 'on-request', 'user', { ...written, writableRoots: ['/x', '/y'] }],
  ['agent', 'on-request', 'auto_review', { ...written, writableRoots: ['/x', '/y'] }],
  ['agent-full-access', 'never', 'user', { type: 'dangerFullAccess' }],
])('S2 section 6.1 C028 a turn in %s mode has the policy of the table', (mode, approvalPolicy, reviewer, sandbox) => {
  expect(turnPolicy({ ...settings({ workspace }), mode })).toEqual({
    approvalPolicy,
    approvalsReviewer: reviewer,
    access: { type: 'sandbox', sandbox },
    model: 'gpt-6.1-sol',
    effort: 'low',
    summary: 'auto',
    serviceTier: null,
  });
});

it('S2.13c without additional directories no root is added', () => {
  expect(turnPolicy(settings()).access).toEqual({ type: 'sandbox', sandbox: { ...written, writableRoots: [] } });
});

it('S2 section 6.1 a profile mode sends the profile and all roots, with the configured policy', () => {
  const profiles = [{ id: 'team', description: null }];
  const access = { type: 'profile', profileId: 'team', workspaceRoots: ['/w', '/x', '/y'] };
  const facts = { workspace, profiles, initialModeId: 'permission-profile:team' };
  expect(turnPolicy(settings(facts))).toMatchObject({
    approvalPolicy: 'on-request',
    approvalsReviewer: 'user',
    access,
  });
  const config = { approvalPolicy: { granular: { rules: true } }, approvalsReviewer: 'guardian_subagent' };
  expect(turnPolicy(settings({ ...facts, config }))).toMatchObject({ ...config, access });
});

it('C059 keeps configured writable folders and network access in the modes that write, and only there', () => {
  const writeAccess = {
    writableRoots: ['/cache', '/x'],
    networkAccess: true,
    excludeTmpdirEnvVar: true,
    excludeSlashTmp: false,
  };
  const config = { approvalPolicy: null, approvalsReviewer: null, writeAccess };
  const sandboxIn = (mode: string) => turnPolicy({ ...settings({ workspace, config }), mode }).access;
  for (const mode of ['agent', 'workspace-write']) {
    expect(sandboxIn(mode)).toEqual({
      type: 'sandbox',
      sandbox: { ...writeAccess, type: 'workspaceWrite', writableRoots: ['/cache', '/x', '/y'] },
    });
  }
  expect(sandboxIn('read-only')).toEqual({ type: 'sandbox', sandbox: { type: 'readOnly', networkAccess: false } });
});

it('S2.84 S2.86 sends the fast tier only while the model has it', () => {
  const fast = settings({ open: { ...open, serviceTier: 'priority' } });
  expect(turnPolicy(fast).serviceTier).toBe('fast');
  expect(turnPolicy({ ...fast, model: 'gpt-6-astra' }).serviceTier).toBeNull();
  expect(turnPolicy({ ...fast, model: 'house-model' }).serviceTier).toBeNull();
  expect(turnPolicy({ ...fast, fast: false }).serviceTier).toBeNull();
});

it('S2.103 S2.108 tells Codex the slug of a listed model and the id of an unlisted one', () => {
  expect(turnPolicy({ ...settings(), model: 'vega', effort: 'high' })).toMatchObject({
    model: 'vega-slug',
    effort: 'high',
  });
  expect(turnPolicy({ ...settings(), model: 'house-model' }).model).toBe('house-model');
});

it('S2.108 asks for no summaries from an API-key account or a model that does not reason', () => {
  const efforts = [{ effort: 'none', description: '' }];
  const mute = models.map((listed) => ({ ...listed, efforts }));
  expect(turnPolicy(settings({ accountIsApiKey: true })).summary).toBe('none');
  expect(turnPolicy(withAccount(settings(), true)).summary).toBe('none');
  expect(turnPolicy(settings({ models: mute })).summary).toBe('none');
  expect(turnPolicy({ ...settings(), model: 'house-model' }).summary).toBe('auto');
});
