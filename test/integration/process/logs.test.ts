import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { agentEntry } from '../../support/build-agent.ts';
import { failure, reply, runCommand, text } from '../../support/model-replies.ts';
import { type Json, type Lab, type TestAgent, test } from './lab.ts';
import { hasProc, survivors } from './processes.ts';

interface Line {
  readonly tag: string;
  readonly message: string;
  readonly context: Json;
}

const lineFormat = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} \[([A-Z][A-Z_ -]*)\] (.*) (\{"pid":\d+(?:,.*)?\})$/;

const tags = [
  'SYS',
  'IN',
  'OUT',
  'ERR',
  'EXIT',
  'APP-SERVER START',
  'APP-SERVER EXIT',
  'APP-SERVER RESTARTED',
  'APP-SERVER SHUTDOWN',
  'APP-SERVER STOP',
  'APP-SERVER WEDGED',
  'APP-SERVER ERROR',
  'APP-SERVER RECOVERY',
  'STDIN ERROR',
  'STDOUT ERROR',
  'SYSTEM_ERROR',
];

/** Lines of the log; each must have the format of S1.31. */
function readLog(folder: string): Line[] {
  const content = readFileSync(join(folder, 'app-server.log'), 'utf8');
  expect(content.endsWith('\n')).toBe(true);
  return content
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, tag = '', message = '', json = ''] = lineFormat.exec(line) ?? [];
      if (!tags.includes(tag)) throw new Error(`Not a line of S1.31: ${line.slice(0, 300)}`);
      return { tag, message, context: JSON.parse(json) };
    });
}

/** Everything that the agent let out, by name. */
function outputs(agent: TestAgent, folder: string): Record<'frames' | 'log' | 'stderr', string> {
  return {
    log: readFileSync(join(folder, 'app-server.log'), 'utf8'),
    stderr: agent.process.stderr(),
    frames: agent.frames.map((frame) => JSON.stringify(frame)).join('\n'),
  };
}

/** Where secrets were found, with a little of the text before them. */
function leaks(secrets: readonly string[], places: Readonly<Record<string, string>>): string[] {
  return Object.entries(places).flatMap(([place, content]) =>
    secrets.flatMap((secret) => {
      const at = content.indexOf(secret);
      return at === -1 ? [] : [`${place}: ${content.slice(Math.max(0, at - 160), at + secret.length)}`];
    }),
  );
}

/** Distinct values that look like nothing in particular, so that only their place tells that they are secret. */
function secretValues<Name extends string>(names: readonly Name[]): Record<Name, string> {
  return Object.fromEntries(names.map((name, index) => [name, `q7${name}Zx${index}w90`])) as Record<Name, string>;
}

/** A turn that may fail; its frames count. */
async function tryTurn(agent: TestAgent, session: string, words: string): Promise<void> {
  const from = agent.frames.length;
  const [answer] = await Promise.allSettled([agent.prompt(session, words)]);
  if (agent.version === 2 && answer.status === 'fulfilled') await agent.idle(session, from);
}

/** MCP servers of a client with secrets in every place: one that cannot start, one that refuses. */
function mcpServers(
  lab: Lab,
  version: 1 | 2,
  secret: Record<'mcpEnv' | 'mcpToken' | 'mcpHeader' | 'mcpBearer', string>,
): Json[] {
  const url = `${lab.server.baseUrl}/mcp`;
  return [
    {
      ...(version === 2 ? { type: 'stdio' } : {}),
      name: 'local',
      command: '/no/such/mcp-server',
      args: [],
      env: [
        { name: 'PLAIN', value: secret.mcpEnv },
        { name: 'SERVICE_TOKEN', value: secret.mcpToken },
      ],
    },
    {
      type: 'http',
      name: 'remote',
      url,
      headers: [
        { name: 'X-Plain', value: secret.mcpHeader },
        { name: 'Authorization', value: `Bearer ${secret.mcpBearer}` },
      ],
    },
  ];
}

