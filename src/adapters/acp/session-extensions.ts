import { reportRequestId } from '../../domain/report/report-request.ts';
import type { PromptRequest } from '../../domain/session/session-service.ts';
import type { SessionUseCases } from '../../ports/inbound/agent.ts';
import { answered } from './agent-parts.ts';
import { parseGoalControl } from './goal-params.ts';
import { parseSteering } from './steering-params.ts';

/** Answer to `_session/steering` (S3.141). */
export interface SteeringResult {
  readonly outcome: string;
  readonly reason?: string;
}

/** Handles `_session/steering`. The steer is taken before anything else can happen, so steers keep their order. */
export function steer(sessions: SessionUseCases, params: unknown, protocol: 1 | 2): Promise<SteeringResult> {
  return answered(async () => {
    const { sessionId, request } = parseSteering(params, protocol);
    const outcome = await sessions.steer(sessionId, request);
    return outcome === 'promptRequired' ? { outcome, reason: 'noRunningTurn' } : { outcome };
  });
}

/** Handles `_session/goal`. */
export function controlGoal(sessions: SessionUseCases, params: unknown): Promise<object> {
  return answered(async () => {
    const { sessionId, change } = parseGoalControl(params);
    await sessions.controlGoal(sessionId, change);
    return {};
  });
}

/** A prompt for the core, from the params of `session/prompt` of either version. */
export function promptRequest(
  promptId: string,
  params: { readonly prompt: readonly unknown[]; readonly _meta?: unknown },
): PromptRequest {
  return { promptId, content: params.prompt, reportId: reportRequestId(params._meta) };
}

/** Params of an extension come as they are: the core's own parsers check them. */
export const asReceived = (params: unknown): unknown => params;
