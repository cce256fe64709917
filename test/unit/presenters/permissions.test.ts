import type { Flow } from './flow.ts';
import { goldenFlows, session } from './flow.ts';
import { ask, change, command, commandApproval, ended, fileApproval, fileChange } from './items.ts';

const v1 = 'plainV1 zedV1 deltaV1';
const airV1 = 'airV1 airNoneV1';

const options = [
  { optionId: 'allow_once', name: 'Yes, proceed', kind: 'allow_once' },
  { optionId: 'cancel', name: 'No, and tell Codex what to do differently', kind: 'reject_once' },
];
const air = (title: string, description?: string): object => ({
  _meta: {
    jetbrains: {
      air: { version: 1, permission: { version: 1, title, ...(description === undefined ? {} : { description }) } },
    },
  },
});
const requestV1 = (toolCall: object, meta: object = {}): Record<string, unknown> => ({
  request: { sessionId: session, toolCall, options, ...meta },
});
const requestV2 = (toolCall: object, title: string, more: object = {}): Record<string, unknown> => ({
  request: { sessionId: session, title, subject: { type: 'tool_call', toolCall }, options, ...more },
});

const pending = { toolCallId: 'c1', kind: 'execute', status: 'pending' };
const rawInput = { command: 'npm test', cwd: '/w' };
const unknownCall = { ...pending, title: 'npm test', rawInput };
const knownCall = { ...unknownCall, name: 'exec_command' };
const edit = { toolCallId: 'p1', kind: 'edit', status: 'pending', title: 'Edit files' };
const text = (shown: string): object => ({ type: 'content', content: { type: 'text', text: shown } });
const terminal = { type: 'terminal', terminalId: 'c1' };

const newCommand = ask({ type: 'command', approval: commandApproval(), item: null });
const runningCommand = ask({ type: 'command', approval: commandApproval({ reason: ' needs net ' }), item: command() });

