import type { Flow } from './flow.ts';
import { goldenFlows } from './flow.ts';
import { command, ended } from './items.ts';

const started = { type: 'toolStarted', item: command() } as const;

const facts = {
  toolCallId: 'c1',
  name: 'exec_command',
  kind: 'execute',
  title: 'npm test',
  rawInput: { command: 'npm test', cwd: '/w' },
};
const terminal = { content: [{ type: 'terminal', terminalId: 'c1' }] };
const terminalInfo = { terminal_info: { cwd: '/w', terminal_id: 'c1' } };
const call = { sessionUpdate: 'tool_call', ...facts };
const update = { sessionUpdate: 'tool_call_update', toolCallId: 'c1' };

const startPlainV1 = { ...call, status: 'in_progress' };
const startV1 = { ...call, ...terminal, status: 'in_progress', _meta: terminalInfo };
const terminalV2 = { sessionUpdate: 'terminal_update', terminalId: 'c1', command: 'npm test', cwd: '/w' };
const startV2 = { ...update, ...facts, ...terminal, status: 'in_progress' };

const exit = { terminal_exit: { exit_code: 0, signal: null, terminal_id: 'c1' } };
const noExit = { terminal_exit: { exit_code: null, signal: null, terminal_id: 'c1' } };
const inChannel = (channel: string, data: string): object => ({ [channel]: { data, terminal_id: 'c1' } });
const delta = (data: string): object => inChannel('terminal_output_delta', data);
const output = (data: string): object => inChannel('terminal_output', data);
const chunkV2 = (data: string): Record<string, unknown> => ({
  sessionUpdate: 'terminal_output_chunk',
  terminalId: 'c1',
  data: Buffer.from(data).toString('base64'),
});
const exitV2 = { sessionUpdate: 'terminal_update', terminalId: 'c1', exitStatus: { exitCode: 0, signal: null } };
const noExitV2 = { ...exitV2, exitStatus: { exitCode: null, signal: null } };
const text = (shown: string): object => ({ content: [{ type: 'content', content: { type: 'text', text: shown } }] });
const completed = { ...update, status: 'completed' };
const failed = { ...update, status: 'failed' };

