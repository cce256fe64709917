import { describe, expect, test } from 'vitest';
import { isAnswer, isUpdate, type LabPrompt, type LabSession, useAgent } from '../../support/integration.ts';
import { hold, text } from '../../support/model-replies.ts';
import { messageText } from './tool-view.ts';

describe.each([1, 2] as const)('v%i', (version) => {
  const agent = useAgent({ version });

  /** Answers every prompt with its own text, in two halves; the prompt `Slow` waits between them. */
  function echo(session: LabSession, deltasBeforeGate = 1) {
    const gate = hold();
    session.modelWith(({ lastUserText }) => {
      const answer = text(`<${lastUserText}> done`, { deltas: [`<${lastUserText}>`, ' done'] });
      return lastUserText.startsWith('Slow') ? answer.pauseAt(gate, deltasBeforeGate) : answer;
    });
    return gate;
  }

  /** Positions of the first and the last frame that belong to a prompt, its answer included. */
  function span(session: LabSession, prompt: LabPrompt, name: string): [number, number] {
    const positions = agent().client.received.flatMap((frame, position) => {
      const shows = isUpdate(frame, session.id) && JSON.stringify(frame.params.update).includes(name);
      return shows || isAnswer(frame, prompt.requestId) ? [position] : [];
    });
    return [positions[0] ?? -1, positions.at(-1) ?? -1];
  }

  test('S3.36 S3.38 R1 prompts sent at once run one after another, each to its last frame', async () => {
    const session = await agent().open();
    const gate = echo(session);
    const [first, second, third] = agent().together(
      () => [session.prompt('Slow one'), session.prompt('Two'), session.prompt('Three')] as const,
    );
    await session.textShown('<Slow one>');
    expect(session.requests).toHaveLength(1);
    gate.open();
    const ends = [await first.ended, await second.ended, await third.ended];

    expect(ends.map(({ outcome }) => outcome)).toEqual(['end_turn', 'end_turn', 'end_turn']);
    expect(messageText(session.updates(first.from))).toBe('<Slow one> done<Two> done<Three> done');
    expect(session.requests.map(({ lastUserText }) => lastUserText)).toEqual(['Slow one', 'Two', 'Three']);
    const [one, two, three] = ends;
    if (one === undefined || two === undefined || three === undefined) throw new Error('unreachable');
    // The end of a prompt is its last frame; nothing of the next one stands before it.
    expect(span(session, second, 'Two')[0]).toBeGreaterThanOrEqual(one.position);
    expect(span(session, third, 'Three')[0]).toBeGreaterThanOrEqual(two.position);
    if (version === 2) {
      const states = session.updates(first.from).filter(({ sessionUpdate }) => sessionUpdate === 'state_update');
      expect(states.map(({ state }) => state)).toEqual(['running', 'idle', 'running', 'idle', 'running', 'idle']);
    }
    // Each prompt has its own usage.
    expect(ends.map(({ usage }) => usage.totalTokens)).toEqual([150, 150, 150]);
  });

  test('S3.51 S3.52 R9 a cancel ends the running prompt and all that wait; later prompts run', async () => {
    const session = await agent().open();
    echo(session);
    const [first, second, third] = agent().together(
      () => [session.prompt('Slow one'), session.prompt('Two'), session.prompt('Three')] as const,
    );
    await session.textShown('<Slow one>');
    const [, later] = agent().together(() => [session.cancel(), session.prompt('Later')] as const);
    const ends = [await first.ended, await second.ended, await third.ended];

    const waiting = version === 1 ? 'cancelled' : 'rejected';
    expect(ends.map(({ outcome }) => outcome)).toEqual(['cancelled', waiting, waiting]);
    if (version === 2) {
      const message = `Request cancelled: Session ${session.id} was cancelled before the prompt was inserted`;
      for (const end of ends.slice(1)) expect(end.error).toMatchObject({ code: -32800, message });
    }
    expect((await later.ended).outcome).toBe('end_turn');
    expect(messageText(session.updates(first.from))).toBe('<Slow one><Later> done');
    expect(session.requests.map(({ lastUserText }) => lastUserText)).toEqual(['Slow one', 'Later']);
    // Nothing of the prompts that waited is shown.
    expect(JSON.stringify(session.updates(first.from))).not.toMatch(/Two|Three/);
    if (version === 2) {
      const states = session.updates(first.from).filter(({ sessionUpdate }) => sessionUpdate === 'state_update');
      expect(states.map(({ state }) => state)).toEqual(['running', 'idle', 'running', 'idle']);
    }
  });

  test('S3.59 S3.53 `$/cancel_request` of a waiting prompt ends only that one', async () => {
    const session = await agent().open();
    const gate = echo(session);
    const [first, second, third] = agent().together(
      () => [session.prompt('Slow one'), session.prompt('Two'), session.prompt('Three')] as const,
    );
    await session.textShown('<Slow one>');
    second.cancelRequest();
    // It is answered while the first one still runs.
    const cancelled = await second.ended;
    expect(cancelled.outcome).toBe(version === 1 ? 'cancelled' : 'rejected');
    if (version === 2) {
      const message = 'Request cancelled: The prompt request was cancelled before it was inserted';
      expect(cancelled.error).toMatchObject({ code: -32800, message });
    }
    gate.open();
    expect((await first.ended).outcome).toBe('end_turn');
    expect((await third.ended).outcome).toBe('end_turn');
    expect(messageText(session.updates(first.from))).toBe('<Slow one> done<Three> done');
    expect(session.requests.map(({ lastUserText }) => lastUserText)).toEqual(['Slow one', 'Three']);
  });

  test('S3.59 R10 `$/cancel_request` in the same write as its prompt stops it', async () => {
    const session = await agent().open();
    // The model says nothing before it is stopped: what it said first would rightly be shown.
    echo(session, 0);
    const prompt = agent().together(() => {
      const sent = session.prompt('Slow one');
      sent.cancelRequest();
      return sent;
    });
    const end = await prompt.ended;
    expect(end.outcome).toBe(version === 1 ? 'cancelled' : 'rejected');
    if (version === 2) {
      const message = 'Request cancelled: The prompt request was cancelled before it was inserted';
      expect(end.error).toMatchObject({ code: -32800, message });
      expect(end.updates.filter(({ sessionUpdate }) => sessionUpdate === 'user_message_chunk')).toEqual([]);
    }
    const next = await session.prompt('Next').ended;
    expect(next.outcome).toBe('end_turn');
    expect(messageText(session.updates(prompt.from))).toBe('<Next> done');
    for (const request of session.requests) {
      if (request.lastUserText === 'Slow one') expect(await request.finished).toBe('gone');
    }
  });

  if (version === 2)
    test('S3.59 R10 `$/cancel_request` when the turn runs and the prompt is not inserted', async () => {
      const session = await agent().open();
      echo(session);
      const prompt = session.prompt('Slow one');
      await session.update('state_update', ({ state }) => state === 'running', prompt.from);
      prompt.cancelRequest();
      const inserted = await prompt.answer.then(
        () => true,
        () => false,
      );
      // Codex may have recorded the prompt just before; then only a session/cancel stops it.
      if (inserted) session.cancel();
      await session.settled();
      const states = session.updates(prompt.from).filter(({ sessionUpdate }) => sessionUpdate === 'state_update');
      expect(states.map(({ state }) => state)).toEqual(['running', 'idle']);
      expect(states.at(-1).stopReason).toBe('cancelled');
      expect(JSON.stringify(session.updates(prompt.from)).includes('user_message_chunk')).toBe(inserted);
      expect((await session.prompt('Next').ended).outcome).toBe('end_turn');
    });

  test(
    version === 1
      ? 'S3.59 `$/cancel_request` of the running prompt stops it; the waiting one runs'
      : 'S3.59 `$/cancel_request` after the answer changes nothing; the turn goes on',
    async () => {
      const session = await agent().open();
      const gate = echo(session);
      const [first, second] = agent().together(() => [session.prompt('Slow one'), session.prompt('Two')] as const);
      await session.textShown('<Slow one>');
      first.cancelRequest();
      if (version === 1) {
        expect((await first.ended).outcome).toBe('cancelled');
        expect((await second.ended).outcome).toBe('end_turn');
        expect(messageText(session.updates(first.from))).toBe('<Slow one><Two> done');
        return;
      }
      // Another request shows that the cancel was handled; the turn is still held by its gate.
      await session.setOption('mode', 'read-only');
      gate.open();
      expect((await first.ended).outcome).toBe('end_turn');
      expect((await second.ended).outcome).toBe('end_turn');
      expect(messageText(session.updates(first.from))).toBe('<Slow one> done<Two> done');
    },
  );

  test('S12.7 R31 a waiting prompt takes the settings in force when its turn comes, the running one keeps its own', async () => {
    const session = await agent().open();
    const gate = echo(session);
    const [first, second] = agent().together(() => [session.prompt('Slow one'), session.prompt('Two')] as const);
    await session.textShown('<Slow one>');
    await session.setOption('model', 'gpt-5.5');
    gate.open();
    await first.ended;
    await second.ended;
    expect(session.requests.map(({ model }) => model)).toEqual(['gpt-6.2-sol', 'gpt-5.5']);
  });
});
