import { mcpErrorText } from './mcp-error-text.ts';
import type { McpConnection, McpServerState } from './mcp-server-state.ts';

const labels: Readonly<Record<McpConnection, string>> = {
  connected: 'Connected',
  starting: 'Connecting',
  notStarted: 'Not started',
  authenticationRequired: 'Needs authentication',
  failed: 'Failed',
  cancelled: 'Cancelled',
  disabled: 'Disabled',
  unknown: 'Unknown',
};

const summaryOrder: readonly McpConnection[] = [
  'connected',
  'starting',
  'notStarted',
  'authenticationRequired',
  'failed',
  'cancelled',
  'disabled',
  'unknown',
];

const groupOrder: readonly McpConnection[] = [
  'failed',
  'cancelled',
  'authenticationRequired',
  'notStarted',
  'starting',
  'connected',
  'unknown',
];

/** States that a reconnect can change. */
const reconnectable: ReadonlySet<McpConnection> = new Set([
  'failed',
  'cancelled',
  'authenticationRequired',
  'notStarted',
]);

/** Servers that the session asked for and Codex does not list are shown too (S2.166). */
export function withRequestedServers(
  listed: readonly McpServerState[],
  requested: readonly string[],
): readonly McpServerState[] {
  const known = new Set(listed.map((server) => server.name));
  const missing = [...new Set(requested)].filter((name) => !known.has(name));
  return [
    ...listed,
    ...missing.map((name) => ({ name, connection: 'unknown', tools: 0, signedIn: true, error: null }) as const),
  ];
}

/** Answer of `/mcp` (S2.167). */
export function mcpText(servers: readonly McpServerState[]): string {
  if (servers.length === 0) return 'No MCP servers are configured.';
  const blocks = [
    summary(servers),
    ...groupOrder.map((connection) => group(connection, servers)),
    disabled(servers),
    servers.some((server) => reconnectable.has(server.connection))
      ? 'Run `/mcp reconnect` to restart the servers that are not connected.'
      : '',
  ];
  return blocks.filter((block) => block !== '').join('\n\n');
}

/** A server name as inline code, whatever backticks are in it (S2.167). */
export function serverName(name: string): string {
  if (name === '') return '(unnamed)';
  const runs = name.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(0, ...runs.map((run) => run.length)) + 1);
  const padding = /^[` ]|[` ]$/.test(name) ? ' ' : '';
  return `${fence}${padding}${name}${padding}${fence}`;
}

function summary(servers: readonly McpServerState[]): string {
  const counts = summaryOrder.flatMap((connection) => {
    const count = inState(connection, servers).length;
    return count === 0 ? [] : [`${count} ${labels[connection].toLowerCase()}`];
  });
  return `**MCP servers:** ${servers.length} (${counts.join(', ')})`;
}

function group(connection: McpConnection, servers: readonly McpServerState[]): string {
  const lines = inState(connection, servers).map((server) => {
    const detail = detailOf(server);
    return `- ${serverName(server.name)}${detail === '' ? '' : `: ${detail}`}`;
  });
  return lines.length === 0 ? '' : [`**${labels[connection]}**`, ...lines].join('\n');
}

function disabled(servers: readonly McpServerState[]): string {
  const names = inState('disabled', servers).map((server) => serverName(server.name));
  return names.length === 0 ? '' : `**Disabled:** ${names.join(', ')}`;
}

function detailOf({ connection, tools, signedIn, error }: McpServerState): string {
  if (connection === 'authenticationRequired') return 'not signed in';
  const parts = [
    connection === 'connected' || tools > 0 ? `${tools} ${tools === 1 ? 'tool' : 'tools'}` : '',
    signedIn ? '' : 'not signed in',
    error === null ? '' : mcpErrorText(error),
  ];
  return parts.filter((part) => part !== '').join('; ');
}

function inState(connection: McpConnection, servers: readonly McpServerState[]): readonly McpServerState[] {
  return servers.filter((server) => server.connection === connection);
}
