import { describe, expect, test } from 'vitest';
import {
  apiKeyFromEnvironment,
  type Environment,
  EnvironmentError,
  parseEnvironment,
  secretsOfEnvironment,
} from '../../../src/app/environment.ts';

const DEFAULTS: Environment = {
  codexPath: null,
  codexConfig: {},
  hooks: null,
  modelProvider: null,
  startupProvider: null,
  defaultAuthRequest: null,
  noBrowser: false,
  initialMode: null,
  logDirectory: null,
  crashLimit: 5,
  crashWindowMs: 300_000,
  promptSuggestions: true,
  mcpConfigFiltering: true,
  ignored: [],
};

const LIMIT = 'CODEX_ACP_APP_SERVER_CRASH_LIMIT';
const WINDOW = 'CODEX_ACP_APP_SERVER_CRASH_WINDOW_MS';
const LIMIT_IGNORED = `${LIMIT} is ignored: must be a whole number above 0; using the default 5`;
const WINDOW_IGNORED = `${WINDOW} is ignored: must be a number above 0; using the default 300000`;
const METHOD_IGNORED =
  'DEFAULT_AUTH_REQUEST is ignored: its methodId is not one of api-key, chat-gpt, chat-gpt-device-code, gateway';

function problemOf(env: NodeJS.ProcessEnv): string {
  try {
    parseEnvironment(env);
  } catch (error) {
    expect(error).toBeInstanceOf(EnvironmentError);
    return error instanceof Error ? error.message : '';
  }
  return 'no problem';
}

describe('what each variable gives', () => {
  test.each<[string, NodeJS.ProcessEnv, Partial<Environment>]>([
    ['S2 nothing set', {}, {}],
    ['S1.24 other variables change nothing', { PATH: '/bin', CODEX_HOME: '/home' }, {}],
    ['S1.10 used as given', { CODEX_PATH: ' ~/my codex ' }, { codexPath: ' ~/my codex ' }],
    ['S1.10 empty is unset', { CODEX_PATH: '' }, {}],
    ['S1.11 an object', { CODEX_CONFIG: '{"model":"m","x":[1]}' }, { codexConfig: { model: 'm', x: [1] } }],
    ['S1.11 null is unset', { CODEX_CONFIG: 'null' }, {}],
    ['S1.11 blank is unset', { CODEX_CONFIG: ' ' }, {}],
    [
      'S1.67 hooks are taken out',
      { CODEX_CONFIG: '{"hooks":{"a":1},"b":2}' },
      { codexConfig: { b: 2 }, hooks: { value: { a: 1 } } },
    ],
    ['S1.67 any hooks value counts', { CODEX_CONFIG: '{"hooks":null}' }, { hooks: { value: null } }],
    [
      'S1.68 provider of the config',
      { CODEX_CONFIG: '{"model_provider":"a"}' },
      { codexConfig: { model_provider: 'a' }, startupProvider: 'a' },
    ],
    [
      'S1.12 MODEL_PROVIDER wins',
      { CODEX_CONFIG: '{"model_provider":"a"}', MODEL_PROVIDER: 'b' },
      { codexConfig: { model_provider: 'a' }, modelProvider: 'b', startupProvider: 'b' },
    ],
    ['S1.12 blank is unset', { MODEL_PROVIDER: ' ' }, {}],
    [
      'S1.13 a request',
      { DEFAULT_AUTH_REQUEST: '{"methodId":"gateway","_meta":{"gateway":{"baseUrl":"u"}}}' },
      { defaultAuthRequest: { methodId: 'gateway', meta: { gateway: { baseUrl: 'u' } } } },
    ],
    [
      'S1.13 without _meta',
      { DEFAULT_AUTH_REQUEST: '{"methodId":"api-key"}' },
      { defaultAuthRequest: { methodId: 'api-key', meta: null } },
    ],
    ['S1.13 blank is unset', { DEFAULT_AUTH_REQUEST: '' }, {}],
    ['S1.13 null is ignored', { DEFAULT_AUTH_REQUEST: 'null' }, {}],
    [
      'S1.13 a scalar is ignored',
      { DEFAULT_AUTH_REQUEST: '5' },
      { ignored: ['DEFAULT_AUTH_REQUEST is ignored: it has no methodId'] },
    ],
    ['S1.13 an unknown method is ignored', { DEFAULT_AUTH_REQUEST: '{"methodId":"x"}' }, { ignored: [METHOD_IGNORED] }],
    ['S1.16 any value', { NO_BROWSER: '0' }, { noBrowser: true }],
    ['S1.16 also a blank', { NO_BROWSER: ' ' }, { noBrowser: true }],
    ['S1.16 empty is unset', { NO_BROWSER: '' }, {}],
    ['S1.17 any id', { INITIAL_AGENT_MODE: 'my-profile' }, { initialMode: 'my-profile' }],
    ['S1.17 blank is unset', { INITIAL_AGENT_MODE: ' ' }, {}],
    ['S1.18 a directory', { APP_SERVER_LOGS: '/logs' }, { logDirectory: '/logs' }],
    ['S1.18 blank is unset', { APP_SERVER_LOGS: '' }, {}],
    ['S1.19 a number', { [LIMIT]: ' 7 ' }, { crashLimit: 7 }],
    ['S1.19 blank is unset', { [LIMIT]: ' ' }, {}],
    ['S1.19 zero gives the default', { [LIMIT]: '0' }, { ignored: [LIMIT_IGNORED] }],
    ['S1.19 a fraction gives the default', { [LIMIT]: '2.5' }, { ignored: [LIMIT_IGNORED] }],
    ['S1.20 a number', { [WINDOW]: '1500.5' }, { crashWindowMs: 1500.5 }],
    ['S1.20 infinity gives the default', { [WINDOW]: 'Infinity' }, { ignored: [WINDOW_IGNORED] }],
    ['S1.20 a negative number gives the default', { [WINDOW]: '-1' }, { ignored: [WINDOW_IGNORED] }],
    ['S1.21 off', { CODEX_ACP_PROMPT_SUGGESTIONS: ' FALSE ' }, { promptSuggestions: false }],
    ['S1.21 anything else is on', { CODEX_ACP_PROMPT_SUGGESTIONS: '0' }, {}],
    ['S1.22 off', { DISABLE_MCP_CONFIG_FILTERING: 'true' }, { mcpConfigFiltering: false }],
    ['S1.22 exactly true', { DISABLE_MCP_CONFIG_FILTERING: 'TRUE' }, {}],
  ])('%s', (_name, env, expected) => {
    expect(parseEnvironment(env)).toEqual({ ...DEFAULTS, ...expected });
  });
});

