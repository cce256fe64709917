import { describe, expect, test } from 'vitest';
import {
  type Json,
  type LabSession,
  type PromptEnd,
  useAgent,
  type Version,
  withAgent,
  withRelay,
} from '../../support/integration.ts';
import { brokenServer, echoServer } from '../../support/mcp-server.ts';
import { proposedPlan } from '../../support/model-answers.ts';
import { hold, pause, reply, text } from '../../support/model-replies.ts';
import { profiles } from '../../support/profiles.ts';
import { messageText } from './tool-view.ts';

/** Slash commands that start no turn. */

const skillFile = '.agents/skills/hello/SKILL.md';

function skill(name: string, description: string): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\nHello.\n`;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The built-in commands in the order of the list: name, description, hint, and what AIR does with it. */
const builtIns: readonly (readonly [string, string, string | null, Json?])[] = [
  [
    'plan',
    'Turn plan mode on.',
    null,
    {
      kind: 'setConfigOption',
      configId: 'collaboration_mode',
      value: 'plan',
      resetValue: 'default',
      presentation: 'state',
    },
  ],
  ['mcp', 'Show the status of the MCP servers, or reconnect them.', '[reconnect]'],
  ['skills', 'List available skills.', null],
  ['status', 'Display session configuration and token usage.', null],
  ['review', 'Review uncommitted changes, or review with custom instructions.', 'optional review instructions'],
  ['review-branch', 'Review changes relative to a base branch.', 'branch name'],
  ['review-commit', 'Review a specific commit.', 'commit sha'],
  ['compact', 'Summarize conversation to avoid hitting the context limit.', null],
  [
    'goal',
    'Set a goal to keep pursuing.',
    '[<objective>|clear|pause|resume]',
    { kind: 'prefixPrompt', presentation: 'state' },
  ],
  ['rename', 'Rename the current session.', 'new name'],
  ['logout', 'Sign out of Codex. This option is available when you are logged in via ChatGPT.', null],
];

function collaborationMode(configOptions: Json): string {
  return configOptions.find((option: Json) => (option.id ?? option.configId) === 'collaboration_mode').currentValue;
}

function commandLists(session: LabSession, from = 0): Json[][] {
  return session
    .updates(from)
    .filter(({ sessionUpdate }) => sessionUpdate === 'available_commands_update')
    .map(({ availableCommands }) => availableCommands);
}

function names(commands: readonly Json[]): string[] {
  return commands.map(({ name }) => name);
}

/** The commands that the client has after the session was opened. */
function opened(session: LabSession): Json[] {
  return session.lab.version === 1 ? (commandLists(session)[0] ?? []) : session.opened.availableCommands;
}

/** A local command began and ended as a prompt does, with this text as its only answer (S3.33, S2.112, S2.113). */
async function expectAnswer(session: LabSession, content: string, wanted: string | RegExp): Promise<string> {
  const prompt = session.prompt(content);
  const end = await prompt.ended;
  expectLifecycle(session, end, await prompt.answer);
  const chunks = end.updates.filter(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk');
  expect(chunks).toHaveLength(1);
  const [{ messageId, content: answer }] = chunks;
  if (session.lab.version === 1) expect(messageId).toBeUndefined();
  else expect(messageId).toMatch(uuid);
  if (typeof wanted === 'string') expect(answer).toEqual({ type: 'text', text: wanted });
  else expect(answer.text).toMatch(wanted);
  return answer.text;
}

function expectLifecycle(session: LabSession, end: PromptEnd, answer: Json): void {
  const quota = { quota: { token_count: null, model_usage: [] } };
  expect([end.outcome, end.error, end.meta]).toEqual(['end_turn', null, quota]);
  if (session.lab.version === 1) {
    expect(answer).toEqual({ stopReason: 'end_turn', usage: null, _meta: quota });
    return;
  }
  expect(answer).toEqual({ messageId: expect.stringMatching(/./) });
  const order = end.updates.map(({ sessionUpdate, state }) => state ?? sessionUpdate);
  expect([order[0], order[1], order.at(-1)]).toEqual(['user_message_chunk', 'running', 'idle']);
  expect(end.updates[0].messageId).toBe(answer.messageId);
}

describe.each([1, 2] as const)('v%i', (version) => {
  const agent = useAgent({ version });

  const usages: readonly [string, string][] = [
    ['/plan now', 'Command "/plan" requires no arguments.'],
    ['/goal', 'Command "/goal" requires [<objective>|clear|pause|resume].'],
    ['/rename  ', 'Command "/rename" requires new name.'],
    ['/review-branch', 'Command "/review-branch" requires branch name.'],
    ['/review-commit', 'Command "/review-commit" requires commit sha.'],
    [`/goal ${'x'.repeat(4001)}`, 'Command "/goal" requires goal text of at most 4000 characters.'],
    ['/mcp restart', 'Command "/mcp" accepts no arguments, or `reconnect`.'],
  ];

  test('S3.31 S3.32 S3.33 S2.112 S2.113 S2.114 the usage texts, each a prompt of its own, and no turn', async () => {
    const session = await agent().open();
    for (const [content, usage] of usages) await expectAnswer(session, content, usage);
    expect(session.requests).toEqual([]);
  });

  test('S3.30 S2.110 C021 names are read without regard to case and white space; others are for the model', async () => {
    const session = await agent().open();
    await expectAnswer(session, ' / STATUS', /^\*\*Model:\*\* /);
    const prompts = ['/', '/init', '/usr/bin is a path', '/$hello there', 'about /status'];
    for (const content of prompts) {
      session.model(text('From the model.'));
      expect(messageText((await session.prompt(content).ended).updates)).toBe('From the model.');
    }
    expect(session.requests.map(({ lastUserText }) => lastUserText)).toEqual(prompts);
  });

  test('S3.31 S2.118 `/plan` turns plan mode on and off; the option list is all that is told', async () => {
    const session = await agent().open();
    for (const mode of ['plan', 'default']) {
      const prompt = session.prompt('/plan');
      const end = await prompt.ended;
      expectLifecycle(session, end, await prompt.answer);
      const own = end.updates.filter(
        ({ sessionUpdate }) => sessionUpdate !== 'user_message_chunk' && sessionUpdate !== 'state_update',
      );
      expect(own.map(({ sessionUpdate }) => sessionUpdate)).toEqual(['config_option_update']);
      expect(collaborationMode(own[0].configOptions)).toBe(mode);
    }
    // What is shown is what is used.
    session.model(proposedPlan('As text'), proposedPlan('As plan'));
    expect(messageText((await session.prompt('Plan it').ended).updates)).toContain('<proposed_plan>');
    await session.prompt('/plan').ended;
    const planned = session.prompt('Plan it');
    const ask = await session.ask();
    expect(ask.toolCall.rawInput).toEqual({ plan: 'As plan\n' });
    ask.select('revise_plan');
    await planned.ended;
  });

  test('S2.119 S2.120 S2.121 S2.122 `/status` before and after a turn', async () => {
    const session = await agent().open();
    const { path } = session.workspace;
    const before = (await expectAnswer(session, '/status', /./)).split('  \n');
    expect(before).toEqual([
      expect.stringMatching(/^\*\*Model:\*\* \S+\[\w+\]$/),
      `**Directory:** ${path}`,
      expect.stringMatching(/^\*\*Approval:\*\* [\w-]+$/),
      expect.stringMatching(/^\*\*(Sandbox|Permission profile):\*\* [\w:-]+$/),
      expect.stringMatching(/^\*\*Account:\*\* ./),
      `**Session:** \`${session.id}\``,
      '',
      '**Token usage:** data not available yet',
      '**Context window:** data not available yet',
      '**Limits:** data not available yet',
    ]);
    session.model(text('Hello.'));
    await session.prompt('Hi').ended;
    const after = (await expectAnswer(session, '/status', /./)).split('  \n');
    expect(after.slice(0, 7)).toEqual(before.slice(0, 7));
    expect(after.slice(7)).toEqual([
      '**Token usage:** 150 total  (80 input + 20 cached input, 30 output)',
      expect.stringMatching(/^\*\*Context window:\*\* 0% used \(150 used \/ [\d.]+K\)$/),
      '**Limits:** data not available yet',
    ]);
  });

  test('S2.119 C039 `/status` tells the settings that are in force', async () => {
    const session = await agent().open();
    await session.setOption('mode', 'read-only');
    await session.setOption('model', 'gpt-5.5');
    expect(await expectAnswer(session, '/status', /^\*\*Model:\*\* gpt-5\.5\[\w+\] /)).toContain(
      '**Sandbox:** read-only',
    );
    await session.setOption('mode', 'agent-full-access');
    const lines = await expectAnswer(session, '/status', /^\*\*Model:\*\* gpt-5\.5\[\w+\] /);
    expect(lines).toContain('**Approval:** never');
    expect(lines).toContain('**Sandbox:** danger-full-access');
  });

  test('S2.123 S2.132 C022 `/skills` and the command list have the skills of the workspace', async () => {
    const session = await agent().open({ files: { [skillFile]: skill('hello', 'Say hello') } });
    const other = await agent().open();
    const listed = await expectAnswer(session, '/skills', /^Available skills:\n/);
    expect(listed.split('\n')).toContain('- hello: Say hello');
    expect(opened(session)).toContainEqual(
      version === 1
        ? { name: '$hello', description: 'Say hello', input: null }
        : { type: 'command', name: '$hello', description: 'Say hello', input: null },
    );
    expect(names(opened(session)).filter((name) => name.startsWith('$'))).toEqual(
      listed
        .split('\n')
        .slice(1)
        .map((line) => `$${line.slice(2, line.indexOf(':'))}`),
    );
    expect(await expectAnswer(other, '/skills', /./)).not.toContain('- hello:');
    expect(names(opened(other))).not.toContain('$hello');
  });

  test('S3.202 S2.136 S2.142 a skill that is added changes the list, once', async () => {
    const session = await agent().open({ files: { [skillFile]: skill('hello', 'Say hello') } });
    const from = agent().client.received.length;
    session.workspace.write('.agents/skills/wave/SKILL.md', skill('wave', 'Wave'));
    const added = await session.update('available_commands_update', undefined, from);
    // The whole list, not only what is new.
    const built = names(added.availableCommands).filter((name) => name !== '$wave');
    expect([built, names(added.availableCommands).length]).toEqual([names(opened(session)), built.length + 1]);
    session.model(text('Hello.'), text('Hello again.'));
    await session.prompt('Hi').ended;
    await session.prompt('Next').ended;
    expect(commandLists(session, from)).toHaveLength(1);
  });

  test('S3.202 S2.137 S2.138 after an ordinary prompt, and not after a command, the skills are listed again', () =>
    withRelay({ version }, async (session, codex) => {
      // Codex tells nobody that skills changed.
      codex.on('codex', 'skills/changed').drop();
      const listings = codex.on('agent', 'skills/list').watch();
      await session.prompt('/status').ended;
      await session.prompt('/plan').ended;
      await session.prompt('/plan').ended;
      expect(listings.taken).toEqual([]);
      session.model(text('Hello.'));
      await session.prompt('Hi').ended;
      expect((await listings.met).params.cwds).toEqual([session.workspace.path]);
    }));

  test('S2.166 S2.167 `/mcp` without servers', async () => {
    const session = await agent().open();
    await expectAnswer(session, '/mcp', 'No MCP servers are configured.');
    await expectAnswer(session, '/mcp Reconnect', 'No MCP servers are configured.');
  });

  test('S2.166 S2.167 S2.169 `/mcp` tells how the servers of the session are, and starts the broken ones again', async () => {
    const session = await agent().open({
      params: { mcpServers: [echoServer(version), brokenServer(version)] },
    });
    // The first turn waits until the servers have started, or have not.
    session.model(text('Hello.'));
    await session.prompt('Hi').ended;
    const status =
      /\*\*MCP servers:\*\* 2 \(1 connected, 1 failed\)\n\n\*\*Failed\*\*\n- `broken`: .+\n\n\*\*Connected\*\*\n- `echo`: 1 tool\n\nRun `\/mcp reconnect` to restart the servers that are not connected\.$/;
    const first = await expectAnswer(session, '/mcp', status);
    expect(first.startsWith('**MCP servers:**')).toBe(true);
    const again = await expectAnswer(session, '/mcp reconnect', status);
    expect(again.startsWith('**Reconnect:**\n- Reloaded the MCP configuration of all open sessions.')).toBe(true);
    const other = await agent().open();
    await expectAnswer(other, '/mcp', 'No MCP servers are configured.');
  });

  test('S2.124 `/rename` shows the new title before it ends, and nothing else', async () => {
    const session = await agent().open();
    const prompt = session.prompt('/rename   My \n  bridge ');
    const end = await prompt.ended;
    expectLifecycle(session, end, await prompt.answer);
    const own = end.updates.filter(
      ({ sessionUpdate }) => sessionUpdate !== 'user_message_chunk' && sessionUpdate !== 'state_update',
    );
    expect(own).toEqual([{ sessionUpdate: 'session_info_update', title: 'My bridge' }]);
    await session.prompt('/rename Another bridge').ended;
    const titles = session.updates().flatMap(({ title }) => title ?? []);
    expect(titles).toEqual(['My bridge', 'Another bridge']);
  });

  test('S3.34 C020 blocks behind a command are left out, and the user is told', async () => {
    const session = await agent().open();
    const link = { type: 'resource_link', name: 'notes', uri: 'file:///notes.txt' };
    const end = await session.prompt([{ type: 'text', text: '/skills' }, link, link]).ended;
    expect(end.outcome).toBe('end_turn');
    const told = JSON.stringify(end.updates);
    expect(told).toContain("2 attachments were not sent to Codex: the '/skills' command takes none of this kind.");
    expect(messageText(end.updates)).toContain('Available skills:');
  });

  test('S3.33 S2.114 S3.36 a command waits for the running prompt, and the prompt behind it for the command', async () => {
    const session = await agent().open();
    const gate = hold();
    session.model(reply(pause(gate), text('Hello.')), text('The next one.'));
    const first = session.prompt('Hi');
    await gate.reached;
    const command = session.prompt('/status');
    const next = session.prompt('Next');
    gate.open();
    const ends = [await first.ended, await command.ended, await next.ended];
    expect(ends.map(({ outcome }) => outcome)).toEqual(['end_turn', 'end_turn', 'end_turn']);
    const shown = messageText(session.updates(first.from));
    expect(shown).toMatch(/^Hello\.\*\*Model:\*\*[\s\S]*The next one\.$/);
    // The status was made when the turn before it had ended.
    expect(shown).toContain('**Token usage:** 150 total');
  });

  test('S3.54 S2.170 T8 a cancel ends a command at once; what Codex answers later is not shown', () =>
    withRelay({ version }, async (session, codex) => {
      const answer = codex.onAnswer('codex', 'account/rateLimits/read').once().delay();
      const prompt = session.prompt('/status');
      await answer.met;
      session.cancel();
      const end = await prompt.ended;
      expect([end.outcome, end.error, messageText(end.updates)]).toEqual(['cancelled', null, '']);
      answer.release();
      session.model(text('The next one.'));
      const next = await session.prompt('Next').ended;
      expect(messageText(next.updates)).toBe('The next one.');
      expect(messageText(session.updates())).toBe('The next one.');
    }));

  test('S3.54 S2.170 T8 a cancel ends `/mcp reconnect` while a server starts', () =>
    withRelay({ version }, async (session, codex) => {
      const answer = codex.onAnswer('codex', 'mcpServerStatus/list').delay();
      const prompt = session.prompt('/mcp reconnect');
      await answer.met;
      session.cancel();
      expect((await prompt.ended).outcome).toBe('cancelled');
      answer.release();
      const next = await session.prompt('/skills').ended;
      expect(messageText(session.updates())).toBe(messageText(next.updates));
    }));

  test('S3.59 `$/cancel_request` ends a command on v1; on v2 its request has been answered', () =>
    withRelay({ version }, async (session, codex) => {
      const answer = codex.onAnswer('codex', 'account/rateLimits/read').once().delay();
      const prompt = session.prompt('/status');
      await answer.met;
      prompt.cancelRequest();
      if (version === 1) {
        expect((await prompt.ended).outcome).toBe('cancelled');
        answer.release();
      } else {
        answer.release();
        expect((await prompt.ended).outcome).toBe('end_turn');
        expect(messageText(session.updates())).toContain('**Model:**');
      }
    }));

  test('S3.67 S3.54 a close ends a command that waits for Codex', () =>
    withRelay({ version }, async (session, codex) => {
      const answer = codex.onAnswer('codex', 'account/rateLimits/read').once().delay();
      const prompt = session.prompt('/status');
      await answer.met;
      const closed = session.close();
      expect((await prompt.ended).outcome).toBe('cancelled');
      expect(await closed).toEqual({});
      answer.release();
      await session.lab.open();
      expect(messageText(session.updates())).toBe('');
    }));

  test('S3.45 S2.115 a command that Codex refuses fails with its name, and the next prompt works', () =>
    withRelay({ version }, async (session, codex) => {
      codex
        .on('agent', 'skills/list')
        .once()
        .rewrite((message) => ({ ...message, method: 'skills/unknown' }));
      const end = await session.prompt('/skills').ended;
      expect(end.error?.code).toBe(-32603);
      if (version === 1) {
        expect([end.outcome, messageText(end.updates)]).toEqual(['rejected', '']);
        expect(end.error?.data.details).toMatch(/skills\/unknown/);
      } else {
        expect(end.outcome).toBe('error');
        expect(messageText(end.updates)).toMatch(/^The '\/skills' command failed: .*skills\/unknown/);
      }
      session.model(text('The next one.'));
      expect((await session.prompt('Next').ended).outcome).toBe('end_turn');
    }));

  test('S3.45 R24 Codex dies while a command waits for it', () =>
    withRelay({ version, stderr: [/app-server/] }, async (session, codex) => {
      // A thread without messages does not survive its process.
      session.model(text('Hello.'));
      await session.prompt('Hi').ended;
      await session.update('session_info_update', ({ title }) => title === 'Scripted title');
      codex.on('agent', 'skills/list').once().die();
      const end = await session.prompt('/skills').ended;
      expect([end.outcome, end.error?.code]).toEqual([version === 1 ? 'rejected' : 'error', 1001]);
      if (version === 2) expect(messageText(end.updates)).toMatch(/^The '\/skills' command failed: ./);
      const again = await session.prompt('/skills').ended;
      expect([again.outcome, messageText(again.updates).split('\n')[0]]).toEqual(['end_turn', 'Available skills:']);
    }));

  test('S2.119 `/status` is answered when the limits cannot be read', () =>
    withRelay({ version }, async (session, codex) => {
      codex.on('agent', 'account/rateLimits/read').rewrite((message) => ({ ...message, method: 'account/unknown' }));
      await expectAnswer(session, '/status', /\*\*Limits:\*\* data not available yet$/);
    }));

  test('S2.122 S3.165 `/status` shows the limits that Codex tells', () =>
    withRelay({ version }, async (session, codex) => {
      const limits = {
        limitId: 'codex',
        limitName: null,
        primary: { usedPercent: 30, windowDurationMins: 300, resetsAt: null },
        secondary: { usedPercent: 5, windowDurationMins: 10080, resetsAt: null },
        credits: null,
        individualLimit: null,
        planType: null,
        rateLimitReachedType: null,
      };
      codex.onAnswer('codex', 'account/rateLimits/read').rewrite(({ id }) => ({
        id,
        result: { rateLimits: limits, rateLimitsByLimitId: { codex: limits } },
      }));
      const lines = (await expectAnswer(session, '/status', /./)).split('  \n').slice(9);
      expect(lines).toEqual(['**codex 5h limit:** 70% left', '**codex Weekly limit:** 95% left']);
    }));

  test('S3.31 S3.35 S3.121 S2.130 `/goal pause` and `/goal clear` change the goal that Codex pursues, without a word', async () => {
    const session = await agent().open();
    const gate = hold();
    session.modelWith(() => reply(pause(gate), text('One step.')));
    await agent().request('_session/goal', { sessionId: session.id, action: 'set', objective: 'Write a poem' });
    await gate.reached;
    for (const content of ['/goal PAUSE', '/GOAL Clear', '/goal clear']) {
      const end = await session.prompt(content).ended;
      expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', '']);
    }
    const lost = await session.prompt('/goal pause').ended;
    expect(lost.error?.code).toBe(-32603);
    gate.open();
    await session.textShown('One step.');
    await session.settled();
    session.modelWith(() => text('The next one.'));
    const next = await session.prompt('Next').ended;
    expect(messageText(next.updates)).toContain('The next one.');
  });
});

