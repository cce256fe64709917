import { expect } from 'vitest';
import type { Frame } from '../../support/acp-client.ts';
import { text } from '../../support/model-replies.ts';
import type { AgentWire } from '../agent-wire.ts';
import type { CheckedRow, QuietRow } from '../row.ts';

/* Transport and JSON-RPC: rows that both versions share (2.1 and 3.2). */

/** A request that is answered without Codex and changes nothing (S3.66). */
const harmless = { method: 'session/close', params: { sessionId: 'a-session-nobody-opened' } };

const oddIds: readonly (string | number)[] = [
  0,
  -7,
  70_007,
  '70007',
  '',
  'text',
  'quotes " and \\ and ünïcödé 漢字 🙂\n',
  Number.MAX_SAFE_INTEGER,
];

/** Ids that v1 allows and v2 does not (S1.49). */
const v1Ids: readonly (string | number | null)[] = [...oddIds, 1.5, null];

export const idsComeBack: CheckedRow = {
  id: 'ACP-JSONRPC-001',
  tier: 'mandatory',
  requirement: 'a response has the id of its request, unchanged, whatever its shape',
  async run(lab) {
    const agent = await lab.main();
    const from = agent.now;
    const ids = lab.version === 1 ? v1Ids : oddIds;
    for (const method of [harmless.method, 'no/such_method']) {
      await Promise.all(ids.map((id) => agent.ask(id, method, harmless.params)));
    }
    const answered = agent.responses(from).map(({ id }) => JSON.stringify(id));
    expect(answered.toSorted()).toEqual([...ids, ...ids].map((id) => JSON.stringify(id)).toSorted());
  },
};

export const eitherResultOrError: CheckedRow = {
  id: 'ACP-JSONRPC-002',
  tier: 'mandatory',
  requirement: 'a response has exactly one of result and error; an error has an integer code and a text message',
  async run(lab) {
    const agent = await lab.main();
    expect(await agent.request(harmless.method, harmless.params)).toEqual({});
    expect(await agent.refusal('no/such_method')).toBe(-32601);
    for (const response of lab.agents.flatMap((one) => one.responses())) expect(response).toSatisfy(isWellFormed);
  },
};

function isWellFormed(response: Frame): boolean {
  if ('result' in response === 'error' in response) return false;
  const { error } = response;
  return error === undefined || (Number.isInteger(error.code) && typeof error.message === 'string');
}

export const notificationsAreNotAnswered: QuietRow = {
  id: 'ACP-JSONRPC-003',
  tier: 'mandatory',
  requirement: 'a notification is never answered, even a faulty or unknown one',
  async event(lab) {
    const agent = await lab.main();
    const from = agent.now;
    agent.notify('session/cancel', {});
    agent.notify('session/cancel', { sessionId: 7 });
    agent.notify('session/cancel');
    agent.notify('session/cancel', []);
    agent.notify('session/cancel', { sessionId: 'a-session-nobody-opened' });
    agent.notify('no/such_notification', { any: 'thing' });
    agent.notify('$/cancel_request', {});
    agent.notify('$/cancel_request', { requestId: 'no-such-request' });
    // Requests without an id are notifications.
    agent.notify(harmless.method, harmless.params);
    agent.notify('session/prompt', { sessionId: 'a-session-nobody-opened' });
    agent.notify('initialize', { protocolVersion: 'x' });
    return () => expect(agent.strays(from)).toEqual([]);
  },
};

/**
 * Methods that no version or only the other one has (table of S1 section 8, S1.97). The old name of `_session/goal` is
 * known on v1 (S3.122, which mends S1.97).
 */
const unknownMethods: Readonly<Record<1 | 2, readonly string[]>> = {
  1: ['auth/login', 'auth/logout', 'tool_call/cancel', 'terminal/cancel'],
  2: [
    'authenticate',
    'logout',
    'session/load',
    'session/set_mode',
    'session/set_model',
    'authentication/status',
    // The former name of `_session/goal` (S3.122).
    '_codex/session/goal_control',
  ],
};

