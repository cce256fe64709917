import type { ToolCallContent } from '@agentclientprotocol/sdk/experimental/v2/unstable';

/** A text as content of a tool call. */
export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}
