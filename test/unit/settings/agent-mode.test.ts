import { expect, it } from 'vitest';
import type { RecordedAccess } from '../../../src/domain/settings/agent-mode.ts';
import { agentModes, initialMode, profileOfMode } from '../../../src/domain/settings/agent-mode.ts';

const profiles = [
  { id: 'team', description: 'Team rules' },
  { id: 'lab', description: null },
];

const recordings = {
  readOnly: { sandbox: 'readOnly', approvalsReviewer: 'user' },
  byUser: { sandbox: 'workspaceWrite', approvalsReviewer: 'user' },
  byReview: { sandbox: 'workspaceWrite', approvalsReviewer: 'auto_review' },
  fullAccess: { sandbox: 'dangerFullAccess', approvalsReviewer: 'user' },
} satisfies Record<string, RecordedAccess>;

it('S2.60 offers the fixed modes, then one per profile in list order', () => {
  expect(agentModes(profiles)).toEqual([
    {
      id: 'read-only',
      name: 'Read-only',
      description: 'Requires approval to edit files and access the internet.',
      kind: 'standard',
    },
    {
      id: 'workspace-write',
      name: 'Workspace access',
      description: 'Edit workspace files; ask before writing outside the workspace or accessing the network.',
      kind: 'standard',
    },
    {
      id: 'agent',
      name: 'Auto review',
      description: 'Only ask for actions detected as potentially unsafe',
      kind: 'auto_review',
    },
    {
      id: 'agent-full-access',
      name: 'Full access',
      description: 'Unrestricted access to the internet and any file on your computer',
      kind: 'full_access',
    },
    { id: 'permission-profile:team', name: 'team', description: 'Team rules', kind: null },
    {
      id: 'permission-profile:lab',
      name: 'lab',
      description: 'Use the lab Codex permission profile.',
      kind: null,
    },
  ]);
  expect(profileOfMode('permission-profile:lab')).toBe('lab');
  expect(profileOfMode('agent')).toBeNull();
});

it.each([
  ['nothing said', null, null, 'agent'],
  ['a requested mode', 'read-only', null, 'read-only'],
  ['a requested full access', 'agent-full-access', null, 'agent-full-access'],
  ['a requested profile', 'permission-profile:lab', null, 'permission-profile:lab'],
  ['an unknown requested mode', 'yolo', null, 'agent'],
  ['a requested profile that does not exist', 'permission-profile:x', null, 'agent'],
  ['the active profile', null, 'team', 'permission-profile:team'],
  ['a request before the active profile', 'read-only', 'team', 'read-only'],
  ['a built-in active profile', null, ':workspace', 'agent'],
])('S2.61 starts with %s', (_case, requestedId, activeProfileId, mode) => {
  expect(initialMode({ requestedId, activeProfileId, recorded: null, profiles })).toBe(mode);
});

it.each([
  [null, recordings.readOnly, 'read-only'],
  [null, recordings.byUser, 'workspace-write'],
  [null, recordings.byReview, 'agent'],
  [null, recordings.fullAccess, 'agent'],
  ['agent', recordings.readOnly, 'read-only'],
  ['permission-profile:lab', recordings.readOnly, 'read-only'],
  ['unknown', recordings.readOnly, 'read-only'],
  ['agent-full-access', recordings.byUser, 'workspace-write'],
  ['agent-full-access', recordings.byReview, 'agent'],
  ['agent-full-access', recordings.fullAccess, 'agent-full-access'],
  ['read-only', recordings.fullAccess, 'read-only'],
  ['workspace-write', recordings.byReview, 'workspace-write'],
  ['permission-profile:lab', recordings.byUser, 'permission-profile:lab'],
] as const)('S12.8 C039 with %s asked for reopens %o as %s', (requestedId, recorded, mode) => {
  expect(initialMode({ requestedId, activeProfileId: null, recorded, profiles })).toBe(mode);
});

it('S2.61 S12.8 takes the active profile over the sandbox that was made of it', () => {
  const facts = { activeProfileId: 'team', recorded: recordings.readOnly, profiles };
  expect(initialMode({ ...facts, requestedId: null })).toBe('permission-profile:team');
  expect(initialMode({ ...facts, requestedId: 'agent' })).toBe('agent');
});