const terminals: readonly Flow[] = [
  {
    name: 'S4.38 S4.140 S12.1 a terminal command streams its output',
    events: [
      started,
      { type: 'commandOutput', item: command(), data: 'ok ' },
      { type: 'commandOutput', item: command(), data: '1\n' },
      { type: 'toolEnded', item: ended(), started: true, streamed: true },
    ],
    frames: {
      plainV1: [startPlainV1, { ...completed, rawOutput: { exit_code: 0 }, ...text('ok 1\n') }],
      zedV1: [
        startV1,
        { ...update, _meta: output('ok ') },
        { ...update, _meta: output('1\n') },
        { ...completed, _meta: exit },
      ],
      'deltaV1 airV1': [
        startV1,
        { ...update, _meta: delta('ok ') },
        { ...update, _meta: delta('1\n') },
        { ...completed, _meta: exit },
      ],
      airNoneV1: [startV1, completed],
      'plainV2 airV2': [terminalV2, startV2, chunkV2('ok '), chunkV2('1\n'), exitV2, completed],
    },
  },
  {
    name: 'S12.1 snapshots show the tail of a running command, and the whole output once at its end',
    events: [
      started,
      { type: 'commandSnapshot', item: command(), tail: 'ok 1\n' },
      { type: 'commandSnapshot', item: command(), tail: 'ok 1\nok 2\n' },
      { type: 'toolEnded', item: ended({ output: 'ok 1\nok 2\nok 3\n' }), started: true, streamed: false },
    ],
    frames: {
      plainV1: [
        startPlainV1,
        { ...update, ...text('ok 1\n') },
        { ...update, ...text('ok 1\nok 2\n') },
        { ...completed, rawOutput: { exit_code: 0 }, ...text('ok 1\nok 2\nok 3\n') },
      ],
      // Nobody else is shown snapshots.
      'plainV2 airV2': [
        terminalV2,
        startV2,
        { ...exitV2, output: { data: Buffer.from('ok 1\nok 2\nok 3\n').toString('base64') } },
        completed,
      ],
      zedV1: [startV1, { ...completed, _meta: { ...output('ok 1\nok 2\nok 3\n'), ...exit } }],
      'deltaV1 airV1': [startV1, { ...completed, _meta: { ...delta('ok 1\nok 2\nok 3\n'), ...exit } }],
      airNoneV1: [startV1, completed],
    },
  },
  {
    name: 'S4.140 S4.111 output that was not streamed comes with the end',
    events: [started, { type: 'toolEnded', item: ended(), started: true, streamed: false }],
    frames: {
      plainV1: [startPlainV1, { ...completed, rawOutput: { exit_code: 0 }, ...text('ok 1\n') }],
      zedV1: [startV1, { ...completed, _meta: { ...output('ok 1\n'), ...exit } }],
      'deltaV1 airV1': [startV1, { ...completed, _meta: { ...delta('ok 1\n'), ...exit } }],
      airNoneV1: [startV1, completed],
      'plainV2 airV2': [terminalV2, startV2, { ...exitV2, output: { data: 'b2sgMQo=' } }, completed],
    },
  },
  {
    name: 'C010 S4.45 output from before the stream comes with the end, in its place where the client can put it there',
    events: [
      started,
      { type: 'commandOutput', item: command(), data: 'second' },
      { type: 'toolEnded', item: ended({ output: 'first second' }), started: true, streamed: true, missed: 'first ' },
    ],
    frames: {
      plainV1: [startPlainV1, { ...completed, rawOutput: { exit_code: 0 }, ...text('first second') }],
      airNoneV1: [startV1, completed],
      zedV1: [
        startV1,
        { ...update, _meta: output('second') },
        { ...completed, _meta: { ...output('first '), ...exit } },
      ],
      'deltaV1 airV1': [
        startV1,
        { ...update, _meta: delta('second') },
        { ...completed, _meta: { ...delta('first '), ...exit } },
      ],
      'plainV2 airV2': [
        terminalV2,
        startV2,
        chunkV2('second'),
        { ...exitV2, output: { data: Buffer.from('first second').toString('base64') } },
        completed,
      ],
    },
  },
  {
    name: 'S4.140 S4.49 stdin is echoed in the channel, AIR gets it as input; empty output sends nothing',
    events: [
      started,
      { type: 'commandInput', item: command(), stdin: 'y' },
      { type: 'commandOutput', item: command(), data: '' },
      { type: 'toolEnded', item: ended({ output: null }), started: true, streamed: false },
    ],
    frames: {
      plainV1: [startPlainV1, { ...completed, rawOutput: { exit_code: 0 } }],
      zedV1: [startV1, { ...update, _meta: output('\ny\n') }, { ...completed, _meta: exit }],
      deltaV1: [startV1, { ...update, _meta: delta('\ny\n') }, { ...completed, _meta: exit }],
      airV1: [startV1, { ...update, _meta: inChannel('terminal_input', 'y') }, { ...completed, _meta: exit }],
      airNoneV1: [startV1, { ...update, _meta: inChannel('terminal_input', 'y') }, completed],
      'plainV2 airV2': [terminalV2, startV2, chunkV2('\ny\n'), exitV2, completed],
    },
  },
  {
    name: 'S4.54 an end without start is one whole call; its terminal is filled afterwards',
    events: [{ type: 'toolEnded', item: ended(), started: false, streamed: false }],
    frames: {
      plainV1: [{ ...call, status: 'completed', rawOutput: { exit_code: 0 }, ...text('ok 1\n') }],
      zedV1: [
        { ...startV1, status: 'completed' },
        { ...update, _meta: { ...output('ok 1\n'), ...exit } },
      ],
      'deltaV1 airV1': [
        { ...startV1, status: 'completed' },
        { ...update, _meta: { ...delta('ok 1\n'), ...exit } },
      ],
      airNoneV1: [{ ...startV1, status: 'completed' }],
      'plainV2 airV2': [terminalV2, { ...exitV2, output: { data: 'b2sgMQo=' } }, { ...startV2, status: 'completed' }],
    },
  },
  {
    name: 'S4.52 S4.53 a declined command failed, whatever its exit code',
    events: [
      started,
      {
        type: 'toolEnded',
        item: ended({ status: 'declined', output: null, exitCode: null }),
        started: true,
        streamed: false,
      },
    ],
    frames: {
      plainV1: [startPlainV1, { ...failed, rawOutput: { exit_code: null } }],
      'zedV1 deltaV1 airV1': [startV1, { ...failed, _meta: noExit }],
      airNoneV1: [startV1, failed],
      'plainV2 airV2': [terminalV2, startV2, noExitV2, failed],
    },
  },
  {
    name: 'S4.53 a command that completed with exit code 1 is completed',
    events: [
      started,
      { type: 'toolEnded', item: ended({ output: null, exitCode: 1 }), started: true, streamed: false },
    ],
    frames: {
      plainV1: [startPlainV1, { ...completed, rawOutput: { exit_code: 1 } }],
      'zedV1 deltaV1 airV1': [
        startV1,
        { ...completed, _meta: { terminal_exit: { exit_code: 1, signal: null, terminal_id: 'c1' } } },
      ],
      airNoneV1: [startV1, completed],
      'plainV2 airV2': [terminalV2, startV2, { ...exitV2, exitStatus: { exitCode: 1, signal: null } }, completed],
    },
  },
  {
    name: 'S4.56 a command that was cut off fails and its terminal ends',
    events: [started, { type: 'toolAborted', item: command() }],
    frames: {
      plainV1: [startPlainV1, failed],
      airNoneV1: [startV1, failed],
      'zedV1 deltaV1 airV1': [startV1, { ...failed, _meta: noExit }],
      'plainV2 airV2': [terminalV2, startV2, noExitV2, failed],
    },
  },
  {
    name: 'S4.45 S4.108 S4.130 nothing of the output comes after the end, or twice',
    events: [
      started,
      { type: 'toolEnded', item: ended(), started: true, streamed: false },
      { type: 'commandOutput', item: command(), data: 'late' },
      { type: 'commandInput', item: command(), stdin: 'late' },
      { type: 'commandSnapshot', item: command(), tail: 'late' },
      { type: 'toolEnded', item: ended(), started: true, streamed: false },
      { type: 'toolEnded', item: ended(), started: false, streamed: false },
      { type: 'toolAborted', item: command() },
    ],
    frames: {
      plainV1: [startPlainV1, { ...completed, rawOutput: { exit_code: 0 }, ...text('ok 1\n') }],
      zedV1: [startV1, { ...completed, _meta: { ...output('ok 1\n'), ...exit } }],
      'deltaV1 airV1': [startV1, { ...completed, _meta: { ...delta('ok 1\n'), ...exit } }],
      airNoneV1: [startV1, completed],
      'plainV2 airV2': [terminalV2, startV2, { ...exitV2, output: { data: 'b2sgMQo=' } }, completed],
    },
  },
  {
    name: 'S4.130 an end after a forced failure changes the status only',
    events: [
      started,
      { type: 'toolAborted', item: command() },
      { type: 'toolEnded', item: ended(), started: true, streamed: false },
    ],
    frames: {
      plainV1: [startPlainV1, failed, completed],
      airNoneV1: [startV1, failed, completed],
      'zedV1 deltaV1 airV1': [startV1, { ...failed, _meta: noExit }, completed],
      'plainV2 airV2': [terminalV2, startV2, noExitV2, failed, completed],
    },
  },
  {
    name: 'S4.119 a second start says only what is new',
    events: [started, started, { type: 'toolStarted', item: command({ source: 'unifiedExecInteraction' }) }],
    frames: {
      plainV1: [startPlainV1, { ...update, name: 'write_stdin' }],
      'zedV1 deltaV1 airV1 airNoneV1': [startV1, { ...update, name: 'write_stdin' }],
      'plainV2 airV2': [terminalV2, startV2, { ...update, name: 'write_stdin' }],
    },
  },
  {
    name: 'S4.109 after the end of the turn a background command carries every field again',
    events: [
      started,
      {
        type: 'foreground',
        state: 'idle',
        ending: { outcome: { type: 'done' }, usage: { tokens: null, model: 'gpt' } },
      },
      { type: 'toolEnded', item: ended({ output: null }), started: true, streamed: true },
    ],
    frames: {
      plainV1: [startPlainV1, { ...completed, name: 'exec_command', rawOutput: { exit_code: 0 } }],
      'zedV1 deltaV1 airV1': [startV1, { ...completed, name: 'exec_command', _meta: exit }],
      airNoneV1: [startV1, { ...completed, name: 'exec_command' }],
      'plainV2 airV2': [
        terminalV2,
        startV2,
        {
          sessionUpdate: 'state_update',
          state: 'idle',
          stopReason: 'end_turn',
          _meta: { quota: { token_count: null, model_usage: [] } },
        },
        exitV2,
        { ...completed, name: 'exec_command' },
      ],
    },
  },
];