const commands: readonly Flow[] = [
  {
    name: 'S5.32 S5.36 S5.40 S5.43 a command that was not shown',
    events: [{ ask: newCommand }],
    frames: {
      [v1]: [requestV1(unknownCall)],
      [airV1]: [requestV1({ ...pending, title: 'Run command', rawInput }, air('Run command?'))],
      plainV2: [requestV2(unknownCall, 'Run command?')],
      airV2: [requestV2(unknownCall, 'Run command?', air('Run command?'))],
    },
  },
  {
    name: 'S5.33 S5.34 S5.40 S5.55 a running command: AIR is not told again, the others go back to running',
    events: [
      { type: 'toolStarted', item: command() },
      { ask: runningCommand },
      { type: 'toolResumed', itemId: 'c1' },
      { type: 'toolEnded', item: ended({ output: null }), started: true, streamed: true },
    ],
    frames: {
      plainV1: [
        { ...startV1(), sessionUpdate: 'tool_call' },
        requestV1({ ...knownCall, rawInput: { ...rawInput, reason: 'needs net' } }),
        running(),
        { ...completed(), rawOutput: { exit_code: 0 } },
      ],
      'zedV1 deltaV1': [
        { ...startV1(), sessionUpdate: 'tool_call', ...terminalStart() },
        requestV1({ ...knownCall, rawInput: { ...rawInput, reason: 'needs net' } }),
        running(),
        { ...completed(), ...exit() },
      ],
      airV1: [
        { ...startV1(), sessionUpdate: 'tool_call', ...terminalStart() },
        requestV1(
          { toolCallId: 'c1', name: 'exec_command', title: 'npm test', rawInput },
          air('Run command?', 'needs net'),
        ),
        { ...completed(), ...exit() },
      ],
      airNoneV1: [
        { ...startV1(), sessionUpdate: 'tool_call', ...terminalStart() },
        requestV1(
          { toolCallId: 'c1', name: 'exec_command', title: 'npm test', rawInput },
          air('Run command?', 'needs net'),
        ),
        completed(),
      ],
      plainV2: [
        ...startV2(),
        requestV2(knownCall, 'Run command?', { description: 'needs net' }),
        running(),
        exitV2(),
        completed(),
      ],
      airV2: [
        ...startV2(),
        requestV2(knownCall, 'Run command?', { description: 'needs net', ...air('Run command?', 'needs net') }),
        running(),
        exitV2(),
        completed(),
      ],
    },
  },
  {
    name: 'S4.105 after a refused ask the next report is complete; S5.55 a call that never started does not go on',
    events: [
      { type: 'toolStarted', item: command() },
      { ask: runningCommand },
      { refused: runningCommand },
      {
        type: 'toolEnded',
        item: ended({ status: 'declined', output: null, exitCode: null }),
        started: true,
        streamed: false,
      },
      { ask: ask({ type: 'command', approval: commandApproval({ itemId: 'c2' }), item: null }) },
      { type: 'toolResumed', itemId: 'c2' },
    ],
    frames: {
      plainV1: [
        { ...startV1(), sessionUpdate: 'tool_call' },
        requestV1({ ...knownCall, rawInput: { ...rawInput, reason: 'needs net' } }),
        { ...completed(), name: 'exec_command', status: 'failed', rawOutput: { exit_code: null } },
        requestV1({ ...unknownCall, toolCallId: 'c2' }),
      ],
      'zedV1 deltaV1': [
        { ...startV1(), sessionUpdate: 'tool_call', ...terminalStart() },
        requestV1({ ...knownCall, rawInput: { ...rawInput, reason: 'needs net' } }),
        { ...completed(), name: 'exec_command', status: 'failed', ...exit(null) },
        requestV1({ ...unknownCall, toolCallId: 'c2' }),
      ],
      airV1: [
        { ...startV1(), sessionUpdate: 'tool_call', ...terminalStart() },
        requestV1(
          { toolCallId: 'c1', name: 'exec_command', title: 'npm test', rawInput },
          air('Run command?', 'needs net'),
        ),
        { ...completed(), name: 'exec_command', status: 'failed', ...exit(null) },
        requestV1({ ...pending, toolCallId: 'c2', title: 'Run command', rawInput }, air('Run command?')),
      ],
      airNoneV1: [
        { ...startV1(), sessionUpdate: 'tool_call', ...terminalStart() },
        requestV1(
          { toolCallId: 'c1', name: 'exec_command', title: 'npm test', rawInput },
          air('Run command?', 'needs net'),
        ),
        { ...completed(), name: 'exec_command', status: 'failed' },
        requestV1({ ...pending, toolCallId: 'c2', title: 'Run command', rawInput }, air('Run command?')),
      ],
      plainV2: [
        ...startV2(),
        requestV2(knownCall, 'Run command?', { description: 'needs net' }),
        exitV2(null),
        { ...completed(), name: 'exec_command', status: 'failed' },
        requestV2({ ...unknownCall, toolCallId: 'c2' }, 'Run command?'),
      ],
      airV2: [
        ...startV2(),
        requestV2(knownCall, 'Run command?', { description: 'needs net', ...air('Run command?', 'needs net') }),
        exitV2(null),
        { ...completed(), name: 'exec_command', status: 'failed' },
        requestV2({ ...unknownCall, toolCallId: 'c2' }, 'Run command?', air('Run command?')),
      ],
    },
  },
];

const network = ask({
  type: 'command',
  approval: commandApproval({ network: { host: 'a.b', protocol: 'https' }, environmentId: 'cloud' }),
  item: command(),
});
const networkInput = { ...rawInput, url: 'https://a.b', environmentId: 'cloud' };
const networkCall = { ...knownCall, title: 'https network access to a.b', rawInput: networkInput };
const { kind: _, status: __, ...networkShort } = networkCall;
const networkText = text('https access to a.b');
const question = 'Allow network access?';

