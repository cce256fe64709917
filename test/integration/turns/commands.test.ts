import { describe, expect, test } from 'vitest';
import { useAgent } from '../../support/integration.ts';
import { runCommand, text, writeStdin } from '../../support/model-replies.ts';
import { profiles } from '../../support/profiles.ts';
import { models } from './cases.ts';
import { EndlessCommand } from './endless-command.ts';
import { contentText, openToolCalls, shownOutput, type ToolView, toolCall } from './tool-view.ts';

/** A v1 client with the delta channel that is not AIR (S4.1). */
const deltaV1 = { protocolVersion: 1, clientCapabilities: { _meta: { terminal_output_delta: true } } };

/** Where each client sees the output of a command that has a terminal. */
const clients = [
  { name: 'plain v1', version: 1, profile: profiles.plainV1, output: 'snapshots' },
  { name: 'Zed v1', version: 1, profile: profiles.zedV1, output: 'stream' },
  { name: 'delta v1', version: 1, profile: deltaV1, output: 'stream' },
  { name: 'AIR v1', version: 1, profile: profiles.airV1, output: 'stream' },
  { name: 'plain v2', version: 2, profile: profiles.plainV2, output: 'terminal' },
  { name: 'AIR v2', version: 2, profile: profiles.airV2, output: 'terminal' },
] as const;

