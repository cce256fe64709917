import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { startAgent } from '../../support/agent-process.ts';
import { agentEntry } from '../../support/build-agent.ts';
import { cleanEnvironment, run, test } from './lab.ts';

const { name, version } = manifest;
/** A Codex that would be noticed. */
const noCodex = { CODEX_PATH: '/no/such/codex' };

describe('command line', () => {
  test.for(['--version', '-V'])('S1.2 %s prints name and version and starts no Codex', async (flag) => {
    expect(await run([flag], { env: noCodex })).toEqual({
      code: 0,
      signal: null,
      stdout: `${name} ${version}\n`,
      stderr: '',
    });
  });

  test.for(['--help', '-h'])('S1.3 %s prints the usage and starts no Codex', async (flag) => {
    const { stdout, ...rest } = await run([flag], { env: noCodex });
    expect(rest).toEqual({ code: 0, signal: null, stderr: '' });
    for (const word of ['codex-acp cli', '--version', 'CODEX_PATH', 'CODEX_CONFIG', 'APP_SERVER_LOGS']) {
      expect(stdout).toContain(word);
    }
  });

  test('S1.4 unknown arguments do not prevent serving', async ({ lab }) => {
    // S1.60: the bundled Codex is found from the agent, wherever it runs.
    const agent = lab.agent({ command: [process.execPath, agentEntry, '--acp', 'serve', '--stdio=1'], cwd: '/' });
    expect(await agent.initialize()).toMatchObject({ protocolVersion: 1 });
    expect(await agent.end()).toEqual({ code: 0, signal: null });
    expect(agent.process.stderr()).toBe('');
  });

  test('S1.2 cli --version asks Codex', async () => {
    const { stdout, ...rest } = await run(['cli', '--version']);
    expect(rest).toMatchObject({ code: 0, signal: null });
    expect(stdout).toBe(`codex-cli ${manifest.dependencies['@openai/codex']}\n`);
  });

  test('S1.5 cli passes arguments, environment and stdio on, and takes over the exit code', async ({ lab }) => {
    const { path } = lab.workspace();
    const codex = join(path, 'a codex');
    writeFileSync(codex, `#!/bin/sh\nprintf '<%s>' "$@"; printf '%s' "$GIVEN"; cat; echo oops >&2; exit 7\n`, {
      mode: 0o755,
    });
    const args = ['cli', 'exec', 'two words', '$(x) "q" \'s\'', '', '--help'];
    const ended = await run(args, { env: { CODEX_PATH: codex, GIVEN: 'value' }, input: ' input' });
    expect(ended).toEqual({
      code: 7,
      signal: null,
      stdout: '<exec><two words><$(x) "q" \'s\'><><--help>value input',
      stderr: 'oops\n',
    });
  });

  test('S1.5 cli dies of the signal that killed Codex', async ({ lab }) => {
    const { path } = lab.workspace();
    const codex = join(path, 'codex');
    writeFileSync(codex, '#!/bin/sh\nkill -TERM $$\n', { mode: 0o755 });
    expect(await run(['cli'], { env: { CODEX_PATH: codex } })).toMatchObject({ code: null, signal: 'SIGTERM' });
  });

  test('S1.5 cli passes a signal on to Codex and ends as it does', async ({ lab }) => {
    const { path } = lab.workspace();
    const codex = join(path, 'codex');
    writeFileSync(
      codex,
      "#!/bin/sh\ntrap 'exit 9' TERM\necho '{\"ready\":true}'\nfor i in $(seq 1000); do sleep 0.02; done\n",
      {
        mode: 0o755,
      },
    );
    const cli = startAgent({
      version: 1,
      env: { ...cleanEnvironment, CODEX_PATH: codex },
      command: [process.execPath, agentEntry, 'cli'],
    });
    cli.client.onFrame = () => undefined;
    await cli.client.waitFor(() => true);
    cli.child.kill('SIGTERM');
    expect(await cli.exited).toEqual({ code: 9, signal: null });
  });

  test('S1.5 cli tells in one line that Codex cannot be started', async () => {
    const { stderr, ...rest } = await run(['cli', 'exec'], { env: noCodex });
    expect(rest).toEqual({ code: 1, signal: null, stdout: '' });
    expect(stderr).toMatch(/^Codex CLI error: .*\/no\/such\/codex.*ENOENT.*\n$/);
  });

  test('S1.4 a subcommand counts as the first argument only', async ({ lab }) => {
    const agent = lab.agent({ command: [process.execPath, agentEntry, '--stdio', 'cli'] });
    expect(await agent.initialize()).toMatchObject({ protocolVersion: 1 });
    agent.kill('SIGKILL');
    await once(agent.process.child, 'exit');
  });
});