export const unknownMethodsAreRefused: CheckedRow = {
  id: 'ACP-JSONRPC-004',
  tier: 'advisory',
  requirement: 'an unknown method gets -32601',
  async run(lab) {
    const agent = await lab.main();
    const { id: sessionId } = await lab.session();
    const everywhere = ['no/such_method', 'session/nonsense', '', 'auth/status', 'session/archive', 'session/status'];
    for (const method of [...everywhere, ...unknownMethods[lab.version]]) {
      expect([method, await agent.refusal(method, { sessionId })]).toEqual([method, -32601]);
    }
  },
};

export const badRequestsDoNoHarm: CheckedRow = {
  id: 'ACP-JSONRPC-005',
  tier: 'advisory',
  requirement: 'after bad requests, malformed lines and arrays the connection still works',
  async run(lab) {
    const agent = await lab.main();
    const { workspace } = await lab.base();
    const bad: readonly (readonly [string, unknown])[] = [
      ['session/new', undefined],
      ['session/new', null],
      ['session/new', []],
      ['session/new', 'text'],
      ['session/new', {}],
      ['session/new', { cwd: 7, mcpServers: [] }],
      ['session/new', { cwd: 'relative', mcpServers: [] }],
      ['session/new', { cwd: workspace.path, mcpServers: [{ nonsense: true }] }],
      ['session/new', { cwd: workspace.path, mcpServers: 'none' }],
      ['session/prompt', {}],
      ['session/prompt', { sessionId: 7, prompt: [] }],
      ['session/prompt', { sessionId: 'x', prompt: 'text' }],
      ['session/close', {}],
      ['session/set_config_option', { sessionId: 'x' }],
    ];
    for (const [method, params] of bad) {
      expect([method, params, await agent.refusal(method, params)]).toEqual([method, params, -32602]);
    }
    await agent.refusals(['{"jsonrpc":', 'null', '[]', '{}']);
    const session = await lab.session();
    expect(await session.prompt(text('Still here.')).ended()).toMatchObject({ stopReason: 'end_turn' });
    expect(session.text()).toBe('Still here.');
  },
};

export const oddLinesAreRead: CheckedRow['run'] = async (lab) => {
  const agent = await lab.main();
  const from = agent.now;
  const request = (id: string): string => JSON.stringify({ jsonrpc: '2.0', id, ...harmless });
  // Empty lines, `\r\n`, spaces around, two messages in one write, one message in several.
  agent.write(`\n\r\n  \n${request('line-1')}\r\n  ${request('line-2')}  \n`);
  for (const part of request('line-3').match(/.{1,9}/gs) ?? []) agent.write(part);
  agent.write('\n');
  // One byte per write: every character of more than one byte is split.
  for (const byte of Buffer.from(`${request('line-4 ünïcödé 漢字 🙂')}\n`)) agent.write(Buffer.of(byte));
  await agent.until(({ id }) => id === 'line-4 ünïcödé 漢字 🙂', 'the answer to the last line', from);
  const ids = agent.responses(from).map(({ id }) => id);
  expect(ids.toSorted()).toEqual(['line-1', 'line-2', 'line-3', 'line-4 ünïcödé 漢字 🙂']);
};

export const notJson: CheckedRow = {
  id: 'ACP-INFO-PARSE-001',
  tier: 'informational',
  requirement: 'a line that is not JSON gets -32700 with `id: null`, and the connection stays (S1.42)',
  async run(lab, note) {
    const agent = await lab.main();
    const lines = ['not json', '{"jsonrpc":"2.0","id":1,"method":"initialize"', '{"a":1}{"b":2}', '\u0000', "{'id':1}"];
    const replies = await agent.refusals(lines);
    note(JSON.stringify(replies[0]));
    expect(replies.map(codeOf)).toEqual(lines.map(() => -32700));
    await stillWorks(agent);
  },
};

