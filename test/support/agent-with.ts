import { PassThrough } from 'node:stream';
import { Connection, Router } from '../../src/app/acp-module.ts';
import type { AgentConfig } from '../../src/app/agent-config.ts';
import { composeAgent } from '../../src/app/container.ts';
import { ProviderRouting } from '../../src/domain/provider/provider-routing.ts';
import { Browser, Clock, Ids, Scheduler, Terminal } from '../../src/ports/outbound/system.ts';
import { WorkspaceFiles } from '../../src/ports/outbound/workspace-files.ts';
import { AcpClient } from './acp-client.ts';
import { validateAgentFrame } from './acp-schema.ts';
import { FakeClock } from './fake-clock.ts';
import { FakeCodex } from './fake-codex.ts';
import { silentLog } from './session-lab.ts';

export interface AgentInMemory {
  readonly client: AcpClient;
  readonly codex: FakeCodex;
  readonly clock: FakeClock;
  readonly routing: ProviderRouting;
  /** Pages that the agent opened in the browser, and what it wrote to its terminal. */
  readonly opened: readonly string[];
  readonly told: readonly string[];
  /** Violations of the protocol's schema by frames of the agent. */
  readonly violations: string[];
  /** The client goes away. */
  disconnect(): void;
}

export interface AgentReplacements {
  readonly codex?: FakeCodex;
  readonly config?: Partial<AgentConfig>;
  /** The machine has no browser. */
  readonly noBrowser?: boolean;
  /** The disk, for reports of changed files. */
  readonly files?: WorkspaceFiles;
  /** Version whose schema the agent's frames must fit. */
  readonly version?: 1 | 2;
}

/** Ids that tests can foresee. */
function countingIds(): Ids {
  let last = 0;
  return {
    uuid: () => {
      last += 1;
      return `00000000-0000-4000-8000-${String(last).padStart(12, '0')}`;
    },
  };
}

/** The whole agent in memory: the real container with a fake Codex, a fake clock and foreseeable ids. */
export function agentWith(replacements: AgentReplacements = {}): AgentInMemory {
  const codex = replacements.codex ?? new FakeCodex();
  const clock = new FakeClock();
  const input = new PassThrough();
  const output = new PassThrough();
  const routing = new ProviderRouting(null);
  const container = composeAgent({
    config: {
      identity: { name: 'codex-acp', version: '0.0.0-test' },
      noBrowser: false,
      environmentKey: () => null,
      defaultLogin: null,
      sessions: { codexConfig: {}, initialMode: null, keepConflictingServers: false, promptSuggestions: true },
      ...replacements.config,
    },
    codex: {
      lifecycle: codex,
      threads: codex,
      turns: codex,
      feed: codex,
      accounts: codex,
      catalog: codex,
      goals: codex.goals,
      skills: codex.skills,
      status: codex.status,
      sampling: codex.sampling,
    },
    streams: { input, output, onInputEnd: () => undefined, onClosed: () => undefined },
    log: silentLog,
    routing,
  });
  container.rebind(Clock).toConstantValue(clock);
  container.rebind(Scheduler).toConstantValue(clock);
  const opened: string[] = [];
  const told: string[] = [];
  container.rebind(Browser).toConstantValue({
    open: (url) => {
      if (replacements.noBrowser === true) return Promise.reject(new Error('no browser'));
      opened.push(url);
      return Promise.resolve();
    },
  });
  container.rebind(Terminal).toConstantValue({ tell: (text) => told.push(text) });
  if (replacements.files !== undefined) container.rebind(WorkspaceFiles).toConstantValue(replacements.files);
  container.rebind(Ids).toConstantValue(countingIds());
  const client = new AcpClient({ write: (line) => void input.write(line), end: () => void input.end() });
  const violations: string[] = [];
  client.onFrame = (frame, requestMethod) => {
    const found = validateAgentFrame(replacements.version ?? 2, frame, requestMethod ?? undefined);
    violations.push(...found.map((violation) => `${violation} in ${JSON.stringify(frame)}`));
  };
  let rest = '';
  output.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) client.receive(line);
  });
  const connection = container.get(Connection);
  container.get(Router).connect(connection.stream.stream);
  return {
    client,
    codex,
    clock,
    routing,
    opened,
    told,
    violations,
    disconnect: () => {
      input.end();
      connection.stream.close();
    },
  };
}
