import type { ContentBlock, SessionUpdate } from '@agentclientprotocol/sdk/experimental/v2/unstable';
import type { ClientProfile } from '../../domain/client/client-profile.ts';
import type { PromptBlock } from '../../domain/prompt/prompt-block.ts';
import type { MessagePhase } from '../../domain/thread/thread-item.ts';
import { airMeta } from '../acp/air-metadata.ts';
import type { OutgoingUpdate } from '../acp/outgoing-update.ts';
import { nothing, whole } from '../acp/outgoing-update.ts';

type Outgoing = OutgoingUpdate<SessionUpdate>;

/** A text that Codex does not know is a message of its own, with a fresh id (S3.83, S4.118). */
export function oneOffText(text: string, uuid: () => string): readonly Outgoing[] {
  if (text === '') return nothing;
  return whole({ sessionUpdate: 'agent_message_chunk', messageId: uuid(), content: { type: 'text', text } });
}

/** Text of the agent; the phase is for AIR (S4.21). */
export function agentText(
  messageId: string,
  text: string,
  phase: MessagePhase | null,
  profile: ClientProfile,
): readonly Outgoing[] {
  if (text === '') return nothing;
  const shownPhase = profile.air === null ? null : phase;
  const build = (merged: string): SessionUpdate => ({
    sessionUpdate: 'agent_message_chunk',
    messageId,
    content: { type: 'text', text: merged },
    ...(shownPhase === null ? {} : { _meta: airMeta({ phase: shownPhase }) }),
  });
  return [{ kind: 'chunk', key: `message:${messageId}:${phase ?? ''}`, text, build }];
}

/** Reasoning of the agent. */
export function thought(messageId: string | null, text: string, uuid: () => string): readonly Outgoing[] {
  if (text === '') return nothing;
  const id = messageId ?? uuid();
  const build = (merged: string): SessionUpdate => ({
    sessionUpdate: 'agent_thought_chunk',
    messageId: id,
    content: { type: 'text', text: merged },
  });
  return messageId === null ? whole(build(text)) : [{ kind: 'chunk', key: `thought:${messageId}`, text, build }];
}

/** The whole message replaces what was streamed (S4.22); an empty one takes it back (S4.23). */
export function correctedText(messageId: string, text: string): readonly Outgoing[] {
  const content: ContentBlock[] = text === '' ? [] : [{ type: 'text', text }];
  return whole({ sessionUpdate: 'agent_message', messageId, content });
}

/** The prompt's blocks, echoed as they were received (S4.32). */
export function userMessage(messageId: string, blocks: readonly PromptBlock[]): readonly Outgoing[] {
  return blocks.flatMap(({ raw }) =>
    // The block passed the SDK's schema when the prompt was received.
    whole<SessionUpdate>({ sessionUpdate: 'user_message_chunk', messageId, content: raw as ContentBlock }),
  );
}
