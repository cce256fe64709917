import { expect, it } from 'vitest';
import { AgentError } from '../../../src/domain/errors/agent-error.ts';
import { parseMcpServers, withoutConflicts } from '../../../src/domain/workspace/mcp-servers.ts';

const plainStdio = { command: 'run', args: [], env: {} };

it.each([
  ['untagged stdio', { name: 's', command: 'run' }, plainStdio],
  ['tagged stdio', { type: 'stdio', name: 's', command: 'run' }, plainStdio],
  ['a null type', { type: null, name: 's', command: 'run' }, plainStdio],
  ['null lists', { name: 's', command: 'run', args: null, env: null }, plainStdio],
  [
    'arguments and environment, the last of a name winning',
    {
      name: 's',
      command: 'run',
      args: ['-a', ''],
      env: [
        { name: 'A', value: '1' },
        { name: 'B', value: '2' },
        { name: 'A', value: '3' },
      ],
    },
    { command: 'run', args: ['-a', ''], env: { A: '3', B: '2' } },
  ],
  ['http', { type: 'http', name: 's', url: 'https://m' }, { url: 'https://m', http_headers: {} }],
  [
    'http with headers',
    {
      type: 'http',
      name: 's',
      url: 'https://m',
      headers: [
        { name: 'X', value: '1' },
        { name: 'X', value: '2' },
      ],
    },
    { url: 'https://m', http_headers: { X: '2' } },
  ],
])('S2.6 S2.154 maps %s', (_case, entry, server) => {
  expect(parseMcpServers([entry])).toEqual({ configured: { s: server }, names: ['s'] });
});

it.each([
  ['my server', 'my_server'],
  ['a\tb\nc', 'a_b_c'],
  ['a\u00a0b\u2003c\u3000d\u0085e\ufeff', 'a_b_c_d_e_'],
  [' ', '_'],
  ['a.b-c/ü', 'a.b-c/ü'],
])('S2.149 C050 the name %j becomes %j', (name, sanitised) => {
  expect(parseMcpServers([{ name, command: 'run' }]).names).toEqual([sanitised]);
});

it('C050 similar names stay two servers', () => {
  const servers = parseMcpServers([
    { name: 'a.b', command: '1' },
    { name: 'a-b', command: '2' },
    { name: 'A.b', command: '3' },
    { name: '__proto__', command: '4' },
  ]);
  expect(servers.names).toEqual(['a.b', 'a-b', 'A.b', '__proto__']);
  expect(Object.keys(servers.configured)).toEqual(servers.names);
});

it('S2.150 refuses two entries with one sanitised name, and names the second', () => {
  const entries = [
    { name: 'a b', command: '1' },
    { name: 'a\tb', command: '2' },
  ];
  expect(() => parseMcpServers(entries)).toThrow(
    expect.objectContaining({
      kind: 'invalidParams',
      message: 'MCP server names must be unique',
      data: { name: 'a\tb' },
    }),
  );
});

it.each([
  ['an empty name', { name: '', command: 'run' }, 'MCP server name must not be empty'],
  ['no name', { command: 'run' }, 'MCP server name must be a string'],
  ['sse', { type: 'sse', name: 's', url: 'https://m' }, "Codex doesn't support MCP SSE transport protocol"],
  ['acp', { type: 'acp', name: 's', id: '1' }, "Codex doesn't support MCP ACP transport protocol"],
  ['an unknown type', { type: 'ws', name: 's' }, "Codex doesn't support MCP 'ws' transport protocol"],
  ['no type and no command', { name: 's', url: 'https://m' }, "MCP server 's' needs a type or a command"],
  ['a type that is no text', { name: 's', type: 7, command: 'x' }, "MCP server 's' needs a type or a command"],
  ['stdio without command', { name: 's', type: 'stdio' }, "MCP server 's' needs a string command"],
  ['http without url', { name: 's', type: 'http' }, "MCP server 's' needs a string url"],
  ['args that are no list', { name: 's', command: 'x', args: 'a' }, "MCP server 's' needs a list in args"],
  ['an argument that is no text', { name: 's', command: 'x', args: [1] }, "MCP server 's' takes only strings in args"],
  ['no object', 'server', 'MCP servers must be objects'],
])('S2.150 to S2.153 refuses %s', (_case, entry, message) => {
  expect(() => parseMcpServers([{ name: 'ok', command: 'run' }, entry])).toThrow(AgentError.invalidParams(message));
});

it('C036 names no secret of a malformed environment', () => {
  const entry = { name: 's', command: 'x', env: [{ name: 'TOKEN', value: { secret: 'hunter2' } }] };
  expect(() => parseMcpServers([entry])).toThrow("MCP server 's' needs entries with a string name and value in env");
});

it('S2.155 skips servers that Codex has already, in order', () => {
  const servers = parseMcpServers(['a', 'b', 'c'].map((name) => ({ name, command: name })));
  expect(withoutConflicts(servers, ['b', 'z'])).toEqual({
    configured: { a: { command: 'a', args: [], env: {} }, c: { command: 'c', args: [], env: {} } },
    names: ['a', 'c'],
    skipped: ['b'],
  });
  expect(withoutConflicts(servers, [])).toEqual({ ...servers, skipped: [] });
});
