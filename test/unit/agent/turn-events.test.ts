import { describe, expect, test } from 'vitest';
import type { ReasoningItem } from '../../../src/domain/thread/thread-item.ts';
import { FakeCodex } from '../../support/fake-codex.ts';
import { command, events, fileChange, message } from '../../support/session-lab.ts';
import { runningPrompt, type WireLab, wireLab } from '../../support/wire-lab.ts';
import { commandApproval } from '../interaction/approvals.ts';

const clients = ['plainV1', 'airV1', 'plainV2', 'airV2'] as const;
const done = (lab: WireLab) => (lab.version === 1 ? 'p1 end_turn' : 'idle end_turn');
const failedWith = (lab: WireLab, text: string) => (lab.version === 1 ? 'p1 end_turn' : `idle error -32603 ${text}`);
const isTyped = (name: string) => name.startsWith('air');

const reasoning = (id: string, summary: string[], content: string[] = []): ReasoningItem => ({
  type: 'reasoning',
  id,
  summary,
  content,
});

describe.each(clients)('events of Codex for %s', (name) => {
  test('S3.75 are shown strictly in their order', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    const texts = Array.from({ length: 100 }, (_, index) => `${index}`);
    for (const [index, text] of texts.entries()) lab.emit(events.delta('turn-1', text, `m${index}`));
    lab.emit(events.completed('turn-1'));
    expect(await lab.words()).toEqual([...texts.map((text) => `text ${text}`), done(lab)]);
  });

  test('S3.75 one that cannot be handled does not stop the others', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    lab.emit({ type: 'itemStarted', turnId: 'turn-1', item: null as never }, events.delta('turn-1', 'on'));
    lab.emit(events.completed('turn-1'));
    expect(await lab.words()).toEqual(['text on', done(lab)]);
  });

  test('S3.75 S5.16 a request that cannot be handled is refused', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    const broken = commandApproval({ turnId: 'turn-1', actions: null as never, command: null, itemId: 'c1' });
    const ref = lab.codex.request(lab.sessionId, { ...broken, proposedNetworkAmendments: null as never });
    await lab.settle();
    expect(lab.codex.of('answer')).toEqual([
      { method: 'answer', ref, answer: { type: 'commandApproval', decision: 'cancel' } },
    ]);
  });

  test('S3.76 S1.202 that come before the session is known are shown after its answer', async () => {
    const lab = await wireLab(name);
    lab.codex.emit('thread-2', events.started('goal-1'));
    lab.codex.emit('thread-2', events.delta('goal-1', 'early'));
    const from = lab.client.received.length;
    const sessionId = await lab.openSession();
    await lab.settle();
    const frames = lab.client.received.slice(from);
    const first = frames.findIndex(({ params }) => params?.sessionId === sessionId);
    const answer = frames.findIndex(({ result }) => result?.sessionId === sessionId);
    expect(answer).toBeGreaterThanOrEqual(0);
    expect(first).toBeGreaterThan(answer);
    expect(lab.client.text(sessionId)).toBe('early');
    if (lab.version === 2) expect(await lab.words()).toContain('running');
  });

  test('S3.77 R3 an end before the answer to the start ends the prompt', async () => {
    const lab = await wireLab(name);
    lab.codex.manual.add('startTurn');
    lab.prompt('hi');
    await lab.settle();
    lab.emit(events.started('turn-1'));
    lab.land('turn-1');
    lab.emit(events.delta('turn-1', 'quick'), events.completed('turn-1'));
    await lab.settle();
    lab.codex.heldStarts[0]?.resolve({ turnId: 'turn-1' });
    const words = {
      1: ['text quick', 'p1 end_turn'],
      2: ['running', 'user hi', 'p1 inserted', 'text quick', 'idle end_turn'],
    };
    expect(await lab.words()).toEqual(words[lab.version]);
  });

  test('S3.78 S3.79 a failed turn: what is open is closed, the failure is told, then the end', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    lab.emit(events.itemStarted('turn-1', command('c1')), events.itemStarted('turn-1', fileChange('f1')));
    await lab.news();
    const error = { message: 'Too hot', info: 'serverOverloaded', details: null };
    lab.emit({ type: 'error', turnId: 'turn-1', error, willRetry: false });
    lab.emit({ type: 'turnCompleted', turnId: 'turn-1', status: 'failed', error });
    const words = await lab.words();
    expect(words.filter((word) => !word.startsWith('text'))).toEqual([
      // On v1 a command whose process lives on keeps its tool call (C008).
      ...(lab.version === 2 ? ['terminal c1 ended', 'tool c1 failed'] : []),
      'tool f1 failed',
      failedWith(lab, 'Too hot'),
    ]);
    expect(words.filter((word) => word.startsWith('text'))).toEqual(isTyped(name) ? [] : ['text Too hot\n\n']);
    // Nothing that was closed is closed again.
    await runningPrompt(lab);
    lab.emit(events.completed('turn-2', 'failed', 'Again'));
    expect((await lab.words()).filter((word) => word.startsWith('tool'))).toEqual([]);
  });

  test('S3.80 late ones of a turn that is over are still shown, without a state', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    lab.emit(events.itemStarted('turn-1', command('c1')), events.completed('turn-1'));
    await lab.news();
    lab.emit(events.delta('turn-1', 'late', 'm9'));
    lab.emit(events.itemCompleted('turn-1', command('c1', { status: 'completed', exitCode: 0, output: 'x' })));
    const words = await lab.news();
    expect(words).toContain('text late');
    expect(words).toContain('tool c1 completed');
    expect(words).not.toContain('running');
    expect(words.filter((word) => word.startsWith('idle'))).toEqual([]);
  });

  test('S3.81 S3.82 S3.96 a turn of Codex is shown like that of a prompt, and may ask before any prompt', async () => {
    const lab = await wireLab(name);
    lab.emit(events.started('goal-1'), events.delta('goal-1', 'On it'));
    lab.emit(events.itemCompleted('goal-1', message('m1', 'On it')), events.itemStarted('goal-1', command('c1')));
    lab.codex.request(lab.sessionId, commandApproval({ turnId: 'goal-1', itemId: 'c1' }));
    const asked = await lab.news();
    const state = lab.version === 2;
    expect(asked[0]).toBe(state ? 'running' : 'text On it');
    expect(asked).toContain('text On it');
    expect(asked).toContain('ask c1');
    expect(asked.filter((word) => word === 'requires_action')).toHaveLength(state ? 1 : 0);
    lab.answer('c1', 'allow_once');
    await lab.settle();
    expect(lab.codex.of('answer')[0]?.answer).toEqual({ type: 'commandApproval', decision: 'accept' });
    lab.emit(events.itemCompleted('goal-1', command('c1', { status: 'completed', exitCode: 0 })));
    lab.emit(events.completed('goal-1'));
    const words = await lab.news();
    expect(words.filter((word) => !/^(tool|terminal)/.test(word))).toEqual(state ? ['running', 'idle end_turn'] : []);
  });

  test('S3.83 ids and phases of messages and thoughts', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    const final = { ...message('m2', 'Done.'), phase: 'final_answer' as const };
    lab.emit(
      { type: 'itemStarted', turnId: 'turn-1', item: { ...message('m1', ''), phase: 'commentary' } },
      events.delta('turn-1', 'Look', 'm1'),
      events.itemCompleted('turn-1', { ...message('m1', 'Look'), phase: 'commentary' }),
      { type: 'itemStarted', turnId: 'turn-1', item: reasoning('r1', []) },
      { type: 'reasoningDelta', turnId: 'turn-1', itemId: 'r1', delta: 'One' },
      { type: 'reasoningBreak', turnId: 'turn-1', itemId: 'r1' },
      { type: 'reasoningDelta', turnId: 'turn-1', itemId: 'r1', delta: 'Two' },
      { type: 'itemCompleted', turnId: 'turn-1', item: reasoning('r1', ['One', 'Two']) },
      { type: 'itemCompleted', turnId: 'turn-1', item: reasoning('r2', ['A', 'B'], ['raw']) },
      { type: 'itemCompleted', turnId: 'turn-1', item: reasoning('r3', [], ['C', 'D']) },
      events.itemCompleted('turn-1', final),
    );
    await lab.settle();
    const chunk = (kind: string, messageId: string, text: string, phase?: string) => ({
      sessionUpdate: `agent_${kind}_chunk`,
      messageId,
      content: { type: 'text', text },
      ...(phase === undefined || !lab.air ? {} : { _meta: { jetbrains: { air: { version: 1, phase } } } }),
    });
    const chunks = lab.updates.filter(({ sessionUpdate }) => sessionUpdate.endsWith('_chunk'));
    const thoughts = chunks.filter(({ messageId }) => messageId === 'r1');
    expect(thoughts.map(({ content }) => content.text).join('')).toBe('One\n\nTwo');
    expect(chunks.filter(({ messageId }) => messageId !== 'r1')).toEqual([
      chunk('message', 'm1', 'Look', 'commentary'),
      chunk('thought', 'r2', 'A\n\nB'),
      chunk('thought', 'r3', 'C\n\nD'),
      chunk('message', 'm2', 'Done.', 'final_answer'),
    ]);
  });

  test('S3.83 replies of commands are messages of their own', async () => {
    const lab = await wireLab(name);
    for (let times = 0; times < 2; times += 1) lab.prompt('/skills');
    await lab.settle();
    const ids = lab.updatesOf('agent_message_chunk').map(({ messageId }) => messageId);
    expect(ids).toHaveLength(2);
    if (lab.version === 1) expect(ids).toEqual([undefined, undefined]);
    else expect(new Set(ids.filter((id) => /^[0-9a-f-]{36}$/.test(id))).size).toBe(2);
  });

  test('S3.84 a recorded message and the begin of a review show nothing by themselves', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    const items = [
      { type: 'userMessage', id: 'u9', clientId: null },
      { type: 'reviewEntered', id: 'r9', text: 'changes' },
    ] as const;
    for (const item of items) {
      lab.emit({ type: 'itemStarted', turnId: 'turn-1', item }, { type: 'itemCompleted', turnId: 'turn-1', item });
    }
    expect(await lab.words()).toEqual([]);
  });

  test('S3.85 what Codex says of the thread is metadata; v2 keeps what was said before', async () => {
    const lab = await wireLab(name);
    const active = { type: 'active', activeFlags: ['waitingOnApproval'] } as const;
    lab.emit({ type: 'threadStatus', status: active });
    lab.emit({ type: 'threadArchived', archived: true }, { type: 'threadArchived', archived: false });
    lab.emit({ type: 'threadClosed' });
    await lab.settle();
    const codex = lab.updatesOf('session_info_update').map(({ _meta }) => _meta.codex);
    const told = [{ threadStatus: active }, { archived: true }, { archived: false }, { closed: true }];
    const kept = told.map((_, index) => Object.assign({}, ...told.slice(0, index + 1)));
    expect(codex).toEqual(lab.version === 1 ? told : kept);
  });

  test('S3.86 the structured plan', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    const steps = [
      { step: 'Look', status: 'completed' },
      { step: 'Cut', status: 'in_progress' },
      { step: 'Sew', status: 'pending' },
    ] as const;
    lab.emit({ type: 'planUpdated', turnId: 'turn-1', steps });
    await lab.settle();
    const entries = steps.map(({ step, status }) => ({ content: step, status, priority: 'medium' }));
    expect(lab.updates).toEqual([
      lab.version === 1
        ? { sessionUpdate: 'plan', entries }
        : { sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'codex-structured-plan', entries } },
    ]);
  });
});

test('S3.76 nothing of a session that could not be opened is shown', async () => {
  const codex = new FakeCodex();
  const lab = await wireLab('plainV2', { codex });
  codex.account = { account: null, requiresLogin: true };
  codex.emit('thread-2', events.started('goal-1'));
  const opened = lab.client.request('session/new', { cwd: '/w', mcpServers: [] });
  await expect(opened).rejects.toMatchObject({ code: -32000 });
  await lab.settle();
  expect(lab.client.updates('thread-2')).toEqual([]);
});
