import { describe, expect, test } from 'vitest';
import type { ThreadEvent } from '../../../src/domain/thread/thread-event.ts';
import { command, events, fileChange, message } from '../../support/session-lab.ts';
import { runningPrompt, v2Names, type WireLab, wireLab } from '../../support/wire-lab.ts';
import { commandApproval, fileChangeApproval } from '../interaction/approvals.ts';

const states = async (lab: WireLab) => (await lab.news()).filter((word) => /^(idle|running|requires)/.test(word));
const quota = (tokens: object | null) => ({
  quota: { token_count: tokens, model_usage: tokens === null ? [] : [{ model: 'gpt-test', token_count: tokens }] },
});
const active = { type: 'threadStatus', status: { type: 'active', activeFlags: [] } } as const;
const retry = (turnId: string): ThreadEvent => ({
  type: 'error',
  turnId,
  error: { message: 'cut off', info: null, details: null },
  willRetry: true,
});

function askCommand(lab: WireLab, itemId: string, turnId = 'turn-1') {
  lab.emit(events.itemStarted(turnId, command(itemId)));
  return lab.codex.request(lab.sessionId, commandApproval({ turnId, itemId }));
}

describe.each(v2Names)('the foreground of %s', (name) => {
  test('S3.90 a session begins idle, without a word', async () => {
    const lab = await wireLab(name);
    expect(lab.client.updates(lab.sessionId).filter(({ sessionUpdate }) => sessionUpdate === 'state_update')).toEqual(
      [],
    );
  });

  test('S3.91 S3.102 no state is told twice, whatever shows that work goes on', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    lab.emit(active, events.started('turn-1'), events.delta('turn-1', 'a'), active);
    lab.emit(events.itemStarted('turn-1', command('c1')), active);
    expect(await states(lab)).toEqual([]);
    lab.emit(events.completed('turn-1'), events.completed('turn-1'));
    expect(await states(lab)).toEqual(['idle end_turn']);
  });

  test('S3.92 S3.93 T16 T17 a lone wait needs the user, its answer goes on', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    askCommand(lab, 'c1');
    const words = await lab.news();
    expect(words.filter((word) => word === 'requires_action')).toHaveLength(1);
    lab.answer('c1', 'allow_once');
    expect(await states(lab)).toEqual(['running']);
    lab.emit(events.itemCompleted('turn-1', command('c1', { status: 'completed', exitCode: 0 })));
    lab.emit(events.completed('turn-1'));
    expect(await states(lab)).toEqual(['idle end_turn']);
  });

  test('S3.92 S3.93 something else that runs keeps it running: a delta counts as started, its end does not', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    lab.emit(events.delta('turn-1', 'Hm', 'm7'));
    askCommand(lab, 'c1');
    expect(await states(lab)).toEqual([]);
    lab.emit(events.itemCompleted('turn-1', message('m7', 'Hm')));
    expect(await states(lab)).toEqual(['requires_action']);
    lab.emit({ type: 'reasoningDelta', turnId: 'turn-1', itemId: 'r1', delta: 'so' });
    expect(await states(lab)).toEqual(['running']);
  });

  test('S3.92 the message of the user is no item that runs', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    askCommand(lab, 'c1');
    await lab.news();
    lab.record('turn-1', 'of-someone-else');
    expect(await states(lab)).toEqual([]);
  });

  test('S3.93 of two waits the last answer goes on', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    askCommand(lab, 'c1');
    lab.emit(events.itemStarted('turn-1', fileChange('f1')));
    lab.codex.request(lab.sessionId, fileChangeApproval({ turnId: 'turn-1', itemId: 'f1' }));
    expect((await states(lab)).at(-1)).toBe('requires_action');
    // The item ends before its answer is known: it does not run again.
    lab.emit(events.itemCompleted('turn-1', command('c1', { status: 'declined' })));
    lab.answer('c1', 'cancel');
    expect(await states(lab)).toEqual([]);
    lab.answer('f1', 'allow_once');
    expect(await states(lab)).toEqual(['running']);
  });

  test('S3.94 what is asked while nothing runs never touches the state', async () => {
    const lab = await wireLab(name);
    lab.codex.request(lab.sessionId, commandApproval({ turnId: 'other', itemId: 'c1' }));
    lab.codex.request(lab.sessionId, commandApproval({ turnId: 'other', itemId: 'c2' }));
    await lab.settle();
    lab.answer('c1', 'allow_once');
    lab.cancel();
    expect(await states(lab)).toEqual([]);
  });

  test('S3.94 S3.96 a plan review counts, and its inner turn has no idle', async () => {
    const lab = await wireLab(name);
    const change = { sessionId: lab.sessionId, configId: 'collaboration_mode', value: 'plan', type: 'id' };
    await lab.client.request('session/set_config_option', change);
    await runningPrompt(lab);
    lab.emit({ type: 'itemCompleted', turnId: 'turn-1', item: { type: 'plan', id: 'plan-1', text: '1. Do it' } });
    lab.emit(events.completed('turn-1'));
    expect(await states(lab)).toEqual(['requires_action']);
    lab.answer('plan-review:plan-1', 'implement_plan');
    await lab.settle();
    lab.emit(events.started('turn-2'));
    lab.land('turn-2');
    expect(await states(lab)).toEqual(['running']);
    lab.emit(events.completed('turn-2'));
    expect(await states(lab)).toEqual(['idle end_turn']);
  });

  test.each(['cancel', 'close', 'loss'])(
    'S3.95 R7 a wait that ends with a %s brings no running, nor does its late answer',
    async (how) => {
      const lab = await wireLab(name);
      await runningPrompt(lab);
      askCommand(lab, 'c1');
      await lab.news();
      if (how === 'cancel') lab.cancel();
      else if (how === 'close') lab.close();
      else lab.codex.crash();
      await lab.settle();
      lab.answer('c1', 'allow_once');
      await lab.settle();
      if (how !== 'loss') lab.emit(events.completed('turn-1', 'interrupted'));
      const end = how === 'loss' ? 'idle error 1001 Connection to Codex was lost.' : 'idle cancelled';
      expect(await states(lab)).toEqual([end]);
    },
  );

  test('T25 T26 S3.96 S3.81 turns of Codex have an idle each, also back to back', async () => {
    const lab = await wireLab(name);
    for (const turnId of ['goal-1', 'goal-2']) {
      lab.emit(events.started(turnId), events.delta(turnId, 'x', turnId), events.completed(turnId));
    }
    expect(await lab.words()).toEqual(['running', 'text x', 'idle end_turn', 'running', 'text x', 'idle end_turn']);
  });

  test('S3.97 S3.162 S3.163 the end of a prompt has its usage, the sets begin anew', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    // Never ended: what was open must not keep the next turn running.
    lab.emit(events.delta('turn-1', 'unfinished', 'm9'));
    const breakdown = {
      totalTokens: 30,
      inputTokens: 20,
      cachedInputTokens: 5,
      cacheWriteInputTokens: 1,
      outputTokens: 10,
      reasoningOutputTokens: 4,
    };
    lab.emit({ type: 'tokenUsage', turnId: 'turn-1', total: breakdown, last: breakdown, contextWindow: 1000 });
    lab.emit(events.completed('turn-1'));
    await lab.settle();
    expect(lab.updatesOf('state_update')).toEqual([
      {
        sessionUpdate: 'state_update',
        state: 'idle',
        stopReason: 'end_turn',
        usage: {
          totalTokens: 30,
          inputTokens: 14,
          cachedReadTokens: 5,
          cachedWriteTokens: 1,
          outputTokens: 10,
          thoughtTokens: 4,
        },
        _meta: quota({ ...breakdown, inputTokens: 14 }),
      },
    ]);
    lab.mark();
    lab.emit(events.started('goal-1'));
    askCommand(lab, 'c1', 'goal-1');
    expect(await states(lab)).toEqual(['running', 'requires_action']);
  });

  test('S3.97 without known usage the field is left out', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    lab.emit(events.completed('turn-1'));
    await lab.settle();
    const idle = { sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn', _meta: quota(null) };
    expect(lab.updatesOf('state_update')).toEqual([idle]);
  });

  const ends = [
    ['completed', undefined, { stopReason: 'end_turn' }],
    ['interrupted', undefined, { stopReason: 'cancelled' }],
    ['failed', 'Too hot', { stopReason: 'error', error: { code: -32603, message: 'Too hot' } }],
    ['failed', undefined, { stopReason: 'error', error: { code: -32603, message: 'Codex turn failed.' } }],
  ] as const;
  test.each(ends)(
    'S3.98 S3.99 a turn of Codex that %s (%s) has neither usage nor metadata',
    async (status, reason, end) => {
      const lab = await wireLab(name);
      lab.emit(events.started('goal-1'), events.completed('goal-1', status, reason));
      await lab.settle();
      expect(lab.updatesOf('state_update').at(-1)).toEqual({ sessionUpdate: 'state_update', state: 'idle', ...end });
    },
  );

  test.each(ends)('S3.98 S3.99 the turn of a prompt that %s (%s)', async (status, reason, end) => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    lab.emit(events.completed('turn-1', status, reason));
    await lab.settle();
    const [idle] = lab.updatesOf('state_update');
    expect(idle).toMatchObject({ sessionUpdate: 'state_update', state: 'idle', ...end });
    expect(idle.error).toEqual('error' in end ? end.error : undefined);
    expect(idle._meta.quota).toEqual(quota(null).quota);
  });

  test('S3.98 a cancel wins over a failure', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    lab.cancel();
    await lab.settle();
    lab.emit(events.completed('turn-1', 'failed', 'Too hot'));
    await lab.settle();
    expect(lab.updatesOf('state_update').at(-1)).toMatchObject({ stopReason: 'cancelled' });
    expect(lab.updatesOf('state_update').at(-1).error).toBeUndefined();
  });

  test('S3.99 S1.212 the lost app-server is told without what it wrote', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    lab.codex.crash('The Codex app-server exited with code 1.\nsecret stderr');
    await lab.settle();
    const [idle] = lab.updatesOf('state_update');
    expect(idle.error).toEqual({ code: 1001, message: 'Connection to Codex was lost.' });
    expect(JSON.stringify(lab.frames)).not.toContain('secret stderr');
  });

  test('S3.100 a retry, a failed tool and an error while idle end nothing', async () => {
    const lab = await wireLab(name);
    lab.emit({ ...retry('nobody'), willRetry: false } as ThreadEvent);
    expect(await states(lab)).toEqual([]);
    await runningPrompt(lab);
    lab.emit(retry('turn-1'));
    lab.emit(events.itemStarted('turn-1', command('c1')));
    lab.emit(events.itemCompleted('turn-1', command('c1', { status: 'failed', exitCode: 1 })));
    expect(await states(lab)).toEqual([]);
    lab.emit(events.completed('turn-1'));
    expect(await states(lab)).toEqual(['idle end_turn']);
  });

  test('T28 S3.103 S8.66 the app-server dies during a turn of Codex: open calls fail, then idle, before the thread is loaded again', async () => {
    const lab = await wireLab(name);
    lab.emit(events.started('goal-1'));
    askCommand(lab, 'c1', 'goal-1');
    await lab.news();
    lab.codex.crash();
    expect(await lab.news()).toEqual([
      'withdraw c1',
      'terminal c1 ended',
      'tool c1 failed',
      'idle error 1001 Connection to Codex was lost.',
    ]);
    expect(lab.codex.of('resumeThread')).toEqual([]);
    await runningPrompt(lab);
    expect(lab.codex.of('resumeThread')).toHaveLength(1);
  });

  test('S3.105 nothing is said about background work', async () => {
    const lab = await wireLab(name);
    await runningPrompt(lab);
    lab.emit(events.itemStarted('turn-1', command('c1')), events.completed('turn-1'));
    await lab.settle();
    for (const update of lab.client.updates(lab.sessionId)) {
      if (update.sessionUpdate === 'state_update') expect(update).not.toHaveProperty('background');
    }
  });
});
