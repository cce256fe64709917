import { describe, expect, it } from 'vitest';
import { type StartupSettings, startupOverrides } from '../../../src/adapters/codex-app-server/startup-overrides.ts';
import type { GatewayRouting } from '../../../src/domain/provider/routing.ts';

const NOTHING: StartupSettings = { hooks: undefined, providerId: null, providers: {}, gateway: null };
const GATEWAY: GatewayRouting = {
  providerId: 'custom-gateway',
  name: 'Gate',
  baseUrl: 'https://gate.example/v1',
  headers: { 'X-Client-Feature-ID': 'codex', Authorization: 'Bearer gateway-secret' },
};

describe('startup overrides', () => {
  it('S1.68 without hooks and provider there are none', () => {
    expect(startupOverrides(NOTHING)).toEqual({ args: [], env: {} });
  });

  it('S1.66 come in the order hooks, model_provider, model_providers.<id>', () => {
    const { args } = startupOverrides({
      ...NOTHING,
      hooks: { Stop: [] },
      providerId: 'own',
      providers: { own: { name: 'Own' } },
    });
    expect(args).toEqual([
      '-c',
      'hooks={ "Stop" = [] }',
      '-c',
      'model_provider="own"',
      '-c',
      'model_providers.own={ "name" = "Own" }',
    ]);
  });

  it('S1.67 hooks of null are passed on for Codex to reject', () => {
    expect(startupOverrides({ ...NOTHING, hooks: null }).args).toEqual(['-c', 'hooks=null']);
  });

  it('S1.68 a provider without a known definition is only named', () => {
    expect(startupOverrides({ ...NOTHING, providerId: 'toString' }).args).toEqual(['-c', 'model_provider="toString"']);
  });

  it('S8.73 a gateway wins over the configured provider', () => {
    const { args } = startupOverrides({ ...NOTHING, providerId: 'own', providers: { own: {} }, gateway: GATEWAY });
    expect(args[1]).toBe('model_provider="custom-gateway"');
    expect(args[3]).toMatch(/^model_providers\.custom-gateway=\{ "name" = "Gate", "base_url" = /);
  });

  it('S8.74 header values are in environment variables only', () => {
    const { args, env } = startupOverrides({ ...NOTHING, gateway: GATEWAY });
    expect(env).toEqual({
      CODEX_ACP_PROVIDER_HEADER_0: 'codex',
      CODEX_ACP_PROVIDER_HEADER_1: 'Bearer gateway-secret',
    });
    expect(args.join(' ')).not.toContain('gateway-secret');
    expect(args[3]).toContain(
      '"env_http_headers" = { "X-Client-Feature-ID" = "CODEX_ACP_PROVIDER_HEADER_0", ' +
        '"Authorization" = "CODEX_ACP_PROVIDER_HEADER_1" }',
    );
    expect(args[3]).not.toContain('"http_headers"');
  });

  it('S8.74 keeps existing references and drops values that are no strings', () => {
    const { args, env } = startupOverrides({
      ...NOTHING,
      providerId: 'own',
      providers: { own: { http_headers: { A: 'a', B: 2 }, env_http_headers: { C: 'MY_VARIABLE', A: 'OLD' } } },
    });
    expect(env).toEqual({ CODEX_ACP_PROVIDER_HEADER_0: 'a' });
    expect(args[3]).toBe(
      'model_providers.own={ "env_http_headers" = { "C" = "MY_VARIABLE", "A" = "CODEX_ACP_PROVIDER_HEADER_0" } }',
    );
  });

  it('S1.68 a bearer token is in the environment too', () => {
    const own = { http_headers: { A: 'a' }, experimental_bearer_token: 'sk-secret' };
    const { args, env } = startupOverrides({ ...NOTHING, providerId: 'own', providers: { own } });
    expect(env).toEqual({ CODEX_ACP_PROVIDER_HEADER_0: 'a', CODEX_ACP_PROVIDER_HEADER_1: 'sk-secret' });
    expect(args[3]).toContain('"env_key" = "CODEX_ACP_PROVIDER_HEADER_1"');
    expect(args.join(' ')).not.toContain('sk-secret');
  });

  it('S1.68 a bearer token beside env_key, which Codex prefers, is left out', () => {
    const own = { env_key: 'MY_KEY', experimental_bearer_token: 'sk-secret' };
    const { args, env } = startupOverrides({ ...NOTHING, providerId: 'own', providers: { own } });
    expect(env).toEqual({});
    expect(args[3]).toBe('model_providers.own={ "env_key" = "MY_KEY" }');
  });

  it('S1.69 a defined provider with a dot in its id is rejected, one that Codex defines is not', () => {
    const dotted = { ...NOTHING, providerId: 'my.provider' };
    expect(startupOverrides(dotted).args).toEqual(['-c', 'model_provider="my.provider"']);
    expect(() => startupOverrides({ ...dotted, providers: { 'my.provider': {} } })).toThrow(
      'The model provider id "my.provider" cannot be used',
    );
  });
});
