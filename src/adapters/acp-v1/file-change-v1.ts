import type { ToolCallContent } from '@agentclientprotocol/sdk/unstable';
import type { ChangedFile } from '../../domain/conversation/changed-file.ts';
import { changedFile } from '../../domain/conversation/changed-file.ts';
import { gitPatch, patchLimit } from '../../domain/conversation/git-patch.ts';
import { hunkBlock } from '../../domain/conversation/hunk-blocks.ts';
import { parseHunks } from '../../domain/conversation/patch-hunks.ts';
import { isLargerThan } from '../../domain/conversation/utf8-size.ts';
import type { FileChange } from '../../domain/thread/thread-item.ts';
import { airMeta } from '../acp/air-metadata.ts';

/**
 * Diff blocks of a patch, file by file, in order (S4 sections 8.2 and 8.3). With `patches` each file is one block with
 * its Git patch; a file without patch is shown as text.
 */
export function diffBlocks(changes: readonly FileChange[], cwd: string, patches: boolean): ToolCallContent[] {
  return changes.flatMap((change) => {
    const file = changedFile(change, cwd);
    if (file === null || isLargerThan(file.text, patchLimit)) return [];
    const block = patches ? patchBlock(file) : null;
    return block === null ? textBlocks(file) : [block];
  });
}

/** One block with the whole change as a Git patch, for AIR (S4.64). */
function patchBlock(file: ChangedFile): ToolCallContent | null {
  const patch = gitPatch(file, 'prefixed');
  if (patch.type === 'none') return null;
  const diffPatch = { version: 1, format: 'git_patch', text: patch.text };
  return {
    type: 'diff',
    path: file.target,
    oldText: null,
    newText: '',
    _meta: airMeta({ diffPatch }, { kind: file.kind }),
  };
}

/** The change as texts: whole files, or one block per hunk (S4.139). */
function textBlocks(file: ChangedFile): ToolCallContent[] {
  const { kind, target, text } = file;
  const block = (oldText: string | null, newText: string): ToolCallContent => ({
    type: 'diff',
    path: target,
    oldText,
    newText,
    _meta: { kind },
  });
  switch (kind) {
    case 'add':
      return [block(null, text)];
    case 'delete':
      return [block(text, '')];
    case 'update': {
      if (file.moved && text.trim() === '') return [block('', '')];
      return (parseHunks(text) ?? []).map(hunkBlock).map(({ oldText, newText }) => block(oldText, newText));
    }
  }
}
