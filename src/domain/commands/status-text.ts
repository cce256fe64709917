import { modelIdWithEffort } from '../settings/model-choice.ts';
import type { SessionSettings } from '../settings/session-settings.ts';
import type { SandboxPolicy, TurnPolicy } from '../settings/turn-policy.ts';
import { turnPolicy } from '../settings/turn-policy-of.ts';
import type { TokenBreakdown } from '../thread/thread-event.ts';
import type { RateLimit } from '../usage/rate-limit.ts';
import { type LocalClock, rateLimitLines } from '../usage/rate-limit-text.ts';
import { tokenCount } from '../usage/usage-meter.ts';

/** The last report of Codex about the tokens of a thread (S3.161); the `tokenUsage` event is one. */
export interface ThreadUsage {
  readonly total: TokenBreakdown;
  /** The last model call: what is in the context now (C024). */
  readonly last: TokenBreakdown;
  readonly contextWindow: number | null;
}

/** Everything that `/status` shows (S2.119). */
export interface StatusFacts {
  readonly sessionId: string;
  readonly settings: SessionSettings;
  /** The login in words (S2.120). */
  readonly account: string;
  /** `null` before Codex reported any. */
  readonly usage: ThreadUsage | null;
  readonly limits: readonly RateLimit[];
  readonly clock: LocalClock;
}

const unknownYet = 'data not available yet';

/** Answer of `/status` (S2.119 to S2.122). */
export function statusText(facts: StatusFacts): string {
  const { settings } = facts;
  const policy = turnPolicy(settings);
  const lines = [
    `**Model:** ${modelIdWithEffort(settings)}`,
    `**Directory:** ${settings.workspace.cwd}`,
    `**Approval:** ${typeof policy.approvalPolicy === 'string' ? policy.approvalPolicy : 'granular'}`,
    accessLine(policy.access),
    `**Account:** ${facts.account}`,
    `**Session:** \`${facts.sessionId}\``,
    '',
    `**Token usage:** ${usageText(facts.usage)}`,
    `**Context window:** ${contextText(facts.usage)}`,
    ...rateLimitLines(facts.limits, facts.clock),
  ];
  return lines.join('  \n');
}

function accessLine(access: TurnPolicy['access']): string {
  switch (access.type) {
    case 'profile':
      return `**Permission profile:** ${access.profileId}`;
    case 'sandbox':
      return `**Sandbox:** ${sandboxName(access.sandbox)}`;
  }
}

function sandboxName(sandbox: SandboxPolicy): string {
  switch (sandbox.type) {
    case 'readOnly':
      return 'read-only';
    case 'workspaceWrite':
      return 'workspace-write';
    case 'dangerFullAccess':
      return 'danger-full-access';
  }
}

function usageText(usage: ThreadUsage | null): string {
  if (usage === null) return unknownYet;
  const tokens = tokenCount(usage.total);
  const written = tokens.cacheWriteInputTokens;
  const input = [
    `${compact(tokens.inputTokens)} input`,
    `${compact(tokens.cachedInputTokens)} cached input`,
    ...(written === 0 ? [] : [`${compact(written)} cache write`]),
  ].join(' + ');
  return `${compact(tokens.totalTokens)} total  (${input}, ${compact(tokens.outputTokens)} output)`;
}

function contextText(usage: ThreadUsage | null): string {
  const size = usage?.contextWindow ?? 0;
  if (usage === null || size <= 0) return unknownYet;
  const used = usage.last.totalTokens;
  return `${Math.round((used / size) * 100)}% used (${compact(used)} used / ${compact(size)})`;
}

/** `1.2M`, `3.4K` or the plain number (S2.121). */
function compact(count: number): string {
  // From here on a number of thousands would be rounded to 1000.0K.
  if (count >= 999_950) return `${(count / 1_000_000).toFixed(1)}M`;
  return count >= 1000 ? `${(count / 1000).toFixed(1)}K` : `${count}`;
}
