/** Why there is no report (S3.198). */
export type ReportFailure = 'cancelled' | 'invalidOutput' | 'notReported' | 'providerError';

/** Which files the agent changed while it worked on a prompt (S3.197). */
export type FileChangeReport =
  | {
      readonly type: 'reported';
      readonly requestId: string;
      readonly paths: readonly string[];
      /** Something was left out. */
      readonly truncated: boolean;
    }
  | { readonly type: 'unavailable'; readonly requestId: string; readonly reason: ReportFailure };
