import type { Flow } from './flow.ts';
import { goldenFlows } from './flow.ts';
import { change, fileChange } from './items.ts';

const facts = { toolCallId: 'p1', kind: 'edit', title: 'Editing files', status: 'in_progress' };
const call = { sessionUpdate: 'tool_call', ...facts };
const callV2 = { sessionUpdate: 'tool_call_update', ...facts };
const update = { sessionUpdate: 'tool_call_update', toolCallId: 'p1' };
const completed = { ...update, status: 'completed' };
const failed = { ...update, status: 'failed' };
const at = (...paths: string[]): object => ({ locations: paths.map((path) => ({ path })) });

const text = (kind: string, path: string, oldText: string | null, newText: string): object => ({
  type: 'diff',
  path,
  oldText,
  newText,
  _meta: { kind },
});
const patch = (kind: string, path: string, lines: readonly string[]): object => ({
  type: 'diff',
  path,
  oldText: null,
  newText: '',
  _meta: {
    kind,
    jetbrains: {
      air: { version: 1, diffPatch: { version: 1, format: 'git_patch', text: `${lines.join('\n')}\n` } },
    },
  },
});
const patchV2 = (kind: string, changed: object, lines: readonly string[] | null): object => ({
  type: 'diff',
  changes: [changed],
  ...(lines === null ? {} : { patch: { format: 'git_patch', text: `${lines.join('\n')}\n` } }),
  _meta: { kind },
});

const yText = text('update', '/w/a.ts', 'x\n', 'y\n');
const yPatch = patch('update', '/w/a.ts', [
  'diff --git a/w/a.ts b/w/a.ts',
  '--- a/w/a.ts',
  '+++ b/w/a.ts',
  '@@ -1 +1 @@',
  '-x',
  '+y',
]);
const yPatchV2 = patchV2('update', { operation: 'modify', path: '/w/a.ts' }, [
  'diff --git /w/a.ts /w/a.ts',
  '--- /w/a.ts',
  '+++ /w/a.ts',
  '@@ -1 +1 @@',
  '-x',
  '+y',
]);

