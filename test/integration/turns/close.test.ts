import { describe, expect, test } from 'vitest';
import { type LabPrompt, type LabSession, useAgent } from '../../support/integration.ts';
import { applyPatch, hold, pause, reply, runCommand, text } from '../../support/model-replies.ts';
import { models } from './cases.ts';
import { EndlessCommand } from './endless-command.ts';

describe.each([1, 2] as const)('v%i', (version) => {
  const agent = useAgent({ version, env: { INITIAL_AGENT_MODE: 'workspace-write' } });

  /**
   * Closes the session while its prompt runs: the prompt ends as cancelled, v2 gets one `idle`, the answer to the close
   * is the last frame of the session.
   */
  async function closeDuring(session: LabSession, prompt: LabPrompt): Promise<void> {
    const closed = session.close();
    expect(await closed).toEqual({});
    const { received } = agent().client;
    const frames = session.frames(prompt.from);
    // Frames of other sessions may follow later; all of this one stand before the answer to the close.
    const answer = received.findLastIndex((frame) => frame.method === undefined && isEmpty(frame.result));
    expect(received.slice(answer).filter((frame) => frame.params?.sessionId === session.id)).toEqual([]);
    const end = received.find((frame) => frame.method === undefined && frame.id === prompt.requestId);
    if (version === 1) {
      expect(end?.result).toMatchObject({ stopReason: 'cancelled' });
    } else {
      const idle = frames.map((frame) => frame.params.update).filter((update) => update?.state === 'idle');
      expect(idle).toEqual([expect.objectContaining({ stopReason: 'cancelled' })]);
      expect(frames.at(-1)?.params.update).toBe(idle[0]);
      if (end?.error !== undefined) expect(end.error.code).toBe(-32800);
    }
    await expectClosed(session);
  }

  /** The session is gone, and another one works. */
  async function expectClosed(session: LabSession): Promise<void> {
    const late = await session.prompt('Too late').ended;
    expect(late.error?.code).toBe(-32002);
    expect(await session.close()).toEqual({});
    const other = await agent().open();
    other.model(text('Another one.'));
    expect((await other.prompt('Hello').ended).outcome).toBe('end_turn');
    expect(session.updates(late.position)).toEqual([]);
  }

  test('S3.66 S3.67 a close while the answer streams', async () => {
    const session = await agent().open();
    session.model(text('Shown and never shown.').pauseAt(hold(), 1));
    const prompt = session.prompt('Tell me');
    await session.textShown('Shown', prompt.from);
    await closeDuring(session, prompt);
    expect(await session.requests[0]?.finished).toBe('gone');
  });

  test('S3.68 R11 a close in the same write as the prompt', async () => {
    const session = await agent().open();
    session.modelWith(() => reply(pause(hold()), text('Too late.')));
    const [prompt, closed] = agent().together(() => [session.prompt('Hello'), session.close()] as const);
    const end = await prompt.ended;
    expect(await closed).toEqual({});
    expect(end.outcome === 'cancelled' || end.error?.code === -32800).toBe(true);
    await expectClosed(session);
    for (const request of session.requests) expect(await request.finished).toBe('gone');
  });

  describe.each(models)('$name', ({ model }) => {
    test('C053 S3.67 a close during a command ends its process', async () => {
      const session = await agent().open({ model });
      const command = new EndlessCommand();
      session.model(command.call, text('Never said.'));
      const prompt = session.prompt('Run it');
      await command.running(session, prompt.from);
      await closeDuring(session, prompt);
      await command.gone();
    });

    test.each([
      ['command', runCommand('touch made', { escalate: 'May I?' })],
      ['patch', applyPatch('*** Add File: ../outside.txt\n+x')],
    ])('C030 S5.20 a close withdraws the open permission for a %s', async (_, call) => {
      const session = await agent().open({ model });
      session.model(call, text('Never said.'));
      const prompt = session.prompt('Do it');
      const ask = await session.ask();
      await closeDuring(session, prompt);
      await ask.withdrawn();
      ask.select('allow_once');
      await expectClosed(session);
      expect(session.workspace.exists('made')).toBe(false);
      expect(session.workspace.exists('../outside.txt')).toBe(false);
    });

    test('S3.67 step 7 a close ends a command that runs on after its turn', async () => {
      const session = await agent().open({ model });
      const command = new EndlessCommand({ yieldMs: 250 });
      session.model(command.call, text('It runs on.'));
      const prompt = session.prompt('Run it');
      await command.running(session, prompt.from);
      expect((await prompt.ended).outcome).toBe('end_turn');
      expect(command.processes).not.toEqual([]);
      expect(await session.close()).toEqual({});
      await command.gone();
      await expectClosed(session);
    });
  });

  test('S3.67 queued prompts of a closed session end with it', async () => {
    const session = await agent().open();
    session.modelWith(() => text('Shown and never shown.').pauseAt(hold(), 1));
    const [first, second] = agent().together(() => [session.prompt('One'), session.prompt('Two')] as const);
    await session.textShown('Shown', first.from);
    expect(await session.close()).toEqual({});
    const end = await second.ended;
    expect(end.outcome === 'cancelled' || end.error?.code === -32800).toBe(true);
    await first.ended;
    expect(session.requests).toHaveLength(1);
  });

  test('S3.23 S3.67 a prompt right behind the close is refused', async () => {
    const session = await agent().open();
    session.model(text('Shown and never shown.').pauseAt(hold(), 1));
    const running = session.prompt('One');
    await session.textShown('Shown', running.from);
    const [closed, late] = agent().together(() => [session.close(), session.prompt('Two')] as const);
    const end = await late.ended;
    if (version === 1) expect(end.outcome).toBe('cancelled');
    else expect(end.error).toMatchObject({ code: -32600, message: expect.stringMatching(/is closing/) });
    expect(await closed).toEqual({});
    await running.ended.catch(() => undefined);
    expect(session.requests).toHaveLength(1);
  });

  test('S3.66 closes at once are all answered; an unknown session is closed already', async () => {
    const session = await agent().open();
    const closes = agent().together(() => [session.close(), session.close(), session.close()]);
    expect(await Promise.all(closes)).toEqual([{}, {}, {}]);
    const params = { sessionId: '00000000-0000-7000-8000-000000000000' };
    expect(await agent().request('session/close', params)).toEqual({});
  });
});

function isEmpty(result: unknown): boolean {
  return JSON.stringify(result) === '{}';
}
