import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ErrorObject } from 'ajv';
import { describe, expect, it } from 'vitest';
import { airMeta } from '../../../src/adapters/acp/air-metadata.ts';
import { parseClientProfile } from '../../../src/adapters/acp/client-profile-parser.ts';
import {
  initializeResponseV1,
  initializeResponseV2,
  offeredAuthMethods,
} from '../../../src/adapters/acp/initialize-response.ts';

const agent = { name: 'codex-acp', version: '1.2.3' };
const withBrowser = { noBrowser: false };
const noBrowser = { noBrowser: true };
const every = {
  version: 1,
  capabilities: ['diffPatch', 'rawInputRendering', 'sessionIndex', 'nativeSubagentSessions', 'codexHooks'],
};
const gateway = { auth: { _meta: { gateway: true } } };

const profiles = {
  plainV1: parseClientProfile(1, { clientCapabilities: gateway }),
  zedV1: parseClientProfile(1, { clientCapabilities: { _meta: { terminal_output: true, 'terminal-auth': true } } }),
  airV1: parseClientProfile(1, {
    clientCapabilities: { ...gateway, elicitation: { url: {} }, _meta: { jetbrains: { air: every } } },
  }),
  airV1Bare: parseClientProfile(1, { clientCapabilities: { _meta: { jetbrains: { air: {} } } } }),
  plainV2: parseClientProfile(2, { capabilities: gateway }),
  airV2: parseClientProfile(2, {
    capabilities: { ...gateway, elicitation: { url: {} }, _meta: { jetbrains: { air: every } } },
  }),
  airV2Bare: parseClientProfile(2, { capabilities: { _meta: { jetbrains: { air: {} } } } }),
};

const apiKey = {
  id: 'api-key',
  name: 'API Key',
  description: 'Use an API key to authenticate',
  _meta: { 'api-key': { provider: 'openai' } },
};
const chatGpt = { id: 'chat-gpt', name: 'ChatGPT', description: 'Use ChatGPT to authenticate' };
const deviceCode = {
  id: 'chat-gpt-device-code',
  name: 'ChatGPT (device code)',
  description: 'Sign in to ChatGPT by opening a verification page and entering a one-time code',
};
const gatewayMethod = {
  id: 'gateway',
  name: 'Custom model gateway',
  description: 'Use a custom gateway to authenticate and access models',
  _meta: { gateway: { protocol: 'openai', restartRequired: 'false' } },
};
const v2Method = ({ id, ...rest }: { id: string }): object => ({ methodId: id, type: 'agent', ...rest });

const goal = { version: 1, controlMethod: '_session/goal', actions: ['set', 'pause', 'resume', 'clear'] };
const index = [
  'sessionIndex',
  'sessionBatchGet',
  'sessionArchive',
  'sessionRename',
  'sessionListSubscribe',
  'sessionWorktrees',
];
const airV1Names = [
  'sessionFailure',
  'diffPatch',
  'agentFileChangeReport',
  'customInstructions',
  'nativeSubagentSessions',
  'asyncTasks',
  'recommendedValue',
  'rawInputRendering',
  'planContentDelta',
  'codexHooks',
];
const airV2Names = [
  'sessionFailure',
  'agentFileChangeReport',
  'customInstructions',
  'nativeSubagentSessions',
  'asyncTasks',
  'recommendedValue',
];
const steering = { supported: true };

