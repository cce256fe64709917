import type { Notice } from '../conversation/conversation-update.ts';
import type { PromptWork } from './prompt-work.ts';

/** Tells which attachments a command does not use; `null` when it uses all (S3.34, C020). */
export function leftOutNotice({ task, ignoredBlocks }: PromptWork): Notice | null {
  if (ignoredBlocks === 0 || task.type === 'turn') return null;
  const command = task.type === 'local' ? task.name : task.type;
  const what = ignoredBlocks === 1 ? 'One attachment was' : `${ignoredBlocks} attachments were`;
  const description = `${what} not sent to Codex: the '/${command}' command takes none of this kind.`;
  return {
    severity: 'warning',
    title: 'Attachments left out',
    description,
    fallback: { kind: 'text', text: `Warning: ${description}\n\n` },
  };
}
