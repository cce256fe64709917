/** A model gateway that the client set with the `gateway` login (S1.169). Headers are secrets. */
export interface GatewayRouting {
  readonly providerId: 'custom-gateway';
  readonly name: string;
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The provider definition that Codex gets for a gateway (S1.70, S2.18). */
export function providerDefinition(routing: GatewayRouting): Record<string, unknown> {
  return {
    name: routing.name,
    base_url: routing.baseUrl,
    wire_api: 'responses',
    http_headers: { ...routing.headers },
  };
}
