/**
 * How a turn ended for what it left open: as Codex said, `cancelled` when it was told to stop and ended in whatever
 * way (S3.55), `lost` when the app-server died. `error` is Codex's reason for a failure.
 */
export interface TurnEnd {
  readonly status: 'cancelled' | 'completed' | 'failed' | 'interrupted' | 'lost';
  readonly error: string | null;
}
