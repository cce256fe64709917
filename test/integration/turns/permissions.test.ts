import { describe, expect, test } from 'vitest';
import { type Json, type LabSession, type PermissionAsk, useAgent } from '../../support/integration.ts';
import { applyPatch, runCommand, script, type ToolItem, text } from '../../support/model-replies.ts';
import { models } from './cases.ts';
import { messageText, openToolCalls, toolCall, toolCalls } from './tool-view.ts';

const files = { 'a.txt': 'one\n', 'b.txt': 'first\n' };

/** Something the model does that needs the user in read-only mode, and whether it was done. */
interface Action {
  readonly name: string;
  readonly call: ToolItem;
  readonly done: (session: LabSession) => boolean;
}

const actions: readonly Action[] = [
  {
    name: 'command',
    call: runCommand('echo yes > made.txt', { escalate: 'May I write?' }),
    done: ({ workspace }) => workspace.exists('made.txt'),
  },
  {
    name: 'patch',
    call: applyPatch('*** Update File: a.txt\n@@\n-one\n+two\n*** Add File: c.txt\n+new\n*** Delete File: b.txt'),
    done: ({ workspace }) =>
      workspace.read('a.txt') !== 'one\n' || workspace.exists('c.txt') || !workspace.exists('b.txt'),
  },
];

/** Answers that refuse: what each client does with its dialog. */
const refusals: readonly (readonly [string, (ask: PermissionAsk) => void])[] = [
  ['C027 S5.18 the option that says no', (ask) => ask.select('cancel')],
  ['C027 S5.16 the outcome cancelled', (ask) => ask.answerCancelled()],
  ['C030 S5.16 an error', (ask) => ask.fail()],
  ['S5.16 S5.17 an option that was not offered', (ask) => ask.select('allow_everything')],
];

