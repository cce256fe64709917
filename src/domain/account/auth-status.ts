import type { AuthStatus } from '../../ports/outbound/client-channel.ts';
import type { CodexAccount } from '../../ports/outbound/codex-runtime.ts';

/** Plan ids of Codex as people know them (S1.186); the raw id stays in `account.plan`. */
const planNames: Readonly<Record<string, string>> = {
  free: 'Free',
  go: 'Go',
  plus: 'Plus',
  pro: 'Pro',
  prolite: 'Pro Lite',
  promax: 'Pro Max',
  team: 'Team',
  business: 'Business',
  enterprise: 'Enterprise',
  ent26: 'Enterprise',
  edu: 'Edu',
  edu_plus: 'Edu Plus',
  edu_pro: 'Edu Pro',
  sci: 'Science',
  sci_plus: 'Science Plus',
};

/** A readable name for a plan id, known or not. */
export function planName(plan: string): string {
  const known = planNames[plan];
  if (known !== undefined) return known;
  return plan
    .split('_')
    .filter((word) => word !== '')
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join(' ');
}

/** Status of a login with Codex itself (S1.185). */
export function accountStatus(account: CodexAccount | null): AuthStatus {
  if (account === null) return { kind: 'none', label: 'Not logged in' };
  switch (account.type) {
    case 'apiKey':
      return { kind: 'api_key', label: 'OpenAI API key' };
    case 'chatgpt': {
      const { email, plan } = account;
      const facts = { ...(email === null ? {} : { email }), ...(plan === null ? {} : { plan }) };
      return {
        kind: 'account',
        label: plan === null || plan === 'unknown' ? 'ChatGPT' : `ChatGPT ${planName(plan)}`,
        ...(Object.keys(facts).length === 0 ? {} : { account: facts }),
      };
    }
    case 'external':
      return { kind: 'external', label: account.name };
  }
}

/** Status of a gateway that the client signed in to with the `gateway` method (S1.185). */
export function gatewayStatus(name: string): AuthStatus {
  return { kind: 'gateway', label: 'Custom model gateway', detail: name };
}

/** Status of a provider from the environment or the Codex configuration; `openai` is the account (S1.182, S1.187). */
export function providerStatus(providerId: string): AuthStatus {
  if (providerId.trim().toLowerCase() === 'wire') return { kind: 'gateway', label: 'JetBrains Air Gateway' };
  return { kind: 'gateway', label: 'Custom model gateway', detail: providerId };
}
