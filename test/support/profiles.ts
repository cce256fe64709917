/** `initialize` params of the client profiles of the spec (S4.1). */
export const profiles = {
  plainV1: {
    protocolVersion: 1,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  },
  zedV1: {
    protocolVersion: 1,
    clientInfo: { name: 'zed', version: '1.0.0' },
    clientCapabilities: {
      fs: { readTextFile: true, writeTextFile: true },
      terminal: true,
      _meta: { terminal_output: true, 'terminal-auth': true },
    },
  },
  airV1: {
    protocolVersion: 1,
    clientInfo: { name: 'JetBrains AIR', title: 'JetBrains AIR', version: '1.0.0' },
    clientCapabilities: {
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      plan: {},
      session: { compaction: {}, notices: {}, configOptions: { boolean: {} } },
      elicitation: { form: {}, url: {} },
      _meta: {
        terminal_output_delta: true,
        jetbrains: {
          air: {
            version: 1,
            capabilities: [
              'diffPatch',
              'rawInputRendering',
              'planContentDelta',
              'recommendedValue',
              'asyncTasks',
              'agentFileChangeReport',
              'sessionFailure',
              'nativeSubagentSessions',
              'codexHooks',
              'sessionIndex',
            ],
          },
        },
      },
    },
  },
  plainV2: { protocolVersion: 2, info: { name: 'plain', version: '1.0.0' }, capabilities: {} },
  airV2: {
    protocolVersion: 2,
    info: { name: 'JetBrains AIR', title: 'JetBrains AIR', version: '1.0.0' },
    capabilities: {
      elicitation: { form: {}, url: {} },
      _meta: {
        jetbrains: {
          air: {
            version: 1,
            capabilities: [
              'recommendedValue',
              'asyncTasks',
              'agentFileChangeReport',
              'sessionFailure',
              'nativeSubagentSessions',
              'sessionIndex',
            ],
          },
        },
      },
    },
  },
} as const;