describe.each([1, 2] as const)('v%i', (version) => {
  const agent = useAgent({ version, env: { INITIAL_AGENT_MODE: 'read-only' } });

  describe.each(models)('$name', ({ model }) => {
    describe.each(actions)('$name', ({ call, done }) => {
      test('C028 S5.10 S5.144 it waits for the user and runs when it is allowed', async () => {
        const session = await agent().open({ files, model });
        session.model(call, text('Done.'));
        const prompt = session.prompt('Go');
        const ask = await session.ask();
        expect(done(session)).toBe(false);
        // The client has the call before it is asked about it.
        expect(toolCall(session.updates(prompt.from, ask.position)).id).toBe(ask.toolCall.toolCallId);
        ask.select('allow_once');
        const end = await prompt.ended;

        expect(end.outcome).toBe('end_turn');
        expect(done(session)).toBe(true);
        expect(toolCall(end.updates).status).toBe('completed');
        expect(messageText(end.updates)).toBe('Done.');
        if (version === 2) expect(states(end.updates)).toEqual(['running', 'requires_action', 'running', 'idle']);
      });

      test.each(refusals)(
        '%s: it is not done, the turn ends as cancelled, no tool call stays open',
        async (_, refuse) => {
          const session = await agent().open({ files, model });
          session.model(call, text('This must not be asked.'), text('Next.'));
          const prompt = session.prompt('Go');
          refuse(await session.ask());
          const end = await prompt.ended;

          expect(end.outcome).toBe('cancelled');
          expect(done(session)).toBe(false);
          expect(toolCall(end.updates).status).toBe('failed');
          expect(openToolCalls(end.updates)).toEqual([]);
          if (version === 2) {
            expect(states(end.updates).slice(0, 2)).toEqual(['running', 'requires_action']);
            expect(states(end.updates).filter((state) => state === 'idle')).toHaveLength(1);
          }
          expect(session.requests).toHaveLength(1);
          session.modelWith(() => text('The next prompt works.'));
          const next = await session.prompt('And now?').ended;
          expect(messageText(next.updates)).toBe('The next prompt works.');
        },
      );
    });

    test('C031 S5.47 a command approval shows the command, its folder, the reason and ways out', async () => {
      const session = await agent().open({ files, model });
      session.model(runCommand('echo yes > made.txt', { escalate: 'May I write?' }), text('Done.'));
      const prompt = session.prompt('Go');
      const ask = await session.ask();
      const { params } = ask.frame;
      expect(ask.toolCall).toMatchObject({
        kind: 'execute',
        status: 'pending',
        title: 'echo yes > made.txt',
        rawInput: { command: 'echo yes > made.txt', cwd: session.workspace.path },
      });
      if (version === 1) expect(ask.toolCall.rawInput.reason).toBe('May I write?');
      else expect(params).toMatchObject({ title: 'Run command?', description: 'May I write?' });
      const kinds: string[] = params.options.map((option: Json) => option.kind);
      expect(kinds).toContain('allow_once');
      expect(kinds.some((kind) => kind.startsWith('reject'))).toBe(true);
      expect(new Set(ask.optionIds).size).toBe(ask.optionIds.length);
      ask.select('allow_once');
      await prompt.ended;
    });

    test('C031 S12.10 an edit approval shows every file with its diff before anything changes', async () => {
      const session = await agent().open({ files, model });
      session.model(
        applyPatch('*** Update File: a.txt\n@@\n-one\n+two\n*** Add File: c.txt\n+new\n*** Delete File: b.txt'),
        text('Done.'),
      );
      const prompt = session.prompt('Go');
      const ask = await session.ask();
      const shown = toolCall(session.updates(prompt.from, ask.position));
      const paths = shown.content.map((block) => block.path ?? block.changes[0].path);
      const all = ['a.txt', 'b.txt', 'c.txt'].map((name) => session.workspace.file(name));
      expect([...paths].sort()).toEqual(all);
      expect(ask.toolCall.locations.map(({ path }: Json) => path).sort()).toEqual(all);
      expect(session.workspace.read('a.txt')).toBe('one\n');
      ask.select('allow_once');
      await prompt.ended;
    });

    test('C026 edits of a file that was allowed for the session are not asked again', async () => {
      const session = await agent().open({ files, model });
      const edit = (name: string, from: string, to: string) =>
        applyPatch(`*** Update File: ${name}\n@@\n-${from}\n+${to}`);
      session.model(
        edit('a.txt', 'one', 'two'),
        edit('a.txt', 'two', 'three'),
        edit('b.txt', 'first', 'last'),
        text('Done.'),
      );
      const prompt = session.prompt('Go');
      (await session.ask()).select('allow_for_session');
      // The next question is about the other file.
      const second = await session.ask();
      expect(session.workspace.read('a.txt')).toBe('three\n');
      expect(second.toolCall.locations).toEqual([{ path: session.workspace.file('b.txt') }]);
      second.select('cancel');
      expect((await prompt.ended).outcome).toBe('cancelled');
      expect(session.workspace.read('b.txt')).toBe('first\n');
    });

    test('C026 S5.48 a command rule is not asked again, and holds for nothing else', async () => {
      const session = await agent().open({ files, model });
      // Codex keeps the rule for its home: each model gets one of its own.
      const file = `rule-${model ?? 'default'}`;
      const touch = runCommand(`touch ${file}`, { escalate: 'Make it?', prefixRule: ['touch', file] });
      session.model(touch, touch, runCommand('mkdir y', { escalate: 'Make y?' }), text('Done.'));
      const prompt = session.prompt('Go');
      (await session.ask()).select('accept_execpolicy_amendment');
      const second = await session.ask();
      expect(second.toolCall.rawInput.command).toBe('mkdir y');
      second.select('allow_once');
      const end = await prompt.ended;
      expect(end.outcome).toBe('end_turn');
      expect(toolCalls(end.updates).map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
    });

    test('C028 a command without approval cannot write', async () => {
      const session = await agent().open({ files, model });
      session.model(runCommand('echo no > made.txt'), text('It did not work.'));
      const end = await session.prompt('Go').ended;
      expect(end.outcome).toBe('end_turn');
      expect(session.workspace.exists('made.txt')).toBe(false);
      expect(session.requests.at(-1)?.toolOutputs.at(-1)?.text).toContain('Read-only file system');
      expect(openToolCalls(end.updates)).toEqual([]);
    });
  });

  test('S5.14 C034 two requests of one script are open at once and are answered on their own', async () => {
    const session = await agent().open({ files });
    const call = (name: string): string =>
      `tools.exec_command(${JSON.stringify({ cmd: `touch ${name}`, sandbox_permissions: 'require_escalated', justification: name })})`;
    session.model(script(`text(await Promise.all([${call('first')}, ${call('second')}]));`), text('Done.'));
    const prompt = session.prompt('Go');
    const asks = [await session.ask(), await session.ask()];
    const byCommand = new Map(asks.map((ask) => [ask.toolCall.rawInput.command, ask]));
    expect([...byCommand.keys()].sort()).toEqual(['touch first', 'touch second']);
    for (const command of ['touch second', 'touch first']) byCommand.get(command)?.select('allow_once');
    const end = await prompt.ended;
    expect(end.outcome).toBe('end_turn');
    expect([session.workspace.exists('first'), session.workspace.exists('second')]).toEqual([true, true]);
    expect(toolCalls(end.updates).map(({ status }) => status)).toEqual(['completed', 'completed']);
    if (version === 2) expect(states(end.updates).slice(-2)).toEqual(['running', 'idle']);
  });
});

function states(updates: readonly Json[]): string[] {
  return updates.filter(({ sessionUpdate }) => sessionUpdate === 'state_update').map(({ state }) => state);
}
