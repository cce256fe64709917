import { mcpErrorText } from './mcp-error-text.ts';
import type { McpServerState } from './mcp-server-state.ts';
import { mcpText, serverName } from './mcp-text.ts';

/** What happened in a reconnect that the user should know (S2.169). */
export type ReconnectNote =
  | { readonly type: 'reloaded' }
  | { readonly type: 'notReloaded'; readonly reason: string }
  /** The client cannot open pages, so nobody can sign in from here. */
  | { readonly type: 'cannotSignIn'; readonly server: string }
  | { readonly type: 'stillStarting' };

/** Answer of `/mcp reconnect`: the notes in order, then the state of the servers (S2.169). */
export function mcpReconnectText(notes: readonly ReconnectNote[], servers: readonly McpServerState[]): string {
  return ['**Reconnect:**', ...notes.map((note) => `- ${noteText(note)}`), '', mcpText(servers)].join('\n');
}

function noteText(note: ReconnectNote): string {
  switch (note.type) {
    case 'reloaded':
      return (
        'Reloaded the MCP configuration of all open sessions. Codex restarted the servers that failed, stopped, or ' +
        'changed. A connected server with unchanged settings keeps its connection.'
      );
    case 'notReloaded':
      return `Could not reload the MCP configuration: ${mcpErrorText(note.reason)}`;
    case 'cannotSignIn':
      return `MCP server ${serverName(note.server)} needs authentication, but this client cannot open a sign-in page.`;
    case 'stillStarting':
      return 'Some MCP servers are still starting. Run `/mcp` again later to see their status.';
  }
}
