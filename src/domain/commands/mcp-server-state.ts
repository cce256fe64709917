/** Connection of an MCP server as Codex tells it; `unknown` without a live thread or for a state that is new to us. */
export type McpConnection =
  | 'authenticationRequired'
  | 'cancelled'
  | 'connected'
  | 'disabled'
  | 'failed'
  | 'notStarted'
  | 'starting'
  | 'unknown';

/** An MCP server of a thread (S2.166, S2.167). */
export interface McpServerState {
  readonly name: string;
  readonly connection: McpConnection;
  readonly tools: number;
  readonly signedIn: boolean;
  /** Why its tools could not be listed, as Codex says it. */
  readonly error: string | null;
}