describe('APP_SERVER_LOGS (S1.30-S1.38)', () => {
  test('S1.30-S1.33 the file, its first lines, its format; two agents share it', async ({ lab }) => {
    const folder = join(lab.workspace().path, 'new', 'folder');
    const agents = [lab.agent({ env: { APP_SERVER_LOGS: folder } }), lab.agent({ env: { APP_SERVER_LOGS: folder } })];
    for (const agent of agents) {
      const session = await agent.open(lab.workspace());
      lab.server.script(runCommand('echo ünï'), text('Done.'));
      await agent.turn(session, 'Two\nlines');
      await agent.end();
      expect(agent.process.stderr()).toBe('');
    }
    const lines = readLog(folder);
    for (const agent of agents) {
      const own = lines.filter(({ context }) => context.pid === agent.pid);
      expect(own[0]).toMatchObject({ tag: 'SYS', message: 'Logger initialized' });
      const startup = own.find(({ message }) => message === 'Startup');
      expect(startup?.context).toMatchObject({ name: 'codex-acp', codexPath: null, modelProvider: 'mock' });
      expect(own.map(({ tag }) => tag)).toEqual(
        expect.arrayContaining(['APP-SERVER START', 'IN', 'OUT', 'APP-SERVER SHUTDOWN', 'APP-SERVER EXIT']),
      );
      expect(own.find(({ tag, message }) => tag === 'IN' && message.includes('"turn/start"'))?.message).toContain(
        'Two',
      );
    }
    expect(new Set(lines.map(({ context }) => context.pid))).toEqual(new Set(agents.map(({ pid }) => pid)));
    expect(statSync(join(folder, 'app-server.log')).mode & 0o077).toBe(0);
  });

  test.for([
    ['a folder that is a file', (path: string) => join(path, 'file')],
    ['a folder under a file', (path: string) => join(path, 'file', 'below')],
    ['a pseudo file system', () => '/proc/self/no/such/folder'],
  ] as const)('S1.18, S1.37 %s: one line on stderr, and it serves', async ([, place], { lab }) => {
    const workspace = lab.workspace({ file: 'content' });
    const folder = place(workspace.path);
    const agent = lab.agent({ env: { APP_SERVER_LOGS: folder } });
    const session = await agent.open(workspace);
    await agent.turn(session, 'Hello');
    await agent.end();
    expect(agent.process.stderr()).toMatch(/^\[SYSTEM_ERROR\] [^\n]*APP_SERVER_LOGS[^\n]*\n$/);
  });

  test('S1.35, ACP-STDERR-001 without it stderr is empty, also when a turn fails', async ({ lab }) => {
    const agent = lab.agent();
    const session = await agent.open(lab.workspace());
    await agent.turn(session, 'Hello');
    lab.server.script(failure(400));
    await tryTurn(agent, session, 'Fail');
    await agent.request('session/close', { sessionId: session });
    await agent.end();
    expect(agent.process.stderr()).toBe('');
  });
});

describe('stdout (S1.40, ACP-TRANSPORT-001, ACP-TRANSPORT-002)', () => {
  test.for(['plainV1', 'plainV2'] as const)(
    'carries JSON-RPC lines in UTF-8 and nothing else: %s',
    async (profile, { lab }) => {
      const workspace = lab.workspace();
      const copy = join(workspace.path, 'stdout');
      const agent = lab.agent({
        profile,
        command: ['/bin/sh', '-c', '"$0" "$1" | tee "$2"', process.execPath, agentEntry, copy],
        env: { RUST_LOG: 'info' },
      });
      const session = await agent.open(workspace);
      // Output that is no UTF-8, characters outside the basic plane, line separators.
      lab.server.script(
        reply(
          text('ünï 😀 \u2028 \u0000 end'),
          runCommand("printf 'a\\377\\360\\237b\\r\\n\\033[1mc'; sleep 0.1; printf '\\237\\230\\200'"),
        ),
        text('Done.'),
      );
      await agent.turn(session, 'Be odd');
      lab.server.script(failure(500, 'not JSON \n at all'), failure(500, 'not JSON \n at all'), failure(400));
      await tryTurn(agent, session, 'Fail');
      agent.client.raw('nonsense\n');
      await agent.client.waitFor((frame) => frame.id === null);
      await agent.end();
      const content = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(copy));
      expect(content.endsWith('\n')).toBe(true);
      const lines = content.slice(0, -1).split('\n');
      expect(lines).toHaveLength(agent.frames.length);
      for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    },
  );
});

