import type { Flow } from './flow.ts';
import { goldenFlows } from './flow.ts';
import { imageView, mcpTool, webSearch } from './items.ts';

const v1 = 'plainV1 zedV1 deltaV1';
const airV1 = 'airV1 airNoneV1';
const v2 = 'plainV2 airV2';

const result = { content: [], structuredContent: null };
const mcpFacts = {
  toolCallId: 'm1',
  kind: 'execute',
  title: 'mcp.docs.search',
  rawInput: { server: 'docs', tool: 'search', arguments: { q: 'x' } },
  _meta: { is_mcp_tool_call: true },
};
const mcpStart = { sessionUpdate: 'tool_call', ...mcpFacts, status: 'in_progress' };
const mcpStartV2 = { sessionUpdate: 'tool_call_update', ...mcpFacts, status: 'in_progress' };
const mcpUpdate = { sessionUpdate: 'tool_call_update', toolCallId: 'm1' };
const progress = { ...mcpUpdate, _meta: { mcp_output_delta: { data: 'half' } } };

const mcp: readonly Flow[] = [
  {
    name: 'S4.76 S4.77 an MCP call with progress, which AIR does not show on v1',
    events: [
      { type: 'toolStarted', item: mcpTool() },
      { type: 'mcpProgress', itemId: 'm1', message: ' half \n' },
      { type: 'mcpProgress', itemId: 'm1', message: 'half' },
      { type: 'mcpProgress', itemId: 'm1', message: '  ' },
      { type: 'toolEnded', item: mcpTool({ status: 'completed', result }), started: true, streamed: false },
      { type: 'mcpProgress', itemId: 'm1', message: 'late' },
    ],
    frames: {
      [v1]: [mcpStart, progress, progress, { ...mcpUpdate, status: 'completed', rawOutput: { result, error: null } }],
      [airV1]: [mcpStart, { ...mcpUpdate, status: 'completed', rawOutput: { result, error: null } }],
      [v2]: [mcpStartV2, progress, progress, { ...mcpUpdate, status: 'completed', rawOutput: { result, error: null } }],
    },
  },
  {
    name: 'S4.54 S4.76 a failed MCP call without start',
    events: [
      {
        type: 'toolEnded',
        item: mcpTool({ status: 'failed', error: { message: 'no' } }),
        started: false,
        streamed: false,
      },
    ],
    frames: {
      [v2]: [{ ...mcpStartV2, status: 'failed', rawOutput: { result: null, error: { message: 'no' } } }],
      rest: [{ ...mcpStart, status: 'failed', rawOutput: { result: null, error: { message: 'no' } } }],
    },
  },
  {
    name: 'S4.56 an MCP call that was cut off failed',
    events: [
      { type: 'toolStarted', item: mcpTool() },
      { type: 'toolAborted', item: mcpTool() },
    ],
    frames: {
      [v2]: [mcpStartV2, { ...mcpUpdate, status: 'failed' }],
      rest: [mcpStart, { ...mcpUpdate, status: 'failed' }],
    },
  },
];

const search = { type: 'search', query: 'acp', queries: null } as const;
const webFacts = { toolCallId: 'w1', kind: 'search', status: 'in_progress' };
const webUpdate = { sessionUpdate: 'tool_call_update', toolCallId: 'w1', status: 'completed' };
const page = { type: 'openPage', url: 'https://a.b' } as const;
const input = (query: string, action: object | null): object => ({ type: 'webSearch', id: 'w1', query, action });

