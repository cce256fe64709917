import { describe, expect, test } from 'vitest';
import { compactionSummary } from '../../support/model-answers.ts';
import { hold, text } from '../../support/model-replies.ts';
import type { ModelRequest } from '../../support/model-request.ts';
import { type Json, type ThreadProbe, useCodex } from './lab.ts';

const codex = useCodex({ model: 'gpt-5.5' });

/** A thread with one turn. */
async function recorded(): Promise<ThreadProbe> {
  const thread = await codex().open();
  codex().server.script(text('Hello.'));
  await thread.completed(await thread.start('Hi'));
  thread.fromNow();
  return thread;
}

const loadWith = (developerInstructions: string): Json => ({ excludeTurns: true, developerInstructions });

/** Which of these texts a request for an answer carries. */
const told = ({ body }: ModelRequest, ...texts: string[]): string[] => {
  const input = JSON.stringify(body.input);
  return texts.filter((part) => input.includes(part));
};

describe('S2.54 S2.55 S2.56 the instructions of a loaded thread', () => {
  test('a thread that is let go of is unloaded when it is loaded again, and that is told before the answer', async () => {
    const thread = await recorded();
    await thread.call('thread/unsubscribe');
    const { thread: loaded } = await thread.call('thread/resume', loadWith('Be brief.'));
    expect(loaded.status).toEqual({ type: 'idle' });
    // What belongs to the loaded thread is told by the time of the next answer (S12.17).
    await thread.call('thread/turns/list', { limit: 1, itemsView: 'notLoaded' });
    expect(thread.story()).toEqual([
      'answer thread/unsubscribe',
      'status notLoaded',
      'status idle',
      'answer thread/resume',
      'goal cleared',
      'answer thread/turns/list',
    ]);
  });

  test('without that it stays loaded for a while', async () => {
    const thread = await recorded();
    await thread.call('thread/unsubscribe');
    expect((await thread.call('thread/read')).thread.status).toEqual({ type: 'idle' });
    expect(thread.story()).not.toContain('status notLoaded');
  });

  test('a thread that somebody listens to stays as it is', async () => {
    const thread = await recorded();
    await thread.call('thread/resume', loadWith('Be brief.'));
    expect(thread.story()).not.toContain('status notLoaded');
  });

  test('so does one whose turn runs: the answer says that it is active', async () => {
    const thread = await recorded();
    const gate = hold();
    codex().server.script(text('one two').pauseAt(gate, 1));
    const turn = await thread.start('Go');
    await thread.speaking();
    await thread.call('thread/unsubscribe');
    const { thread: joined } = await thread.call('thread/resume', loadWith('Be brief.'));
    expect(joined.status.type).toBe('active');
    const { data } = await thread.call('thread/turns/list', {
      limit: 1,
      sortDirection: 'desc',
      itemsView: 'notLoaded',
    });
    expect(data).toMatchObject([{ id: turn, status: 'inProgress' }]);
    gate.open();
    await thread.completed(turn);
    expect(thread.story()).not.toContain('status notLoaded');
  });

  test('the new text is in force after the next compaction, the old one until then', async () => {
    const { server, client } = codex();
    const { thread } = await client.call('thread/start', { cwd: '/tmp', developerInstructions: 'Sing loudly.' });
    const call = (method: string, params: Json = {}): Promise<Json> =>
      client.call(method, { threadId: thread.id, ...params });
    const ended = (from: number): Promise<unknown> =>
      client.waitFor(
        'the end',
        ({ method, params }) => method === 'turn/completed' && params.threadId === thread.id,
        from,
      );
    const say = async (content: string): Promise<void> => {
      const from = client.received.length;
      server.script(text('Done.'));
      await call('turn/start', { input: [{ type: 'text', text: content, text_elements: [] }] });
      await ended(from);
    };
    const before = server.requests.length;
    await say('one');
    await call('thread/unsubscribe');
    await call('thread/resume', loadWith('Be brief.'));
    await say('two');
    server.aside('compaction', compactionSummary('They sang.'));
    const from = client.received.length;
    await call('thread/compact/start');
    await ended(from);
    await say('three');
    const turns = server.requests.slice(before).filter(({ kind }) => kind === 'turn');
    expect(turns.map((request) => told(request, 'Sing loudly.', 'Be brief.'))).toEqual([
      ['Sing loudly.'],
      ['Sing loudly.'],
      ['Be brief.'],
    ]);
  });

  test('S2.30 plan mode is kept', async () => {
    const thread = await recorded();
    const settings = { model: 'gpt-5.5', reasoning_effort: null, developer_instructions: null };
    await thread.call('thread/settings/update', { collaborationMode: { mode: 'plan', settings } });
    await thread.call('thread/unsubscribe');
    expect((await thread.call('thread/resume', loadWith('Be brief.'))).collaborationMode.mode).toBe('plan');
  });

  test('a thread without a turn is idle, has a place on the disk, and is not recorded', async () => {
    const thread = await codex().open();
    const { thread: read } = await thread.call('thread/read');
    expect(read).toMatchObject({ status: { type: 'idle' }, path: expect.stringMatching(/\.jsonl$/) });
    const refusal = await thread.refusal('thread/turns/list', { limit: 1, itemsView: 'notLoaded' });
    expect(refusal).toMatchObject({ code: -32600, message: expect.stringContaining('is not materialized yet') });
  });
});
