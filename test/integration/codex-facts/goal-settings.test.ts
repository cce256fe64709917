import { describe, expect, test } from 'vitest';
import { isGoalRequest } from '../../support/model-answers.ts';
import { hold, text } from '../../support/model-replies.ts';
import { type Json, type ThreadProbe, useCodex } from './lab.ts';

/*
 * With which settings Codex pursues a goal: when its thread is loaded in a new process, and when they change meanwhile.
 * Codex begins these turns by itself; the model is told their sandbox.
 */

const codex = useCodex({ model: 'gpt-5.5' });

const fullAccess = { sandboxPolicy: { type: 'dangerFullAccess' }, approvalPolicy: 'never' };
const readOnly = { sandboxPolicy: { type: 'readOnly', networkAccess: false }, approvalPolicy: 'on-request' };

/** A thread that was prompted with full access and then pursues a goal; its first goal turn waits in its message. */
async function pursuedWithFullAccess(): Promise<{ thread: ThreadProbe; open: () => void }> {
  const thread = await codex().open();
  const gate = hold();
  codex().server.script(text('Hello.'), text('one two').pauseAt(gate));
  const prompted = await thread.start('Hi', fullAccess);
  await thread.completed(prompted);
  await thread.call('thread/goal/set', { objective: 'Ship it', status: 'active' });
  await thread.started((id) => id !== prompted);
  await thread.told('item/agentMessage/delta', ({ turnId }) => turnId !== prompted);
  return { thread, open: gate.open };
}

/** The same in a new process, not loaded. */
async function recordedWithFullAccess(): Promise<ThreadProbe> {
  const { thread } = await pursuedWithFullAccess();
  await codex().restart();
  return codex().again(thread);
}

function sandboxes(thread: ThreadProbe): Json[] {
  const requests = codex().server.requests.filter((request) => request.threadId === thread.id);
  return requests.filter(isGoalRequest).map(({ metadata }) => metadata.sandbox_mode);
}

/** Time in which a continuation would have started, measured in work of Codex: a whole turn of another thread. */
async function anotherTurn(): Promise<void> {
  const other = await codex().open();
  codex().server.enqueue(text('Done.'));
  await other.completed(await other.start('Hi'));
}

describe('S12.8 a goal in a thread that is loaded in a new process', () => {
  test('S12.8 it goes on at once, with the access that was recorded', async () => {
    const thread = await recordedWithFullAccess();
    codex().server.script(text('three four').pauseAt(hold(), 1));
    const { sandbox, approvalPolicy } = await thread.call('thread/resume', { excludeTurns: true });
    expect([sandbox.type, approvalPolicy]).toEqual(['dangerFullAccess', 'never']);
    await thread.speaking();
    expect(sandboxes(thread).at(-1)).toBe('danger-full-access');
  });

  test('S12.8 it can be read and paused before: the load says what was recorded and begins no turn', async () => {
    const thread = await recordedWithFullAccess();
    expect((await thread.call('thread/goal/get')).goal.status).toBe('active');
    const before = sandboxes(thread).length;
    await thread.call('thread/goal/set', { status: 'paused' });
    const { sandbox } = await thread.call('thread/resume', { excludeTurns: true });
    expect(sandbox.type).toBe('dangerFullAccess');
    await thread.told('thread/tokenUsage/updated');
    await anotherTurn();
    expect(thread.all('turn/started')).toEqual([]);
    expect(sandboxes(thread)).toHaveLength(before);
    // It goes on with what it was told meanwhile.
    codex().server.script(text('five six').pauseAt(hold(), 1));
    await thread.call('thread/settings/update', readOnly);
    await thread.call('thread/goal/set', { status: 'active' });
    await thread.speaking();
    expect(sandboxes(thread).slice(before)).toEqual(['read-only']);
    // One update tells of our pause, one of the state at the load, one that it is active again.
    expect(thread.all('thread/goal/updated').map(({ goal }) => goal.status)).toEqual(['paused', 'paused', 'active']);
  });

  test('S12.8 a goal that was set active in a thread that is not loaded begins no turn', async () => {
    const thread = await recordedWithFullAccess();
    await thread.call('thread/goal/set', { status: 'paused' });
    await thread.call('thread/goal/set', { status: 'active' });
    await anotherTurn();
    expect(thread.all('turn/started')).toEqual([]);
  });

  test('S12.8 access that the load names counts for the first turn of the goal', async () => {
    const thread = await recordedWithFullAccess();
    codex().server.script(text('three four').pauseAt(hold(), 1));
    const narrow = { sandbox: 'read-only', approvalPolicy: 'on-request', approvalsReviewer: 'user' };
    const opened = await thread.call('thread/resume', { excludeTurns: true, ...narrow });
    expect([opened.sandbox.type, opened.approvalPolicy]).toEqual(['readOnly', 'on-request']);
    await thread.speaking();
    expect(sandboxes(thread).at(-1)).toBe('read-only');
  });
});

test('S2.63 S12.8 settings that are told while a goal turn runs count from the next one on', async () => {
  const { thread, open } = await pursuedWithFullAccess();
  codex().server.enqueue(text('three four').pauseAt(hold(), 1));
  await thread.call('thread/settings/update', { ...readOnly, model: 'gpt-5.4', effort: 'high' });
  thread.fromNow();
  open();
  await thread.completed();
  await thread.told('item/agentMessage/delta', ({ delta }) => delta.startsWith('three'));
  expect(sandboxes(thread)).toEqual(['danger-full-access', 'read-only']);
  const last = codex().server.requests.findLast((request) => request.threadId === thread.id);
  expect(last).toMatchObject({ model: 'gpt-5.4', body: { reasoning: { effort: 'high' } } });
});
