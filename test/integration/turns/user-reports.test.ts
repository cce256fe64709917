import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Json, type LabSession, useAgent, withRelay } from '../../support/integration.ts';
import { reasoning, reply, runCommand, text, withUsage } from '../../support/model-replies.ts';
import { profiles } from '../../support/profiles.ts';
import { messageText, shownOutput, thoughtText, toolCall, toolCalls } from './tool-view.ts';

/*
 * What users of such agents reported, against the real Codex: only what no other test of this folder shows. The rest of
 * C001 to C024 stands in the names of the tests beside this file.
 */

/** A red pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';

/** Texts that the user gave, in the order in which the model got them. */
function asked(session: LabSession): string[] {
  return session.requests.map(({ lastUserText }) => lastUserText);
}

/** What the context meter showed, in order. */
function meter(updates: readonly Json[]): { used: number; size: number }[] {
  return updates
    .filter(({ sessionUpdate }) => sessionUpdate === 'usage_update')
    .map(({ used, size }) => ({ used, size }));
}

describe.each([1, 2] as const)('v%i', (version) => {
  const agent = useAgent({ version });

  test('C010 C008 messages, thoughts and outputs are shown once each, also when the model changes between turns', async () => {
    const session = await agent().open();
    const turn = (name: string) => [
      reply(
        reasoning([`Thought ${name}.`]),
        text(`Comment ${name}.`, { phase: 'commentary' }),
        runCommand(`echo output-${name}`),
      ),
      text(`Answer ${name}.`, { phase: 'final_answer' }),
    ];
    const models = ['gpt-6.2-sol', 'gpt-5.5', 'gpt-6.2-sol'];
    for (const [index, model] of models.entries()) {
      await session.setOption('model', model);
      session.model(...turn(String(index)));
      expect((await session.prompt(`Prompt ${index}`).ended).outcome).toBe('end_turn');
    }
    expect(messageText(session.updates())).toBe(models.map((_, index) => `Comment ${index}.Answer ${index}.`).join(''));
    expect(thoughtText(session.updates())).toBe(models.map((_, index) => `Thought ${index}.`).join(''));
    // Codex may compact when the model changes, which v1 shows as a tool call, too.
    const tools = toolCalls(session.updates()).filter(({ kind }) => kind === 'execute');
    expect(tools.map((tool) => [shownOutput(tool), tool.statuses.at(-1)])).toEqual(
      models.map((_, index) => [`output-${index}\n`, 'completed']),
    );
    // Each thought and message has an id of its own (C018).
    const ids = session
      .updates()
      .filter(({ sessionUpdate }) => /^agent_(message|thought)_chunk$/.test(sessionUpdate))
      .map(({ messageId }) => messageId);
    expect(new Set(ids).size).toBe(9);
    expect(session.requests.map(({ model }) => model)).toEqual(models.flatMap((model) => [model, model]));
  });

  test('C010 the output of a local command is shown once and asks no model', async () => {
    const session = await agent().open();
    const first = await session.prompt('/status').ended;
    await session.setOption('model', 'gpt-5.5');
    const second = await session.prompt('/STATUS  ').ended;
    for (const [end, model] of [
      [first, 'gpt-6.2-sol'],
      [second, 'gpt-5.5'],
    ] as const) {
      expect(end.outcome).toBe('end_turn');
      expect(end.updates.filter(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk')).toHaveLength(1);
      expect(messageText(end.updates)).toContain(model);
    }
    expect(session.requests).toEqual([]);
  });

  test.each(['injected', 'promptRequired'] as const)(
    'C011 R16 a steer that races with the end of the turn: what the answer says is what happened (%s or a new turn)',
    async (mode) => {
      const session = await agent().open();
      session.modelWith(({ lastUserText }) => text(`<${lastUserText}>`));
      const heard: string[] = [];
      for (let round = 0; round < 6; round += 1) {
        const steer = `Steer ${round}`;
        const prompt = session.prompt(`Go ${round}`);
        await session.textShown(`<Go ${round}>`, prompt.from);
        const { outcome } = await agent().request('_session/steering', {
          sessionId: session.id,
          prompt: [{ type: 'text', text: steer }],
          ...(mode === 'promptRequired' ? { _meta: { steering: { idleBehavior: 'promptRequired' } } } : {}),
        });
        expect(['injected', mode === 'promptRequired' ? 'promptRequired' : 'startedNewTurn']).toContain(outcome);
        expect((await prompt.ended).outcome).toBe('end_turn');
        // A prompt behind it runs when everything of the steer is over.
        expect((await session.prompt(`Behind ${round}`).ended).outcome).toBe('end_turn');
        if (outcome !== 'promptRequired') heard.push(steer);
        const shown = messageText(session.updates(prompt.from));
        const lost = session.updates(prompt.from).some(({ title }) => title === 'Message not sent');
        const answers = shown.split(`<${steer}>`).length - 1;
        if (outcome === 'startedNewTurn') expect(answers, steer).toBe(1);
        if (outcome === 'promptRequired') expect([answers, asked(session).includes(steer)], steer).toEqual([0, false]);
        // Codex may take a text and end the turn without reading it; the user is told, where that can be told.
        if (outcome === 'injected' && answers === 0 && version === 2) expect(lost, steer).toBe(true);
      }
      const steers = asked(session).filter((words) => words.startsWith('Steer'));
      expect(heard).toEqual(expect.arrayContaining(steers));
      expect(new Set(steers).size).toBe(steers.length);
    },
  );

  test('C020 C021 what a command cannot use is named to the user, and the command runs', async () => {
    const session = await agent().open();
    const end = await session.prompt([
      { type: 'text', text: '/status' },
      { type: 'image', data: png, mimeType: 'image/png' },
    ]).ended;
    expect(end.outcome).toBe('end_turn');
    expect(JSON.stringify(end.updates)).toContain("the '/status' command takes none of this kind");
    expect(messageText(end.updates)).toContain('gpt-6.2-sol');
    expect(session.requests).toEqual([]);
  });

  test('C020 C021 a review gets the text that is attached to its instructions', async () => {
    const session = await agent().open();
    session.model(text('Looks fine.'));
    const end = await session.prompt([
      { type: 'text', text: '/review the tone' },
      { type: 'resource', resource: { uri: 'file:///project/style.md', text: 'Be kind.' } },
    ]).ended;
    expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'Looks fine.']);
    expect(asked(session)[0]).toContain('the tone');
    expect(asked(session)[0]).toContain('Be kind.');
  });

  test('C021 an unknown slash word, a path, a skill and a command with words behind it go to the model whole', async () => {
    const session = await agent().open();
    session.modelWith(() => text('Seen.'));
    const prompts = [
      '/frobnicate now',
      '/etc/hosts: what is it?',
      '/',
      '/$skill do it',
      '/compact the second half',
      '/status of the build',
      'look at /status',
    ];
    for (const prompt of prompts) expect((await session.prompt(prompt).ended).outcome).toBe('end_turn');
    expect(asked(session)).toEqual(prompts);
  });

  test('C024 the context meter follows the last model call and the model, and a local command leaves it', async () => {
    const session = await agent().open();
    session.model(withUsage(runCommand('true'), { total: 1000 }), withUsage(text('One.'), { total: 1200 }));
    const first = meter((await session.prompt('One').ended).updates);
    expect(first.at(-1)?.used).toBe(1200);
    const status = await session.prompt('/status').ended;
    expect(meter(status.updates)).toEqual([]);
    await session.setOption('model', 'gpt-5.5');
    session.model(withUsage(text('Two.'), { total: 60_000 }));
    const second = meter((await session.prompt('Two').ended).updates);
    expect(second.at(-1)?.used).toBe(60_000);
    expect(second.at(-1)?.size).not.toBe(first.at(-1)?.size);
    const compacted = meter((await session.prompt('/compact').ended).updates);
    expect(compacted.at(-1)?.used).toBeLessThan(60_000);
  });
});

