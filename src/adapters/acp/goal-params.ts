import * as z from 'zod';
import { AgentError } from '../../domain/errors/agent-error.ts';
import type { GoalChange } from '../../domain/goal/goal.ts';

/** ACP extension of both versions (S3.122). */
export const goalMethod = '_session/goal';
/** Former name, taken on v1 (S3.122). */
export const legacyGoalMethod = '_codex/session/goal_control';

const schema = z.object({
  sessionId: z.string(),
  action: z.enum(['set', 'pause', 'resume', 'clear']),
  objective: z.string().nullish(),
});

/** Params of a goal control; throws `invalidParams` (S3.122). */
export function parseGoalControl(params: unknown): { readonly sessionId: string; readonly change: GoalChange } {
  const parsed = schema.safeParse(params);
  if (!parsed.success) {
    throw AgentError.invalidParams(
      'goal control takes sessionId, an action (set, pause, resume or clear) and objective',
    );
  }
  const { sessionId, action } = parsed.data;
  if (action !== 'set') return { sessionId, change: { action } };
  const objective = (parsed.data.objective ?? '').trim();
  if (objective === '') throw AgentError.invalidParams('goal control set needs a non-blank objective');
  return { sessionId, change: { action, objective } };
}
