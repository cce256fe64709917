import { describe, expect } from 'vitest';
import { runCommand, text } from '../../support/model-replies.ts';
import { run, test } from './lab.ts';

const secret = 'sk-never-show-this-4711';

describe('malformed settings stop the start (C060, S1.11, S1.13, S1.19, S1.20)', () => {
  test.for<[variable: string, value: string, env?: Record<string, string>]>([
    ['CODEX_CONFIG', `{"model_providers":{"x":{"http_headers":{"key":"${secret}"`],
    ['CODEX_CONFIG', `${secret}`],
    ['CODEX_CONFIG', `["${secret}"]`],
    ['CODEX_CONFIG', `"${secret}"`],
    ['CODEX_CONFIG', '7'],
    ['CODEX_CONFIG', `{"model":"","instructions":"${secret}"}`],
    ['CODEX_CONFIG', `{"model":{"name":"${secret}"}}`],
    ['CODEX_CONFIG', `{"model_reasoning_effort":["${secret}"]}`],
    ['CODEX_CONFIG', `{"model_provider":7,"x":"${secret}"}`],
    ['CODEX_CONFIG', `{"model_providers":["${secret}"]}`],
    ['CODEX_CONFIG', `{"model_providers":{"mine":"${secret}"}}`],
    ['CODEX_CONFIG', `{"model_provider":"a.b","model_providers":{"a.b":{"http_headers":{"key":"${secret}"}}}}`],
    ['MODEL_PROVIDER', 'a.b', { CODEX_CONFIG: `{"model_providers":{"a.b":{"http_headers":{"key":"${secret}"}}}}` }],
    ['DEFAULT_AUTH_REQUEST', `{"methodId":"api-key","_meta":{"api-key":{"apiKey":"${secret}"}`],
    ['DEFAULT_AUTH_REQUEST', `api-key ${secret}`],
    ['CODEX_ACP_APP_SERVER_CRASH_LIMIT', 'many'],
    ['CODEX_ACP_APP_SERVER_CRASH_WINDOW_MS', '5 minutes'],
  ])('%s=%s', async ([variable, value, env]) => {
    const initialize = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n';
    const ended = await run([], {
      env: { ...env, [variable]: value, CODEX_PATH: '/no/such/codex' },
      input: initialize,
    });
    expect(ended).toMatchObject({ code: 2, signal: null, stdout: '' });
    expect(ended.stderr).toMatch(/^[^\n]+\n$/);
    expect(ended.stderr).toContain(variable);
    expect(ended.stderr).not.toContain(secret);
  });

  test('several at once are told in one line', async () => {
    const env = { CODEX_CONFIG: '[]', DEFAULT_AUTH_REQUEST: '{', CODEX_ACP_APP_SERVER_CRASH_LIMIT: 'x' };
    const ended = await run([], { env });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(/^[^\n]*CODEX_CONFIG[^\n]*DEFAULT_AUTH_REQUEST[^\n]*CRASH_LIMIT[^\n]*\n$/);
  });

  test('--version and --help work all the same', async () => {
    const env = { CODEX_CONFIG: '[]' };
    expect(await run(['--version'], { env })).toMatchObject({ code: 0, stderr: '' });
    expect(await run(['--help'], { env })).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('settings', () => {
  test('values that are to be ignored do not stop the start (S1.13, S1.17, S1.19, S1.20)', async ({ lab }) => {
    const agent = lab.agent({
      env: {
        CODEX_CONFIG: 'null',
        DEFAULT_AUTH_REQUEST: '{"methodId":"carrier-pigeon"}',
        INITIAL_AGENT_MODE: 'nonsense',
        CODEX_ACP_APP_SERVER_CRASH_LIMIT: '-1',
        CODEX_ACP_APP_SERVER_CRASH_WINDOW_MS: '0',
      },
    });
    await agent.initialize();
    const opened = await agent.request('session/new', { cwd: lab.workspace().path, mcpServers: [] });
    expect(opened.modes.currentModeId).toBe('agent');
    await agent.end();
    expect(agent.process.stderr()).toBe('');
  });

  test('model, effort, provider, instructions and mode are in force and shown (C060, S1.11, S1.12, S1.17)', async ({
    lab,
  }) => {
    const provider = {
      name: 'Configured',
      base_url: lab.server.baseUrl,
      wire_api: 'responses',
      http_headers: { 'x-configured': 'header value' },
    };
    const agent = lab.agent({
      home: lab.home({ defaultProvider: false }),
      env: {
        MODEL_PROVIDER: 'configured',
        CODEX_CONFIG: JSON.stringify({
          model: 'gpt-5.5',
          model_reasoning_effort: 'low',
          developer_instructions: 'Answer in rhymes.',
          model_provider: 'loses',
          model_providers: { configured: provider },
        }),
        INITIAL_AGENT_MODE: 'read-only',
      },
    });
    await agent.initialize();
    const opened = await agent.request('session/new', { cwd: lab.workspace().path, mcpServers: [] });
    const current = Object.fromEntries(
      opened.configOptions.map((option: { id: string; currentValue: unknown }) => [option.id, option.currentValue]),
    );
    expect(current).toMatchObject({ mode: 'read-only', model: 'gpt-5.5', reasoning_effort: 'low' });
    lab.server.script(text('Fine.'));
    await agent.turn(opened.sessionId, 'Hello');
    const request = await lab.server.waitForRequest(({ kind }) => kind === 'turn');
    expect(request.headers['x-configured']).toBe('header value');
    expect(request.body).toMatchObject({ model: 'gpt-5.5', reasoning: { effort: 'low' } });
    expect(JSON.stringify(request.body)).toContain('Answer in rhymes.');
  });

  test('the environment reaches the commands of Codex unchanged (C061, S1.24)', async ({ lab }) => {
    const given = {
      PATH: `/opt/my tools/bin:${process.env.PATH ?? ''}:/odd/ünï`,
      HTTPS_PROXY: 'http://proxy.example:3128/',
      https_proxy: 'http://lower.example:3128/',
      NO_PROXY: 'localhost,127.0.0.1,.internal',
      SSL_CERT_FILE: '/etc/ssl/my own.pem',
      NODE_EXTRA_CA_CERTS: '/etc/ssl/extra.pem',
      MY_CUSTOM_VARIABLE: 'a "quoted" value; $HOME ünï',
      EMPTY_VARIABLE: '',
    };
    const agent = lab.agent({ env: given });
    const workspace = lab.workspace();
    const session = await agent.open(workspace);
    // Without login shell: the profile of the machine may set the PATH anew.
    lab.server.script(runCommand('env -0 > environment', { login: false }), text('Done.'));
    await agent.turn(session, 'Show the environment');
    const seen = Object.fromEntries(
      workspace
        .read('environment')
        .split('\0')
        .filter((entry) => entry !== '')
        .map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
    );
    expect(seen).toMatchObject({ ...given, PATH: expect.stringContaining(given.PATH) });
  });
});