describe.skipIf(!hasProc)('secrets (C036, S1.34, S1.68, S8.150)', () => {
  test.for(['zedV1', 'airV2'] as const)(
    'logins, MCP servers, failing turns and a crash: %s',
    async (profile, { lab }) => {
      const secret = secretValues([
        'envKey',
        'requestKey',
        'defaultHeader',
        'defaultBearer',
        'gatewayHeader',
        'gatewayBearer',
        'gatewayKey',
        'mcpEnv',
        'mcpToken',
        'mcpHeader',
        'mcpBearer',
        'configEnv',
        'configHeader',
        'wrongKey',
        'wrongHeader',
      ]);
      const folder = lab.workspace().path;
      const gateway = (headers: Record<string, Json>): Json => ({ gateway: { baseUrl: lab.server.baseUrl, headers } });
      const agent = lab.agent({
        profile,
        home: lab.openAiHome(),
        env: {
          APP_SERVER_LOGS: folder,
          MODEL_PROVIDER: undefined,
          RUST_LOG: 'info',
          CODEX_API_KEY: secret.envKey,
          DEFAULT_AUTH_REQUEST: JSON.stringify({
            methodId: 'gateway',
            _meta: gateway({ 'X-Plain': secret.defaultHeader, Authorization: `Bearer ${secret.defaultBearer}` }),
          }),
          CODEX_CONFIG: JSON.stringify({
            mcp_servers: {
              configured: { command: '/no/such/server', env: { ANYTHING: secret.configEnv } },
              web: { url: `${lab.server.baseUrl}/mcp`, http_headers: { 'X-Any': secret.configHeader } },
            },
          }),
        },
      });
      const client = agent.profile;
      await agent.initialize(
        agent.version === 1
          ? { ...client, clientCapabilities: { ...client.clientCapabilities, auth: { _meta: { gateway: true } } } }
          : { ...client, capabilities: { ...client.capabilities, auth: { _meta: { gateway: true } } } },
      );
      const workspace = lab.workspace();
      const servers = mcpServers(lab, agent.version, secret);
      const session = await agent.newSession(workspace, { mcpServers: servers });
      await agent.turn(session, 'Hello');

      // Refused requests that carry secrets.
      const refused: Promise<unknown>[] = [
        agent.login('api-key', { 'api-key': { apiKey: [secret.wrongKey] } }),
        agent.login('gateway', gateway({ 'X-Plain': [secret.wrongHeader] })),
        agent.login('gateway', { gateway: { baseUrl: 7, headers: { 'X-Plain': secret.wrongHeader } } }),
        agent.request(agent.methods.login, { _meta: { 'api-key': { apiKey: secret.wrongKey } } }),
        agent.request('no/such', { apiKey: secret.wrongKey, headers: { a: secret.wrongHeader } }),
        agent.newSession(workspace, {
          mcpServers: [{ name: 'broken', env: [{ name: 'TOKEN', value: secret.wrongKey }] }],
        }),
      ];
      for (const { status } of await Promise.allSettled(refused)) expect(status).toBe('rejected');
      agent.client.notify('session/cancel', { apiKey: secret.wrongKey });
      agent.client.raw(`{"apiKey":"${secret.wrongKey}"\n`);

      await agent.login('api-key', { 'api-key': { apiKey: secret.requestKey } });
      await agent.login('api-key');
      await agent.login(
        'gateway',
        gateway({
          'X-Plain': secret.gatewayHeader,
          'api-key': secret.gatewayKey,
          Authorization: `Bearer ${secret.gatewayBearer}`,
        }),
      );
      const routed = await agent.newSession(workspace, { mcpServers: servers });
      lab.server.script(failure(400));
      await tryTurn(agent, routed, 'Fail');
      lab.server.script(failure(401), failure(401), failure(401));
      await tryTurn(agent, routed, 'Fail again');

      // A crash, then a process that knows the gateway from its start.
      const crashes = agent.family();
      process.kill(agent.codexPid(), 'SIGKILL');
      await survivors(
        crashes.filter(({ command }) => command.includes(' app-server')),
        5000,
      );
      lab.server.script(text('Back.'));
      await tryTurn(agent, routed, 'Go on');
      const commandLines = agent
        .family()
        .map(({ command }) => command)
        .join('\n');
      await agent.logout();
      await agent.end();

      const everything = { ...outputs(agent, folder), commandLines };
      expect(leaks(Object.values(secret), everything)).toEqual([]);
      // It was really used: names of headers may be shown, and are (S1.34).
      const used = lab.server.http.flatMap(({ headers }) => Object.values(headers));
      expect(used).toEqual(expect.arrayContaining([secret.gatewayHeader, secret.defaultHeader, secret.mcpHeader]));
      expect(everything.log).toContain('X-Plain');
      readLog(folder);
    },
  );

  test('a configured provider: headers, bearer token and query of CODEX_CONFIG (S1.68)', async ({ lab }) => {
    const secret = secretValues(['header', 'bearer', 'other']);
    const folder = lab.workspace().path;
    const agent = lab.agent({
      home: lab.openAiHome(),
      env: {
        APP_SERVER_LOGS: folder,
        MODEL_PROVIDER: 'mine',
        CODEX_CONFIG: JSON.stringify({
          model_providers: {
            mine: {
              name: 'Mine',
              base_url: lab.server.baseUrl,
              wire_api: 'responses',
              http_headers: { 'X-Plain': secret.header },
              experimental_bearer_token: secret.bearer,
            },
            other: { name: 'Other', base_url: lab.server.baseUrl, http_headers: { 'X-Plain': secret.other } },
          },
        }),
      },
    });
    const session = await agent.open(lab.workspace());
    await agent.turn(session, 'Hello');
    const commandLines = agent
      .family()
      .map(({ command }) => command)
      .join('\n');
    expect(lab.server.turnRequests.at(-1)?.headers).toMatchObject({
      'x-plain': secret.header,
      authorization: `Bearer ${secret.bearer}`,
    });
    await agent.end();
    expect(leaks(Object.values(secret), { ...outputs(agent, folder), commandLines })).toEqual([]);
  });

  test('what a dying Codex says about them is not repeated', async ({ lab }) => {
    const secret = secretValues(['envKey', 'requestKey', 'gatewayHeader', 'gatewayBearer', 'defaultHeader']);
    const folder = lab.workspace().path;
    const relay = await lab.relay();
    const agent = lab.agent({
      home: lab.openAiHome(),
      env: {
        APP_SERVER_LOGS: folder,
        CODEX_PATH: relay.path,
        MODEL_PROVIDER: undefined,
        CODEX_API_KEY: secret.envKey,
        DEFAULT_AUTH_REQUEST: JSON.stringify({
          methodId: 'gateway',
          _meta: { gateway: { baseUrl: lab.server.baseUrl, headers: { 'X-Plain': secret.defaultHeader } } },
        }),
      },
    });
    await agent.initialize();
    await agent.login('api-key', { 'api-key': { apiKey: secret.requestKey } });
    const headers = { 'X-Plain': secret.gatewayHeader, Authorization: `Bearer ${secret.gatewayBearer}` };
    await agent.login('gateway', { gateway: { baseUrl: lab.server.baseUrl, headers } });
    const session = await agent.newSession(lab.workspace());
    await agent.turn(session, 'Hello');
    const words = `panicked: ${Object.values(secret).join(' and ')}`;
    (await relay.process(0)).exit(101, words);
    await (await relay.process(0)).gone;
    await tryTurn(agent, session, 'Go on');
    relay.onStart = (codex) => void codex.waitFor('agent', () => true).then(() => codex.exit(101, words));
    relay.processes.at(-1)?.exit(101, words);
    await relay.processes.at(-1)?.gone;
    await tryTurn(agent, session, 'Go on');
    await agent.end();
    expect(leaks(Object.values(secret), outputs(agent, folder))).toEqual([]);
  });

  test('a gateway that repeats its headers in an error', async ({ lab }) => {
    const secret = secretValues(['header', 'bearer']);
    const folder = lab.workspace().path;
    const agent = lab.agent({
      home: lab.openAiHome(),
      env: { APP_SERVER_LOGS: folder, MODEL_PROVIDER: undefined },
    });
    await agent.initialize();
    const headers = { 'X-Plain': secret.header, Authorization: `Bearer ${secret.bearer}` };
    await agent.login('gateway', { gateway: { baseUrl: lab.server.baseUrl, headers } });
    const session = await agent.newSession(lab.workspace());
    const echo = failure(400, { error: { message: `Bad request, headers: ${JSON.stringify(headers)}` } });
    lab.server.script(echo, echo, echo);
    await tryTurn(agent, session, 'Hello');
    await agent.end();
    expect(leaks(Object.values(secret), outputs(agent, folder))).toEqual([]);
  });
});
