import type { PromptEnding } from '../../domain/turn/work-ending.ts';
import type { RequestId } from './json-rpc.ts';

/**
 * Open `session/prompt` requests of one protocol version. Each method returns the id of the request that it answered
 * just now, `undefined` if none: the frames of the session that follow then wait for that response (S1 section 13).
 */
export interface PromptReplies {
  /** v2 answers here (S3.41); v1 does nothing. */
  inserted(promptId: string, messageId: string): RequestId | undefined;
  /** Answers the prompt if it is still open (S3.40v1, S3.43). */
  ended(promptId: string, ending: PromptEnding): RequestId | undefined;
}