export const notJsonRpc: CheckedRow = {
  id: 'ACP-INFO-INVALIDREQ-001',
  tier: 'informational',
  requirement: 'JSON without the shape of JSON-RPC gets -32600 with `id: null`, and the connection stays (S1.42)',
  async run(lab, note) {
    const agent = await lab.main();
    const lines = ['{}', '{"foo":1}', '42', '"text"', 'null', 'true', '{"jsonrpc":"2.0","id":{},"method":"x"}'];
    const replies = await agent.refusals([...lines, '{"jsonrpc":"1.0","id":5,"method":"x"}', '{"id":5,"method":"x"}']);
    note(JSON.stringify(replies[0]));
    expect(replies.map(codeOf)).toEqual(Array(lines.length + 2).fill(-32600));
    await stillWorks(agent);
  },
};

export const unknownSession: CheckedRow = {
  id: 'ACP-INFO-UNKNOWNSESSION-001',
  tier: 'informational',
  requirement: 'a prompt for an unknown session gets -32002, whatever its id looks like (S3.21)',
  async run(lab, note) {
    const agent = await lab.main();
    const ids = [
      '01a22d7d-f0b3-7a60-807f-c92cbeab2068',
      'never-created-session',
      '',
      ' ',
      '../x',
      '漢字 "🙂"',
      'x'.repeat(5000),
    ];
    const prompt = [{ type: 'text', text: 'Hello?' }];
    const codes = [];
    for (const sessionId of ids) codes.push(await agent.refusal('session/prompt', { sessionId, prompt }));
    note(String(codes));
    expect(codes).toEqual(ids.map(() => -32002));
  },
};

/** Arrays of every kind, each with the number of the entries that would be answered if they ran. */
const arrays = {
  empty: '[]',
  notifications: batch({ method: 'session/cancel', params: { sessionId: 'x' } }, { method: 'no/such_notification' }),
  invalid: '[1, null, "text", {}, {"foo":1}, [] ]',
  requests: batch({ id: 'in-array-1', ...harmless }, { id: 'in-array-2', method: 'no/such_method' }),
  mixed: batch({ id: 'in-array-3', ...harmless }, { id: 77, result: {} }, { method: 'session/cancel' }),
  nested: '[[{"jsonrpc":"2.0","id":"in-array-4","method":"no/such_method"}]]',
};

function batch(...messages: readonly object[]): string {
  return JSON.stringify(messages.map((message) => ({ jsonrpc: '2.0', ...message })));
}

/** S10.30: an array gets one -32600 with `id: null`, and nothing in it runs. */
export async function arrayIsRefused(agent: AgentWire, kind: keyof typeof arrays): Promise<Frame> {
  const from = agent.now;
  agent.write(`${arrays[kind]}\n`);
  // Lines are handled in order: what the array causes stands before the answer to this request.
  await stillWorks(agent);
  const replies = agent.responses(from).slice(0, -1);
  expect([kind, replies.map(codeOf)]).toEqual([kind, [-32600]]);
  return replies[0] as Frame;
}

export async function stillWorks(agent: AgentWire): Promise<void> {
  expect(await agent.request(harmless.method, harmless.params)).toEqual({});
}

/** The code of a response that belongs to no request. */
function codeOf(response: Frame): number | string {
  return response.id === null && response.error !== undefined ? response.error.code : JSON.stringify(response);
}

export const arrayIdsStayFree: CheckedRow = {
  id: 'ACP-BATCH-205',
  tier: 'advisory',
  requirement: 'ids inside a refused array are still free',
  async run(lab) {
    const agent = await lab.main();
    await arrayIsRefused(agent, 'requests');
    expect(await agent.ask('in-array-1', harmless.method, harmless.params)).toMatchObject({ result: {} });
    expect(await agent.ask('in-array-2', harmless.method, harmless.params)).toMatchObject({ result: {} });
  },
};

export const extensionRequestsAreAnswered: CheckedRow = {
  id: 'ACP-EXT-001',
  tier: 'mandatory',
  requirement: 'an unknown request that starts with `_` gets a response',
  async run(lab) {
    const agent = await lab.main();
    for (const method of ['_no/such_extension', '_example.com/thing', '_']) {
      expect([method, await agent.refusal(method, { any: 'thing' })]).toEqual([method, -32601]);
    }
  },
};
