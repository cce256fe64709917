import type { GatewayRouting } from './routing.ts';

/** Which provider Codex is to use: a gateway of the client, else the one of the environment (S1.68). */
export class ProviderRouting {
  /** Set by the `gateway` login; kept in memory only (S1.169). */
  gateway: GatewayRouting | null = null;
  readonly #configured: string | null;

  constructor(configured: string | null) {
    this.#configured = configured;
  }

  /** Provider id for new threads; `null` leaves the choice to Codex (S2.19). */
  get providerId(): string | null {
    return this.gateway?.providerId ?? this.#configured;
  }
}