const additionalPermissions = {
  network: { enabled: true },
  fileSystem: {
    read: ['/r'],
    write: ['/x'],
    entries: [
      { access: 'write', path: { type: 'path', path: '/e' } },
      { access: 'read', path: { type: 'glob_pattern', pattern: '**/*.ts' } },
      { access: 'read', path: { type: 'special', value: { kind: 'root' } } },
    ],
  },
} as const;

const special: readonly Flow[] = [
  {
    name: 'S5.34b S5.42 S5.43 S5.44 network access: what is shown of the call stays beside the new text',
    events: [{ type: 'toolStarted', item: command() }, { ask: network }],
    frames: {
      plainV1: [{ ...startV1(), sessionUpdate: 'tool_call' }, requestV1({ ...networkCall, content: [networkText] })],
      'zedV1 deltaV1': [
        { ...startV1(), sessionUpdate: 'tool_call', ...terminalStart() },
        requestV1({ ...networkCall, content: [terminal, networkText] }),
      ],
      [airV1]: [
        { ...startV1(), sessionUpdate: 'tool_call', ...terminalStart() },
        requestV1({ ...networkShort, content: [terminal, networkText] }, air(question)),
      ],
      plainV2: [...startV2(), requestV2({ ...networkCall, content: [terminal, networkText] }, question)],
      airV2: [...startV2(), requestV2({ ...networkCall, content: [terminal, networkText] }, question, air(question))],
    },
  },
  {
    name: 'S5.34b S12.1 a snapshot of the output stays beside the new text',
    events: [
      { type: 'toolStarted', item: command() },
      { type: 'commandSnapshot', item: command(), tail: 'ok\n' },
      { ask: network },
    ],
    frames: {
      plainV1: [
        { ...startV1(), sessionUpdate: 'tool_call' },
        { sessionUpdate: 'tool_call_update', toolCallId: 'c1', content: [text('ok\n')] },
        requestV1({ ...networkCall, content: [text('ok\n'), networkText] }),
      ],
      'zedV1 deltaV1': [
        { ...startV1(), sessionUpdate: 'tool_call', ...terminalStart() },
        requestV1({ ...networkCall, content: [terminal, networkText] }),
      ],
      [airV1]: [
        { ...startV1(), sessionUpdate: 'tool_call', ...terminalStart() },
        requestV1({ ...networkShort, content: [terminal, networkText] }, air(question)),
      ],
      plainV2: [...startV2(), requestV2({ ...networkCall, content: [terminal, networkText] }, question)],
      airV2: [...startV2(), requestV2({ ...networkCall, content: [terminal, networkText] }, question, air(question))],
    },
  },
  {
    name: 'S5.44 S5.57 S5.58 extra permissions say which access each path gets',
    events: [
      {
        ask: ask({
          type: 'command',
          approval: commandApproval({
            command: null,
            cwd: null,
            actions: [{ type: 'read', command: 'cat a', path: '/w/a' }],
            additionalPermissions,
          }),
          item: null,
        }),
      },
    ],
    frames: {
      [v1]: [requestV1({ ...permissionCall('Read file'), ...places('/w/a', '/r', '/x', '/e') })],
      [airV1]: [
        requestV1({ ...permissionCall('Read file'), ...places('/w/a', '/r', '/x', '/e') }, air('Run command?')),
      ],
      plainV2: [requestV2({ ...permissionCall('Read file'), ...places('/w/a', '/r', '/x', '/e') }, 'Run command?')],
      airV2: [
        requestV2(
          { ...permissionCall('Read file'), ...places('/w/a', '/r', '/x', '/e') },
          'Run command?',
          air('Run command?'),
        ),
      ],
    },
  },
  {
    name: 'S5.53 S5.172 input for a running command is shown as received',
    events: [
      {
        ask: ask({
          type: 'command',
          approval: commandApproval({ kind: 'writeStdin', approvalId: 'x', command: "sh -c 'y'", cwd: null }),
          item: command(),
        }),
      },
    ],
    frames: {
      [v1]: [requestV1({ ...knownCall, rawInput: { command: "sh -c 'y'" } })],
      [airV1]: [
        requestV1(
          { toolCallId: 'c1', name: 'exec_command', title: 'npm test', rawInput: { command: "sh -c 'y'" } },
          air('Send input to the running command?'),
        ),
      ],
      plainV2: [requestV2({ ...knownCall, rawInput: { command: "sh -c 'y'" } }, 'Send input to the running command?')],
      airV2: [
        requestV2(
          { ...knownCall, rawInput: { command: "sh -c 'y'" } },
          'Send input to the running command?',
          air('Send input to the running command?'),
        ),
      ],
    },
  },
];

