import type {
  AuthMethod as V2AuthMethod,
  InitializeResponse as V2InitializeResponse,
} from '@agentclientprotocol/sdk/experimental/v2/unstable';
import type {
  AuthMethodAgent as V1AuthMethod,
  InitializeResponse as V1InitializeResponse,
  SessionCapabilities as V1SessionCapabilities,
} from '@agentclientprotocol/sdk/unstable';
import { type ClientProfile, hasAir } from '../../domain/client/client-profile.ts';
import { airMeta, type Meta } from './air-metadata.ts';

/** Who we are, from the package (ACP-INIT-004). */
export interface AgentIdentity {
  readonly name: string;
  readonly version: string;
}

export interface InitializeFlags {
  /** `NO_BROWSER` is set: the browser login is not offered (S1.16). */
  readonly noBrowser: boolean;
}

const title = 'Codex';

const sessionIndexCapabilities = [
  'sessionIndex',
  'sessionBatchGet',
  'sessionArchive',
  'sessionRename',
  'sessionListSubscribe',
  'sessionWorktrees',
];

/** Response to a v1 `initialize` (S1.130 to S1.134). */
export function initializeResponseV1(
  profile: ClientProfile,
  agent: AgentIdentity,
  flags: InitializeFlags,
): V1InitializeResponse {
  // `subagents` is no field of the SDK's schema and is sent all the same (S1.134).
  const sessionCapabilities: V1SessionCapabilities & { readonly subagents: object } = {
    resume: {},
    list: {},
    close: {},
    delete: {},
    fork: {},
    title: {},
    additionalDirectories: {},
    subagents: {},
    systemPrompt: {},
  };
  return {
    protocolVersion: 1,
    agentInfo: { name: agent.name, title, version: agent.version },
    agentCapabilities: {
      auth: { logout: {} },
      providers: {},
      loadSession: true,
      promptCapabilities: { embeddedContext: true, image: true },
      sessionCapabilities,
      mcpCapabilities: { acp: false, http: true, sse: false },
      _meta: { authStatus: {} },
    },
    authMethods: authMethods(profile, flags),
    _meta: responseMeta(profile, [
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
    ]),
  };
}

/** Response to a v2 `initialize` (S1.135, S1.136). */
export function initializeResponseV2(
  profile: ClientProfile,
  agent: AgentIdentity,
  flags: InitializeFlags,
): V2InitializeResponse {
  return {
    protocolVersion: 2,
    info: { name: agent.name, title, version: agent.version },
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
    authMethods: authMethods(profile, flags).map(
      ({ id, ...rest }): V2AuthMethod => ({ methodId: id, type: 'agent', ...rest }),
    ),
    _meta: responseMeta(profile, [
      'sessionFailure',
      'agentFileChangeReport',
      'customInstructions',
      'nativeSubagentSessions',
      'asyncTasks',
      'recommendedValue',
    ]),
  };
}

/** Ids of the methods offered to this client; v2 takes no others (S1.147). */
export function offeredAuthMethods(profile: ClientProfile, flags: InitializeFlags): readonly string[] {
  return authMethods(profile, flags).map(({ id }) => id);
}

/** S1.140 to S1.145. */
function authMethods(profile: ClientProfile, flags: InitializeFlags): V1AuthMethod[] {
  const methods: V1AuthMethod[] = [
    {
      id: 'api-key',
      name: 'API Key',
      description: 'Use an API key to authenticate',
      _meta: { 'api-key': { provider: 'openai' } },
    },
  ];
  if (!flags.noBrowser) {
    methods.push({ id: 'chat-gpt', name: 'ChatGPT', description: 'Use ChatGPT to authenticate' });
  }
  if (profile.elicitation.url) {
    methods.push({
      id: 'chat-gpt-device-code',
      name: 'ChatGPT (device code)',
      description: 'Sign in to ChatGPT by opening a verification page and entering a one-time code',
    });
  }
  if (profile.gatewayAuth) {
    methods.push({
      id: 'gateway',
      name: 'Custom model gateway',
      description: 'Use a custom gateway to authenticate and access models',
      _meta: { gateway: { protocol: 'openai', restartRequired: 'false' } },
    });
  }
  return methods;
}

function responseMeta(profile: ClientProfile, capabilities: readonly string[]): Meta {
  const meta = { steering: { supported: true } };
  if (profile.air === null) return meta;
  const goal = { version: 1, controlMethod: '_session/goal', actions: ['set', 'pause', 'resume', 'clear'] };
  const index = hasAir(profile, 'sessionIndex') ? sessionIndexCapabilities : [];
  return airMeta({ goal, capabilities: [...capabilities, ...index] }, meta);
}
