import type { SessionUpdate } from '@agentclientprotocol/sdk/unstable';
import type { ClientProfile } from '../../domain/client/client-profile.ts';
import type { MessagePhase } from '../../domain/thread/thread-item.ts';
import { airMeta } from '../acp/air-metadata.ts';
import type { OutgoingUpdate } from '../acp/outgoing-update.ts';
import { nothing, whole } from '../acp/outgoing-update.ts';

type Outgoing = OutgoingUpdate<SessionUpdate>;

/** Text of the agent; a text that Codex does not know has no id (S4.118). The phase is for AIR (S4.21). */
export function agentText(
  messageId: string | null,
  text: string,
  phase: MessagePhase | null,
  profile: ClientProfile,
): readonly Outgoing[] {
  if (text === '') return nothing;
  const shownPhase = profile.air === null ? null : phase;
  const build = (merged: string): SessionUpdate => ({
    sessionUpdate: 'agent_message_chunk',
    ...(messageId === null ? {} : { messageId }),
    content: { type: 'text', text: merged },
    ...(shownPhase === null ? {} : { _meta: airMeta({ phase: shownPhase }) }),
  });
  if (messageId === null) return whole(build(text));
  return [{ kind: 'chunk', key: `message:${messageId}:${phase ?? ''}`, text, build }];
}

/** Reasoning of the agent, or advice in its form (S4.136). */
export function thought(messageId: string | null, text: string): readonly Outgoing[] {
  if (text === '') return nothing;
  const build = (merged: string): SessionUpdate => ({
    sessionUpdate: 'agent_thought_chunk',
    ...(messageId === null ? {} : { messageId }),
    content: { type: 'text', text: merged },
  });
  if (messageId === null) return whole(build(text));
  return [{ kind: 'chunk', key: `thought:${messageId}`, text, build }];
}
