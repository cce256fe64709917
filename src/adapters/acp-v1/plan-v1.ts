import type { SessionUpdate } from '@agentclientprotocol/sdk/unstable';
import type { ClientProfile } from '../../domain/client/client-profile.ts';
import { hasAir } from '../../domain/client/client-profile.ts';
import type { ConversationUpdate } from '../../domain/conversation/conversation-update.ts';
import type { PlanStep } from '../../domain/thread/thread-event.ts';
import { airMeta } from '../acp/air-metadata.ts';
import type { OutgoingUpdate } from '../acp/outgoing-update.ts';
import { nothing, whole } from '../acp/outgoing-update.ts';
import { agentText } from './message-v1.ts';

type Outgoing = OutgoingUpdate<SessionUpdate>;
type PlanText = Extract<ConversationUpdate, { readonly type: 'planText' }>;

/** The step list, whole each time (S4.89). */
export function planSteps(steps: readonly PlanStep[]): readonly Outgoing[] {
  const entries = steps.map(({ step, status }) => ({ content: step, priority: 'medium' as const, status }));
  return whole({ sessionUpdate: 'plan', entries });
}

/** The text of a proposed plan, in the form that the client can show (S3.127, S4.86, S4.87). */
export function planText(update: PlanText, profile: ClientProfile): readonly Outgoing[] {
  if (update.text === '') return nothing;
  if (profile.planUpdates) return planUpdate(update, hasAir(profile, 'planContentDelta'));
  if (profile.air !== null) return streamed(update, profile);
  return update.completed ? agentText(update.itemId, update.text, null, profile) : nothing;
}

/** A snapshot, or only what is new for a client that has the beginning. */
function planUpdate({ itemId, text, appended }: PlanText, deltas: boolean): readonly Outgoing[] {
  // The client has exactly this text.
  if (appended === '') return nothing;
  const extended = deltas && appended !== null && appended !== text;
  return whole({
    sessionUpdate: 'plan_update',
    plan: { type: 'markdown', planId: itemId, content: extended ? '' : text },
    ...(extended ? { _meta: airMeta({ contentDelta: appended }) } : {}),
  });
}

/**
 * AIR without plan updates reads the plan as the answer of the turn. A message cannot be taken back: when the finished
 * plan is another than the streamed one, the right text follows as a message of its own (S4.87).
 */
function streamed({ itemId, text, appended }: PlanText, profile: ClientProfile): readonly Outgoing[] {
  if (appended === null) return agentText(`${itemId}:final`, text, 'final_answer', profile);
  return agentText(itemId, appended, 'final_answer', profile);
}
