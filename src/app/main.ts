import { createCodexRuntime } from '../adapters/codex-app-server/codex-app-server.ts';
import { currentSurroundings, locateCodex } from '../adapters/codex-app-server/codex-executable.ts';
import { createErrorOutput } from '../adapters/system/error-output.ts';
import { createLog, type ProcessLog } from '../adapters/system/pino-log.ts';
import { SystemClock } from '../adapters/system/system-clock.ts';
import { SystemScheduler } from '../adapters/system/system-scheduler.ts';
import { ProviderRouting } from '../domain/provider/provider-routing.ts';
import { defaultLogin } from './agent-config.ts';
import { buildInfo } from './build-info.ts';
import { parseCommandLine } from './command-line.ts';
import {
  apiKeyFromEnvironment,
  type Environment,
  EnvironmentError,
  parseEnvironment,
  secretsOfEnvironment,
} from './environment.ts';
import { quietConsole } from './quiet-console.ts';
import { endProcess } from './shutdown.ts';
import { usageText, versionText } from './usage.ts';

/** Entry point of the process: reads the command line and the environment, then does what was asked. */
async function main(): Promise<void> {
  const command = parseCommandLine(process.argv.slice(2));
  switch (command.type) {
    case 'version':
      process.stdout.write(versionText(buildInfo));
      return;
    case 'help':
      process.stdout.write(usageText(buildInfo));
      return;
    case 'cli':
      return runCli(command.args);
    case 'serve':
      return startServing(command.ignored);
  }
}

async function runCli(args: readonly string[]): Promise<void> {
  const { runCodexCli } = await import('./codex-cli.ts');
  const errorOutput = createErrorOutput();
  const executable = locateCodex(process.env.CODEX_PATH || null, currentSurroundings(process.env));
  endProcess(process, await runCodexCli({ executable, args, errorOutput }));
}

/** Codex is started first; the rest of the agent is loaded while it starts (S1.63). */
async function startServing(ignored: readonly string[]): Promise<void> {
  const environment = parseEnvironment(process.env);
  const secrets = secretsOfEnvironment(process.env, environment);
  const log = createLog({ directory: environment.logDirectory, secrets });
  quietConsole(log);
  const routing = new ProviderRouting(environment.modelProvider);
  const codex = createCodexRuntime(codexOptions(environment, routing, secrets), {
    log,
    scheduler: new SystemScheduler(),
    clock: new SystemClock(),
  });
  codex.start();
  logStart(log, environment, ignored);
  const { serve } = await import('./serve.ts');
  serve({
    codex,
    log,
    routing,
    config: {
      identity: buildInfo,
      noBrowser: environment.noBrowser,
      environmentKey: () => apiKeyFromEnvironment(process.env),
      defaultLogin: defaultLogin(environment.defaultAuthRequest, () => apiKeyFromEnvironment(process.env)),
      sessions: {
        codexConfig: environment.codexConfig,
        initialMode: environment.initialMode,
        keepConflictingServers: !environment.mcpConfigFiltering,
        promptSuggestions: environment.promptSuggestions,
      },
    },
  });
}

function codexOptions(environment: Environment, routing: ProviderRouting, secrets: readonly string[]) {
  const providers = environment.codexConfig.model_providers;
  return {
    codexPath: environment.codexPath,
    hooks: environment.hooks?.value,
    providerId: environment.startupProvider,
    providers: typeof providers === 'object' && providers !== null ? { ...providers } : {},
    gateway: () => routing.gateway,
    crashLimit: environment.crashLimit,
    crashWindowMs: environment.crashWindowMs,
    env: process.env,
    secrets,
    agent: { name: buildInfo.name, title: 'Codex ACP', version: buildInfo.version },
    traceTraffic: environment.logDirectory !== null,
  };
}

/** First lines of the log (S1.33). */
function logStart(log: ProcessLog, environment: Environment, ignored: readonly string[]): void {
  log.info('Logger initialized');
  log.info('Startup', {
    ...buildInfo,
    codexPath: environment.codexPath,
    modelProvider: environment.modelProvider,
    config: environment.codexConfig,
    defaultAuthRequest: environment.defaultAuthRequest,
  });
  for (const line of environment.ignored) log.warn(line);
  if (ignored.length > 0) log.warn('Arguments without a meaning were ignored', { count: ignored.length });
}

main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  createErrorOutput()(`codex-acp: ${message}\n`);
  process.exitCode = error instanceof EnvironmentError ? EnvironmentError.exitCode : 1;
});
