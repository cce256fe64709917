import type { DiffChange, ToolCallContent } from '@agentclientprotocol/sdk/experimental/v2/unstable';
import type { ChangedFile } from '../../domain/conversation/changed-file.ts';
import { changedFile } from '../../domain/conversation/changed-file.ts';
import { gitPatch } from '../../domain/conversation/git-patch.ts';
import type { FileChange } from '../../domain/thread/thread-item.ts';

/** Diff blocks of a patch: one per file, with a Git patch where one can be built (S4.65 to S4.67). */
export function diffBlocks(changes: readonly FileChange[], cwd: string): ToolCallContent[] {
  return changes.flatMap((change) => {
    const file = changedFile(change, cwd);
    return file === null ? [] : [diffBlock(file)];
  });
}

/** Without patch the block still names the file (S4.66). */
function diffBlock(file: ChangedFile): ToolCallContent {
  const patch = gitPatch(file, 'absolute');
  const change = diffChange(file);
  const binary = patch.type === 'none' && patch.binary;
  return {
    type: 'diff',
    changes: [binary ? { ...change, fileType: 'binary' } : change],
    ...(patch.type === 'patch' ? { patch: { format: 'git_patch', text: patch.text } } : {}),
    _meta: { kind: file.kind },
  };
}

function diffChange(file: ChangedFile): DiffChange {
  const { kind, path, target } = file;
  switch (kind) {
    case 'add':
      return { operation: 'add', path };
    case 'delete':
      return { operation: 'delete', path };
    case 'update':
      return path === target ? { operation: 'modify', path } : { operation: 'move', oldPath: path, path: target };
  }
}
