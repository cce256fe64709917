import { describe, expect, it } from 'vitest';
import type { LocalCommand } from '../../../src/domain/commands/local-command.ts';
import { goal, LocalLab, server } from './local-lab.ts';

const pause: LocalCommand = { type: 'goal', change: { action: 'pause' } };
const clear: LocalCommand = { type: 'goal', change: { action: 'clear' } };
const setPaused = 'setGoal thread-1 {"status":"paused"}';

describe('a local command', () => {
  it('S2.112, S3.83 answers with one text of no message', async () => {
    const lab = new LocalLab();
    lab.run({ type: 'usage', text: 'Command "/plan" requires no arguments.' });
    await lab.context.turnOver();
    expect(lab.context.shown).toEqual([
      { type: 'agentText', messageId: null, text: 'Command "/plan" requires no arguments.', phase: null },
    ]);
    expect(lab.ends).toEqual(['done']);
    expect(lab.calls).toEqual([]);
  });

  it('S3.33 starts at once and ends through the mailbox, never within its start', () => {
    const lab = new LocalLab();
    lab.run({ type: 'usage', text: 'x' });
    expect(lab.ends).toEqual([]);
    lab.run({ type: 'skills' });
    expect(lab.calls).toEqual(['listSkills /w /lib']);
  });

  it('S2.118 /plan says nothing itself', async () => {
    const lab = new LocalLab();
    lab.run({ type: 'plan' });
    expect(lab.ends).toEqual([]);
    await lab.answer('togglePlanMode');
    expect(lab.context.shown).toEqual([]);
    expect(lab.ends).toEqual(['done']);
  });

  it('S2.124, S3.31 /rename says nothing itself and ends when the title was told', async () => {
    const lab = new LocalLab();
    lab.run({ type: 'rename', title: 'My Title' });
    await lab.context.turnOver();
    expect(lab.ends).toEqual([]);
    await lab.answer('rename My Title');
    expect(lab.context.shown).toEqual([]);
    expect(lab.ends).toEqual(['done']);
  });

  it('S2.125 /logout', async () => {
    const lab = new LocalLab();
    lab.run({ type: 'logout' });
    await lab.answer('logout');
    expect(lab.context.texts).toEqual(['Logged out from Codex account.']);
    expect(lab.ends).toEqual(['done']);
  });

  it('S2.123 /skills lists those of all directories of the session', async () => {
    const lab = new LocalLab();
    lab.run({ type: 'skills' });
    await lab.answer('listSkills /w /lib', [{ name: 'a', description: 'Does a.', path: '/a', enabled: true }]);
    expect(lab.context.texts).toEqual(['Available skills:\n- a: Does a.']);
    expect(lab.ends).toEqual(['done']);
  });

  it.each<[LocalCommand, string]>([
    [{ type: 'plan' }, 'togglePlanMode'],
    [{ type: 'rename', title: 'x' }, 'rename x'],
    [{ type: 'logout' }, 'logout'],
    [{ type: 'skills' }, 'listSkills /w /lib'],
    [{ type: 'mcp', reconnect: false }, 'mcpServers thread-1'],
    [{ type: 'mcp', reconnect: true }, 'mcpServers thread-1'],
    [pause, setPaused],
    [clear, 'clearGoal thread-1'],
  ])('S2.115 %j fails with what Codex said, and shows nothing', async (command, call) => {
    const lab = new LocalLab();
    lab.run(command);
    await lab.fail(call, 'out of order');
    expect(lab.ends).toEqual(['failed out of order']);
    expect(lab.context.shown).toEqual([]);
    expect(lab.context.clock.waiting).toBe(0);
  });

  it.each<[LocalCommand, string[]]>([
    [{ type: 'usage', text: 'x' }, []],
    [{ type: 'plan' }, ['togglePlanMode']],
    [{ type: 'rename', title: 'x' }, ['rename x']],
    [{ type: 'logout' }, ['logout']],
    [{ type: 'skills' }, ['listSkills /w /lib']],
    [{ type: 'status' }, ['rateLimits', 'readAccount']],
    [{ type: 'mcp', reconnect: false }, ['mcpServers thread-1']],
    [{ type: 'mcp', reconnect: true }, ['mcpServers thread-1']],
    [pause, [setPaused]],
    [clear, ['clearGoal thread-1']],
  ])('S3.54, S2.170 %j ends without a word when it is cancelled', async (command, calls) => {
    for (const outcome of ['answer', 'fail'] as const) {
      const lab = new LocalLab();
      const running = lab.run(command);
      running.cancel();
      running.cancel();
      for (const call of calls) await lab[outcome](call, 'late');
      await lab.context.turnOver();
      expect(lab.context.shown).toEqual([]);
      expect(lab.ends).toEqual([]);
      expect(lab.calls).toEqual(calls);
      expect(lab.context.clock.waiting).toBe(0);
    }
  });
});

