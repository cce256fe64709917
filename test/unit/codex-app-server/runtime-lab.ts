import {
  type CodexRuntime,
  type CodexRuntimeOptions,
  createCodexRuntime,
} from '../../../src/adapters/codex-app-server/codex-app-server.ts';
import type { ServerRequest, ServerRequestRef } from '../../../src/domain/interaction/approval-request.ts';
import type { ThreadListener } from '../../../src/ports/outbound/codex-runtime.ts';
import { type FakeAppServer, FakeAppServers, settled } from '../../support/fake-app-server.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { RecordedLog } from './recorded-log.ts';

export interface RuntimeLab {
  readonly runtime: CodexRuntime;
  readonly servers: FakeAppServers;
  readonly clock: FakeClock;
  readonly log: RecordedLog;
  /** The running process. */
  readonly codex: FakeAppServer;
}

export const AGENT = { name: 'codex-acp', title: 'Codex ACP', version: '0.1.0' };

/** The whole adapter over a fake process, introduced. */
export async function runtimeLab(options: Partial<CodexRuntimeOptions> = {}): Promise<RuntimeLab> {
  const servers = new FakeAppServers();
  const clock = new FakeClock();
  const log = new RecordedLog();
  const runtime = createCodexRuntime(
    {
      codexPath: 'codex',
      hooks: undefined,
      providerId: null,
      providers: {},
      gateway: () => null,
      crashLimit: 5,
      crashWindowMs: 300_000,
      env: { PATH: '/bin' },
      agent: AGENT,
      ...options,
    },
    { log, clock, scheduler: clock, spawn: servers.spawn },
  );
  runtime.start();
  await runtime.lifecycle.introduce({ name: '', title: 'Editor', version: '' });
  return {
    runtime,
    servers,
    clock,
    log,
    get codex() {
      return servers.last;
    },
  };
}

/** Keeps everything that a thread's listener hears, in order. */
export class RecordedListener implements ThreadListener {
  readonly heard: unknown[] = [];
  readonly requests: { readonly ref: ServerRequestRef; readonly request: ServerRequest }[] = [];

  onEvent(event: unknown): void {
    this.heard.push(event);
  }

  onRequest(ref: ServerRequestRef, request: ServerRequest): void {
    this.heard.push(request.type);
    this.requests.push({ ref, request });
  }

  onLost(cause: Error): void {
    this.heard.push(`lost: ${cause.message}`);
  }
}

/** Lets a call reach Codex, answers it, and gives back what was asked and what came of it. */
export async function exchange<T>(
  lab: RuntimeLab,
  call: Promise<T>,
  method: string,
  result: unknown,
): Promise<{ params: unknown; value: T }> {
  await settled();
  const { params } = lab.codex.lastRequest(method);
  lab.codex.answer(method, result);
  return { params, value: await call };
}

/** Lets a call reach Codex, which refuses it; gives back the error, or what came of it all the same. */
export async function refusal(
  lab: RuntimeLab,
  call: Promise<unknown>,
  method: string,
  message: string,
): Promise<unknown> {
  await settled();
  lab.codex.refuse(method, message);
  return call.catch((error: unknown) => error);
}
