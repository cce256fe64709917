import type { Interaction } from './pact-file.ts';

/** How the real provider gets into a situation, and how it then produces what a pact expects of it. */
export interface Provider {
  readonly name: string;
  /** Set-up of each provider state. */
  readonly states: Readonly<Record<string, (params?: unknown) => Promise<undefined>>>;
  /** Producer of each interaction, by its description; it gets the frame of the consumer, if there is one. */
  readonly messages: Readonly<Record<string, (message: { readonly content?: unknown }) => Promise<unknown>>>;
}

/** What the provider produces for an interaction, without the verifier. */
export async function produce(provider: Provider, interaction: Interaction): Promise<unknown> {
  for (const { name, params } of interaction.providerStates) await known(provider.states, name)(params);
  const content = interaction.request?.contents.content;
  return known(provider.messages, interaction.description)({ content });
}

function known<Value>(table: Readonly<Record<string, Value>>, name: string): Value {
  const value = table[name];
  if (value === undefined) throw new Error(`The provider does not know "${name}"`);
  return value;
}
