import { describe, expect, test } from 'vitest';
import { KnownSecrets } from '../../../src/adapters/codex-app-server/known-secrets.ts';

describe('C036 what went to Codex through our hands', () => {
  test('is masked wherever it comes back, whole or in words', () => {
    const secrets = new KnownSecrets(['sk-environment']);
    secrets.add('Bearer gateway-key');
    expect(secrets.redact('401 for Bearer gateway-key, gateway-key and sk-environment')).toBe(
      '401 for [redacted], [redacted] and [redacted]',
    );
  });

  test('is found in a thread config at any depth; names of headers and variables are not secret', () => {
    const secrets = new KnownSecrets([]);
    secrets.addFrom({
      config: {
        model_providers: { gw: { env_key: 'OPENAI_API_KEY', http_headers: { 'X-Team': 'blue-header' } } },
        mcp_servers: { docs: { env: { ANY: 'mcp-secret' }, bearer_token: 'mcp-token' } },
        model: 'gpt-test',
      },
      apiKey: 'login-key',
    });
    expect(secrets.redact('blue-header mcp-secret mcp-token login-key')).toBe(
      '[redacted] [redacted] [redacted] [redacted]',
    );
    expect(secrets.redact('OPENAI_API_KEY X-Team gpt-test')).toBe('OPENAI_API_KEY X-Team gpt-test');
  });

  test('too short to be told from a word stays', () => {
    const secrets = new KnownSecrets(['a', 'blue']);
    expect(secrets.redact('a blue bird')).toBe('a blue bird');
  });
});
