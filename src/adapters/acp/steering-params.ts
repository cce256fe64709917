import * as z from 'zod';
import { AgentError } from '../../domain/errors/agent-error.ts';
import type { SteerRequest } from '../../domain/session/steer-request.ts';
import { isJsonObject } from './json-rpc.ts';

/** ACP extension of both versions (S3.140). */
export const steeringMethod = '_session/steering';

const schema = z.object({ sessionId: z.string(), prompt: z.array(z.unknown()), _meta: z.unknown().optional() });

/** Params of `_session/steering`; throws `invalidParams` (S3.140). v2 takes no empty prompt, nor does this (S3.24). */
export function parseSteering(
  params: unknown,
  protocol: 1 | 2,
): { readonly sessionId: string; readonly request: SteerRequest } {
  const parsed = schema.safeParse(params);
  if (!parsed.success) {
    throw AgentError.invalidParams('steering takes sessionId (text) and prompt (a list of content blocks)');
  }
  const { sessionId, prompt, _meta } = parsed.data;
  if (protocol === 2 && prompt.length === 0) throw AgentError.invalidParams('steering prompt must not be empty');
  return { sessionId, request: { content: prompt, promptRequired: promptRequired(_meta) } };
}

function promptRequired(meta: unknown): boolean {
  if (meta === undefined || meta === null) return false;
  if (!isJsonObject(meta)) throw AgentError.invalidParams('steering _meta must be an object');
  const { steering } = meta;
  if (steering === undefined || steering === null) return false;
  if (!isJsonObject(steering)) throw AgentError.invalidParams('steering _meta.steering must be an object');
  switch (steering.idleBehavior) {
    case undefined:
    case null:
      return false;
    case 'promptRequired':
      return true;
    default:
      throw AgentError.invalidParams('unsupported steering idleBehavior');
  }
}
