import type { CodexAccount } from '../../ports/outbound/codex-runtime.ts';

/** Logins that Codex takes from elsewhere, by their name in our login status (S1.185), as `/status` calls them. */
const externalAccounts: ReadonlyMap<string, string> = new Map([
  ['AWS Bedrock', 'Amazon Bedrock'],
  ['Google Cloud', 'Google Cloud'],
]);

/**
 * The login in words, for `/status` (S2.120). `provider` is the name of the gateway or custom provider in use, `null`
 * for OpenAI: without an account it says where the model is.
 */
export function accountText(account: CodexAccount | null, provider: string | null): string {
  if (account === null) return provider === null ? 'not logged in' : `Gateway: ${provider}`;
  switch (account.type) {
    case 'apiKey':
      return 'API key configured';
    case 'chatgpt': {
      const plan = account.plan === null ? '' : ` ${account.plan}`;
      const email = account.email === null ? '' : ` (${account.email})`;
      return `ChatGPT${plan}${email}`;
    }
    case 'external':
      return externalAccounts.get(account.name) ?? 'unknown';
  }
}