describe('initialize responses', () => {
  it('S1.130 S1.133 S1.134 plain v1', () => {
    expect(initializeResponseV1(profiles.plainV1, agent, withBrowser)).toEqual({
      protocolVersion: 1,
      agentInfo: { name: 'codex-acp', title: 'Codex', version: '1.2.3' },
      agentCapabilities: {
        auth: { logout: {} },
        providers: {},
        loadSession: true,
        promptCapabilities: { embeddedContext: true, image: true },
        sessionCapabilities: {
          resume: {},
          list: {},
          close: {},
          delete: {},
          fork: {},
          title: {},
          additionalDirectories: {},
          subagents: {},
          systemPrompt: {},
        },
        mcpCapabilities: { acp: false, http: true, sse: false },
        _meta: { authStatus: {} },
      },
      authMethods: [apiKey, chatGpt, gatewayMethod],
      _meta: { steering },
    });
  });

  it('S1.130 Zed-like v1 differs in the login methods only', () => {
    const { authMethods, ...rest } = initializeResponseV1(profiles.zedV1, agent, withBrowser);
    expect(authMethods).toEqual([apiKey, chatGpt]);
    const { authMethods: _, ...plain } = initializeResponseV1(profiles.plainV1, agent, withBrowser);
    expect(rest).toEqual(plain);
  });

  it('S1.131 S1.132 S11.1 AIR v1', () => {
    const bare = initializeResponseV1(profiles.airV1Bare, agent, withBrowser);
    expect(bare._meta).toEqual({ steering, jetbrains: { air: { version: 1, goal, capabilities: airV1Names } } });
    const full = initializeResponseV1(profiles.airV1, agent, withBrowser);
    expect(full._meta).toEqual({
      steering,
      jetbrains: { air: { version: 1, goal, capabilities: [...airV1Names, ...index] } },
    });
    expect(full.agentCapabilities).toEqual(bare.agentCapabilities);
  });

  it('S1.135 S1.136 plain v2', () => {
    expect(initializeResponseV2(profiles.plainV2, agent, withBrowser)).toEqual({
      protocolVersion: 2,
      info: { name: 'codex-acp', title: 'Codex', version: '1.2.3' },
      capabilities: {
        auth: { _meta: { authStatus: {} } },
        providers: {},
        session: {
          prompt: { embeddedContext: {}, image: {} },
          mcp: { stdio: {}, http: {} },
          delete: {},
          additionalDirectories: {},
          fork: {},
          title: {},
          systemPrompt: {},
        },
      },
      authMethods: [apiKey, chatGpt, gatewayMethod].map(v2Method),
      _meta: { steering },
    });
  });

  it('S1.135 AIR v2', () => {
    const bare = initializeResponseV2(profiles.airV2Bare, agent, withBrowser);
    expect(bare._meta).toEqual({ steering, jetbrains: { air: { version: 1, goal, capabilities: airV2Names } } });
    const full = initializeResponseV2(profiles.airV2, agent, withBrowser);
    expect(full._meta).toEqual({
      steering,
      jetbrains: { air: { version: 1, goal, capabilities: [...airV2Names, ...index] } },
    });
  });

  it('S1.140 to S1.145 login methods by browser, URL elicitation and gateway support, in order', () => {
    const v1Methods = (flags: { noBrowser: boolean }): unknown =>
      initializeResponseV1(profiles.airV1, agent, flags).authMethods;
    const v2Methods = (flags: { noBrowser: boolean }): unknown =>
      initializeResponseV2(profiles.airV2, agent, flags).authMethods;
    expect(v1Methods(withBrowser)).toEqual([apiKey, chatGpt, deviceCode, gatewayMethod]);
    expect(v1Methods(noBrowser)).toEqual([apiKey, deviceCode, gatewayMethod]);
    expect(v2Methods(withBrowser)).toEqual([apiKey, chatGpt, deviceCode, gatewayMethod].map(v2Method));
    expect(v2Methods(noBrowser)).toEqual([apiKey, deviceCode, gatewayMethod].map(v2Method));
    expect(offeredAuthMethods(profiles.zedV1, noBrowser)).toEqual(['api-key']);
    expect(offeredAuthMethods(profiles.plainV2, withBrowser)).toEqual(['api-key', 'chat-gpt', 'gateway']);
  });

  it('S4.6 a client that is not AIR gets no jetbrains key', () => {
    for (const profile of [profiles.plainV1, profiles.zedV1]) {
      expect(JSON.stringify(initializeResponseV1(profile, agent, withBrowser))).not.toContain('jetbrains');
    }
    expect(JSON.stringify(initializeResponseV2(profiles.plainV2, agent, withBrowser))).not.toContain('jetbrains');
  });

  it.each(Object.entries(profiles))(
    'ACP-SCHEMA-001 the response to %s fits the schema of the SDK',
    (_name, profile) => {
      for (const flags of [withBrowser, noBrowser]) {
        const respond = profile.protocol === 1 ? initializeResponseV1 : initializeResponseV2;
        expect(schemaErrors(profile.protocol, respond(profile, agent, flags))).toEqual([]);
      }
    },
  );
});

describe('airMeta', () => {
  it('S1.131 adds to what is there and touches no other namespace', () => {
    expect(airMeta({ phase: 'commentary' })).toEqual({ jetbrains: { air: { version: 1, phase: 'commentary' } } });
    expect(airMeta({ phase: 'x' }, null)).toEqual({ jetbrains: { air: { version: 1, phase: 'x' } } });
    const existing = { codex: { a: 1 }, jetbrains: { other: 2, air: { goal: 3, phase: 'old' } } };
    expect(airMeta({ phase: 'new' }, existing)).toEqual({
      codex: { a: 1 },
      jetbrains: { other: 2, air: { version: 1, goal: 3, phase: 'new' } },
    });
    expect(existing.jetbrains.air).toEqual({ goal: 3, phase: 'old' });
    expect(airMeta({}, { jetbrains: 'odd' })).toEqual({ jetbrains: { air: { version: 1 } } });
  });
});

interface Validate {
  (value: unknown): boolean;
  readonly errors?: ErrorObject[] | null;
}

type AjvConstructor = new (
  options: object,
) => { addSchema(schema: object, key: string): void; getSchema(ref: string): Validate | undefined };

const require = createRequire(import.meta.url);
const { default: Ajv2020 } = require('ajv/dist/2020.js') as { default: AjvConstructor };

function schemaErrors(protocol: 1 | 2, response: object): unknown {
  const path = require.resolve(`@agentclientprotocol/sdk/schema/v${protocol}/schema.unstable.json`);
  const ajv = new Ajv2020({ strict: false, validateFormats: false, discriminator: false });
  ajv.addSchema(JSON.parse(readFileSync(path, 'utf8')) as object, 'acp');
  const validate = ajv.getSchema('acp#/$defs/InitializeResponse');
  if (validate === undefined) throw new Error('The schema has no InitializeResponse');
  return validate(response) ? [] : validate.errors;
}
