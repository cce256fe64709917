import { type AgentApp, agent, type PromptResponse } from '@agentclientprotocol/sdk/unstable';
import { parseLoginRequest } from '../../domain/account/login-request.ts';
import type { ClientProfile } from '../../domain/client/client-profile.ts';
import { AgentError } from '../../domain/errors/agent-error.ts';
import type { PromptEnding } from '../../domain/turn/work-ending.ts';
import { type AgentParts, answered } from '../acp/agent-parts.ts';
import { parseClientProfile } from '../acp/client-profile-parser.ts';
import { goalMethod, legacyGoalMethod } from '../acp/goal-params.ts';
import { initializeResponseV1 } from '../acp/initialize-response.ts';
import type { RequestId } from '../acp/json-rpc.ts';
import { openSession, resumeSession } from '../acp/new-session.ts';
import { OpenPrompts } from '../acp/open-prompts.ts';
import type { PromptReplies } from '../acp/prompt-replies.ts';
import { SessionDirectories } from '../acp/session-directories.ts';
import { asReceived, controlGoal, promptRequest, steer } from '../acp/session-extensions.ts';
import { steeringMethod } from '../acp/steering-params.ts';
import { PresenterV1 } from './presenter-v1.ts';
import { promptResultV1 } from './prompt-result-v1.ts';
import { configOptions, settingsResult } from './settings-v1.ts';

/** A client with the presenter for it. */
interface IntroducedClient {
  readonly profile: ClientProfile;
  readonly presenter: PresenterV1;
}

/** The ACP v1 side of the agent: one table of methods; the work is elsewhere. */
export function createAgentV1(parts: AgentParts): AgentApp {
  const { accounts, channel, connection, delivery, flags, identity, sessions } = parts;
  const directories = new SessionDirectories();
  const prompts = new OpenPrompts<PromptResponse, IntroducedClient>();
  let client: IntroducedClient | null = null;

  /** The client as it introduced itself last; the SDK lets nothing but `initialize` through before (S1.94). */
  function introduced(): IntroducedClient {
    if (client === null) throw AgentError.invalidRequest('ACP connection must be initialized first');
    return client;
  }

  const replies: PromptReplies = {
    inserted: () => undefined,
    ended: (promptId, ending) => answerPrompt(promptId, ending),
  };

  /** v1 prompts are answered at the end of their work (S3.40v1). */
  function answerPrompt(promptId: string, ending: PromptEnding): RequestId | undefined {
    const open = prompts.get(promptId);
    if (open === null) return undefined;
    const { profile, presenter } = open.client;
    const answer = promptResultV1(ending, profile, presenter.failures(open.sessionId));
    if (answer.type === 'error') return prompts.reject(promptId, answer.error);
    return prompts.resolve(promptId, answer.result);
  }

  return agent({ name: identity.name })
    .onRequest('initialize', ({ params, requestId }) =>
      answered(async () => {
        const profile = parseClientProfile(1, params);
        await connection.initialize(profile);
        const presenter = new PresenterV1(profile, { cwdOf: (id) => directories.of(id), uuid: parts.uuid });
        client = { profile, presenter };
        channel.attach(presenter, replies);
        delivery.afterResponse(requestId, (success) => (success ? connection.initialized() : undefined));
        return initializeResponseV1(profile, identity, flags);
      }),
    )
    .onRequest('authenticate', ({ params, requestId, signal }) =>
      answered(async () => {
        const supportsUrls = introduced().profile.elicitation.url;
        const request = parseLoginRequest(params.methodId, params._meta, parts.environmentKey);
        await accounts.login(request, { requestId, supportsUrls }, signal);
        return {};
      }),
    )
    .onRequest('logout', () => answered(() => accounts.logout().then(() => ({}))))
    .onRequest('session/new', ({ params, requestId }) =>
      answered(async () => {
        const { profile } = introduced();
        const { sessionId, settings } = await openSession(parts, profile, directories, params, requestId);
        return { sessionId, ...settingsResult(settings, profile) };
      }),
    )
    .onRequest('session/resume', ({ params, requestId }) =>
      answered(async () => {
        const { profile } = introduced();
        const { settings } = await resumeSession(parts, profile, directories, params, requestId);
        return settingsResult(settings, profile);
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
    .onRequest('session/set_mode', ({ params }) =>
      answered(() => sessions.setMode(params.sessionId, params.modeId).then(() => ({}))),
    )
    .onRequest('session/set_config_option', ({ params }) =>
      answered(async () => {
        const { profile } = introduced();
        const { sessionId, configId, value } = params;
        const settings = await sessions.setOption(sessionId, { optionId: configId, value, type: null });
        return { configOptions: configOptions(settings.options, profile) };
      }),
    )
    .onRequest(steeringMethod, asReceived, ({ params }) => steer(sessions, params, 1))
    .onRequest(goalMethod, asReceived, ({ params }) => controlGoal(sessions, params))
    .onRequest(legacyGoalMethod, asReceived, ({ params }) => controlGoal(sessions, params))
    .onNotification('session/cancel', ({ params }) => sessions.cancel(params.sessionId));
}
