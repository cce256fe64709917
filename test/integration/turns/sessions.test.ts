import { describe, expect, test } from 'vitest';
import { useAgent } from '../../support/integration.ts';
import { hold, runCommand, text } from '../../support/model-replies.ts';
import { EndlessCommand } from './endless-command.ts';
import { messageText, openToolCalls, toolCall } from './tool-view.ts';

describe.each([1, 2] as const)('v%i', (version) => {
  const agent = useAgent({ version, env: { INITIAL_AGENT_MODE: 'workspace-write' } });
  const two = async () => [await agent().open(), await agent().open()] as const;

  test('C013 two sessions answer at once, each shows its own text', async () => {
    const [left, right] = await two();
    const gates = [hold(), hold()] as const;
    left.model(text('Left one. Left two.', { deltas: ['Left one. ', 'Left two.'] }).pauseAt(gates[0], 1));
    right.model(text('Right one. Right two.', { deltas: ['Right one. ', 'Right two.'] }).pauseAt(gates[1], 1));
    const [first, second] = agent().together(() => [left.prompt('Left?'), right.prompt('Right?')] as const);
    // Both stream before either ends.
    await left.textShown('Left one. ');
    await right.textShown('Right one. ');
    gates[1].open();
    expect((await second.ended).outcome).toBe('end_turn');
    gates[0].open();
    expect((await first.ended).outcome).toBe('end_turn');
    expect(messageText(left.updates())).toBe('Left one. Left two.');
    expect(messageText(right.updates())).toBe('Right one. Right two.');
  });

  test('C013 a cancel in one session leaves the turn and the command of the other running', async () => {
    const [left, right] = await two();
    const [stopped, kept] = [new EndlessCommand(), new EndlessCommand()];
    left.model(stopped.call, text('Never said.'));
    right.model(kept.call, text('Never said either.'));
    const first = left.prompt('Run left');
    const second = right.prompt('Run right');
    await stopped.running(left);
    await kept.running(right);
    left.cancel();
    expect((await first.ended).outcome).toBe('cancelled');
    await stopped.gone();
    expect(kept.processes).not.toEqual([]);
    expect(openToolCalls(right.updates())).toHaveLength(1);
    // The next prompt of the first session runs beside it.
    left.modelWith(() => text('Left again.'));
    expect(messageText((await left.prompt('Again').ended).updates)).toBe('Left again.');
    right.cancel();
    expect((await second.ended).outcome).toBe('cancelled');
    await kept.gone();
  });

  test('C013 an open permission stays while another session is closed, and its answer counts', async () => {
    const [left, right] = await two();
    const endless = new EndlessCommand();
    left.model(runCommand('touch made', { escalate: 'May I?' }), text('Made.'));
    right.model(endless.call, text('Never said.'));
    const asking = left.prompt('Make it');
    const running = right.prompt('Run');
    const ask = await left.ask();
    await endless.running(right);
    await right.close();
    await running.ended;
    await endless.gone();
    expect(agent().client.received.filter(({ method }) => method === '$/cancel_request')).toEqual([]);
    ask.select('allow_once');
    const end = await asking.ended;
    expect(end.outcome).toBe('end_turn');
    expect(left.workspace.exists('made')).toBe(true);
    expect(toolCall(end.updates).status).toBe('completed');
  });

  test('C013 opening sessions while a turn runs does not disturb it', async () => {
    const session = await agent().open();
    const gate = hold();
    session.model(text('Before. After.', { deltas: ['Before. ', 'After.'] }).pauseAt(gate, 1));
    const prompt = session.prompt('Go');
    await session.textShown('Before. ');
    const others = await Promise.all([agent().open(), agent().open(), agent().open()]);
    await Promise.all(others.map((other) => other.close()));
    gate.open();
    const end = await prompt.ended;
    expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'Before. After.']);
  });

  test('C013 many sessions at once end each with its own answer', async () => {
    const sessions = await Promise.all(Array.from({ length: 6 }, () => agent().open()));
    const prompts = agent().together(() =>
      sessions.map((session, index) => {
        session.model(runCommand(`echo out ${index}`), text(`Answer ${index}.`));
        return session.prompt(`Question ${index}`);
      }),
    );
    const ends = await Promise.all(prompts.map((prompt) => prompt.ended));
    expect(ends.map(({ updates }) => messageText(updates))).toEqual(sessions.map((_, index) => `Answer ${index}.`));
    expect(ends.every(({ outcome }) => outcome === 'end_turn')).toBe(true);
  });
});
