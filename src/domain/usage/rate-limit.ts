/** One window of a limit. `resetsAt` is in seconds since the Unix epoch, `minutes` the length of the window. */
export interface RateLimitWindow {
  readonly usedPercent: number;
  readonly minutes: number | null;
  readonly resetsAt: number | null;
}

/** A limit of the account as Codex knows it; `null` is unknown (S3.165). Amounts are texts of Codex. */
export interface RateLimit {
  /** `null` is the limit named `codex`. */
  readonly limitId: string | null;
  readonly limitName: string | null;
  readonly primary: RateLimitWindow | null;
  readonly secondary: RateLimitWindow | null;
  readonly credits: { readonly unlimited: boolean; readonly balance: string | null } | null;
  readonly individualLimit: {
    readonly limit: string;
    readonly used: string;
    readonly remainingPercent: number;
    readonly resetsAt: number;
  } | null;
  readonly spendControlReached: boolean | null;
  readonly planType: string | null;
}
