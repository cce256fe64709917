import { describe, expect, test } from 'vitest';
import { redact, redactMessage, secretsIn } from '../../../src/adapters/system/redaction.ts';

const HIDDEN = '[REDACTED]';

describe('S1.34 secrets in values', () => {
  test.each<[string, unknown, unknown]>([
    [
      'the known keys at any depth',
      {
        a: [{ apiKey: 'hunter2', accessToken: 'hunter2', secretAccessKey: 'hunter2', b: { sessionToken: 'hunter2' } }],
      },
      { a: [{ apiKey: HIDDEN, accessToken: HIDDEN, secretAccessKey: HIDDEN, b: { sessionToken: HIDDEN } }] },
    ],
    [
      'other spellings',
      { 'X-Api-Key': 'hunter2', OPENAI_API_KEY: 'hunter2' },
      { 'X-Api-Key': HIDDEN, OPENAI_API_KEY: HIDDEN },
    ],
    [
      'everything below a secret key',
      { credentials: { user: 'hunter2', list: ['hunter2'], flag: true } },
      { credentials: { user: HIDDEN, list: [HIDDEN], flag: true } },
    ],
    ['header values, not names', { http_headers: { 'X-Org': 'hunter2' } }, { http_headers: { 'X-Org': HIDDEN } }],
    [
      'headers and variables written as ACP does',
      {
        mcpServers: [
          { name: 's', headers: [{ name: 'X-Org', value: 'hunter2' }], env: [{ name: 'A', value: 'hunter2' }] },
        ],
      },
      { mcpServers: [{ name: 's', headers: [{ name: 'X-Org', value: HIDDEN }], env: [{ name: 'A', value: HIDDEN }] }] },
    ],
    ['a lone header pair', { name: 'Authorization', value: 'hunter2' }, { name: 'Authorization', value: HIDDEN }],
    ['environments', { env: { A: 'hunter2', PORT: 1 } }, { env: { A: HIDDEN, PORT: HIDDEN } }],
    [
      'the variables of provider headers',
      { CODEX_ACP_PROVIDER_HEADER_0: 'hunter2' },
      { CODEX_ACP_PROVIDER_HEADER_0: HIDDEN },
    ],
    ['the names of header variables may be shown', { env_http_headers: { A: 'B' } }, { env_http_headers: { A: 'B' } }],
    [
      'the login address and code',
      { authUrl: 'https://a/?state=hunter2', userCode: 'hunter2' },
      { authUrl: HIDDEN, userCode: HIDDEN },
    ],
    [
      'counts and cursors are no secrets',
      { tokenUsage: { inputTokens: 5 }, bearer_token_env_var: 'NAME', env_key: 'NAME', nextCursor: 'c' },
      { tokenUsage: { inputTokens: 5 }, bearer_token_env_var: 'NAME', env_key: 'NAME', nextCursor: 'c' },
    ],
  ])('%s', (_name, value, expected) => {
    expect(redact(value)).toEqual(expected);
  });
});

