import { expect, it } from 'vitest';
import type { CommandApproval } from '../../../src/domain/interaction/approval-request.ts';
import { commandDecisions } from '../../../src/domain/interaction/command-decisions.ts';
import { commandApproval, execpolicy, networkRule } from './approvals.ts';

const network = { host: 'a.example', protocol: 'https' };
const rules = [
  { host: 'a.example', action: 'allow' },
  { host: 'a.example', action: 'deny' },
] as const;
const touch = { proposedExecpolicyAmendment: ['touch'] };
const onHost = { network, proposedNetworkAmendments: rules };

it.each<[string, Partial<CommandApproval>, unknown]>([
  ['plain', {}, ['accept', 'acceptForSession', 'decline', 'cancel']],
  ['with a proposed rule', touch, ['accept', 'acceptForSession', execpolicy(['touch']), 'decline', 'cancel']],
  ['with an empty proposal', { proposedExecpolicyAmendment: [] }, ['accept', 'acceptForSession', 'decline', 'cancel']],
  ['with extra permissions', { ...touch, additionalPermissions: { network: { enabled: true } } }, ['accept', 'cancel']],
  [
    'for a host',
    { ...onHost, ...touch, additionalPermissions: {} },
    [
      'accept',
      'acceptForSession',
      networkRule('a.example', 'allow'),
      networkRule('a.example', 'deny'),
      'decline',
      'cancel',
    ],
  ],
  [
    'for a host, with a rule for another host',
    { network, proposedNetworkAmendments: [{ host: 'b.example', action: 'allow' }] },
    ['accept', 'acceptForSession', 'decline', 'cancel'],
  ],
])('S5.45 the default set %s', (_case, over, decisions) => {
  expect(commandDecisions(commandApproval(over))).toEqual(decisions);
  expect(commandDecisions(commandApproval({ ...over, availableDecisions: undefined }))).toEqual(decisions);
});

it.each<[string, Partial<CommandApproval>, readonly unknown[]]>([
  ['all words, in its order', {}, ['cancel', 'decline', 'acceptForSession', 'accept']],
  ['the usual set of 0.171', touch, ['accept', execpolicy(['touch']), 'cancel']],
  [
    'rules for a host',
    onHost,
    ['accept', networkRule('a.example', 'deny'), networkRule('a.example', 'allow'), 'cancel'],
  ],
  ['a repeat, which is judged later', {}, ['accept', 'accept', 'cancel']],
])('S5.45 S5.46 takes a listed set: %s', (_case, over, availableDecisions) => {
  expect(commandDecisions(commandApproval({ ...over, availableDecisions }))).toEqual(availableDecisions);
});

it.each<[string, Partial<CommandApproval>, unknown]>([
  ['an empty set', {}, []],
  ['no list', {}, { accept: true }],
  ['a text', {}, 'accept'],
  ['false', {}, false],
  ['an unknown word', {}, ['accept', 'approve']],
  ['a word in another case', {}, ['Accept', 'cancel']],
  ['null', {}, ['accept', null]],
  ['a list', {}, ['accept', ['accept']]],
  ['an empty object', {}, ['accept', {}]],
  ['an unknown object', {}, ['accept', { acceptAll: true }]],
  ['a rule that was not proposed', {}, ['accept', execpolicy(['touch'])]],
  ['an empty rule', { proposedExecpolicyAmendment: [] }, ['accept', execpolicy([])]],
  ['another rule', touch, ['accept', execpolicy(['rm'])]],
  ['a longer rule', touch, ['accept', execpolicy(['touch', 'a'])]],
  ['a shorter rule', { proposedExecpolicyAmendment: ['touch', 'a'] }, ['accept', execpolicy(['touch'])]],
  ['a rule that is a text', touch, ['accept', execpolicy('touch')]],
  ['a rule of numbers', { proposedExecpolicyAmendment: ['1'] }, ['accept', execpolicy([1])]],
  ['a rule with a companion', touch, ['accept', { ...execpolicy(['touch']), ...networkRule('a.example', 'allow') }]],
  [
    'a rule with an extra member',
    touch,
    [{ acceptWithExecpolicyAmendment: { execpolicy_amendment: ['touch'], x: 1 } }],
  ],
  ['a host rule without a network context', { proposedNetworkAmendments: rules }, [networkRule('a.example', 'allow')]],
  ['a host rule that was not proposed', { network }, ['accept', networkRule('a.example', 'allow')]],
  [
    'a proposed rule for another host',
    { network, proposedNetworkAmendments: [{ host: 'b.example', action: 'allow' }] },
    ['accept', networkRule('b.example', 'allow')],
  ],
  ['a host rule with another action', onHost, ['accept', networkRule('a.example', 'ask')]],
  [
    'a host rule with an extra member',
    onHost,
    [{ applyNetworkPolicyAmendment: { network_policy_amendment: { ...rules[0], always: true } } }],
  ],
])('S5.45 S5.46 does not trust %s', (_case, over, availableDecisions) => {
  expect(commandDecisions(commandApproval({ ...over, availableDecisions }))).toBeNull();
});

it.each([
  ['command', ['accept', 'acceptForSession', execpolicy(['touch']), 'decline', 'cancel']],
  ['writeStdin', ['accept', 'acceptForSession', execpolicy(['touch']), 'decline', 'cancel']],
  ['humanCommand', ['accept', 'decline', 'cancel']],
  ['somethingNew', ['accept', 'decline', 'cancel']],
])('S5.53 kind %s offers %j', (kind, decisions) => {
  expect(commandDecisions(commandApproval({ ...touch, kind }))).toEqual(decisions);
});

it('S5.53 an unknown kind gets no host rules, and a bad entry still spoils the set', () => {
  expect(commandDecisions(commandApproval({ ...onHost, kind: 'new' }))).toEqual(['accept', 'decline', 'cancel']);
  const availableDecisions = ['accept', 'cancel', execpolicy(['rm'])];
  expect(commandDecisions(commandApproval({ ...touch, kind: 'humanCommand', availableDecisions }))).toBeNull();
});

it('S5.171 hands out copies of what was proposed', () => {
  const proposed = ['touch'];
  const decisions = commandDecisions(commandApproval({ proposedExecpolicyAmendment: proposed }));
  proposed.push('-f');
  expect(decisions).toContainEqual(execpolicy(['touch']));
});