const flows: readonly Flow[] = [
  {
    name: 'S4.57 S4.64 S4.65 S12.10 an edit shows its diff at the start and only its status at the end',
    events: [
      { type: 'toolStarted', item: fileChange() },
      { type: 'toolEnded', item: fileChange({ status: 'completed' }), started: true, streamed: false },
    ],
    frames: {
      'plainV1 zedV1 deltaV1': [{ ...call, content: [yText], ...at('/w/a.ts') }, completed],
      airV1: [{ ...call, content: [yPatch] }, completed],
      airNoneV1: [{ ...call, content: [yText] }, completed],
      plainV2: [{ ...callV2, content: [yPatchV2], ...at('/w/a.ts') }, completed],
      airV2: [{ ...callV2, content: [yPatchV2] }, completed],
    },
  },
  {
    name: 'S4.57 a patch that grows is shown again, once; a late or unchanged one is not',
    events: [
      { type: 'toolStarted', item: fileChange({ changes: [] }) },
      { type: 'patchChanged', item: fileChange(), changes: [change()] },
      { type: 'patchChanged', item: fileChange(), changes: [change()] },
      { type: 'toolEnded', item: fileChange({ status: 'completed' }), started: true, streamed: false },
      { type: 'patchChanged', item: fileChange(), changes: [] },
    ],
    frames: {
      'plainV1 zedV1 deltaV1': [{ ...call, content: [] }, { ...update, content: [yText], ...at('/w/a.ts') }, completed],
      airV1: [{ ...call, content: [] }, { ...update, content: [yPatch] }, completed],
      airNoneV1: [{ ...call, content: [] }, { ...update, content: [yText] }, completed],
      plainV2: [{ ...callV2, content: [] }, { ...update, content: [yPatchV2], ...at('/w/a.ts') }, completed],
      airV2: [{ ...callV2, content: [] }, { ...update, content: [yPatchV2] }, completed],
    },
  },
  {
    name: 'S4.54 S4.58 a declined edit without start keeps its diff',
    events: [{ type: 'toolEnded', item: fileChange({ status: 'declined' }), started: false, streamed: false }],
    frames: {
      'plainV1 zedV1 deltaV1': [{ ...call, status: 'failed', content: [yText], ...at('/w/a.ts') }],
      airV1: [{ ...call, status: 'failed', content: [yPatch] }],
      airNoneV1: [{ ...call, status: 'failed', content: [yText] }],
      plainV2: [{ ...callV2, status: 'failed', content: [yPatchV2], ...at('/w/a.ts') }],
      airV2: [{ ...callV2, status: 'failed', content: [yPatchV2] }],
    },
  },
  {
    name: 'S4.56 S5.55b an edit that was cut off failed, once',
    events: [
      { type: 'toolStarted', item: fileChange() },
      { type: 'toolAborted', item: fileChange() },
      { type: 'toolAborted', item: fileChange() },
    ],
    frames: {
      'plainV1 zedV1 deltaV1': [{ ...call, content: [yText], ...at('/w/a.ts') }, failed],
      airV1: [{ ...call, content: [yPatch] }, failed],
      airNoneV1: [{ ...call, content: [yText] }, failed],
      plainV2: [{ ...callV2, content: [yPatchV2], ...at('/w/a.ts') }, failed],
      airV2: [{ ...callV2, content: [yPatchV2] }, failed],
    },
  },
  {
    name: 'S4.139 S4.70 S4.67 added and deleted files; relative paths belong to the session directory',
    events: [
      {
        type: 'toolStarted',
        item: fileChange({
          changes: [
            change({ kind: 'add', path: 'src/new.ts', diff: 'a\nb' }),
            change({ kind: 'delete', path: '/w/old.ts', diff: 'gone\n' }),
          ],
        }),
      },
    ],
    frames: {
      'plainV1 zedV1 deltaV1': [
        {
          ...call,
          content: [text('add', '/w/src/new.ts', null, 'a\nb'), text('delete', '/w/old.ts', 'gone\n', '')],
          ...at('/w/src/new.ts', '/w/old.ts'),
        },
      ],
      airNoneV1: [
        {
          ...call,
          content: [text('add', '/w/src/new.ts', null, 'a\nb'), text('delete', '/w/old.ts', 'gone\n', '')],
        },
      ],
      airV1: [
        {
          ...call,
          content: [
            patch('add', '/w/src/new.ts', [
              'diff --git a/w/src/new.ts b/w/src/new.ts',
              'new file mode 100644',
              '--- /dev/null',
              '+++ b/w/src/new.ts',
              '@@ -0,0 +1,2 @@',
              '+a',
              '+b',
              '\\ No newline at end of file',
            ]),
            patch('delete', '/w/old.ts', [
              'diff --git a/w/old.ts b/w/old.ts',
              'deleted file mode 100644',
              '--- a/w/old.ts',
              '+++ /dev/null',
              '@@ -1 +0,0 @@',
              '-gone',
            ]),
          ],
        },
      ],
      plainV2: [{ ...callV2, content: addAndDeleteV2(), ...at('/w/src/new.ts', '/w/old.ts') }],
      airV2: [{ ...callV2, content: addAndDeleteV2() }],
    },
  },
  {
    name: 'S4.59 S4.65 S4.69 a moved and edited file, with the tail that Codex may add',
    events: [
      {
        type: 'toolStarted',
        item: fileChange({
          changes: [change({ movePath: '/w/b.ts', diff: '@@ -1 +1 @@\n-x\n+y\n\n\nMoved to: /w/b.ts' })],
        }),
      },
    ],
    frames: {
      'plainV1 zedV1 deltaV1': [{ ...call, content: [text('update', '/w/b.ts', 'x\n', 'y\n')], ...at('/w/b.ts') }],
      airNoneV1: [{ ...call, content: [text('update', '/w/b.ts', 'x\n', 'y\n')] }],
      airV1: [
        {
          ...call,
          content: [
            patch('update', '/w/b.ts', [
              'diff --git a/w/a.ts b/w/b.ts',
              'rename from w/a.ts',
              'rename to w/b.ts',
              '--- a/w/a.ts',
              '+++ b/w/b.ts',
              '@@ -1 +1 @@',
              '-x',
              '+y',
            ]),
          ],
        },
      ],
      plainV2: [{ ...callV2, content: movedV2(), ...at('/w/b.ts') }],
      airV2: [{ ...callV2, content: movedV2() }],
    },
  },
  {
    name: 'S4.71 S4.139 a pure rename has a patch on v2 only',
    events: [{ type: 'toolStarted', item: fileChange({ changes: [change({ movePath: '/w/b.ts', diff: '' })] }) }],
    frames: {
      'plainV1 zedV1 deltaV1': [{ ...call, content: [text('update', '/w/b.ts', '', '')], ...at('/w/b.ts') }],
      'airV1 airNoneV1': [{ ...call, content: [text('update', '/w/b.ts', '', '')] }],
      plainV2: [{ ...callV2, content: renamedV2(), ...at('/w/b.ts') }],
      airV2: [{ ...callV2, content: renamedV2() }],
    },
  },
  {
    name: 'S4.66 S4.72 S4.73 what has no patch is still named on v2',
    events: [
      {
        type: 'toolStarted',
        item: fileChange({
          changes: [
            change({ path: '/w/bad.ts', diff: '@@ -1,2 +1 @@\n-x\n+y\n' }),
            change({ path: '/w/same.ts', diff: '' }),
            change({ kind: 'add', path: '/w/bin', diff: 'a\0b' }),
            change({ kind: 'add', path: '/w/big', diff: 'é'.repeat(600_000) }),
          ],
        }),
      },
    ],
    frames: {
      'plainV1 zedV1 deltaV1': [
        {
          ...call,
          content: [text('add', '/w/bin', null, 'a\0b')],
          ...at('/w/bad.ts', '/w/same.ts', '/w/bin', '/w/big'),
        },
      ],
      'airV1 airNoneV1': [{ ...call, content: [text('add', '/w/bin', null, 'a\0b')] }],
      plainV2: [{ ...callV2, content: unpatchedV2(), ...at('/w/bad.ts', '/w/same.ts', '/w/bin', '/w/big') }],
      airV2: [{ ...callV2, content: unpatchedV2() }],
    },
  },
];

