import { Verifier } from '@pact-foundation/pact';
import type { Provider } from './provider.ts';

/*
 * A process of its own that verifies pact files with a provider module (`verify-pacts.ts <module> <pact>…`) and sends
 * the verifier's report to its parent. The native verifier writes to file descriptor 1 whatever its log level is; here
 * nobody listens.
 */

const [module = '', ...pacts] = process.argv.slice(2);
const { provider }: { provider: Provider } = await import(module);
const report = await new Verifier({
  provider: provider.name,
  pactUrls: pacts,
  stateHandlers: provider.states,
  messageProviders: provider.messages,
  logLevel: 'error',
})
  .verifyProvider()
  .catch((error: Error) => error.message);
process.send?.(report, () => process.exit(0));