describe.each([
  { name: 'AIR v1', version: 1, profile: profiles.airV1 },
  { name: 'AIR v2', version: 2, profile: profiles.airV2 },
] as const)('$name', ({ version, profile }) => {
  const agent = useAgent({ version, profile });

  test('C018 the phase of each message is given', async () => {
    const session = await agent().open();
    session.model(
      reply(text('A word first.', { phase: 'commentary' }), runCommand('true')),
      text('The answer.', { phase: 'final_answer' }),
    );
    const end = await session.prompt('Go').ended;
    const phases = new Map<string, string>();
    for (const { sessionUpdate, content, _meta } of end.updates) {
      if (sessionUpdate !== 'agent_message_chunk') continue;
      const { phase } = _meta.jetbrains.air;
      phases.set(phase, (phases.get(phase) ?? '') + content.text);
    }
    expect([...phases]).toEqual([
      ['commentary', 'A word first.'],
      ['final_answer', 'The answer.'],
    ]);
  });
});

describe.skipIf(!existsSync('/proc/self/status')).each([
  { name: 'plain v1', version: 1, profile: profiles.plainV1 },
  { name: 'Zed v1', version: 1, profile: profiles.zedV1 },
  { name: 'plain v2', version: 2, profile: profiles.plainV2 },
] as const)('$name', ({ version, profile }) => {
  test('C067 a client that does not read costs memory in line with the output, and loses nothing of it', () =>
    withRelay({ version, profile }, async (session, codex) => {
      session.model(runCommand('sleep 0.4; seq 1 1000000'), text('Done.'));
      const { stdout, pid } = session.lab.agent.child;
      if (stdout === null || pid === undefined) throw new Error('The agent has pipes');
      const before = residentBytes(pid);
      const prompt = session.prompt('Run it');
      await session.modelRequest(1);
      stdout.pause();
      await session.modelRequest(2);
      const grown = residentBytes(pid) - before;
      stdout.resume();
      const end = await prompt.ended;
      expect(end.outcome).toBe('end_turn');
      // A busy Codex leaves out parts of much output; what counts is what it told.
      const told = codex.messages
        .filter(({ message }) => message['method'] === 'item/commandExecution/outputDelta')
        .map(({ message }) => message['params'].delta)
        .join('');
      const shown = shownOutput(toolCall(end.updates));
      // A v1 client without terminals gets the two ends of a long output (S12.1).
      const [whole, seen] =
        profile === profiles.plainV1
          ? [told.slice(0, 1000) + told.slice(-1000), shown.slice(0, 1000) + shown.slice(-1000)]
          : [told, shown];
      expect(seen === whole, `${shown.length} of ${told.length} characters`).toBe(true);
      expect(JSON.stringify(end.updates).length).toBeLessThan(3 * told.length + 64 * 1024);
      expect(grown).toBeLessThan(3 * told.length + 64 * 1024 * 1024);
    }));
});

function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}
