import { expect, it } from 'vitest';
import type { GatewayRouting } from '../../../src/domain/provider/routing.ts';
import type { ThreadConfigParts } from '../../../src/domain/workspace/thread-config.ts';
import { configuredServerNames, threadConfig } from '../../../src/domain/workspace/thread-config.ts';

const gateway: GatewayRouting = {
  providerId: 'custom-gateway',
  name: 'House gateway',
  baseUrl: 'https://gw/v1',
  headers: { authorization: 'Bearer x' },
};

const definition = {
  name: 'House gateway',
  base_url: 'https://gw/v1',
  wire_api: 'responses',
  http_headers: { authorization: 'Bearer x' },
};

const visualize = { name: 'visualize:visualize', enabled: false };

function config(over: Partial<ThreadConfigParts> = {}): Record<string, unknown> {
  return threadConfig({
    codexConfig: null,
    workspace: { cwd: '/w', additionalDirectories: [] },
    gateway: null,
    mcpServers: {},
    ...over,
  });
}

it('S2.18 S1.70 S3.199 a session without extras gets features, skill rules and its trusted root', () => {
  expect(config()).toEqual({
    features: { cwd_relative_turn_diffs: false },
    skills: { config: [visualize] },
    projects: { '/w': { trust_level: 'trusted' } },
  });
});

it('S2.18 S3.199 builds every part on CODEX_CONFIG, without its hooks', () => {
  const codexConfig = {
    model: 'house',
    hooks: { pre: 'x' },
    model_providers: { other: { name: 'Other' }, 'custom-gateway': { name: 'Old' } },
    features: { cwd_relative_turn_diffs: true, extra: true },
    skills: {
      include: ['a'],
      config: [
        { name: 'visualize:visualize', enabled: true },
        { name: 'a', enabled: false },
      ],
    },
    projects: { '/other': { trust_level: 'untrusted' }, '/w': { trust_level: 'untrusted', note: 1 } },
    sandbox_workspace_write: { network_access: true, writable_roots: ['/cache', '/x', 7] },
    mcp_servers: { old: { command: 'old' } },
  };
  const before = structuredClone(codexConfig);
  const workspace = { cwd: '/w', additionalDirectories: ['/x', '/y'] };
  expect(config({ codexConfig, workspace, gateway, mcpServers: { mine: { url: 'https://m' } } })).toEqual({
    model: 'house',
    model_providers: { other: { name: 'Other' }, 'custom-gateway': definition },
    features: { cwd_relative_turn_diffs: false, extra: true },
    skills: { include: ['a'], config: [...codexConfig.skills.config, visualize] },
    projects: {
      '/other': { trust_level: 'untrusted' },
      '/w': { trust_level: 'trusted' },
      '/x': { trust_level: 'trusted' },
      '/y': { trust_level: 'trusted' },
    },
    sandbox_workspace_write: { network_access: true, writable_roots: ['/cache', '/x', '/y'] },
    mcp_servers: { old: { command: 'old' }, mine: { url: 'https://m' } },
  });
  expect(codexConfig).toEqual(before);
});

it('S2.18 leaves writable roots and MCP servers alone when the session adds none', () => {
  const codexConfig = { sandbox_workspace_write: { writable_roots: ['/cache'] }, mcp_servers: { old: {} } };
  expect(config({ codexConfig })).toMatchObject(codexConfig);
  expect(config()).not.toHaveProperty('sandbox_workspace_write');
  expect(config()).not.toHaveProperty('mcp_servers');
});

it.each([[[]], ['text'], [7], [null], [true]])(
  'S1.241 S2.18 treats members of the wrong type (%j) as empty',
  (wrong) => {
    const keys = ['model_providers', 'features', 'skills', 'projects', 'sandbox_workspace_write', 'mcp_servers'];
    const codexConfig = Object.fromEntries(keys.map((key) => [key, wrong]));
    const workspace = { cwd: '/w', additionalDirectories: ['/x'] };
    expect(config({ codexConfig, workspace, gateway, mcpServers: { m: {} } })).toEqual({
      model_providers: { 'custom-gateway': definition },
      features: { cwd_relative_turn_diffs: false },
      skills: { config: [visualize] },
      projects: { '/w': { trust_level: 'trusted' }, '/x': { trust_level: 'trusted' } },
      sandbox_workspace_write: { writable_roots: ['/x'] },
      mcp_servers: { m: {} },
    });
  },
);

it('S1.241 treats skill rules that are no list as empty', () => {
  expect(config({ codexConfig: { skills: { config: { a: 1 } } } })).toMatchObject({ skills: { config: [visualize] } });
});

it('C035 a root that the user calls untrusted stays untrusted', () => {
  const workspace = { cwd: '/w', additionalDirectories: ['/x'] };
  expect(config({ workspace, untrustedRoots: ['/x', '/elsewhere'] })).toMatchObject({
    projects: { '/w': { trust_level: 'trusted' }, '/x': { trust_level: 'untrusted' } },
  });
});

it('S2.18 S2.155 names the MCP servers of CODEX_CONFIG', () => {
  expect(configuredServerNames({ mcp_servers: { a: {}, b: {} } })).toEqual(['a', 'b']);
  expect(configuredServerNames({ mcp_servers: [] })).toEqual([]);
  expect(configuredServerNames(null)).toEqual([]);
});

it('keeps a server with the name of an object member as a server', () => {
  const mcpServers = Object.fromEntries([['__proto__', { url: 'https://p' }]]);
  expect(JSON.stringify(config({ mcpServers }))).toContain('"mcp_servers":{"__proto__":{"url":"https://p"}}');
});
