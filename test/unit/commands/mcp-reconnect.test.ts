import { describe, expect, it } from 'vitest';
import { mcpText } from '../../../src/domain/commands/mcp-text.ts';
import { LocalLab, server } from './local-lab.ts';

const list = 'mcpServers thread-1';
const reload = 'reconnectMcpServers';
const reloaded =
  '- Reloaded the MCP configuration of all open sessions. Codex restarted the servers that failed, stopped, or ' +
  'changed. A connected server with unchanged settings keeps its connection.';
const stillStarting = '- Some MCP servers are still starting. Run `/mcp` again later to see their status.';

/** A reconnect whose reload was answered. */
async function reconnect(before = [server('a', 'failed')], opensPages = false) {
  const lab = new LocalLab(opensPages);
  const running = lab.run({ type: 'mcp', reconnect: true });
  await lab.answer(list, before);
  await lab.answer(reload);
  return { lab, running };
}

describe('S2.169 /mcp reconnect', () => {
  it('without servers reloads nothing', async () => {
    const lab = new LocalLab();
    lab.run({ type: 'mcp', reconnect: true });
    await lab.answer(list, []);
    expect(lab.context.texts).toEqual(['No MCP servers are configured.']);
    expect(lab.calls).toEqual([list]);
    expect(lab.ends).toEqual(['done']);
  });

  it('lists, reloads, and shows the servers when all have settled', async () => {
    const { lab } = await reconnect();
    const servers = [server('a', 'connected'), server('off', 'disabled'), server('b', 'failed')];
    await lab.answer(list, servers);
    expect(lab.calls).toEqual([list, reload, list]);
    expect(lab.context.texts).toEqual([`**Reconnect:**\n${reloaded}\n\n${mcpText(servers)}`]);
    expect(lab.ends).toEqual(['done']);
    expect(lab.context.clock.waiting).toBe(0);
  });

  it('looks every 250 ms while a server starts', async () => {
    const { lab } = await reconnect();
    await lab.answer(list, [server('a', 'starting')]);
    lab.context.clock.advance(249);
    expect(lab.open).toEqual([]);
    lab.context.clock.advance(1);
    await lab.answer(list, [server('a', 'starting')]);
    lab.context.clock.advance(250);
    expect(lab.context.texts).toEqual([]);
    await lab.answer(list, [server('a', 'connected')]);
    expect(lab.context.texts).toEqual([`**Reconnect:**\n${reloaded}\n\n${mcpText([server('a', 'connected')])}`]);
  });

  it('after 30 s tells which are still starting', async () => {
    const { lab } = await reconnect();
    const servers = [server('a', 'starting'), server('b', 'connected')];
    await lab.answer(list, servers);
    for (let at = 0; at < 29_750; at += 250) {
      lab.context.clock.advance(250);
      await lab.answer(list, servers);
    }
    expect(lab.context.texts).toEqual([]);
    lab.context.clock.advance(250);
    expect(lab.context.texts).toEqual([`**Reconnect:**\n${reloaded}\n${stillStarting}\n\n${mcpText(servers)}`]);
    expect(lab.ends).toEqual(['done']);
    expect(lab.context.clock.waiting).toBe(0);
  });

  it('does not wait longer for a listing that Codex holds back; those that did not work are starting then', async () => {
    const { lab } = await reconnect([
      server('a', 'failed'),
      server('b', 'connected'),
      server('off', 'disabled'),
      server('new', 'notStarted'),
    ]);
    lab.context.clock.advance(29_999);
    expect(lab.ends).toEqual([]);
    lab.context.clock.advance(1);
    const servers = [
      server('a', 'starting'),
      server('b', 'connected'),
      server('off', 'disabled'),
      server('new', 'starting'),
    ];
    expect(lab.context.texts).toEqual([`**Reconnect:**\n${reloaded}\n${stillStarting}\n\n${mcpText(servers)}`]);
    await lab.answer(list, [server('a', 'connected')]);
    expect(lab.context.texts).toHaveLength(1);
    expect(lab.ends).toEqual(['done']);
  });

  it('does not wait for servers whose state nobody can tell, as without a live thread', async () => {
    const { lab } = await reconnect([server('a', 'unknown')]);
    await lab.answer(list, [server('a', 'unknown')]);
    expect(lab.ends).toEqual(['done']);
  });

  it('shows the servers also when nothing could be reloaded', async () => {
    const lab = new LocalLab();
    lab.run({ type: 'mcp', reconnect: true });
    await lab.answer(list, [server('a', 'authenticationRequired')]);
    await lab.fail(reload, 'error: bad config');
    const servers = [server('a', 'authenticationRequired')];
    await lab.answer(list, servers);
    expect(lab.context.texts).toEqual([
      `**Reconnect:**\n- Could not reload the MCP configuration: bad config\n\n${mcpText(servers)}`,
    ]);
    expect(lab.ends).toEqual(['done']);
  });

  it('names the servers that need a sign-in which the client cannot show', async () => {
    const { lab } = await reconnect();
    const servers = [server('a', 'authenticationRequired'), server('b', 'authenticationRequired')];
    await lab.answer(list, servers);
    expect(lab.context.texts).toEqual([
      [
        '**Reconnect:**',
        reloaded,
        '- MCP server `a` needs authentication, but this client cannot open a sign-in page.',
        '- MCP server `b` needs authentication, but this client cannot open a sign-in page.',
        '',
        mcpText(servers),
      ].join('\n'),
    ]);
  });

  it('says nothing of a missing page to a client that can open one', async () => {
    const { lab } = await reconnect([server('a', 'failed')], true);
    const servers = [server('a', 'authenticationRequired')];
    await lab.answer(list, servers);
    expect(lab.context.texts).toEqual([`**Reconnect:**\n${reloaded}\n\n${mcpText(servers)}`]);
  });

  it('S2.115 fails when the servers cannot be listed after the reload', async () => {
    const { lab } = await reconnect();
    await lab.fail(list, 'Codex is gone');
    expect(lab.ends).toEqual(['failed Codex is gone']);
    expect(lab.context.shown).toEqual([]);
    expect(lab.context.clock.waiting).toBe(0);
  });

  it('S2.170 a cancel stops the wait; nothing more is sent or asked', async () => {
    const { lab, running } = await reconnect();
    await lab.answer(list, [server('a', 'starting')]);
    running.cancel();
    lab.context.clock.advance(60_000);
    await lab.context.turnOver();
    expect(lab.calls).toEqual([list, reload, list]);
    expect(lab.context.shown).toEqual([]);
    expect(lab.ends).toEqual([]);
    expect(lab.context.clock.waiting).toBe(0);
  });

  it('S2.170 a cancel before the reload was answered starts no wait', async () => {
    const lab = new LocalLab();
    const running = lab.run({ type: 'mcp', reconnect: true });
    await lab.answer(list, [server('a', 'failed')]);
    running.cancel();
    await lab.answer(reload);
    expect(lab.open).toEqual([]);
    expect(lab.context.clock.waiting).toBe(0);
  });
});
