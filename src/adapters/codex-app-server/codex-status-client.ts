import type { McpConnection, McpServerState } from '../../domain/commands/mcp-server-state.ts';
import type { RateLimit } from '../../domain/usage/rate-limit.ts';
import type { CodexStatus } from '../../ports/outbound/codex-features.ts';
import { allPages } from './all-pages.ts';
import type * as wire from './protocol.generated.ts';
import type { CallCodex } from './protocol.ts';
import { translateRateLimit } from './translate-rate-limit.ts';
import { isUnknownThread } from './unknown-thread.ts';

/** The limit that is meant when none is named (S3.165). */
const defaultLimitId = 'codex';

const connections: ReadonlySet<string> = new Set<McpConnection>([
  'authenticationRequired',
  'cancelled',
  'connected',
  'disabled',
  'failed',
  'notStarted',
  'starting',
]);

/** Limits and MCP servers of the running app-server. */
export class CodexStatusClient implements CodexStatus {
  readonly #call: CallCodex;
  readonly #redact: (text: string) => string;

  /** `redact` masks secrets: an MCP server's error may repeat a header that it was sent (C036). */
  constructor(call: CallCodex, redact: (text: string) => string) {
    this.#call = call;
    this.#redact = redact;
  }

  /** Codex tells one limit by itself, and all of them by id when its backend knows several. */
  async rateLimits(): Promise<readonly RateLimit[]> {
    const { rateLimits, rateLimitsByLimitId } = await this.#call('account/rateLimits/read', undefined);
    const limits = new Map<string, RateLimit>();
    const main = translateRateLimit(rateLimits);
    if (main !== null) limits.set(main.limitId ?? defaultLimitId, main);
    for (const [id, snapshot] of Object.entries(rateLimitsByLimitId ?? {})) {
      const limit = translateRateLimit(snapshot);
      if (limit !== null) limits.set(id, { ...limit, limitId: limit.limitId ?? id });
    }
    return [...limits.values()];
  }

  /** Without a thread that Codex knows, the configured servers are listed, none of which is connected (S2.166). */
  async mcpServers(threadId: string): Promise<readonly McpServerState[]> {
    try {
      return (await this.#servers({ threadId })).map((server) => this.#state(server));
    } catch (error) {
      if (!isUnknownThread(error)) throw error;
      return (await this.#servers({})).map((server) => ({ ...this.#state(server), connection: 'unknown' as const }));
    }
  }

  async reconnectMcpServers(): Promise<void> {
    await this.#call('config/mcpServer/reload', undefined);
  }

  #servers(scope: { readonly threadId?: string }): Promise<readonly wire.McpServerStatus[]> {
    return allPages(
      (cursor) => this.#call('mcpServerStatus/list', { cursor, detail: 'toolsAndAuthOnly', ...scope }),
      'ends',
    );
  }

  #state(server: wire.McpServerStatus): McpServerState {
    return {
      name: server.name,
      connection: connection(server.runtimeStatus),
      tools: Object.keys(server.tools ?? {}).length,
      signedIn: server.authStatus !== 'notLoggedIn',
      error: server.toolsError ? this.#redact(server.toolsError) : null,
    };
  }
}

function connection(status: string | null | undefined): McpConnection {
  return status !== null && status !== undefined && connections.has(status) ? (status as McpConnection) : 'unknown';
}
