import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { AcpClient } from './acp-client.ts';
import { validateAgentFrame } from './acp-schema.ts';
import { agentEntry } from './build-agent.ts';

export interface AgentProcess {
  readonly client: AcpClient;
  readonly child: ChildProcess;
  /** Everything the agent wrote to stderr. */
  readonly stderr: () => string;
  /** Violations of the protocol's schema, filled as frames arrive. */
  readonly violations: string[];
  /** Ends the agent's input and waits for its exit. */
  stop(): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

export interface AgentOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly version: 1 | 2;
  readonly command?: readonly string[];
  readonly cwd?: string;
}

/** Starts the built agent as a child process and validates every frame that it writes. */
export function startAgent(options: AgentOptions): AgentProcess {
  const [command = process.execPath, ...args] = options.command ?? [process.execPath, agentEntry];
  const child = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  const client = new AcpClient({
    write: (line) => {
      if (child.stdin.writable) child.stdin.write(line);
    },
    end: () => child.stdin.end(),
  });
  const violations: string[] = [];
  client.onFrame = (frame, requestMethod) => {
    for (const violation of validateAgentFrame(options.version, frame, requestMethod ?? undefined)) {
      violations.push(`${violation} in ${JSON.stringify(frame)}`);
    }
  };
  child.stdin.on('error', () => undefined);
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) client.receive(line);
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const exited = once(child, 'exit').then(([code, signal]) => {
    client.disconnected(`the agent exited with ${String(code ?? signal)}: ${stderr.slice(-2000)}`);
    return { code: code as number | null, signal: signal as NodeJS.Signals | null };
  });
  return {
    client,
    child,
    stderr: () => stderr,
    violations,
    exited,
    stop: () => {
      client.end();
      return exited;
    },
  };
}
