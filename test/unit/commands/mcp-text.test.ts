import { describe, expect, it } from 'vitest';
import { mcpErrorText } from '../../../src/domain/commands/mcp-error-text.ts';
import { mcpReconnectText } from '../../../src/domain/commands/mcp-reconnect-text.ts';
import type { McpConnection, McpServerState } from '../../../src/domain/commands/mcp-server-state.ts';
import { mcpText, serverName, withRequestedServers } from '../../../src/domain/commands/mcp-text.ts';

function server(name: string, connection: McpConnection, overrides: Partial<McpServerState> = {}): McpServerState {
  return { name, connection, tools: 0, signedIn: true, error: null, ...overrides };
}

describe('S2.167 /mcp', () => {
  it('no servers', () => {
    expect(mcpText([])).toBe('No MCP servers are configured.');
  });

  it('the example of the spec', () => {
    const servers = [
      server('docs', 'connected', { tools: 4 }),
      server('name', 'failed', { error: 'MCP startup failed: connection closed' }),
      server('off', 'disabled'),
    ];
    expect(mcpText(servers)).toBe(
      [
        '**MCP servers:** 3 (1 connected, 1 failed, 1 disabled)',
        '',
        '**Failed**',
        '- `name`: connection closed',
        '',
        '**Connected**',
        '- `docs`: 4 tools',
        '',
        '**Disabled:** `off`',
        '',
        'Run `/mcp reconnect` to restart the servers that are not connected.',
      ].join('\n'),
    );
  });

  it('every state has its label, its place in the summary and in the groups', () => {
    const states: McpConnection[] = [
      'unknown',
      'disabled',
      'cancelled',
      'failed',
      'authenticationRequired',
      'notStarted',
      'starting',
      'connected',
    ];
    expect(mcpText(states.map((state) => server(state, state)))).toBe(
      [
        '**MCP servers:** 8 (1 connected, 1 connecting, 1 not started, 1 needs authentication, 1 failed, 1 cancelled, 1 disabled, 1 unknown)',
        '**Failed**\n- `failed`',
        '**Cancelled**\n- `cancelled`',
        '**Needs authentication**\n- `authenticationRequired`: not signed in',
        '**Not started**\n- `notStarted`',
        '**Connecting**\n- `starting`',
        '**Connected**\n- `connected`: 0 tools',
        '**Unknown**\n- `unknown`',
        '**Disabled:** `disabled`',
        'Run `/mcp reconnect` to restart the servers that are not connected.',
      ].join('\n\n'),
    );
  });

  it('servers of one state stay in their order', () => {
    expect(
      mcpText([server('b', 'disabled'), server('y', 'connected'), server('a', 'disabled'), server('x', 'connected')]),
    ).toBe(
      '**MCP servers:** 4 (2 connected, 2 disabled)\n\n**Connected**\n- `y`: 0 tools\n- `x`: 0 tools\n\n**Disabled:** `b`, `a`',
    );
  });

  it.each(['failed', 'cancelled', 'authenticationRequired', 'notStarted'] as const)(
    'advises a reconnect when a server is %s',
    (state) => {
      expect(mcpText([server('a', state)])).toContain('Run `/mcp reconnect`');
    },
  );

  it.each(['connected', 'starting', 'disabled', 'unknown'] as const)('does not when all are %s', (state) => {
    expect(mcpText([server('a', state)])).not.toContain('/mcp reconnect');
  });

  it.each([
    [server('a', 'connected', { tools: 1 }), ': 1 tool'],
    [server('a', 'connected', { signedIn: false }), ': 0 tools; not signed in'],
    [
      server('a', 'failed', { tools: 2, signedIn: false, error: 'broken pipe' }),
      ': 2 tools; not signed in; broken pipe',
    ],
    [server('a', 'unknown', { tools: 3 }), ': 3 tools'],
    [server('a', 'unknown'), ''],
    [server('a', 'authenticationRequired', { tools: 2, signedIn: false, error: 'no token' }), ': not signed in'],
  ])('detail of %j', (state, detail) => {
    expect(mcpText([state]).split('\n')[3]).toBe(`- \`a\`${detail}`);
  });

  it.each([
    ['docs', '`docs`'],
    ['', '(unnamed)'],
    ['a`b', '``a`b``'],
    ['a``b`c', '```a``b`c```'],
    ['`a', '`` `a ``'],
    ['a ', '` a  `'],
    ['a b', '`a b`'],
  ])('S2.167 the name %j is %s', (name, shown) => {
    expect(serverName(name)).toBe(shown);
  });
});

