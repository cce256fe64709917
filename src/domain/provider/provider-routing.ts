import type { GatewayRouting } from './routing.ts';

/** Which provider Codex is to use: a gateway of the client, else the one of the environment (S1.68). */
export class ProviderRouting {
  /** Set by the `gateway` login; kept in memory only (S1.169). */
  gateway: GatewayRouting | null = null;
  readonly #configured: string | null;

  constructor(configured: string | null) {
    this.#configured = configured;
  }

  /** How people are told of the provider; `null` for OpenAI (S2.120). */
  get displayName(): string | null {
    const name = this.gateway?.name ?? this.#configured;
    return name === 'openai' ? null : name;
  }

  /** Provider id for new threads; `null` leaves the choice to Codex (S2.19). */
  get providerId(): string | null {
    return this.gateway?.providerId ?? this.#configured;
  }
}
