import { describe, expect, test } from 'vitest';
import { type Json, type LabSession, useAgent, withAgent, withRelay } from '../../support/integration.ts';
import { compactionSummary } from '../../support/model-answers.ts';
import { hold, text } from '../../support/model-replies.ts';
import type { RelayedCodex } from '../../support/relay-codex.ts';
import { EndlessCommand } from './endless-command.ts';
import { messageText } from './tool-view.ts';

const sing = 'Sing loudly in every answer.';
const brief = 'Answer in three words.';
const updating = 'Session instructions are being updated; retry after session setup';

function systemPrompt(content: string): Json {
  return { systemPrompt: { mode: 'append', content: [{ type: 'text', text: content }] } };
}

/** Another system prompt for a session that is open here: what real Codex makes of it (S2.53 to S2.58). */
describe.each([1, 2] as const)('v%i', (version) => {
  const agent = useAgent({ version });

  async function nextPrompt(session: LabSession, said = 'The next one.'): Promise<void> {
    session.model(text(said));
    const end = await session.prompt('Next').ended;
    expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', said]);
  }

  /** A session with a system prompt whose thread is recorded. */
  async function used(session: LabSession): Promise<LabSession> {
    await nextPrompt(session, 'Hello.');
    await session.settled();
    return session;
  }

  const opened = async (): Promise<LabSession> => used(await agent().open({ params: systemPrompt(sing) }));

  /** Which of the two texts the model was told in the last request of the session. */
  function told(session: LabSession): string[] {
    const input = JSON.stringify(session.requests.at(-1)?.body.input);
    return [sing, brief].filter((part) => input.includes(part));
  }

  const statuses = (updates: readonly Json[]): string[] =>
    updates.flatMap((update) => update._meta?.codex?.threadStatus?.type ?? []);

  test('S2.56 S2.54 another prompt loads the thread again; the model is told of it after the next compaction', async () => {
    const session = await opened();
    expect(told(session)).toEqual([sing]);
    const { before, opened: answer } = await session.resume(systemPrompt(brief));
    expect(answer.configOptions.length).toBeGreaterThan(0);
    expect(statuses(before).slice(0, 2)).toEqual(['notLoaded', 'idle']);
    if (version === 2) expect(before.at(-1)).toEqual({ sessionUpdate: 'state_update', state: 'idle' });
    expect(messageText(before)).toBe('');
    await nextPrompt(session);
    expect(told(session)).toEqual([sing]);
    agent().server.aside('compaction', compactionSummary('They said hello.'));
    expect((await session.prompt('/compact').ended).outcome).toBe('end_turn');
    await nextPrompt(session);
    expect(told(session)).toEqual([brief]);
  });

  test('S2.53 S2.51 the same prompt again, or none, leaves the thread as it is', async () => {
    const session = await opened();
    for (const params of [systemPrompt(sing), {}]) {
      const { before } = await session.resume(params);
      expect(statuses(before)).not.toContain('notLoaded');
    }
    await nextPrompt(session);
    expect(told(session)).toEqual([sing]);
  });

  test('R30 S2.55 while a turn runs the change is refused, and the turn goes on', async () => {
    const session = await opened();
    const gate = hold();
    session.model(text('Before. After.', { deltas: ['Before. ', 'After.'] }).pauseAt(gate, 1));
    const prompt = session.prompt('Go');
    await session.textShown('Before. ', prompt.from);
    await expect(session.resume(systemPrompt(brief))).rejects.toMatchObject({
      code: -32602,
      message: 'Invalid params: Cannot change systemPrompt while session work is in progress; retry when idle',
    });
    gate.open();
    const end = await prompt.ended;
    expect([end.outcome, messageText(end.updates)]).toEqual(['end_turn', 'Before. After.']);
    await session.settled();
    const { before } = await session.resume(systemPrompt(brief));
    expect(statuses(before)).toContain('notLoaded');
    await nextPrompt(session);
  });

  test('S2.55 a session that was never prompted has nothing to load', async () => {
    const session = await agent().open({ params: systemPrompt(sing) });
    await expect(session.resume(systemPrompt(brief))).rejects.toMatchObject({
      code: -32602,
      message: 'Invalid params: Changing systemPrompt requires a persisted session; create a new session instead',
    });
    await nextPrompt(session);
    expect(told(session)).toEqual([sing]);
  });

  test('S2.55 a command that runs on in the background is not ended by a change', async () => {
    const session = await agent().open({ params: systemPrompt(sing) });
    const command = new EndlessCommand({ yieldMs: 250 });
    session.model(command.call, text('It runs on.'));
    expect((await session.prompt('Go').ended).outcome).toBe('end_turn');
    await session.settled();
    await expect(session.resume(systemPrompt(brief))).rejects.toMatchObject({
      code: -32602,
      message: 'Invalid params: Cannot change systemPrompt while background terminals are running',
    });
    expect(command.processes.length).toBeGreaterThan(0);
    await nextPrompt(session);
    expect(await session.close()).toEqual({});
    await command.gone();
  });

  test('S2.30 mode, model and plan mode stay', async () => {
    const session = await opened();
    await session.setOption('mode', 'read-only');
    await session.setOption('collaboration_mode', 'plan');
    const { opened: answer } = await session.resume(systemPrompt(brief));
    const current = (id: string): Json =>
      answer.configOptions.find((option: Json) => (option.id ?? option.configId) === id)?.currentValue;
    expect([current('mode'), current('collaboration_mode')]).toEqual(['read-only', 'plan']);
    await session.setOption('collaboration_mode', 'default');
    await nextPrompt(session);
    expect(session.requests.at(-1)?.metadata).toMatchObject({ sandbox_mode: 'read-only' });
  });

  test('S2.32 changes at once are made one after another', async () => {
    const session = await opened();
    const [one, two] = await Promise.allSettled([
      session.resume(systemPrompt(brief)),
      session.resume(systemPrompt(`${brief} Please.`)),
    ]);
    expect([one.status, two.status]).toEqual(['fulfilled', 'fulfilled']);
    await nextPrompt(session);
  });

  test('S2.52 S2.54 after a close nothing is known: the prompt of the new set-up is told with the load', async () => {
    const session = await opened();
    await session.close();
    await session.resume(systemPrompt(brief));
    agent().server.aside('compaction', compactionSummary('They said hello.'));
    await session.prompt('/compact').ended;
    await nextPrompt(session);
    expect(told(session)).toEqual([brief]);
  });

  test('S2.54 S2.52 in a new process the prompt is told with the load', () =>
    withAgent({ version, params: systemPrompt(sing) }, async (lab, session) => {
      await used(session);
      await lab.restart();
      await session.resume(systemPrompt(brief));
      lab.server.aside('compaction', compactionSummary('They said hello.'));
      await session.prompt('/compact').ended;
      await nextPrompt(session);
      expect(told(session)).toEqual([brief]);
    }));

  /** Whatever loads the session's thread. */
  const loads = (session: LabSession, codex: RelayedCodex) =>
    codex.on('agent', 'thread/resume').where(({ params }) => params.threadId === session.id);

  test('S3.22 S2.57 S3.148 R30 while Codex loads the thread, prompt, steer, settings and set-ups are refused', () =>
    withRelay({ version, params: systemPrompt(sing) }, async (session, codex) => {
      await used(session);
      const load = loads(session, codex).once().delay();
      const resumed = session.resume(systemPrompt(brief));
      await load.met;
      const refusal = { code: -32600, message: `Invalid request: ${updating}`, data: updating };
      expect((await session.prompt('Too early').ended).error).toMatchObject(refusal);
      const prompt = [{ type: 'text', text: 'More' }];
      const steered = session.lab.request('_session/steering', { sessionId: session.id, prompt });
      await expect(steered).rejects.toMatchObject(refusal);
      await expect(session.setOption('mode', 'read-only')).rejects.toMatchObject(refusal);
      if (version === 1) {
        const mode = session.lab.request('session/set_mode', { sessionId: session.id, modeId: 'read-only' });
        await expect(mode).rejects.toMatchObject(refusal);
      }
      await expect(session.resume(systemPrompt('Another.'))).rejects.toMatchObject(refusal);
      load.release();
      await resumed;
      await nextPrompt(session);
      expect(session.requests.at(-1)?.userTexts).not.toContain('Too early');
    }));

  test('S2.58 Codex dies before it loads the thread: 1001, and the next use has the prompt of before', () =>
    withRelay({ version, params: systemPrompt(sing), stderr: [/app-server/] }, async (session, codex, relay) => {
      await used(session);
      loads(session, codex).once().die();
      await expect(session.resume(systemPrompt(brief))).rejects.toMatchObject({ code: 1001 });
      await nextPrompt(session);
      const next = await relay.process(1);
      const loaded = next.messages
        .map(({ message }) => message)
        .filter(({ method, params }) => method === 'thread/resume' && params.threadId === session.id);
      expect(loaded.map(({ params }) => params.developerInstructions)).toEqual([sing]);
      // It is still a change.
      const { before } = await session.resume(systemPrompt(brief));
      expect(statuses(before)).toContain('notLoaded');
      await nextPrompt(session);
    }));

  test('S2.56 Codex refuses to load it with the new prompt: it is loaded as it was, and the session works', () =>
    withRelay({ version, params: systemPrompt(sing) }, async (session, codex) => {
      await used(session);
      loads(session, codex)
        .once()
        .rewrite((message) => ({ ...message, params: { ...message.params, threadId: 'nobody' } }));
      await expect(session.resume(systemPrompt(brief))).rejects.toMatchObject({ code: -32002 });
      await nextPrompt(session);
      expect(told(session)).toEqual([sing]);
      await session.resume(systemPrompt(brief));
      await nextPrompt(session);
    }));

  test('S2.56 Codex keeps the thread loaded: the change is refused, and the session works', () =>
    withRelay({ version, params: systemPrompt(sing) }, async (session, codex) => {
      await used(session);
      codex
        .on('agent', 'thread/unsubscribe')
        .where(({ params }) => params.threadId === session.id)
        .once()
        .rewrite((message) => ({ ...message, method: 'thread/read' }));
      await expect(session.resume(systemPrompt(brief))).rejects.toMatchObject({
        code: -32602,
        message:
          'Invalid params: Codex kept the existing thread loaded; systemPrompt could not be changed. Retry when idle',
      });
      await nextPrompt(session);
      await session.resume(systemPrompt(brief));
      await nextPrompt(session);
    }));

  test('S2.26 a close while Codex loads the thread wins; after it the session can be opened again', () =>
    withRelay({ version, params: systemPrompt(sing) }, async (session, codex) => {
      await used(session);
      const loaded = codex.onAnswer('codex', 'thread/resume').once().delay();
      const resumed = session.resume(systemPrompt(brief));
      resumed.catch(() => undefined);
      await loaded.met;
      const closed = session.close();
      loaded.release();
      expect(await closed).toEqual({});
      await expect(resumed).rejects.toMatchObject({
        code: -32600,
        message: `Invalid request: Session ${session.id} is closing`,
      });
      expect((await session.prompt('Too late').ended).error?.code).toBe(-32002);
      await session.resume();
      await nextPrompt(session);
    }));
});
