import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('./support/stdout-child.ts', import.meta.url));
const size = 4 * 1024 * 1024;
const agentCommand = [process.execPath, '--import', 'tsx', script, String(size)];

interface Report {
  readonly ticks: number;
  readonly pending: number;
}

describe('openStdout', () => {
  it('S1.47 a client that does not read never stops the event loop', async () => {
    await expectTicksAndAllBytes(agentCommand);
  });

  it.skipIf(process.platform === 'win32')('S1.47 neither does one at the end of a real pipe', async () => {
    await expectTicksAndAllBytes(['sh', '-c', '"$0" "$@" | cat', ...agentCommand]);
  });
});

/** Nobody reads until the agent has reported that its timers run; then everything it wrote arrives. */
async function expectTicksAndAllBytes([command = '', ...args]: readonly string[]): Promise<void> {
  const agent = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  try {
    const report = await reportOf(agent);
    expect(report.ticks).toBeGreaterThanOrEqual(5);
    expect(report.pending).toBeGreaterThan(0);
    let received = 0;
    agent.stdout?.on('data', (data: Buffer) => {
      received += data.length;
    });
    const [code] = (await once(agent, 'close')) as [number | null];
    expect([code, received]).toEqual([0, size]);
  } finally {
    agent.kill('SIGKILL');
  }
}

async function reportOf(agent: ChildProcess): Promise<Report> {
  const gone = once(agent, 'exit').then(([code]) => {
    throw new Error(`The agent ended with ${String(code)}`);
  });
  gone.catch(() => {});
  const [report] = (await Promise.race([once(agent, 'message'), gone])) as [Report];
  return report;
}
