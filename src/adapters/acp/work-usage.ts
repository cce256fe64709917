import type { TokenBreakdown } from '../../domain/thread/thread-event.ts';
import type { WorkUsage } from '../../domain/turn/work-ending.ts';

/** Tokens in ACP words (S3.162). */
export interface TokenUsage {
  totalTokens: number;
  inputTokens: number;
  cachedReadTokens: number;
  cachedWriteTokens: number;
  outputTokens: number;
  thoughtTokens: number;
}

/** ACP usage of work. The tokens are counted as a client counts them: input without cached tokens (S3.160). */
export function tokenUsage(tokens: TokenBreakdown): TokenUsage {
  return {
    totalTokens: tokens.totalTokens,
    inputTokens: tokens.inputTokens,
    cachedReadTokens: tokens.cachedInputTokens,
    cachedWriteTokens: tokens.cacheWriteInputTokens,
    outputTokens: tokens.outputTokens,
    thoughtTokens: tokens.reasoningOutputTokens,
  };
}

/** `_meta.quota`: what the work cost, by model (S3.163). The model is named without its effort. */
export function quota(usage: WorkUsage | null): Record<string, unknown> {
  const tokens = usage?.tokens ?? null;
  const model = usage?.model?.replace(/\[[^\]]*\]$/, '') ?? null;
  return {
    token_count: tokens,
    model_usage: tokens === null || model === null ? [] : [{ model, token_count: tokens }],
  };
}
