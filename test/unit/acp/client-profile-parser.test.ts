import { describe, expect, it } from 'vitest';
import { parseClientProfile } from '../../../src/adapters/acp/client-profile-parser.ts';
import type { ClientProfile } from '../../../src/domain/client/client-profile.ts';

const every = [
  'agentFileChangeReport',
  'asyncTasks',
  'codexHooks',
  'customInstructions',
  'diffPatch',
  'nativeSubagentSessions',
  'planContentDelta',
  'rawInputRendering',
  'recommendedValue',
  'sessionFailure',
  'sessionIndex',
];

const v1 = (clientCapabilities: unknown, rest: object = {}): ClientProfile =>
  parseClientProfile(1, { protocolVersion: 1, clientCapabilities, ...rest });
const v2 = (capabilities: unknown, rest: object = {}): ClientProfile =>
  parseClientProfile(2, { protocolVersion: 2, capabilities, ...rest });
const air = (value: unknown, meta: object = {}): object => ({ _meta: { ...meta, jetbrains: { air: value } } });

const plainV1: Omit<ClientProfile, 'info' | 'protocol'> = {
  air: null,
  commandOutput: 'snapshots',
  subagents: 'hidden',
  planUpdates: false,
  compaction: false,
  notices: false,
  booleanOptions: false,
  gatewayAuth: false,
  elicitation: { form: false, url: false },
};

