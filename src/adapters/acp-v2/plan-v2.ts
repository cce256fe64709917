import type { SessionUpdate } from '@agentclientprotocol/sdk/experimental/v2/unstable';
import type { ConversationUpdate } from '../../domain/conversation/conversation-update.ts';
import type { PlanStep } from '../../domain/thread/thread-event.ts';
import type { OutgoingUpdate } from '../acp/outgoing-update.ts';
import { nothing, whole } from '../acp/outgoing-update.ts';

type Outgoing = OutgoingUpdate<SessionUpdate>;

/** One step list per session, so that the one of a later turn replaces it (S4.89). */
const stepsId = 'codex-structured-plan';

/** The step list, whole each time (S4.89). */
export function planSteps(steps: readonly PlanStep[]): readonly Outgoing[] {
  const entries = steps.map(({ step, status }) => ({ content: step, priority: 'medium', status }));
  return whole({ sessionUpdate: 'plan_update', plan: { type: 'items', planId: stepsId, entries } });
}

/** The text of a proposed plan, whole each time it changed; AIR's appended text is for v1 only (S3.127, S4.5, S4.86). */
export function planText({
  itemId,
  text,
  appended,
}: Extract<ConversationUpdate, { readonly type: 'planText' }>): readonly Outgoing[] {
  if (text === '' || appended === '') return nothing;
  return whole({ sessionUpdate: 'plan_update', plan: { type: 'markdown', planId: itemId, content: text } });
}
