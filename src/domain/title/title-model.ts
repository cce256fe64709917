import { serves } from '../settings/model-choice.ts';

/** The small model that makes titles (S3.191). Codex need not list it. */
export const titleModel = 'gpt-5.6-luna';

/** False when the gateway in force lists its models and the title model is not among them (S3.193). */
export function servesTitleModel(gatewayListing: readonly string[] | null): boolean {
  return gatewayListing === null || serves(gatewayListing, titleModel);
}