describe('parseClientProfile', () => {
  it.each([[undefined], [{}], [null], ['bad'], [[]]])(
    'S1.93 S12.1 a v1 client with capabilities %j can do nothing special',
    (capabilities) => {
      expect(v1(capabilities)).toMatchObject(plainV1);
    },
  );

  it('S1.93 params that are no object are an empty profile', () => {
    expect(parseClientProfile(1, 'x')).toMatchObject({ ...plainV1, info: { name: null, title: null, version: null } });
  });

  it('S1.113 to S1.116 a v2 client has everything that v2 always has', () => {
    expect(v2({})).toMatchObject({
      protocol: 2,
      air: null,
      commandOutput: 'terminals',
      subagents: 'standard',
      planUpdates: true,
      compaction: true,
      notices: true,
      booleanOptions: true,
      gatewayAuth: false,
      elicitation: { form: false, url: false },
    });
  });

  it.each([
    ['S1.110', { elicitation: { form: {}, url: {} } }, { elicitation: { form: true, url: true } }],
    ['S1.110', { elicitation: { form: null } }, { elicitation: { form: false, url: false } }],
    ['S1.111', { auth: { _meta: { gateway: true } } }, { gatewayAuth: true }],
    ['S1.111', { auth: { _meta: { gateway: 'true' } } }, { gatewayAuth: false }],
    ['S1.113', { session: { compaction: {} } }, { compaction: true }],
    ['S1.113', { session: { compaction: null } }, { compaction: false }],
    ['S1.114', { session: { notices: {} } }, { notices: true }],
    ['S1.114', { session: { notices: [] } }, { notices: false }],
    ['S1.114', { session: { notices: true } }, { notices: false }],
    ['S1.115', { session: { configOptions: { boolean: {} } } }, { booleanOptions: true }],
    ['S1.115', { session: { configOptions: {} } }, { booleanOptions: false }],
    ['S1.116', { plan: {} }, { planUpdates: true }],
    ['S1.116', { plan: null }, { planUpdates: false }],
    ['S1.117', { subagents: {} }, { subagents: 'standard' }],
    ['S1.117', { subagents: [] }, { subagents: 'hidden' }],
    ['S4.1', { _meta: { terminal_output: true, 'terminal-auth': true } }, { commandOutput: 'terminal', air: null }],
    ['S4.1', { _meta: { terminal_output: true, terminal_output_delta: true } }, { commandOutput: 'delta' }],
    ['S4.2', { _meta: { terminal_output: 1, terminal_output_delta: 'true' } }, { commandOutput: 'snapshots' }],
    ['S4.1', air({}), { commandOutput: 'none' }],
    ['S4.1', air({}, { terminal_output: true }), { commandOutput: 'terminal' }],
    ['S4.1', air({}, { terminal_output_delta: true }), { commandOutput: 'delta' }],
  ])('%s v1 %j', (_id, capabilities, expected) => {
    expect(v1(capabilities)).toMatchObject(expected);
  });

  it.each([
    ['an empty object', {}, []],
    [
      'a version and known names',
      { version: 1, capabilities: ['asyncTasks', 'sessionIndex'] },
      ['asyncTasks', 'sessionIndex'],
    ],
    ['unknown names', { version: 3, capabilities: ['asyncTasks', 'AsyncTasks', 'x', 1] }, ['asyncTasks']],
    ['no version', { capabilities: ['asyncTasks'] }, []],
    ['version 0', { version: 0, capabilities: ['asyncTasks'] }, []],
    ['a version that is no integer', { version: 1.5, capabilities: ['asyncTasks'] }, []],
    ['a version that is text', { version: '1', capabilities: ['asyncTasks'] }, []],
    ['capabilities that are no list', { version: 1, capabilities: { asyncTasks: true } }, []],
  ])('S1.120 S1.121 S1.123 S4.3 AIR with %s', (_name, value, capabilities) => {
    for (const profile of [v1(air(value)), v2(air(value))]) {
      expect([...(profile.air?.capabilities ?? ['not AIR'])]).toEqual(capabilities);
    }
  });

  it.each([[[]], [null], ['x'], [true], [undefined]])('S1.123 S4.2 %j at _meta.jetbrains.air is not AIR', (value) => {
    expect(v1(air(value)).air).toBeNull();
    expect(v2(air(value)).air).toBeNull();
  });

  it('S1.124 S4.5 names without effect on v2 are off there', () => {
    const declared = air({ version: 1, capabilities: every });
    expect([...(v1(declared).air?.capabilities ?? [])]).toEqual(every);
    expect([...(v2(declared).air?.capabilities ?? [])]).toEqual(
      every.filter((name) => !['codexHooks', 'diffPatch', 'planContentDelta', 'rawInputRendering'].includes(name)),
    );
  });

  it.each([
    ['v1 AIR with native sessions', v1(air({ version: 1, capabilities: ['nativeSubagentSessions'] })), 'air'],
    ['v2 AIR with native sessions', v2(air({ version: 1, capabilities: ['nativeSubagentSessions'] })), 'air'],
    ['v1 AIR with standard subagents', v1({ ...air({}), subagents: {} }), 'air'],
    ['v1 AIR', v1(air({})), 'hidden'],
    ['v2 AIR', v2({ ...air({}), subagents: {} }), 'hidden'],
    ['v2', v2({}), 'standard'],
    ['v1 with subagents', v1({ subagents: {} }), 'standard'],
    ['v1', v1({}), 'hidden'],
  ])('S1.122 %s has one subagent contract', (_name, profile, contract) => {
    expect(profile.subagents).toBe(contract);
  });

  it('S1.78 reads who the client is, from the field of its version', () => {
    const who = { name: 'zed', title: 'Zed', version: '1.2' };
    expect(v1({}, { clientInfo: who }).info).toEqual({ ...who, hidesConfigOptions: false });
    expect(v2({}, { info: { ...who, title: ' ' } }).info).toEqual({ ...who, title: null, hidesConfigOptions: false });
    expect(v2({}, { clientInfo: who }).info.name).toBeNull();
  });

  it.each([
    [{ name: 'JetBrains IDE', version: '2026.1.3' }, true],
    [{ name: 'x', version: '2026.1', _meta: { platform: 'intellij' } }, true],
    [{ name: 'JetBrains IDE', version: '2026.2' }, false],
    [{ name: 'Zed', version: '2026.1' }, false],
    [{ name: 'JetBrains IDE' }, false],
  ])('S2.74 %j hides config options: %s', (info, hides) => {
    expect(v1({}, { clientInfo: info }).info.hidesConfigOptions).toBe(hides);
    expect(v2({}, { info }).info.hidesConfigOptions).toBe(hides);
  });
});