const newEdit = ask({ type: 'fileChange', approval: fileApproval({ reason: 'outside' }), item: null });
const knownEdit = ask({
  type: 'fileChange',
  approval: fileApproval({ grantRoot: '/outside' }),
  item: fileChange({ changes: [change({ path: 'a.ts' }), change({ path: 'a.ts' })] }),
});

const edits: readonly Flow[] = [
  {
    name: 'S5 section 7: an edit that was not shown',
    events: [{ ask: newEdit }],
    frames: {
      [v1]: [requestV1({ ...edit, rawInput: { reason: 'outside' } })],
      [airV1]: [requestV1({ ...edit, title: 'Editing files' }, air('Make edits?', 'outside'))],
      plainV2: [requestV2(edit, 'Make edits?', { description: 'outside' })],
      airV2: [requestV2(edit, 'Make edits?', { description: 'outside', ...air('Make edits?', 'outside') })],
    },
  },
  {
    name: 'S5.90 S12.10 a known edit names its files and the directory that it asks for',
    events: [{ ask: knownEdit }],
    frames: {
      [v1]: [requestV1({ ...edit, rawInput: { grantRoot: '/outside' }, ...places('/w/a.ts') })],
      [airV1]: [
        requestV1(
          { toolCallId: 'p1', title: 'Editing files', rawInput: { grantRoot: '/outside' }, ...places('/w/a.ts') },
          air('Make edits?'),
        ),
      ],
      plainV2: [requestV2({ ...edit, rawInput: { grantRoot: '/outside' }, ...places('/w/a.ts') }, 'Make edits?')],
      airV2: [
        requestV2(
          { ...edit, rawInput: { grantRoot: '/outside' }, ...places('/w/a.ts') },
          'Make edits?',
          air('Make edits?'),
        ),
      ],
    },
  },
];

function startV1(): Record<string, unknown> {
  return {
    toolCallId: 'c1',
    name: 'exec_command',
    kind: 'execute',
    title: 'npm test',
    status: 'in_progress',
    rawInput,
  };
}

function terminalStart(): object {
  return { content: [terminal], _meta: { terminal_info: { cwd: '/w', terminal_id: 'c1' } } };
}

function startV2(): Record<string, unknown>[] {
  return [
    { sessionUpdate: 'terminal_update', terminalId: 'c1', command: 'npm test', cwd: '/w' },
    { ...startV1(), sessionUpdate: 'tool_call_update', content: [terminal] },
  ];
}

function running(): Record<string, unknown> {
  return { sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'in_progress' };
}

function completed(): Record<string, unknown> {
  return { sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' };
}

function exit(code: number | null = 0): object {
  return { _meta: { terminal_exit: { exit_code: code, signal: null, terminal_id: 'c1' } } };
}

function exitV2(exitCode: number | null = 0): Record<string, unknown> {
  return { sessionUpdate: 'terminal_update', terminalId: 'c1', exitStatus: { exitCode, signal: null } };
}

function places(...paths: string[]): object {
  return { locations: paths.map((path) => ({ path })) };
}

function permissionCall(title: string): object {
  return {
    ...pending,
    title,
    rawInput: { additionalPermissions },
    content: [
      text(
        [
          'Enable network access',
          'read /r',
          'write /x',
          'write /e',
          'read filesystem pattern **/*.ts',
          'read Codex filesystem scope {"kind":"root"}',
        ].join('\n'),
      ),
    ],
  };
}

goldenFlows([...commands, ...special, ...edits]);
