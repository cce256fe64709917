/** The import rules of docs/architecture.md, section "Rooms". `npm run lint` fails when one is broken. */
const adapters = ['codex-app-server', 'acp', 'acp-v1', 'acp-v2', 'gateway-models', 'system'];

module.exports = {
  forbidden: [
    { name: 'no-circular-folders', severity: 'error', scope: 'folder', from: {path: '^src/'}, to: { circular: true, path: '^src/' } },
    { name: 'no-circular-files', severity: 'error', from: { path: '^src/' }, to: { circular: true } },
    {
      name: 'domain-is-pure',
      comment: 'domain imports domain and the types of ports/outbound, nothing else: no npm package, no node: module',
      severity: 'error',
      from: { path: '^src/domain/' },
      to: { pathNot: '^src/(domain|ports/outbound)/' },
    },
    {
      name: 'ports-speak-domain',
      severity: 'error',
      from: { path: '^src/ports/' },
      to: { pathNot: ['^src/(domain|ports)/', '^node_modules/inversify/'] },
    },
    ...adapters.map((name) => ({
      name: `adapter-${name}-stands-alone`,
      severity: 'error',
      from: { path: `^src/adapters/${name}/` },
      to: {
        path: '^src/',
        pathNot: [
          '^src/(domain|ports)/',
          `^src/adapters/${name}/`,
          ...(name.startsWith('acp-v') ? ['^src/adapters/acp/'] : []),
        ],
      },
    })),
    {
      name: 'inversify-only-in-app',
      comment: 'inversify composes in src/app; ports only type their tokens with it',
      severity: 'error',
      from: { path: '^src/(domain|adapters)/' },
      to: { path: 'node_modules/(inversify|reflect-metadata)/' },
    },
    {
      name: 'src-never-imports-tests',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|contracts|scripts)/' },
    },
    { name: 'not-to-unresolvable', severity: 'error', from: { path: '^src/' }, to: { couldNotResolve: true } },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
    includeOnly: undefined,
  },
};
