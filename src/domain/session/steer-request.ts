/** More input for running work (S3.140). `content` is not checked yet. */
export interface SteerRequest {
  readonly content: readonly unknown[];
  /** The client keeps the text when nothing runs, instead of having a new turn started. */
  readonly promptRequired: boolean;
}

/** What became of a steer (S3.141). */
export type SteerOutcome = 'failed' | 'injected' | 'promptRequired' | 'startedNewTurn';