const read = { type: 'read', command: 'cat a.ts', path: 'src/a.ts' } as const;
const search = { type: 'search', command: 'rg x', query: 'x', path: 'src' } as const;
const list = { type: 'listFiles', command: 'ls', path: null } as const;
const readFacts = { toolCallId: 'c1', kind: 'read', title: "Read file 'src/a.ts'", status: 'in_progress' };
const searchFacts = { toolCallId: 'c1', kind: 'search', title: "Search for 'x' in src", status: 'in_progress' };
const plain = { source: 'agent', command: 'cat a.ts' } as const;

const plainCommands: readonly Flow[] = [
  {
    name: 'S4.37 S4.42 S4.48 reading a file needs no terminal; on v2 its place is absolute',
    events: [
      { type: 'toolStarted', item: command({ ...plain, actions: [read] }) },
      { type: 'commandOutput', item: command({ ...plain, actions: [read] }), data: 'let x\n' },
      {
        type: 'toolEnded',
        item: ended({ ...plain, actions: [read], output: 'let x\n' }),
        started: true,
        streamed: true,
      },
    ],
    frames: {
      'plainV1 zedV1': [
        { sessionUpdate: 'tool_call', ...readFacts, locations: [{ path: 'src/a.ts' }] },
        { ...completed, rawOutput: { exit_code: 0 }, ...text('let x\n') },
      ],
      deltaV1: [
        { sessionUpdate: 'tool_call', ...readFacts, locations: [{ path: 'src/a.ts' }] },
        { ...update, _meta: delta('let x\n') },
        { ...completed, rawOutput: { exit_code: 0 } },
      ],
      'airV1 airNoneV1': [{ sessionUpdate: 'tool_call', ...readFacts, locations: [{ path: 'src/a.ts' }] }, completed],
      'plainV2 airV2': [
        { sessionUpdate: 'tool_call_update', ...readFacts, locations: [{ path: '/w/src/a.ts' }] },
        { ...completed, rawOutput: { exit_code: 0 }, ...text('let x\n') },
      ],
    },
  },
  {
    name: 'S4.140 the result of a search is a string for AIR and text for others',
    events: [
      { type: 'toolStarted', item: command({ ...plain, actions: [search] }) },
      { type: 'commandInput', item: command({ ...plain, actions: [search] }), stdin: 'q' },
      {
        type: 'toolEnded',
        item: ended({ ...plain, actions: [search], output: 'a.ts\n' }),
        started: true,
        streamed: false,
      },
    ],
    frames: {
      'plainV1 zedV1': [
        { sessionUpdate: 'tool_call', ...searchFacts },
        { ...completed, rawOutput: { exit_code: 0 }, ...text('a.ts\n') },
      ],
      deltaV1: [
        { sessionUpdate: 'tool_call', ...searchFacts },
        { ...update, _meta: delta('\nq\n') },
        { ...completed, rawOutput: { exit_code: 0 }, _meta: delta('a.ts\n') },
      ],
      'airV1 airNoneV1': [
        { sessionUpdate: 'tool_call', ...searchFacts },
        { ...completed, rawOutput: 'a.ts\n' },
      ],
      'plainV2 airV2': [
        { sessionUpdate: 'tool_call_update', ...searchFacts },
        { ...completed, rawOutput: { exit_code: 0 }, ...text('a.ts\n') },
      ],
    },
  },
  {
    name: 'S4.54 S4.140 a listing without output and without start',
    events: [
      {
        type: 'toolEnded',
        item: ended({ ...plain, actions: [list], output: '', exitCode: 2, status: 'failed' }),
        started: false,
        streamed: false,
      },
    ],
    frames: {
      'plainV1 zedV1 deltaV1': [
        {
          sessionUpdate: 'tool_call',
          toolCallId: 'c1',
          kind: 'read',
          title: 'List files',
          status: 'failed',
          rawOutput: { exit_code: 2 },
        },
      ],
      'airV1 airNoneV1': [
        { sessionUpdate: 'tool_call', toolCallId: 'c1', kind: 'read', title: 'List files', status: 'failed' },
      ],
      'plainV2 airV2': [
        {
          sessionUpdate: 'tool_call_update',
          toolCallId: 'c1',
          kind: 'read',
          title: 'List files',
          status: 'failed',
          rawOutput: { exit_code: 2 },
        },
      ],
    },
  },
];

goldenFlows([...terminals, ...plainCommands]);
