/**
 * A small MCP server over stdio with one tool, `echo`: what a client names in `mcpServers`. It needs no package; the
 * program is an argument of node.
 */
const program = `
const lines = require('node:readline').createInterface({ input: process.stdin });
const schema = { type: 'object', properties: { text: { type: 'string' } } };
const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'echo', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [{ name: 'echo', description: 'Says it again', inputSchema: schema }] }),
  'tools/call': ({ arguments: args }) => ({ content: [{ type: 'text', text: String(args.text) }] }),
};
lines.on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = (results[method] ?? (() => ({})))(params ?? {});
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});
`;

interface StdioServer {
  readonly type?: 'stdio';
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly [];
}

/** An entry of `mcpServers` that works. */
export function echoServer(version: 1 | 2, name = 'echo'): StdioServer {
  return server(version, name, process.execPath, ['-e', program]);
}

/** An entry of `mcpServers` whose program does not exist. */
export function brokenServer(version: 1 | 2, name = 'broken'): StdioServer {
  return server(version, name, '/no/such/mcp-server', []);
}

function server(version: 1 | 2, name: string, command: string, args: readonly string[]): StdioServer {
  return { ...(version === 1 ? {} : { type: 'stdio' }), name, command, args, env: [] };
}