describe.each(clients)('$name', ({ version, profile, output }) => {
  const agent = useAgent({ version, profile });

  /**
   * The client shows every line of the output once. A v1 stream cannot be rewritten: there, output that Codex told late
   * may come late.
   */
  function expectOutput(tool: ToolView, whole: string): void {
    const shown = shownOutput(tool);
    if (output === 'stream') expect(lines(shown)).toEqual(lines(whole));
    else expect(shown).toBe(whole);
  }

  function expectExit(tool: ToolView, code: number | null): void {
    if (output === 'snapshots') expect(tool.rawOutput).toEqual({ exit_code: code });
    else expect(tool.exit).toBe(code);
  }

  describe.each(models)('$name', ({ model }) => {
    const open = () => agent().open({ model, files: { 'a.txt': 'one\n' } });

    test('S4.45 S4.140 S12.1 C010 output that comes in parts is shown once, and the exit code', async () => {
      const session = await open();
      session.model(runCommand('echo first; sleep 0.3; echo second; sleep 0.3; echo third'), text('Done.'));
      const end = await session.prompt('Run it').ended;
      expect(end.outcome).toBe('end_turn');
      const tool = toolCall(end.updates);
      expect(tool).toMatchObject({ kind: 'execute', status: 'completed', rawInput: { cwd: session.workspace.path } });
      expectOutput(tool, 'first\nsecond\nthird\n');
      expectExit(tool, 0);
    });

    test('S4.46 C010 output of a quick command is shown once', async () => {
      const session = await open();
      session.model(runCommand('echo quick; printf end'), text('Done.'));
      const end = await session.prompt('Run it').ended;
      expect(shownOutput(toolCall(end.updates))).toBe('quick\nend');
    });

    test('S4.47 S4.52 a failing command tells its exit code, and the turn goes on', async () => {
      const session = await open();
      session.model(runCommand('echo oops >&2; exit 3'), text('It failed.'));
      const end = await session.prompt('Run it').ended;
      expect(end.outcome).toBe('end_turn');
      const tool = toolCall(end.updates);
      expect(tool.statuses).toEqual(['in_progress', 'failed']);
      expectOutput(tool, 'oops\n');
      expectExit(tool, 3);
    });

    test('S4.37 S4.38 a command that only reads is shown as a read, without terminal', async () => {
      const session = await open();
      session.model(runCommand('cat a.txt'), text('Done.'));
      const end = await session.prompt('Run it').ended;
      const tool = toolCall(end.updates);
      const path = session.workspace.file('a.txt');
      expect(tool).toMatchObject({ kind: 'read', title: `Read file '${path}'`, status: 'completed' });
      expect(tool.locations).toEqual([{ path }]);
      // AIR names the file and shows nothing of it on v1 (S4.48).
      expect(shownOutput(tool)).toBe(profile === profiles.airV1 ? '' : 'one\n');
    });
  });

  test('C025 split characters, NUL, ANSI, carriage returns and invalid bytes arrive as they can', async () => {
    const session = await agent().open();
    const parts = [
      'sleep 0.4',
      String.raw`printf '\xe2\x82'; sleep 0.3; printf '\xac uro\n'`,
      String.raw`printf '\xf0\x9f'; sleep 0.3; printf '\x98\x80 smile\n'`,
      String.raw`printf 'nul:\0:\n'`,
      String.raw`printf '\033[31mred\033[0m\n'`,
      String.raw`printf 'one\rtwo\r\n'`,
      String.raw`printf 'bad:\xff\xfe:\n'; sleep 0.3`,
      'echo end',
    ];
    session.model(runCommand(parts.join('; ')), text('Done.'));
    const end = await session.prompt('Run it').ended;
    expect(end.outcome).toBe('end_turn');
    const tool = toolCall(end.updates);
    expect(tool.status).toBe('completed');
    expect(lines(shownOutput(tool))).toEqual(
      lines('\u20ac uro\n\u{1f600} smile\nnul:\0:\n\u001b[31mred\u001b[0m\none\rtwo\r\nbad:\ufffd\ufffd:\nend\n'),
    );
  });

  test('S4.51 C067 much output arrives whole, and bytes sent grow in line with it', async () => {
    const session = await agent().open();
    session.model(runCommand('sleep 0.4; seq 1 8000; sleep 0.3; seq 8001 16000'), text('Done.'));
    const prompt = session.prompt('Run it');
    const end = await prompt.ended;
    const whole = `${Array.from({ length: 16_000 }, (_, index) => index + 1).join('\n')}\n`;
    expectOutput(toolCall(end.updates), whole);
    const sent = JSON.stringify(end.updates).length;
    expect(sent).toBeLessThan(3 * whole.length + 64 * 1024);
  });

  test('S4.55 C008 a command in the background goes on after its turn and ends its tool call once', async () => {
    const session = await agent().open();
    const waiting = 'sleep 0.4; echo before; while [ ! -e go ]; do sleep 0.05; done; echo after';
    session.model(runCommand(waiting, { yieldMs: 250 }), text('It runs on.'));
    const prompt = session.prompt('Run it');
    const end = await prompt.ended;
    expect(end.outcome).toBe('end_turn');
    expect(openToolCalls(end.updates)).toHaveLength(1);
    session.workspace.write('go', '');
    await session.update('tool_call_update', ({ status }) => status === 'completed', end.position);
    const tool = toolCall(session.updates(prompt.from));
    expect(tool.statuses.filter((status) => status !== 'in_progress')).toEqual(['completed']);
    expectOutput(tool, 'before\nafter\n');
    expectExit(tool, 0);
  });

  test('S4.56 C008 a cancelled command ends, and its terminal with it', async () => {
    const session = await agent().open();
    const command = new EndlessCommand();
    session.model(command.call, text('Never said.'));
    const prompt = session.prompt('Run it');
    await command.running(session, prompt.from);
    session.cancel();
    const end = await prompt.ended;
    expect(end.outcome).toBe('cancelled');
    const tool = toolCall(end.updates);
    expect(tool.statuses).toEqual(['in_progress', 'failed']);
    if (output !== 'snapshots') expect(tool.exit).not.toBeUndefined();
    await command.gone();
  });

  test('S4.140 what the agent types into a command is shown', async () => {
    const session = await agent().open({ model: 'gpt-5.5' });
    session.modelWith(({ toolOutputs }) => {
      const running = /session ID (\d+)/i.exec(toolOutputs.at(-1)?.text ?? '');
      if (toolOutputs.length === 0) return runCommand('read name; echo "hello $name"', { yieldMs: 250, tty: true });
      return running === null ? text('Done.') : writeStdin(Number(running[1]), 'world\n', { yieldMs: 2000 });
    });
    const end = await session.prompt('Run it').ended;
    expect(end.outcome).toBe('end_turn');
    const tool = toolCall(end.updates);
    expect(tool.status).toBe('completed');
    expect(shownOutput(tool).match(/hello world/g)).toHaveLength(1);
    const typed = end.updates.map((update) => update._meta?.terminal_input?.data).filter((data) => data !== undefined);
    expect(typed).toEqual(profile === profiles.airV1 ? ['world\n'] : []);
    if (output !== 'snapshots' && profile !== profiles.airV1) expect(shownOutput(tool)).toContain('\nworld\n\n');
  });

  if (output === 'snapshots')
    test('S12.1 a running command shows what it wrote so far', async () => {
      const session = await agent().open();
      session.model(runCommand('sleep 0.4; echo one; while [ ! -e go ]; do sleep 0.05; done; echo two'), text('Done.'));
      const prompt = session.prompt('Run it');
      const shows = (wanted: string) => (update: ToolView) =>
        update.content !== undefined && contentText(update) === wanted && update.status === undefined;
      await session.update('tool_call_update', shows('one\n'), prompt.from);
      session.workspace.write('go', '');
      const end = await prompt.ended;
      expect(contentText(toolCall(end.updates))).toBe('one\ntwo\n');
    });
});

function lines(output: string): string[] {
  return output.split('\n').sort();
}
