import type { CodexStatus } from '../../ports/outbound/codex-features.ts';
import type { ReconnectNote } from '../commands/mcp-reconnect-text.ts';
import { mcpReconnectText } from '../commands/mcp-reconnect-text.ts';
import type { McpServerState } from '../commands/mcp-server-state.ts';
import { mcpText } from '../commands/mcp-text.ts';
import type { LocalRun } from './local-run.ts';

/** What a reconnect works with. */
export interface McpReconnectPorts {
  readonly codex: Pick<CodexStatus, 'reconnectMcpServers'>;
  /** The servers of the session as they are now. */
  list(): Promise<readonly McpServerState[]>;
  /** The client can open a page for a sign-in. */
  readonly opensPages: boolean;
}

/** Time between two looks at servers that are starting. */
const pollMs = 250;
/** Servers that are not there after so long are told to be still starting (S2.169). */
const longestMs = 30_000;

/**
 * `/mcp reconnect` (S2.169): reloads the configuration, which starts servers again, and looks until every server that is
 * not disabled has settled.
 */
export class McpReconnect {
  readonly #run: LocalRun;
  readonly #ports: McpReconnectPorts;
  /** What is known of the servers since the reload. */
  #servers: readonly McpServerState[] = [];

  constructor(run: LocalRun, ports: McpReconnectPorts) {
    this.#run = run;
    this.#ports = ports;
  }

  start(): void {
    this.#run.settle(this.#ports.list(), (servers) => {
      if (servers.length === 0) return this.#run.reply(mcpText([]));
      this.#reload(servers);
    });
  }

  #reload(before: readonly McpServerState[]): void {
    this.#run.settle(
      this.#ports.codex.reconnectMcpServers(),
      () => {
        // Codex may hold a listing back until its servers have started: until then this is what we know.
        this.#servers = before.map(restarting);
        this.#run.after(longestMs, () => this.#finish());
        this.#look();
      },
      (error) => this.#notReloaded(error),
    );
  }

  #notReloaded(error: Error): void {
    this.#run.settle(this.#ports.list(), (servers) => {
      this.#run.reply(mcpReconnectText([{ type: 'notReloaded', reason: error.message }], servers));
    });
  }

  #look(): void {
    this.#run.settle(this.#ports.list(), (servers) => {
      this.#servers = servers;
      if (servers.some(isStarting)) this.#run.after(pollMs, () => this.#look());
      else this.#finish();
    });
  }

  #finish(): void {
    const servers = this.#servers;
    const needLogin = servers.filter((server) => server.connection === 'authenticationRequired');
    const notes: ReconnectNote[] = [{ type: 'reloaded' }];
    if (!this.#ports.opensPages) {
      for (const { name } of needLogin) notes.push({ type: 'cannotSignIn', server: name });
    }
    if (servers.some(isStarting)) notes.push({ type: 'stillStarting' });
    this.#run.reply(mcpReconnectText(notes, servers));
  }
}

function isStarting(server: McpServerState): boolean {
  return server.connection === 'starting';
}

/** What a reload makes of a server: those that work are left alone, and without a live thread nobody can tell. */
function restarting(server: McpServerState): McpServerState {
  switch (server.connection) {
    case 'connected':
    case 'disabled':
    case 'unknown':
      return server;
    case 'authenticationRequired':
    case 'cancelled':
    case 'failed':
    case 'notStarted':
    case 'starting':
      return { ...server, connection: 'starting', error: null };
  }
}