describe('S1.34 secrets in texts', () => {
  test.each<[string, string, string]>([
    ['bearer tokens', 'sent Authorization: Bearer hunter2.x-y', `sent Authorization: ${HIDDEN}`],
    ['bearer tokens without a header', 'bearer hunter2.x-y was refused', `bearer ${HIDDEN} was refused`],
    ['OpenAI keys', 'Incorrect API key provided: sk-hunter2-abc.', `Incorrect API key provided: ${HIDDEN}.`],
    ['JSON web tokens', 'got eyJhbGciOiJIUzI1.hunter2.hunter2', `got ${HIDDEN}`],
    ['passwords of addresses', 'at https://me:hunter2@host/x', `at https://${HIDDEN}@host/x`],
    ['queries of addresses', 'at https://host/?a=1&api-key=hunter2#x', `at https://host/?a=1&api-key=${HIDDEN}#x`],
    [
      'assignments',
      'run A=1 GITHUB_TOKEN=hunter2 MY_API_KEY="hunter2 x" ls',
      `run A=1 GITHUB_TOKEN=${HIDDEN} MY_API_KEY="${HIDDEN}" ls`,
    ],
    [
      'JSON',
      '{"apiKey":"hunter2","headers":{"A":"hunter2"},"n":1}',
      `{"apiKey":"${HIDDEN}","headers":{"A":"${HIDDEN}"},"n":1}`,
    ],
    [
      'JSON inside JSON',
      JSON.stringify({ text: JSON.stringify({ apiKey: 'hunter2' }) }),
      JSON.stringify({ text: JSON.stringify({ apiKey: HIDDEN }) }),
    ],
    ['the start of a JSON text', '{"params":{"apiKey":"hunter2","x":"y', `{"params":{"apiKey":"${HIDDEN}","x":"y`],
    ['JSON after other words', 'sent {\\"apiKey\\":\\"hunter2\\"}', `sent {\\"apiKey\\":\\"${HIDDEN}\\"}`],
    ['headers in TOML', 'x={ "http_headers" = { "A" = "hunter2" } }', `x={ "http_headers" = "${HIDDEN}" }`],
    ['headers in a piece of JSON', 'x {"http_headers":{"X-Org":"hunter2"', `x {"http_headers":"${HIDDEN}"`],
    [
      'ordinary words stay',
      'disk-usage of task-runner: Unexpected token: x',
      'disk-usage of task-runner: Unexpected token: x',
    ],
  ])('%s', (_name, text, expected) => {
    expect(redactMessage(text)).toBe(expected);
  });

  test.each<[string, string]>([
    ['base64', 'ab-_'.repeat(500_000)],
    ['backslashes', `"key${'\\\\'.repeat(1_000_000)}`],
    ['quotes', '"'.repeat(2_000_000)],
    ['key names', 'api_key '.repeat(250_000)],
    ['blanks', `api_key${' '.repeat(2_000_000)}`],
    ['starts of web tokens', 'eyJ-'.repeat(250_000)],
    ['scheme ends', '://'.repeat(500_000)],
    ['headers', '"headers":{'.repeat(150_000)],
  ])('the time grows in line with the text: %s', (_name, text) => {
    redactMessage(`token ${text}`);
  });

  test('known secrets are hidden wherever they stand', () => {
    const value = { message: 'Codex said hunter2!', line: '{"text":"hunter2"}' };
    expect(JSON.stringify(redact(value, ['hunter2']))).not.toContain('hunter2');
  });
});

describe('S1.32 values that are no data', () => {
  test('errors with their causes', () => {
    const error = Object.assign(new Error('outer', { cause: new TypeError('inner sk-hunter2') }), { code: 'E1' });
    expect(redact({ error })).toEqual({
      error: {
        name: 'Error',
        message: 'outer',
        stack: expect.stringContaining('Error: outer'),
        code: 'E1',
        cause: { name: 'TypeError', message: `inner ${HIDDEN}`, stack: expect.not.stringContaining('hunter2') },
      },
    });
  });

  test('cycles, depth, bytes, addresses, numbers and broken getters', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    const value = {
      cycle,
      bytes: new Uint8Array(3),
      url: new URL('https://host/?key=hunter2'),
      date: new Date(0),
      infinity: Number.POSITIVE_INFINITY,
      big: 5n,
      nothing: undefined,
      broken: {
        get member(): never {
          throw new Error('no');
        },
      },
    };
    expect(redact(value)).toEqual({
      cycle: { self: '[circular]' },
      bytes: '[3 bytes]',
      url: `https://host/?key=${HIDDEN}`,
      date: '1970-01-01T00:00:00.000Z',
      infinity: 'Infinity',
      big: '5',
      nothing: undefined,
      broken: '[unreadable]',
    });
    let deep: unknown = 'end';
    for (let level = 0; level < 100; level += 1) deep = [deep];
    expect(JSON.stringify(redact(deep))).toContain('[too deep]');
  });

  test('keys with a meaning in JavaScript are data', () => {
    const value: unknown = JSON.parse('{"__proto__":{"apiKey":"hunter2"}}');
    expect(JSON.stringify(redact(value))).toBe(`{"__proto__":{"apiKey":"${HIDDEN}"}}`);
  });
});

test('S1.34 the secrets of a configuration', () => {
  const config = {
    model: 'm',
    model_providers: { p: { name: 'P', http_headers: { A: 'one' }, env_http_headers: { B: 'NAME' } } },
    mcp_servers: { s: { env: { C: 'two' }, args: ['x'] } },
    list: [{ name: 'Authorization', value: 'three' }],
  };
  expect(secretsIn(config)).toEqual(['one', 'two', 'three']);
});
