import { expect, it } from 'vitest';
import type { CommandApproval } from '../../../src/domain/interaction/approval-request.ts';
import { commandOptions, fileChangeOptions } from '../../../src/domain/interaction/permission-options.ts';
import { commandApproval, execpolicy, networkRule } from './approvals.ts';

const network = { host: 'a.example', protocol: 'https' };
const rules = [
  { host: 'a.example', action: 'deny' },
  { host: 'a.example', action: 'allow' },
] as const;

/** `optionId | kind | name` of each option, as the tables of the spec have them. */
function shown(approval: CommandApproval): readonly string[] | null {
  return commandOptions(approval)?.map(({ optionId, kind, name }) => `${optionId} | ${kind} | ${name}`) ?? null;
}

it('S5.47 S5.50 C026 names the scope of every choice about a command', () => {
  expect(shown(commandApproval({ proposedExecpolicyAmendment: ['touch'] }))).toEqual([
    'allow_once | allow_once | Yes, proceed',
    "allow_for_session | allow_always | Yes, and don't ask again for this command in this session",
    "accept_execpolicy_amendment | allow_always | Yes, and don't ask again for commands that start with `touch`",
    'decline | reject_once | No, continue without running it',
    'cancel | reject_once | No, and tell Codex what to do differently',
  ]);
});

it('S5.47 S5.50 names the scope of every choice about a host, and numbers host rules in the order of the set', () => {
  expect(shown(commandApproval({ network, proposedNetworkAmendments: rules }))).toEqual([
    'allow_once | allow_once | Yes, just this once',
    'allow_for_session | allow_always | Yes, and allow this host for this conversation',
    'apply_network_policy_amendment:1 | allow_always | Yes, and allow this host in the future',
    'apply_network_policy_amendment:0 | reject_always | No, and block this host in the future',
    'decline | reject_once | No, continue without running it',
    'cancel | reject_once | No, and tell Codex what to do differently',
  ]);
});

it('S5.47 names extra permissions', () => {
  const availableDecisions = ['acceptForSession', 'cancel', 'accept'];
  expect(shown(commandApproval({ additionalPermissions: {}, availableDecisions }))).toEqual([
    'allow_once | allow_once | Yes, proceed',
    'allow_for_session | allow_always | Yes, and allow these permissions for this session',
    'cancel | reject_once | No, and tell Codex what to do differently',
  ]);
});

it('S5.50 sorts stably: once, always, refusals in the order of the set', () => {
  const availableDecisions = ['cancel', networkRule('a.example', 'deny'), 'acceptForSession', 'decline', 'accept'];
  const options = commandOptions(commandApproval({ network, proposedNetworkAmendments: rules, availableDecisions }));
  expect(options?.map(({ optionId }) => optionId)).toEqual([
    'allow_once',
    'allow_for_session',
    'cancel',
    'apply_network_policy_amendment:0',
    'decline',
  ]);
});

it('S5.52 S5.171 puts exactly the proposed amendment behind an option', () => {
  const approval = commandApproval({
    network,
    proposedExecpolicyAmendment: ['touch', '-c'],
    proposedNetworkAmendments: rules,
    availableDecisions: ['cancel', execpolicy(['touch', '-c']), networkRule('a.example', 'allow')],
  });
  const answers = Object.fromEntries(
    (commandOptions(approval) ?? []).map(({ optionId, answer }) => [optionId, answer]),
  );
  expect(answers).toEqual({
    accept_execpolicy_amendment: { type: 'commandApproval', decision: execpolicy(['touch', '-c']) },
    'apply_network_policy_amendment:0': { type: 'commandApproval', decision: networkRule('a.example', 'allow') },
    cancel: { type: 'commandApproval', decision: 'cancel' },
  });
});

it.each(['a\nb', 'a\rb', 'a\u001b[2Kb', 'a\u202eb', 'a\0b'])(
  'S5.49 leaves out a rule that %j hides, and only that',
  (word) => {
    const approval = commandApproval({ proposedExecpolicyAmendment: ['touch', word] });
    expect(commandOptions(approval)?.map(({ optionId }) => optionId)).toEqual([
      'allow_once',
      'allow_for_session',
      'decline',
      'cancel',
    ]);
  },
);

it.each<[string, Partial<CommandApproval>]>([
  ['no way to refuse', { availableDecisions: ['accept', 'acceptForSession'] }],
  ['no way to agree', { availableDecisions: ['decline', 'cancel'] }],
  ['a repeated decision', { availableDecisions: ['accept', 'accept', 'cancel'] }],
  [
    'a repeated host rule',
    {
      network,
      proposedNetworkAmendments: rules,
      availableDecisions: ['accept', networkRule('a.example', 'deny'), networkRule('a.example', 'deny'), 'cancel'],
    },
  ],
  [
    'only a rule that cannot be shown',
    {
      proposedExecpolicyAmendment: ['a\nb'],
      availableDecisions: [execpolicy(['a\nb']), 'cancel'],
    },
  ],
  [
    'only lasting grants for another kind',
    { kind: 'humanCommand', availableDecisions: ['acceptForSession', 'cancel'] },
  ],
  ['an undecodable set', { availableDecisions: ['accept', 'cancel', 'later'] }],
])('S5.51 C027 asks nothing with %s', (_case, over) => {
  expect(commandOptions(commandApproval(over))).toBeNull();
});

it('S5.51 C026 ids of one ask are unique', () => {
  const approvals = [
    commandApproval({ proposedExecpolicyAmendment: ['a'] }),
    commandApproval({ network, proposedNetworkAmendments: rules }),
    commandApproval({ kind: 'humanCommand' }),
  ];
  for (const approval of approvals) {
    const ids = commandOptions(approval)?.map(({ optionId }) => optionId) ?? [];
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(1);
  }
});

it('S5.90 offers the three choices about a patch', () => {
  expect(fileChangeOptions(true)).toEqual([
    {
      optionId: 'allow_once',
      kind: 'allow_once',
      name: 'Yes, proceed',
      answer: { type: 'fileChangeApproval', decision: 'accept' },
    },
    {
      optionId: 'allow_for_session',
      kind: 'allow_always',
      name: "Yes, and don't ask again for these files",
      answer: { type: 'fileChangeApproval', decision: 'acceptForSession' },
    },
    {
      optionId: 'cancel',
      kind: 'reject_once',
      name: 'No, and tell Codex what to do differently',
      answer: { type: 'fileChangeApproval', decision: 'cancel' },
    },
  ]);
});

it('S5.91 offers no lasting grant for files that the user cannot see', () => {
  expect(fileChangeOptions(false).map(({ optionId }) => optionId)).toEqual(['allow_once', 'cancel']);
});