function addAndDeleteV2(): object[] {
  return [
    patchV2('add', { operation: 'add', path: '/w/src/new.ts' }, [
      'diff --git /w/src/new.ts /w/src/new.ts',
      'new file mode 100644',
      '--- /dev/null',
      '+++ /w/src/new.ts',
      '@@ -0,0 +1,2 @@',
      '+a',
      '+b',
      '\\ No newline at end of file',
    ]),
    patchV2('delete', { operation: 'delete', path: '/w/old.ts' }, [
      'diff --git /w/old.ts /w/old.ts',
      'deleted file mode 100644',
      '--- /w/old.ts',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-gone',
    ]),
  ];
}

function movedV2(): object[] {
  return [
    patchV2('update', { operation: 'move', oldPath: '/w/a.ts', path: '/w/b.ts' }, [
      'diff --git /w/a.ts /w/b.ts',
      'rename from /w/a.ts',
      'rename to /w/b.ts',
      '--- /w/a.ts',
      '+++ /w/b.ts',
      '@@ -1 +1 @@',
      '-x',
      '+y',
    ]),
  ];
}

function renamedV2(): object[] {
  return [
    patchV2('update', { operation: 'move', oldPath: '/w/a.ts', path: '/w/b.ts' }, [
      'diff --git /w/a.ts /w/b.ts',
      'similarity index 100%',
      'rename from /w/a.ts',
      'rename to /w/b.ts',
    ]),
  ];
}

function unpatchedV2(): object[] {
  return [
    patchV2('update', { operation: 'modify', path: '/w/bad.ts' }, null),
    patchV2('update', { operation: 'modify', path: '/w/same.ts' }, null),
    patchV2('add', { operation: 'add', path: '/w/bin', fileType: 'binary' }, null),
    patchV2('add', { operation: 'add', path: '/w/big' }, null),
  ];
}

goldenFlows(flows);
