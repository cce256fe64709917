import type { AcpConnection } from '../adapters/acp/acp-connection.ts';
import { openStdout } from '../adapters/acp/stdout-stream.ts';
import type { CodexRuntime } from '../adapters/codex-app-server/codex-app-server.ts';
import type { ProcessLog } from '../adapters/system/pino-log.ts';
import { SystemScheduler } from '../adapters/system/system-scheduler.ts';
import type { ProviderRouting } from '../domain/provider/provider-routing.ts';
import type { Scheduler } from '../ports/outbound/system.ts';
import { Connection, Router } from './acp-module.ts';
import type { AgentConfig } from './agent-config.ts';
import { composeAgent } from './container.ts';
import { installShutdown } from './shutdown.ts';

/** Requests that were read before the end of the input get an answer within this time, if they need no turn (S1.52). */
const lastAnswersMs = 2000;
/** How long the end waits for a client that reads slowly. */
const lastFramesMs = 1000;
const quickMethods: ReadonlySet<string> = new Set([
  'auth/login',
  'auth/logout',
  'authenticate',
  'initialize',
  'logout',
  'session/close',
  'session/new',
]);

export interface Serving {
  readonly config: AgentConfig;
  readonly codex: CodexRuntime;
  readonly log: ProcessLog;
  readonly routing: ProviderRouting;
}

/** Serves ACP on stdin and stdout until the client is gone or the process is told to end (S1.50 to S1.55). */
export function serve({ config, codex, log, routing }: Serving): void {
  const scheduler = new SystemScheduler({ keepsProcessAlive: false });
  const inputEnd = signal();
  const closed = signal();
  const output = openStdout();
  const container = composeAgent({
    config,
    codex,
    log,
    routing,
    streams: { input: process.stdin, output, onInputEnd: inputEnd.fire, onClosed: closed.fire },
  });
  const connection = container.get(Connection);
  installShutdown({
    stop: async (reason) => {
      if (reason.type === 'endOfInput') await atMost(lastAnswersMs, lastAnswers(connection, inputEnd.fired), scheduler);
      connection.stream.close();
      await Promise.all([codex.lifecycle.stop(), atMost(lastFramesMs, connection.outbox.drained(), scheduler)]);
    },
    kill: () => codex.kill(),
    log,
    scheduler: new SystemScheduler(),
    output,
    closed: closed.fired,
  });
  container.get(Router).connect(connection.stream.stream);
}

/** Waits until everything that the client sent was handed out, and what can be answered soon was answered (S1.52). */
async function lastAnswers(connection: AcpConnection, inputEnd: Promise<void>): Promise<void> {
  await inputEnd;
  await connection.stream.answered((method) => quickMethods.has(method));
}

async function atMost(ms: number, work: Promise<void>, scheduler: Scheduler): Promise<void> {
  let cancel: () => void = () => undefined;
  const limit = new Promise<void>((resolve) => {
    cancel = scheduler.after(ms, resolve);
  });
  await Promise.race([work, limit]);
  cancel();
}

interface Signal {
  readonly fired: Promise<void>;
  readonly fire: () => void;
}

function signal(): Signal {
  let fire: () => void = () => undefined;
  const fired = new Promise<void>((resolve) => {
    fire = resolve;
  });
  return { fired, fire };
}
