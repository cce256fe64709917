import { describe } from 'vitest';
import { type Lab, test } from './lab.ts';

const took = (since: number): number => performance.now() - since;

// Side by side, because they mostly wait.
describe.concurrent('a Codex that does not end by itself', () => {
  /** An initialized agent with a Codex that only SIGKILL ends. */
  async function agentWithStubbornCodex(lab: Lab) {
    const relay = await lab.relay();
    const agent = lab.agent({ env: { CODEX_PATH: relay.path } });
    await agent.initialize();
    const codex = await relay.process(0);
    await codex.ignoreTermination();
    codex.outliveCodex();
    return { agent, codex };
  }

  test('S1.51, S8.8 end of input: it is killed after 2 s and 5 s', { timeout: 30_000 }, async ({ lab, expect }) => {
    const { agent, codex } = await agentWithStubbornCodex(lab);
    const since = performance.now();
    expect(await agent.end()).toEqual({ code: 0, signal: null });
    expect(took(since)).toBeGreaterThan(6900);
    expect(took(since)).toBeLessThan(9000);
    await codex.gone;
  });

  test('S1.53 SIGTERM: it is killed within about 3 s', async ({ lab, expect }) => {
    const { agent, codex } = await agentWithStubbornCodex(lab);
    const since = performance.now();
    agent.kill('SIGTERM');
    expect(await agent.exited).toEqual({ code: null, signal: 'SIGTERM' });
    expect(took(since)).toBeLessThan(3500);
    await codex.gone;
  });

  test('S1.53 a second signal ends everything at once', async ({ lab, expect }) => {
    const { agent, codex } = await agentWithStubbornCodex(lab);
    agent.kill('SIGTERM');
    await codex.inputEnded;
    const since = performance.now();
    agent.kill('SIGINT');
    expect(await agent.exited).toEqual({ code: null, signal: 'SIGINT' });
    expect(took(since)).toBeLessThan(1000);
    await codex.gone;
  });

  test('S1.53 a signal shortens the wait after the end of input', async ({ lab, expect }) => {
    const { agent, codex } = await agentWithStubbornCodex(lab);
    agent.client.end();
    await codex.inputEnded;
    const since = performance.now();
    agent.kill('SIGHUP');
    expect(await agent.exited).toEqual({ code: null, signal: 'SIGHUP' });
    expect(took(since)).toBeLessThan(3500);
    await codex.gone;
  });
});