describe('/status', () => {
  const limit = {
    limitId: 'codex',
    limitName: null,
    primary: { usedPercent: 40, minutes: 300, resetsAt: null },
    secondary: null,
    credits: null,
    individualLimit: null,
    spendControlReached: null,
    planType: null,
  };
  const login = { account: { type: 'apiKey' }, requiresLogin: true };

  it('S2.119, S3.165 shows the limits that it has just read', async () => {
    const lab = new LocalLab();
    lab.run({ type: 'status' });
    await lab.answer('rateLimits', [limit]);
    expect(lab.context.texts).toEqual([]);
    await lab.answer('readAccount', login);
    expect(lab.context.texts[0]).toContain('**Account:** API key configured  \n**Session:** `thread-1`');
    expect(lab.context.texts[0]).toContain('**codex 5h limit:** 60% left');
    expect(lab.ends).toEqual(['done']);
  });

  it('S2.119 keeps the known limits when they cannot be read', async () => {
    const lab = new LocalLab();
    lab.facts = { ...lab.facts, limits: [{ ...limit, limitName: 'Known' }] };
    lab.run({ type: 'status' });
    await lab.fail('rateLimits', 'no network');
    await lab.answer('readAccount', login);
    expect(lab.context.texts[0]).toContain('**Known 5h limit:** 60% left');
    expect(lab.ends).toEqual(['done']);
  });

  it('S2.120 says so when the login cannot be read, and names the gateway without a login', async () => {
    const lab = new LocalLab();
    lab.facts = { ...lab.facts, provider: 'Company Gateway' };
    lab.run({ type: 'status' });
    await lab.answer('rateLimits', []);
    await lab.fail('readAccount', 'no network');
    expect(lab.context.texts[0]).toContain('**Account:** unknown');
    lab.run({ type: 'status' });
    await lab.answer('rateLimits', []);
    await lab.answer('readAccount', { account: null, requiresLogin: false });
    expect(lab.context.texts[1]).toContain('**Account:** Gateway: Company Gateway');
  });
});

describe('/goal pause and /goal clear', () => {
  it('S3.118, S3.121 pause waits for the matching notification and says nothing', async () => {
    const lab = new LocalLab();
    lab.run(pause);
    await lab.answer(setPaused, goal());
    lab.commands.goalUpdated(goal({ updatedAt: 1 }));
    lab.commands.goalUpdated(goal({ status: 'active' }));
    lab.commands.goalCleared();
    expect(lab.ends).toEqual([]);
    lab.commands.goalUpdated(goal({ tokensUsed: 10 }));
    expect(lab.ends).toEqual(['done']);
    expect(lab.context.shown).toEqual([]);
    expect(lab.context.clock.waiting).toBe(0);
  });

  it('S3.121 the notification may come before the answer', async () => {
    const lab = new LocalLab();
    lab.run(pause);
    lab.commands.goalUpdated(goal({ status: 'active', updatedAt: 1 }));
    lab.commands.goalUpdated(goal());
    expect(lab.ends).toEqual([]);
    await lab.answer(setPaused, goal());
    expect(lab.ends).toEqual(['done']);
  });

  it('S3.121 clear waits for its notification', async () => {
    const lab = new LocalLab();
    lab.run(clear);
    await lab.answer('clearGoal thread-1', true);
    lab.commands.goalUpdated(goal());
    expect(lab.ends).toEqual([]);
    lab.commands.goalCleared();
    expect(lab.ends).toEqual(['done']);
    expect(lab.context.shown).toEqual([]);
  });

  it('S3.121 clear also ends with a notification that came before the answer', async () => {
    const lab = new LocalLab();
    lab.run(clear);
    lab.commands.goalCleared();
    expect(lab.ends).toEqual([]);
    await lab.answer('clearGoal thread-1', true);
    expect(lab.ends).toEqual(['done']);
  });

  it('S3.121 nothing is waited for when there was no goal', async () => {
    const lab = new LocalLab();
    lab.run(clear);
    await lab.answer('clearGoal thread-1', false);
    expect(lab.ends).toEqual(['done']);
  });

  it.each<[LocalCommand, string, unknown]>([
    [pause, setPaused, goal()],
    [clear, 'clearGoal thread-1', true],
  ])('S3.121 %j ends after 5 s without notification', async (command, call, result) => {
    const lab = new LocalLab();
    lab.run(command);
    await lab.answer(call, result);
    lab.context.clock.advance(4999);
    expect(lab.ends).toEqual([]);
    lab.context.clock.advance(1);
    expect(lab.ends).toEqual(['done']);
  });

  it('S3.54 a cancel ends the wait', async () => {
    const lab = new LocalLab();
    const running = lab.run(clear);
    await lab.answer('clearGoal thread-1', true);
    running.cancel();
    lab.commands.goalCleared();
    lab.context.clock.advance(10_000);
    expect(lab.ends).toEqual([]);
  });

  it('S3.121 a notification outside of such a command is nothing to it', async () => {
    const lab = new LocalLab();
    lab.commands.goalCleared();
    lab.run(clear);
    await lab.answer('clearGoal thread-1', true);
    lab.run({ type: 'skills' });
    lab.commands.goalCleared();
    expect(lab.ends).toEqual([]);
  });
});

describe('/mcp', () => {
  it('S2.166, S2.167 shows the servers, also those that Codex does not list', async () => {
    const lab = new LocalLab();
    lab.facts = { ...lab.facts, requestedMcpServers: ['mine'] };
    lab.run({ type: 'mcp', reconnect: false });
    await lab.answer('mcpServers thread-1', [server('docs', 'connected')]);
    expect(lab.context.texts).toEqual([
      '**MCP servers:** 2 (1 connected, 1 unknown)\n\n**Connected**\n- `docs`: 0 tools\n\n**Unknown**\n- `mine`',
    ]);
    expect(lab.ends).toEqual(['done']);
  });
});
