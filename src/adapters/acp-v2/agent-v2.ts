import { type AgentApp, agent, type PromptResponse } from '@agentclientprotocol/sdk/experimental/v2/unstable';
import { parseLoginRequest } from '../../domain/account/login-request.ts';
import type { ClientProfile } from '../../domain/client/client-profile.ts';
import { AgentError } from '../../domain/errors/agent-error.ts';
import { type AgentParts, answered } from '../acp/agent-parts.ts';
import { parseClientProfile } from '../acp/client-profile-parser.ts';
import { goalMethod } from '../acp/goal-params.ts';
import { initializeResponseV2, offeredAuthMethods } from '../acp/initialize-response.ts';
import { openSession, resumeSession } from '../acp/new-session.ts';
import { OpenPrompts } from '../acp/open-prompts.ts';
import type { PromptReplies } from '../acp/prompt-replies.ts';
import { SessionDirectories } from '../acp/session-directories.ts';
import { asReceived, controlGoal, promptRequest, steer } from '../acp/session-extensions.ts';
import { steeringMethod } from '../acp/steering-params.ts';
import { commandsResult } from './available-commands.ts';
import { PresenterV2 } from './presenter-v2.ts';
import { promptRejectionV2 } from './prompt-rejection-v2.ts';
import { configOptions, settingsResult } from './settings-v2.ts';

/** The ACP v2 side of the agent: one table of methods; the work is elsewhere. */
export function createAgentV2(parts: AgentParts): AgentApp {
  const { accounts, channel, connection, delivery, flags, identity, sessions } = parts;
  const directories = new SessionDirectories();
  const prompts = new OpenPrompts<PromptResponse, ClientProfile>();
  let client: ClientProfile | null = null;

  /** The client as it introduced itself last; the SDK lets nothing but `initialize` through before (S1.94). */
  function introduced(): ClientProfile {
    if (client === null) throw AgentError.invalidRequest('ACP v2 connection must be initialized first');
    return client;
  }

  /** v2 prompts are answered when Codex recorded them, or refused when that never happens (S3.41, S3.43). */
  const replies: PromptReplies = {
    inserted: (promptId, messageId) => prompts.resolve(promptId, { messageId }),
    ended: (promptId, ending) => {
      const open = prompts.get(promptId);
      const rejection = open === null ? null : promptRejectionV2(open.sessionId, ending);
      return rejection === null ? undefined : prompts.reject(promptId, rejection);
    },
  };

  return agent({ name: identity.name })
    .onRequest('initialize', ({ params, requestId }) =>
      answered(async () => {
        const profile = parseClientProfile(2, params);
        await connection.initialize(profile);
        client = profile;
        channel.attach(new PresenterV2(profile, { cwdOf: (id) => directories.of(id), uuid: parts.uuid }), replies);
        delivery.afterResponse(requestId, (success) => (success ? connection.initialized() : undefined));
        return initializeResponseV2(profile, identity, flags);
      }),
    )
    .onRequest('auth/login', ({ params, requestId, signal }) =>
      answered(async () => {
        const { methodId } = params;
        const profile = introduced();
        // v2 takes only what it offered to this client (S1.147).
        if (!offeredAuthMethods(profile, flags).includes(methodId)) {
          throw AgentError.invalidParams(`Unsupported authentication method: ${methodId}`);
        }
        const request = parseLoginRequest(methodId, params._meta, parts.environmentKey);
        await accounts.login(request, { requestId, supportsUrls: profile.elicitation.url }, signal);
        return {};
      }),
    )
    .onRequest('auth/logout', () => answered(() => accounts.logout().then(() => ({}))))
    .onRequest('session/new', ({ params, requestId }) =>
      answered(async () => {
        const profile = introduced();
        const { sessionId, settings, commands } = await openSession(parts, profile, directories, params, requestId);
        return { sessionId, ...settingsResult(settings, profile), ...commandsResult(commands, profile) };
      }),
    )
    .onRequest('session/resume', ({ params, requestId }) =>
      answered(async () => {
        const profile = introduced();
        requireNoReplay(params.replayFrom);
        const { settings, commands } = await resumeSession(parts, profile, directories, params, requestId);
        return { ...settingsResult(settings, profile), ...commandsResult(commands, profile) };
      }),
    )
    .onRequest('session/prompt', ({ params, requestId, signal }) =>
      answered(() => {
        const promptId = prompts.nextId();
        const { sessionId } = params;
        return prompts.take(
          { client: introduced(), promptId, sessionId, requestId, signal },
          () => sessions.prompt(sessionId, promptRequest(promptId, params)),
          () => sessions.cancelPrompt(sessionId, promptId),
        );
      }),
    )
    .onRequest('session/close', ({ params }) => answered(() => sessions.close(params.sessionId).then(() => ({}))))
    .onRequest('session/delete', ({ params }) => answered(() => sessions.delete(params.sessionId).then(() => ({}))))
    .onRequest('session/set_config_option', ({ params }) =>
      answered(async () => {
        const profile = introduced();
        const { sessionId, configId } = params;
        const value: unknown = params.value;
        if (typeof value !== 'string' && typeof value !== 'boolean') {
          throw AgentError.invalidParams(`Config option ${configId} takes a text or a boolean`);
        }
        const settings = await sessions.setOption(sessionId, { optionId: configId, value, type: params.type });
        return { configOptions: configOptions(settings.options, profile) };
      }),
    )
    .onRequest(steeringMethod, asReceived, ({ params }) => steer(sessions, params, 2))
    .onRequest(goalMethod, asReceived, ({ params }) => controlGoal(sessions, params))
    .onNotification('session/cancel', ({ params }) => sessions.cancel(params.sessionId));
}

/** History is not replayed yet; a client that asks for it must not get a session without (S2.44). */
function requireNoReplay(replayFrom: { readonly type: string } | null | undefined): void {
  if (replayFrom === null || replayFrom === undefined) return;
  throw AgentError.invalidParams(`Unsupported replayFrom type: ${replayFrom.type}`);
}