const web: readonly Flow[] = [
  {
    name: 'S4.81 a web search that is complete from the start ends with its status',
    events: [
      { type: 'toolStarted', item: webSearch({ action: search }) },
      { type: 'toolEnded', item: webSearch({ action: search }), started: true, streamed: false },
    ],
    frames: {
      [v1]: [
        { sessionUpdate: 'tool_call', ...webFacts, title: 'Web search: acp', rawInput: input('acp', search) },
        webUpdate,
      ],
      [airV1]: [
        {
          sessionUpdate: 'tool_call',
          ...webFacts,
          title: 'Web search: acp',
          rawInput: { query: 'acp', action: search },
        },
        webUpdate,
      ],
      [v2]: [
        { sessionUpdate: 'tool_call_update', ...webFacts, title: 'Web search: acp', rawInput: input('acp', search) },
        webUpdate,
      ],
    },
  },
  {
    name: 'S4.81 the end tells what the search turned out to be',
    events: [
      { type: 'toolStarted', item: webSearch({ query: '' }) },
      { type: 'toolEnded', item: webSearch({ query: '', action: page }), started: true, streamed: false },
    ],
    frames: {
      [v1]: [
        { sessionUpdate: 'tool_call', ...webFacts, title: 'Web search', rawInput: input('', null) },
        { ...webUpdate, title: 'Open page: https://a.b', rawInput: input('', page) },
      ],
      [airV1]: [
        { sessionUpdate: 'tool_call', ...webFacts, title: 'Web search', rawInput: { query: '', action: null } },
        { ...webUpdate, title: 'Open page: https://a.b', rawInput: { query: '', action: page } },
      ],
      [v2]: [
        { sessionUpdate: 'tool_call_update', ...webFacts, title: 'Web search', rawInput: input('', null) },
        { ...webUpdate, title: 'Open page: https://a.b', rawInput: input('', page) },
      ],
    },
  },
  {
    name: 'S4.54 a web search without start',
    events: [{ type: 'toolEnded', item: webSearch({ action: { type: 'other' } }), started: false, streamed: false }],
    frames: {
      [v1]: [
        {
          sessionUpdate: 'tool_call',
          ...webFacts,
          status: 'completed',
          title: 'Web search',
          rawInput: input('acp', { type: 'other' }),
        },
      ],
      [airV1]: [
        {
          sessionUpdate: 'tool_call',
          ...webFacts,
          status: 'completed',
          title: 'Web search',
          rawInput: { query: 'acp', action: { type: 'other' } },
        },
      ],
      [v2]: [
        {
          sessionUpdate: 'tool_call_update',
          ...webFacts,
          status: 'completed',
          title: 'Web search',
          rawInput: input('acp', { type: 'other' }),
        },
      ],
    },
  },
];

const image = (path: string): Record<string, unknown> => ({
  toolCallId: 'i1',
  name: 'view_image',
  kind: 'read',
  title: `View Image ${path}`,
  status: 'completed',
  content: [{ type: 'content', content: { type: 'resource_link', name: path, uri: path } }],
  rawInput: { path },
});

const images: readonly Flow[] = [
  {
    name: 'S4.83 an image is shown whole at its start, and nothing follows',
    events: [
      { type: 'toolStarted', item: imageView() },
      { type: 'toolEnded', item: imageView(), started: true, streamed: false },
      { type: 'toolAborted', item: imageView() },
    ],
    frames: {
      [v2]: [{ sessionUpdate: 'tool_call_update', ...image('/w/a.png'), locations: [{ path: '/w/a.png' }] }],
      rest: [{ sessionUpdate: 'tool_call', ...image('/w/a.png'), locations: [{ path: '/w/a.png' }] }],
    },
  },
  {
    name: 'S4.83 S4.42 an image without start; on v2 its place is absolute',
    events: [
      { type: 'toolEnded', item: imageView({ path: 'a.png' }), started: false, streamed: false },
      { type: 'toolEnded', item: imageView({ path: 'a.png' }), started: false, streamed: false },
    ],
    frames: {
      [v2]: [{ sessionUpdate: 'tool_call_update', ...image('a.png'), locations: [{ path: '/w/a.png' }] }],
      rest: [{ sessionUpdate: 'tool_call', ...image('a.png'), locations: [{ path: 'a.png' }] }],
    },
  },
];

goldenFlows([...mcp, ...web, ...images]);