describe('S2.166 requested servers', () => {
  it('that Codex does not list are added with unknown status, once', () => {
    const listed = [server('a', 'connected')];
    expect(withRequestedServers(listed, ['a', 'b', 'b'])).toEqual([server('a', 'connected'), server('b', 'unknown')]);
  });
});

describe('S2.168 errors', () => {
  it.each([
    ['connection closed', 'connection closed'],
    [
      'tool discovery failed: MCP startup failed: Handshaking with MCP server failed: connection closed',
      'connection closed',
    ],
    ['MCP client for `slow one` failed to start: JSON-RPC error: -32603: Error: boom', 'boom'],
    ['startup error: -3260: x', '-3260: x'],
    ['error code: x', 'error code: x'],
    ['a\n  b\t c ', 'a b c'],
    ['worker rmcp::transport::worker::Quit quit: reason', 'worker quit: reason'],
    ['rmcp::transport::worker::Quit: reason', 'reason'],
    ['std::io failed', 'std::io failed'],
    ['MCP startup failed: error', 'MCP startup failed: error'],
    ['First. Second! Third? Fourth.', 'First. Second!'],
    ['version 1.2.3 is too old. Update it. Now.', 'version 1.2.3 is too old. Update it.'],
    ['', ''],
  ])('%j is %j', (error, text) => {
    expect(mcpErrorText(error)).toBe(text);
  });

  it('at most 160 code points are shown', () => {
    expect(mcpErrorText('😀'.repeat(160))).toBe('😀'.repeat(160));
    expect(mcpErrorText('😀'.repeat(161))).toBe(`${'😀'.repeat(160)}…`);
  });

  it('at most 2000 characters are read', () => {
    const wrappers = 'error: '.repeat(400);
    expect(mcpErrorText(`${wrappers}late`)).not.toContain('late');
  });

  it('Markdown in it stays text; the length is counted before', () => {
    expect(mcpErrorText('\\ ` * _ [x] <y> ~ (z)')).toBe('\\\\ \\` \\* \\_ \\[x\\] \\<y\\> \\~ (z)');
    expect(mcpErrorText('*'.repeat(160))).toBe('\\*'.repeat(160));
  });
});

describe('S2.169 /mcp reconnect', () => {
  it('shows the notes and then the servers', () => {
    const servers = [server('a`b', 'authenticationRequired', { signedIn: false }), server('c', 'starting')];
    const text = mcpReconnectText(
      [{ type: 'reloaded' }, { type: 'cannotSignIn', server: 'a`b' }, { type: 'stillStarting' }],
      servers,
    );
    expect(text).toBe(
      [
        '**Reconnect:**',
        '- Reloaded the MCP configuration of all open sessions. Codex restarted the servers that failed, stopped, or changed. A connected server with unchanged settings keeps its connection.',
        '- MCP server ``a`b`` needs authentication, but this client cannot open a sign-in page.',
        '- Some MCP servers are still starting. Run `/mcp` again later to see their status.',
        '',
        mcpText(servers),
      ].join('\n'),
    );
  });

  it('tells why nothing was reloaded', () => {
    const text = mcpReconnectText([{ type: 'notReloaded', reason: 'error: bad [table]' }], [server('a', 'connected')]);
    expect(text).toBe(
      `**Reconnect:**\n- Could not reload the MCP configuration: bad \\[table\\]\n\n${mcpText([server('a', 'connected')])}`,
    );
  });
});
