import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Frame } from '../../test/support/acp-client.ts';

/** A situation that the provider must be in; `params` are its details. */
export interface ProviderState {
  readonly name: string;
  readonly params: Record<string, string | number | string[]>;
}

/** One interaction of a pact file, as far as we look into it. */
export interface Interaction {
  readonly description: string;
  readonly providerStates: readonly ProviderState[];
  readonly request?: { readonly contents: { readonly content: Frame } };
}

export interface PactFile {
  readonly consumer: { readonly name: string };
  readonly interactions: readonly Interaction[];
  readonly metadata: { readonly pactSpecification: { readonly version: string } };
  readonly provider: { readonly name: string };
}

/** Where the published pact of a consumer and a provider lies. */
export function pactPath(consumer: string, provider: string): string {
  return fileURLToPath(new URL(`../pacts/${consumer}-${provider}.json`, import.meta.url));
}

export function readPact(path: string): PactFile {
  return JSON.parse(readFileSync(path, 'utf8'));
}

export function interactionOf({ interactions }: PactFile, description: string): Interaction {
  const interaction = interactions.find((one) => one.description === description);
  if (interaction === undefined) throw new Error(`The pact has no "${description}"`);
  return interaction;
}
