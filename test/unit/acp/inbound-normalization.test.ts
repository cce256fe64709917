import { describe, expect, it } from 'vitest';
import { normalizeParams } from '../../../src/adapters/acp/inbound-normalization.ts';

describe('normalizeParams', () => {
  it.each([
    'auth/logout',
    'authentication/logout',
    'authentication/status',
    'logout',
    'providers/list',
    'session/list',
  ])('S1.44 S2.7 %s needs no params', (method) => {
    expect(normalizeParams(1, method, undefined)).toEqual({});
    expect(normalizeParams(2, method, null)).toEqual({});
    expect(normalizeParams(2, method, { cwd: '/w' })).toEqual({ cwd: '/w' });
  });

  it('S1.44 other methods keep what they have, for the validation to refuse', () => {
    expect(normalizeParams(1, 'session/prompt', undefined)).toBeUndefined();
    expect(normalizeParams(1, 'session/new', null)).toBeNull();
    expect(normalizeParams(1, 'session/new', [])).toEqual([]);
  });

  it.each(['session/new', 'session/load', 'session/resume', 'session/fork'])(
    'S2.5 %s without MCP servers has none',
    (method) => {
      for (const protocol of [1, 2] as const) {
        expect(normalizeParams(protocol, method, { cwd: '/w' })).toEqual({ cwd: '/w', mcpServers: [] });
        expect(normalizeParams(protocol, method, { mcpServers: null })).toEqual({ mcpServers: [] });
        expect(normalizeParams(protocol, method, { mcpServers: 'x' })).toEqual({ mcpServers: 'x' });
      }
    },
  );

  it.each([
    ['untagged stdio', { name: 'a', command: 'c' }, { name: 'a', command: 'c', args: [], env: [] }, 'stdio'],
    [
      'tagged stdio',
      { type: 'stdio', name: 'a', command: 'c', args: ['x'] },
      { name: 'a', command: 'c', args: ['x'], env: [] },
      'stdio',
    ],
    [
      'stdio without a type',
      { type: null, name: 'a', command: 'c', args: null },
      { name: 'a', command: 'c', args: [], env: [] },
      'stdio',
    ],
    [
      'http',
      { type: 'http', name: 'a', url: 'http://x' },
      { type: 'http', name: 'a', url: 'http://x', headers: [] },
      'http',
    ],
    [
      'sse',
      { type: 'sse', name: 'a', url: 'http://x', headers: null },
      { type: 'sse', name: 'a', url: 'http://x', headers: [] },
      'sse',
    ],
    ['an unknown type', { type: 'ws', name: 'a' }, { type: 'ws', name: 'a' }, 'ws'],
  ])('S2.6 accepts %s on both versions', (_name, server, v1, type) => {
    expect(normalizeParams(1, 'session/new', { mcpServers: [server] })).toEqual({ mcpServers: [v1] });
    expect(normalizeParams(2, 'session/new', { mcpServers: [server] })).toEqual({ mcpServers: [{ ...v1, type }] });
  });

  it('S2.8 leaves what is no server entry', () => {
    const params = { mcpServers: ['x', null, { name: 'a' }, [1]] };
    expect(normalizeParams(2, 'session/new', params)).toEqual(params);
  });
});