const lists: readonly { name: string; version: Version; profile: Json; air: boolean }[] = [
  { name: 'plain v1', version: 1, profile: profiles.plainV1, air: false },
  { name: 'Zed v1', version: 1, profile: profiles.zedV1, air: false },
  { name: 'AIR v1', version: 1, profile: profiles.airV1, air: true },
  { name: 'plain v2', version: 2, profile: profiles.plainV2, air: false },
  { name: 'AIR v2', version: 2, profile: profiles.airV2, air: true },
];

describe.each(lists)('$name', ({ version, profile, air }) => {
  const agent = useAgent({ version, profile });

  test('S2.116 S2.117 S2.132 the built-in commands come first, then the skills', async () => {
    const session = await agent().open({ files: { [skillFile]: skill('hello', 'Say hello') } });
    const airMeta = (more: Json): Json => (air ? { _meta: { jetbrains: { air: { version: 1, ...more } } } } : {});
    const commands = opened(session);
    const expected = builtIns.map(([name, description, hint, commandAction]) => ({
      ...(version === 1 ? {} : { type: 'command' }),
      name,
      description,
      input: hint === null ? null : version === 1 ? { hint } : { type: 'text', hint },
      ...(commandAction === undefined ? {} : airMeta({ commandAction })),
    }));
    expect(commands.slice(0, builtIns.length)).toEqual(expected);
    expect(commands.find(({ name }) => name === '$hello')).toEqual({
      ...(version === 1 ? {} : { type: 'command' }),
      name: '$hello',
      description: 'Say hello',
      input: null,
      ...airMeta({ skillPath: session.workspace.file(skillFile) }),
    });
    for (const { name } of commands.slice(builtIns.length)) expect(name).toMatch(/^\$./);
    // v1 gets it after the answer, v2 in it (S2.42).
    expect(commandLists(session)).toHaveLength(version === 1 ? 1 : 0);
  });

  if (air)
    test('S3.121 S3.124 S3.35 the goal is told before a command that changes it ends', async () => {
      const session = await agent().open();
      const gate = hold();
      session.modelWith(() => reply(pause(gate), text('One step.')));
      await agent().request('_session/goal', { sessionId: session.id, action: 'set', objective: 'Write a poem' });
      await gate.reached;
      const goals = (end: PromptEnd): Json[] =>
        end.updates.flatMap(({ _meta }) => {
          const known = _meta?.jetbrains?.air;
          return known !== undefined && 'goal' in known ? [known.goal] : [];
        });
      const paused = await session.prompt('/goal pause').ended;
      expect(goals(paused)).toMatchObject([{ objective: 'Write a poem', status: 'paused' }]);
      expect(goals(await session.prompt('/goal clear').ended)).toEqual([null]);
      gate.open();
      await session.textShown('One step.');
      await session.settled();
    });
});

describe.each([1, 2] as const)('v%i /logout', (version) => {
  test('S2.125 without a login there is nothing to end, and the answer is the same', () =>
    withAgent({ version }, (_, session) =>
      expectAnswer(session, '/logout', 'Logged out from Codex account.').then(() => undefined),
    ));
});