describe('C060 a value that cannot be understood stops the start', () => {
  test.each<[string, NodeJS.ProcessEnv, string]>([
    [
      'S1.11 invalid JSON',
      { CODEX_CONFIG: '{"token":hunter2}' },
      'CODEX_CONFIG must be a JSON object: it is not valid JSON',
    ],
    [
      'S1.11 unfinished JSON',
      { CODEX_CONFIG: '{"token":"hunter2' },
      'CODEX_CONFIG must be a JSON object: it is not valid JSON (at position 17)',
    ],
    [
      'S1.11 nothing after the brace',
      { CODEX_CONFIG: '[' },
      'CODEX_CONFIG must be a JSON object: the JSON text ends too early',
    ],
    [
      'S1.11 an array',
      { CODEX_CONFIG: '["hunter2"]' },
      'CODEX_CONFIG must be a JSON object: expected object, received array',
    ],
    [
      'S1.11 a string',
      { CODEX_CONFIG: '"hunter2"' },
      'CODEX_CONFIG must be a JSON object: expected object, received string',
    ],
    [
      'S1.11 a model that is no text',
      { CODEX_CONFIG: '{"model":5}' },
      'CODEX_CONFIG must be a JSON object: model: expected string, received number',
    ],
    [
      'S1.68 a blank provider',
      { CODEX_CONFIG: '{"model_provider":" "}' },
      'CODEX_CONFIG must be a JSON object: model_provider: expected a text that is not blank',
    ],
    [
      'S1.68 a definition that is no object, under a name with a line break',
      { CODEX_CONFIG: '{"model_providers":{"a\\nb":"hunter2"}}' },
      'CODEX_CONFIG must be a JSON object: model_providers.a b: expected record, received string',
    ],
    [
      'S1.69 a defined provider with a dot',
      { CODEX_CONFIG: '{"model_providers":{"a.b":{}}}', MODEL_PROVIDER: 'a.b' },
      'MODEL_PROVIDER is not usable: the id of a provider that CODEX_CONFIG defines must not contain "." or "="',
    ],
    [
      'S1.13 invalid JSON',
      { DEFAULT_AUTH_REQUEST: 'hunter2' },
      'DEFAULT_AUTH_REQUEST must be a JSON object with a methodId: it is not valid JSON',
    ],
    ['S1.19 no number', { [LIMIT]: 'hunter2' }, `${LIMIT} must be a whole number above 0: it is not a number`],
    ['S1.20 no number', { [WINDOW]: '5s' }, `${WINDOW} must be a number above 0: it is not a number`],
    [
      'two at once, on one line',
      { [LIMIT]: 'x', [WINDOW]: 'x' },
      `${LIMIT} must be a whole number above 0: it is not a number; ${WINDOW} must be a number above 0: it is not a number`,
    ],
  ])('%s', (_name, env, message) => {
    expect(problemOf(env)).toBe(message);
    expect(problemOf(env)).not.toMatch(/hunter2|\n/);
  });

  test('with exit code 2', () => {
    expect(EnvironmentError.exitCode).toBe(2);
  });

  test('S1.69 a provider with a dot that Codex itself knows is passed on', () => {
    expect(parseEnvironment({ MODEL_PROVIDER: 'a.b' }).startupProvider).toBe('a.b');
  });
});

describe('secrets of the environment', () => {
  test.each<[string, NodeJS.ProcessEnv, string | null]>([
    ['S1.14 CODEX_API_KEY first, trimmed', { CODEX_API_KEY: ' a ', OPENAI_API_KEY: 'b' }, 'a'],
    ['S1.15 OPENAI_API_KEY second', { CODEX_API_KEY: ' ', OPENAI_API_KEY: 'b' }, 'b'],
    ['S1.15 blank is unset', { OPENAI_API_KEY: ' ' }, null],
  ])('%s', (_name, env, key) => {
    expect(apiKeyFromEnvironment(env)).toBe(key);
  });

  test('S1.34 keys, header values and the default login are known to the log', () => {
    const env = {
      OPENAI_API_KEY: 'key-value',
      PATH: '/bin',
      CODEX_CONFIG: '{"model":"m","model_providers":{"p":{"name":"P","http_headers":{"X-Org":"header-value"}}}}',
      DEFAULT_AUTH_REQUEST: '{"methodId":"api-key","_meta":{"api-key":{"apiKey":"login-value"}}}',
    };
    expect(secretsOfEnvironment(env, parseEnvironment(env))).toEqual(['key-value', 'header-value', 'login-value']);
  });
});
