import { applyPatch as applyUnified } from 'diff';
import { describe, expect, test } from 'vitest';
import type { Workspace } from '../../support/codex-home.ts';
import { type Json, useAgent } from '../../support/integration.ts';
import { applyPatch, text } from '../../support/model-replies.ts';
import { profiles } from '../../support/profiles.ts';
import { models } from './cases.ts';
import { openToolCalls, toolCall } from './tool-view.ts';

const numbers = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n';
const files = {
  'changed.txt': numbers,
  'removed.txt': 'old\ncontent',
  'moved.txt': 'alpha\nbeta\n',
  'windows.txt': 'one\r\ntwo\r\nthree\r\n',
  'open.txt': 'first\nlast without newline',
  'marked.txt': '\ufefffirst\nsecond\n',
};

describe.each([1, 2] as const)('v%i', (version) => {
  const agent = useAgent({ version });

  describe.each(models)('$name', ({ model }) => {
    test('C016 S4.57 S12.10 one patch that adds, changes, deletes and moves', async () => {
      const session = await agent().open({ files, model });
      session.model(
        applyPatch(`
*** Begin Patch
*** Add File: sub/added.txt
+hello
+world
*** Update File: changed.txt
@@
 one
-two
+TWO
 three
@@
 nine
-ten
+TEN
+ELEVEN
*** Delete File: removed.txt
*** Update File: moved.txt
*** Move to: sub/new name.txt
@@
-alpha
+ALPHA
 beta
*** End Patch
`),
        text('Done.'),
      );
      const end = await session.prompt('Edit').ended;
      const tool = toolCall(end.updates);

      expect(end.outcome).toBe('end_turn');
      expect(tool).toMatchObject({ kind: 'edit', status: 'completed' });
      const { workspace } = session;
      expect(edits(tool.content)).toEqual([
        { kind: 'change', path: workspace.file('changed.txt') },
        { kind: 'change', path: workspace.file('sub/new name.txt') },
        { kind: 'delete', path: workspace.file('removed.txt') },
        { kind: 'add', path: workspace.file('sub/added.txt') },
      ]);
      expect(tool.locations.map(({ path }) => path).sort()).toEqual(
        edits(tool.content)
          .map(({ path }) => path)
          .sort(),
      );
      expect(workspace.exists('moved.txt')).toBe(false);
      expectTrue(tool.content, workspace, { 'sub/new name.txt': files['moved.txt'], ...files });
    });

    test.each([
      ['CRLF', 'windows.txt', '@@\n one\n-two\n+TWO\n three'],
      ['no final newline', 'open.txt', '@@\n-first\n+FIRST\n last without newline'],
      ['a byte order mark', 'marked.txt', '@@\n-second\n+SECOND'],
    ])('C016 S4.62 the diff of a file with %s is true to the disk', async (_, name, hunk) => {
      const session = await agent().open({ files, model });
      session.model(applyPatch(`*** Update File: ${name}\n${hunk}`), text('Done.'));
      const end = await session.prompt('Edit').ended;
      const tool = toolCall(end.updates);
      expect(tool.status).toBe('completed');
      expect(edits(tool.content)).toEqual([{ kind: 'change', path: session.workspace.file(name) }]);
      expectTrue(tool.content, session.workspace, files);
    });

    test('C016 S4.58 a patch that does not fit changes nothing and leaves nothing open', async () => {
      const session = await agent().open({ files, model });
      session.model(applyPatch('*** Update File: changed.txt\n@@\n-no such line\n+x'), text('It did not fit.'));
      const end = await session.prompt('Edit').ended;
      expect(end.outcome).toBe('end_turn');
      expect(openToolCalls(end.updates)).toEqual([]);
      expect(session.workspace.read('changed.txt')).toBe(numbers);
    });
  });
});

describe('AIR v1', () => {
  const agent = useAgent({ version: 1, profile: profiles.airV1 });

  test('C016 S4.64 the diff carries a Git patch that is true to the disk', async () => {
    const session = await agent().open({ files });
    session.model(applyPatch('*** Update File: windows.txt\n@@\n one\n-two\n+TWO\n three'), text('Done.'));
    const end = await session.prompt('Edit').ended;
    const tool = toolCall(end.updates);
    const [block] = tool.content;
    expect(block).toMatchObject({ path: session.workspace.file('windows.txt'), _meta: { kind: 'update' } });
    const { diffPatch } = block._meta.jetbrains.air;
    expect(applied(files['windows.txt'], diffPatch.text)).toBe(session.workspace.read('windows.txt'));
  });
});

/** What each file of a patch went through, hunks of one file taken together. */
function edits(content: readonly Json[]): { kind: string; path: string }[] {
  const found = content.map((block) => {
    const kind = { add: 'add', delete: 'delete', update: 'change' }[block._meta.kind as 'add' | 'delete' | 'update'];
    return { kind, path: block.path ?? block.changes[0].path };
  });
  return found.filter((edit, index) => edit.path !== found[index - 1]?.path);
}

/** The diffs lead from the files as they were to the files on the disk. */
function expectTrue(content: readonly Json[], workspace: Workspace, before: Readonly<Record<string, string>>): void {
  const after = new Map<string, string | null>();
  for (const block of content) {
    const path: string = block.path ?? block.changes[0].path;
    const old = after.get(path) ?? before[path.slice(workspace.path.length + 1)] ?? '';
    after.set(path, block.patch === undefined ? replaced(old, block) : applied(old, block.patch.text));
  }
  for (const [path, shown] of after) {
    const name = path.slice(workspace.path.length + 1);
    expect([name, workspace.exists(name) ? workspace.read(name) : null]).toEqual([name, shown]);
  }
}

/** The file after a block with the old and the new side. */
function replaced(old: string, block: Json): string | null {
  if (block._meta.kind === 'delete') {
    expect(block.oldText).toBe(old);
    return null;
  }
  if (block.oldText === null) return block.newText;
  expect(old).toContain(block.oldText);
  return old.replace(block.oldText, () => block.newText);
}

/** The file after a Git patch; `null` when the patch deletes it. */
function applied(old: string, patch: string): string | null {
  const hunks = patch.slice(patch.indexOf('@@'));
  const result = applyUnified(old, `--- old\n+++ new\n${hunks}`, { autoConvertLineEndings: false });
  expect(result, patch).not.toBe(false);
  return /^deleted file mode/m.test(patch) ? null : String(result);
}
